#include "sweep/evidence/evidence_parts.h"

#include <stdlib.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
static enum status read_claim(struct store *s, struct evidence *e, struct message *m)
{
    struct rows rows = rows_open(s, m,
                                 "SELECT over.value FROM sweep, json_each(claim, '$.over') AS over"
                                 " WHERE sweep_id = ?1 AND claim IS NOT NULL",
                                 VALUES(INTEGER(e->sweep_id)));
    enum status status = evidence_proof(s, e->sweep_id, &e->base.proof, m);
    while (status == STATUS_OK && rows_next(&rows)) {
        int64_t *over = array_grow(e->claim_over, (size_t)e->base.claim_over_count, sizeof *over);
        if (!over) {
            status = evidence_no_memory(m);
            break;
        }
        e->claim_over = over;
        over[e->base.claim_over_count++] = rows_integer(&rows, 0);
    }
    e->base.claim_over = e->claim_over;
    return rows_close_after(&rows, status);
}

enum status evidence_read_sweep(struct store *s, struct evidence *e, struct message *m)
{
    enum { CLAIM_BEST, LOSS, LOOKS, EQUIVALENCE, REPLICATED, DRAWN };
    struct rows rows = rows_open(
        s, m,
        "SELECT claim ->> '$.best', metric = 'val_loss', json_array_length(looks), equivalence,"
        " (SELECT group_concat(value, ', ') FROM json_each(replicate)), drawn FROM "
        "sweep"
        " WHERE sweep_id = ?1",
        VALUES(INTEGER(e->sweep_id)));
    bool found = rows_next(&rows);
    if (found) {
        e->base.has_claim = !rows_null(&rows, CLAIM_BEST);
        e->base.claim_best = rows_integer(&rows, CLAIM_BEST);
        e->base.loss = rows_integer(&rows, LOSS) != 0;
        e->drawn = rows_integer(&rows, DRAWN) != 0;
        e->base.looks = (int)rows_integer(&rows, LOOKS);
        e->base.equivalence = rows_null(&rows, EQUIVALENCE) ? 0 : rows_real(&rows, EQUIVALENCE);
        if (!rows_null(&rows, REPLICATED) &&
            !(e->replicated = text_copy(rows_text(&rows, REPLICATED))))
            rows.status = evidence_no_memory(m);
        e->base.replicated = e->replicated;
    }
    enum status status = rows_close(&rows);
    if (status == STATUS_OK && !found)
        return status_fail(m, STATUS_BAD_INPUT, "no sweep has the id %lld", (long long)e->sweep_id);
    return status == STATUS_OK ? read_claim(s, e, m) : status;
}

enum status evidence_read_outside(struct store *s, struct evidence *e, struct message *m)
{
    enum { HEADS, ENDED, COMPLETED, ACC, LOSS };
    struct rows rows =
        rows_open(s, m,
                  "SELECT heads, count(*), sum(state = 'completed'), avg(test_acc), avg(test_loss)"
                  " FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 0"
                  " AND state IN ('completed', 'diverged', 'failed') GROUP BY heads ORDER BY heads",
                  VALUES(INTEGER(e->sweep_id)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&rows)) {
        struct evidence_outside *grown = array_grow(e->outside, (size_t)e->outsides, sizeof *grown);
        if (!grown) {
            status = evidence_no_memory(m);
            break;
        }
        e->outside = grown;
        grown[e->outsides++] = (struct evidence_outside){
            rows_integer(&rows, HEADS), (int)rows_integer(&rows, ENDED),
            (int)rows_integer(&rows, COMPLETED), rows_real(&rows, e->base.loss ? LOSS : ACC)};
    }
    return rows_close_after(&rows, status);
}

enum status evidence_read_changes(struct store *s, struct evidence *e, struct message *m)
{
    enum { CHANGED, PAIRS, ADDED, REMOVED, SEEN, OUTSIDE, WHAT, RULES, CLAIM };
    struct rows rows =
        rows_open(s, m,
                  "SELECT changed, pairs, added, removed, seen, seen_outside, what,"
                  " (SELECT group_concat(value, ', ') FROM json_each(what, '$.rules')), claim"
                  " FROM plan_change WHERE sweep_id = ?1 ORDER BY plan_change_id",
                  VALUES(INTEGER(e->sweep_id)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&rows)) {
        struct evidence_change *grown = array_grow(e->change, (size_t)e->changes, sizeof *grown);
        if (!grown) {
            status = evidence_no_memory(m);
            break;
        }
        e->change = grown;
        struct evidence_change *c = &grown[e->changes++];
        *c = (struct evidence_change){text_copy(rows_text(&rows, CHANGED)),
                                      rows_integer(&rows, PAIRS),
                                      rows_integer(&rows, ADDED),
                                      rows_integer(&rows, REMOVED),
                                      rows_integer(&rows, SEEN),
                                      rows_integer(&rows, OUTSIDE),
                                      text_copy(rows_text(&rows, WHAT)),
                                      text_copy(rows_text(&rows, RULES)),
                                      text_copy(rows_text(&rows, CLAIM))};
        if (!c->changed || !c->what || !c->rules || !c->claim)
            status = evidence_no_memory(m);
    }
    return rows_close_after(&rows, status);
}
