'use strict';

/* The live page. */

async function ask(address) {
    const answer = await fetch(address),
        piece = await answer.json();
    if (!answer.ok) throw new Error(piece.error);
    return piece;
}

/* A sweep's page lies at /F/S/, and what it asks for beneath it. */
function liveSource(file) {
    return {
        file,
        summary: () => ask('summary'),
        trials: () => ask('trials'),
        curves: async trials => (await ask(`curves?trials=${trials.slice(0, 100).join()}`)).curves,
        heads: trial => ask(`heads?trial=${trial}`),
        attention: trial => ask(`attention?trial=${trial ?? 0}`),
    };
}

new EventSource('../../events');
show(liveSource(''));
