#include "sweep/evidence/evidence_parts.h"

enum { PRESENT, CLAIMED, SEEN, PAIRS, ADDED, REMOVED };

struct proof_state {
    bool rows, present; /* there are any; the newest has the present claim */
    bool before;        /* another claim stood in the row before the present one came in */
    int64_t came_seen, came_pairs; /* when it came in */
    int64_t seen, pairs;           /* in the newest row */
    int64_t added, removed;        /* since it came in, where something could be seen */
};

static void take_row(struct proof_state *p, const struct rows *r, bool *claimed)
{
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

struct verdict_similar evidence_similar_of(struct scope *x, int64_t plan_change_id)
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
