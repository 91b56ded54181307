'use strict';

/* The table of trials, which is sorted, filtered and turned page by page here. */

const PAGE_ROWS = 50;

const TRIAL_COLUMNS = [
    {title: 'Trial', column: 'trial_id'},
    {title: 'Heads', column: 'heads'},
    {title: 'Setting', column: 'setting_label', text: true, optional: true},
    {title: 'Tuned', column: 'tuning', text: true, optional: true, show: v => (v === '{}' ? '' : options(v))},
    {title: 'Of', column: 'replicate', text: true, optional: true, show: v => (v === '{}' ? '' : options(v))},
    {title: 'Seed', column: 'seed'},
    {title: 'State', column: 'state', text: true},
    {title: 'Test accuracy', column: 'test_acc', show: four},
    {title: 'Test loss', column: 'test_loss', show: four},
    {title: 'Validation', column: 'val_acc', show: four},
    {title: 'Training', column: 'train_acc', show: four},
    {title: 'Whole sequences', column: 'test_exact', show: four},
    {title: 'Best step', column: 'best_step'},
    {title: 'Steps', column: 'steps_done'},
    {title: 'Time', column: 'train_s', show: seconds},
    {title: 'Says', column: 'says', text: true, optional: true},
];

/* {"train.lr":0.001}: "lr=0.001". */
function options(json) {
    return Object.entries(JSON.parse(json))
        .map(([key_, value]) => `${key_.split('.').pop()}=${value}`)
        .join(', ');
}

function roleOf(t) {
    return !t.in_plan ? 'outside the plan' : t.is_tuning ? 'tuning' : t.choice === 'passed' ? 'passed over' : 'judged';
}

function compareTrials(column) {
    return (a, b) => {
        const x = a[column],
            y = b[column];
        if (x === null || y === null) return (x === null) - (y === null);
        return typeof x === 'string' ? x.localeCompare(y) : x - y;
    };
}

function trialMatches(t, words) {
    const own = [t.setting_label, t.state, roleOf(t), t.tuning, t.says].join(' ');
    const text = `${t.trial_id} ${t.heads} heads seed ${t.seed} ${own}`.toLowerCase();
    return words.every(word => text.includes(word));
}

/* The rows that the filter leaves, in the order asked for. */
function trialRows(trials, state) {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = trials
        .filter(t => (!state.role || roleOf(t) === state.role) && trialMatches(t, words))
        .sort(compareTrials(state.by));
    return state.down ? rows.reverse() : rows;
}

function trialsHead(columns, state, change) {
    const sort = c => () => change({by: c.column, down: state.by === c.column && !state.down});
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

function trialsTable(columns, rows, state, change) {
    const cells = t => columns.map((c, i) => cell({...c, value: row => row[c.column], number: !c.text}, t, i === 0));
    return element(
        'table',
        {},
        element('caption', {}, 'Trials'),
        trialsHead(columns, state, change),
        element(
            'tbody',
            {},
            rows.map(t => element('tr', {class: roleOf(t) === 'judged' ? undefined : 'aside'}, cells(t))),
        ),
    );
}

function trialsPager(state, pages, change) {
    if (pages < 2 || state.whole) return [];
    const go = (text, page) =>
        element(
            'button',
            {
                type: 'button',
                disabled: page < 0 || page >= pages,
                onclick: () => change({page}),
            },
            text,
        );
    return [go('Previous', state.page - 1), ` page ${state.page + 1} of ${pages} `, go('Next', state.page + 1)];
}

function trialsControls(roles, state, change) {
    const id = freshId('filter');
    return controls(
        roles.length > 1
            ? picker('Trials', [['', 'all'], ...roles.map(r => [r, r])], state.role, role => change({role, page: 0}))
            : null,
        element(
            'span',
            {class: 'picker'},
            element('label', {for: id}, roles.length > 1 ? 'with these words' : 'Trials with these words'),
            element('input', {
                id,
                type: 'search',
                autocomplete: 'off',
                oninput: event => change({filter: event.target.value, page: 0}),
            }),
        ),
    );
}

function trialsSection(view) {
    const trials = view.trials.map(t => ({...t, says: [t.remark, t.error, t.note].filter(Boolean).join(' \u00b7 ')}));
    const shown = (c, t) => (c.show ? c.show(t[c.column]) : t[c.column]);
    const columns = TRIAL_COLUMNS.filter(c => !c.optional || trials.some(t => shown(c, t) !== ''));
    const roles = [...new Set(trials.map(roleOf))];
    const state = {
        by: 'trial_id',
        down: false,
        filter: '',
        role: roles.includes('judged') ? 'judged' : '',
        page: 0,
        whole: false,
    };
    const place = element('div'),
        says = element('p', {role: 'status', class: 'status'}),
        pager = element('p', {class: 'pager'});
    const change = changes => {
        Object.assign(state, changes);
        const rows = trialRows(trials, state),
            pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
        state.page = Math.min(state.page, pages - 1);
        const first = state.whole ? 0 : state.page * PAGE_ROWS,
            part = rows.slice(first, state.whole ? rows.length : first + PAGE_ROWS);
        const active = [...place.querySelectorAll('button')].indexOf(document.activeElement);
        place.replaceChildren(scrolling('Trials', trialsTable(columns, part, state, change)));
        place.querySelectorAll('button')[active]?.focus();
        says.textContent = part.length
            ? `${first + 1}\u2013${first + part.length} of ${count(rows.length, 'trial')}`
            : 'No trial has these words.';
        pager.replaceChildren(...trialsPager(state, pages, change));
    };
    change({});
    window.addEventListener('beforeprint', () => change({whole: true}));
    window.addEventListener('afterprint', () => change({whole: false}));
    const rest = view.total - trials.length;
    const left = rest ? element('p', {class: 'warning'}, `${count(rest, 'further trial')} found no room here.`) : null;
    return [left, trialsControls(roles, state, change), says, place, pager];
}
