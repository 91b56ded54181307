'use strict';

/* The sweep file, and what ran it. */

async function copyFile({target}) {
    const section = target.closest('section');
    section.querySelector('[role=status]').textContent = await copyText(section.querySelector('.file'));
}

function fileSection(view) {
    const {overrides} = view.report;
    return [
        overrides.length
            ? element(
                  'p',
                  {},
                  'Run with ',
                  overrides.map((o, i) => [i ? ' ' : '', element('code', {}, '--set ', foreign(o))]),
                  '.',
              )
            : null,
        element('p', {}, 'As it was when the sweep was last planned; absolute paths are cut to their last names.'),
        element('pre', {class: 'file'}, foreign(view.summary.sweep.yaml)),
        element(
            'p',
            {class: 'save'},
            element('button', {type: 'button', class: 'link', onclick: copyFile}, 'Copy the sweep file'),
            ' ',
            element('span', {role: 'status'}),
        ),
    ];
}

/* {"better":{"model.d_model":16},"heads":2,"than":...}: "better d_model=16, than d_model=8, heads 2". */
function claimText(claim) {
    const text = value =>
            Array.isArray(value)
                ? value.join(', ')
                : value && typeof value === 'object'
                  ? options(JSON.stringify(value))
                  : String(value),
        {heads, ...others} = claim,
        names = Object.keys(others).concat(heads === undefined ? [] : 'heads');
    return names
        .map(name => `${spaced(name)} ${text(claim[name])}`)
        .join(', ');
}

function changeText(c) {
    return (
        `${time(c.changed)}: ${count(c.pairs, 'pair')} of configuration and seed planned (${c.added} added, ${c.removed} removed), ` +
        `when the results of ${c.seen} could be seen` +
        (c.similar ? `, and of ${c.similar} like these, which differ in ${c.similar_differ.join(', ')}` : '') +
        (c.claim ? `; claim: ${claimText(c.claim)}` : '')
    );
}

function provenanceSection(view) {
    const {summary, report} = view,
        {sweep} = summary;
    return [
        element(
            'dl',
            {class: 'facts wide'},
            fact('Results file', foreign(view.source.file)),
            fact('Sweep', foreign(sweep.name)),
            fact('This page is of', time(summary.written)),
            fact('Planned', time(sweep.created)),
            fact('Last run', time(sweep.last_run)),
            fact('Plan (SHA-256)', element('code', {}, sweep.plan_sha256)),
            fact('Sweep file (SHA-256)', element('code', {}, sweep.yaml_sha256)),
        ),
        report.plan_changes.length
            ? [
                  element('h3', {}, 'How the plan came about'),
                  element(
                      'ul',
                      {},
                      report.plan_changes.map(c => element('li', {}, foreign(changeText(c)))),
                  ),
              ]
            : null,
        scrolling(
            'What ran the trials',
            table(
                'What ran the trials',
                [
                    ...[
                        ['Version', 'version'],
                        ['Commit', 'git_commit'],
                        ['Compiler', 'compiler'],
                        ['Flags', 'flags'],
                    ].map(([title, member]) => column(title, member, undefined, WORDS)),
                    {
                        title: 'OpenBLAS',
                        number: false,
                        value: b => `${b.openblas}, ${b.core_type}`,
                    },
                    column('Kernels', 'kernels', undefined, WORDS),
                    column('Processor', 'cpu', undefined, WORDS),
                    column('Attempts', 'attempts'),
                    column('Hosts', 'hosts'),
                    column('CPU time', 'cpu_s', seconds),
                    column('From', 'first', time, WORDS),
                    column('To', 'last', time, WORDS),
                ],
                objects(summary.builds),
            ),
        ),
    ];
}
