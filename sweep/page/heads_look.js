'use strict';

/* What heads look at, and heads in groups that look at the same. A look is {name, share, rank}: where most of a
 * head's attention goes, how much of it, and where its group stands among others. */

/* In a text: the shares of lookBack, nearest first. */
const LOOKS_OF_TEXT = [
    ['self', 'itself'],
    ['byte', 'the byte before'],
    ['word', 'the rest of the word'],
    ['wordBefore', 'the word before'],
    ['elsewhere', 'elsewhere'],
];

const MOSTLY = 0.5, // as in `headcount heads`: what gets less is not what a head looks at
    SEVERAL = {name: 'several places', rank: Infinity};

const ORDERS = [
    ['number', 'by number'],
    ['measure', 'by this measure'],
    ['looks', 'by what they look at'],
];

function isOfText(view) {
    return view.settings[0]?.rows[0]?.task === 'text';
}

function textLook(sum) {
    const [share, name, rank] = LOOKS_OF_TEXT.map(([member, named], i) => [sum[member], named, i]).sort((x, y) => y[0] - x[0])[0];
    return {share, ...(share >= MOSTLY ? {name, rank} : SEVERAL)};
}

/* Over all sequences that a page has of a trial. */
function looksOfText(a) {
    const sums = Array.from({length: a.layers * a.heads}, () => ({}));
    for (let sequence = 0; sequence < a.sequences; sequence++) {
        const bytes = a.inputs[sequence].map(([byte]) => byte);
        mapsOf(a, sequence).forEach(({weights}, h) => {
            for (const [member, value] of Object.entries(lookBack(weights, bytes)))
                sums[h][member] = (sums[h][member] ?? 0) + value / a.sequences;
        });
    }
    return sums.map(textLook);
}

/* Of each head of a trial, in their order by layer and number, its look; []: nobody knows. Of a text, its maps tell; else
 * what `heads` has measured. */
function looksOf(view, id) {
    if (isOfText(view)) return view.attention?.trial === id ? looksOfText(view.attention) : [];
    const rows = view.heads.filter(r => r.trial_id === id && r.main_slot !== null);
    return rows.map(({main_slot: slot, main_mass: share}) => ({
        share,
        ...(share >= MOSTLY ? {name: `place ${slot}`, rank: slot} : SEVERAL),
    }));
}

/* The order that the reader wants; by looks and by a measure only where there are any. */
function headOrder(view, looks, measured) {
    const {order} = view.choice;
    return (order === 'looks' && looks.length) || (order === 'measure' && measured) ? order : 'number';
}

function orderPicker(view, looks, measured) {
    const orders = ORDERS.filter(([o]) => o === 'number' || (o === 'looks' ? looks.length : measured));
    return orders.length > 1
        ? picker('Order', orders, headOrder(view, looks, measured), value => view.choose({order: value}))
        : null;
}

/* Heads with their looks, in groups of the same look: [{name, heads}], in each the most decided first. */
function groupedByLook(heads) {
    const of = grouped(heads, head => head.look.name);
    return [...of]
        .map(([name, list]) => ({name, heads: list.sort((a, b) => b.look.share - a.look.share)}))
        .sort((a, b) => a.heads[0].look.rank - b.heads[0].look.rank);
}

/* Heads in the order that is wanted: [{name, heads}]; without groups one that has no name. value: of a head, by the
 * measure. */
function orderedHeads(heads, order, value) {
    if (order === 'looks') return groupedByLook(heads);
    return [{name: null, heads: order === 'measure' ? [...heads].sort((a, b) => value(b) - value(a)) : heads}];
}

function lookText({name, share}) {
    return name === SEVERAL.name ? name : `${name}, ${two(share)} of it`;
}
