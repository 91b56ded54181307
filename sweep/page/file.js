'use strict';

/* The page in a file. */

function fileSource(all) {
    return {
        file: all.file,
        summary: async () => all.summary,
        trials: async () => ({total: all.trials.total, trials: await unpacked(all.trials.trials)}),
        curves: async trials => {
            const wanted = new Set(trials.map(t => t.trial_id));
            return all.curves.filter(c => wanted.has(c.trial));
        },
        trial: async trial => all.details.find(d => d.trial === trial) ?? null,
        heads: async () => all.heads,
        attention: async () => all.attention,
    };
}

async function beginSweep(all) {
    const view = newView(fileSource(all), null);
    await readView(view);
    view.attention = await view.source.attention();
    makeFrame();
    await beginPage(view);
}

function beginComparison({compared}) {
    const view = newComparison(null);
    setComparison(view, compared);
    makeFrame();
    drawComparison(view);
    window.addEventListener('hashchange', () => followSetting(view));
}

function begin() {
    const all = JSON.parse(document.getElementById('data').textContent);
    return all.compared ? beginComparison(all) : beginSweep(all);
}

begin();
