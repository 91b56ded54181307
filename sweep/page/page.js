'use strict';

/* The page: a view of one setting of a sweep, in sections. What the reader picks draws the sections
 * again that show it. */

const SECTIONS = [
    ['verdict', 'Verdict', verdictSection],
    ['settings', 'Settings', settingsSection],
    ['accuracy', 'By head count', accuracySection],
    ['differences', 'Differences', differencesSection],
    ['labels', 'Labels', labelsSection],
    ['shifted', 'Further test sets', shiftedSection],
    ['curves', 'Learning', curvesSection],
    ['heads', 'Heads', headsSection],
    ['attention', 'Attention', attentionSection],
    ['pruning', 'Pruning', pruningSection],
    ['cost', 'Cost', costSection],
    ['trials', 'Trials', trialsSection],
    ['file', 'Sweep file', fileSection],
    ['provenance', 'Provenance', provenanceSection],
];
/* Those that show the same whatever setting is picked, and so without any. */
const ALIKE = new Set(['attention', 'trials', 'file', 'provenance']);

/* Settings are compared as parsed: the report has objects, tables have texts. */
function sameSetting(a, b) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every(k => a[k] === b[k]);
}

/* What head counts are judged by. Losses of the bytes of a text are drawn in bits per byte; tables
 * have both, as reports do. */
function metricOf(report) {
    const loss = report.metric === 'test_loss';
    const bits = loss && report.settings.some(set => 'guess_bits' in set.verdict);
    return {
        column: report.metric,
        loss,
        name: loss ? 'test loss' : 'test accuracy',
        drawn: bits ? 'bits per byte' : loss ? 'test loss' : 'test accuracy',
        scale: bits ? 1 / Math.LN2 : 1,
    };
}

/* The numbers of a verdict in the unit that they are drawn in. */
function inUnit({verdict}, {scale}) {
    const scaled = (row, keys) => ({
        ...row,
        ...Object.fromEntries(keys.map(k => [k, row[k] === null ? null : row[k] * scale])),
    });
    return {
        guess: verdict.guess === null ? null : verdict.guess * scale,
        heads: verdict.heads.map(row => scaled(row, ['mean', 'min', 'max', 'ci95_low', 'ci95_high'])),
        comparisons: verdict.comparisons.map(row => scaled(row, ['mean_diff', 'ci_low', 'ci_high'])),
    };
}

/* Each setting of the report with the trials that it is judged by. */
function settingsOf(report, trials, metric) {
    const judged = trials.filter(t => t.in_plan && !t.is_tuning && t.choice === 'chosen');
    const bySetting = new Map();
    for (const t of judged) bySetting.set(t.setting, [...(bySetting.get(t.setting) ?? []), t]);
    const found = [...bySetting].map(([text, list]) => [JSON.parse(text), list]);
    return report.settings.map((set, index) => {
        const own = found.find(([setting]) => sameSetting(setting, set.setting))?.[1] ?? [];
        return {
            ...set,
            index,
            label: set.setting_label,
            drawn: inUnit(set, metric),
            byId: new Map(own.map(t => [t.trial_id, t])),
            trials: own.filter(t => ['completed', 'diverged', 'failed'].includes(t.state)),
            running: own.filter(t => ['queued', 'running'].includes(t.state)),
        };
    });
}

async function readView(source) {
    const [summary, {total, trials: rows}] = await Promise.all([source.summary(), source.trials(0)]);
    const trials = objects(rows),
        {report} = summary;
    const [curves, heads, attention] = await Promise.all([
        source.curves(trials.filter(t => !t.is_tuning).map(t => t.trial_id)),
        source.heads(0),
        source.attention(),
    ]);
    const metric = metricOf(report);
    return {
        source,
        summary,
        report,
        total,
        trials,
        curves,
        attention,
        heads: objects(heads),
        settings: settingsOf(report, trials, metric),
        index: 0,
        metric,
        choice: {hidden: new Set()},
        get set() {
            return this.settings[this.index];
        },
    };
}

/* Draws a section again, keeping what is open in it and where the keyboard is. */
function redraw(view, section, draw) {
    const controls = () => [...section.querySelectorAll('select, input, button, summary')];
    const active = controls().indexOf(document.activeElement);
    const open = [...section.querySelectorAll('details')].map(d => d.open);
    section.replaceChildren(section.firstChild, ...[draw(view)].flat(Infinity).filter(Boolean));
    section.querySelectorAll('details').forEach((d, i) => {
        d.open = open[i] ?? false;
    });
    controls()[active]?.focus();
}

function makeSections(view) {
    const made = [];
    for (const [id, title, draw] of SECTIONS) {
        const content =
            view.set || id === 'verdict' || ALIKE.has(id) ? [draw(view)].flat(Infinity).filter(Boolean) : [];
        if (content.length)
            made.push({
                id,
                title,
                draw,
                node: element(
                    'section',
                    {id, 'aria-labelledby': `${id}-title`},
                    element('h2', {id: `${id}-title`}, title),
                    content,
                ),
            });
    }
    const again = ids => made.filter(s => ids(s.id)).forEach(s => redraw(view, s.node, s.draw));
    view.pick = index => {
        view.index = Number(index);
        document.querySelectorAll('select[name=setting]').forEach(s => {
            s.value = view.index;
        });
        again(id => !ALIKE.has(id));
    };
    view.choose = choice => {
        Object.assign(view.choice, choice);
        again(id => ['accuracy', 'curves', 'heads', 'attention', 'pruning', 'cost'].includes(id));
    };
    view.toggle = heads => {
        if (!view.choice.hidden.delete(heads)) view.choice.hidden.add(heads);
        again(id => id === 'curves');
    };
    return made;
}

function settingPicker(view) {
    if (view.settings.length < 2) return null;
    const made = picker(
        'Setting',
        view.settings.map(s => [s.index, s.label]),
        view.index,
        value => view.pick(value),
    );
    made.querySelector('select').setAttribute('name', 'setting');
    return made;
}

function header(view) {
    const {report} = view;
    return element(
        'header',
        {},
        element('p', {class: 'sweep'}, 'Sweep ', element('strong', {}, foreign(report.sweep)), ' \u00b7 headcount'),
        element('h1', {}, foreign(report.question || report.sweep)),
    );
}

async function show(source) {
    const view = await readView(source),
        sections = makeSections(view);
    document.title = `${plain(view.report.sweep)} \u2013 headcount`; // with its invisible marks shown, too
    document.body.prepend(
        element('a', {class: 'skip', href: '#main'}, 'Skip to the findings'),
        header(view),
        element(
            'div',
            {class: 'bar'},
            element(
                'nav',
                {'aria-label': 'Sections'},
                element(
                    'ul',
                    {},
                    sections.map(s => element('li', {}, element('a', {href: `#${s.id}`}, s.title))),
                ),
            ),
            settingPicker(view),
        ),
        element(
            'main',
            {id: 'main', tabindex: -1},
            sections.map(s => s.node),
        ),
        element('footer', {}, element('p', {}, 'Written by headcount. This page asks nothing of any network.')),
    );
}
