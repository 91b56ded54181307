'use strict';

/* What is left of the accuracy, or of what was learnt at all, when heads are removed. */

const METHODS = ['importance', 'ablation', 'random'];

function finetuned(steps) {
    return steps ? `, fine-tuned for ${count(steps, 'step')}` : '';
}

/* A row with its numbers in the unit that they are drawn in. */
function drawnRow(row, scale) {
    return {
        ...row,
        mean: scaled(row.mean_acc ?? row.mean_loss, scale),
        low: scaled(row.ci95_low, scale),
        high: scaled(row.ci95_high, scale),
        trained: scaled(row.trained_acc ?? row.trained_loss, scale),
    };
}

function pruningCurves(view) {
    const rows = (view.summary.pruning?.rows ?? [])
        .filter(r => sameSetting(r.setting, view.set.setting))
        .map(r => drawnRow(r, view.metric.scale));
    return [...grouped(rows, r => `${r.heads} ${r.finetuned_steps} ${r.lr}`)]
        .map(([id, list]) => ({
            id,
            rows: list,
            heads: list[0].heads,
            layers: list[0].layers,
            name: count(list[0].heads, 'head') + finetuned(list[0].finetuned_steps),
        }))
        .filter(c => c.rows.some(r => METHODS.includes(r.method)) && c.heads * c.layers > 1);
}

function drawMethod(f, x, points, k, method) {
    const at = i => x.at(i) + (k - 1) * 4,
        class_ = `m${k}`;
    f.root.append(path(points.map((p, i) => [at(i), p ? f.y(p.mean) : null]), `thick ${class_}`));
    points.forEach((p, i) => {
        if (!p) return;
        if (p.low !== null) f.root.append(verticalInterval(f, at(i), f.y(p.low), f.y(p.high), class_, 3));
        f.root.append(dot(at(i), f.y(p.mean), class_, `${p.kept} kept by ${method}: ${four(p.mean)}`));
    });
}

function drawPruning(curve, metric, width) {
    const kept = [...new Set(curve.rows.map(r => r.kept))].sort((a, b) => b - a);
    const values = curve.rows.flatMap(r => [r.mean, r.low, r.high, r.trained]);
    const f = frame(width, heightOf(width), padRange(values, metric.loss ? [-Infinity, Infinity] : [0, 1]), {
        label: `${capital(metric.drawn)} as heads are removed from ${curve.name}.`,
        yTitle: metric.drawn,
        xTitle: 'heads kept',
        left: 50,
    });
    const x = categories(f, kept),
        whole = curve.rows.find(r => r.method === 'none');
    METHODS.forEach((method, k) => {
        const points = kept.map(
            n => curve.rows.find(r => r.kept === n && r.method === method) ?? (n === whole?.kept ? whole : null),
        );
        if (points.some(p => p?.method === method)) drawMethod(f, x, points, k, method);
    });
    kept.forEach((n, i) => {
        const trained = curve.rows.find(r => r.kept === n && r.trained !== null)?.trained;
        if (trained !== undefined)
            f.root.append(diamond(x.at(i), f.y(trained), 'mean', `trained with as few: ${four(trained)}`));
    });
    return f.root;
}

function pruningSection(view) {
    const curves = pruningCurves(view),
        widest = view.set.verdict.plateau_high;
    if (!curves.length)
        return missing('No heads were removed here. ', 'headcount prune', ' removes them, the least needed first.');
    const curve =
        curves.find(c => c.id === view.choice.pruned) ?? curves.find(c => c.heads === widest) ?? curves.at(-1);
    const used = METHODS.filter(m => curve.rows.some(r => r.method === m));
    const sign = m => {
        const k = METHODS.indexOf(m);
        return key(`m${k}`, LINE_SIGNS[k], m === 'random' ? 'in random order' : `by ${m}`);
    };
    return figure(`Heads removed from models trained with ${curve.name}`, {
        note: 'Which go is decided on the validation set and estimated anew after each.',
        controls:
            curves.length > 1
                ? controls(
                      picker(
                          'Trained with',
                          curves.map(c => [c.id, c.name]),
                          curve.id,
                          value => view.choose({pruned: value}),
                      ),
                  )
                : null,
        draw: width => drawPruning(curve, view.metric, width),
        legend: [used.map(sign), key('mean', '\u25c7', 'trained with as few')],
        table: () => table(`Pruned from ${curve.name}`, columnsOf(view.summary.columns.pruning), curve.rows),
    });
}
