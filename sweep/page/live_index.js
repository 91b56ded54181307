'use strict';

/* The live page's list of sweeps, of each file those that ran last first. */

const ENDED = ['completed', 'diverged', 'failed'];

function sweepItem(file, sweep) {
    const ended = ENDED.reduce((n, state) => n + sweep[state], 0),
        others = ['running', 'queued', 'diverged', 'failed', 'not_needed'].filter(state => sweep[state]);
    return element(
        'li',
        {id: `sweep-${file}-${sweep.sweep_id}`},
        element('a', {href: `${file}/${sweep.sweep_id}/`}, foreign(sweep.question || sweep.sweep)),
        element('progress', {
            max: sweep.planned || 1,
            value: ended,
            'aria-label': `Ended trials of ${plain(sweep.sweep)}`,
        }),
        element(
            'p',
            {},
            element('strong', {}, foreign(sweep.sweep)),
            `: ${ended.toLocaleString('en')} of ${count(sweep.planned, 'trial')} ended`,
            others.map(state => `, ${sweep[state].toLocaleString('en')} ${spaced(state)}`),
            ` \u00b7 ${sweep.last_run ? `last run ${time(sweep.last_run)}` : `planned ${time(sweep.created)}`}`,
        ),
        sweep.remark ? element('p', {}, 'Note: ', foreign(sweep.remark)) : null,
    );
}

function fileItem({file, error, sweeps}, i) {
    const list = sweeps ? objects(sweeps) : [];
    return element(
        'section',
        {id: `file-${i}`, 'aria-labelledby': `file-${i}-title`},
        element('h2', {id: `file-${i}-title`}, foreign(file)),
        error ? element('p', {class: 'warning'}, foreign(error)) : null,
        list.length
            ? element(
                  'ul',
                  {class: 'sweeps'},
                  list.map(sweep => sweepItem(i, sweep)),
              )
            : error
              ? null
              : missing('No sweep has begun here. ', 'headcount run', ' begins one.'),
    );
}

function liveIndex() {
    let files = [];
    const rounds = makeRounds(refresh, draw),
        news = listen('events', rounds.again, draw);
    function draw() {
        const sweeps = files.flatMap(f => (f.sweeps ? objects(f.sweeps) : []));
        const at = sweeps.reduce((n, sweep) => n + sweep.running, 0),
            says = `${count(sweeps.length, 'sweep')}${at ? `, ${count(at, 'trial')} at work` : ''}`,
            trouble = news.lost ? LOST : rounds.trouble;
        becomeParts({
            header: element('header', {}, element('p', {class: 'sweep'}, 'headcount'), element('h1', {}, 'Sweeps')),
            '.bar': element('div', {class: 'bar'}, standing(trouble, files.length ? says : 'Asking for the sweeps\u2026', at)),
            main: element('main', {id: 'main', tabindex: -1}, files.map(fileItem)),
            footer: footer(true),
        });
    }
    async function refresh() {
        ({files} = await ask('index'));
        draw();
    }
    document.title = 'Sweeps \u2013 headcount';
    draw();
}
