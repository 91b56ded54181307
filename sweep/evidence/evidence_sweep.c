#include "sweep/evidence/evidence_parts.h"

/* A member of an object by its key, which has dots. */
#define MEMBER(object, key) object " -> ('$.\"' || " key " || '\"')"

static void read_claimed(struct scope *x, struct evidence *e)
{
    enum { KEY, BETTER, THAN, AT_HEADS };
    struct rows *rows =
        scope_rows(x,
                   "SELECT key, " MEMBER("claim -> '$.better'", "key") ", " MEMBER(
                       "claim -> '$.than'", "key") ", claim ->> '$.heads'"
                                                   " FROM sweep, json_each(claim, '$.better')"
                                                   " WHERE sweep_id = ?1 AND claim IS NOT NULL",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        e->claimed = arena_grow(&x->arena, e->claimed, (size_t)e->claimed_axes, sizeof *e->claimed);
        e->claimed[e->claimed_axes++] = (struct evidence_claimed){
            scope_given(x, rows, KEY), scope_given(x, rows, BETTER), scope_given(x, rows, THAN)};
        e->claimed_heads = rows_integer(rows, AT_HEADS);
    }
    if (e->claimed_axes > 0 && e->base.proof.status == PROOF_FIRST)
        e->claimed_similar = evidence_similar(x, e->sweep_id);
}

static void read_claim(struct scope *x, struct evidence *e)
{
    struct rows *rows = scope_rows(x,
                                   "SELECT over.value FROM sweep, json_each(claim, '$.over') AS"
                                   " over WHERE sweep_id = ?1 AND claim IS NOT NULL",
                                   VALUES(INTEGER(e->sweep_id)));
    int64_t *over = NULL;
    e->base.proof = evidence_proof(x, e->sweep_id);
    if (e->base.has_claim && e->base.proof.status == PROOF_FIRST)
        e->base.similar = evidence_similar(x, e->sweep_id);
    while (scope_next(x, rows)) {
        over = arena_grow(&x->arena, over, (size_t)e->base.claim_over_count, sizeof *over);
        over[e->base.claim_over_count++] = rows_integer(rows, 0);
    }
    e->base.claim_over = over;
    read_claimed(x, e);
}

void evidence_read_sweep(struct scope *x, struct evidence *e)
{
    enum { CLAIM_BEST, LOSS, LOOKS, EQUIVALENCE, REPLICATED, DRAWN };
    struct rows *rows = scope_rows(
        x,
        "SELECT claim ->> '$.best', metric = 'val_loss', json_array_length(looks), equivalence,"
        " (SELECT group_concat(value, ', ') FROM json_each(replicate)), drawn FROM sweep"
        " WHERE sweep_id = ?1",
        VALUES(INTEGER(e->sweep_id)));
    bool found = false;
    while (scope_next(x, rows)) {
        found = true;
        e->base.has_claim = !rows_null(rows, CLAIM_BEST);
        e->base.claim_best = rows_integer(rows, CLAIM_BEST);
        e->base.loss = rows_integer(rows, LOSS) != 0;
        e->drawn = rows_integer(rows, DRAWN) != 0;
        e->base.looks = (int)rows_integer(rows, LOOKS);
        e->base.equivalence = rows_null(rows, EQUIVALENCE) ? 0 : rows_real(rows, EQUIVALENCE);
        e->base.replicated = rows_null(rows, REPLICATED) ? NULL : scope_column(x, rows, REPLICATED);
    }
    if (!found)
        scope_fail(x, STATUS_BAD_INPUT, "no sweep has the id %lld", (long long)e->sweep_id);
    read_claim(x, e);
}

void evidence_read_outside(struct scope *x, struct evidence *e)
{
    enum { HEADS, ENDED, COMPLETED, ACC, LOSS };
    struct rows *rows =
        scope_rows(x,
                   "SELECT heads, count(*), sum(state = 'completed'), avg(test_acc), avg(test_loss)"
                   " FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 0"
                   " AND state IN ('completed', 'diverged', 'failed') GROUP BY heads"
                   " ORDER BY heads",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        e->outside = arena_grow(&x->arena, e->outside, (size_t)e->outsides, sizeof *e->outside);
        e->outside[e->outsides++] = (struct evidence_outside){
            rows_integer(rows, HEADS), (int)rows_integer(rows, ENDED),
            (int)rows_integer(rows, COMPLETED), rows_real(rows, e->base.loss ? LOSS : ACC)};
    }
}

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
