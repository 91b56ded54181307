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

/* Per head count its curves as points, as the reader wants them, and their median at each step that at least
 * half of them have. */
function curveGroups({set, curves, choice, headCounts}, column) {
    const trials = new Map(set.trials.concat(set.running).map(t => [t.trial_id, t]));
    return set.verdict.heads
        .map(row => {
            const own = curves.filter(c => trials.get(c.trial)?.heads === row.heads);
            const lines = own.map(c => ({curve: c, points: curvePoints(c, column)}));
            const points = [...grouped(lines.flatMap(line => line.points), ([step]) => step)]
                .filter(([, at]) => 2 * at.length >= own.length)
                .map(([step, at]) => [step, median(at.map(([, value]) => value))])
                .sort((a, b) => a[0] - b[0]);
            return {heads: row.heads, class: headShade(headCounts, row.heads), curves: own, lines, trials, points};
        })
        .filter(group => group.curves.length);
}

/* Whose median lies between two groups of trials; '' for none. */
function apartNote({verdict}) {
    const apart = verdict.heads.filter(row => row.two_clusters).map(row => row.heads);
    return apart.length ? ` Trials with ${headsText(apart)} end in two groups, of which the median tells neither.` : '';
}

/* The head count of each median, where it ends. */
function labelEnds(groups, {f, y, lines}) {
    const ends = groups
        .map(g => [g, lines.find(line => line.heads === g.heads)?.points.at(-1)?.[1] ?? null])
        .filter(([, end]) => end !== null);
    const heights = spreadLabels(
        ends.map(([, end]) => y(end)),
        14,
        f.top,
        f.bottom,
    );
    ends.forEach(([g], i) => {
        f.root.append(label(f.right + 8, heights[i] + 4, count(g.heads, 'head'), {class: `label end ${g.class}`}));
    });
}

function drawCurves(view, groups, column, name, width) {
    const ends = groups.map(g => `${count(g.heads, 'head')} end at ${fixed(g.points.at(-1)?.[1])}`);
    const thin = groups.flatMap(g =>
        g.lines.map(({curve, points}) => ({
            points,
            class: `thin ${g.class}`,
            name: `trial ${curve.trial}: ${count(g.heads, 'head')}, seed ${g.trials.get(curve.trial).seed}`,
            trial: curve.trial,
        })),
    );
    const thick = groups.map(g => ({points: g.points, class: `thick ${g.class}`, name: count(g.heads, 'head'), heads: g.heads}));
    return drawSteps(view, [...thin, ...thick], width, {
        label: `${name} over the training steps: ${ends.join(', ')}.`,
        bounds: column.endsWith('loss') ? undefined : [0, 1],
        yTitle: name,
        right: 70,
        ends: plot => labelEnds(groups, plot),
    });
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
    const all = curveGroups(view, shown);
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
            apartNote(set),
        ],
        controls: controls(
            picker('Show', CURVES, shown, value => view.choose({curve: value})),
            stepControls(view),
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
        reading: readingPlace(true),
        draw: width => drawCurves(view, groups, shown, name, width),
        table: () => curvesTable(groups, name),
    });
}
