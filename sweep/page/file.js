'use strict';

/* The page in a file. */

function fileSource() {
    const all = JSON.parse(document.getElementById('data').textContent);
    return {
        file: all.file,
        summary: async () => all.summary,
        trials: async () => all.trials,
        curves: async trials => {
            const wanted = new Set(trials.map(t => t.trial_id));
            return all.curves.filter(c => wanted.has(c.trial));
        },
        trial: async trial => all.details.find(d => d.trial === trial) ?? null,
        heads: async () => all.heads,
        attention: async () => all.attention,
    };
}

async function begin() {
    const view = newView(fileSource(), null);
    await readView(view);
    view.attention = await view.source.attention();
    makeFrame();
    await beginPage(view);
}

begin();
