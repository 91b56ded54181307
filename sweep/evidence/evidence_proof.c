#include "sweep/db/rows.h"
#include "sweep/evidence/evidence.h"

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
static enum status proof_of_now(struct store *s, int64_t sweep_id, struct verdict_proof *proof,
                                struct message *m)
{
    struct counts counts;
    enum status status = store_counts(s, sweep_id, &counts, m);
    if (status != STATUS_OK)
        return status;
    proof->pairs = counts.elsewhere;
    for (int i = 0; i < TRIAL_STATES; i++) {
        proof->pairs += counts.trials[i];
        proof->seen += trial_state_ended((enum trial_state)i) ? counts.trials[i] : 0;
    }
    proof->status = proof->seen ? PROOF_LATE : PROOF_FIRST;
    return status;
}

enum status evidence_proof(struct store *s, int64_t sweep_id, struct verdict_proof *proof,
                           struct message *m)
{
    struct proof_state p = {0};
    bool claimed = false;
    *proof = (struct verdict_proof){.status = PROOF_FIRST};
    struct rows r =
        rows_open(s, m,
                  "SELECT c.claim IS s.claim, c.claim IS NOT NULL, seen,"
                  " CASE WHEN seen_outside = 0 THEN pairs ELSE 0 END, added, removed"
                  " FROM plan_change AS c JOIN sweep AS s USING (sweep_id) WHERE sweep_id = ?"
                  " AND s.claim IS NOT NULL ORDER BY plan_change_id",
                  VALUES(INTEGER(sweep_id)));
    while (rows_next(&r))
        take_row(&p, &r, &claimed);
    enum status status = rows_close(&r);
    if (status != STATUS_OK)
        return status;
    if (p.rows && !p.present)
        return proof_of_now(s, sweep_id, proof, m);
    if (p.seen == 0)
        return STATUS_OK;
    if (p.came_seen == 0)
        *proof = (struct verdict_proof){PROOF_PLAN_CHANGED, p.seen, p.pairs, p.added, p.removed};
    else
        *proof = (struct verdict_proof){p.before ? PROOF_CHANGED : PROOF_LATE, p.came_seen,
                                        p.came_pairs, 0, 0};
    return STATUS_OK;
}
