'use strict';

/* Which heads of a trial look alike, by their maps. */

const ALIKE_PAIRS = 10; // the most alike ones are listed
const ALIKE_SHARE = 0.5; // from which two heads are said to look alike

/* The share of their attention that two heads give to the same keys, on average over queries and sequences: 1 less
 * the total variation between their weights. */
function overlapOf(x, y, rows) {
    let shared = 0;
    for (let s = 0; s < x.length; s++) {
        const [a, b] = [x[s].weights, y[s].weights];
        for (let i = 0; i < a.length; i++) shared += a[i] < b[i] ? a[i] : b[i];
    }
    return shared / (255 * rows);
}

/* All pairs, the most alike first. */
function alikePairs(a) {
    const heads = Array.from({length: a.layers * a.heads}, () => []);
    for (let sequence = 0; sequence < a.sequences; sequence++)
        mapsOf(a, sequence).forEach((map, h) => heads[h].push(map));
    const pairs = heads.flatMap((x, i) =>
        heads.slice(i + 1).map(y => ({
            pair: `${x[0].name} and ${y[0].name}`,
            share: overlapOf(x, y, a.length * a.sequences),
        })),
    );
    return pairs.sort((x, y) => y.share - x.share);
}

/* What there is to say of the pair that is most alike. */
function alikeText({pair, share}) {
    const alike = share >= ALIKE_SHARE ? `${capital(pair)} look most alike` : `No two heads look alike; nearest are ${pair}`;
    return (
        `${alike}: ${two(share)} of their attention goes to the same keys, on average over the sequences here.` +
        (share >= ALIKE_SHARE ? ' What they read there may differ.' : '')
    );
}

const OVERLAPS = new WeakMap(); // by attention, of which they are computed once

function alikeTable(a) {
    if (!OVERLAPS.has(a)) OVERLAPS.set(a, alikePairs(a));
    const pairs = OVERLAPS.get(a);
    if (!pairs.length) return null;
    const left = pairs.length - ALIKE_PAIRS;
    return [
        element('p', {class: 'note'}, alikeText(pairs[0])),
        pairs.length > 1
            ? scrolling(
                  'Heads that look alike',
                  table(
                      `Pairs of heads, the most alike first${left > 0 ? `, and ${left.toLocaleString('en')} more` : ''}`,
                      [column('Heads', 'pair', undefined, WORDS), column('Same keys', 'share', two)],
                      pairs.slice(0, ALIKE_PAIRS),
                  ),
              )
            : null,
    ];
}
