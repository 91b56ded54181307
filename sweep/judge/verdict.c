/* What is decided from the results of each arm and their comparisons. */
#include "sweep/judge/verdict.h"

#include <math.h>
#include <string.h>

#include "sweep/judge/verdict_parts.h"

static const double ALPHA = .05;
const double VERDICT_TOLERANCE = .005;
const double VERDICT_TOLERANCE_AT[VERDICT_TOLERANCES] = {0, .005, .02};

static enum verdict_kind judge_claim(struct judge *j)
{
    const struct verdict_claim *claim = &j->in->claim;
    struct verdict *v = j->v;
    v->candidate = claim->best;
    v->alpha = j->alpha;
    for (int i = 0; i < claim->over_count; i++)
        compare_rival(j, claim->best, claim->over[i], claim->over_count);
    if (rivals_with(v, RIVAL_BETTER))
        return VERDICT_CLAIM_CONTRADICTED;
    if (rivals_with(v, RIVAL_OVER_EDGE))
        return VERDICT_RIVAL_AT_EDGE;
    if (rivals_with(v, RIVAL_UNFINISHED))
        return VERDICT_CLAIM_UNDECIDED;
    if (rivals_with(v, RIVAL_NOT_BEATEN))
        return VERDICT_CLAIM_NOT_CONFIRMED;
    if (v->rivals == 0 || rivals_with(v, RIVAL_UNTESTED))
        return VERDICT_CLAIM_UNTESTED;
    return rivals_with(v, RIVAL_AT_EDGE) ? VERDICT_RIVAL_AT_EDGE : VERDICT_CLAIM_CONFIRMED;
}

static bool can_be_best(const struct verdict_row *r)
{
    return row_tested(r) && !r->mostly_bad;
}

/* The fewest heads whose mean validation value is within the tolerance of row `best`. */
static int64_t pick(const struct judge *j, int best, double tolerance)
{
    const struct verdict *v = j->v;
    /* Rounding must not shut out a mean that is exactly the tolerance away. */
    double least = j->sign * v->row[best].val_mean - tolerance - 1e-12;
    int i = 0;
    while (!can_be_best(&v->row[i]) || j->sign * v->row[i].val_mean < least)
        i++;
    return v->row[i].arm;
}

static enum verdict_kind judge_exploratory(struct judge *j, int best)
{
    struct verdict *v = j->v;
    v->candidate = pick(j, best, VERDICT_TOLERANCE);
    if (v->smallest == v->largest)
        return VERDICT_SINGLE;
    if (v->candidate == v->smallest || v->candidate == v->largest)
        return VERDICT_EDGE;
    v->alpha = j->alpha / v->interior;
    compare_rival(j, v->candidate, v->smallest, 1);
    compare_rival(j, v->candidate, v->largest, 1);
    if (rivals_with(v, RIVAL_BEATEN) == v->rivals)
        return VERDICT_MIDDLE;
    if (rivals_with(v, RIVAL_NOT_BEATEN) || rivals_with(v, RIVAL_BETTER))
        return VERDICT_NOT_SIGNIFICANT;
    return rivals_with(v, RIVAL_UNTESTED) ? VERDICT_UNTESTED : VERDICT_RIVAL_AT_EDGE;
}

/* Which of two arms with names is better, where nobody has claimed it. */
static enum verdict_kind judge_pair(struct judge *j)
{
    struct verdict *v = j->v;
    const struct verdict_input *in = j->in;
    v->candidate = in->arm[0].id;
    v->alpha = j->alpha;
    compare_rival(j, v->candidate, in->arm[1].id, 1);
    if (rivals_with(v, RIVAL_UNFINISHED))
        return VERDICT_UNFINISHED;
    if (rivals_with(v, RIVAL_UNTESTED))
        return VERDICT_UNTESTED;
    if (rivals_with(v, RIVAL_AT_EDGE) || rivals_with(v, RIVAL_OVER_EDGE))
        return VERDICT_RIVAL_AT_EDGE;
    return rivals_with(v, RIVAL_NOT_BEATEN) ? VERDICT_NOT_SIGNIFICANT : VERDICT_SETTING_BETTER;
}

/* Row with the best mean validation value of those that can be the best; there is one. */
static int best_row(const struct judge *j)
{
    const struct verdict_row *row = j->v->row;
    int best = -1;
    for (int i = 0; i < j->v->rows; i++)
        if (can_be_best(&row[i]) &&
            (best < 0 || j->sign * row[i].val_mean > j->sign * row[best].val_mean))
            best = i;
    return best;
}

/* The arms that take part: those at a limit do not. */
static void find_edges(struct verdict *v)
{
    int taking_part = 0;
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        if (r->limited)
            continue;
        taking_part++;
        v->finished += row_tested(r);
        v->smallest = v->smallest ? v->smallest : r->arm;
        v->largest = r->arm;
    }
    v->interior = taking_part > 2 ? taking_part - 2 : 0;
}

/* Whether there is anything to compare: `kind` says why not. */
static bool has_results(const struct verdict *v, enum verdict_kind *kind)
{
    bool bad = false, limited = false;
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        if (can_be_best(r))
            return true;
        limited = limited || r->limited;
        bad = bad || r->bad;
    }
    *kind = limited ? VERDICT_UNFINISHED : bad ? VERDICT_UNTRAINED : VERDICT_NOTHING;
    return false;
}

static enum verdict_kind judge(struct judge *j)
{
    struct verdict *v = j->v;
    enum verdict_kind kind;
    summarize_rows(j);
    find_edges(v);
    if (!has_results(v, &kind))
        return kind;
    if (all_at_chance(j))
        return VERDICT_AT_CHANCE;
    int best = best_row(j);
    v->best = v->row[best].arm;
    for (int i = 0; i < VERDICT_TOLERANCES; i++)
        v->candidate_at[i] = pick(j, best, VERDICT_TOLERANCE_AT[i]);
    compare_with_best(j);
    find_plateau(j, best);
    if (all_equal(j))
        return VERDICT_ALL_EQUAL;
    return v->prediction  ? judge_claim(j)
           : j->in->named ? judge_pair(j)
                          : judge_exploratory(j, best);
}

/* What tests count. */
static const char *unit_name(const struct verdict_input *in)
{
    bool rows = in->data == VERDICT_ROWS;
    if (!in->replicated)
        return "seed";
    if (verdict_over_files(in))
        return rows ? "file" : "text";
    if (strcmp(in->replicated, "task.instance") == 0)
        return rows ? "split" : "task instance";
    return "replicate";
}

/* Of guessing, where trials have it each; 0: they do not. */
static double mean_guess(const struct verdict_input *in)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < in->count; i++)
        for (int k = 0; k < in->arm[i].n; k++) {
            sum += in->arm[i].trial[k].guess;
            n += in->arm[i].trial[k].guess > 0;
        }
    return n ? sum / n : 0;
}

/* What is known before any trial is looked at. */
static void prepare(struct judge *j)
{
    const struct verdict_input *in = j->in;
    struct verdict *v = j->v;
    j->sign = in->loss ? -1 : 1;
    j->alpha = ALPHA / (in->looks > 1 ? in->looks : 1);
    v->rows = in->count;
    v->prediction = in->claim.best && in->claim.proof.status == PROOF_FIRST;
    for (int i = 0; i < in->count; i++)
        v->ended += in->arm[i].n;
    v->preliminary = v->ended < in->planned;
    v->unit = unit_name(in);
    v->guess = !in->loss ? in->chance : in->guess_loss > 0 ? in->guess_loss : fabs(log(in->chance));
    double mean = in->loss ? mean_guess(in) : 0;
    v->guess_varies = mean > 0;
    v->guess = v->guess_varies ? mean : v->guess;
    v->alpha = v->plateau_margin = NAN;
    v->level = 1 - j->alpha;
}

static void decide(struct judge *j)
{
    struct verdict *v = j->v;
    prepare(j);
    v->kind = judge(j);
    v->decided = !v->preliminary &&
                 (v->kind == VERDICT_CLAIM_CONFIRMED || v->kind == VERDICT_CLAIM_CONTRADICTED ||
                  v->kind == VERDICT_MIDDLE || v->kind == VERDICT_RIVAL_AT_EDGE);
}

/* Blocks of a text have losses, and units other than seeds may each be another text. */
static bool has_blocks(const struct verdict_input *in)
{
    return in->loss && in->blocks > 1 && !in->replicated;
}

struct verdict *verdict_new(struct scope *x, const struct verdict_input *in)
{
    struct arena *a = &x->arena;
    size_t longest = 1, arms = (size_t)in->count;
    for (int i = 0; i < in->count; i++)
        if ((size_t)in->arm[i].n > longest)
            longest = (size_t)in->arm[i].n;
    struct verdict *v = arena_alloc(a, 1, sizeof *v);
    v->row = arena_alloc(a, arms, sizeof *v->row);
    v->rival = arena_alloc(a, (size_t)in->claim.over_count + 2, sizeof *v->rival);
    struct judge j = {.in = in,
                      .v = v,
                      .a = arena_alloc(a, longest, sizeof *j.a),
                      .b = arena_alloc(a, longest, sizeof *j.b),
                      .difference = arena_alloc(a, longest, sizeof *j.difference),
                      .size = arena_alloc(a, longest, sizeof *j.size),
                      .p = arena_alloc(a, arms, sizeof *j.p),
                      .order = arena_alloc(a, arms, sizeof *j.order)};
    if (has_blocks(in))
        j.table = arena_alloc(a, longest * (size_t)in->blocks, sizeof *j.table);
    decide(&j);
    if (in->confirm && in->confirm->input)
        v->confirmed = verdict_new(x, in->confirm->input);
    return v;
}

double verdict_guess(const struct verdict *v, const struct verdict_trial *t)
{
    return v->guess_varies && t->guess > 0 ? t->guess : v->guess;
}

bool verdict_over_files(const struct verdict_input *in)
{
    return in->replicated && strcmp(in->replicated, "task.file") == 0;
}

int64_t outermost(const struct verdict *v, bool largest)
{
    int64_t found = 0;
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        if (r->arm != v->candidate && row_tested(r) && (largest || !found))
            found = r->arm;
    }
    return found;
}

struct verdict_pick verdict_pick(const struct verdict_input *in, const struct verdict *v)
{
    struct verdict_pick pick = {.kind = v->kind};
    if (v->kind != VERDICT_MIDDLE && v->kind != VERDICT_NOT_SIGNIFICANT &&
        v->kind != VERDICT_EDGE && v->kind != VERDICT_UNTESTED)
        return pick;
    int64_t least = outermost(v, false), most = outermost(v, true);
    if (least == 0)
        return pick;
    if (verdict_at_edge(in, least) || verdict_at_edge(in, most)) {
        pick.kind = VERDICT_RIVAL_AT_EDGE;
        return pick;
    }
    pick.best = v->candidate;
    pick.over[pick.over_count++] = least;
    if (most != least)
        pick.over[pick.over_count++] = most;
    return pick;
}

bool verdict_has_bits(const struct verdict_input *in)
{
    return in->loss && in->data == VERDICT_TEXT;
}

int64_t verdict_ahead(const struct verdict_input *in, const struct verdict *v,
                      const struct verdict_rival *r)
{
    return (in->loss ? -r->pair.mean : r->pair.mean) > 0 ? v->candidate : r->arm;
}

bool verdict_won_by_guesses(const struct verdict_input *in, const struct verdict *v,
                            const struct verdict_rival *r)
{
    int row = arm_index(in, verdict_ahead(in, v, r));
    return r->outcome == RIVAL_NOT_BEATEN && r->p < 1 - v->level && row >= 0 &&
           v->row[row].mostly_bad;
}

const struct verdict_arm *verdict_tuned(const struct verdict_input *in)
{
    for (int i = 0; i < in->count; i++)
        if (in->arm[i].axes > 0)
            return &in->arm[i];
    return NULL;
}

int verdict_chosen(const struct verdict_input *in)
{
    int n = 0;
    for (int i = 0; i < in->count; i++)
        n += in->arm[i].axes > 0 && in->arm[i].axis[0].chosen >= 0;
    return n;
}

bool verdict_at_edge(const struct verdict_input *in, int64_t arm)
{
    int i = arm_index(in, arm);
    bool edge = false;
    for (int a = 0; i >= 0 && a < in->arm[i].axes; a++)
        edge = edge || in->arm[i].axis[a].edge != GRID_INNER;
    return edge;
}

const char *grid_edge_name(enum grid_edge edge)
{
    static const char *const names[] = {
        [GRID_SMALLEST] = "smallest",
        [GRID_LARGEST] = "largest",
        [GRID_ONLY] = "only",
    };
    return names[edge];
}

const char *verdict_kind_name(enum verdict_kind kind)
{
    static const char *const names[] = {
        [VERDICT_NOTHING] = "nothing",
        [VERDICT_UNTRAINED] = "untrained",
        [VERDICT_SINGLE] = "single",
        [VERDICT_CLAIM_CONFIRMED] = "claim_confirmed",
        [VERDICT_CLAIM_NOT_CONFIRMED] = "claim_not_confirmed",
        [VERDICT_CLAIM_CONTRADICTED] = "claim_contradicted",
        [VERDICT_CLAIM_UNTESTED] = "claim_untested",
        [VERDICT_MIDDLE] = "middle",
        [VERDICT_NOT_SIGNIFICANT] = "not_significant",
        [VERDICT_EDGE] = "edge",
        [VERDICT_UNTESTED] = "untested",
        [VERDICT_AT_CHANCE] = "at_chance",
        [VERDICT_ALL_EQUAL] = "all_equal",
        [VERDICT_CLAIM_UNDECIDED] = "claim_undecided",
        [VERDICT_UNFINISHED] = "unfinished",
        [VERDICT_RIVAL_AT_EDGE] = "rival_at_edge",
        [VERDICT_SETTING_BETTER] = "setting_better",
    };
    return names[kind];
}

const char *rival_outcome_name(enum rival_outcome outcome)
{
    static const char *const names[] = {
        [RIVAL_BEATEN] = "better",
        [RIVAL_NOT_BEATEN] = "not_shown",
        [RIVAL_BETTER] = "worse",
        [RIVAL_UNTESTED] = "untested",
        [RIVAL_UNFINISHED] = "unfinished",
        [RIVAL_AT_EDGE] = "rival_at_edge",
        [RIVAL_OVER_EDGE] = "candidate_at_edge",
    };
    return names[outcome];
}

const char *verdict_proof_name(enum verdict_proof_status status)
{
    static const char *const names[] = {
        [PROOF_FIRST] = "first",
        [PROOF_LATE] = "late",
        [PROOF_CHANGED] = "changed",
        [PROOF_PLAN_CHANGED] = "plan_changed",
    };
    return names[status];
}
