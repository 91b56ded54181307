/* What the verdict on each setting of a sweep is given, read from the results file. */
#ifndef SWEEP_STORE_EVIDENCE_H
#define SWEEP_STORE_EVIDENCE_H

#include "sweep/judge/verdict.h"
#include "sweep/store/store.h"

/* Whether the sweep's present claim is a prediction, by how its plan and its claim changed (table
 * plan_change): nothing could be seen of the plan's trials when it was last changed. pairs is 0
 * where results outside the plan were among those that could be seen. Without a claim: FIRST. */
enum status evidence_proof(struct store *s, int64_t sweep_id, struct verdict_proof *proof,
                           struct message *m);

#endif
