'use strict';

/* Where the page gets its data from: pieces as page.h describes them, parsed.
 *
 *   file                what the results file is called
 *   summary()           page_summary
 *   trials()            {total, trials}: of page_trials the first ones as objects, as many as are to be had at once
 *   curves(trials)      page_curve of each of these trials (rows of page_trials) that has one: a list
 *   trial(trial)        page_trial; null: a file has no room for it
 *   heads()             page_heads of all
 *   attention(trial)    page_attention, or {missing: trial}: it cannot be had; 0: no trial has weights
 *
 * All return promises. In a file all lies in the page itself (file.js); live_source.js asks a server. */

/* Rows of a table as objects. */
function objects(table) {
    return table.rows.map(row => Object.fromEntries(table.columns.map((c, i) => [c, row[i]])));
}

function decoded(base64) {
    return Uint8Array.from(atob(base64), c => c.charCodeAt(0));
}

/* Rows of a table that is packed (page_rows.h), as objects. */
async function unpacked(base64) {
    const stream = new Blob([decoded(base64)]).stream().pipeThrough(new DecompressionStream('deflate'));
    return objects(await new Response(stream).json());
}

/* A list in parts: a map from each key to those that have it. */
function grouped(list, key) {
    const parts = new Map();
    for (const item of list) {
        const part = parts.get(key(item));
        if (part) part.push(item);
        else parts.set(key(item), [item]);
    }
    return parts;
}
