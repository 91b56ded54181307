'use strict';

/* Test values by head count, of the picked setting and of all. Here and in the files beside it a section is what a
 * function makes of the view (page.js); null where there is nothing to show. */

/* ---- accuracy ---- */

/* The range of a chart of the metric: of all trials and guessing or, near the best, of the head
 * counts whose mean lies within a tenth of the way from there to guessing; and, unless it is small, of their
 * intervals, as far as these do not press all else together. */
function metricRange(view, sets, near, small) {
    const values = sets.flatMap(set => {
        const rows = near ? nearRows(set) : set.drawn.heads,
            heads = new Set(rows.map(row => row.heads));
        return [
            near ? null : set.drawn.guess,
            ...rows.flatMap(row => [row.min, row.max, row.mean]),
            ...set.trials.filter(t => heads.has(t.heads)).map(t => shownValue(view, set, t)),
        ];
    });
    const [low, high] = padRange(values),
        span = high - low;
    const ends = (small ? [] : sets).flatMap(set =>
        (near ? nearRows(set) : set.drawn.heads).flatMap(row => [row.ci95_low, row.ci95_high]),
    );
    return padRange(
        [low, high, ...ends.filter(v => v !== null && v > low - span && v < high + span)],
        view.metric.loss ? [-Infinity, Infinity] : [0, 1],
    );
}

/* None where there is no best. */
function nearRows(set) {
    const {guess, heads} = set.drawn,
        best = heads.find(row => row.heads === set.verdict.best)?.mean ?? null;
    if (best === null || guess === null) return [];
    return heads.filter(row => row.mean !== null && Math.abs(row.mean - best) <= 0.1 * Math.abs(best - guess));
}

/* Whether guessing is so far from all means that an axis down to it would hide how these differ. */
function areAllNear(set) {
    return nearRows(set).length === set.drawn.heads.length;
}

/* A trial's test value; one that diverged or failed counts as a guess. */
function shownValue(view, set, trial) {
    return trial.state === 'completed'
        ? trial[view.metric.column] * view.metric.scale
        : trial.limit_hit
          ? null
          : set.drawn.guess;
}

/* What is drawn is about: its frame, the place of each head count, whether a value lies within, and the boxes that
 * marks take (labels.js). */
function accuracyFrame(view, set, [width, height], yRange, small) {
    const rows = set.drawn.heads,
        means = rows.filter(r => r.mean !== null).map(r => `${r.heads}: ${fixed(r.mean)}`);
    const f = frame(width, height, yRange, {
        label: `${view.metric.drawn} by head count: ${means.join(', ')}.`,
        ...(small ? {left: 40, top: 8, bottom: 22} : {left: 50, yTitle: view.metric.drawn, xTitle: 'heads'}),
    });
    const x = headCounts(
        f,
        rows.map(row => row.heads),
    );
    return {...f, x, small, taken: [], inside: v => v !== null && v >= yRange[0] && v <= yRange[1], below: v => v < yRange[0]};
}

function drawGround(f, {guess, heads}) {
    heads.forEach((row, i) => {
        if (row.in_plateau)
            f.root.append(
                svg('rect', {
                    x: round(f.x.from(i)),
                    y: f.top,
                    width: round(f.x.from(i + 1) - f.x.from(i)),
                    height: f.bottom - f.top,
                    class: 'plateau',
                }),
            );
    });
    if (f.inside(guess))
        f.root.append(svg('line', {x1: f.left, x2: f.right, y1: f.y(guess), y2: f.y(guess), class: 'guess'}));
}

/* The name of the line, once all marks are drawn. */
function nameGuess(f, {guess}) {
    if (f.small || !f.inside(guess)) return;
    const place = freestPlace(f, 'guessing', placesAlong(f, f.y(guess)), f.taken);
    if (place) f.root.append(label(place.x, place.y, 'guessing', {class: 'axis over'}));
}

const POINTS_MAX = 4000;

/* The trials whose points are drawn: of very many some, evenly by their values, the least and the greatest of each
 * head count among them. */
function drawnTrials(view, set) {
    const groups = [...grouped(set.trials, t => t.heads).values()],
        every = Math.ceil(set.trials.length / POINTS_MAX);
    if (every < 2) return set.trials;
    return groups.flatMap(list => {
        const values = list.map(t => [shownValue(view, set, t), t]).sort(([a], [b]) => a - b);
        return values.filter((_, i) => i % every === 0 || i === values.length - 1).map(([, t]) => t);
    });
}

function drawTrials(f, view, set) {
    for (const trial of drawnTrials(view, set)) {
        const value = shownValue(view, set, trial),
            i = set.drawn.heads.findIndex(row => row.heads === trial.heads);
        if (i < 0 || !f.inside(value)) continue;
        const x = f.x.at(i) + jitter(trial.seed, Math.min(f.x.step * 0.55, 34)),
            y = f.y(value);
        const good = trial.state === 'completed';
        const says = `trial ${trial.trial_id}, ${trialName(trial)}: ${good ? four(value) : trial.state}`;
        const mark = good ? dot(x, y, 'trial', says, f.small ? 1.8 : 3.2) : cross(x, y, 'bad', says);
        f.root.append(f.small ? mark : leadsTo(mark, trial.trial_id));
        f.taken.push(boxAround(x, y, 4));
    }
}

function drawMean(f, row, x, verdict) {
    if (row.mean === null) return;
    if (!f.inside(row.mean)) {
        const [arrow, y] = f.below(row.mean) ? ['\u2193', f.bottom - 8] : ['\u2191', f.top + 16];
        f.root.append(label(x, y, `${arrow} ${two(row.mean)}`, {anchor: 'middle', class: 'axis'}));
        return;
    }
    if (row.all_equal && row.n > 1 && !f.small) f.root.append(level(f.y(row.mean), x - 10, x + 10, 'mean', 0));
    if (row.ci95_low !== null && !row.all_equal && !f.small) {
        f.root.append(verticalInterval(f, x, f.y(row.ci95_low), f.y(row.ci95_high), 'mean'));
        f.taken.push({left: x - 6, right: x + 6, top: f.y(row.ci95_high), bottom: f.y(row.ci95_low)});
    }
    const says = `${count(row.heads, 'head')}: mean ${four(row.mean)} over ${count(row.n, verdict.unit)}${row.all_equal && row.n > 1 ? ', all equal' : ''}`;
    f.root.append(diamond(x, f.y(row.mean), row.heads === candidateOf(verdict) ? 'candidate' : 'mean', says, f.small ? 3.5 : 5));
    f.taken.push(boxAround(x, f.y(row.mean), 6));
}

function drawAccuracy(view, set, size, yRange, small) {
    const f = accuracyFrame(view, set, size, yRange, small),
        {heads} = set.drawn;
    const means = heads.map((row, i) => [f.x.at(i), f.inside(row.mean) ? f.y(row.mean) : null]);
    drawGround(f, set.drawn);
    f.root.append(path(means, 'means'));
    f.taken.push(...means.slice(1).flatMap(([x, y], i) => (y === null || means[i][1] === null ? [] : boxesAlong(means[i], [x, y]))));
    drawTrials(f, view, set);
    heads.forEach((row, i) => drawMean(f, row, f.x.at(i), set.verdict));
    nameGuess(f, set.drawn);
    return f.root;
}

function accuracyTable(view, set) {
    return table(
        `${view.metric.name} by head count${set.label ? `, ${plain(set.label)}` : ''}`,
        columnsOf(view.summary.columns.by_heads, set.verdict.unit),
        set.verdict.heads,
    );
}

/* The signs that there are. */
function accuracyLegend(set) {
    const {verdict} = set;
    return [
        key('trial', '\u25cf', 'a trial (click to open)'),
        key('mean', '\u25c7', `mean over ${verdict.unit}s and its 95% interval`),
        candidateOf(verdict) === null ? null : key('candidate', '\u25c6', 'the candidate'),
        set.trials.some(t => t.state !== 'completed')
            ? key('bad', '\u00d7', 'diverged or failed: counts as a guess')
            : null,
        verdict.plateau_low === null ? null : key('plateau', '\u25a0', setName(verdict)),
    ];
}

/* Which trials have points, where not all have. */
function pointsNote(view) {
    if (view.total > view.trials.length) return `Points are those of the first ${count(view.trials.length, 'trial')}.`;
    const {trials} = view.set,
        drawn = drawnTrials(view, view.set).length;
    return drawn < trials.length ? `${drawn.toLocaleString('en')} of ${count(trials.length, 'trial')} are drawn, evenly by their values.` : null;
}

/* The figure of the verdict. */
function accuracyFigure(view) {
    const {set} = view;
    if (!set?.trials.length) return null;
    const all = areAllNear(set),
        few = all || nearRows(set).length > 1,
        near = few && (view.choice.near ?? (all ? 'near' : 'all')) === 'near',
        scales = [
            ['all', 'all trials'],
            ['near', 'near the best'],
        ];
    const whose = view.settings.length > 1 ? `: ${plain(set.label)}` : '';
    return figure(`${capital(view.metric.drawn)} by head count${whose}`, {
        id: 'accuracy',
        note: pointsNote(view),
        choices: few
            ? controls(picker('Scale', scales, near ? 'near' : 'all', value => view.choose({near: value})))
            : null,
        draw: width => drawAccuracy(view, set, [width, heightOf(width)], metricRange(view, [set], near)),
        legend: accuracyLegend(set),
        table: () => accuracyTable(view, set),
    });
}

function capital(text) {
    return text[0].toUpperCase() + text.slice(1);
}

/* ---- all settings at once ---- */

const SMALL_MAX = 60;

function smallCharts(view) {
    const shown = view.settings.slice(0, SMALL_MAX),
        yRange = metricRange(view, shown, shown.every(areAllNear), true);
    const name = `${capital(view.metric.drawn)} in each setting`;
    return element(
        'div',
        {class: 'smalls', role: 'group', 'aria-label': name},
        shown.map(set =>
            element(
                'button',
                {
                    type: 'button',
                    class: 'small',
                    'aria-pressed': String(set.index === view.index),
                    onclick: () => view.pick(set.index),
                },
                element('span', {class: 'name'}, foreign(set.label || 'the only setting')),
                element('span', {class: 'chart'}, drawAccuracy(view, set, [220, 130], yRange, true)),
            ),
        ),
    );
}

/* What settings came to, for tables of them. */
function findingColumns(equivalence) {
    return [
        {title: 'Finding', number: false, value: lineText},
        {title: 'Candidate', value: s => candidateOf(s.verdict)},
        {
            title: equivalence === null ? 'Confidence set' : 'Plateau',
            number: true,
            value: s => plateauText(s.verdict),
        },
        {
            title: 'Best mean',
            value: s => s.verdict.heads.find(row => row.heads === s.verdict.best)?.mean ?? null,
            show: three,
        },
        {title: 'Trials', value: s => s.verdict.heads.reduce((n, row) => n + row.n_trials, 0)},
    ];
}

function settingButton(view, index, text) {
    return element(
        'button',
        {type: 'button', class: 'link', 'aria-pressed': String(index === view.index), onclick: () => view.pick(index)},
        foreign(text || 'the only one'),
    );
}

function settingsTable(view) {
    const pick = (label_, set) => settingButton(view, set.index, label_);
    return scrolling(
        'Settings',
        table(
            'Every setting, and what its trials came to',
            [
                column('Setting', 'label', pick, WORDS),
                ...findingColumns(view.report.equivalence),
            ],
            view.settings,
        ),
    );
}

function settingsSection(view) {
    const n = view.settings.length;
    if (n < 2) return null;
    return [
        mapFigure(view),
        smallCharts(view),
        n > SMALL_MAX
            ? element('p', {}, `The first ${SMALL_MAX} of ${n} settings are drawn; the table has all.`)
            : null,
        settingsTable(view),
    ];
}
