'use strict';

/* Where heads look: a map for each head of one trial. */

const LEVELS = 8,
    SHORT = 48; // bytes of a text whose map need not be as wide as the page

/* One map: squares of equal level are one path, so that colours stay the style's. bytes: of a text,
 * at its axes; null: of none. */
function drawMap(weights, T, label_, bytes) {
    const d = Array(LEVELS).fill('');
    for (let i = 0; i < T; i++)
        for (let k = 0; k < T; k++) {
            const l = Math.round(Math.sqrt(weights[i * T + k] / 255) * (LEVELS - 1));
            if (l > 0) d[l] += `M${k} ${i}h1v1h-1z`;
        }
    const paths = d.map((path_, l) => (path_ ? svg('path', {d: path_, class: `a${l}`}) : null));
    const {viewBox, children} = bytes ? withBytes(paths, bytes) : {viewBox: `0 0 ${T} ${T}`, children: paths};
    return svg('svg', {viewBox, role: 'img', 'aria-label': label_, class: 'map'}, children);
}

function strongest(weights, T) {
    return Array.from({length: T}, (_, i) => {
        const row = weights.subarray(i * T, (i + 1) * T);
        const at = row.indexOf(row.reduce((a, b) => Math.max(a, b), 0));
        return {key: at, weight: row[at] / 255};
    });
}

/* bytes: of a text; null: the task has numbers. */
function attentionTable(a, sequence, maps, bytes) {
    return table(
        'The key that each query gives most to',
        [
            {title: 'Query', value: i => i},
            {title: 'Input', number: false, value: i => (bytes ? byteName(bytes[i]) : a.inputs[sequence][i].join(' '))},
            ...maps.map(m => ({
                title: m.name,
                number: false,
                value: i => `${m.strongest[i].key} (${two(m.strongest[i].weight)})`,
            })),
        ],
        Array.from({length: a.length}, (_, i) => i),
    );
}

/* The map of each head on one sequence. */
function mapsOf(a, sequence) {
    const map = a.length * a.length,
        bytes = decoded(a.weights);
    return Array.from({length: a.layers * a.heads}, (_, h) => {
        const at = (h * a.sequences + sequence) * map,
            weights = bytes.subarray(at, at + map);
        const name = headName({layer: Math.floor(h / a.heads), head: h % a.heads}, a.layers);
        return {name, weights, strongest: strongest(weights, a.length)};
    });
}

function attentionNote(a, trial) {
    return [
        trial ? capital(trialName(trial)) : `Trial ${a.trial}`,
        trial?.setting_label ? [', ', foreign(trial.setting_label)] : '',
        '. Rows are queries, columns the keys that they attend to, both from the first position; the ' +
            `strength of the colour is the square root of the weight. Computed with the weights of step ${a.step}.`,
        a.length < a.of_length ? ` The first ${a.length} of ${a.of_length} positions.` : '',
    ];
}

function trialOption(trial) {
    const setting = trial.setting_label ? `, ${trial.setting_label}` : '';
    return [trial.trial_id, `${trial.trial_id}: ${trialName(trial)}${setting}`];
}

/* The best trial of the candidate that has weights, of a setting as page_summary chooses it of the first. */
function bestTrial(view) {
    if (!view.index) return view.summary.best;
    const {trials, verdict} = view.set,
        loss = view.summary.sweep.metric === 'val_loss',
        score = t => (loss ? t.val_loss : -t.val_acc);
    const able = trials.filter(t => t.weights && t.state === 'completed' && [t.heads, null].includes(verdict.candidate));
    return able.reduce((best, t) => (best && score(best) <= score(t) ? best : t), null)?.trial_id ?? 0;
}

/* Whose maps a server is asked for: those of the trial that is shown alone or was picked, of the picked setting. */
function wantedMaps(view) {
    const {detail, choice, set, settings} = view;
    if (detail?.trial) return detail.id;
    return choice.trial && (settings.length < 2 || set.byId.has(choice.trial)) ? choice.trial : bestTrial(view);
}

/* A server has the maps of every trial that has weights. */
function mapsPicker(view, shown) {
    const having = view.live ? view.trials.filter(t => (t.weights && isOfSetting(view, t)) || t.trial_id === shown) : [];
    return having.length > 1
        ? picker('Trial', having.sort(menuOrder).map(trialOption), shown, value => view.choose({trial: Number(value)}))
        : null;
}

function noMaps({missing: trial, error}) {
    if (error) return element('p', {class: 'warning'}, foreign(error));
    return trial
        ? missing(
              `There are no maps: the weights of trial ${trial}, or the data that it looks at, cannot be read. `,
              `headcount export attention ${trial} FILE`,
              ' says why.',
          )
        : element('p', {class: 'missing'}, 'There are no attention maps: no trial has weights.');
}

/* A file has the maps of one trial. */
function mapsOfOther(trial) {
    return element(
        'p',
        {class: 'missing'},
        'The maps of this page are of ',
        element('a', {href: `#trial-${trial.trial_id}`}, `trial ${trial.trial_id}`),
        ', of the setting ',
        foreign(trial.setting_label),
        '. ',
        element('code', {}, 'headcount report --html FILE --attention TRIAL'),
        ' makes a page with those of another.',
    );
}

/* The maps of heads that look at the same; without a name, of all. */
function groupOfMaps({name, heads}, ofText, drawn) {
    return [
        name ? element('p', {class: 'group'}, capital(name)) : null,
        element(
            'div',
            {class: ofText ? (heads[0].strongest.length > SHORT ? 'maps text long' : 'maps text') : 'maps'},
            heads.map(m =>
                element(
                    'div',
                    {},
                    element('span', {class: 'name'}, m.name),
                    m.look && !name ? element('span', {class: 'look'}, ` ${m.look.name}`) : null,
                    drawn(m),
                ),
            ),
        ),
    ];
}

function attentionSection(view) {
    const a = view.attention ?? {missing: 0},
        had = a.trial ?? a.missing,
        shown = view.live ? wantedMaps(view) : had,
        of = view.trials.find(t => t.trial_id === had);
    if (!view.live && !view.detail && of && !isOfSetting(view, of)) return mapsOfOther(of);
    const pick = mapsPicker(view, shown),
        wait = shown === had ? null : element('p', {role: 'status', class: 'status'}, `Asking for trial ${shown}\u2026`);
    if ('missing' in a) return [pick ? controls(pick) : null, wait ?? noMaps(a)];
    const sequence = Math.min(view.choice.sequence ?? 0, a.sequences - 1),
        maps = mapsOf(a, sequence);
    const sequences = Array.from({length: a.sequences}, (_, i) => [i, `${i + 1} of the validation set`]);
    const bytes = isOfText(view) ? a.inputs[sequence].map(([byte]) => byte) : null;
    const looks = looksOf(view, a.trial),
        looking = maps.map((m, h) => ({...m, look: looks[h]})),
        groups = orderedHeads(looking, headOrder(view, looks, false));
    const drawn = m =>
        drawMap(m.weights, a.length, `${m.name}: a map of ${a.length} by ${a.length}; its table is below`, bytes);
    const which =
        a.sequences > 1
            ? picker('Sequence', sequences, sequence, value => view.choose({sequence: Number(value)}))
            : null;
    const shownMaps = figure(`Where the heads of trial ${a.trial} look`, {
        note: attentionNote(a, of),
        controls: [controls(pick, which, orderPicker(view, looks, false)), wait],
        draw: () => element('div', {}, groups.map(g => groupOfMaps(g, bytes !== null, drawn))),
        table: () => attentionTable(a, sequence, maps, bytes),
    });
    return [shownMaps, alikeTable(a), bytes ? lookBackTable(maps, bytes) : null];
}
