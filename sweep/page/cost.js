'use strict';

/* What accuracy costs, and the map of a sweep over one or two quantities. */

const COSTS = [
    ['n_params', 'parameters', quantity],
    ['flops_per_example', 'FLOPs of one example', quantity],
    ['mean_cpu_s', 'CPU time of training', seconds],
    ['max_rss_kib', 'memory of training, KiB', quantity],
    ['infer_ms', 'ms for one example', v => String(Number(v.toPrecision(2)))],
];

function drawCost(rows, column, name, show, width) {
    const known = rows.filter(r => r[column] > 0 && r.mean_acc !== null);
    const f = frame(width, Math.min(360, Math.max(240, width * 0.5)), airy(known.map(r => r.mean_acc), [0, 1]), {
        label: `Mean test accuracy against ${name}: ${known.map(r => `${count(r.heads, 'head')} ${show(r[column])}, ${fixed(r.mean_acc)}`).join('; ')}.`,
        yTitle: 'mean test accuracy', xTitle: name, left: 50, right: 30,
    });
    const costs = known.map(r => r[column]), low = Math.min(...costs) / 1.08, high = Math.max(...costs) * 1.08;
    const x = logarithmic(low, high, f.left + 16, f.right - 16);
    const list = logTicks(low, high).length > 1 ? logTicks(low, high) : ticks(low, high, 4);
    bottomTicks(f, x, list, show);
    const heads = [...new Set(rows.map(r => r.heads))].sort((a, b) => a - b);
    const order = [...known].sort((a, b) => a.heads - b.heads);
    f.root.append(path(order.map(r => [x(r[column]), f.y(r.mean_acc)]), 'means'));
    const heights = apart(order.map(r => f.y(r.mean_acc)), order.length > 1 && high / low < 1.5 ? 13 : 1, f.top, f.bottom);
    order.forEach((r, i) => f.root.append(
        dot(x(r[column]), f.y(r.mean_acc), `spot ${shade(heads.indexOf(r.heads), heads.length)}`,
            `${count(r.heads, 'head')}: ${fixed(r.mean_acc, 4)} at ${show(r[column])}`, 5),
        label(x(r[column]) + 9, heights[i] + 4, String(r.heads))));
    return f.root;
}

/* By more than a hundredth, so that there is something to draw. */
function differ(values) {
    const known = values.filter(v => v > 0);
    return known.length > 1 && Math.max(...known) > 1.01 * Math.min(...known);
}

function costSection(view) {
    const rows = objects(view.summary.cost).filter(r => sameSetting(JSON.parse(r.setting), view.set.setting));
    const costs = COSTS.filter(([column]) => rows.some(r => r[column] > 0));
    const drawn = costs.filter(([column]) => differ(rows.map(r => r[column])));
    if (!drawn.length)
        return null;
    const [column, name, show] = drawn.find(([c]) => c === view.choice.cost) ?? drawn[0];
    return figure(`Mean test accuracy against ${name}`, {
        note: 'Numbers beside the points are head counts; the scale of cost is logarithmic.',
        controls: element('div', {class: 'controls'},
            picker('Cost', drawn.map(([c, title]) => [c, title]), column, value => view.choose({cost: value}))),
        draw: width => drawCost(rows, column, name, show, width),
        table: () => table('Cost of each head count', [
            {title: 'Heads', value: r => r.heads},
            {title: 'Mean accuracy', value: r => r.mean_acc, show: v => fixed(v, 4)},
            ...costs.map(([c, title, words]) => ({title: capital(title), value: r => r[c], show: v => v === null ? '' : words(v)})),
        ], rows),
    });
}

/* ---- map ---- */

function axisName(path_) {
    return path_.split('.').pop();
}

/* A table whose cells are coloured by h*: the chart and its table are one. */
function mapFigure(view) {
    const {map} = view.report;
    if (!map)
        return null;
    const [a, b] = map.axes, second = b !== undefined;
    const values = k => [...new Set(map.cells.map(c => c.at[k]))].sort((x, y) => x - y);
    const stars = [...new Set(map.cells.map(c => c.h_star).filter(Boolean))].sort((x, y) => x - y);
    const cellAt = (x, y) => map.cells.findIndex(c => c.at[0] === x && (!second || c.at[1] === y));
    const square = i => {
        const c = map.cells[i];
        if (!c)
            return element('td', {});
        return element('td', {class: `heat ${c.h_star ? `h${stars.length > 1 ? Math.round(stars.indexOf(c.h_star) * 7 / (stars.length - 1)) : 3}` : ''}`, 'data-value': c.h_star},
            element('button', {type: 'button', 'aria-pressed': String(i === view.index), onclick: () => view.pick(i)},
                element('strong', {}, c.h_star === null ? '\u2013' : String(c.h_star)),
                element('span', {}, ` plateau ${plateauText(view.settings[i].verdict)}`)));
    };
    const made = element('table', {class: 'heatmap'},
        element('caption', {}, `Fewest heads within .005 of the best, by ${axisName(a)}${second ? ` (across) and ${axisName(b)} (down)` : ''}`),
        element('thead', {}, element('tr', {}, element('th', {scope: 'col'}, second ? foreign(`${axisName(b)} \\ ${axisName(a)}`) : foreign(axisName(a))),
            values(0).map(x => element('th', {scope: 'col'}, String(x))))),
        element('tbody', {}, (second ? values(1) : [null]).map(y => element('tr', {},
            element('th', {scope: 'row'}, y === null ? 'h*' : String(y)), values(0).map(x => square(cellAt(x, y)))))));
    return element('figure', {class: 'mapped'},
        element('figcaption', {}, element('h3', {}, `Map over ${map.axes.map(axisName).map(plain).join(' and ')}`),
            element('p', {}, 'Large: h*, the fewest heads whose mean validation value is within .005 of the best. Small: the plateau.')),
        scrolling('Map', made), mapLine(map));
}

function mapLine(map) {
    if (!map.fit.possible)
        return null;
    const terms = map.fit.terms.map(t => {
        const value = fixed(Math.abs(t.estimate), 2), sign = t.estimate < 0 ? ' \u2212 ' : ' + ';
        return t.log2_of ? `${sign}${value} log2 ${axisName(t.log2_of)}` : fixed(t.estimate, 2);
    });
    const slopes = map.fit.terms.filter(t => t.log2_of)
        .map(t => `${axisName(t.log2_of)} [${fixed(t.ci95_low, 2)}, ${fixed(t.ci95_high, 2)}]`);
    return element('p', {}, foreign(`log2 h* = ${terms.join('')}, R\u00b2 ${fixed(map.fit.r_squared, 2)}; 95 % of the slopes: ${slopes.join(', ')}.`));
}
