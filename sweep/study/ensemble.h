/* The study `ensemble`: what models that differ only in their seeds can do together, by the mean of
 * their softmax outputs (Lakshminarayanan, Pritzel and Blundell 2017; Hansen and Salamon 1990): a
 * row of table `ensemble`. Beside one model with as many heads it says whether heads are more than
 * an ensemble of single ones. */
#ifndef SWEEP_STUDY_ENSEMBLE_H
#define SWEEP_STUDY_ENSEMBLE_H

#include "sweep/study/study.h"

enum { ENSEMBLE_MEMBERS_MAX = 64 };

/* Disjoint groups of trials, each of one configuration and of different seeds. */
struct ensemble_groups {
    long heads;
    int members, count;
    struct study_trial *trial;  /* (count,members): by configuration, then by seed */
    struct text_buffer too_few; /* "5 of d_model=8, 6 of d_model=16": configurations without a
                                   group, with the trials that they have; NULL text: none */
    int most;                   /* trials that any configuration has */
};

/* Puts the completed trials of a sweep that have this head count together, as many groups as their
 * seeds give. BAD_INPUT where there is none: m says how many seeds are missing. Free with
 * ensemble_groups_free, after a failure too. */
enum status ensemble_groups(struct store *s, int64_t sweep_id, long heads, int members,
                            struct ensemble_groups *g, struct message *m);
void ensemble_groups_free(struct ensemble_groups *g);

/* The members of group i. */
static inline const struct study_trial *ensemble_group(const struct ensemble_groups *g, int i)
{
    return g->trial + (ptrdiff_t)i * g->members;
}

/* Adds their trial_ids, [3,4], as in column `trials`. */
void ensemble_add_trials(struct json_writer *w, const char *key, const struct study_trial *trial,
                         int count);

struct ensemble_request {
    const char *db, *sweep; /* sweep: a name; NULL: the only one, or the one run last */
    long heads;
    int members;
    struct study_run_options run;
};
/* Asks all groups that have not answered; r and failures are those of study_ask. BAD_INPUT as
 * ensemble_groups. */
enum status ensemble_ask(const struct ensemble_request *q, struct study_result *r,
                         struct message *m);

#endif
