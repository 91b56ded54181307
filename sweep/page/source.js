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

/* The values of a column of page_columns.h. */
function columnValues({same, each, of, at, by}, rows) {
    if (each) return each;
    if (at) return at.map(place => of[place]);
    if (!by) return new Array(rows).fill(same);
    let last = 0;
    return by.map(step => (last += step));
}

/* A table of page_columns.h as objects. */
function columnObjects({rows, columns}) {
    const list = Object.entries(columns).map(([name, column_]) => [name, columnValues(column_, rows)]);
    return Array.from({length: rows}, (_, i) => {
        const object = {};
        for (const [name, values] of list) object[name] = values[i];
        return object;
    });
}

/* Rows of a table as objects. */
function objects(table) {
    return table.rows.map(row => Object.fromEntries(table.columns.map((c, i) => [c, row[i]])));
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
