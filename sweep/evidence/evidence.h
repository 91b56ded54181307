/* What the verdict on each setting of a sweep is given, read from the results file. Whoever judges
 * reads it here: the report, and a run that asks whether more seeds are needed. */
#ifndef SWEEP_EVIDENCE_EVIDENCE_H
#define SWEEP_EVIDENCE_EVIDENCE_H

#include "sweep/db/scope.h"
#include "sweep/judge/between.h"
#include "sweep/trials/trials.h"

/* One combination of the varying axes other than heads, the tuned and the replicated ones. */
struct evidence_setting {
    char *setting, *label;      /* canonical JSON; for people, "" when nothing else varies */
    struct verdict_input input; /* of the trials that explore; points to what the evidence owns */
    struct verdict_confirm confirm; /* input.confirm, if anything is to be confirmed */
    struct verdict_input fresh;     /* confirm.input, once there is a claim: of fresh trials */
    int trials;                     /* that have ended, fresh ones behind the others */
    struct verdict_trial *trial;
    int64_t place;     /* in the plan, of the first trial that explores */
    int64_t config_id; /* of its first trial in the plan, one that only serves to choose too */
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
    /* Asked of the trials that explore: a claim of head counts, looks, a margin. */
    struct verdict_claim claim;
    int looks;
    double equivalence;
    int64_t fresh_units;       /* to be confirmed on in each setting; 0: nothing is */
    struct verdict_input base; /* what is the same for all trials of all settings, fresh ones too */
    int trials;                /* that have ended, of all settings */
    struct verdict_trial *trial;
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

#endif
