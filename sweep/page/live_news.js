'use strict';

/* What the server tells of its own accord, as server-sent events: of each of its files
 * {file, version, summary, error}, of which version changes with the file, and summary as soon as there is a
 * new summary of one of its sweeps. And when the server is asked for the rest. */

const FIRST_WORD = 700, // ms that the server has for it before it is asked without
    PAUSE = [500, 5000], // ms between two rounds of questions, as they take short or long
    AGAIN = 3000; // ms after one that failed; one that was refused waits for news

const LOST = 'The connection is lost; trying again.';

function pause(ms) {
    return new Promise(done => setTimeout(done, ms));
}

/* Asks a round of questions after each call of again(), one round at a time, and the more seldom the longer
 * they take. trouble says why the last one failed, or ''; ended is called when that is known. */
function makeRounds(askAll, ended) {
    const rounds = {trouble: '', again};
    let due = false,
        busy = false;
    function again() {
        due = true;
        if (!busy) askDue();
    }
    async function askDue() {
        busy = true;
        while (due && !document.hidden) {
            const began = performance.now();
            due = false;
            const failure = await askAll().then(
                () => null,
                error => error,
            );
            rounds.trouble = failure?.message ?? '';
            ended();
            due ||= failure !== null && !failure.refused;
            const idle = Math.min(Math.max(5 * (performance.now() - began), PAUSE[0]), PAUSE[1]);
            await pause(rounds.trouble ? AGAIN : idle);
        }
        busy = false;
    }
    return rounds;
}

/* Listens to the server; told is called at each word of it, changed when the connection is lost or back:
 *
 *   lost       whether it is lost
 *   of(file)   the last word about a file; versions of two connections always differ
 *
 * While nobody looks at the page it does not listen: a browser has few connections to a server, which all
 * of its pages share. */
function listen(address, told, changed) {
    const files = new Map(),
        news = {lost: false, of: file => files.get(file) ?? {version: NaN, summary: NaN}};
    let events = null,
        connection = 0;
    function hear({data}) {
        const said = JSON.parse(data),
            [version, summary] = [said.version, said.summary].map(n => `${connection} ${n}`);
        files.set(said.file, {...said, version, summary});
        told();
    }
    function change(lost) {
        news.lost = lost;
        connection += lost; // the browser makes the next one
        changed();
    }
    function open() {
        events?.close();
        if (document.hidden) return;
        connection++;
        events = new EventSource(address);
        events.onopen = () => change(false);
        events.onerror = () => {
            change(true);
            if (events.readyState === EventSource.CLOSED) setTimeout(open, AGAIN);
        };
        events.addEventListener('file', hear);
    }
    document.addEventListener('visibilitychange', open);
    open();
    setTimeout(() => files.size || told(), FIRST_WORD);
    return news;
}

/* How a page stands: what hinders it, else what it has to say. */
function standing(trouble, says, running) {
    return element(
        'p',
        {role: 'status', class: `standing ${trouble ? 'trouble' : running ? 'running' : ''}`},
        foreign(trouble || says),
    );
}
