'use strict';

/* The live page of a sweep. */

function standingText(summary, report) {
    if (!summary) return 'Asking for the sweep\u2026';
    const {queued, running} = summary.states,
        ended = `${report.ended.toLocaleString('en')} of ${count(report.planned, 'trial')} ended`;
    if (running) return `Running: ${ended}, ${running} at work`;
    return queued ? `Not running: ${ended}, ${queued.toLocaleString('en')} to come` : ended;
}

const UNSEEN = 10000; // ms between two looks at how far a sweep is while nobody sees its page

/* While nobody looks, the title alone goes on. */
async function keepTitle(n, view) {
    for (;;) {
        await pause(UNSEEN);
        if (!document.hidden || !view.report) continue;
        const {files} = await ask('../../index').catch(() => ({files: []})),
            sweeps = files[n]?.sweeps ? objects(files[n].sweeps) : [],
            sweep = sweeps.find(s => s.sweep_id === view.summary.sweep.sweep_id);
        if (sweep && document.hidden) document.title = titleOf(sweep.sweep, endedOf(sweep), sweep.planned);
    }
}

/* Of a sweep of the n-th file. */
function livePage(n) {
    const live = {
        home: '../../',
        standing: ({summary, report}) =>
            standing(
                news.lost ? LOST : news.of(n).error || rounds.trouble,
                standingText(summary, report),
                summary?.states.running,
            ),
        more() {
            view.source.more();
            drawPage(view, id => id === 'trials');
            rounds.again();
        },
        /* Shows where the heads of the trial that is picked, or of the best one, look. */
        async look() {
            const picked = () => view.choice.trial || view.summary.best,
                trial = picked(),
                attention = await view.source.attention(trial).catch(({message}) => ({missing: trial, error: message}));
            if (trial !== picked() || attention === view.attention) return;
            view.attention = attention;
            drawPage(view, id => CHOICES.sequence.includes(id));
        },
    };
    const stand = () => drawAround(view),
        rounds = makeRounds(refresh, stand),
        news = listen('../../events', rounds.again, stand),
        view = newView(liveSource(n, news), live);
    async function refresh() {
        if (news.of(n).error) return;
        const first = !view.summary;
        if (first) view.source.file = (await ask('../../index')).files[n]?.file;
        await readView(view);
        if (first) {
            await beginPage(view);
        } else {
            await readTrial(view);
            drawPage(view);
        }
        live.look();
    }
    stand();
    keepTitle(n, view);
}
