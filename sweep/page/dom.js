'use strict';

const SVG = 'http://www.w3.org/2000/svg';

/* Characters that a browser would obey instead of showing: controls, invisible ones, and what turns
 * the direction of writing around. */
const OBEYED =
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/u;

/* Foreign text as nodes: what would be obeyed is named instead, and its direction stays its own. */
function foreign(text) {
    const isolated = document.createElement('bdi');
    for (const part of String(text ?? '').split(new RegExp(`(${OBEYED.source})`, 'u'))) {
        if (!part) continue;
        if (!OBEYED.test(part)) {
            isolated.append(part);
            continue;
        }
        const code = part.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
        isolated.append(part === '\t' ? '\t' : element('span', {class: 'control'}, `U+${code}`));
    }
    return isolated;
}

/* The same where only text is possible (labels, attributes). */
function plain(text) {
    return String(text ?? '').replace(new RegExp(OBEYED.source, 'gu'), '\ufffd');
}

/* A sentence's numbers as the page writes them: p = .031 on one line, and a minus that is no hyphen. */
function asWritten(text) {
    return text
        .replace(/\bp ([=<]) \./g, 'p\u00a0$1\u00a0.')
        .replace(/(^|[ (])-(?=\.?\d)/g, '$1\u2212');
}

/* A sentence of a report: what stands between backquotes is a name of the program's. */
function said(sentence) {
    return sentence
        .split('`')
        .map((part, i) => (i % 2 ? element('code', {}, foreign(part)) : foreign(asWritten(part))));
}

function build(made, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (typeof value === 'function') made[name] = value;
        else if (value !== undefined && value !== null && value !== false)
            made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== ''));
    return made;
}

function element(name, attributes, ...children) {
    return build(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
    return build(document.createElementNS(SVG, name), attributes, children);
}

/* ---- numbers for people ---- */

const ZERO = /^-?[0.]+$/; // which has no sign

function fixed(x, decimals = 3) {
    if (x === null || x === undefined) return '';
    const text = x.toFixed(decimals);
    return text.replace('-', ZERO.test(text) ? '' : '\u2212');
}

function signed(x, decimals = 3) {
    const text = fixed(x, decimals);
    return x > 0 && !ZERO.test(text) ? `+${text}` : text;
}

/* A p value in a column of its own; digits as sentences have them. */
function probability(p) {
    if (p === null || p === undefined) return '';
    return p < 0.0001 ? '< .0001' : String(Number(p.toPrecision(3))).replace(/^0\./, '.');
}

/* "p = .031", "p < .0001". */
function probabilityText(p) {
    const text = probability(p);
    return (text.startsWith('<') ? `p ${text}` : `p = ${text}`).replaceAll(' ', '\u00a0');
}

/* 12256: "12.3 k". */
function quantity(x) {
    if (x === null || x === undefined) return '';
    const units = [
        [1e12, ' T'],
        [1e9, ' G'],
        [1e6, ' M'],
        [1e3, ' k'],
    ];
    const [size, unit] = units.find(([from]) => Math.abs(x) >= from) ?? [1, ''];
    return String(Number((x / size).toPrecision(3))) + unit;
}

function seconds(s) {
    if (s === null || s === undefined) return '';
    if (s < 60) return `${Number(s.toPrecision(2))} s`;
    if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
    return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
}

/* "2026-11-21T18:43:45.441Z": "2026-11-21 18:43:45 UTC". */
function time(text) {
    return String(text ?? '').replace(/^([0-9-]+)T([0-9:]+)(\.[0-9]+)?Z$/, '$1 $2 UTC');
}

function count(n, one, many = `${one}s`) {
    return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

/* ---- tables ---- */

/* Ways to show a number in a table. */
const four = v => fixed(v, 4),
    signedFour = v => signed(v, 4),
    three = v => fixed(v, 3),
    two = v => fixed(v, 2),
    one = v => fixed(v, 1);
const threeDigits = v => (v === null ? '' : String(Number(v.toPrecision(3))));
const yes = v => (v ? 'yes' : ''),
    spaced = v => v.replaceAll('_', ' ');

/* A column of a table: {title, value: row => ..., show: value => text or node}, and of `more` number
 * (false: of words), hint, optional (left out where it would be empty). Here the value is a member. */
function column(title, member, show, more) {
    return {title, value: row => row[member], show, ...more};
}

const OPTIONAL = {optional: true},
    WORDS = {number: false};

/* Columns as the summary describes them. unit: what n counts. */
const SHOWS = {four, signedFour, signed: v => signed(v), three, two, one, yes, quantity, threeDigits, probability, spaced};
function columnsOf(list, unit) {
    return list.map(c => ({
        ...c,
        value: row => (c.empty_zero ? row[c.key] || null : row[c.key]),
        show: SHOWS[c.show],
        number: c.words ? false : undefined,
        hint: c.hint?.replace('{unit}', unit),
    }));
}

/* A cell keeps the value that it was made from, with all digits, in data-value. */
function cell(of, row, first) {
    const value = of.value(row);
    const content = of.show ? of.show(value, row) : value;
    const number = of.number ?? (typeof value === 'number' || value === null);
    return element(
        first ? 'th' : 'td',
        {
            scope: first ? 'row' : undefined,
            class: number ? 'number' : undefined,
            'data-value': value === null || value === undefined || typeof value === 'object' ? undefined : plain(value),
        },
        content instanceof Node || content === null || content === undefined
            ? content
            : typeof content === 'string'
              ? foreign(content)
              : String(content),
    );
}

/* Numbers stand to the right; a long title gets room, as it would be a tower of words over them. */
function headClass({title, number}) {
    return [number === false ? '' : 'number', title.length > 14 ? 'long' : ''].filter(Boolean).join(' ') || undefined;
}

function table(caption, columns, rows) {
    const used = columns.filter(c => !c.optional || rows.some(r => !isEmpty(c.value(r))));
    return element(
        'table',
        {},
        element('caption', {}, caption),
        element(
            'thead',
            {},
            element(
                'tr',
                {},
                used.map(c =>
                    element(
                        'th',
                        {scope: 'col', title: c.hint, class: headClass(c)},
                        c.title,
                    ),
                ),
            ),
        ),
        element(
            'tbody',
            {},
            rows.map(row =>
                element(
                    'tr',
                    {},
                    used.map((c, i) => cell(c, row, i === 0)),
                ),
            ),
        ),
    );
}

function isEmpty(value) {
    return value === null || value === undefined || value === '' || value === false;
}

/* What may be wider than the page scrolls by itself, by keyboard too. Of a table more may be saved than is
 * shown: all() makes that. */
function scrolling(label, content, all) {
    const scroll = element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label}, content);
    return element('div', {class: 'tabled'}, scroll, saveTable(label, all));
}

const SCROLLED = '.scroll, nav';

/* Says of what scrolls whether there is more of it, and where. */
function markWide(list = document.querySelectorAll(SCROLLED)) {
    for (const e of list) {
        const left = e.scrollWidth - e.clientWidth;
        e.classList.toggle('wide', left > 1);
        e.classList.toggle('end', left > 1 && e.scrollLeft >= left - 1);
    }
}

/* What is not on this page, and the command that would make it. */
function missing(says, command, does) {
    return element('p', {class: 'missing'}, says, element('code', {}, command), does);
}

function controls(...list) {
    return element('div', {class: 'controls'}, ...list);
}

/* A labelled choice; choose gets the value of the option that was taken. */
function picker(text, options, chosen, choose, name) {
    return element(
        'label',
        {class: 'picker'},
        element('span', {}, text),
        element(
            'select',
            {name, onchange: event => choose(event.target.value)},
            options.map(([value, shown]) =>
                element('option', {value, selected: String(value) === String(chosen)}, plain(shown)),
            ),
        ),
    );
}
