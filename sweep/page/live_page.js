'use strict';

/* The live page of a sweep. */

function standingText(summary, report) {
    if (!summary) return 'Asking for the sweep\u2026';
    const {queued, running} = summary.states,
        ended = `${report.ended.toLocaleString('en')} of ${count(report.planned, 'trial')} ended`;
    if (running) return `Running: ${ended}, ${running} at work`;
    return queued ? `Not running: ${ended}, ${queued.toLocaleString('en')} to come` : ended;
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
        /* Shows where the heads of the trial that is wanted look. */
        async look() {
            const trial = wantedMaps(view),
                attention = await view.source.attention(trial).catch(({message}) => ({missing: trial, error: message}));
            if (trial !== wantedMaps(view) || attention === view.attention) return;
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
}
