'use strict';

/* The sections about head counts: verdict, accuracy, differences, learning curves. Each function
 * makes one from the view (page.js); null where there is nothing to show. */

/* ---- verdict ---- */

function runs(heads) {
    return heads.map(row => row.heads).join(', ');
}

function plateauText(verdict) {
    const inside = verdict.heads.filter(row => row.in_plateau);
    if (!inside.length)
        return 'none';
    return verdict.plateau_holes || inside.length < 3 ? runs(inside)
        : `${inside[0].heads}\u2013${inside.at(-1).heads}`;
}

function progressText(view) {
    const {report, summary} = view;
    const others = Object.entries(summary.states)
        .filter(([state, n]) => n && state !== 'completed').map(([state, n]) => `${n} ${state}`);
    return `${count(report.ended, 'trial')} of ${report.planned.toLocaleString('en')} ended: ` +
        [`${summary.states.completed} completed`, ...others].join(', ');
}

/* What is to be read first, the finding last of it and largest, then the rest. */
function verdictOf(set) {
    const {verdict} = set;
    const lead = verdict.sentences.slice(0, verdict.lead), rest = verdict.sentences.slice(verdict.lead);
    return [
        element('div', {class: 'finding'},
            verdict.preliminary ? element('p', {class: 'badge'}, 'Preliminary: trials are still to come') : null,
            lead.slice(0, -1).map(s => element('p', {}, foreign(s))),
            lead.length ? element('p', {class: 'lead'}, foreign(lead.at(-1))) : null),
        verdict.kind === 'nothing' ? null : element('dl', {class: 'facts'},
            fact('Candidate', verdict.candidate === null ? 'none' : count(verdict.candidate, 'head')),
            fact(verdict.plateau_margin === null ? 'Not told apart from the best' : `Within ${verdict.plateau_margin} of the best`,
                plateauText(verdict)),
            fact('Best on validation', verdict.best === null ? 'none' : count(verdict.best, 'head')),
            fact('Guessing', fixed(set.drawn.guess))),
        rest.length ? element('ul', {class: 'sentences'}, rest.map(s => element('li', {}, foreign(s)))) : null,
    ];
}

function fact(name, value) {
    return value === '' ? null : element('div', {}, element('dt', {}, name), element('dd', {}, value));
}

function settingsTable(view) {
    return scrolling('Settings', table('Every setting, and what its trials came to', [
        {title: 'Setting', number: false, value: s => s.label,
            show: (value, s) => element('button', {type: 'button', class: 'link', 'aria-pressed': String(s.index === view.index),
                onclick: () => view.pick(s.index)}, foreign(value || 'the only one'))},
        {title: 'Finding', number: false, value: s => s.verdict.kind, show: kind => kind.replaceAll('_', ' ')},
        {title: 'Candidate', value: s => s.verdict.candidate},
        {title: 'Plateau', number: true, value: s => plateauText(s.verdict)},
        {title: 'Best mean', value: s => rowOf(s, s.verdict.best)?.mean ?? null, show: v => fixed(v)},
        {title: 'Trials', value: s => s.verdict.heads.reduce((n, row) => n + row.n_trials, 0)},
    ], view.settings));
}

function rowOf(set, heads) {
    return set.verdict.heads.find(row => row.heads === heads);
}

function verdictSection(view) {
    return [
        element('p', {class: 'progress'}, progressText(view)),
        view.report.remark ? element('p', {}, 'Note: ', foreign(view.report.remark)) : null,
        view.set?.label ? element('h3', {}, foreign(view.set.label)) : null,
        view.set ? verdictOf(view.set) : null,
        view.report.outside_plan.length ? element('p', {class: 'warning'},
            `${count(view.report.outside_plan.reduce((n, o) => n + o.ended, 0), 'ended trial')} of this sweep are outside the plan; they are in no test.`) : null,
    ];
}

/* ---- accuracy ---- */

/* The range of a chart of the metric: of all trials and guessing or, near the best, of the head
 * counts whose mean lies within a tenth of the way from there to guessing; and of their intervals, as
 * far as these do not press all else together. */
function metricRange(view, sets, near) {
    const values = sets.flatMap(set => {
        const rows = near ? nearRows(set) : set.drawn.heads, heads = new Set(rows.map(row => row.heads));
        return [
            near ? null : set.drawn.guess,
            ...rows.flatMap(row => [row.min, row.max, row.mean]),
            ...set.trials.filter(t => heads.has(t.heads)).map(t => shownValue(view, set, t)),
        ];
    });
    const [low, high] = airy(values), span = high - low;
    const ends = sets.flatMap(set => (near ? nearRows(set) : set.drawn.heads).flatMap(row => [row.ci95_low, row.ci95_high]));
    return airy([low, high, ...ends.filter(v => v !== null && v > low - span && v < high + span)],
        view.metric.loss ? [-Infinity, Infinity] : [0, 1]);
}

function nearRows(set) {
    const {guess, heads} = set.drawn, best = heads.find(row => row.heads === set.verdict.best)?.mean ?? null;
    if (best === null || guess === null)
        return heads;
    return heads.filter(row => row.mean !== null && Math.abs(row.mean - best) <= 0.1 * Math.abs(best - guess));
}

/* A trial's test value; one that diverged or failed counts as a guess. */
function shownValue(view, set, trial) {
    return trial.state === 'completed' ? trial[view.metric.column] * view.metric.scale : trial.limit_hit ? null : set.drawn.guess;
}

function drawAccuracy(view, set, width, height, yRange, small) {
    const {guess, heads: rows} = set.drawn;
    const f = frame(width, height, yRange, {
        label: `${view.metric.drawn} by head count: ${rows.filter(r => r.mean !== null).map(r => `${r.heads}: ${fixed(r.mean)}`).join(', ')}.`,
        yTitle: small ? '' : view.metric.drawn, xTitle: small ? '' : 'heads', left: small ? 40 : 50, top: small ? 8 : 22,
        bottom: small ? 22 : 36,
    });
    const x = categories(f, rows.map(row => row.heads));
    rows.forEach((row, i) => {
        if (row.in_plateau)
            f.root.append(svg('rect', {x: round(x.at(i) - x.step / 2), y: f.top, width: round(x.step), height: f.bottom - f.top, class: 'plateau'}));
    });
    if (guess !== null && guess >= yRange[0] && guess <= yRange[1]) {
        f.root.append(svg('line', {x1: f.left, x2: f.right, y1: f.y(guess), y2: f.y(guess), class: 'guess'}));
        if (!small)
            f.root.append(label(f.right, f.y(guess) - 5, 'guessing', {anchor: 'end', class: 'axis'}));
    }
    const inside = v => v !== null && v >= yRange[0] && v <= yRange[1];
    f.root.append(path(rows.map((row, i) => [x.at(i), inside(row.mean) ? f.y(row.mean) : null]), 'means'));
    for (const trial of set.trials) {
        const value = shownValue(view, set, trial), i = rows.findIndex(row => row.heads === trial.heads);
        if (value === null || i < 0 || value < yRange[0] || value > yRange[1])
            continue;
        const at = x.at(i) + jitter(trial.seed, Math.min(x.step * 0.55, 34)) ;
        const says = `trial ${trial.trial_id}, ${count(trial.heads, 'head')}, seed ${trial.seed}: ${trial.state === 'completed' ? fixed(value, 4) : trial.state}`;
        f.root.append(trial.state === 'completed' ? dot(at, f.y(value), 'trial', says, small ? 1.8 : 3.2)
            : cross(at, f.y(value), 'bad', says));
    }
    rows.forEach((row, i) => {
        if (!inside(row.mean)) {
            if (row.mean !== null)
                f.root.append(label(x.at(i), (row.mean < yRange[0] ? f.bottom - 8 : f.top + 16), `${row.mean < yRange[0] ? '\u2193' : '\u2191'} ${fixed(row.mean, 2)}`, {anchor: 'middle', class: 'axis'}));
            return;
        }
        if (row.ci95_low !== null && !row.all_equal && !small)
            f.root.append(upright(f, x.at(i), f.y(row.ci95_low), f.y(row.ci95_high), 'mean'));
        f.root.append(diamond(x.at(i), f.y(row.mean), row.heads === set.verdict.candidate ? 'candidate' : 'mean',
            `${count(row.heads, 'head')}: mean ${fixed(row.mean, 4)} over ${count(row.n, set.verdict.unit)}`, small ? 3.5 : 5));
    });
    return f.root;
}

function accuracyTable(view, set) {
    const loss = view.metric.loss, flag = v => v ? 'yes' : '';
    return table(`${view.metric.name} by head count${set.label ? `, ${plain(set.label)}` : ''}`, [
        {title: 'Heads', value: r => r.heads},
        {title: 'd_head', optional: true, value: r => r.d_head},
        {title: 'n', value: r => r.n, hint: `${set.verdict.unit}s`},
        {title: 'Mean', value: r => r.mean, show: v => fixed(v, 4)},
        {title: '95 % from', value: r => r.ci95_low, show: v => fixed(v, 4)},
        {title: 'to', value: r => r.ci95_high, show: v => fixed(v, 4)},
        {title: 'Bits per byte', optional: true, value: r => r.mean_bits, show: v => fixed(v, 4)},
        {title: '95 % from', optional: true, value: r => r.ci95_low_bits, show: v => fixed(v, 4)},
        {title: 'to', optional: true, value: r => r.ci95_high_bits, show: v => fixed(v, 4)},
        {title: 'Least', value: r => r.min, show: v => fixed(v, 4)},
        {title: 'Median', value: r => r.median, show: v => fixed(v, 4)},
        {title: 'Most', value: r => r.max, show: v => fixed(v, 4)},
        {title: 'Validation', value: r => r.mean_val, show: v => fixed(v, 4)},
        ...loss ? [] : [
            {title: 'Solved', value: r => r.n_solved, hint: 'trials with a test accuracy of .99 or more'},
            {title: 'Above guessing', value: r => r.above_chance, show: flag, number: false}],
        {title: 'Bad', optional: true, value: r => r.n_bad || null, hint: 'diverged or failed'},
        {title: 'At a limit', optional: true, value: r => r.n_limit || null},
        {title: 'In the plateau', value: r => r.in_plateau, show: flag, number: false},
        {title: 'Still improving', optional: true, value: r => r.still_improving, show: flag, number: false},
    ], set.verdict.heads);
}

function accuracySection(view) {
    if (!view.set.trials.length)
        return null;
    const {set} = view, rows = nearRows(set), few = rows.length > 1 && rows.length < set.verdict.heads.length;
    const near = few && view.choice.near === 'near';
    return figure(`${capital(view.metric.drawn)} by head count`, {
        note: set.label ? foreign(set.label) : null,
        controls: few ? element('div', {class: 'controls'},
            picker('Scale', [['all', 'all trials'], ['near', 'near the best']], near ? 'near' : 'all', value => view.choose({near: value}))) : null,
        draw: width => drawAccuracy(view, set, width, Math.min(380, Math.max(240, width * 0.5)), metricRange(view, [set], near)),
        legend: [key('trial', '\u25cf', 'a trial'),
            key('mean', '\u25c6', `mean over ${set.verdict.unit}s and its 95 % interval`),
            set.verdict.candidate === null ? null : key('candidate', '\u25c6', 'the candidate'),
            set.trials.some(t => t.state !== 'completed') ? key('bad', '\u00d7', 'diverged or failed: counts as a guess') : null,
            set.verdict.plateau_low === null ? null : key('plateau', '\u25a0', 'plateau')],
        table: () => accuracyTable(view, set),
    });
}

function capital(text) {
    return text[0].toUpperCase() + text.slice(1);
}

/* ---- all settings at once ---- */

const SMALL_MOST = 60;

function settingsSection(view) {
    if (view.settings.length < 2)
        return null;
    const shown = view.settings.slice(0, SMALL_MOST), yRange = metricRange(view, shown);
    return [
        mapFigure(view),
        element('div', {class: 'smalls', role: 'group', 'aria-label': `${capital(view.metric.drawn)} in each setting`}, shown.map(set => {
            const chart = element('span', {class: 'chart'}, drawAccuracy(view, set, 220, 130, yRange, true));
            return element('button', {type: 'button', class: 'small', 'aria-pressed': String(set.index === view.index), onclick: () => view.pick(set.index)},
                element('span', {class: 'name'}, foreign(set.label || 'the only setting')), chart);
        })),
        view.settings.length > SMALL_MOST ? element('p', {}, `The first ${SMALL_MOST} of ${view.settings.length} settings are drawn; the table has all.`) : null,
        settingsTable(view),
    ];
}

/* ---- differences ---- */

function drawDifferences(view, set, width) {
    const rivals = set.drawn.comparisons, row = 34, height = 30 + row * rivals.length + 34;
    const [low, high] = airy([0, ...rivals.flatMap(r => [r.ci_low, r.ci_high, r.mean_diff])]);
    const root = svg('svg', {
        viewBox: `0 0 ${width} ${height}`, role: 'img',
        'aria-label': `Differences of ${set.verdict.candidate} heads from others: ${rivals.map(r => `from ${r.heads_b}: ${signed(r.mean_diff)}`).join(', ')}.`,
    });
    const narrow = width < 480, left = narrow ? 74 : 120, right = width - (narrow ? 12 : 150), x = linear(low, high, left, right);
    const f = {root, left, right, bottom: height - 34};
    for (const t of ticks(low, high, (right - left) / 80))
        root.append(svg('line', {x1: x(t), x2: x(t), y1: 12, y2: height - 34, class: 'grid'}));
    bottomTicks(f, x, ticks(low, high, (right - left) / 80), t => signed(t, 3).replace(/0+$/, '').replace(/\.$/, ''));
    root.append(svg('line', {x1: x(0), x2: x(0), y1: 8, y2: height - 30, class: 'zero'}),
        label(right, height - 2, `difference in ${view.metric.drawn}`, {anchor: 'end', class: 'axis'}));
    rivals.forEach((r, i) => {
        const y = 30 + row * i;
        root.append(label(left - 8, y + 4, `${r.heads_a} \u2212 ${r.heads_b}`, {anchor: 'end'}));
        if (r.mean_diff === null)
            return;
        if (r.ci_low !== null)
            root.append(level(y, x(r.ci_low), x(r.ci_high), 'mean'));
        root.append(diamond(x(r.mean_diff), y, r.outcome === 'better' ? 'candidate' : 'mean', `${signed(r.mean_diff, 4)}`));
        if (!narrow)
            root.append(label(right + 12, y + 4, `${signed(r.mean_diff)}, p ${probability(r.p_deciding)}`));
    });
    return root;
}

/* The interval of a difference over seeds alone, or over the blocks of a text alone; that of the
 * comparison is over both. */
function overText(comparison, what) {
    const over = comparison.over?.[what];
    return over && over.ci_low !== null ? `${signed(over.ci_low, 4)} to ${signed(over.ci_high, 4)}` : '';
}

function differencesSection(view) {
    const {set} = view, {verdict} = set;
    if (!verdict.comparisons.length)
        return null;
    return figure(`${count(verdict.candidate, 'head')} against others, paired by ${verdict.unit}`, {
        note: `${capital(view.metric.drawn)} with ${count(verdict.candidate, 'head')} less that with others, with ${(100 * verdict.comparisons[0].ci_level).toFixed(verdict.looks > 1 ? 1 : 0)} % intervals; ${verdict.comparisons.some(r => r.over) ? 'over seeds and blocks of the text; ' : ''}each p is held against ${verdict.alpha === null ? 'alpha' : Number(verdict.alpha.toPrecision(3))}.`,
        draw: width => drawDifferences(view, set, width),
        table: () => table('Paired differences', [
            {title: 'Heads', value: r => r.heads_a},
            {title: 'less', value: r => r.heads_b},
            {title: 'n', value: r => r.n},
            {title: 'Difference', value: r => r.mean_diff, show: v => signed(v, 4)},
            {title: 'from', value: r => r.ci_low, show: v => signed(v, 4)},
            {title: 'to', value: r => r.ci_high, show: v => signed(v, 4)},
            {title: 'Bits per byte', optional: true, value: r => r.mean_diff_bits, show: v => signed(v, 4)},
            {title: 'Over seeds', optional: true, number: true, value: r => overText(r, 'seeds')},
            {title: 'Over text blocks', optional: true, number: true, value: r => overText(r, 'blocks')},
            {title: 'Greater', value: r => r.wins},
            {title: 'Smaller', value: r => r.losses},
            {title: 't', value: r => r.t, show: v => fixed(v, 2)},
            {title: 'p', value: r => r.p_deciding, show: probability},
            {title: 'Sign flips p', value: r => r.sign_flip_p, show: probability},
            {title: 'Outcome', number: false, value: r => r.outcome, show: v => v.replaceAll('_', ' ')},
        ], verdict.comparisons),
    });
}

/* ---- the shifted test sets ---- */

function shiftedSection(view) {
    const {set} = view;
    const rows = [...set.shifted ?? [], ...set.training ?? []];
    return rows.length ? scrolling('Shifted test sets', table('On further test sets, and in training', [
        {title: 'Set', number: false, value: r => r.set ?? 'training'},
        {title: 'Heads', value: r => r.heads},
        {title: 'n', value: r => r.n},
        {title: 'Mean', value: r => r.mean, show: v => fixed(v, 4)},
        {title: '95 % from', value: r => r.ci95_low, show: v => fixed(v, 4)},
        {title: 'to', value: r => r.ci95_high, show: v => fixed(v, 4)},
        {title: 'Less the test set\u2019s', value: r => r.mean_diff, show: v => signed(v, 4)},
        {title: 'from', value: r => r.diff_low, show: v => signed(v, 4)},
        {title: 'to', value: r => r.diff_high, show: v => signed(v, 4)},
    ], rows)) : null;
}

/* ---- labels ---- */

function labelsSection(view) {
    const rows = view.set.labels ?? [];
    if (!rows.length)
        return null;
    const labels = [...new Set(rows.map(r => r.label))], at = (label_, heads) => rows.find(r => r.label === label_ && r.heads === heads);
    return scrolling('Accuracy of each label', table('Test accuracy of each label, by head count', [
        {title: 'Label', number: false, value: l => l},
        {title: 'Rows', value: l => rows.find(r => r.label === l).n_rows, show: v => fixed(v, 0)},
        ...view.set.verdict.heads.map(row => ({
            title: count(row.heads, 'head'), value: l => at(l, row.heads)?.mean ?? null, show: v => fixed(v, 4),
        })),
    ], labels));
}
