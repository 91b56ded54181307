'use strict';

/* The live page of sweeps side by side: those of the n-th file that the address names. */

function liveComparison(n) {
    let shown = null, // news that it is of
        refusal = null; // why there is no answer to these
    const live = {
        home: '../../',
        standing: () => standing(news.lost ? LOST : news.of(n).error || rounds.trouble, compared(), running()),
    };
    const rounds = makeRounds(refresh, () => drawComparison(view)),
        news = listen('../../events', rounds.again, () => drawComparison(view)),
        view = newComparison(live);
    function running() {
        return view.sweeps?.some(({report}) => report.ended < report.planned);
    }
    function compared() {
        if (!view.sweeps) return 'Asking for the sweeps\u2026';
        return view.sweeps.map(({letter, report}) => `${letter}: ${report.ended.toLocaleString('en')} of ${count(report.planned, 'trial')} ended`).join(', ');
    }
    function keepRefusal(failure) {
        if (!failure.refused) throw failure;
        refusal = failure;
    }
    async function refresh() {
        const {error, summary} = news.of(n);
        if (error) return;
        if (shown !== summary) {
            const answer = await ask(`comparison${location.search}`).catch(keepRefusal);
            shown = summary;
            if (answer) {
                refusal = null;
                setComparison(view, answer);
                drawComparison(view);
            }
        }
        if (refusal) throw refusal;
    }
    drawComparison(view);
    window.addEventListener('hashchange', () => followSetting(view));
}
