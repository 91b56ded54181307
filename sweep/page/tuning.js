'use strict';

/* The map of tuning: what each head count scored with each value that it was given, on the tuning seeds.
 * Chart and table at once. With one tuned axis head counts lie across; with more each head count has a
 * map of its own. */

/* The candidates of the picked setting, each with its values by axis. */
function candidatesOf(view) {
    return objects(view.summary.tuning)
        .filter(c => sameSetting(JSON.parse(c.setting), view.set.setting))
        .map(c => ({...c, at: JSON.parse(c.tuning)}));
}

/* The values of an axis: numbers in their order, other ones as they were planned. */
function valuesOf(candidates, axis) {
    const values = [...new Set(candidates.map(c => c.at[axis]))];
    return values.every(v => typeof v === 'number') ? values.sort((a, b) => a - b) : values;
}

/* The class of colour of a score, from the worst to the best. */
function scoreShades(candidates, loss) {
    const known = candidates.map(c => c.score).filter(s => s !== null);
    const low = Math.min(...known),
        span = Math.max(...known) - low || 1;
    return score => (score === null ? '' : `h${Math.round(7 * Math.abs((score - low) / span - loss))}`);
}

/* What is to be said of a candidate: chosen, at which edges, added by extend, eliminated, bad trials. */
function candidateMarks(c, edges) {
    const chosen = c.rank === 1 && c.settled === 1,
        at = edges.filter(e => chosen && e.heads === c.heads).map(e => [axisName(e.axis), e.edge]);
    return [
        chosen ? ['chosen', 'chosen'] : null,
        ...at.map(([axis, edge]) => ['edge', `edge: ${edge} ${axis}`]),
        c.added ? ['', 'added'] : null,
        c.eliminated_at === null ? null : ['', `eliminated at step ${c.eliminated_at}`],
        c.n_bad ? ['bad', `${c.n_bad} of ${c.n} bad`] : null,
    ].filter(Boolean);
}

function candidateCell(c, shades, edges) {
    if (!c) return element('td', {});
    const marks = candidateMarks(c, edges),
        chosen = marks.some(([kind]) => kind === 'chosen');
    return element(
        'td',
        {class: `heat ${shades(c.score)} ${chosen ? 'chosen' : ''}`, 'data-value': c.score},
        element('strong', {}, c.score === null ? '\u2013' : four(c.score)),
        marks.map(([kind, says]) => element('span', {class: `mark ${kind}`}, says)),
    );
}

/* Head counts across. */
function tuningOfAxis(candidates, axis, shades, {heads: rows, edges}) {
    const heads = rows.map(row => row.heads).filter(h => candidates.some(c => c.heads === h));
    const at = new Map(candidates.map(c => [`${c.heads} ${c.at[axis]}`, c]));
    return heatTable({
        caption: `Tuning of ${axisName(axis)}`,
        corner: axisName(axis),
        across: heads,
        acrossName: h => count(h, 'head'),
        down: valuesOf(candidates, axis),
        cell: (h, value) => candidateCell(at.get(`${h} ${value}`), shades, edges),
    });
}

/* The axis with the fewest values first, as it lies across. */
function axesOf(candidates) {
    const axes = [...new Set(candidates.flatMap(c => Object.keys(c.at)))];
    return axes.sort((a, b) => valuesOf(candidates, a).length - valuesOf(candidates, b).length);
}

/* The first axis across; down, of the others what was tried together. */
function tuningOfHeads(candidates, heads, axes, shades, {edges}) {
    const own = candidates.filter(c => c.heads === heads),
        [first, ...others] = axes;
    const rest = c => others.map(axis => c.at[axis]).join(', ');
    const down = others
        .map(axis => valuesOf(candidates, axis))
        .reduce((before, values) => before.flatMap(b => values.map(v => [...b, v])), [[]])
        .map(combination => combination.join(', '))
        .filter(name => own.some(c => rest(c) === name));
    const at = new Map(own.map(c => [`${c.at[first]} ${rest(c)}`, c]));
    return heatTable({
        caption: `Tuning of ${count(heads, 'head')}`,
        corner: `${others.map(axisName).join(', ')} \\ ${axisName(first)}`,
        across: valuesOf(candidates, first),
        down,
        cell: (x, y) => candidateCell(at.get(`${x} ${y}`), shades, edges),
    });
}

function tuningMaps(view, candidates, axes) {
    const shades = scoreShades(candidates, view.summary.sweep.metric === 'val_loss'),
        {verdict} = view.set;
    if (axes.length === 1) return scrolling('Tuning', tuningOfAxis(candidates, axes[0], shades, verdict));
    return element(
        'div',
        {class: 'multiples'},
        verdict.heads
            .map(row => row.heads)
            .filter(h => candidates.some(c => c.heads === h))
            .map(h =>
                scrolling(`Tuning of ${count(h, 'head')}`, tuningOfHeads(candidates, h, axes, shades, verdict)),
            ),
    );
}

function tuningSection(view) {
    const candidates = candidatesOf(view);
    if (!candidates.length) return null;
    const axes = axesOf(candidates);
    const what = view.summary.sweep.metric === 'val_loss' ? 'validation loss' : 'validation accuracy';
    const added = candidates.some(c => c.added) ? ' Added: beyond the values of the sweep file, as extend asks.' : '';
    return element(
        'figure',
        {},
        element(
            'figcaption',
            {},
            element('h3', {}, foreign(`What each head count chose: ${axes.map(axisName).join(' and ')}`)),
            element(
                'p',
                {},
                `Mean ${what} on the tuning seeds, darker where it is better. Where a choice lies at an edge, a better value ` +
                    `may lie beyond.${added}`,
            ),
        ),
        tuningMaps(view, candidates, axes),
    );
}
