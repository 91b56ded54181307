/* The worlds in which the inference is simulated. */
#ifndef TESTS_CALIBRATE_CASES_H
#define TESTS_CALIBRATE_CASES_H

#include "tests/calibrate/synthetic.h"

/* True means over rising head counts. */
enum curve {
    FLAT,       /* all equal */
    PEAK,       /* the middle one is better by `size` */
    DIP,        /* it is worse by `size` */
    FIRST_LOW,  /* the smallest is worse than all others, which are equal */
    LAST_LOW,   /* the largest is */
    FIRST_HIGH, /* the smallest is better than all others, which are equal */
    RISING      /* each is better than the one before by `size` */
};

struct calibration {
    const char *name; /* "all equal, gaussian" */
    enum curve curve;
    double size;
    struct world world; /* heads, gains, and seeds or instances stand in the variant */
    bool beyond;        /* outside what the tests assume: reported, held against no level */
};

struct variant {
    int heads;
    int n; /* seeds; instances under replication; all the same where looks or files say how many */
};
enum { CALIBRATION_VARIANTS = 6 };
extern const struct variant CALIBRATION_VARIANT[CALIBRATION_VARIANTS];

extern const struct calibration CALIBRATIONS[];
extern const int CALIBRATIONS_COUNT;

/* Whether this variant differs from the ones before: with looks or files, n says nothing. */
bool calibration_has(const struct calibration *c, struct variant v);

struct world calibration_world(const struct calibration *c, struct variant v);

/* The case of that name; NULL: none. */
const struct calibration *calibration_find(const char *name);

#endif
