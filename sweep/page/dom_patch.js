'use strict';

/* Makes a part of the page what another is without replacing what is alike, so that what the reader does
 * with it stays: where the focus is, what is open, how far it is scrolled, what is marked. */

/* What an element has beside its attributes: what it does and what it was set to. */
const MEMBERS = ['onclick', 'onchange', 'oninput', 'draw', 'plot', 'checked', 'value'];

function alike(a, b) {
    return a.nodeName === b.nodeName && a.id === b.id;
}

/* made is used up. */
function patchDom(old, made) {
    if (old.nodeType === Node.TEXT_NODE) {
        if (old.data !== made.data) old.data = made.data;
        return;
    }
    for (const {name, value} of made.attributes)
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    for (const {name} of [...old.attributes])
        if (!made.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
    if (!made.draw) becomeList(old, [...made.childNodes]);
    for (const member of MEMBERS) if (old[member] !== made[member]) old[member] = made[member];
    if (old.draw) drawChart(old);
}

/* The same with all that is in an element. */
function becomeList(old, list) {
    let at = old.firstChild;
    for (const made of list) {
        let same = at;
        while (same && !alike(same, made)) same = same.nextSibling;
        if (!same) {
            old.insertBefore(made, at);
            continue;
        }
        while (at !== same) at = removed(at);
        patchDom(at, made);
        at = at.nextSibling;
    }
    while (at) at = removed(at);
}

/* Removes a node; returns the next one. */
function removed(node) {
    const next = node.nextSibling;
    node.remove();
    return next;
}
