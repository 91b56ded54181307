/* Claims: whether that of the sweep file was first; and what was written down of each setting once
 * its exploring trials had ended, and how the trials on fresh seeds or instances do, which alone
 * decide about it. */
#include <math.h>
#include <string.h>

#include "sweep/db/state.h"
#include "sweep/evidence/evidence_parts.h"

/* ---- whether the claim was first ---- */

struct proof_state {
    bool rows, present; /* there are any; the newest has the present claim */
    bool before;        /* another claim stood in the row before the present one came in */
    int64_t came_seen, came_pairs; /* when it came in */
    int64_t seen, pairs;           /* in the newest row */
    int64_t added, removed;        /* since it came in, where something could be seen */
};

static void take_row(struct proof_state *p, const struct rows *r, bool *claimed)
{
    enum { PRESENT, CLAIMED, SEEN, PAIRS, ADDED, REMOVED };
    bool present = rows_integer(r, PRESENT) != 0;
    p->seen = rows_integer(r, SEEN);
    p->pairs = rows_integer(r, PAIRS);
    if (present && !(p->rows && p->present)) {
        p->before = p->rows && *claimed;
        p->came_seen = p->seen;
        p->came_pairs = p->pairs;
        p->added = p->removed = 0;
    } else if (present && p->seen > 0) {
        p->added += rows_integer(r, ADDED);
        p->removed += rows_integer(r, REMOVED);
    }
    p->rows = true;
    p->present = present;
    *claimed = rows_integer(r, CLAIMED) != 0;
}

/* Where somebody has written the claim past the program, it is as new as can be. */
static struct verdict_proof proof_of_now(struct scope *x, int64_t sweep_id)
{
    struct counts counts;
    scope_check(x, store_counts(x->store, sweep_id, &counts, x->message));
    struct verdict_proof proof = {.pairs = counts.elsewhere};
    for (int i = 0; i < TRIAL_STATES; i++) {
        proof.pairs += counts.trials[i];
        proof.seen += trial_state_ended((enum trial_state)i) ? counts.trials[i] : 0;
    }
    proof.status = proof.seen ? PROOF_LATE : PROOF_FIRST;
    return proof;
}

struct verdict_proof evidence_proof(struct scope *x, int64_t sweep_id)
{
    struct proof_state p = {0};
    bool claimed = false;
    struct rows *r =
        scope_rows(x,
                   "SELECT c.claim IS s.claim, c.claim IS NOT NULL, seen,"
                   " CASE WHEN seen_outside = 0 THEN pairs ELSE 0 END, added, removed"
                   " FROM plan_change AS c JOIN sweep AS s USING (sweep_id) WHERE sweep_id = ?"
                   " AND by = 'file' AND s.claim IS NOT NULL ORDER BY plan_change_id",
                   VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r))
        take_row(&p, r, &claimed);
    if (p.rows && !p.present)
        return proof_of_now(x, sweep_id);
    if (p.seen == 0)
        return (struct verdict_proof){.status = PROOF_FIRST};
    if (p.came_seen == 0)
        return (struct verdict_proof){PROOF_PLAN_CHANGED, p.seen, p.pairs, p.added, p.removed};
    return (struct verdict_proof){p.before ? PROOF_CHANGED : PROOF_LATE, p.came_seen, p.came_pairs,
                                  0, 0};
}

/* What that row of plan_change says of trials like those that decide about its claim. */
static struct verdict_similar evidence_similar_of(struct scope *x, int64_t plan_change_id)
{
    struct verdict_similar found = {0};
    struct rows *r = scope_rows(x,
                                "SELECT similar, value FROM plan_change, json_each(similar_differ)"
                                " WHERE plan_change_id = ? ORDER BY key",
                                VALUES(INTEGER(plan_change_id)));
    while (scope_next(x, r)) {
        found.trials = rows_integer(r, 0);
        found.differ =
            arena_grow(&x->arena, found.differ, (size_t)found.count, sizeof *found.differ);
        found.differ[found.count++] = scope_given(x, r, 1);
    }
    return found;
}

struct verdict_similar evidence_similar(struct scope *x, int64_t sweep_id)
{
    return evidence_similar_of(x, scope_ask(x,
                                            "SELECT coalesce(max(plan_change_id), 0) FROM"
                                            " plan_change WHERE sweep_id = ? AND by = 'file'",
                                            VALUES(INTEGER(sweep_id))));
}

/* ---- what is confirmed ---- */

/* Every setting has something to be confirmed, or will have. */
static void expect_all(struct scope *x, struct evidence *e, int64_t units)
{
    for (int i = 0; i < e->settings; i++) {
        struct evidence_confirm *c = arena_alloc(&x->arena, 1, sizeof *c);
        *c = (struct evidence_confirm){.confirm.units = units};
        e->setting[i].confirm = c;
    }
}

/* ---- claims ---- */

static void read_over(struct scope *x, struct evidence_confirm *c, const char *over)
{
    struct rows *r =
        scope_rows(x, "SELECT value FROM json_each(?) ORDER BY key", VALUES(TEXT(over)));
    int n = 0;
    for (; scope_next(x, r); n++) {
        c->over = arena_grow(&x->arena, c->over, (size_t)n, sizeof *c->over);
        c->over[n] = rows_integer(r, 0);
    }
    c->input.claim_over = c->over;
    c->input.claim_over_count = n;
}

static void read_claims(struct scope *x, struct evidence *e)
{
    enum { SETTING, WRITTEN, BEST, OVER, TRIALS, SEEN, ROW, UNITS };
    struct rows *r = scope_rows(x,
                                "WITH " CLAIMS_HOLD
                                "SELECT h.setting, changed, claim ->> '$.best', claim -> '$.over',"
                                " pairs, seen, plan_change_id, coalesce(json_array_length(what,"
                                "  '$.confirm.instances'), what ->> '$.confirm.seeds')"
                                " FROM holds AS h JOIN plan_change USING (plan_change_id)"
                                " ORDER BY claim IS NULL, plan_change_id",
                                VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, r)) {
        struct evidence_setting *set = evidence_find(e, rows_given(r, SETTING));
        if (!set || set->confirm->confirm.written)
            continue;
        struct evidence_confirm *c = set->confirm;
        int64_t seen = rows_integer(r, SEEN), trials = rows_integer(r, TRIALS);
        c->written = scope_given(x, r, WRITTEN);
        c->confirm.written = true;
        if (rows_null(r, BEST))
            continue;
        c->confirm.input = &c->input;
        c->confirm.units = rows_integer(r, UNITS);
        c->input.claim_best = rows_integer(r, BEST);
        c->input.proof = (struct verdict_proof){
            .status = seen ? PROOF_LATE : PROOF_FIRST, .seen = seen, .pairs = trials};
        read_over(x, c, rows_given(r, OVER));
        if (seen == 0)
            c->input.similar = evidence_similar_of(x, rows_integer(r, ROW));
    }
}

/* ---- trials ---- */

enum { SETTING, HEADS, UNIT, SEED, TRIAL_ID, STATE, LIMIT_HIT, TEST, VAL, EXACT, COUNTS };

#define CONFIRMING                                                                                 \
    " FROM trial AS t JOIN config USING (config_id) WHERE sweep_id = ?1 AND confirms = 1"          \
    " AND in_plan = 1 AND choice = 'chosen'"

static void add_heads(struct arena *a, struct evidence_confirm *c, int64_t heads, int first)
{
    size_t n = (size_t)c->count++;
    c->heads = arena_grow(a, c->heads, n, sizeof *c->heads);
    c->first = arena_grow(a, c->first, n, sizeof *c->first);
    c->heads[n] = (struct verdict_heads){.heads = heads};
    c->first[n] = first;
}

static void take_trial(struct scope *x, struct evidence *e, struct evidence_confirm *c,
                       struct rows *r)
{
    enum trial_state state = rows_state(r, STATE);
    int64_t heads = rows_integer(r, HEADS);
    bool limited = state == TRIAL_FAILED && rows_integer(r, LIMIT_HIT);
    if (c->count == 0 || c->heads[c->count - 1].heads != heads)
        add_heads(&x->arena, c, heads, e->trials);
    c->input.planned++;
    if (!trial_state_ended(state))
        return;
    c->heads[c->count - 1].n++;
    e->trial[e->trials++] = (struct verdict_trial){.seed = rows_integer(r, SEED),
                                                   .trial_id = rows_integer(r, TRIAL_ID),
                                                   .unit = (int)rows_integer(r, UNIT),
                                                   .bad = state != TRIAL_COMPLETED && !limited,
                                                   .limited = limited,
                                                   .test = rows_real(r, TEST),
                                                   .val = rows_real(r, VAL),
                                                   .exact = rows_real(r, EXACT),
                                                   .late_slope = NAN};
}

static void make_room(struct scope *x, struct evidence *e)
{
    int64_t more = scope_ask(x, "SELECT count(*)" CONFIRMING, VALUES(INTEGER(e->sweep_id)));
    size_t trials = (size_t)e->trials;
    struct verdict_trial *all = arena_alloc(&x->arena, trials + (size_t)more, sizeof *all);
    if (trials > 0)
        memcpy(all, e->trial, trials * sizeof *all);
    e->trial = all;
}

/* Of instances that draw the same task the first counts; none that draws one that was explored. */
static void read_trials(struct scope *x, struct evidence *e)
{
    struct rows *r = scope_rows(
        x,
        "WITH explored AS MATERIALIZED (SELECT setting, " REPLICATE_DRAWN(
            "replicate") " AS drawn FROM (SELECT setting,"
                         "  replicate, min(config_id) AS config_id FROM trial WHERE sweep_id = ?1 "
                         "AND in_plan = 1"
                         "   AND confirms = 0 AND replicate <> '{}' GROUP BY setting, replicate)"
                         "  JOIN config USING (config_id)),"
                         " fresh AS (SELECT setting, heads, replicate, " REPLICATE_DRAWN(
                             "replicate") " AS drawn, seed, trial_id, state,"
                                          "  limit_hit, iif(?2, test_loss, test_acc) AS test, "
                                          "iif(?2, val_loss, val_acc)"
                                          "  AS val, test_exact" CONFIRMING "),"
                                          " counted AS (SELECT *, dense_rank() OVER (PARTITION BY "
                                          "setting ORDER BY drawn) AS unit,"
                                          "  row_number() OVER (PARTITION BY setting, heads, "
                                          "drawn, seed ORDER BY replicate) AS copy"
                                          "  FROM fresh)"
                                          "SELECT setting, heads, unit, seed, trial_id, state, "
                                          "limit_hit, test, val, test_exact,"
                                          " copy = 1 AND (setting, drawn) NOT IN (SELECT * FROM "
                                          "explored) FROM counted"
                                          " ORDER BY setting, heads, unit, seed",
        VALUES(INTEGER(e->sweep_id), INTEGER(e->base.loss)));
    const struct evidence_setting *last = NULL;
    int64_t heads = 0; /* the first of the setting */
    while (scope_next(x, r)) {
        struct evidence_setting *set = evidence_find(e, rows_given(r, SETTING));
        if (!set || !set->confirm->confirm.input)
            continue;
        heads = set == last ? heads : rows_integer(r, HEADS);
        last = set;
        if (rows_integer(r, COUNTS))
            take_trial(x, e, set->confirm, r);
        else if (rows_integer(r, HEADS) == heads && rows_integer(r, SEED) == CONFIG_FRESH_SEED) {
            set->confirm->confirm.repeated++;
            set->confirm->confirm.units--;
        }
    }
}

void evidence_read_confirm(struct scope *x, struct evidence *e)
{
    int64_t units = scope_ask(x,
                              "SELECT coalesce(json_array_length(confirm, '$.instances'),"
                              " confirm ->> '$.seeds', 0) FROM sweep WHERE sweep_id = ?",
                              VALUES(INTEGER(e->sweep_id)));
    if (units == 0)
        return;
    expect_all(x, e, units);
    read_claims(x, e);
    make_room(x, e);
    read_trials(x, e);
}

/* ---- what they are judged by ---- */

/* What a head count is, as exploring knows it. */
static void take_description(const struct evidence_setting *set, struct verdict_heads *heads)
{
    for (int k = 0; k < set->count; k++)
        if (set->heads[k].heads == heads->heads) {
            heads->d_head = set->heads[k].d_head;
            heads->lr = set->heads[k].lr;
        }
}

void evidence_bind_confirm(const struct evidence *e, struct evidence_setting *set)
{
    struct evidence_confirm *c = set->confirm;
    if (!c)
        return;
    set->input.confirm = &c->confirm;
    struct verdict_input claim = c->input;
    c->input = set->input;
    c->input.confirm = NULL;
    c->input.looks = c->input.look = 0;
    c->input.equivalence = 0;
    c->input.tuning = c->input.tuning_ended = c->input.eliminated = 0;
    c->input.has_claim = true;
    c->input.claim_best = claim.claim_best;
    c->input.claim_over = claim.claim_over;
    c->input.claim_over_count = claim.claim_over_count;
    c->input.proof = claim.proof;
    c->input.similar = claim.similar;
    c->input.planned = claim.planned;
    c->input.count = c->count;
    c->input.heads = c->heads;
    for (int k = 0; k < c->count; k++) {
        c->heads[k].trial = e->trial + c->first[k];
        take_description(set, &c->heads[k]);
    }
}
