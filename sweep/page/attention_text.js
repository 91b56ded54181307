'use strict';

/* Where heads look in a text: its bytes at the axes of a map, and how far back a head looks. */

/* A byte where there is room for a word. */
function byteName(byte) {
    const named = {9: '\\t', 10: '\\n', 13: '\\r', 32: 'space'};
    if (byte > 32 && byte < 127) return String.fromCharCode(byte);
    return named[byte] ?? `\\x${byte.toString(16).padStart(2, '0')}`;
}

/* A byte where there is room for a character. */
function byteSign(byte) {
    return byte > 32 && byte < 127 ? String.fromCharCode(byte) : byte === 10 ? '\u21b5' : '\u00b7';
}

/* Squares of one unit, with the byte of each row and column beside it. */
function withBytes(paths, bytes) {
    const T = bytes.length,
        unit = 10,
        room = 14;
    const sign = (x, y, byte) => svg('text', {x, y, 'text-anchor': 'middle'}, byteSign(byte));
    return {
        viewBox: `${-room} ${-room} ${unit * T + room} ${unit * T + room}`,
        children: [
            svg('g', {transform: `scale(${unit})`}, paths),
            bytes.map((byte, i) => [sign(-room / 2, unit * i + 8, byte), sign(unit * i + unit / 2, -4, byte)]),
        ],
    };
}

/* Letters, digits and what is beyond ASCII. */
function isOfWord(byte) {
    return /[0-9A-Za-z_]/.test(String.fromCharCode(byte)) || byte > 127;
}

/* Of each byte the number of its word, and of the word before: its own less one or, between words,
 * the last one. Numbers that no byte has stand for none. */
function wordsOf(bytes) {
    let words = -1,
        inside = false;
    return bytes.map(byte => {
        const of = isOfWord(byte);
        if (of && !inside) words++;
        inside = of;
        return of ? {own: words, before: words - 1} : {own: null, before: words};
    });
}

/* What a head gives, on average over the queries that have a byte before them, to the query's own
 * byte, to the one before, to the rest of its word, to the word before, and elsewhere; and how many bytes
 * away it looks. weights: (T,T), 255 is 1. */
function lookBack(weights, bytes) {
    const T = bytes.length,
        words = wordsOf(bytes);
    const sum = {distance: 0, self: 0, byte: 0, word: 0, wordBefore: 0, elsewhere: 0};
    for (let i = 1; i < T; i++)
        for (let k = 0; k < T; k++) {
            const weight = weights[i * T + k] / 255 / (T - 1);
            sum.distance += weight * Math.abs(i - k);
            if (k === i) sum.self += weight;
            else if (k === i - 1) sum.byte += weight;
            else if (words[i].own !== null && words[k].own === words[i].own) sum.word += weight;
            else if (words[k].own !== null && words[k].own === words[i].before) sum.wordBefore += weight;
            else sum.elsewhere += weight;
        }
    return sum;
}

function lookBackTable(maps, bytes) {
    const share = (title, member, hint) => column(title, member, two, {hint});
    return [
        element(
            'p',
            {class: 'note'},
            'How far the heads look on this sequence: mean distance in bytes, and the shares of their attention, on ' +
                'average over all bytes but the first. A word is a run of letters, digits and bytes beyond ASCII.',
        ),
        scrolling(
            'Table: how far the heads look',
            table(
                'How far the heads look',
                [
                    column('Head', 'name', undefined, WORDS),
                    column('Distance', 'distance', two),
                    share('Itself', 'self'),
                    share('Byte before', 'byte', 'also where it is of the same word'),
                    share('Rest of its word', 'word'),
                    share('Word before', 'wordBefore', 'but for the byte before'),
                    share('Elsewhere', 'elsewhere'),
                ],
                maps.map(m => ({name: m.name, ...lookBack(m.weights, bytes)})),
            ),
        ),
    ];
}
