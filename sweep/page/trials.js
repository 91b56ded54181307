'use strict';

/* The table of trials, the sweep file, and what ran it. */

const PAGE_ROWS = 50;

const TRIAL_COLUMNS = [
    {title: 'Trial', column: 'trial_id'},
    {title: 'Heads', column: 'heads'},
    {title: 'Setting', column: 'setting_label', text: true, optional: true},
    {title: 'Tuned', column: 'tuning', text: true, optional: true, show: v => v === '{}' ? '' : options(v)},
    {title: 'Of', column: 'replicate', text: true, optional: true, show: v => v === '{}' ? '' : options(v)},
    {title: 'Seed', column: 'seed'},
    {title: 'State', column: 'state', text: true},
    {title: 'Test accuracy', column: 'test_acc', show: v => fixed(v, 4)},
    {title: 'Test loss', column: 'test_loss', show: v => fixed(v, 4)},
    {title: 'Validation', column: 'val_acc', show: v => fixed(v, 4)},
    {title: 'Training', column: 'train_acc', show: v => fixed(v, 4)},
    {title: 'Whole sequences', column: 'test_exact', show: v => fixed(v, 4)},
    {title: 'Best step', column: 'best_step'},
    {title: 'Steps', column: 'steps_done'},
    {title: 'Time', column: 'train_s', show: seconds},
    {title: 'Says', column: 'says', text: true, optional: true},
];

/* {"train.lr":0.001}: "lr=0.001". */
function options(json) {
    return Object.entries(JSON.parse(json)).map(([key_, value]) => `${key_.split('.').pop()}=${value}`).join(', ');
}

function roleOf(t) {
    return !t.in_plan ? 'outside the plan' : t.is_tuning ? 'tuning' : t.choice === 'passed' ? 'passed over' : 'judged';
}

function compareTrials(column) {
    return (a, b) => {
        const x = a[column], y = b[column];
        if (x === null || y === null)
            return (x === null) - (y === null);
        return typeof x === 'string' ? x.localeCompare(y) : x - y;
    };
}

function trialMatches(t, words) {
    const text = `${t.trial_id} ${t.heads} heads ${t.setting_label} ${t.state} ${roleOf(t)} seed ${t.seed} ${t.tuning} ${t.says}`.toLowerCase();
    return words.every(word => text.includes(word));
}

/* The rows that the filter leaves, in the order asked for. */
function trialRows(trials, state) {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = trials.filter(t => (!state.role || roleOf(t) === state.role) && trialMatches(t, words)).sort(compareTrials(state.by));
    return state.down ? rows.reverse() : rows;
}

function trialsHead(columns, state, sort) {
    return element('thead', {}, element('tr', {}, columns.map(c =>
        element('th', {
            scope: 'col', class: c.text ? undefined : 'number',
            'aria-sort': state.by === c.column ? state.down ? 'descending' : 'ascending' : undefined,
        }, element('button', {type: 'button', onclick: () => sort(c.column)}, c.title,
            element('span', {'aria-hidden': 'true'}, state.by === c.column ? state.down ? ' \u25be' : ' \u25b4' : ''))))));
}

function trialsSection(view) {
    const trials = view.trials.map(t => ({...t, says: [t.remark, t.error, t.note].filter(Boolean).join(' \u00b7 ')}));
    const columns = TRIAL_COLUMNS.filter(c => !c.optional || trials.some(t => (c.show ? c.show(t[c.column]) : t[c.column]) !== ''));
    const roles = [...new Set(trials.map(roleOf))];
    const state = {by: 'trial_id', down: false, filter: '', role: roles.includes('judged') ? 'judged' : '', page: 0, whole: false};
    const place = element('div'), says = element('p', {role: 'status', class: 'status'}), pager = element('p', {class: 'pager'});
    const id = freshId('filter');
    const draw = () => {
        const rows = trialRows(trials, state), pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
        state.page = Math.min(state.page, pages - 1);
        const first = state.whole ? 0 : state.page * PAGE_ROWS;
        const shown = rows.slice(first, state.whole ? rows.length : first + PAGE_ROWS);
        const body = element('tbody', {}, shown.map(t => element('tr', {class: roleOf(t) === 'judged' ? undefined : 'aside'},
            columns.map((c, i) => cell({...c, value: row => row[c.column], number: !c.text}, t, i === 0)))));
        const active = place.contains(document.activeElement) ? [...place.querySelectorAll('button')].indexOf(document.activeElement) : -1;
        place.replaceChildren(scrolling('Trials', element('table', {},
            element('caption', {}, 'Trials'), trialsHead(columns, state, column => {
                state.down = state.by === column && !state.down;
                state.by = column;
                draw();
            }), body)));
        place.querySelectorAll('button')[active]?.focus();
        says.textContent = rows.length ? `${first + 1}\u2013${first + shown.length} of ${count(rows.length, 'trial')}` : 'No trial has these words.';
        const go = (text, to, possible) => element('button', {type: 'button', disabled: !possible, onclick: () => { state.page = to; draw(); }}, text);
        pager.replaceChildren(...pages > 1 && !state.whole ? [go('Previous', state.page - 1, state.page > 0), ` page ${state.page + 1} of ${pages} `, go('Next', state.page + 1, state.page < pages - 1)] : []);
    };
    draw();
    window.addEventListener('beforeprint', () => { state.whole = true; draw(); });
    window.addEventListener('afterprint', () => { state.whole = false; draw(); });
    return [element('div', {class: 'controls'}, roles.length > 1 ? picker('Trials', [['', 'all'], ...roles.map(r => [r, r])], state.role,
        value => { state.role = value; state.page = 0; draw(); }) : null, element('span', {class: 'picker'},
        element('label', {for: id}, roles.length > 1 ? 'with these words' : 'Trials with these words'),
        element('input', {id, type: 'search', autocomplete: 'off', oninput: event => { state.filter = event.target.value; state.page = 0; draw(); }}))),
    says, place, pager];
}

/* ---- the sweep file ---- */

function fileSection(view) {
    const {overrides} = view.report;
    return [
        overrides?.length ? element('p', {}, 'Run with ', overrides.map((o, i) => [i ? ' ' : '', element('code', {}, '--set ', foreign(o))]), '.') : null,
        element('p', {}, 'As it was when the sweep was last planned; absolute paths are cut to their last names.'),
        element('pre', {class: 'file', tabindex: 0, role: 'region', 'aria-label': 'The sweep file'}, foreign(view.summary.sweep.yaml)),
    ];
}

/* ---- provenance ---- */

function changeText(c) {
    return `${time(c.changed)}: ${count(c.pairs, 'trial')} planned (${c.added} added, ${c.removed} removed), when the results of ${c.seen} could be seen` +
        (c.claim ? `; claim ${JSON.stringify(c.claim)}` : '');
}

function provenanceSection(view) {
    const {summary, report} = view, {sweep} = summary;
    return [
        element('dl', {class: 'facts wide'},
            fact('Results file', foreign(view.source.file)), fact('Sweep', foreign(sweep.name)),
            fact('This page is of', time(summary.written)), fact('Planned', time(sweep.created)), fact('Last run', time(sweep.last_run)),
            fact('Plan (SHA-256)', element('code', {}, sweep.plan_sha256)),
            fact('Sweep file (SHA-256)', element('code', {}, sweep.yaml_sha256))),
        report.plan_changes.length ? [element('h3', {}, 'How the plan came about'),
            element('ul', {}, report.plan_changes.map(c => element('li', {}, foreign(changeText(c)))))] : null,
        scrolling('What ran the trials', table('What ran the trials', [
            {title: 'Version', number: false, value: b => b.version},
            {title: 'Commit', number: false, value: b => b.git_commit},
            {title: 'Compiler', number: false, value: b => b.compiler},
            {title: 'Flags', number: false, value: b => b.flags},
            {title: 'OpenBLAS', number: false, value: b => `${b.openblas}, ${b.core_type}, ${count(b.threads, 'thread')}`},
            {title: 'Kernels', number: false, value: b => b.kernels},
            {title: 'Processor', number: false, value: b => b.cpu},
            {title: 'Attempts', value: b => b.attempts},
            {title: 'Hosts', value: b => b.hosts},
            {title: 'CPU time', value: b => b.cpu_s, show: seconds},
            {title: 'From', number: false, value: b => b.first, show: time}, {title: 'To', number: false, value: b => b.last, show: time},
        ], objects(summary.builds))),
    ];
}
