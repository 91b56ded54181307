'use strict';

/* What the server tells of its own accord, as server-sent events: of each of its files
 * {file, version, summary, error}, of which version changes with the file, and summary as soon as there is a
 * new summary of one of its sweeps. */

const FIRST_WORD = 700, // ms that the server has for it before it is asked without
    REST = 500, // ms at least between two rounds of questions
    AGAIN = 3000; // ms after one that failed

function pause(ms) {
    return new Promise(done => setTimeout(done, ms));
}

/* Calls refresh when there is news, once at a time, and the more seldom the longer it takes; stand when
 * something changed in
 *
 *   lost       whether the connection is
 *   trouble    why the last refresh failed, or ''
 *   of(file)   what the server said last of a file; versions of two connections always differ
 *
 * which it returns. While nobody looks at the page it does not listen: browsers have few connections to a
 * server, and all of its pages share them. */
function follow(address, refresh, stand) {
    const files = new Map();
    const news = {lost: false, trouble: '', of: file => files.get(file) ?? {version: NaN, summary: NaN}};
    let events = null,
        opened = 0,
        due = false,
        busy = false;
    async function next() {
        if (busy || !due || document.hidden) return;
        busy = true;
        due = false;
        const began = performance.now();
        try {
            await refresh();
            news.trouble = '';
        } catch (error) {
            news.trouble = error.message;
            due = !news.lost;
        }
        stand();
        await pause(news.trouble ? AGAIN : Math.max(REST, 5 * (performance.now() - began)));
        busy = false;
        next();
    }
    function told() {
        due = true;
        next();
    }
    function open() {
        opened++;
        events = new EventSource(address);
        events.addEventListener('file', event => {
            const said = JSON.parse(event.data);
            const [version, summary] = [said.version, said.summary].map(n => `${opened} ${n}`);
            files.set(said.file, {...said, version, summary});
            told();
        });
        events.onopen = () => {
            news.lost = false;
            stand();
        };
        events.onerror = () => {
            news.lost = true;
            opened++; // it comes back by itself
            if (events.readyState === EventSource.CLOSED) setTimeout(reopen, AGAIN);
            stand();
        };
    }
    function reopen() {
        events.close();
        if (!document.hidden) open();
    }
    document.addEventListener('visibilitychange', reopen);
    open();
    setTimeout(() => files.size || told(), FIRST_WORD);
    return news;
}

function lost(news) {
    return news.lost ? 'The connection is lost; trying again.' : '';
}

/* How a page stands: what hinders it, else what it has to say. */
function standing(trouble, says, running) {
    return element(
        'p',
        {role: 'status', class: `standing ${trouble ? 'trouble' : running ? 'running' : ''}`},
        foreign(trouble || says),
    );
}
