'use strict';

/* The map of tuning: what each head count scored with each value that it was given, on the tuning seeds.
 * Chart and table at once. With one tuned axis head counts lie across; with more each head count has a
 * map of its own. Where that would be large or mostly empty, as of values drawn at random, a head count
 * has a list of its candidates instead, the best first. */

const MAP_CELLS = 150,
    LISTED_CANDIDATES = 50;

/* The candidates of the picked setting, each with its values by axis. */
function candidatesOf(view) {
    return objects(view.summary.tuning)
        .filter(c => sameSetting(JSON.parse(c.setting), view.set.setting))
        .map(c => ({...c, at: JSON.parse(c.tuning)}));
}

/* Numbers in their order, then words in the alphabet's. */
function compareTuned(a, b) {
    const [x, y] = [a, b].map(v => typeof v === 'number');
    if (x && y) return a - b;
    return x === y ? (a > b) - (a < b) : y - x;
}

function valuesOf(candidates, axis) {
    return [...new Set(candidates.map(c => c.at[axis]))].sort(compareTuned);
}

/* What was tried together of these axes, in the order of the first one's values. */
function combinationsOf(candidates, axes) {
    const named = new Map(candidates.map(c => axes.map(axis => c.at[axis])).map(list => [list.join(', '), list]));
    return [...named.values()].sort((a, b) => a.map((v, i) => compareTuned(v, b[i])).find(Boolean) ?? 0);
}

/* Whether a table of so many cells is a map of so many candidates. */
function isMap(cells, candidates) {
    return cells <= MAP_CELLS && 2 * candidates >= cells;
}

/* The class of colour of a candidate's score, from its head count's worst to its best. */
function scoreShades(candidates, loss) {
    const known = candidates.filter(c => c.eliminated_at === null && c.score !== null);
    const ranges = new Map(
        [...grouped(known, c => c.heads)].map(([heads, own]) => {
            const scores = own.map(c => c.score),
                low = Math.min(...scores);
            return [heads, {low, span: Math.max(...scores) - low || 1}];
        }),
    );
    return ({heads, score}) => {
        if (score === null) return '';
        const {low, span} = ranges.get(heads);
        return `h${Math.round(7 * Math.abs((score - low) / span - loss))}`;
    };
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
    const out = c.eliminated_at !== null,
        score = out ? c.rung_score : c.score; // of other steps than the rest: no shade
    return element(
        'td',
        {class: `heat ${out ? 'out' : shades(c)} ${chosen ? 'chosen' : ''}`, 'data-value': score},
        element('strong', {}, score === null ? '\u2013' : four(score)),
        marks.map(([kind, says]) => element('span', {class: `mark ${kind}`}, says)),
    );
}

/* Head counts across. */
function tuningOfAxis(candidates, heads, axis, shades, edges) {
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

/* A head count's candidates: the first axis across; down, of the others what was tried together. */
function tuningMap(own, axes, shades, edges) {
    const [first, ...others] = axes,
        rest = c => others.map(axis => c.at[axis]).join(', ');
    const at = new Map(own.map(c => [`${c.at[first]} ${rest(c)}`, c]));
    return heatTable({
        caption: tuningCaption(own),
        corner: `${others.map(axisName).join(', ')} \\ ${axisName(first)}`,
        across: valuesOf(own, first),
        down: combinationsOf(own, others).map(list => list.join(', ')),
        cell: (x, y) => candidateCell(at.get(`${x} ${y}`), shades, edges),
    });
}

function tuningCaption(own) {
    return `Tuning of ${count(own[0].heads, 'head')}`;
}

/* One candidate a row. */
function tuningList(own, axes, shades, edges) {
    return heatTable({
        caption: tuningCaption(own),
        corner: 'Rank',
        across: [...axes, null],
        acrossName: axis => (axis === null ? 'Score' : axisName(axis)),
        down: own,
        downName: c => String(c.rank),
        cell: (axis, c) =>
            axis === null
                ? candidateCell(c, shades, edges)
                : element('td', {class: 'tuned'}, foreign(c.at[axis] ?? '\u2013')),
    });
}

function tuningOfHeads(own, axes, shades, edges) {
    const cells = valuesOf(own, axes[0]).length * combinationsOf(own, axes.slice(1)).length;
    if (axes.length > 1 && isMap(cells, own.length))
        return scrolling(tuningCaption(own), tuningMap(own, axes, shades, edges));
    const ranked = [...own].sort((a, b) => a.rank - b.rank),
        left = Math.max(0, own.length - LISTED_CANDIDATES);
    return element(
        'div',
        {},
        scrolling(tuningCaption(own), tuningList(ranked.slice(0, LISTED_CANDIDATES), axes, shades, edges), () =>
            tuningList(ranked, axes, shades, edges),
        ),
        left
            ? element('p', {}, `${count(left, 'candidate')} of lower rank ${left === 1 ? 'is' : 'are'} left out.`)
            : null,
    );
}

function tuningMaps(view, candidates, axes) {
    const shades = scoreShades(candidates, view.summary.sweep.metric === 'val_loss'),
        {heads: rows, edges} = view.set.verdict;
    const heads = rows.map(row => row.heads).filter(h => candidates.some(c => c.heads === h));
    if (axes.length === 1 && isMap(heads.length * valuesOf(candidates, axes[0]).length, candidates.length))
        return scrolling('Tuning', tuningOfAxis(candidates, heads, axes[0], shades, edges));
    return element(
        'div',
        {class: 'multiples'},
        heads.map(h =>
            tuningOfHeads(
                candidates.filter(c => c.heads === h),
                axes,
                shades,
                edges,
            ),
        ),
    );
}

function tuningSection(view) {
    const candidates = candidatesOf(view);
    if (!candidates.length) return null;
    const axes = axesOf(candidates);
    const what = view.summary.sweep.metric === 'val_loss' ? 'validation loss' : 'validation accuracy';
    const out = candidates.some(c => c.eliminated_at !== null)
        ? ' Eliminated: the best by the step of the rung that it left at.'
        : '';
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
                `Mean ${what} on the tuning seeds; the stronger the colour, the better among those of a head count. Of equals one further from the ends of its list is chosen, then the first. Where a choice lies at an edge, a better value ` +
                    `may lie beyond.${out}${added}`,
            ),
        ),
        tuningMaps(view, candidates, axes),
    );
}

const SHOWN_CHOSEN = new WeakSet();

/* A map that is wider than its place begins where the chosen value is; then the reader scrolls it. */
function showChosen() {
    for (const map of document.querySelectorAll('#tuning .scroll')) {
        const chosen = map.querySelector('td.chosen');
        if (!chosen || SHOWN_CHOSEN.has(map)) continue;
        SHOWN_CHOSEN.add(map);
        map.scrollLeft = chosen.offsetLeft + chosen.offsetWidth + 48 - map.clientWidth; // where the edge fades
    }
}
