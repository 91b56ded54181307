'use strict';

/* Figures and tables as files of their own, and texts on the clipboard. All is made here: nothing is asked for. */

/* What files are named after: drawPage sets it. */
const SAVED = {sweep: 'sweep'};

function fileName(title, ending) {
    const slug = text => text.normalize('NFKD').replace(/[^\w.]+/g, '-').replace(/^-+|-+$/g, '').toLowerCase().slice(0, 60);
    return `${[SAVED.sweep, title].map(slug).filter(Boolean).join('-')}.${ending}`;
}

function saveBlob(blob, name) {
    const href = URL.createObjectURL(blob);
    element('a', {href, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(href), 60000); // what is still being written keeps it
}

function saveButton(text, what, save) {
    return element(
        'button',
        {type: 'button', class: 'link', onclick: event => save(event.target)},
        text,
        element('span', {class: 'unseen'}, ` of ${plain(what)}`),
    );
}

/* ---- figures ---- */

/* What page.css gives to marks, which a file on its own has to say itself. */
const PRESENTED = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linejoin'],
    PRESENTED_TEXT = ['font-family', 'font-size', 'font-weight'];

/* A copy of a mark, with its style as attributes and without what leads elsewhere. */
function presented(mark) {
    const copy = mark.cloneNode(false),
        style = getComputedStyle(mark);
    for (const {name} of mark.attributes)
        if (/^(class|tabindex|role|data-.*|aria-.*)$/.test(name)) copy.removeAttribute(name);
    if (mark instanceof SVGGeometryElement || mark instanceof SVGTextContentElement)
        for (const name of PRESENTED) copy.setAttribute(name, style.getPropertyValue(name));
    if (mark instanceof SVGTextContentElement)
        for (const name of PRESENTED_TEXT) copy.setAttribute(name, style.getPropertyValue(name));
    for (const child of mark.childNodes)
        copy.append(child.nodeType === Node.ELEMENT_NODE ? presented(child) : child.cloneNode());
    return copy;
}

/* All that is drawn in a chart as one picture, on the colour of the page. */
function pictureOf(chart) {
    const box = chart.getBoundingClientRect(),
        [width, height] = [Math.ceil(box.width), Math.ceil(box.height)],
        fill = getComputedStyle(document.body).backgroundColor;
    const parts = [...chart.querySelectorAll('svg')].map(part => {
        const at = part.getBoundingClientRect(),
            copy = presented(part);
        for (const [name, value] of Object.entries({
            x: at.left - box.left,
            y: at.top - box.top,
            width: at.width,
            height: at.height,
        }))
            copy.setAttribute(name, round(value));
        return copy;
    });
    const names = [...chart.querySelectorAll('.name')].map(name => {
        const at = name.getBoundingClientRect(),
            color = getComputedStyle(name).color;
        return svg(
            'text',
            {x: round(at.left - box.left), y: round(at.bottom - box.top - 5), fill: color, 'font-family': 'sans-serif', 'font-size': 14},
            plain(name.textContent),
        );
    });
    const back = svg('rect', {width, height, fill});
    return svg('svg', {width, height, viewBox: `0 0 ${width} ${height}`}, back, parts, names);
}

function svgText(chart) {
    return new XMLSerializer().serializeToString(pictureOf(chart));
}

function saveFigure(title) {
    const textOf = button => svgText(button.closest('figure').querySelector('.chart'));
    return element(
        'p',
        {class: 'save'},
        'Save ',
        saveButton('SVG', title, button =>
            saveBlob(new Blob([textOf(button)], {type: 'image/svg+xml'}), fileName(plain(title), 'svg')),
        ),
    );
}

/* ---- tables ---- */

/* A field, so that no program that opens the file takes a text of a trial for a formula. */
function csvField(text) {
    const known = /^[=+@\t\r-]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(known) ? `"${known.replaceAll('"', '""')}"` : known;
}

/* A cell: of a number all its digits, else what is shown. */
function csvCell(cell_) {
    const {value} = cell_.dataset;
    return csvField(value !== undefined && value !== '' && Number.isFinite(Number(value)) ? value : cell_.textContent);
}

function csvOf(table_) {
    return [...table_.rows].map(row => `${[...row.cells].map(csvCell).join(',')}\r\n`).join('');
}

/* make: the table that is saved, where it has more than is shown. */
function saveTable(label_, make) {
    const tableOf = button => button.closest('.tabled').querySelector('table');
    return element(
        'p',
        {class: 'save'},
        'Save ',
        saveButton('CSV', label_, button =>
            saveBlob(new Blob([csvOf(make?.() ?? tableOf(button))], {type: 'text/csv'}), fileName(plain(label_), 'csv')),
        ),
    );
}

/* ---- the clipboard ---- */

/* Where a browser has no clipboard for this page, the text is marked for its own command. */
async function copyText(place) {
    try {
        await navigator.clipboard.writeText(place.textContent);
        return 'Copied.';
    } catch {
        getSelection().selectAllChildren(place);
        return document.execCommand('copy') ? 'Copied.' : 'It is marked: copy it with Ctrl-C.';
    }
}
