/* Synthetic sweeps: results of trials drawn from a world whose truth is known, in the form in which
 * the verdict reads those of real ones. */
#ifndef TESTS_CALIBRATE_SYNTHETIC_H
#define TESTS_CALIBRATE_SYNTHETIC_H

#include "sweep/judge/verdict.h"

enum { SYNTHETIC_HEADS = 6, SYNTHETIC_TRIALS = 160, SYNTHETIC_LOOKS = 3, SYNTHETIC_BLOCKS = 32 };

/* How the results of one head count are spread over seeds, around their mean. */
enum shape {
    GAUSSIAN,
    SKEWED,     /* bounded above and close to it, with a tail below: accuracies near 1 */
    CLUSTERS,   /* three seeds in ten end in a cluster far below the others */
    TAIL_BELOW, /* exponential */
    TAIL_ABOVE,
    TAILS /* to both sides: Student's t with 4 degrees of freedom */
};

enum claim {
    CLAIM_NONE,
    CLAIM_OVER_LARGEST, /* the middle head count beats the largest */
    CLAIM_OVER_EDGES,   /* it beats smallest and largest */
    CLAIM_OVER_ALL      /* it beats every other */
};

/* Head counts that are unlike the others. */
enum whose { NOBODY, MIDDLE, OTHERS };

struct world {
    int heads; /* head counts: 1, 2, 4, ... */
    int seeds; /* per head count and instance; with looks, at the last one */
    double base;
    double gain[SYNTHETIC_HEADS]; /* true mean accuracy: base + gain, less what failing costs */
    enum shape shape;
    double spread;   /* standard deviation over seeds */
    enum whose wide; /* ... of these head counts so many times as large: */
    double ratio;
    enum whose still; /* their trials do not vary */
    double shared;    /* share of it (as variance, before it takes shape) that a seed does to all */
    double test_set;  /* standard deviation of what the finite test set does to all trials alike */
    double val_spread; /* of a trial's validation around its test value; 0: .001 */
    double grain;      /* accuracies are multiples of it: a small test set; 0: any number */
    double bad;        /* share of trials that diverge; not with GAUSSIAN */
    enum whose failing;
    enum whose lost;          /* so large a share of their trials diverges: */
    double losing;            /* if most do, these are truly no better than any other */
    double fails, fall;       /* share of seeds that fail, and how far they fall; under tune only at
                                 the first rate */
    bool loss;                /* the metric is a loss: 1 - accuracy */
    int instances;            /* replicates; 0: none. Only GAUSSIAN */
    double instance_spread;   /* of how hard an instance is for all head counts */
    double interaction;       /* standard deviation of what an instance does to one head count */
    double seed_interaction;  /* of what a seed does to one head count at every instance alike */
    int draws;                /* tasks, of which each instance draws one; 0: it has its own */
    bool each;                /* instances that draw the same count each, not once */
    bool files;               /* instances are texts, so many in all variants; guessing costs more
                                 where they are hard */
    double splits;            /* instances are splits of one file; correlation of what two of them
                                 do to a head count; 0: they are not */
    bool text;                /* losses are of SYNTHETIC_BLOCKS blocks of a text. Not with
                                 instances */
    double block_spread;      /* standard deviation of how hard a block is for all alike */
    double block_interaction; /* of what a block does to one head count at every seed alike */
    double block_noise;       /* of what is left of a trial's block */
    double neighbours;        /* correlation of that interaction between neighbouring blocks */
    int regime;               /* so many blocks in a row are of one kind; 0: there are no kinds */
    double regime_interaction; /* standard deviation of what a kind does to one head count */
    double drift;        /* of a step, from block to block, of a random walk that adds to it */
    bool blind;          /* the verdict does not get the blocks */
    int rates;           /* learning rates to be tuned over; 0: not tuned */
    double rate_step;    /* each is worse than the one before by this much */
    double rate_spread;  /* standard deviation of a tuning trial */
    double slope_spread; /* of late slopes, whose true mean is 0; 0: unknown slopes */
    int look[SYNTHETIC_LOOKS]; /* seeds at each look; 0: no more */
    enum claim claim;
    double equivalence; /* 0: not asked */
    int fresh;          /* further seeds that confirm what the others have found; 0: none. Not with
                           instances, looks or text */
    bool together;      /* as many trials as these would be explore instead */
};

struct truth {
    double mean_at_best; /* the mean, at the learning rate that is best */
    double mean, median; /* of the metric, on this test set, at the learning rate that was chosen;
                            the median NaN where it is not known */
    bool lost;           /* most of its trials diverge */
    double text;         /* what the text of this sweep adds to both; 0 without */
};

/* One sweep. `in` points into it: not to be copied. */
struct synthetic {
    struct verdict_input in;
    struct verdict_arm arm[SYNTHETIC_HEADS];
    struct verdict_trial trial[SYNTHETIC_HEADS][SYNTHETIC_TRIALS]; /* all, also of later looks */
    struct verdict_trial ended[SYNTHETIC_HEADS][SYNTHETIC_TRIALS];
    double block[SYNTHETIC_HEADS][SYNTHETIC_TRIALS][SYNTHETIC_BLOCKS]; /* losses */
    int64_t over[SYNTHETIC_HEADS];
    struct verdict_pick pick; /* what fresh trials are held to, and these: */
    struct verdict_confirm confirm;
    struct verdict_input fresh;
    struct verdict_arm fresh_arm[SYNTHETIC_HEADS];
    struct truth truth[SYNTHETIC_HEADS];
    int first[SYNTHETIC_TRIALS]; /* (instances) that draws the same: its trials are theirs too */
};

/* Draws sweep number `sweep` of a world: a function of nothing else. `name` tells worlds apart.
 * Without looks, s->in has all trials. */
void synthetic_draw(struct synthetic *s, const struct world *w, const char *name, uint64_t sweep);

/* The looks of a world; 0 without. */
int synthetic_looks(const struct world *w);

/* Puts the trials of look 1, 2, ... into s->in. */
void synthetic_look(struct synthetic *s, const struct world *w, int look);

/* Gives s->in the fresh trials that confirm what a verdict on it has picked. False: nothing is. */
bool synthetic_confirm(struct synthetic *s, const struct world *w, const struct verdict *v);

/* Value of a guess. */
double synthetic_guess(const struct world *w);

#endif
