'use strict';

/* What a candidate gains over others, and where else accuracy was looked at. */

/* ---- differences ---- */

/* Differences with their intervals, a row each: {name, mean, low, high, class, says}. right: the room for what they
 * say; in a narrow chart it stands with the name above each. */
function drawIntervals(rows, width, options) {
    const narrow = width < 480,
        row = narrow ? 48 : 34,
        first = narrow ? 40 : 30,
        height = first + row * (rows.length - 1) + 68;
    const [low, high] = padRange([0, ...rows.flatMap(r => [r.low, r.high, r.mean])]);
    const root = svg('svg', {
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': plain(options.label),
    });
    const left = narrow ? 12 : 120,
        right = width - (narrow ? 12 : options.right),
        x = linear(low, high, left, right);
    const f = {root, left, right, top: 12, bottom: height - 34};
    const list = ticks(low, high, (right - left) / 80),
        show = tickText(list);
    bottomGrid(f, x, list, t => (t > 0 ? '+' : '') + show(t));
    root.append(
        svg('line', {x1: x(0), x2: x(0), y1: 8, y2: height - 30, class: 'zero'}),
        label(right, height - 2, options.axis, {anchor: 'end', class: 'axis'}),
    );
    rows.forEach((r, i) => {
        const y = first + row * i;
        root.append(narrow ? label(4, y - 14, r.name, {class: 'label end over'}) : label(left - 8, y + 4, r.name, {anchor: 'end'}));
        if (r.mean === null) return;
        if (r.low !== null) root.append(level(y, x(r.low), x(r.high), 'mean'));
        root.append(diamond(x(r.mean), y, r.class, signedFour(r.mean)));
        root.append(narrow ? label(right, y - 14, r.says, {anchor: 'end', class: 'label over'}) : label(right + 12, y + 4, r.says));
    });
    return root;
}

function drawDifferences(view, set, width) {
    const told = set.drawn.comparisons.map(r => `${r.heads_b}: ${signed(r.mean_diff)}`);
    const rows = set.drawn.comparisons.map(r => ({
        name: `${r.heads_a} \u2212 ${r.heads_b}`,
        mean: r.mean_diff,
        low: r.ci_low,
        high: r.ci_high,
        class: r.outcome === 'better' ? 'candidate' : 'mean',
        says: `${signed(r.mean_diff)}, ${probabilityText(r.p_deciding)}`,
    }));
    return drawIntervals(rows, width, {
        label: `${count(set.verdict.candidate, 'head')} less others: ${told.join(', ')}.`,
        axis: `difference in ${view.metric.drawn}`,
        right: 150,
    });
}

/* The interval of a difference over seeds alone, or over the blocks of a text alone; that of the
 * comparison is over both. */
function overText(comparison, what) {
    const over = comparison.over?.[what];
    return over && over.ci_low !== null ? `${signedFour(over.ci_low)} to ${signedFour(over.ci_high)}` : '';
}

/* What the intervals are of, and what each p is held against. */
function differencesNote(view, verdict) {
    const [first] = verdict.comparisons,
        percent = (100 * first.ci_level).toFixed(verdict.looks > 1 ? 1 : 0);
    const over = verdict.comparisons.some(r => r.over) ? ', over seeds and blocks of the text' : '';
    return (
        `${capital(view.metric.drawn)} with ${count(verdict.candidate, 'head')} less that with others, with ` +
        `${percent}% intervals${over}; each p is held against ${probability(verdict.alpha)}.`
    );
}

function differencesSection(view) {
    const {set} = view,
        {verdict} = set;
    if (!verdict.comparisons.length) return null;
    const over = what => ({...OPTIONAL, number: true, value: r => overText(r, what)});
    return figure(`${count(verdict.candidate, 'head')} against others, paired by ${verdict.unit}`, {
        note: differencesNote(view, verdict),
        draw: width => drawDifferences(view, set, width),
        table: () =>
            table(
                'Paired differences',
                [
                    column('Heads', 'heads_a'),
                    column('less', 'heads_b'),
                    column('n', 'n'),
                    column('Difference', 'mean_diff', signedFour),
                    column('from', 'ci_low', signedFour),
                    column('to', 'ci_high', signedFour),
                    column('Bits per byte', 'mean_diff_bits', signedFour, OPTIONAL),
                    {title: 'Over seeds', ...over('seeds')},
                    {title: 'Over text blocks', ...over('blocks')},
                    column('Greater', 'wins'),
                    column('Smaller', 'losses'),
                    column('t', 't', two),
                    column('p', 'p_deciding', probability),
                    column('Sign flips p', 'sign_flip_p', probability),
                    column('Outcome', 'outcome', spaced, WORDS),
                ],
                verdict.comparisons,
            ),
    });
}

/* ---- further test sets, labels ---- */

function shiftedSection(view) {
    const rows = [...(view.set.shifted ?? []), ...(view.set.training ?? [])];
    return rows.length
        ? scrolling(
              'Further test sets',
              table(
                  'On further test sets, and in training',
                  [
                      {title: 'Set', number: false, value: r => r.set ?? 'training'},
                      ...columnsOf(view.summary.columns.shifted),
                  ],
                  rows,
              ),
          )
        : null;
}

function labelsSection(view) {
    const rows = view.set.labels ?? [];
    if (!rows.length) return null;
    const labels = [...new Set(rows.map(r => r.label))],
        at = (label_, heads) => rows.find(r => r.label === label_ && r.heads === heads);
    return scrolling(
        'Accuracy of each label',
        table(
            'Test accuracy of each label, by head count',
            [
                {title: 'Label', number: false, value: l => l},
                {title: 'Rows', value: l => rows.find(r => r.label === l).n_rows, show: v => fixed(v, 0)},
                ...view.set.verdict.heads.map(row => ({
                    title: count(row.heads, 'head'),
                    value: l => at(l, row.heads)?.mean ?? null,
                    show: four,
                })),
            ],
            labels,
        ),
    );
}
