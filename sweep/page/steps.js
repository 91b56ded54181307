'use strict';

/* Curves over the training steps, and how they are looked at: linear or logarithmic steps, those between two
 * that were dragged over, and what lies under the pointer. A line is
 *
 *   points     [[step, value or null], ...] by rising step
 *   class      its colours and its width
 *   name       what it is of
 *   trial      whose it is; undefined: a median, or one of several lines of a trial. These are read
 *
 * and a chart's svg has a `plot`, which its marks were drawn by: lines, x(step), y(value), f (the frame), steps
 * (those that can be read) and zoom(span). chart.cursor is where the reader is, {step, trial, from}: from, the
 * step where marking began. */

const STEP_SCALES = [
    ['linear', 'linear'],
    ['log', 'logarithmic'],
];

const NEAR = 24; // pixels from the pointer within which a trial's line is named

/* A column of a curve as points. */
function curvePoints(curve, column) {
    return curve.step.map((step, k) => [step, curve[column][k]]);
}

/* ---- scales ---- */

/* The first and the last step that is shown: what was zoomed to, as far as there are steps, else all. */
function shownSteps(lines, {scale, span}) {
    let [first, last] = [Infinity, 0];
    for (const {points} of lines) {
        const step = points.find(([s]) => s > 0)?.[0];
        if (step < first) first = step;
        if (points.at(-1)?.[0] > last) last = points.at(-1)[0];
    }
    const low = scale === 'log' && first < last ? first : 0,
        high = Math.max(1, last);
    return span && span[0] < high && span[1] > low ? [Math.max(low, span[0]), Math.min(high, span[1])] : [low, high];
}

/* What steps lie evenly by. */
function stepMeasure({scale}, [low]) {
    return scale === 'log' && low > 0 ? Math.log : step => step;
}

/* The part of a line between two steps, cut where it crosses them. */
function cutLine(points, [low, high], measure) {
    const cut = [];
    points.forEach(([step, value], i) => {
        const [before, last] = points[i - 1] ?? [Infinity, null];
        for (const edge of [low, high]) {
            if (!(before < edge && edge < step)) continue;
            const part = (measure(edge) - measure(before)) / (measure(step) - measure(before));
            cut.push([edge, value === null || last === null ? null : last + part * (value - last)]);
        }
        if (step >= low && step <= high) cut.push([step, value]);
    });
    return cut;
}

/* ---- the chart ---- */

function colourOf(line) {
    return line.class.split(' ').at(-1);
}

/* Draws lines for a width. view.choice says how; options: those of frame, bounds (of values) and ends(plot),
 * which marks more. */
function drawSteps(view, lines, width, options) {
    const range = shownSteps(lines, view.choice),
        measure = stepMeasure(view.choice, range),
        cut = lines.map(line => ({...line, points: cutLine(line.points, range, measure)}));
    const values = cut.flatMap(line => line.points.map(([, value]) => value));
    const f = frame(width, heightOf(width), padRange(values, options.bounds), {xTitle: 'step', left: 50, ...options});
    const scaled = linear(measure(range[0]), measure(range[1]), f.left, f.right),
        x = step => scaled(measure(step)),
        list = measure === Math.log ? logTicks(...range) : ticks(...range, (f.right - f.left) / 80);
    bottomTicks(f, x, list, t => quantity(t).replace(' ', ''));
    for (const line of cut) {
        const points = line.points.map(([step, value]) => [x(step), value === null ? null : f.y(value)]),
            mark = path(points, line.class, line.trial && line.name);
        f.root.append(line.trial ? leadsTo(mark, line.trial) : mark);
        if (points.length === 1 && points[0][1] !== null && !line.trial)
            f.root.append(dot(...points[0], `spot ${colourOf(line)}`, four(line.points[0][1]), 4));
    }
    const read = cut.filter(line => !line.trial),
        steps = [...new Set(read.flatMap(line => line.points.map(([step]) => step)))].sort((a, b) => a - b);
    const plot = {lines: cut, read, x, y: f.y, f, steps, zoom: span => view.choose({span}), zoomed: Boolean(view.choice.span)};
    options.ends?.(plot);
    return readable(f.root, plot, options.label);
}

/* A chart that can be read by pointer and by keyboard. */
function readable(root, plot, label_) {
    if (!plot.steps.length) return root;
    const attributes = {
        class: 'steps',
        tabindex: 0,
        role: 'slider',
        'aria-label': `${plain(label_)} The arrow keys read it.`,
        'aria-valuemin': plot.steps[0],
        'aria-valuemax': plot.steps.at(-1),
        'aria-valuenow': plot.steps.at(-1),
        'aria-valuetext': `step ${plot.steps.at(-1)}`,
    };
    for (const [name, value] of Object.entries(attributes)) root.setAttribute(name, value);
    root.append(svg('g', {class: 'cursor', 'aria-hidden': 'true'}));
    root.plot = plot;
    return root;
}

/* What the reader can set, of any chart of steps. */
function stepControls(view) {
    const {scale = 'linear', span} = view.choice;
    return [
        picker('Steps', STEP_SCALES, scale, value => view.choose({scale: value})),
        element(
            'button',
            {type: 'button', class: 'reset', 'aria-disabled': String(!span), onclick: () => view.choose({span: null})},
            'All steps',
        ),
    ];
}

/* ---- reading ---- */

/* trials: whether there are some to pick from. */
function readHint(trials) {
    return (
        `Point at a step to read it, drag over steps to zoom in. By keyboard: \u2190 \u2192 read, ${trials ? '\u2191 \u2193 pick a trial, ' : ''}` +
        `Shift with \u2190 \u2192 marks steps, Enter zooms in${trials ? ' or opens the trial' : ''}, Esc shows all.`
    );
}

/* Where readings stand: below the chart, which their length does not move. */
function readingPlace(trials) {
    return element('p', {class: 'reading'}, readHint(trials));
}

function valueAt({points}, step) {
    return points.find(([s]) => s === step)?.[1] ?? null;
}

/* The trials that have a value at a step, the highest first. */
function trialsAt(plot, step) {
    return plot.lines
        .filter(line => line.trial)
        .map(line => ({line, value: valueAt(line, step)}))
        .filter(({value}) => value !== null)
        .sort((a, b) => b.value - a.value);
}

/* The marks of a cursor: the step, its values, the trial, and what is marked. */
function cursorMarks({x, y, f, read, lines}, {step, trial, from}) {
    const line = lines.find(l => trial && l.trial === trial),
        marked = from === undefined ? [] : [from, step].map(x).sort((a, b) => a - b);
    return [
        marked.length ? svg('rect', {x: marked[0], y: f.top, width: marked[1] - marked[0], height: f.bottom - f.top, class: 'marked'}) : [],
        svg('line', {x1: x(step), x2: x(step), y1: f.top, y2: f.bottom, class: 'zero'}),
        line ? path(line.points.map(([s, v]) => [x(s), v === null ? null : y(v)]), `near ${line.class}`) : [],
        [...read, line]
            .filter(l => l && valueAt(l, step) !== null)
            .map(l => svg('circle', {cx: round(x(step)), cy: round(y(valueAt(l, step))), r: 4, class: `spot ${colourOf(l)}`})),
    ].flat();
}

/* The same in words: texts, and those of lines with their colours. */
function cursorWords({read, lines}, {step, trial, from}) {
    const line = lines.find(l => trial && l.trial === trial),
        steps = from === undefined || from === step ? `Step ${step}` : `Steps ${Math.min(from, step)} to ${Math.max(from, step)}; at ${step}`;
    return [
        [steps, ''],
        ...[...read, line]
            .filter(l => l && valueAt(l, step) !== null)
            .map(l => [`${l.name}: ${four(valueAt(l, step))}`, l.trial ? '' : colourOf(l)]),
    ];
}

/* Marks and says where the reader is, of a chart that has just been drawn too. */
function showReading(chart) {
    const root = chart.querySelector('svg.steps'),
        place = chart.closest('figure')?.querySelector('.reading');
    if (!root || !place) return;
    const {plot} = root;
    let {cursor} = chart;
    if (cursor && !plot.steps.includes(cursor.step)) cursor = chart.cursor = {step: nearestStep(plot, plot.x(cursor.step))};
    root.querySelector('.cursor').replaceChildren(...(cursor ? cursorMarks(plot, cursor) : []));
    if (!cursor) {
        becomeList(place, [document.createTextNode(readHint(plot.lines.some(line => line.trial)))]);
        return;
    }
    const words = cursorWords(plot, cursor);
    root.setAttribute('aria-valuenow', cursor.step);
    root.setAttribute('aria-valuetext', words.map(([text]) => plain(text)).join(', '));
    becomeList(
        place,
        words.flatMap(([text, class_], i) => [
            ...(i ? [document.createTextNode(' \u00b7 ')] : []),
            element('span', {class: `ink ${class_}`}, plain(text)),
        ]),
    );
}

function nearestStep({steps, x}, at) {
    return steps.reduce((best, step) => (Math.abs(x(step) - at) < Math.abs(x(best) - at) ? step : best));
}

/* Where a pointer is in a chart, in the units that it was drawn in. */
function pointerIn(root, {clientX, clientY}) {
    const box = root.getBoundingClientRect(),
        {width} = root.viewBox.baseVal;
    return [((clientX - box.left) * width) / box.width, ((clientY - box.top) * width) / box.width];
}

/* The chart that the reader drags in, and the step where that began; zoomed: whether the last drag led to a zoom. */
const DRAG = {chart: null, step: 0, zoomed: false};

function chartOf(target) {
    return target.closest?.('svg.steps')?.closest('.chart') ?? null;
}

/* No chart but this one shows where the pointer was. */
function leaveOthers(chart) {
    for (const other of document.querySelectorAll('.chart')) {
        if (!other.cursor || other === chart || other.contains(document.activeElement)) continue;
        other.cursor = null;
        showReading(other);
    }
}

function followPointer(event) {
    const {target} = event,
        chart = DRAG.chart ?? chartOf(target);
    leaveOthers(chart);
    if (!chart) return;
    const root = chart.querySelector('svg.steps'),
        {plot} = root,
        [x, y] = pointerIn(root, event),
        step = nearestStep(plot, x),
        near = trialsAt(plot, step)
            .map(({line, value}) => [Math.abs(plot.y(value) - y), line.trial])
            .filter(([far]) => far <= NEAR)
            .sort(([a], [b]) => a - b)[0];
    chart.cursor = {step, trial: Number(target.dataset?.trial) || near?.[1], from: DRAG.chart ? DRAG.step : undefined};
    chart.touched = event.pointerType === 'touch';
    showReading(chart);
}

/* Zooms to the steps that are marked, if they are more than one; whether they were. */
function zoomToMarked(chart) {
    const {step, from} = chart.cursor ?? {},
        {plot} = chart.querySelector('svg.steps');
    if (from === undefined || from === step) return false;
    chart.cursor = null;
    plot.zoom([Math.min(from, step), Math.max(from, step)]);
    return true;
}

function beginDrag(event) {
    const chart = chartOf(event.target);
    DRAG.zoomed = false;
    if (!chart || event.button !== 0) return;
    followPointer(event);
    Object.assign(DRAG, {chart, step: chart.cursor.step});
}

function endDrag({type}) {
    const {chart} = DRAG;
    DRAG.chart = null;
    if (!chart) return;
    if (type === 'pointerup') DRAG.zoomed = zoomToMarked(chart);
    else chart.cursor = null;
    showReading(chart);
}

/* The trial that a click leads to: whose mark it is on or, in a chart that can be read, near to. A finger may be
 * there to read; the end of a drag leads nowhere. */
function clickedTrial(target) {
    const chart = chartOf(target),
        near = chart && !chart.touched ? chart.cursor?.trial : null;
    return DRAG.zoomed ? null : (near ?? target.dataset?.trial);
}

/* ---- the keyboard ---- */

/* The step that a key leads to; undefined: it leads to none. */
function stepOfKey({steps}, step, key_) {
    const last = steps.length - 1,
        at = {ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -last, End: last}[key_];
    return at === undefined ? undefined : steps[Math.min(Math.max(steps.indexOf(step) + at, 0), last)];
}

/* The trial above or below the present one. */
function trialOfKey(plot, {step, trial}, key_) {
    const list = trialsAt(plot, step).map(({line}) => line.trial),
        at = list.indexOf(trial);
    if (at < 0) return key_ === 'ArrowDown' ? list[0] : list.at(-1);
    return list[at + (key_ === 'ArrowDown' ? 1 : -1)] ?? trial;
}

function leaveChart(chart, plot) {
    const {step, trial, from} = chart.cursor ?? {};
    if (from === undefined && plot.zoomed) plot.zoom(null);
    chart.cursor = from === undefined ? null : {step, trial};
    showReading(chart);
}

/* Whether the key meant something. */
function obeyKey(chart, plot, {key: key_, shiftKey}) {
    const cursor = chart.cursor ?? {step: plot.steps.at(-1)},
        step = stepOfKey(plot, cursor.step, key_);
    if (step !== undefined) chart.cursor = {...cursor, step, from: shiftKey ? (cursor.from ?? cursor.step) : undefined};
    else if (key_ === 'ArrowDown' || key_ === 'ArrowUp') chart.cursor = {...cursor, trial: trialOfKey(plot, cursor, key_)};
    else if (key_ === 'Escape') leaveChart(chart, plot);
    else if (key_ !== 'Enter') return false;
    else if (zoomToMarked(chart)) return true;
    else if (cursor.trial) location.hash = `trial-${cursor.trial}`;
    showReading(chart);
    return true;
}

/* Makes all charts of steps readable, those that come too. */
function readCharts() {
    document.addEventListener('pointermove', followPointer);
    document.addEventListener('pointerdown', beginDrag);
    for (const type of ['pointerup', 'pointercancel']) document.addEventListener(type, endDrag);
    document.addEventListener('keydown', event => {
        const chart = chartOf(event.target),
            other = event.ctrlKey || event.altKey || event.metaKey;
        if (chart && !other && obeyKey(chart, chart.querySelector('svg.steps').plot, event)) event.preventDefault();
    });
    document.addEventListener('focusout', ({target}) => {
        const chart = chartOf(target);
        if (!chart) return;
        chart.cursor = null;
        showReading(chart);
    });
}
