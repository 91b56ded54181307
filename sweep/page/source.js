'use strict';

/* Where the page gets its data from: pieces as page.h describes them, parsed.
 *
 *   file                what the results file is called
 *   summary()           page_summary
 *   trials(after)       page_trials, from the one after `after`
 *   curves(trials)      page_curve of each of these trial_ids that has one: a list
 *   heads(trial)        page_heads; of all that are to be had at once where trial is 0
 *   attention(trial)    page_attention, or {missing: trial}: it cannot be had; 0: no trial has weights
 *
 * All return promises, so that a source may as well ask a server. This one has all in the page. */
function pageSource() {
    const all = JSON.parse(document.getElementById('data').textContent);
    return {
        file: all.file,
        summary: async () => all.summary,
        trials: async () => all.trials,
        curves: async trials => {
            const wanted = new Set(trials);
            return all.curves.filter(c => wanted.has(c.trial));
        },
        heads: async () => all.heads,
        attention: async () => all.attention,
    };
}

/* Rows of a table as objects. */
function objects(table) {
    return table.rows.map(row => Object.fromEntries(table.columns.map((c, i) => [c, row[i]])));
}
