/* The trials of a plan, read in one pass by their numbers, as a rule as they lie in the file:
 * sweeps of a hundred thousand trials are read again and again while they run. Only the files of
 * evidence.h include this. */
#ifndef SWEEP_EVIDENCE_EVIDENCE_SCAN_H
#define SWEEP_EVIDENCE_EVIDENCE_SCAN_H

#include "sweep/evidence/evidence_parts.h"

/* What is needed of a configuration: the seed is not in it. */
struct grid_point {
    int64_t config_id, heads, steps, n_params, d_head;
    double lr;
    bool decays;                /* the learning rate ends at 0 */
    struct trial_group *groups; /* of its trials; as a rule one */
};

/* Trials that are alike but for their seeds. */
struct trial_group {
    struct trial_group *next; /* of its point */
    struct grid_point *point;
    char *setting, *label, *replicate;
    int set, unit; /* number of its setting, in the order of texts; of its replicate, or of another
                      that draws the same task */
    int instances, different; /* of its setting: see struct verdict_input */
    const char *alike;
    int64_t place; /* of its first trial in the plan */
    int look;      /* that its setting has open, or that decided; 0: no looks */
    long tuning, tuning_ended, eliminated; /* as in struct verdict_input */
};

/* A trial that neither serves only to choose nor lost: with its results once it has ended, if it
 * was chosen. */
struct planned {
    struct verdict_trial trial;
    struct trial_group *group;
    int64_t place;
    double chance, train_s; /* NaN: none */
    enum trial_state state;
    bool ended;
    bool judged; /* belongs to the look that is open, or to one before */
};

struct open_look {
    char *setting;
    int look;
};

struct scan {
    struct scope *scope;
    struct evidence *e;
    int64_t first; /* place in the plan of the first trial */
    int points, groups, looks;
    struct grid_point *point; /* by rising config_id */
    struct trial_group **group;
    struct open_look *look; /* by their settings' texts */
    size_t count;
    struct planned *planned; /* by rising trial_id, then as planned_compare says */
};

/* Reads all trials of the plan; e->base is known. */
void scan_read(struct scan *sc);

/* Puts trials in the order of planned_compare. Of those that are one planned trial the one that has
 * ended comes first, else the one with the highest learning rate. */
void scan_sort(struct scan *sc);

/* <0, 0, >0, as qsort asks for it. */
static inline int compare_integers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

/* By setting, head count, unit, seed: 0 for what is one planned trial. */
int planned_compare(const struct planned *p, const struct planned *q);

/* Whether both are of one setting and head count. */
bool planned_together(const struct planned *p, const struct planned *q);

#endif
