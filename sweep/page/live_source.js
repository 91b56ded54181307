'use strict';

/* What a server is asked for. Addresses are relative to the page's own: the list lies at the root, the
 * page of a sweep at F/S/ beneath it, and its pieces beneath that. */

const TRIALS_AT_ONCE = 1000,
    CURVES_AT_ONCE = 100,
    CURVES_MAX = 1000;

/* What it throws is `refused` where the server will say the same again: asking is of no use before there is news. */
async function ask(address) {
    const answer = await fetch(address).catch(() => {
        throw new Error(LOST);
    });
    const piece = await answer.json().catch(() => ({error: `The server says ${answer.status}.`}));
    if (!answer.ok || piece.error) throw Object.assign(new Error(piece.error), {refused: answer.status >= 400 && answer.status < 500});
    return piece;
}

/* How many points of each of n curves are asked for. */
function pointsOf(n) {
    return Math.min(500, Math.max(12, Math.floor(20000 / n)));
}

/* What the curve of a trial is known by: it grows while the trial runs, and begins anew with an attempt. */
function curveState(trial, version) {
    return trial.state === 'running' ? version : `${trial.state} ${trial.attempt} ${trial.ended}`;
}

/* A sweep of the n-th file. Answers are kept as long as `news` (live_news.js) has nothing newer of it. */
function liveSource(n, news) {
    const kept = new Map(),
        curves = new Map(); // of a trial_id: {curve, state, version, again}
    async function once(address, version, name = address) {
        const last = kept.get(name);
        if (last && last.version === version) return last.answer;
        const answer = await ask(address);
        kept.set(name, {version, answer});
        return answer;
    }
    /* What changed is asked for once more later, as the first answer may be from just before. */
    function isDue(trial, version) {
        const last = curves.get(trial.trial_id);
        return !last || last.state !== curveState(trial, version) || (last.again && last.version !== version);
    }
    async function askCurves(trials, most, version) {
        const found = (await ask(`curves?trials=${trials.map(t => t.trial_id)}&most=${most}`)).curves,
            of = new Map(found.map(c => [c.trial, c]));
        for (const t of trials) {
            const last = curves.get(t.trial_id),
                state = curveState(t, version);
            curves.set(t.trial_id, {curve: of.get(t.trial_id), state, version, again: last && last.state !== state});
        }
    }
    return {
        file: '',
        most: 2 * TRIALS_AT_ONCE,
        summary: () => once('summary', news.of(n).summary),
        heads: () => once('heads?trial=0', news.of(n).summary),
        trial: trial => once(`trial?trial=${trial}`, `${news.of(n).version} ${trial}`, 'trial'),
        attention: trial => once(`attention?trial=${trial}`, trial, 'attention'),
        async trials() {
            const {version} = news.of(n),
                rows = [];
            let page = {next: 0};
            while (rows.length < this.most && page.next !== null) {
                page = await once(`trials?after=${page.next}&most=${TRIALS_AT_ONCE}`, version);
                rows.push(...(await unpacked(page.trials)));
            }
            return {total: page.total, trials: rows};
        },
        async curves(trials) {
            const {version} = news.of(n),
                begun = trials.filter(t => t.attempt > 0).slice(0, CURVES_MAX),
                due = begun.filter(t => isDue(t, version));
            const parts = Array.from({length: Math.ceil(due.length / CURVES_AT_ONCE)}, (_, i) =>
                due.slice(i * CURVES_AT_ONCE, (i + 1) * CURVES_AT_ONCE),
            );
            await Promise.all(parts.map(part => askCurves(part, pointsOf(trials.length), version)));
            return begun.map(t => curves.get(t.trial_id).curve).filter(Boolean);
        },
        more() {
            this.most += TRIALS_AT_ONCE;
        },
    };
}
