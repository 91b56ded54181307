'use strict';

/* Tuning: of each head count its candidates with their scores on the tuning seeds, the best first. */

const LISTED_CANDIDATES = 50;

/* The candidates of the picked setting, each with its values by axis. */
function candidatesOf(view) {
    return objects(view.summary.tuning)
        .filter(c => sameSetting(JSON.parse(c.setting), view.set.setting))
        .map(c => ({...c, at: JSON.parse(c.tuning)}));
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
    const ranked = own.sort((a, b) => a.rank - b.rank),
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

function tuningLists(view, candidates, axes) {
    const shades = scoreShades(candidates, view.summary.sweep.metric === 'val_loss'),
        own = grouped(candidates, c => c.heads);
    return element(
        'div',
        {class: 'multiples'},
        view.set.verdict.heads
            .filter(({heads}) => own.has(heads))
            .map(({heads}) => tuningOfHeads(own.get(heads), axes, shades, view.set.verdict.edges)),
    );
}

function tuningSection(view) {
    const candidates = candidatesOf(view);
    if (!candidates.length) return null;
    const axes = [...new Set(candidates.flatMap(c => Object.keys(c.at)))];
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
        tuningLists(view, candidates, axes),
    );
}
