/* Claims: that of the sweep file, and whether it was first; what was written down of each setting
 * once its exploring trials had ended, about which trials on fresh seeds or instances alone decide.
 */
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

/* Whether the sweep's present claim is a prediction, by how its plan and its claim changed: nothing
 * could be seen of the plan's trials when it was last changed. pairs is 0 where results outside the
 * plan were among those that could be seen. Without a claim: FIRST. */
static struct verdict_proof proof_of(struct scope *x, int64_t sweep_id)
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
static struct verdict_similar similar_of(struct scope *x, int64_t plan_change_id)
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

/* What the newest row says. */
static struct verdict_similar similar_now(struct scope *x, int64_t sweep_id)
{
    return similar_of(x, scope_ask(x,
                                   "SELECT coalesce(max(plan_change_id), 0) FROM plan_change"
                                   " WHERE sweep_id = ? AND by = 'file'",
                                   VALUES(INTEGER(sweep_id))));
}

/* ---- the claim of the sweep file ---- */

/* A member of an object by its key, which has dots. */
#define MEMBER(object, key) object " -> ('$.\"' || " key " || '\"')"

/* Of settings. */
static void read_claimed(struct scope *x, struct evidence *e, const char *claim)
{
    enum { KEY, BETTER, THAN, AT_HEADS };
    struct rows *r =
        scope_rows(x,
                   "SELECT key, " MEMBER("?1 -> '$.better'", "key") ", " MEMBER(
                       "?1 -> '$.than'", "key") ", ?1 ->> '$.heads' FROM json_each(?1, '$.better')",
                   VALUES(TEXT(claim)));
    while (scope_next(x, r)) {
        e->claimed = arena_grow(&x->arena, e->claimed, (size_t)e->claimed_axes, sizeof *e->claimed);
        e->claimed[e->claimed_axes++] = (struct evidence_claimed){
            scope_given(x, r, KEY), scope_given(x, r, BETTER), scope_given(x, r, THAN)};
        e->claimed_heads = rows_integer(r, AT_HEADS);
    }
}

/* Of head counts; a claim of settings is none. */
static struct verdict_claim claim_of(struct scope *x, const char *claim)
{
    struct verdict_claim c = {0};
    int64_t *over = NULL;
    struct rows *r =
        scope_rows(x, "SELECT ?1 ->> '$.best', value FROM json_each(?1, '$.over') ORDER BY key",
                   VALUES(TEXT(claim)));
    while (scope_next(x, r)) {
        c.best = rows_integer(r, 0);
        over = arena_grow(&x->arena, over, (size_t)c.over_count, sizeof *over);
        over[c.over_count++] = rows_integer(r, 1);
    }
    c.over = over;
    return c;
}

void evidence_read_claim(struct scope *x, struct evidence *e)
{
    struct rows *r =
        scope_rows(x, "SELECT claim FROM sweep WHERE sweep_id = ? AND claim IS NOT NULL",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, r)) {
        const char *claim = rows_given(r, 0);
        e->claim = claim_of(x, claim);
        e->claim.proof = proof_of(x, e->sweep_id);
        read_claimed(x, e, claim);
        if (e->claim.proof.status == PROOF_FIRST)
            *(e->claim.best ? &e->claim.similar : &e->claimed_similar) =
                similar_now(x, e->sweep_id);
    }
}

/* ---- what is confirmed ---- */

void evidence_read_confirm(struct scope *x, struct evidence *e)
{
    enum { SETTING, CLAIM, TRIALS, SEEN, ROW, UNITS };
    e->fresh_units = scope_ask(x,
                               "SELECT coalesce(json_array_length(confirm, '$.instances'),"
                               " confirm ->> '$.seeds', 0) FROM sweep WHERE sweep_id = ?",
                               VALUES(INTEGER(e->sweep_id)));
    if (e->fresh_units == 0)
        return;
    for (int i = 0; i < e->settings; i++)
        e->setting[i].confirm.units = e->fresh_units;
    struct rows *r =
        scope_rows(x,
                   "WITH " CLAIMS_HOLD "SELECT h.setting, claim, pairs, seen, plan_change_id,"
                   " coalesce(json_array_length(what, '$.confirm.instances'),"
                   "  what ->> '$.confirm.seeds')"
                   " FROM holds AS h JOIN plan_change USING (plan_change_id)"
                   " ORDER BY claim IS NULL, plan_change_id",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, r)) {
        struct evidence_setting *set = evidence_find(e, rows_given(r, SETTING));
        if (!set || set->confirm.written)
            continue;
        set->confirm.written = true;
        if (rows_null(r, CLAIM))
            continue;
        int64_t seen = rows_integer(r, SEEN);
        set->confirm.units = rows_integer(r, UNITS) - set->confirm.repeated;
        set->fresh.claim = claim_of(x, rows_given(r, CLAIM));
        set->fresh.claim.proof = (struct verdict_proof){.status = seen ? PROOF_LATE : PROOF_FIRST,
                                                        .seen = seen,
                                                        .pairs = rows_integer(r, TRIALS)};
        if (seen == 0)
            set->fresh.claim.similar = similar_of(x, rows_integer(r, ROW));
    }
}

/* ---- how the plan changed ---- */

void evidence_read_changes(struct scope *x, struct evidence *e)
{
    enum { CHANGED, PAIRS, ADDED, REMOVED, SEEN, OUTSIDE, WHAT, RULES, CLAIM, SIMILAR, DIFFER };
    struct rows *rows =
        scope_rows(x,
                   "SELECT changed, pairs, added, removed, seen, seen_outside, what,"
                   " (SELECT group_concat(value, ', ') FROM json_each(what, '$.rules')), claim,"
                   " similar, similar_differ"
                   " FROM plan_change WHERE sweep_id = ?1 AND by = 'file'"
                   " ORDER BY plan_change_id",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        e->change = arena_grow(&x->arena, e->change, (size_t)e->changes, sizeof *e->change);
        e->change[e->changes++] =
            (struct evidence_change){scope_column(x, rows, CHANGED), rows_integer(rows, PAIRS),
                                     rows_integer(rows, ADDED),      rows_integer(rows, REMOVED),
                                     rows_integer(rows, SEEN),       rows_integer(rows, OUTSIDE),
                                     scope_column(x, rows, WHAT),    scope_column(x, rows, RULES),
                                     scope_column(x, rows, CLAIM),   rows_integer(rows, SIMILAR),
                                     scope_given(x, rows, DIFFER)};
    }
}
