'use strict';

/* What charts are drawn with: scales, axes, marks. Sizes are CSS pixels; colours are classes of
 * page.css, so that light, dark and print need no drawing anew. */

/* Round values within [low, high], about `most` of them. */
function ticks(low, high, most) {
    const raw = (high - low) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(raw || 1));
    const step = [1, 2, 2.5, 5, 10].map(k => k * power).find(s => s >= raw * 0.999) ?? 10 * power;
    const list = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
        list.push(Number((k * step).toPrecision(12)));
    return list;
}

function logTicks(low, high) {
    const list = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
        for (const k of high / low > 300 ? [1] : [1, 2, 5])
            if (k * 10 ** e >= low * 0.999 && k * 10 ** e <= high * 1.001) list.push(k * 10 ** e);
    return list;
}

function linear(low, high, from, to) {
    const span = high - low || 1;
    return x => from + ((x - low) / span) * (to - from);
}

function logarithmic(low, high, from, to) {
    const scale = linear(Math.log(low), Math.log(high), from, to);
    return x => scale(Math.log(x));
}

/* A range with some air around the values, within the bounds. */
function padRange(values, bounds = [-Infinity, Infinity]) {
    const known = values.filter(v => v !== null && v !== undefined && Number.isFinite(v));
    let low = known.reduce((a, b) => Math.min(a, b), Infinity);
    let high = known.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!known.length) return [0, 1];
    const air = (high - low) * 0.06 || Math.abs(high) * 0.02 || 0.5;
    low = Math.max(low - air, bounds[0]);
    high = Math.min(high + air, bounds[1]);
    return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/* A chart's height for its width. */
function heightOf(width) {
    return Math.min(380, Math.max(240, width * 0.5));
}

function label(x, y, text, options = {}) {
    return svg('text', {x, y, 'text-anchor': options.anchor ?? 'start', class: options.class ?? 'label'}, plain(text));
}

/* All ticks of a scale with as many decimals. */
function tickText(list) {
    const decimals = Math.max(0, ...list.map(t => (String(t).split('.')[1] ?? '').length));
    return t => fixed(t, decimals);
}

/* The frame of a chart with a vertical scale of numbers: where the marks go, and the scale. */
function frame(width, height, yRange, options = {}) {
    const left = options.left ?? 46,
        right = options.right ?? 12,
        top = options.top ?? 22,
        bottom = options.bottom ?? 36;
    const y = linear(yRange[0], yRange[1], height - bottom, top + 5);
    const root = svg('svg', {
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-label': plain(options.label),
    });
    const list = ticks(yRange[0], yRange[1], (height - top - bottom) / 44),
        show = tickText(list);
    for (const t of list)
        root.append(
            svg('line', {x1: left, x2: width - right, y1: y(t), y2: y(t), class: 'grid'}),
            label(left - 6, y(t) + 4, show(t), {anchor: 'end'}),
        );
    if (options.yTitle) root.append(label(4, 12, options.yTitle, {class: 'axis'}));
    if (options.xTitle) root.append(label(width - right, height - 4, options.xTitle, {anchor: 'end', class: 'axis'}));
    return {root, y, left, right: width - right, top, bottom: height - bottom};
}

/* A scale of evenly spaced names along the bottom; at(i) is the middle of the i-th. */
function categories(f, names) {
    const step = (f.right - f.left) / names.length;
    const at = i => f.left + (i + 0.5) * step;
    const every = Math.ceil((names.reduce((w, n) => Math.max(w, String(n).length), 1) * 7.5) / step);
    names.forEach((name, i) => {
        if (i % every === 0) f.root.append(label(at(i), f.bottom + 16, name, {anchor: 'middle'}));
    });
    return {at, step};
}

/* A logarithmic scale of head counts along the bottom, in their order: at(i) is where the i-th stands, step the
 * least room that one has, from(i) where its room begins and from(i + 1) where it ends. */
function headCounts(f, heads) {
    const logs = heads.map(Math.log2),
        gaps = logs.slice(1).map((l, i) => l - logs[i]);
    const span = logs.at(-1) - logs[0],
        gap = gaps.length ? Math.min(...gaps) : 1,
        width = f.right - f.left;
    const margin = span ? Math.max(((gap / 2) * width) / (span + gap), Math.min(24, width / 8)) : width / 2;
    const at = i => (span ? linear(logs[0], logs.at(-1), f.left + margin, f.right - margin)(logs[i]) : f.left + margin);
    const from = i => (i === 0 ? f.left : i === heads.length ? f.right : (at(i - 1) + at(i)) / 2);
    bottomTicks(f, at, [...heads.keys()], i => String(heads[i]));
    return {at, from, step: span ? (gap * (width - 2 * margin)) / span : width};
}

/* Ticks of a numeric scale along the bottom. */
function bottomTicks(f, scale, list, show) {
    let end = -Infinity;
    for (const t of list) {
        const text = show(t),
            half = text.length * 3.6;
        if (scale(t) - half < end + 6) continue;
        end = scale(t) + half;
        f.root.append(
            svg('line', {x1: scale(t), x2: scale(t), y1: f.bottom, y2: f.bottom + 4, class: 'tick'}),
            label(scale(t), f.bottom + 16, text, {anchor: 'middle'}),
        );
    }
}

/* The same with lines up to f.top. */
function bottomGrid(f, scale, list, show) {
    for (const t of list)
        f.root.append(svg('line', {x1: scale(t), x2: scale(t), y1: f.top, y2: f.bottom, class: 'grid'}));
    bottomTicks(f, scale, list, show);
}

function hint(mark, text) {
    mark.append(svg('title', {}, plain(text)));
    return mark;
}

/* A mark that leads to its trial (trial.js). */
function leadsTo(mark, trialId) {
    mark.dataset.trial = trialId;
    return mark;
}

function dot(x, y, class_, text, radius = 3) {
    return hint(svg('circle', {cx: round(x), cy: round(y), r: radius, class: class_}), text);
}

function cross(x, y, class_, text) {
    return hint(
        svg('path', {
            d: `M${round(x - 3.5)} ${round(y - 3.5)}l7 7m0-7l-7 7`,
            class: `cross ${class_}`,
        }),
        text,
    );
}

function diamond(x, y, class_, text, radius = 5) {
    return hint(
        svg('path', {
            d: `M${round(x)} ${round(y - radius)}l${radius} ${radius}l${-radius} ${radius}l${-radius} ${-radius}z`,
            class: class_,
        }),
        text,
    );
}

/* A vertical interval at x, with an end stroke where it ends within the frame. */
function verticalInterval(f, x, from, to, class_, end = 5) {
    const inside = y => Math.min(Math.max(y, f.top), f.bottom),
        ends = y => (inside(y) === y ? `M${round(x - end)} ${round(y)}h${2 * end}` : '');
    return svg('path', {
        d: `${ends(from)}${ends(to)}M${round(x)} ${round(inside(from))}V${round(inside(to))}`,
        class: `interval ${class_}`,
    });
}

/* One that lies level at y. */

function level(y, from, to, class_, end = 5) {
    return svg('path', {
        d:
            [from, to].map(x => `M${round(x)} ${round(y - end)}v${2 * end}`).join('') +
            `M${round(from)} ${round(y)}H${round(to)}`,
        class: `interval ${class_}`,
    });
}

/* A line through points, broken where one is unknown. */
function path(points, class_, text) {
    let d = '',
        pen = 'M';
    for (const [x, y] of points) {
        if (x === null || y === null || !Number.isFinite(x) || !Number.isFinite(y)) {
            pen = 'M';
            continue;
        }
        d += `${pen}${round(x)} ${round(y)}`;
        pen = 'L';
    }
    const line = svg('path', {d, class: `line ${class_}`});
    return text ? hint(line, text) : line;
}

function round(x) {
    return Math.round(x * 10) / 10;
}

/* Heights of labels that would overlap, moved apart. */
function spreadLabels(heights, least, low, high) {
    const order = heights.map((y, i) => [y, i]).sort((a, b) => a[0] - b[0]);
    let before = low - least;
    for (const item of order) before = item[0] = Math.max(item[0], before + least);
    let after = high + least;
    for (const item of order.reverse()) after = item[0] = Math.min(item[0], after - least);
    const moved = [];
    for (const [y, i] of order) moved[i] = y;
    return moved;
}

/* The class of colour of the i-th of n things that have an order; kind: c, of lines; h, of cells. */
function shade(i, n, kind = 'c') {
    return kind + (n > 1 ? Math.round((i * 7) / (n - 1)) : 3);
}

/* That of a head count among all of a page, so that it is the same in every setting. */
function headShade(headCounts, heads) {
    return shade(headCounts.indexOf(heads), headCounts.length);
}

/* A spread for points of one column that would hide each other: the same at each drawing. */
function jitter(seed, width) {
    const h = Math.imul(seed + 1, 2654435761) >>> 0;
    return (h / 4294967296 - 0.5) * width;
}

/* Draws a chart for its width, or for another one. */
function drawChart(chart, width = Math.max(240, Math.floor(chart.clientWidth) || 640)) {
    chart.drawn = width;
    becomeList(chart, [chart.draw(chart.drawn)]);
    showReading(chart);
}

/* All that are new, or have another width by now; of others what is read off them. */
function drawCharts() {
    for (const chart of document.querySelectorAll('.chart'))
        if (chart.draw && !(Math.abs(chart.clientWidth - chart.drawn) < 4)) drawChart(chart);
        else showReading(chart);
}

/* A figure: heading, controls, chart, legend, further choices, and the same as a table. draw makes the chart for a
 * width; reading: the place for what is read off it (steps.js). */
function figure(title, options) {
    return element(
        'figure',
        {id: options.id},
        element('figcaption', {}, element('h3', {}, title), options.note ? element('p', {}, options.note) : null),
        options.controls,
        element('div', {class: 'chart', draw: options.draw}),
        options.reading,
        options.legend ? element('p', {class: 'legend'}, options.legend) : null,
        options.choices,
        saveFigure(title),
        options.table
            ? element(
                  'details',
                  {class: 'table'},
                  element(
                      'summary',
                      {},
                      'The same as a table',
                      element('span', {class: 'unseen'}, `: ${plain(title)}`),
                  ),
                  scrolling(plain(title), options.table()),
              )
            : null,
    );
}

/* Lines of the classes m0, m1 and m2 as page.css draws them, for legends. */
const LINE_SIGNS = ['\u2501', '\u254d', '\u2505'];

/* Signs with their meanings, for legends. */
function key(class_, sign, text) {
    return element(
        'span',
        {class: 'key'},
        element('span', {class: `sign ${class_}`, 'aria-hidden': 'true'}, sign),
        ' ',
        text,
    );
}
