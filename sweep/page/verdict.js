'use strict';

/* The verdict: the finding in a sentence, its figure, and what limits it; of several settings what each came to, and
 * this of the picked one. */

/* ---- words ---- */

function runs(heads) {
    return heads.map(row => row.heads).join(', ');
}

/* Whether head counts were held against each other, and are not all the same. */
function isCompared({kind, heads}) {
    return kind !== 'all_equal' && heads.some(row => row.p_against_best !== null);
}

/* '' where nothing was compared. */
function plateauText(verdict) {
    if (!isCompared(verdict)) return '';
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

const ENDED = ['completed', 'diverged', 'failed'];

/* "All 6 trials have ended: 5 completed, 1 diverged." */
function progressText({report, summary, trials}) {
    const {not_needed: spared, ...states} = summary.states,
        ended = ([state]) => ENDED.includes(state),
        words = list => list.map(([state, n]) => `${n.toLocaleString('en')} ${spaced(state)}`).join(', ');
    const known = Object.entries(states).filter(([, n]) => n),
        [done, left] = [known.filter(ended), known.filter(entry => !ended(entry))].map(words);
    return `${trialsText(report, spared, sparedBy(report, trials))}${done && `: ${done}`}${left && `; ${left}`}.`;
}

/* What may have made trials unneeded. */
function sparedBy({settings}, trials) {
    const looks = settings.some(set => set.verdict.looks > 1),
        tuned = trials.some(t => t.is_tuning);
    return tuned && looks ? 'tuning or a look' : looks ? 'a look' : 'tuning';
}

/* All trials there are, those that are not needed, and how many of the rest have ended: numbers that add up. */
function trialsText({ended, planned, plan_changes: changes}, spared, by) {
    const all = planned + spared,
        first = changes.at(-1)?.pairs ?? all,
        done = ended === planned ? `All ${count(planned, 'trial')}` : `${ended.toLocaleString('en')} of ${count(planned, 'trial')}`;
    const since = all > first ? ` (${first.toLocaleString('en')} planned, ${(all - first).toLocaleString('en')} added while it ran)` : '';
    return spared
        ? `Of ${count(all, 'trial')}${since}, ${spared.toLocaleString('en')} ${spared === 1 ? 'is' : 'are'} not needed, ` +
              `as ${by} decided without them. ${done.replace('trial', 'other trial')} ${planned === 1 ? 'has' : 'have'} ended`
        : `${done}${since} ${planned === 1 ? 'has' : 'have'} ended`;
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
    edge: 'no middle head count wins',
    rival_at_edge: 'undecided, as a rival lies at the edge of its grid',
    all_equal: 'all head counts equal',
    at_chance: 'at chance',
    single: 'one head count alone',
    untested: 'not tested',
    unfinished: 'none finished',
    untrained: 'none trained',
    nothing: 'nothing yet',
};

/* What a setting is judged by: fresh trials, where these were asked for and have ended. */
function decidingOf({verdict}) {
    const {confirmation} = verdict;
    return confirmation?.kind && !confirmation.preliminary ? confirmation : verdict;
}

/* Trials of which some were known when the claim was written are not fresh: they confirm nothing. */
function kindOf(set) {
    const deciding = decidingOf(set);
    return deciding === set.verdict || deciding.claim_proof.status === 'first' ? deciding.kind : 'claim_not_confirmed';
}

function kindText(kind) {
    return KINDS[kind] ?? spaced(kind);
}

/* The head counts over which the finding's lead is smaller than the margin: "1 and 8 heads"; '' without any. */
function smallLeads(set) {
    const {plateau_margin: margin} = set.verdict,
        {comparisons} = decidingOf(set);
    if (margin === null || !['middle', 'claim_confirmed'].includes(kindOf(set))) return '';
    const small = comparisons.filter(r => r.outcome === 'better' && Math.abs(r.mean_diff) < margin);
    return small.length ? headsText(small.map(r => r.heads_b)) : '';
}

/* What a setting came to, in the words of a line. */
function lineText(set) {
    const small = smallLeads(set);
    return kindText(kindOf(set)) + (small ? `, though over ${small} by less than the margin of equivalence` : '');
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
                ` ${lineText(s)}`,
                ['', 'none'].includes(plateauText(s.verdict))
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

function findingPanel(set, several) {
    const {verdict, label} = set,
        lead = leadOf(verdict);
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

/* The head count that the verdict is about; null: none, or there is nothing to pick from. */
function candidateOf({candidate, heads}) {
    return heads.length > 1 ? candidate : null;
}

/* What validation picks. */
function chosenFacts(verdict) {
    const {candidate, best, heads, kind} = verdict,
        text = n => (n === null ? 'none' : count(n, 'head'));
    if (heads.length < 2 || kind === 'all_equal') return null;
    return candidate === best
        ? fact('Candidate, and best on validation', text(best))
        : [fact('Candidate', text(candidate)), fact('Best on validation', text(best))];
}

function factList({verdict, drawn}) {
    return verdict.kind === 'nothing'
        ? null
        : element(
              'dl',
              {class: 'facts'},
              chosenFacts(verdict),
              fact(
                  verdict.plateau_margin === null
                      ? 'Confidence set: could be the best'
                      : `Plateau: shown to be within ${Number(drawn.margin.toPrecision(3))} of the best`,
                  plateauText(verdict),
              ),
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

/* What limits the claims and the verdict; the rest, which explains, is folded. */
function limitLists(verdicts) {
    const more = verdicts.flatMap(({shown, sentences}) => sentences.slice(shown));
    const lists = [
        ...verdicts.map(({lead, shown, sentences}) => sentenceList(otherSentences({lead, sentences: sentences.slice(0, shown)}))),
        more.length
            ? element('details', {class: 'table'}, element('summary', {}, 'What else there is to know'), sentenceList(more))
            : null,
    ].filter(Boolean);
    return lists.length ? [element('h3', {}, 'What it rests on, and what limits it'), lists] : null;
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
        limitLists(set ? [...claims, set.verdict] : claims),
    );
}

function verdictSection(view) {
    return [findings(view), accuracyFigure(view), limits(view)];
}
