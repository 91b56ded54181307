'use strict';

/* One trial, which the address names (#trial-7). view.detail is of it:
 *
 *   id       its number
 *   trial    its row; undefined: it is not among those that are here
 *   more     page_trial, or null
 *   curve    page_curve, or undefined
 */

/* Reads what is shown of the trial that the address names, if it names one. */
async function readTrial(view) {
    const id = view.shownTrial,
        trial = view.trials?.find(t => t.trial_id === id);
    const [more, curves] = trial ? await Promise.all([view.source.trial(id), view.source.curves([trial])]) : [null, []];
    if (id !== view.shownTrial) return;
    view.detail = id ? {id, trial, more, curve: curves[0]} : null;
    if (trial) view.choice.trial = id; // whose heads are shown then, and afterwards
}

/* Back to where the sweep was left, or to what the address names of it. */
function returnToSweep(view, id) {
    document.querySelector(`main a[href="#trial-${id}"]`)?.focus({preventScroll: true});
    if (view.left === null) addressedPlace()?.scrollIntoView();
    else window.scrollTo(0, view.left);
}

/* Shows what the address names: a trial alone, or a setting of the sweep, where it was left. */
async function followAddress(view) {
    const {setting, trial: id} = readAddress(),
        before = view.shownTrial;
    if (!view.report || (id && id === before)) return;
    if (!id && !before) return view.turn(settingIndex(view, setting));
    if (!before) view.left = window.scrollY;
    if (!id) view.index = settingIndex(view, setting);
    view.shownTrial = id;
    await readTrial(view);
    if (id !== view.shownTrial) return;
    drawPage(view);
    view.live?.look();
    if (!id) return returnToSweep(view, before);
    document.getElementById('main').focus({preventScroll: true});
    window.scrollTo(0, 0);
}

/* Points and lines of charts lead to their trials. */
function followPoints() {
    document.addEventListener('click', ({target}) => {
        const trial = clickedTrial(target);
        if (trial) location.hash = `trial-${trial}`;
    });
}

/* The sweep, and the trials before and after this one in the table. */
function trialNavigation(view) {
    const {id} = view.detail,
        trials = tableTrials(view),
        rows = trialRows(trials, tableState(view, trials)),
        at = rows.findIndex(t => t.trial_id === id);
    const link = (href, text) => element('li', {}, element('a', {href}, text));
    const other = i => (at >= 0 && rows[i] ? link(`#trial-${rows[i].trial_id}`, `Trial ${rows[i].trial_id}`) : null);
    return element(
        'nav',
        {'aria-label': 'Trials'},
        element('ul', {}, link(placeAddress(view, 'trials'), '\u2039 The sweep'), other(at - 1), other(at + 1)),
    );
}

function trialFactsSection({detail: {id, trial}}) {
    if (!trial) return element('p', {class: 'missing'}, `No trial ${id} is on this page.`);
    const text = value => String(value ?? ''),
        values = json => (json === '{}' ? '' : foreign(options(json)));
    return element(
        'dl',
        {class: 'facts wide'},
        fact('Heads', text(trial.heads)),
        fact('Seed', text(trial.seed)),
        fact('Setting', trial.setting_label ? foreign(trial.setting_label) : ''),
        fact('Tuned', values(trial.tuning)),
        fact('Of', values(trial.replicate)),
        fact('State', spaced(trial.state)),
        fact('Counts as', roleOf(trial)),
        fact('Test accuracy', four(trial.test_acc)),
        fact('Test loss', four(trial.test_loss)),
        fact('Validation accuracy', four(trial.val_acc)),
        fact('Validation loss', four(trial.val_loss)),
        fact('Training accuracy', four(trial.train_acc)),
        fact('Whole sequences', four(trial.test_exact)),
        fact('Best step', text(trial.best_step)),
        fact('Steps', `${trial.steps_done} of ${trial.steps}`),
        fact('Time', seconds(trial.train_s)),
        fact('Parameters', quantity(trial.n_params)),
        fact('Host', trial.host ? foreign(trial.host) : ''),
        fact('Says', trial.says ? foreign(trial.says) : ''),
    );
}

/* ---- its curve ---- */

const PAIRS = [
    ['acc', 'accuracy'],
    ['loss', 'loss'],
];

function drawTrialCurve(view, curve, [pair, name], best, width) {
    const lines = ['validation', 'training'].map((what, k) => ({
            points: curvePoints(curve, `${k ? 'train' : 'val'}_${pair}`),
            class: `thick m${k}`,
            name: what,
        })),
        ends = lines.map(line => fixed(line.points.at(-1)[1]));
    return drawSteps(view, lines, width, {
        label: `${name} over the training steps: validation ends at ${ends[0]}, training at ${ends[1]}.`,
        bounds: pair === 'acc' ? [0, 1] : undefined,
        yTitle: name,
        ends({x, f, steps}) {
            if (best >= steps[0] && best <= steps.at(-1))
                f.root.append(svg('line', {x1: x(best), x2: x(best), y1: f.top, y2: f.bottom, class: 'guess'}));
        },
    });
}

function trialCurveSection(view) {
    const {trial, curve} = view.detail;
    if (!curve?.step.length) return trial ? element('p', {class: 'missing'}, 'No step of it was evaluated.') : null;
    const chosen = PAIRS.find(([p]) => p === (view.choice.pair ?? (view.metric.loss ? 'loss' : 'acc')));
    const at = (title, member) => ({title, value: i => curve[member][i], show: four});
    return figure(`Learning curve: ${chosen[1]}`, {
        note: curve.step.length < curve.of ? `${curve.step.length} of ${curve.of} evaluations.` : null,
        controls: controls(
            picker('Show', PAIRS, chosen[0], value => view.choose({pair: value})),
            stepControls(view),
        ),
        reading: readingPlace(false),
        draw: width => drawTrialCurve(view, curve, chosen, trial.best_step, width),
        legend: [
            key('m0', LINE_SIGNS[0], 'validation'),
            key('m1', LINE_SIGNS[1], 'training'),
            trial.best_step ? key('', '\u2506', 'the best step, whose weights are tested') : null,
        ],
        table: () =>
            table(
                'Learning curve',
                [
                    {title: 'Step', value: i => curve.step[i]},
                    at('Validation accuracy', 'val_acc'),
                    at('Validation loss', 'val_loss'),
                    at('Training accuracy', 'train_acc'),
                    at('Training loss', 'train_loss'),
                ],
                curve.step.map((_, i) => i),
            ),
    });
}

/* ---- its heads, and where they look ---- */

function trialHeadsSection(view) {
    const {id, trial} = view.detail,
        rows = view.heads.filter(r => r.trial_id === id);
    if (!trial) return null;
    return rows.length
        ? headsFigure(view, trial, rows)
        : missing('Its heads are not on this page. ', `headcount heads ${id}`, ' measures them.');
}

/* Attention without its choice of a trial. */
function trialAttentionSection(view) {
    const {id, trial} = view.detail,
        had = view.attention?.trial ?? view.attention?.missing;
    if (!trial) return null;
    if (had === id)
        return attentionSection(Object.create(view, {live: {value: null}, choose: {value: c => view.choose(c)}}));
    if (view.live && trial.weights)
        return element('p', {role: 'status', class: 'status'}, `Asking for trial ${id}\u2026`);
    return missing('Its attention is not on this page. ', `headcount report --html FILE --attention ${id}`, ' puts it there.');
}

/* ---- its attempts and its configuration ---- */

function trialAttemptsSection({detail: {trial, more}}) {
    if (!more) return trial?.attempt ? element('p', {class: 'missing'}, 'A page has no room for the attempts of all trials.') : null;
    const attempts = objects(more.attempts),
        words = {...WORDS, ...OPTIONAL};
    if (!attempts.length) return element('p', {class: 'missing'}, 'It has not begun.');
    return scrolling(
        'Attempts',
        table(
            'Attempts',
            [
                column('Attempt', 'attempt'),
                {title: 'Outcome', number: false, value: a => spaced(a.outcome ?? 'running')},
                column('Why requeued', 'cause', undefined, words),
                column('Host', 'host', undefined, words),
                column('Job', 'job', undefined, words),
                column('Started', 'started', time, words),
                column('Ended', 'ended', time, words),
                column('From step', 'resumed_from_step'),
                column('CPU time', 'cpu_s', seconds, OPTIONAL),
                column('Memory, KiB', 'max_rss_kib', quantity, OPTIONAL),
                column('Exit code', 'exit_code', undefined, OPTIONAL),
                column('Signal', 'signal', undefined, OPTIONAL),
                column('Version', 'version', undefined, words),
                column('Commit', 'git_commit', undefined, words),
                column('Error', 'error', undefined, words),
                column('Warning', 'note', undefined, words),
            ],
            attempts,
        ),
    );
}

/* The members of nested objects, as [name, text]. */
function leaves(value, name = '') {
    if (Array.isArray(value)) return [[name, value.length ? value.map(String).join(', ') : 'none']];
    if (value === null || typeof value !== 'object') return [[name, String(value ?? 'none')]];
    return Object.entries(value).flatMap(([k, v]) => leaves(v, name ? `${name}.${k}` : k));
}

function trialConfigurationSection({detail: {more}}) {
    if (!more) return null;
    return scrolling(
        'Configuration',
        table(
            'Configuration',
            [
                {title: 'Option', number: false, value: ([name]) => name},
                {title: 'Value', number: false, value: ([, text]) => text},
            ],
            leaves(JSON.parse(more.config)),
        ),
    );
}

/* What is shown of a trial, in this order. */
const TRIAL_SECTIONS = [
    ['trial', view => `Trial ${view.detail.id}`, trialFactsSection],
    ['trial-curve', 'Learning', trialCurveSection],
    ['trial-heads', 'Heads', trialHeadsSection],
    ['trial-attention', 'Attention', trialAttentionSection],
    ['trial-configuration', 'Configuration', trialConfigurationSection],
    ['trial-attempts', 'Attempts', trialAttemptsSection],
];
