'use strict';

/* Learning curves: every trial a line, and per head count the median of its trials. */

const CURVES = [
    ['val_acc', 'validation accuracy'],
    ['val_loss', 'validation loss'],
    ['train_acc', 'training accuracy'],
    ['train_loss', 'training loss'],
];

function median(values) {
    const known = values.filter(v => v !== null && v !== undefined).sort((a, b) => a - b);
    const middle = known.length >> 1;
    return !known.length ? null : known.length % 2 ? known[middle] : (known[middle - 1] + known[middle]) / 2;
}

/* Per head count its curves, and their median at each step that at least half of them have. */
function curveGroups(set, curves, column) {
    const trials = new Map(set.trials.concat(set.running).map(t => [t.trial_id, t]));
    return set.verdict.heads
        .map((row, i) => {
            const own = curves.filter(c => trials.get(c.trial)?.heads === row.heads);
            const values = own.flatMap(c => c.step.map((step, k) => [step, c[column][k]]));
            const points = [...grouped(values, ([step]) => step)]
                .filter(([, at]) => 2 * at.length >= own.length)
                .map(([step, at]) => [step, median(at.map(([, value]) => value))])
                .sort((a, b) => a[0] - b[0]);
            return {heads: row.heads, class: shade(i, set.verdict.heads.length), curves: own, trials, points};
        })
        .filter(group => group.curves.length);
}

function drawCurves(groups, column, name, width) {
    const ends = groups.map(g => `${count(g.heads, 'head')} end at ${fixed(g.points.at(-1)?.[1])}`);
    const values = groups.flatMap(g => g.curves.flatMap(c => c[column]));
    const last = Math.max(1, ...groups.flatMap(g => g.curves.map(c => c.step.at(-1) ?? 0)));
    const loss = column.endsWith('loss');
    const f = frame(width, heightOf(width), padRange(values, loss ? [-Infinity, Infinity] : [0, 1]), {
        label: `${name} over the training steps: ${ends.join(', ')}.`,
        yTitle: name,
        xTitle: 'step',
        right: 70,
        left: 50,
    });
    const x = linear(0, last, f.left, f.right);
    bottomTicks(f, x, ticks(0, last, (f.right - f.left) / 80), t => quantity(t).replace(' ', ''));
    for (const g of groups)
        for (const c of g.curves)
            f.root.append(
                leadsTo(
                    path(
                        c.step.map((s, k) => [x(s), c[column][k] === null ? null : f.y(c[column][k])]),
                        `thin ${g.class}`,
                        `trial ${c.trial}: ${count(g.heads, 'head')}, seed ${g.trials.get(c.trial).seed}`,
                    ),
                    c.trial,
                ),
            );
    for (const g of groups)
        f.root.append(
            path(
                g.points.map(([s, v]) => [x(s), v === null ? null : f.y(v)]),
                `thick ${g.class}`,
            ),
        );
    const known = groups.filter(g => g.points.length && g.points.at(-1)[1] !== null);
    const heights = spreadLabels(
        known.map(g => f.y(g.points.at(-1)[1])),
        14,
        f.top,
        f.bottom,
    );
    known.forEach((g, i) => {
        f.root.append(label(f.right + 8, heights[i] + 4, count(g.heads, 'head'), {class: `label end ${g.class}`}));
    });
    return f.root;
}

/* At about ten steps, from the first to the last. */
function curvesTable(groups, name) {
    const steps = [...new Set(groups.flatMap(g => g.points.map(([s]) => s)))].sort((a, b) => a - b);
    const every = Math.ceil(steps.length / 10);
    const shown = steps.filter((_, i) => (steps.length - 1 - i) % every === 0);
    return table(
        `Median ${name} of the trials of each head count`,
        [
            {title: 'Step', value: s => s},
            ...groups.map(g => ({
                title: count(g.heads, 'head'),
                show: four,
                value: s => g.points.find(([at]) => at === s)?.[1] ?? null,
            })),
        ],
        shown,
    );
}

function curvesSection(view) {
    const {set} = view;
    const shown = view.choice.curve ?? (view.metric.loss ? 'val_loss' : 'val_acc');
    const name = CURVES.find(([c]) => c === shown)[1];
    const all = curveGroups(set, view.curves, shown);
    if (!all.length) return null;
    const hidden = view.choice.hidden;
    const groups = all.filter(g => !hidden.has(g.heads));
    const drawn = groups.reduce((n, g) => n + g.curves.length, 0);
    const judged = set.trials.length + set.running.length;
    const thinned = groups.some(g => g.curves.some(c => c.step.length < c.of));
    return figure(`Learning curves: ${name}`, {
        note: [
            `A thin line is a trial, a thick one the median of a head count's. ${drawn} of ${count(judged, 'trial')}`,
            thinned ? '; of long curves some of the points.' : '.',
        ],
        controls: controls(
            picker('Show', CURVES, shown, value => view.choose({curve: value})),
            element(
                'fieldset',
                {},
                element('legend', {}, 'Head counts'),
                all.map(g =>
                    element(
                        'label',
                        {class: `check end ${g.class}`},
                        element('input', {
                            type: 'checkbox',
                            checked: !hidden.has(g.heads),
                            onchange: () => view.toggle(g.heads),
                        }),
                        String(g.heads),
                    ),
                ),
            ),
        ),
        draw: width => drawCurves(groups, shown, name, width),
        table: () => curvesTable(groups, name),
    });
}
