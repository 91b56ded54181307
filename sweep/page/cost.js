'use strict';

/* What accuracy, or a small loss, costs. */

const COSTS = [
    ['n_params', 'parameters', quantity],
    ['flops_per_example', 'FLOPs of one example', quantity],
    ['mean_cpu_s', 'CPU time of training', seconds],
    ['max_rss_kib', 'memory of training, KiB', quantity],
    ['infer_ms', 'ms for one example', v => String(Number(v.toPrecision(2)))],
];

/* The head count of each point, those that lie apart from theirs with a line to it. */
function nameCounts(f, points) {
    const taken = points.map(([, [x, y]]) => boxAround(x, y, 6));
    for (const [heads, [x, y]] of points) {
        const text = String(heads),
            place = freestPlace({...f, beyond: 28}, text, placesAround(x, y), taken),
            box = labelBox(place.x, place.y, text, place.anchor);
        if (place.radius > 14)
            f.root.append(svg('line', {x1: round(x), y1: round(y), x2: round(place.x), y2: round(place.y - 4), class: 'tick'}));
        f.root.append(label(place.x, place.y, text, {anchor: place.anchor, class: 'label count over'}));
        taken.push(box);
        if (place.radius > 14) taken.push(...boxesAlong([x, y], [place.x, place.y]).slice(1));
    }
}

function drawCost({metric, headCounts}, rows, [cost, name, show], width) {
    const known = rows.filter(r => r[cost] > 0 && r.mean !== null);
    const points = known.map(r => `${count(r.heads, 'head')} ${show(r[cost])}, ${fixed(r.mean)}`);
    const f = frame(
        width,
        heightOf(width),
        padRange(
            known.map(r => r.mean),
            metric.loss ? [-Infinity, Infinity] : [0, 1],
        ),
        {
            label: `Mean ${metric.drawn} against ${name}: ${points.join('; ')}.`,
            yTitle: `mean ${metric.drawn}`,
            xTitle: name,
            left: 50,
            right: 30,
        },
    );
    const costs = known.map(r => r[cost]),
        low = Math.min(...costs) / 1.08,
        high = Math.max(...costs) * 1.08;
    const x = logarithmic(low, high, f.left + 16, f.right - 16);
    const list = logTicks(low, high).length > 1 ? logTicks(low, high) : ticks(low, high, 4);
    bottomTicks(f, x, list, show);
    const order = [...known].sort((a, b) => a.heads - b.heads);
    const at = r => [x(r[cost]), f.y(r.mean)],
        before = (r, i) => order[i - 1]?.[cost] ?? 0;
    if (order.every((r, i) => r[cost] >= before(r, i))) f.root.append(path(order.map(at), 'means')); // else it would be a tangle
    for (const r of order)
        f.root.append(dot(...at(r), `spot ${headShade(headCounts, r.heads)}`, `${count(r.heads, 'head')}: ${four(r.mean)} at ${show(r[cost])}`, 5));
    nameCounts(f, order.map(r => [r.heads, at(r)]));
    return f.root;
}

/* By more than a hundredth, so that there is something to draw. */
function differ(values) {
    const known = values.filter(v => v > 0);
    return known.length > 1 && Math.max(...known) > 1.01 * Math.min(...known);
}

function costSection(view) {
    const {metric} = view,
        means = new Map(view.set.verdict.heads.map(h => [h.heads, h.completed_mean]));
    const rows = objects(view.summary.cost)
        .filter(r => sameSetting(JSON.parse(r.setting), view.set.setting))
        .map(r => ({...r, mean: scaled(means.get(r.heads), metric.scale)}));
    const costs = COSTS.filter(([column]) => rows.some(r => r[column] > 0));
    const drawn = costs.filter(([column]) => differ(rows.map(r => r[column])));
    if (!drawn.length) return null;
    const shown = drawn.find(([c]) => c === view.choice.cost) ?? drawn[0],
        [cost, name] = shown;
    return figure(`Mean ${metric.drawn} against ${name}`, {
        note: 'Numbers beside the points are head counts; the scale of cost is logarithmic.',
        controls: controls(picker('Cost', drawn, cost, value => view.choose({cost: value}))),
        draw: width => drawCost(view, rows, shown, width),
        table: () =>
            table(
                'Cost of each head count',
                [
                    column('Heads', 'heads'),
                    column(`Mean ${metric.drawn}`, 'mean', four),
                    ...costs.map(([c, title, words]) => column(capital(title), c, v => (v === null ? '' : words(v)))),
                ],
                rows,
            ),
    });
}
