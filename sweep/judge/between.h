/* Settings against each other: what one setting came to at a head count against what another came
 * to at the same.
 *
 * - The two are arms with names, judged as verdict.h says: over seeds, instances, seeds and blocks;
 *   trials that diverged or failed are guesses, one that ended at a limit keeps its setting out.
 *   Under tune each setting is at its own best values.
 * - A claim that was first is held against the full alpha, and against nothing else.
 * - All other pairs were picked from the results: their p values are corrected for the number of
 *   such pairs at the same head count, those that could not be tested too (Holm 1979). */
#ifndef SWEEP_JUDGE_BETWEEN_H
#define SWEEP_JUDGE_BETWEEN_H

#include "sweep/judge/verdict.h"

/* One of the two. */
struct between_side {
    const struct verdict_input *in; /* of its setting, which it keeps */
    const struct verdict_arm *arm;  /* of these: the head count */
    const char *name;               /* in what it differs from the other, "kv_heads=1" */
    const char *setting;            /* its canonical JSON, for those who read the pair */
};

struct between_pair {
    /* Of a claim the one that is to be better comes first; of others between_judge puts the one
     * first that is. */
    struct between_side side[2];
    struct verdict_place place;
    bool claimed;
    struct verdict_similar similar; /* of a claim */
    /* Filled by between_judge. */
    struct verdict_arm arm[2];
    struct verdict_input input; /* of the two, whose ids are 1 and 2: points to the above */
    struct verdict *verdict;    /* its kind is that of the corrected p */
    int family;                 /* pairs that p was corrected for; 1 of a claim that was first */
    double p;                   /* after correction; NaN where it was not testable */
};

/* Judges `count` pairs, of which each stays where it is, in the scope's memory. */
void between_judge(struct scope *x, struct between_pair *pair, int count);

/* What the comparison came to; NULL where there was nothing to compare, or nothing is judged yet.
 */
const struct verdict_rival *between_rival(const struct between_pair *p);

#endif
