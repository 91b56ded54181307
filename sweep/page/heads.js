'use strict';

/* What heads do, where they look, and what is left when some are removed. */

const MEASURES = [
    ['importance_norm', 'importance', 'E|dL/dxi| of the head\u2019s gate, of length 1 per layer (Michel et al. 2019)'],
    ['rise', 'loss without it', 'what the loss gains when the head is removed'],
    ['main_mass', 'attention on its main place', 'mean attention on the place that it looks at most, of those that the task needs'],
    ['confidence', 'confidence', 'mean largest attention weight (Voita et al. 2019)'],
    ['entropy', 'entropy', 'of the attention weights; 1: all keys get the same'],
    ['wo_share', 'share of the output projection', 'squared Frobenius norm of its block of W_O over the whole'],
];

/* ---- heads of a trial ---- */

function headName(row, layers) {
    return layers > 1 ? `layer ${row.layer + 1}, head ${row.head + 1}` : `head ${row.head + 1}`;
}

function drawHeads(rows, measure, name, layers, width) {
    const line = 26, left = layers > 1 ? 112 : 66, height = 12 + line * rows.length + 30;
    const most = Math.max(...rows.map(r => r[measure] ?? 0), 1e-9), least = Math.min(0, ...rows.map(r => r[measure] ?? 0));
    const root = svg('svg', {
        viewBox: `0 0 ${width} ${height}`, role: 'img',
        'aria-label': `${name}: ${rows.map(r => `${headName(r, layers)} ${fixed(r[measure])}`).join(', ')}.`,
    });
    const x = linear(least, most, left, width - 56), f = {root, left, right: width - 56, bottom: height - 30};
    for (const t of ticks(least, most, (f.right - left) / 90))
        root.append(svg('line', {x1: x(t), x2: x(t), y1: 8, y2: f.bottom, class: 'grid'}));
    bottomTicks(f, x, ticks(least, most, (f.right - left) / 90), t => String(t));
    rows.forEach((row, i) => {
        const y = 12 + line * i, value = row[measure];
        root.append(label(left - 8, y + 16, headName(row, layers), {anchor: 'end'}));
        if (value === null)
            return;
        root.append(
            svg('rect', {x: Math.min(x(0), x(value)), y: y + 3, width: Math.max(1, Math.abs(x(value) - x(0))), height: line - 8, class: 'amount'}),
            label(x(Math.max(value, 0)) + 6, y + 16, fixed(value, 2)));
    });
    return root;
}

function headsSection(view) {
    const {set} = view, measured = view.heads.filter(r => set.byId.has(r.trial_id));
    if (!measured.length)
        return element('p', {class: 'missing'}, 'No heads were measured here. ', element('code', {}, 'headcount heads'), ' measures them.');
    const ids = [...new Set(measured.map(r => r.trial_id))];
    const attended = view.attention.trial;
    const id = ids.includes(view.choice.trial) ? view.choice.trial : ids.includes(attended) ? attended : ids[0];
    const rows = measured.filter(r => r.trial_id === id), layers = Math.max(...rows.map(r => r.layer)) + 1;
    const measures = MEASURES.filter(([m]) => rows.some(r => r[m] !== null));
    const measure = measures.some(([m]) => m === view.choice.measure) ? view.choice.measure : 'importance_norm';
    const [, name, says] = MEASURES.find(([m]) => m === measure);
    return [figure(`The heads of trial ${id}: ${name}`, {
        note: `${says}; ${trialName(set.byId.get(id))}, on the ${view.summary.heads?.split === 'test' ? 'test' : 'validation'} set.`,
        controls: element('div', {class: 'controls'},
            picker('Trial', ids.map(t => [t, `${t}: ${trialName(set.byId.get(t))}`]), id, value => view.choose({trial: Number(value)})),
            picker('Measure', measures.map(([m, title]) => [m, title]), measure, value => view.choose({measure: value}))),
        draw: width => drawHeads(rows, measure, name, layers, width),
        table: () => table(`Heads of trial ${id}`, [
            {title: 'Head', number: false, value: r => headName(r, layers)},
            ...measures.map(([m, title, hint_]) => ({title, hint: hint_, value: r => r[m], show: v => fixed(v, 3)})),
            {title: 'Main place', optional: true, value: r => r.main_slot},
        ], rows),
    }), headsOfSweep(view)];
}

function trialName(trial) {
    return `${count(trial.heads, 'head')}, seed ${trial.seed}`;
}

/* Means of each head count over its trials, as `headcount heads` has them. */
function headsOfSweep(view) {
    const all = view.summary.heads;
    if (!all)
        return null;
    const rows = all.by_heads.filter(r => (r.setting_label ?? '') === view.set.label);
    return [
        scrolling('Heads per head count', table(`Means per head count, measured in ${all.measured} of ${count(all.trials, 'trial')}`, [
            {title: 'Heads', value: r => r.heads}, {title: 'n', value: r => r.n},
            {title: 'Sharp', hint: 'at least half of its attention lies on one place', value: r => r.sharp, show: v => fixed(v, 1)},
            {title: 'Places', hint: 'different ones that sharp heads look at', value: r => r.places, show: v => fixed(v, 1)},
            {title: 'Duplicates', value: r => r.duplicates, show: v => fixed(v, 1)},
            {title: 'Mass on the main place', value: r => r.main_mass, show: v => fixed(v, 2), optional: true},
            {title: 'Loss without one', value: r => r.mean_rise, show: v => signed(v)},
            {title: 'Confidence', value: r => r.confidence, show: v => fixed(v, 2)},
            {title: 'Entropy', value: r => r.entropy, show: v => fixed(v, 2)},
            {title: 'Disagreement of positions', optional: true, value: r => r.disagreement_position, show: v => fixed(v)},
            {title: 'Effective rank', optional: true, value: r => r.effective_rank, show: v => fixed(v, 1)},
        ], rows)),
        all.seen.length ? element('ul', {class: 'sentences'}, all.seen.map(s => element('li', {}, foreign(s)))) : null,
    ];
}

/* ---- attention maps ---- */

const LEVELS = 8;

function decoded(base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    return bytes;
}

/* One map: squares of equal level are one path, so that colours stay the style's. */
function drawMap(weights, T, label_) {
    const d = Array(LEVELS).fill('');
    for (let i = 0; i < T; i++)
        for (let k = 0; k < T; k++) {
            const l = Math.round(Math.sqrt(weights[i * T + k] / 255) * (LEVELS - 1));
            if (l > 0)
                d[l] += `M${k} ${i}h1v1h-1z`;
        }
    return svg('svg', {viewBox: `0 0 ${T} ${T}`, role: 'img', 'aria-label': label_, class: 'map'},
        d.map((path_, l) => path_ ? svg('path', {d: path_, class: `a${l}`}) : null));
}

function strongest(weights, T) {
    return Array.from({length: T}, (_, i) => {
        const row = weights.subarray(i * T, (i + 1) * T);
        const at = row.indexOf(row.reduce((a, b) => Math.max(a, b), 0));
        return {query: i, key: at, weight: row[at] / 255};
    });
}

/* A byte of a text as its character; what other tasks have as numbers. */
function inputText(values, ofText) {
    const [byte] = values;
    return ofText && byte > 32 && byte < 127 ? String.fromCharCode(byte) : values.join(' ');
}

function attentionTable(a, sequence, maps, ofText) {
    const input = i => inputText(a.inputs[sequence][i], ofText);
    return table('The key that each query gives most to', [
        {title: 'Query', value: i => i},
        {title: 'Input', number: false, value: i => input(i)},
        ...maps.map(m => ({
            title: m.name, number: false, value: i => `${m.strongest[i].key} (${fixed(m.strongest[i].weight, 2)})`,
        })),
    ], Array.from({length: a.length}, (_, i) => i));
}

function attentionSection(view) {
    const a = view.attention;
    if ('missing' in a)
        return element('p', {class: 'missing'}, a.missing
            ? [`There are no attention maps: the weights of trial ${a.missing}, or the data that it looks at, cannot be read. `,
                element('code', {}, `headcount export attention ${a.missing} FILE`), ' says why.']
            : 'There are no attention maps: no trial has weights.');
    const trial = view.trials.find(t => t.trial_id === a.trial), T = a.length, map = T * T;
    const sequence = Math.min(view.choice.sequence ?? 0, a.sequences - 1), bytes = decoded(a.weights);
    const maps = Array.from({length: a.layers * a.heads}, (_, h) => {
        const weights = bytes.subarray((h * a.sequences + sequence) * map, (h * a.sequences + sequence + 1) * map);
        const name = headName({layer: Math.floor(h / a.heads), head: h % a.heads}, a.layers);
        return {name, weights, strongest: strongest(weights, T)};
    });
    return figure(`Where the heads of trial ${a.trial} look`, {
        note: [`${capital(trialName(trial))}`, trial.setting_label ? [', ', foreign(trial.setting_label)] : '',
            `. Rows are queries, columns the keys that they attend to, both from the first position; the darkness is the square root of the weight. Computed with the weights of step ${a.step} when this page was written.`,
            a.length < a.of_length ? ` The first ${a.length} of ${a.of_length} positions.` : ''],
        controls: a.sequences > 1 ? element('div', {class: 'controls'},
            picker('Sequence', Array.from({length: a.sequences}, (_, i) => [i, `${i + 1} of the validation set`]), sequence,
                value => view.choose({sequence: Number(value)}))) : null,
        draw: () => element('div', {class: 'maps'}, maps.map(m => element('div', {},
            element('span', {class: 'name'}, m.name), drawMap(m.weights, T, `${m.name}: a map of ${T} by ${T}; the table below says where it looks`)))),
        table: () => attentionTable(a, sequence, maps, view.settings[0]?.rows[0]?.task === 'text'),
    });
}

/* ---- pruning ---- */

const METHODS = ['importance', 'ablation', 'random'];

function pruningCurves(view) {
    const rows = (view.summary.pruning?.rows ?? []).filter(r => sameSetting(r.setting, view.set.setting));
    const by = new Map();
    for (const r of rows) {
        const of = `${r.heads} ${r.finetuned_steps} ${r.lr}`;
        by.set(of, [...by.get(of) ?? [], r]);
    }
    return [...by].map(([id, list]) => ({
        id, rows: list, heads: list[0].heads, layers: list[0].layers,
        name: `${count(list[0].heads, 'head')}${list[0].finetuned_steps ? `, fine-tuned for ${list[0].finetuned_steps} steps` : ''}`,
    })).filter(c => c.rows.some(r => METHODS.includes(r.method)) && c.heads * c.layers > 1);
}

function drawPruning(curve, width) {
    const kept = [...new Set(curve.rows.map(r => r.kept))].sort((a, b) => b - a);
    const values = curve.rows.flatMap(r => [r.mean_acc, r.ci95_low, r.ci95_high, r.trained_acc]);
    const f = frame(width, Math.min(360, Math.max(240, width * 0.5)), airy(values, [0, 1]), {
        label: `Test accuracy as heads are removed from ${curve.name}.`, yTitle: 'test accuracy', xTitle: 'heads kept', left: 50,
    });
    const x = categories(f, kept);
    const whole = curve.rows.find(r => r.method === 'none');
    METHODS.forEach((method, k) => {
        const points = kept.map(n => curve.rows.find(r => r.kept === n && r.method === method) ?? (n === whole?.kept ? whole : null));
        if (!points.some(p => p && p.method === method))
            return;
        f.root.append(path(points.map((p, i) => [x.at(i) + (k - 1) * 4, p ? f.y(p.mean_acc) : null]), `thick m${k}`));
        points.forEach((p, i) => {
            if (!p)
                return;
            if (p.ci95_low !== null)
                f.root.append(upright(f, x.at(i) + (k - 1) * 4, f.y(p.ci95_low), f.y(p.ci95_high), `m${k}`, 3));
            f.root.append(dot(x.at(i) + (k - 1) * 4, f.y(p.mean_acc), `m${k}`, `${p.kept} kept by ${method}: ${fixed(p.mean_acc, 4)}`));
        });
    });
    kept.forEach((n, i) => {
        const trained = curve.rows.find(r => r.kept === n && r.trained_acc !== null);
        if (trained)
            f.root.append(diamond(x.at(i), f.y(trained.trained_acc), 'mean', `trained with as few: ${fixed(trained.trained_acc, 4)}`));
    });
    return f.root;
}

function pruningSection(view) {
    const curves = pruningCurves(view);
    if (!curves.length)
        return element('p', {class: 'missing'}, 'No heads were removed here. ', element('code', {}, 'headcount prune'), ' removes them, the least needed first.');
    const widest = view.set.verdict.plateau_high;
    const curve = curves.find(c => c.id === view.choice.pruned) ?? curves.find(c => c.heads === widest) ?? curves.at(-1);
    const used = METHODS.filter(m => curve.rows.some(r => r.method === m));
    return figure(`Heads removed from models trained with ${curve.name}`, {
        note: 'Which go is decided on the validation set and estimated anew after each.',
        controls: curves.length > 1 ? element('div', {class: 'controls'},
            picker('Trained with', curves.map(c => [c.id, c.name]), curve.id, value => view.choose({pruned: value}))) : null,
        draw: width => drawPruning(curve, width),
        legend: [used.map(m => key(`m${METHODS.indexOf(m)}`, '\u25cf', m === 'random' ? 'in random order' : `by ${m}`)), key('mean', '\u25c6', 'trained with as few')],
        table: () => table(`Pruned from ${curve.name}`, [
            {title: 'Kept', value: r => r.kept}, {title: 'By', number: false, value: r => r.method}, {title: 'n', value: r => r.n},
            {title: 'Accuracy', value: r => r.mean_acc, show: v => fixed(v, 4)},
            {title: '95 % from', value: r => r.ci95_low, show: v => fixed(v, 4)}, {title: 'to', value: r => r.ci95_high, show: v => fixed(v, 4)},
            {title: 'Less random', optional: true, value: r => r.minus_random, show: v => signed(v, 4)},
            {title: 'Trained with it', optional: true, value: r => r.trained_acc, show: v => fixed(v, 4)},
            {title: 'Less trained', optional: true, value: r => r.minus_trained, show: v => signed(v, 4)},
            {title: 'Parameters', value: r => r.n_params, show: quantity},
            {title: 'ms per example', optional: true, value: r => r.infer_ms, show: v => v === null ? '' : String(Number(v.toPrecision(3)))},
        ], curve.rows),
    });
}
