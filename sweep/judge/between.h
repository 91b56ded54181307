/* Settings against each other: what one setting came to at a head count against what another came
 * to at the same.
 *
 * - Each pair is judged as verdict.h judges head counts, by the same tests: over seeds, instances,
 *   seeds and blocks; trials that diverged or failed are guesses, one that ended at a limit keeps
 *   its setting out. Under tune each setting is at its own best values.
 * - A claim that was first is held against the full alpha, and against nothing else.
 * - All other pairs were picked from the results: their p values are corrected for the number of
 *   such pairs at the same head count, those that could not be tested too (Holm 1979). */
#ifndef SWEEP_JUDGE_BETWEEN_H
#define SWEEP_JUDGE_BETWEEN_H

#include "sweep/judge/verdict.h"

/* One of the two. */
struct between_setting {
    const struct verdict_input *in; /* of the setting, which it keeps */
    int heads;                      /* index of the head count among its own */
    int planned;                    /* trials at that head count */
    const char *setting;            /* its canonical JSON, for those who read the pair */
};

struct between_pair {
    /* Of a claim the one that is to be better comes first; of others between_judge puts the one
     * first that is, here and in the names. */
    struct between_setting of[2];
    struct verdict_sides sides;
    bool claimed;
    struct verdict_similar similar; /* of a claim: see verdict_input */
    /* Filled by between_judge. */
    struct verdict_heads heads[2];
    struct verdict_choice choice[2];
    int64_t rival;
    struct verdict_input input; /* of the two as head counts 1 and 2: points to the above */
    struct verdict *verdict;    /* its kind is that of the corrected p */
    int family;                 /* pairs that p was corrected for; 1 of a claim that was first */
    double p;                   /* after correction; NaN where it was not testable */
};

/* Judges `count` pairs, of which each stays where it is until between_free. Fails with NO_MEMORY;
 * what was judged until then is freed. */
enum status between_judge(struct between_pair *pair, int count, struct message *m);
void between_free(struct between_pair *pair, int count);

/* What the comparison came to; NULL where there was nothing to compare, or nothing is judged yet.
 */
const struct verdict_rival *between_rival(const struct between_pair *p);

#endif
