/* What the verdict on each setting of a sweep is given, read from the results file. Whoever judges
 * reads it here: the report, and a run that asks whether more seeds are needed. */
#ifndef SWEEP_EVIDENCE_EVIDENCE_H
#define SWEEP_EVIDENCE_EVIDENCE_H

#include "sweep/db/scope.h"
#include "sweep/judge/between.h"
#include "sweep/trials/trials.h"

/* One head count, beyond what the verdict needs. */
struct evidence_heads {
    int64_t n_params;
    double train_s; /* of the completed trials together */
    int completed;
    int planned; /* trials that are judged, with looks up to the open one */
    char lr[24]; /* learning rate; "" where it is not chosen yet */
};

/* What was written down to be confirmed in a setting, and the trials that decide. */
struct evidence_confirm {
    char *written; /* when; NULL: not yet */
    struct verdict_confirm confirm;
    struct verdict_input input; /* where there is a claim */
    int count;                  /* head counts that it names */
    struct verdict_heads *heads;
    int *first;    /* as many as heads: index of their first trial */
    int64_t *over; /* input.claim_over */
};

/* One combination of the varying axes other than heads, the tuned and the replicated ones. */
struct evidence_setting {
    char *setting, *label; /* canonical JSON; for people, "" when nothing else varies */
    int count;             /* head counts */
    struct verdict_heads *heads;
    struct evidence_heads *extra; /* as many as heads */
    struct verdict_input input;   /* points to the above, and to what the evidence owns */
    /* For those who read it. */
    struct verdict_choice *choice;
    int64_t place;     /* in the plan, of the first trial that is judged */
    int64_t config_id; /* of its first trial in the plan, one that only serves to choose too */
    int *first;        /* as many as heads: index of their first trial */
    struct evidence_confirm *confirm; /* NULL: nothing is to be confirmed */
};

/* Trials of the sweep that have ended and are not in its plan (any more), at one head count. */
struct evidence_outside {
    int64_t heads;
    int ended, completed;
    double
        mean; /* test accuracy or, where the metric is a loss, loss of the completed; NaN: none */
};

/* A row of plan_change. */
struct evidence_change {
    char *changed;                 /* when */
    int64_t pairs, added, removed; /* (config, seed) pairs */
    int64_t seen, outside;         /* pairs whose results were there to be seen; not of the plan */
    char *what;                    /* JSON: {"heads_added":[],...}; "{}" where nothing is known */
    char *rules;                   /* "looks, equivalence": the keys that changed; "" for none */
    char *claim;                   /* JSON; "" without */
    int64_t similar;               /* trials like those of the plan whose results were there */
    char *similar_differ;          /* JSON: ["train.eval_every"] */
};

/* An axis by which a claim tells two settings, and its values: JSON. */
struct evidence_claimed {
    char *key, *better, *than;
};

struct evidence {
    int64_t sweep_id;
    bool drawn;          /* method: random */
    int64_t first_trial; /* of the plan; 0: it has none */
    int settings;
    struct evidence_setting *setting; /* in the order of the plan; drawn: of their values */
    int outsides;
    struct evidence_outside *outside; /* by rising head count */
    int changes;
    struct evidence_change *change; /* the first: as it was planned first */
    int claimed_axes;               /* 0: there is no claim of settings */
    struct evidence_claimed *claimed;
    int64_t claimed_heads;
    struct verdict_similar claimed_similar;
    /* For those who read it. */
    struct verdict_input base; /* the same for all settings; a claim in it is one of head counts */
    int trials;
    struct verdict_trial *trial;
    double *block; /* losses of all trials' blocks */
};

/* Reads a sweep, in one snapshot. Leaves the scope with BAD_INPUT for an unknown sweep. Under looks
 * a setting has the trials up to its open look, or to the one that decided. */
struct evidence *evidence_read(struct scope *x, int64_t sweep_id);

/* The settings that are held against each other, at each head count that both have: those that a
 * claim names, and all that differ in one axis of model or training alone, as well as in what hangs
 * on that axis. Not: settings of different tasks; those that are the same model; those of a sweep
 * that draws them. To be judged by between_judge. */
struct evidence_pairs {
    int count;
    struct between_pair *pair; /* claimed ones first; then in the order of settings */
    bool too_many; /* there are more than EVIDENCE_PAIRS_MAX: only claimed ones are here */
};
enum { EVIDENCE_PAIRS_MAX = 500 };
struct evidence_pairs evidence_pair_settings(struct scope *x, const struct evidence *e);

/* Whether the sweep's present claim is a prediction, by how its plan and its claim changed (table
 * plan_change): nothing could be seen of the plan's trials when it was last changed. pairs is 0
 * where results outside the plan were among those that could be seen. Without a claim: FIRST. */
struct verdict_proof evidence_proof(struct scope *x, int64_t sweep_id);

/* What was known of trials like those of the plan when it or its claim was last changed. */
struct verdict_similar evidence_similar(struct scope *x, int64_t sweep_id);

#endif
