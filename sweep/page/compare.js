'use strict';

/* Sweeps side by side: what differs between them, what each came to, and how far they are apart at each head
 * count. They are lettered A, B, ... in the order that they were named in. A view of them has
 *
 *   compared   page_comparison
 *   sweeps     of each {letter, class, name, report}
 *   settings   those that stand side by side: {index, label, setting, lines: [{heads, cells}]}; cells: the
 *              row of `report A B --json` of each sweep, or undefined
 *   metric     of all of them (page.js); what is drawn and the tables beside it are in its unit
 *
 * and index, set, pick and live as the view of one sweep. */

function comparedSettings({rows}, sweeps) {
    return [...grouped(rows, row => JSON.stringify(row.setting)).values()].map((list, index) => ({
        index,
        label: list[0].setting_label,
        setting: list[0].setting,
        lines: [...grouped(list, row => row.heads)].map(([heads, own]) => ({
            heads,
            cells: sweeps.map(sweep => own.find(row => row.sweep === sweep.name)),
        })),
    }));
}

function newComparison(live) {
    return {
        live,
        index: 0,
        settings: [],
        choice: {},
        get set() {
            return this.settings[this.index];
        },
        pick(index) {
            location.hash = settingAddress(this.settings[index]);
        },
    };
}

/* Shows the setting that the address names. */
function followSetting(view) {
    const index = settingIndex(view, readAddress().setting);
    if (!view.compared || index === view.index) return;
    view.index = index;
    drawComparison(view);
}

function setComparison(view, compared) {
    const {comparison, reports} = compared,
        sweeps = reports.map((report, i) => ({
            letter: String.fromCharCode(65 + i),
            class: shade(i, reports.length),
            name: report.sweep,
            report,
        }));
    Object.assign(view, {compared, sweeps, settings: comparedSettings(comparison, sweeps), metric: metricOf(reports)});
    view.index = settingIndex(view, readAddress().setting);
}

/* The setting of a sweep that stands in the picked one: of that name, or its only one. */
function ownSetting({set}, {report: {settings}}) {
    return settings.length === 1 ? settings[0] : settings.find(s => set && sameSetting(s.setting, set.setting));
}

function letterOf(sweep) {
    return element('strong', {class: `ink ${sweep.class}`}, sweep.letter);
}

/* ---- what differs ---- */

/* "1, 2 and 4 heads". */
function headsText(list) {
    if (!list.length) return 'none';
    return `${list.length > 1 ? `${list.slice(0, -1).join(', ')} and ` : ''}${count(list.at(-1), 'head')}`;
}

/* That the candidates differ, where no head count does: "; the candidates, 4 heads in A and 8 heads in B, are picked by
 * validation, which is no test". */
function candidatesText({set, sweeps}, ...letters) {
    const picked = sweeps
        .filter(({letter}) => letters.includes(letter))
        .map(sweep => ({letter: sweep.letter, candidate: candidateOf(ownSetting({set}, sweep).verdict)}));
    if (picked.some(({candidate}) => candidate === null) || picked[0].candidate === picked[1].candidate) return '';
    const names = picked.map(({letter, candidate}) => `${count(candidate, 'head')} in ${letter}`).join(' and ');
    return `; the candidates, ${names}, are picked by validation, which is no test`;
}

/* Where the interval of a sweep's difference lies to one side of 0. */
function apartText({set, metric, sweeps}, i) {
    if (!set) return null;
    const cells = set.lines.map(({heads, cells: list}) => ({heads, ...list[i]})).filter(cell_ => cell_.against !== undefined),
        compared = cells.filter(cell_ => cell_.against !== null);
    if (!compared.length) return null;
    const base = sweeps.find(s => s.name === compared[0].against).letter,
        side = sign => compared.filter(c => c.diff_low !== null && sign * c.diff_low > 0 && sign * c.diff_high > 0).map(c => c.heads),
        [higher, lower] = [side(1), side(-1)],
        common = `of the ${count(compared.length, 'head count')} that both have`;
    if (!higher.length && !lower.length)
        return (
            `The ${metric.name} of ${sweeps[i].letter} cannot be told apart from that of ${base} at any ${common}` +
            `${candidatesText({set, sweeps}, base, sweeps[i].letter)}.`
        );
    return (
        `The ${metric.name} of ${sweeps[i].letter} is higher than that of ${base} at ${headsText(higher)} and lower at ` +
        `${headsText(lower)}, ${common}.`
    );
}

/* The sweeps that have a setting. */
function sweepsWith({lines}, sweeps) {
    return sweeps.filter((_, i) => lines.some(line => line.cells[i]));
}

/* Why nothing is compared: with the first sweep that the setting has. */
function nothingApartText({set, settings, sweeps}) {
    if (!settings.some(s => sweepsWith(s, sweeps).length > 1)) return 'They have no setting in common.';
    if (sweepsWith(set, sweeps).length < 2) return `Only ${sweepsWith(set, sweeps)[0].letter} has this setting.`;
    const {lines} = set,
        base = sweeps.findIndex((_, i) => lines.some(line => line.cells[i]));
    if (!lines.some(({cells}) => cells[base] && cells.filter(Boolean).length > 1)) return 'They have no head count in common.';
    return `Nothing is compared with ${sweeps[base].letter}: at no head count that it has in common with another do both have results.`;
}

function optionsTable(view) {
    const {differences} = view.compared.comparison;
    if (!differences.length) return element('p', {}, 'All options but the head counts are the same.');
    return scrolling(
        'Options that differ',
        table(
            'Options that differ',
            [
                {title: 'Option', number: false, value: o => o.option},
                ...view.sweeps.map((sweep, i) => ({title: sweep.letter, number: false, value: o => o.values[i] ?? 'not there'})),
            ],
            differences,
        ),
    );
}

function differSection(view) {
    const apart = view.sweeps.map((_, i) => apartText(view, i)).filter(Boolean);
    const found = [
        element(
            'div',
            {class: 'finding'},
            preliminaryBadge(view.sweeps.some(({report}) => report.ended < report.planned)),
            (apart.length ? apart : [nothingApartText(view)]).map(s => element('p', {class: 'lead'}, s)),
        ),
        apart.length
            ? element(
                  'p',
                  {class: 'note'},
                  'Counted are head counts where the 95% interval of the difference leaves out 0. Every interval is 95% by ' +
                      'itself: of many head counts, one in twenty misses by chance.' +
                      (view.metric.loss ? ' Smaller losses are better.' : ''),
              )
            : null,
    ];
    return element('div', {class: 'beside'}, element('div', {}, found), element('div', {}, optionsTable(view)));
}

/* ---- what each came to ---- */

/* Of every setting of all of them; where each has one, the section below has that. */
function overviewSection(view) {
    const {sweeps, settings} = view;
    if (sweeps.every(({report}) => report.settings.length < 2)) return null;
    const pick = (label_, {setting}) => {
        const index = settings.findIndex(s => sameSetting(s.setting, setting));
        return index < 0 ? foreign(label_) : settingButton(view, index, label_);
    };
    return scrolling(
        'All settings',
        table(
            'Every setting, and what its trials came to',
            [
                {title: 'Sweep', number: false, value: row => row.letter},
                column('Setting', 'setting_label', pick, WORDS),
                ...findingColumns(sweeps[0].report.equivalence),
            ],
            sweeps.flatMap(({letter, report}) => report.settings.map(set => ({...set, letter}))),
        ),
    );
}

function cameTo(view, sweep) {
    const {report} = sweep,
        set = ownSetting(view, sweep),
        claims = claimsOf(sweep),
        more = claims.flatMap(c => c.sentences.slice(c.lead)).concat(set ? otherSentences(set.verdict) : []);
    return element(
        'div',
        {},
        element('h3', {}, letterOf(sweep), ' ', foreign(sweep.name)),
        report.question ? element('p', {}, foreign(report.question)) : null,
        element('p', {class: 'note'}, `${report.ended.toLocaleString('en')} of ${count(report.planned, 'trial')} ended`),
        claims.map(claimPanel),
        set
            ? [findingPanel(set, false), factList({...set, drawn: inUnit(set, view.metric)})]
            : element('p', {class: 'missing'}, 'It has no such setting.'),
        more.length
            ? element(
                  'details',
                  {class: 'table'},
                  element('summary', {}, 'What it rests on', element('span', {class: 'unseen'}, `: ${sweep.letter}`)),
                  sentenceList(more),
              )
            : null,
    );
}

function cameSection(view) {
    return [
        view.set?.label ? element('p', {}, foreign(view.set.label)) : null,
        element(
            'div',
            {class: 'beside'},
            view.sweeps.map(sweep => cameTo(view, sweep)),
        ),
    ];
}

/* ---- by head count ---- */

/* What is drawn of a cell; of one with a trial that met a limit nothing is. */
function drawnCell(cell_, {scale}) {
    if (!cell_ || cell_.n_limit || cell_.mean === null) return null;
    const {n, mean, ci95_low: low, ci95_high: high} = cell_;
    return {n, mean: scaled(mean, scale), low: scaled(low, scale), high: scaled(high, scale)};
}

/* Of means, and of intervals as far as these do not press all else together. */
function besideRange(cells, {loss}) {
    const bounds = loss ? [-Infinity, Infinity] : [0, 1],
        [low, high] = padRange(cells.map(c => c.mean), bounds),
        span = high - low;
    return padRange([low, high, ...cells.flatMap(c => [c.low, c.high]).filter(v => v > low - 2 * span && v < high + 2 * span)], bounds);
}

function drawBeside({set, sweeps, metric}, width) {
    const drawn = sweeps.map((_, i) => set.lines.map(line => drawnCell(line.cells[i], metric))),
        known = drawn.flat().filter(Boolean);
    const f = frame(width, heightOf(width), besideRange(known, metric), {
        label: `Mean ${metric.drawn} by head count of ${sweeps.map(s => `${s.letter}, ${s.name}`).join('; ')}.`,
        yTitle: `mean ${metric.drawn}`,
        xTitle: 'heads',
        right: 34,
    });
    const x = headCounts(f, set.lines.map(line => line.heads)),
        apart = Math.min(9, x.step / (sweeps.length + 1)),
        ends = [];
    sweeps.forEach((sweep, i) => {
        const at = k => x.at(k) + (i - (sweeps.length - 1) / 2) * apart;
        f.root.append(path(drawn[i].map((c, k) => [at(k), c && f.y(c.mean)]), `thick ${sweep.class}`));
        drawn[i].forEach((c, k) => {
            if (!c) return;
            const says = `${sweep.letter}, ${count(set.lines[k].heads, 'head')}: ${fixed(c.mean, 4)}, n ${c.n}`;
            if (c.low !== null) f.root.append(verticalInterval(f, at(k), f.y(c.low), f.y(c.high), sweep.class, 4));
            f.root.append(dot(at(k), f.y(c.mean), `spot ${sweep.class}`, says, 4.5));
        });
        const last = drawn[i].findLast(Boolean);
        if (last) ends.push([f.y(last.mean), sweep]);
    });
    const heights = spreadLabels(ends.map(([y]) => y), 14, f.top, f.bottom);
    ends.forEach(([, sweep], i) =>
        f.root.append(label(f.right + 10, heights[i] + 4, sweep.letter, {class: `label end ${sweep.class}`})),
    );
    return f.root;
}

function besideSection(view) {
    const {set, sweeps, metric} = view;
    if (!set) return null;
    const of = (i, member) => line => line.cells[i]?.[member] ?? null,
        drawn = (i, member) => line => scaled(of(i, member)(line), metric.scale);
    return figure(`${capital(metric.drawn)} by head count`, {
        note: 'Means over seeds or instances, at the step of the best validation, with 95% intervals.',
        draw: width => drawBeside(view, width),
        legend: sweeps.map(sweep => key(`ink ${sweep.class}`, '\u25cf', [`${sweep.letter}: `, foreign(sweep.name)])),
        table: () =>
            table(
                'Means side by side',
                [
                    {title: 'Heads', value: line => line.heads},
                    ...sweeps.flatMap(({letter}, i) => [
                        {title: `${letter} n`, value: of(i, 'n')},
                        {title: `${letter} bad`, value: line => line.cells[i]?.n_bad || null, optional: true},
                        {title: `${letter} over a limit`, value: line => line.cells[i]?.n_limit || null, optional: true},
                        {title: `${letter} mean ${metric.drawn}`, value: drawn(i, 'mean'), show: four},
                        {title: `${letter} from`, value: drawn(i, 'ci95_low'), show: four},
                        {title: `${letter} to`, value: drawn(i, 'ci95_high'), show: four},
                    ]),
                ],
                set.lines,
            ),
    });
}

/* ---- differences ---- */

/* The rows that are compared, by sweep and head count, in the unit that they are drawn in. */
function differenceRows({set, sweeps, metric: {scale}}) {
    return sweeps.flatMap((sweep, i) =>
        set.lines.filter(line => line.cells[i]?.against).map(({heads, cells}) => ({
            ...cells[i],
            heads,
            mean: scaled(cells[i].mean_diff, scale),
            low: scaled(cells[i].diff_low, scale),
            high: scaled(cells[i].diff_high, scale),
            letter: sweep.letter,
            than: sweeps.find(s => s.name === cells[i].against).letter,
        })),
    );
}

function drawApart(view, rows, width) {
    const several = view.sweeps.length > 2;
    const list = rows.map(({heads, letter, than, mean, low, high}) => ({
        name: several ? `${heads}: ${letter} \u2212 ${than}` : count(heads, 'head'),
        mean,
        low,
        high,
        class: low > 0 || high < 0 ? 'candidate' : 'mean',
        says: signed(mean) + (low === null ? '' : ` (${signed(low)} to ${signed(high)})`),
    }));
    const told = rows.map(row => `${count(row.heads, 'head')}, ${row.letter} less ${row.than}: ${signed(row.mean)}`);
    return drawIntervals(list, width, {label: `${told.join('; ')}.`, axis: `difference in ${view.metric.drawn}`, right: 180});
}

function apartSection(view) {
    const rows = view.set ? differenceRows(view) : [];
    if (!rows.length) return null;
    const pairs = [...new Set(rows.map(row => `${row.letter} less ${row.than}`))];
    return [
        figure(`${capital(view.metric.drawn)}: ${pairs.join(', ')}`, {
            note: 'Differences between means, with 95% intervals; filled where these leave out 0.',
            draw: width => drawApart(view, rows, width),
            table: () =>
                table(
                    'Differences between sweeps',
                    [
                        column('Heads', 'heads'),
                        column('Sweep', 'letter', undefined, WORDS),
                        column('less', 'than', undefined, WORDS),
                        column(`Difference in ${view.metric.drawn}`, 'mean', signedFour),
                        column('from', 'low', signedFour),
                        column('to', 'high', signedFour),
                        column('Degrees of freedom', 'df', one),
                        column('p', 'p', probability),
                        column('Test', 'test', undefined, WORDS),
                    ],
                    rows,
                ),
        }),
    ];
}

/* ---- the page ---- */

const COMPARISON_SECTIONS = [
    ['differ', 'What differs', differSection],
    ['overview', 'All settings', overviewSection],
    ['came', 'What each came to', cameSection],
    ['beside', 'By head count', besideSection],
    ['apart', 'Differences', apartSection],
];

function comparisonHeader({live, sweeps}) {
    return element(
        'header',
        {},
        element(
            'p',
            {class: 'sweep'},
            'Sweeps side by side \u00b7 headcount',
            live ? [' \u00b7 ', element('a', {href: live.home}, 'All sweeps')] : null,
        ),
        element(
            'h1',
            {},
            sweeps?.map((sweep, i) => [i ? ', ' : '', letterOf(sweep), ' ', foreign(sweep.name)]) ?? 'Sweeps',
        ),
    );
}

function drawComparison(view) {
    const names = view.sweeps?.map(s => plain(s.name)).join(', ') ?? 'Sweeps';
    document.title = `${names} \u2013 headcount`;
    SAVED.sweep = names;
    if (view.compared) drawSections(view, () => true);
    becomeParts({header: comparisonHeader(view), '.bar': bar(view), footer: footer(view.live)});
    fit();
}
