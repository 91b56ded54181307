'use strict';

/* The live page of a sweep. */

function standingText(summary, report) {
    if (!summary) return 'Asking for the sweep\u2026';
    const {queued, running} = summary.states,
        ended = `${report.ended.toLocaleString('en')} of ${count(report.planned, 'trial')} ended`;
    if (running) return `Running: ${ended}, ${running} at work`;
    return queued ? `Not running: ${ended}, ${queued.toLocaleString('en')} to come` : `Ended: ${ended}`;
}

function livePage(file) {
    const live = {
        home: '../../',
        standing: ({summary, report}) =>
            standing(
                lost(news) || news.of(file).error || news.trouble,
                standingText(summary, report),
                summary?.states.running,
            ),
        async more() {
            view.source.more();
            await refresh();
        },
        /* Shows where the heads of a trial look as soon as that is known. */
        async look(trial) {
            const attention = await view.source.attention(trial).catch(() => ({missing: trial}));
            if (trial !== view.choice.trial) return;
            view.attention = attention;
            drawPage(view, id => id === 'attention');
        },
    };
    const news = follow('../../events', refresh, () => drawAround(view)),
        view = newView(liveSource(file, news), live);
    async function refresh() {
        if (news.of(file).error) return;
        const first = !view.summary;
        if (first) view.source.file = (await ask('../../index')).files[file]?.file;
        await readView(view);
        drawPage(view);
        if (first) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    }
    drawAround(view);
    printWhole(view);
}
