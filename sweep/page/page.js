'use strict';

/* The page of a sweep: a view of one of its settings, in sections. What the reader picks draws those again
 * that show it. */

const SECTIONS = [
    ['verdict', 'Verdict', verdictSection],
    ['settings', 'Settings', settingsSection],
    ['differences', 'Differences', differencesSection],
    ['curves', 'Learning', curvesSection],
    ['tuning', 'Tuning', tuningSection],
    ['between', 'Between settings', betweenSection],
    ['labels', 'Labels', labelsSection],
    ['shifted', 'Further test sets', shiftedSection],
    ['head-means', 'Heads by head count', headMeansSection],
    ['heads', 'Heads', headsSection],
    ['attention', 'Attention', attentionSection],
    ['pruning', 'Pruning', pruningSection],
    ['cost', 'Cost', costSection],
    ['trials', 'Trials', trialsSection],
    ['file', 'Sweep file', fileSection],
    ['provenance', 'Provenance', provenanceSection],
];
/* Those that show the same whatever setting is picked, and those that are shown without any. */
const ALIKE = new Set(['between', 'file', 'provenance']),
    WITHOUT = new Set(['verdict', 'attention', 'trials', ...ALIKE]);

/* What the reader can choose, and the sections that show it. */
const CHOICES = {
    near: ['verdict'],
    curve: ['curves'],
    trial: ['heads', 'attention'],
    measure: ['heads', 'trial-heads'],
    order: ['heads', 'trial-heads', 'attention', 'trial-attention'],
    sequence: ['attention', 'trial-attention'],
    pair: ['trial-curve'],
    scale: ['curves', 'trial-curve'],
    span: ['curves', 'trial-curve'],
    pruned: ['pruning'],
    cost: ['cost'],
};

/* Settings are compared as parsed: the report has objects, tables have texts. */
function sameSetting(a, b) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every(k => a[k] === b[k]);
}

/* What head counts are judged by, in all of these reports. Losses of the bytes of a text are drawn in bits per
 * byte, where there are no others beside them; the tables of one sweep have both, as reports do. */
function metricOf(reports) {
    const [{metric}] = reports,
        loss = metric === 'test_loss',
        settings = reports.flatMap(report => report.settings),
        bits = loss && settings.length > 0 && settings.every(set => 'guess_bits' in set.verdict);
    return {
        column: metric,
        loss,
        name: loss ? 'test loss' : 'test accuracy',
        drawn: bits ? 'bits per byte' : loss ? 'test loss' : 'test accuracy',
        scale: bits ? 1 / Math.LN2 : 1,
    };
}

/* A number of the report in the unit that it is drawn in; null stays. */
function scaled(x, scale) {
    return x === null || x === undefined ? null : x * scale;
}

/* The numbers of a verdict in the unit that they are drawn in. */
function inUnit({verdict}, {scale}) {
    const drawn = (row, keys) => ({...row, ...Object.fromEntries(keys.map(k => [k, scaled(row[k], scale)]))});
    return {
        guess: scaled(verdict.guess, scale),
        margin: scaled(verdict.plateau_margin, scale),
        heads: verdict.heads.map(row => drawn(row, ['mean', 'min', 'max', 'ci95_low', 'ci95_high'])),
        comparisons: verdict.comparisons.map(row => drawn(row, ['mean_diff', 'ci_low', 'ci_high'])),
    };
}

/* Each setting of the report with the trials that it is judged by. */
function settingsOf(report, trials, metric) {
    const judged = t => t.in_plan && !t.is_tuning && !t.confirms && t.choice === 'chosen';
    const found = [...grouped(trials, t => t.setting)].map(([text, list]) => [JSON.parse(text), text, list]);
    return report.settings.map((set, index) => {
        const [, text, all] = found.find(([setting]) => sameSetting(setting, set.setting)) ?? [null, null, []],
            own = all.filter(judged);
        return {
            ...set,
            index,
            text, // as trials have it; null: it has none
            label: set.setting_label,
            drawn: inUnit(set, metric),
            byId: new Map(own.map(t => [t.trial_id, t])),
            trials: own.filter(t => ['completed', 'diverged', 'failed'].includes(t.state)),
            running: own.filter(t => ['queued', 'running'].includes(t.state)),
        };
    });
}

/* All that any setting has, rising. */
function headCountsOf(settings) {
    return [...new Set(settings.flatMap(set => set.verdict.heads.map(row => row.heads)))].sort((a, b) => a - b);
}

/* A view of which nothing has been read yet. live: what the live page does beside (live_page.js); null in
 * a file. */
function newView(source, live) {
    return {
        source,
        live,
        settings: [],
        attention: null,
        index: 0,
        shownTrial: 0, // that the address names
        detail: null, // of it (trial.js)
        left: null, // how far the sweep was scrolled before that
        choice: {hidden: new Set()},
        table: {by: 'trial_id', down: false, filter: '', role: null, everywhere: false, page: 0, whole: false},
        get set() {
            return this.settings[this.index];
        },
        pick(index) {
            this.turn(Number(index));
            location.hash = settingAddress(this.set);
        },
        turn(index) {
            if (index === this.index) return;
            this.index = index;
            this.table.page = 0;
            drawPage(this, id => !ALIKE.has(id));
            this.live?.look();
        },
        choose(choice) {
            Object.assign(this.choice, choice);
            if ('trial' in choice) this.live?.look();
            drawPage(this, id => Object.keys(choice).some(what => CHOICES[what].includes(id)));
        },
        toggle(heads) {
            if (!this.choice.hidden.delete(heads)) this.choice.hidden.add(heads);
            drawPage(this, id => id === 'curves');
        },
        sift(changes) {
            Object.assign(this.table, changes);
            drawPage(this, id => id === 'trials');
        },
    };
}

/* The trial, now with what is said of it and, while it runs, the step that its curve has come to. */
function toldTrial(trial, curves) {
    const reached = trial.state === 'running' && curves.find(c => c.trial === trial.trial_id)?.step.at(-1);
    return Object.assign(trial, {
        says: [trial.remark, trial.error, trial.note].filter(Boolean).join(' \u00b7 '),
        steps_done: reached || trial.steps_done,
    });
}

/* Reads all that is shown but attention maps. */
async function readView(view) {
    const {source} = view;
    const [summary, page] = await Promise.all([source.summary(), source.trials()]);
    const {trials} = page,
        {report} = summary;
    const [curves, heads] = await Promise.all([source.curves(trials.filter(t => !t.is_tuning && !t.confirms)), source.heads()]);
    const metric = metricOf([report]),
        settings = settingsOf(report, trials, metric),
        picked = settings.findIndex(set => set.label === view.set?.label);
    Object.assign(view, {
        summary,
        report,
        total: page.total,
        trials: trials.map(t => toldTrial(t, curves)),
        curves,
        heads: objects(heads),
        metric,
        settings,
        headCounts: headCountsOf(settings),
        index: Math.max(0, picked),
    });
}

/* ---- drawing ---- */

/* A section, if it has anything. */
function sectionOf(view, id, title, draw) {
    if (!view.set && !view.detail && !WITHOUT.has(id)) return null;
    const content = [draw(view)].flat(Infinity).filter(Boolean),
        heading = typeof title === 'string' ? title : title(view);
    if (!content.length) return null;
    const section = element(
        'section',
        {id, 'aria-labelledby': `${id}-title`},
        element('h2', {id: `${id}-title`}, view.detail ? null : placeAnchor(view, id), heading),
        content,
    );
    for (const {caption} of section.querySelectorAll('table'))
        if (caption.textContent === heading) caption.className = 'unseen'; // it is read aloud only
    return section;
}

function sectionsOf(view) {
    if (view.compared) return COMPARISON_SECTIONS;
    return view.detail ? TRIAL_SECTIONS : SECTIONS;
}

function drawSections(view, wanted) {
    const shown = sectionsOf(view);
    let next = null;
    for (const [id] of view.detail ? SECTIONS : TRIAL_SECTIONS) document.getElementById(id)?.remove();
    for (const [id, title, draw] of [...shown].reverse()) {
        const old = document.getElementById(id),
            made = wanted(id) ? sectionOf(view, id, title, draw) : old;
        if (made && !old) document.getElementById('main').insertBefore(made, next);
        else if (!made) old?.remove();
        else if (made !== old) patchDom(old, made);
        next = document.getElementById(id) ?? next;
    }
}

/* What the sweep's tasks ask of a model. */
function taskLines(summary) {
    return summary.tasks.map(({name, summary: asks}) => element('p', {class: 'task'}, `Task ${name}. `, asks));
}

function header({report, live, summary}) {
    const name = report ? ['Sweep ', element('strong', {}, foreign(report.sweep)), ' \u00b7 '] : null,
        others = live ? [' \u00b7 ', element('a', {href: live.home}, 'All sweeps')] : null;
    return element(
        'header',
        {},
        element('p', {class: 'sweep'}, name, 'headcount', others),
        element('h1', {}, report ? foreign(report.question || report.sweep) : 'A sweep'),
        summary ? taskLines(summary) : null,
    );
}

function settingPicker(view) {
    return view.settings.length < 2
        ? null
        : picker(
              'Setting',
              view.settings.map(s => [s.index, s.label]),
              view.index,
              value => view.pick(value),
              'setting',
          );
}

function sectionNavigation(view) {
    const shown = sectionsOf(view).filter(([id]) => document.getElementById(id));
    return element(
        'nav',
        {'aria-label': 'Sections'},
        element(
            'ul',
            {},
            shown.map(([id, title]) => element('li', {}, element('a', {href: placeAddress(view, id)}, title))),
        ),
    );
}

/* Where to go from here, and how the sweep stands. */
function bar(view) {
    return element(
        'div',
        {class: 'bar'},
        view.detail ? trialNavigation(view) : sectionNavigation(view),
        view.detail ? null : settingPicker(view),
        view.live?.standing(view),
    );
}

/* The address keeps its setting. */
function skipToMain(event) {
    event.preventDefault();
    document.getElementById('main').focus();
}

/* What is around the sections, which come into main. */
function makeFrame() {
    document.body.prepend(
        element('a', {class: 'skip', href: '#main', onclick: skipToMain}, 'Skip to the content'),
        element('header'),
        element('div', {class: 'bar'}),
        element('main', {id: 'main', tabindex: -1}),
        element('footer'),
    );
    new ResizeObserver(() => requestAnimationFrame(fit)).observe(document.body);
    document.addEventListener('scroll', ({target}) => target.matches?.(SCROLLED) && markWide([target]), true);
}

/* What depends on the width that there is. */
function fit() {
    drawCharts();
    markWide();
}

function footer(live) {
    const says = live
        ? 'Live from headcount serve. This page asks nothing of any other server.'
        : 'Written by headcount. This page asks nothing of any network.';
    return element('footer', {}, element('p', {}, says));
}

function becomeParts(parts) {
    for (const [part, made] of Object.entries(parts)) patchDom(document.querySelector(`body > ${part}`), made);
}

function drawAround(view) {
    becomeParts({header: header(view), '.bar': bar(view), footer: footer(view.live)});
}

/* How far a sweep is comes first, as a tab shows little more; with invisible marks of its name shown, too. */
function titleOf(sweep, ended, planned, trial) {
    const before = (ended < planned ? `${ended}/${planned} ` : '') + (trial ? `Trial ${trial} \u2013 ` : '');
    return `${before}${plain(sweep)} \u2013 headcount`;
}

/* The page, or those of its sections that are wanted, as the view is now. */
function drawPage(view, wanted = () => true) {
    const {report, detail} = view;
    document.title = titleOf(report.sweep, report.ended, report.planned, detail?.id);
    SAVED.sweep = plain(view.report.sweep);
    drawSections(view, wanted);
    drawAround(view);
    fit();
}

/* Once what is shown has been read for the first time. */
async function beginPage(view) {
    const {setting, trial} = readAddress(),
        own = view.trials.find(t => t.trial_id === trial);
    view.shownTrial = trial;
    view.index = settingIndex(view, own ? own.setting_label : setting);
    await readTrial(view);
    drawPage(view);
    printWhole(view);
    followPoints();
    readCharts();
    window.addEventListener('hashchange', () => followAddress(view));
    if (!view.shownTrial) addressedPlace()?.scrollIntoView();
}

const PAPER = 688; // CSS pixels between the margins of A4

/* On paper the table of trials has all, as far as TRIALS_PRINTED goes, and charts are as wide as that. */
function printWhole(view) {
    window.addEventListener('beforeprint', () => {
        view.sift({whole: true});
        for (const chart of document.querySelectorAll('.chart')) if (chart.draw) drawChart(chart, PAPER);
    });
    window.addEventListener('afterprint', () => view.sift({whole: false}));
}
