'use strict';

/* What heads do. */

const MEASURES = [
    ['importance_norm', 'importance', 'how much the loss changes with the head\u2019s gate: E|\u2202L/\u2202\u03be\u1d62|, of length 1 per layer (Michel et al. 2019)'],
    ['rise', 'loss without it', 'what the loss gains when the head is removed'],
    [
        'main_mass',
        'attention on its main place',
        'mean attention on the place that it looks at most, of those that the task needs',
    ],
    ['confidence', 'confidence', 'mean largest attention weight (Voita et al. 2019)'],
    ['distance', 'distance', 'mean |i \u2212 j| under the attention weights, in positions'],
    ['entropy', 'entropy', 'of the attention weights; 1: all keys get the same'],
    ['wo_share', 'share of the output projection', 'squared Frobenius norm of its block of W_O over the whole'],
];

/* Numbered from 0, as everywhere. */
function headName(row, layers) {
    return layers > 1 ? `layer ${row.layer}, head ${row.head}` : `head ${row.head}`;
}

/* One bar each; groups: of orderedHeads, each with a line for its name. */
function drawHeads(groups, measure, name, layers, width) {
    const rows = groups.flatMap(g => g.heads),
        lines = groups.flatMap(g => (g.name ? [g.name, ...g.heads] : g.heads));
    const line = 26,
        left = layers > 1 ? 112 : 66,
        height = 12 + line * lines.length + 30;
    const most = Math.max(...rows.map(r => r[measure] ?? 0), 1e-9),
        least = Math.min(0, ...rows.map(r => r[measure] ?? 0));
    const root = svg('svg', {
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': `${name}: ${rows.map(r => `${headName(r, layers)} ${fixed(r[measure])}`).join(', ')}.`,
    });
    const x = linear(least, most, left, width - 56),
        f = {root, left, right: width - 56, top: 8, bottom: height - 30};
    bottomGrid(f, x, ticks(least, most, (f.right - left) / 90), tickText(ticks(least, most, (f.right - left) / 90)));
    lines.forEach((row, i) => {
        const y = 12 + line * i,
            value = row[measure];
        if (typeof row === 'string') return root.append(label(4, y + 18, capital(row), {class: 'label end over'}));
        root.append(label(left - 8, y + 16, headName(row, layers), {anchor: 'end'}));
        if (value === null) return;
        root.append(
            svg('rect', {
                x: Math.min(x(0), x(value)),
                y: y + 3,
                width: Math.max(1, Math.abs(x(value) - x(0))),
                height: line - 8,
                class: 'amount',
            }),
            label(x(Math.max(value, 0)) + 6, y + 16, fixed(value, 2)),
        );
    });
    return root;
}

/* The trial that is shown, of those that were measured, the best of each head count first: the one picked, else that
 * of the maps, else one of the candidate. */
function shownTrial(view, ids) {
    const {set} = view,
        wanted = set.verdict.candidate ?? set.verdict.best;
    const own = ids.find(id => set.byId.get(id).heads === wanted);
    return [view.choice.trial, view.attention?.trial, own].find(id => ids.includes(id)) ?? ids[0];
}

/* Trials in the order in which they are picked from. */
function menuOrder(a, b) {
    return COLLATOR.compare(a.setting_label ?? '', b.setting_label ?? '') || a.heads - b.heads || a.seed - b.seed;
}

function headsOfTrial(view, measured) {
    const ids = [...new Set(measured.map(r => r.trial_id))],
        id = shownTrial(view, ids);
    const menu = ids.map(t => view.set.byId.get(t)).sort(menuOrder),
        named = t => [t.trial_id, `${t.trial_id}: ${trialName(t)}`];
    return headsFigure(
        view,
        view.set.byId.get(id),
        measured.filter(r => r.trial_id === id),
        picker('Trial', menu.map(named), id, value => view.choose({trial: Number(value)})),
    );
}

/* The heads of one trial; pick: how another one is picked. */
function headsFigure(view, trial, rows, pick = null) {
    const id = trial.trial_id,
        layers = Math.max(...rows.map(r => r.layer)) + 1;
    const measures = MEASURES.filter(([m]) => rows.some(r => r[m] !== null));
    const [measure, name, says] = measures.find(([m]) => m === view.choice.measure) ?? measures[0];
    const looks = looksOf(view, id),
        looking = looks.length ? rows.map((r, i) => ({...r, look: looks[i]})) : rows,
        groups = orderedHeads(looking, headOrder(view, looks, true), r => r[measure] ?? -Infinity);
    const split = view.summary.heads?.split === 'test' ? 'test' : 'validation';
    return figure(`The heads of trial ${id}: ${name}`, {
        note: `${capital(says)}; ${trialName(trial)}, on the ${split} set.`,
        controls: controls(
            pick,
            picker('Measure', measures, measure, value => view.choose({measure: value})),
            orderPicker(view, looks, true),
        ),
        draw: width => drawHeads(groups, measure, name, layers, width),
        table: () =>
            table(
                `Heads of trial ${id}`,
                [
                    {title: 'Head', number: false, value: r => headName(r, layers)},
                    ...measures.map(([m, title, hint_]) => column(title, m, three, {hint: hint_})),
                    column('Main place', 'main_slot', undefined, OPTIONAL),
                    column('Looks at', 'look', lookText, {...WORDS, ...OPTIONAL}),
                ],
                groups.flatMap(g => g.heads),
            ),
    });
}

/* Means of each head count over its trials, as `headcount heads` has them. */
function headMeansSection(view) {
    const all = view.summary.heads;
    if (!all) return null;
    const rows = all.by_heads.filter(r => (r.setting_label ?? '') === view.set.label);
    return scrolling(
        'Heads per head count',
        table(
            `Means per head count, measured in ${all.measured} of ${count(all.trials, 'trial')}`,
            columnsOf(view.summary.columns.heads),
            rows,
        ),
    );
}

function headsSection(view) {
    const measured = view.heads.filter(r => view.set.byId.has(r.trial_id));
    return measured.length
        ? headsOfTrial(view, measured)
        : missing('No heads were measured here. ', 'headcount heads', ' measures them.');
}

function trialName(trial) {
    return `${count(trial.heads, 'head')}, seed ${trial.seed}`;
}
