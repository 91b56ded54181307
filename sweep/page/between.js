'use strict';

/* Settings against each other at the same head count, and what was claimed of two. */

/* What the sweep asked goes before what each setting came to. */
function claimPanel(claim) {
    return element(
        'div',
        {class: 'finding'},
        preliminaryBadge(claim.preliminary),
        claim.sentences.slice(0, claim.lead).map(s => element('p', {class: 'lead'}, said(s))),
    );
}

function betweenSection(view) {
    const {between} = view.report;
    if (!between) return null;
    const tested = between.comparisons.filter(r => r.mean_diff !== null);
    const parts = [
        between.too_many
            ? element('p', {}, 'Settings are not held against each other: too many of them differ in one axis.')
            : null,
        tested.length ? testedPairs(view, tested) : null,
        evenPairs(between.comparisons, tested.length),
    ].filter(Boolean);
    return parts.length ? parts : null;
}

/* Pairs that have results of which no test is made. */
function evenPairs(comparisons, tested) {
    const n = comparisons.filter(r => r.kind === 'at_chance' || r.kind === 'all_equal').length,
        pairs = count(n, tested ? 'more pair' : 'pair');
    return n ? element('p', {}, `${pairs} of settings ${n === 1 ? 'is' : 'are'} at chance or all equal.`) : null;
}

function testedPairs(view, tested) {
    const [{ci_level: level}] = tested;
    const claimed = tested.some(r => r.claimed) ? ' (of a claim, the one that it calls better)' : '';
    return [
        preliminaryBadge(tested.some(r => r.preliminary)),
        element(
            'p',
            {},
            `Differences in ${view.metric.name} between settings that differ in one axis, at the same head count, ` +
                `the better one first${claimed}, with ${Number((100 * level).toPrecision(3))}% intervals. ` +
                'Each p is corrected for the number of comparisons in the column "Corrected for".',
        ),
        scrolling(
            'Between settings',
            table('Settings against each other', columnsOf(view.summary.columns.between, 'unit'), tested),
        ),
    ];
}
