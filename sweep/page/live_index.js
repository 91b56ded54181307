'use strict';

/* The live page's list of sweeps, of each file those that ran last first: question, progress, finding. */

const FINDINGS_MAX = 30, // sweeps whose findings are asked for, of those that ran last
    SIDE_MAX = 8; // sweeps that the server shows side by side

function endedOf(sweep) {
    return ENDED.reduce((n, state) => n + sweep[state], 0);
}

/* What was found, in a sentence: of what was claimed of settings, of the only setting, or how many came to what. */
function findingOf({settings, between}) {
    const verdict = between?.claims[0] ?? (settings.length === 1 ? settings[0].verdict : null);
    if (verdict) return verdict.sentences[Math.max(0, verdict.lead - 1)] ?? '';
    return settings.length ? kindsText(settings.map(kindOf)) : '';
}

/* Those of a file that are to be seen side by side, in the order that they were picked in: the way there. */
function sideBySide(file, picked) {
    const [first, ...others] = picked;
    return element(
        'p',
        {class: 'pager'},
        others.length
            ? element('a', {href: `${file}/${first}/?with=${others}`}, `Show ${count(picked.length, 'sweep')} side by side`)
            : 'Pick two sweeps or more to see them side by side.',
    );
}

/* metric: of those that are picked; sweeps of another one do not stand beside them. */
function sweepPicker(sweep, picked, metric, pick) {
    const checked = picked.includes(sweep.sweep_id),
        many = picked.length === SIDE_MAX && !checked,
        other = picked.length > 0 && sweep.metric !== metric;
    return element(
        'label',
        {class: 'check'},
        element('input', {type: 'checkbox', checked, disabled: many || other, onchange: () => pick(sweep.sweep_id)}),
        'Side by side',
        other ? ` (not with those picked: judged by ${sweep.metric === 'val_loss' ? 'loss' : 'accuracy'})` : null,
        element('span', {class: 'unseen'}, `: ${plain(sweep.sweep)}`),
    );
}

function sweepItem(file, sweep, finding, picker_) {
    const ended = endedOf(sweep),
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
        finding ? element('p', {class: 'found'}, said(finding)) : null,
        sweep.remark ? element('p', {}, 'Note: ', foreign(sweep.remark)) : null,
        picker_,
    );
}

/* picked: of the file; pick(sweep_id) changes it. */
function fileItem({file, error, sweeps}, i, findings, picked, pick) {
    const list = sweeps ? objects(sweeps) : [],
        several = list.length > 1,
        metric = list.find(sweep => sweep.sweep_id === picked[0])?.metric;
    return element(
        'section',
        {id: `file-${i}`, 'aria-labelledby': `file-${i}-title`},
        element('h2', {id: `file-${i}-title`}, foreign(file)),
        error ? element('p', {class: 'warning'}, foreign(error)) : null,
        list.length
            ? element(
                  'ul',
                  {class: 'sweeps'},
                  list.map(sweep =>
                      sweepItem(i, sweep, findings.get(`${i}/${sweep.sweep_id}/`)?.text, several ? sweepPicker(sweep, picked, metric, pick) : null),
                  ),
              )
            : error
              ? null
              : missing('No sweep has begun here. ', 'headcount run', ' begins one.'),
        several ? sideBySide(i, picked) : null,
    );
}

function liveIndex() {
    const findings = new Map(); // of a sweep's address: {text, of}, of: the trials and the run that it is of
    const picked = []; // of each file the sweeps that are to be seen side by side
    let files = [];
    function pick(i, sweep) {
        const list = picked[i] ?? [];
        picked[i] = list.includes(sweep) ? list.filter(s => s !== sweep) : [...list, sweep];
        draw();
    }
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
            main: element('main', {id: 'main', tabindex: -1}, files.map((file, i) => fileItem(file, i, findings, picked[i] ?? [], sweep => pick(i, sweep)))),
            footer: footer(true),
        });
    }
    async function refresh() {
        ({files} = await ask('index'));
        draw();
        await askFindings();
    }
    /* One after another: a server computes them. */
    async function askFindings() {
        const all = files.flatMap((f, i) => (f.sweeps ? objects(f.sweeps) : []).map(s => [`${i}/${s.sweep_id}/`, s]));
        for (const [address, sweep] of all.slice(0, FINDINGS_MAX)) {
            const of = `${endedOf(sweep)} ${sweep.planned} ${sweep.last_run}`;
            if (findings.get(address)?.of === of) continue;
            const summary = await ask(`${address}summary`).catch(() => null); // its page says what hinders it
            if (!summary) continue;
            findings.set(address, {text: findingOf(summary.report), of});
            draw();
        }
    }
    document.title = 'Sweeps \u2013 headcount';
    draw();
}
