/* `run --from FILE`: what another results file has of the trials that a run is to do. */
#ifndef SWEEP_RUN_TAKE_OVER_H
#define SWEEP_RUN_TAKE_OVER_H

#include "sweep/trials/trials.h"

struct taken {
    long trials;  /* that were taken over */
    long results; /* of these, that have ended; the others resume from a checkpoint */
    bool itself;  /* the file is the one that is run into: it was passed over */
};

/* Takes over what the file at `from` has of the sweep's trials in the plan and in the shard, as
 * store_take_over says, with their weights and checkpoints: in one transaction, behind the files.
 * Trials that have not ended are left to whoever holds the lock of that file. The file is only
 * read; one that has nothing in it yet has no trials. Under the lock of s, before anything is
 * claimed; recover_trials is to follow, for those that were cut off there. After BUSY nothing has
 * changed. INTERRUPTED where a signal came (stop.h). */
enum status take_over(struct store *s, int64_t sweep_id, const char *from, struct taken *taken,
                      struct message *m);

#endif
