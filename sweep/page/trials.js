'use strict';

/* The table of trials, which is sorted, filtered and turned page by page here. */

const PAGE_ROWS = 50,
    TRIALS_PRINTED = 1000;

/* What is looked for most comes first, as a phone shows no more at once. */
const TRIAL_COLUMNS = [
    {title: 'Trial', column: 'trial_id', show: trialLink},
    {title: 'Heads', column: 'heads'},
    {title: 'Test accuracy', column: 'test_acc', show: four},
    {title: 'Validation', column: 'val_acc', show: four},
    {title: 'Setting', column: 'setting_label', text: true, optional: true},
    {title: 'Tuned', column: 'tuning', text: true, optional: true, show: v => (v === '{}' ? '' : options(v))},
    {title: 'Of', column: 'replicate', text: true, optional: true, show: v => (v === '{}' ? '' : options(v))},
    {title: 'Seed', column: 'seed'},
    {title: 'State', column: 'state', text: true, show: spaced},
    {title: 'Test loss', column: 'test_loss', show: four},
    {title: 'Training', column: 'train_acc', show: four},
    {title: 'Whole sequences', column: 'test_exact', show: four},
    {title: 'Best step', column: 'best_step'},
    {title: 'Steps', column: 'steps_done'},
    {title: 'Time', column: 'train_s', show: seconds},
    {title: 'Says', column: 'says', text: true, optional: true},
];

function trialLink(id) {
    return element('a', {href: `#trial-${id}`}, String(id));
}

/* {"train.lr":0.001}: "lr=0.001". */
function options(json) {
    return Object.entries(JSON.parse(json))
        .map(([key_, value]) => `${axisName(key_)}=${value}`)
        .join(', ');
}

function roleOf(t) {
    if (!t.in_plan) return 'outside the plan';
    if (t.is_tuning) return 'tuning';
    if (t.choice === 'eliminated') return 'eliminated';
    return t.confirms ? 'confirming' : 'judged';
}

const COLLATOR = new Intl.Collator('en');

/* What is unknown or empty comes last, whichever way round. */
function compareTrials({by, down}) {
    const sign = down ? -1 : 1,
        lacks = v => v === null || v === undefined || v === '';
    return (a, b) => {
        const x = a[by],
            y = b[by];
        if (lacks(x) || lacks(y)) return lacks(x) - lacks(y);
        return sign * (typeof x === 'string' ? COLLATOR.compare(x, y) : x - y);
    };
}

/* What a filter looks through, put together once. */
function trialText(t) {
    t.text ??= [
        `${t.trial_id} ${t.heads} heads seed ${t.seed}`,
        t.setting_label,
        spaced(t.state),
        roleOf(t),
        t.tuning === '{}' ? '' : options(t.tuning),
        t.tuning,
        t.says,
    ]
        .join(' ')
        .toLowerCase();
    return t.text;
}

/* The rows that the filter leaves, in the order asked for. */
function trialRows(trials, state) {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    return trials
        .filter(t => (!state.role || roleOf(t) === state.role) && words.every(word => trialText(t).includes(word)))
        .sort(compareTrials(state));
}

/* Those of the picked setting, unless the reader wants all. */
function tableTrials(view) {
    return view.table.everywhere ? view.trials : view.trials.filter(t => isOfSetting(view, t));
}

/* The columns that say something of any of the trials; of the setting's, its name says nothing. */
function trialColumns(view, trials) {
    const shown = (c, t) => (c.show ? c.show(t[c.column]) : t[c.column]),
        known = view.settings.length > 1 && !view.table.everywhere ? 'setting_label' : '';
    return TRIAL_COLUMNS.filter(
        c => c.column !== known && (!c.optional || trials.some(t => shown(c, t) !== '')),
    );
}

function trialsHead(view, columns) {
    const state = view.table;
    const sort = c => () => view.sift({by: c.column, down: state.by === c.column && !state.down});
    const sign = c => (state.by !== c.column ? '' : state.down ? ' \u25be' : ' \u25b4');
    const order = c => (state.by !== c.column ? undefined : state.down ? 'descending' : 'ascending');
    return element(
        'thead',
        {},
        element(
            'tr',
            {},
            columns.map(c =>
                element(
                    'th',
                    {scope: 'col', class: c.text ? undefined : 'number', 'aria-sort': order(c)},
                    element(
                        'button',
                        {type: 'button', onclick: sort(c)},
                        c.title,
                        element('span', {'aria-hidden': 'true'}, sign(c)),
                    ),
                ),
            ),
        ),
    );
}

function trialsTable(view, columns, rows) {
    const cells = t => columns.map((c, i) => cell({...c, value: row => row[c.column], number: !c.text}, t, i === 0));
    return element(
        'table',
        {},
        element('caption', {}, 'Trials'),
        trialsHead(view, columns),
        element(
            'tbody',
            {},
            rows.map(t => element('tr', {class: roleOf(t) === 'judged' ? undefined : 'aside'}, cells(t))),
        ),
    );
}

function trialsPager(view, at, pages) {
    const go = (text, page) =>
        element(
            'button',
            {
                type: 'button',
                disabled: page < 0 || page >= pages,
                onclick: () => view.sift({page}),
            },
            text,
        );
    return element(
        'p',
        {class: 'pager'},
        go('Previous', at - 1),
        ` page ${at + 1} of ${pages} `,
        go('Next', at + 1),
    );
}

function trialsControls(view, roles, {role, filter, everywhere}) {
    const several = roles.length > 1,
        whose = [
            ['', 'this setting'],
            ['all', 'all settings'],
        ];
    return controls(
        view.settings.length > 1
            ? picker('Of', whose, everywhere ? 'all' : '', picked => view.sift({everywhere: picked === 'all', page: 0}))
            : null,
        several
            ? picker('Show', [['', 'all'], ...roles.map(r => [r, r])], role, picked =>
                  view.sift({role: picked, page: 0}),
              )
            : null,
        element(
            'label',
            {class: 'picker'},
            element('span', {}, 'Filter'),
            element('input', {
                type: 'search',
                autocomplete: 'off',
                value: filter,
                oninput: event => view.sift({filter: event.target.value, page: 0}),
            }),
        ),
    );
}

/* Those that are not here. */
function trialsLeft(view) {
    const left = view.total - view.trials.length;
    if (left <= 0) return null;
    if (!view.live) return element('p', {class: 'warning'}, `${count(left, 'further trial')} found no room here.`);
    const loading = view.trials.length < view.source.most;
    return element(
        'p',
        {class: 'pager'},
        `Of ${count(view.total, 'trial')} the first ${view.trials.length.toLocaleString('en')} are here and in the charts. `,
        element(
            'button',
            {type: 'button', 'aria-disabled': String(loading), onclick: () => loading || view.live.more()},
            loading ? 'Loading\u2026' : 'Load the next 1,000',
        ),
    );
}

/* How the reader has the table; judged trials first. */
function tableState({table: state}, trials) {
    return {...state, role: state.role ?? (trials.some(t => roleOf(t) === 'judged') ? 'judged' : '')};
}

function trialsSection(view) {
    const trials = tableTrials(view),
        roles = [...new Set(trials.map(roleOf))],
        state = tableState(view, trials);
    const columns = trialColumns(view, trials);
    const rows = trialRows(trials, state),
        pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
    const page = Math.min(state.page, pages - 1),
        first = state.whole ? 0 : page * PAGE_ROWS,
        part = rows.slice(first, first + (state.whole ? TRIALS_PRINTED : PAGE_ROWS));
    const says = part.length
        ? `${first + 1}\u2013${first + part.length} of ${count(rows.length, 'trial')}; a number leads to its trial`
        : 'No trial has these words.';
    return [
        trialsLeft(view),
        trialsControls(view, roles, state),
        element('p', {role: 'status', class: 'status'}, says),
        scrolling('Trials', trialsTable(view, columns, part), () => trialsTable(view, columns, rows)),
        pages > 1 && !state.whole ? trialsPager(view, page, pages) : null,
    ];
}
