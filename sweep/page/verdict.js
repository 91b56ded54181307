'use strict';

/* The verdict: the finding in a sentence, its figure, and what limits it; of several settings what each came to, and
 * this of the picked one. */

/* ---- words ---- */

function runs(heads) {
    return heads.map(row => row.heads).join(', ');
}

function plateauText(verdict) {
    const inside = verdict.heads.filter(row => row.in_plateau);
    if (!inside.length) return 'none';
    return verdict.plateau_holes || inside.length < 3 ? runs(inside) : `${inside[0].heads}\u2013${inside.at(-1).heads}`;
}

/* What the head counts are together that may be the best. */
function setName(verdict) {
    if (verdict.plateau_margin === null) return 'confidence set';
    return verdict.plateau_holes ? 'set with a gap' : 'plateau';
}

/* "32 heads: lr 0.1", of what was chosen where a better value may lie beyond. */
function edgesText(verdict) {
    return verdict.edges
        .map(e => `${count(e.heads, 'head')}: ${axisName(e.axis)} ${Number(e.value.toPrecision(6))}`)
        .join('; ');
}

function progressText(view) {
    const {report, summary} = view;
    const others = Object.entries(summary.states)
        .filter(([state, n]) => n && state !== 'completed')
        .map(([state, n]) => `${n.toLocaleString('en')} ${spaced(state)}`);
    return (
        `${count(report.ended, 'trial')} of ${report.planned.toLocaleString('en')} ended: ` +
        [`${summary.states.completed.toLocaleString('en')} completed`, ...others].join(', ')
    );
}

function preliminaryBadge(preliminary) {
    return preliminary ? element('p', {class: 'badge'}, 'Preliminary: trials are still to come') : null;
}

function sentenceList(sentences) {
    return sentences.length
        ? element(
              'ul',
              {class: 'sentences'},
              sentences.map(s => element('li', {}, said(s))),
          )
        : null;
}

/* What may be found, the firmest first, in words that stand beside a setting's name. */
const KINDS = {
    claim_confirmed: 'confirmed',
    claim_contradicted: 'contradicted',
    claim_not_confirmed: 'not confirmed',
    claim_undecided: 'undecided',
    claim_untested: 'not tested',
    middle: 'a middle head count wins',
    not_significant: 'a middle head count is not shown to win',
    edge: 'no middle',
    rival_at_edge: 'undecided, as a rival lies at the edge of its grid',
    all_equal: 'all head counts equal',
    at_chance: 'at chance',
    single: 'one head count alone',
    untested: 'not tested',
    unfinished: 'none finished',
    untrained: 'none trained',
    nothing: 'nothing yet',
};

/* What was found in a setting: what fresh trials say, where these were asked for and have ended. */
function kindOf({verdict, confirmation}) {
    return confirmation?.kind ?? verdict.kind;
}

function kindText(kind) {
    return KINDS[kind] ?? spaced(kind);
}

/* "Confirmed in 1 of 2 settings, not confirmed in 1.", of a list of kinds. */
function kindsText(kinds, what = 'setting') {
    const order = Object.keys(KINDS),
        found = [...grouped(kinds, kind => kind)].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
    const parts = found.map(
        ([kind, list], i) => `${kindText(kind)} in ${list.length}${i ? '' : ` of ${count(kinds.length, what)}`}`,
    );
    return `${capital(parts.join(', '))}.`;
}

/* ---- the finding ---- */

const LINES_MAX = 4; // so that a phone shows the figure, too

/* A line for each setting, which picks it; of many the table of settings has them. */
function settingLines(view) {
    const {settings, set} = view;
    if (settings.length > LINES_MAX)
        return element('p', {}, element('a', {href: placeAddress(view, 'settings')}, 'What each setting came to'));
    return element(
        'ul',
        {class: 'lines'},
        settings.map(s =>
            element(
                'li',
                {},
                element('a', {href: settingAddress(s), 'aria-current': s === set ? 'true' : null}, foreign(s.label)),
                ` ${kindText(kindOf(s))}`,
                plateauText(s.verdict) === 'none'
                    ? null
                    : element('span', {}, `; ${setName(s.verdict)} ${plateauText(s.verdict)}`),
            ),
        ),
    );
}

/* The finding is the last of the sentences that are to be read first. */
function leadOf({lead, sentences}) {
    return lead ? sentences[lead - 1] : null;
}

function findingPanel({verdict, label}, several) {
    const lead = leadOf(verdict);
    return lead
        ? element(
              'div',
              {class: 'finding'},
              several ? element('h3', {}, foreign(label)) : null,
              preliminaryBadge(verdict.preliminary),
              element('p', {class: 'lead'}, said(lead)),
          )
        : null;
}

function claimsOf({report}) {
    return report.between?.claims ?? [];
}

/* What was claimed of settings, or what each of them came to: in one sentence. */
function findingOfSettings(view) {
    const claims = claimsOf(view),
        kinds = claims.map(claim => claim.kind);
    if (claims.length === 1) return claimPanel(claims[0]);
    const says = claims.length ? kindsText(kinds, 'comparison') : kindsText(view.settings.map(kindOf));
    return element('p', {class: 'lead'}, says);
}

/* The finding; of several settings a line for each. */
function findings(view) {
    const {settings, set} = view;
    return element(
        'div',
        {class: 'findings'},
        settings.length > 1 ? [findingOfSettings(view), settingLines(view)] : set && findingPanel(set, false),
    );
}

/* ---- what limits it ---- */

function factList({verdict, drawn}) {
    return verdict.kind === 'nothing'
        ? null
        : element(
              'dl',
              {class: 'facts'},
              fact('Candidate', verdict.candidate === null ? 'none' : count(verdict.candidate, 'head')),
              fact(
                  verdict.plateau_margin === null
                      ? 'Not told apart from the best'
                      : `Within ${verdict.plateau_margin} of the best`,
                  plateauText(verdict),
              ),
              fact('Best on validation', verdict.best === null ? 'none' : count(verdict.best, 'head')),
              fact('Guessing', fixed(drawn.guess)),
              fact('Chosen at the edge of the grid', edgesText(verdict)),
          );
}

function fact(name, value) {
    return value === '' ? null : element('div', {}, element('dt', {}, name), element('dd', {}, value));
}

/* All sentences but the finding, those first that are to be read first. */
function otherSentences({lead, sentences}) {
    return sentences.filter((_, i) => i !== lead - 1);
}

function limits(view) {
    const {report, set, settings} = view,
        claims = claimsOf(view),
        outside = report.outside_plan.reduce((n, o) => n + o.ended, 0);
    return element(
        'div',
        {class: 'limits'},
        claims.length > 1 ? claims.map(claimPanel) : null,
        settings.length > 1 ? findingPanel(set, true) : null,
        set ? factList(set) : null,
        element('p', {class: 'progress'}, progressText(view)),
        report.remark ? element('p', {}, 'Note: ', foreign(report.remark)) : null,
        outside
            ? element(
                  'p',
                  {class: 'warning'},
                  `${count(outside, 'ended trial')} of this sweep ${outside === 1 ? 'is' : 'are'} outside the plan; ` +
                      `${outside === 1 ? 'it is' : 'they are'} in no test.`,
              )
            : null,
        element('h3', {}, 'What it rests on, and what limits it'),
        claims.map(claim => sentenceList(claim.sentences.slice(claim.lead))),
        set ? sentenceList(otherSentences(set.verdict)) : null,
    );
}

function verdictSection(view) {
    return [findings(view), accuracyFigure(view), limits(view)];
}
