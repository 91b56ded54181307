#include "tests/calibrate/cases.h"

#include <string.h>

const struct variant CALIBRATION_VARIANT[CALIBRATION_VARIANTS] = {{3, 5}, {3, 8}, {3, 20},
                                                                  {6, 5}, {6, 8}, {6, 20}};

/* A lead that is never missed, and one that is never found. */
#define FAR  .2
#define HAIR 1e-6

/* Worlds. Under `equivalence`, noise is small enough for .005 to be shown. */
#define NOISE  .base = .9, .spread = .02, .shared = .3
#define NEAR_1 .base = .98, .spread = .01, .shape = SKEWED
#define TWO    .base = .8, .spread = .15, .shape = CLUSTERS
#define COARSE .base = .9, .spread = .01, .shared = .3, .grain = .02
#define HEAVY  .base = .9, .spread = .05, .shared = .9
#define FINE   .base = .98, .spread = .003, .shared = .3, .equivalence = .005
#define RARE   .base = .98, .spread = .002, .fails = .0125, .fall = .4, .equivalence = .005
#define LOOKS  .seeds = 20, .look = {5, 10, 20}
#define PLACES .seeds = 3, .base = .9, .spread = .01, .shared = .3, .instance_spread = .03

#define FILES                                                                                      \
    .instances = 6, .seeds = 5, .files = true, .loss = true, .base = .5, .spread = .01,            \
    .shared = .3, .instance_spread = .1, .interaction = .01

/* Seeds that confirm, of each head count that is held against others: three at most. */
enum { FRESH = 8, CONFIRMED = 3 };

/* Losses above that of guessing, but for the smallest head count's; the middle one diverges. */
#define LOST .base = -2.2, .spread = .05, .loss = true, .lost = MIDDLE

#define T4     .base = .9, .spread = .02, .shape = TAILS
#define BELOW  .base = .9, .spread = .01, .shape = TAIL_BELOW
#define ABOVE  .base = .9, .spread = .01, .shape = TAIL_ABOVE
#define CLOSE  .base = .98, .spread = .001, .shape = SKEWED, .equivalence = .005
#define SPLITS .seeds = 3, .base = .9, .spread = .002, .instance_spread = .03, .interaction = .03
#define TUNED  .rates = 5, .rate_spread = .02

/* Where spreads differ by 2 and by 4, in both directions. */
#define CLAIMS_OF(word, curve, size, over, beyond, ...)                                            \
    {word ", best twice as wide",                                                                  \
     curve,                                                                                        \
     size,                                                                                         \
     {__VA_ARGS__, .wide = MIDDLE, .ratio = 2, .claim = over},                                     \
     beyond},                                                                                      \
        {word ", best 4 times as wide",                                                            \
         curve,                                                                                    \
         size,                                                                                     \
         {__VA_ARGS__, .wide = MIDDLE, .ratio = 4, .claim = over},                                 \
         beyond},                                                                                  \
        {word ", rivals twice as wide",                                                            \
         curve,                                                                                    \
         size,                                                                                     \
         {__VA_ARGS__, .wide = OTHERS, .ratio = 2, .claim = over},                                 \
         beyond},                                                                                  \
    {                                                                                              \
        word ", rivals 4 times as wide", curve, size,                                              \
            {__VA_ARGS__, .wide = OTHERS, .ratio = 4, .claim = over}, beyond                       \
    }
#define UNEQUAL(word, beyond, ...)                                                                 \
    CLAIMS_OF("claim false by 0, " word, FLAT, 0, CLAIM_OVER_LARGEST, beyond, __VA_ARGS__),        \
        CLAIMS_OF("claim true by .02, " word, PEAK, .02, CLAIM_OVER_LARGEST, false, __VA_ARGS__)

#define TEXT                                                                                       \
    .base = .5, .spread = .01, .shared = .3, .loss = true, .text = true, .block_spread = .1,       \
    .block_interaction = .02, .block_noise = .01

const struct calibration CALIBRATIONS[] = {
    {"all equal, gaussian", FLAT, 0, {NOISE}, false},
    {"all equal, near 1", FLAT, 0, {NEAR_1}, false},
    {"all equal, two clusters", FLAT, 0, {TWO}, false},
    {"all equal, seeds weigh heavily", FLAT, 0, {HEAVY}, false},
    {"all equal, coarse accuracies", FLAT, 0, {COARSE}, false},
    {"all equal, some diverge", FLAT, 0, {NEAR_1, .bad = .1}, false},
    {"all equal, loss", FLAT, 0, {NOISE, .loss = true}, false},
    {"all at guessing, slopes of 0",
     FLAT,
     0,
     {.base = .0625, .spread = .001, .test_set = .0038, .slope_spread = .01},
     false},
    {"best by a hair", PEAK, HAIR, {NOISE}, false},
    {"plateau without the smallest", FIRST_LOW, FAR, {NOISE}, false},
    {"plateau without the largest", LAST_LOW, FAR, {NOISE}, false},
    {"plateau, near 1", FIRST_LOW, FAR, {NEAR_1}, false},
    {"plateau, two clusters", FIRST_LOW, FAR, {TWO}, false},
    {"edge", RISING, .01, {NOISE}, false},

    {"claim false by 0", FLAT, 0, {NOISE, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0, near 1", FLAT, 0, {NEAR_1, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0, two clusters", FLAT, 0, {TWO, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0, seeds weigh heavily", FLAT, 0, {HEAVY, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0, coarse accuracies", FLAT, 0, {COARSE, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0, some diverge",
     FLAT,
     0,
     {NEAR_1, .bad = .1, .claim = CLAIM_OVER_LARGEST},
     false},
    {"claim false by 0, loss", FLAT, 0, {NOISE, .loss = true, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0 for one of two", FIRST_LOW, FAR, {NOISE, .claim = CLAIM_OVER_EDGES}, false},
    {"claim by trials that all diverge",
     FIRST_HIGH,
     2.2,
     {LOST, .losing = 1, .claim = CLAIM_OVER_LARGEST},
     false},
    {"claim by trials of which nine in ten diverge",
     FIRST_HIGH,
     2.2,
     {LOST, .losing = .9, .claim = CLAIM_OVER_LARGEST},
     false},
    {"claim over all others, all equal", FLAT, 0, {NOISE, .claim = CLAIM_OVER_ALL}, false},
    {"claim in the wrong direction", DIP, .02, {NOISE, .claim = CLAIM_OVER_EDGES}, false},

    {"others worse by the margin", PEAK, .005, {FINE}, false},
    {"others but the smallest worse by the margin", FIRST_HIGH, .005, {FINE}, false},
    {"smallest worse by the margin", FIRST_LOW, .005, {FINE}, false},
    {"middle worse by the margin", DIP, .005, {FINE}, false},
    {"others worse by the margin, poor validation", PEAK, .005, {FINE, .val_spread = .02}, false},
    {"middle better by the margin, loss", PEAK, .005, {FINE, .loss = true}, false},
    {"all equal, margin asked", FLAT, 0, {FINE}, false},
    {"others at 1 in every trial, margin asked",
     DIP,
     .002,
     {.base = 1, .spread = .0005, .still = OTHERS, .equivalence = .01},
     false},

    {"looks, all equal", FLAT, 0, {NOISE, LOOKS}, false},
    {"looks, plateau without the smallest", FIRST_LOW, FAR, {NOISE, LOOKS}, false},
    {"looks, claim false by 0", FLAT, 0, {NOISE, LOOKS, .claim = CLAIM_OVER_LARGEST}, false},
    {"looks, claim over all others, all equal",
     FLAT,
     0,
     {NOISE, LOOKS, .claim = CLAIM_OVER_ALL},
     false},
    {"looks, others worse by the margin", PEAK, .005, {FINE, LOOKS}, false},

    {"instances, all equal", FLAT, 0, {PLACES, .instances = 1, .interaction = .03}, false},
    {"instances, plateau without the smallest",
     FIRST_LOW,
     FAR,
     {PLACES, .instances = 1, .interaction = .03},
     false},
    {"instances, claim false by 0",
     FLAT,
     0,
     {PLACES, .instances = 1, .interaction = .03, .claim = CLAIM_OVER_LARGEST},
     false},
    {"instances that differ in nothing, claim false by 0",
     FLAT,
     0,
     {PLACES, .instances = 1, .claim = CLAIM_OVER_LARGEST},
     false},
    {"instances that draw one of six tasks, all equal",
     FLAT,
     0,
     {PLACES, .instances = 1, .interaction = .03, .draws = 6},
     false},
    {"instances that draw one of six tasks, claim false by 0",
     FLAT,
     0,
     {PLACES, .instances = 1, .interaction = .03, .draws = 6, .claim = CLAIM_OVER_LARGEST},
     false},
    {"instances that draw one of six tasks, claim true by .02",
     PEAK,
     .02,
     {PLACES, .instances = 1, .interaction = .01, .draws = 6, .claim = CLAIM_OVER_EDGES},
     false},
    {"six texts, all equal", FLAT, 0, {FILES}, false},
    {"six texts, claim false by 0", FLAT, 0, {FILES, .claim = CLAIM_OVER_LARGEST}, false},
    {"six texts, claim true by .02", PEAK, .02, {FILES, .claim = CLAIM_OVER_EDGES}, false},
    {"instances, others worse by the margin",
     PEAK,
     .005,
     {.seeds = 3, FINE, .instances = 1, .instance_spread = .003, .interaction = .002},
     false},

    {"tuned, rates equal", FLAT, 0, {NOISE, .rates = 5, .rate_spread = .02}, false},
    {"tuned, rates differ",
     FLAT,
     0,
     {NOISE, .rates = 5, .rate_step = .005, .rate_spread = .02},
     false},
    {"tuned, claim false by 0",
     FLAT,
     0,
     {NOISE, .rates = 5, .rate_spread = .02, .claim = CLAIM_OVER_LARGEST},
     false},

    {"tuned, rates differ, claim false by 0",
     FLAT,
     0,
     {NOISE, .rates = 5, .rate_step = .005, .rate_spread = .02, .claim = CLAIM_OVER_LARGEST},
     false},

    {"text, all equal", FLAT, 0, {TEXT}, false},
    {"text, claim false by 0", FLAT, 0, {TEXT, .claim = CLAIM_OVER_LARGEST}, false},
    {"text, plateau without the smallest", FIRST_LOW, FAR, {TEXT}, false},
    {"text, others worse by the margin", PEAK, .03, {TEXT, .equivalence = .03}, false},
    {"text whose blocks differ in nothing, claim false by 0",
     FLAT,
     0,
     {.base = .5,
      .spread = .01,
      .shared = .3,
      .loss = true,
      .text = true,
      .block_noise = .01,
      .claim = CLAIM_OVER_LARGEST},
     false},

    {"middle better by .01", PEAK, .01, {NOISE}, false},
    {"middle better by .02", PEAK, .02, {NOISE}, false},
    {"middle better by .05", PEAK, .05, {NOISE}, false},
    {"claim true by .02", PEAK, .02, {NOISE, .claim = CLAIM_OVER_EDGES}, false},
    {"looks, claim true by .02", PEAK, .02, {NOISE, LOOKS, .claim = CLAIM_OVER_EDGES}, false},
    {"instances, claim true by .02",
     PEAK,
     .02,
     {PLACES, .instances = 1, .interaction = .01, .claim = CLAIM_OVER_EDGES},
     false},

    {"text, claim true by .02", PEAK, .02, {TEXT, .claim = CLAIM_OVER_EDGES}, false},

    UNEQUAL("gaussian", false, NOISE),
    UNEQUAL("near 1", true, NEAR_1),
    UNEQUAL("tail below", true, BELOW),
    UNEQUAL("tail above", true, ABOVE),
    {"claim false by 0, t with 4 df", FLAT, 0, {T4, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0, tail below", FLAT, 0, {BELOW, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim false by 0, tail above", FLAT, 0, {ABOVE, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim true by .02, near 1", PEAK, .02, {NEAR_1, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim true by .02, t with 4 df", PEAK, .02, {T4, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim true by .02, tail below", PEAK, .02, {BELOW, .claim = CLAIM_OVER_LARGEST}, false},
    {"claim true by .02, tail above", PEAK, .02, {ABOVE, .claim = CLAIM_OVER_LARGEST}, false},
    {"looks, claim false by 0, tail below, best 4 times as wide",
     FLAT,
     0,
     {BELOW, LOOKS, .wide = MIDDLE, .ratio = 4, .claim = CLAIM_OVER_LARGEST},
     true},
    {"looks, claim false by 0, near 1, best 4 times as wide",
     FLAT,
     0,
     {NEAR_1, LOOKS, .wide = MIDDLE, .ratio = 4, .claim = CLAIM_OVER_LARGEST},
     true},
    {"all equal, near 1, middle 4 times as wide",
     FLAT,
     0,
     {NEAR_1, .wide = MIDDLE, .ratio = 4},
     true},
    {"all equal, near 1, others 4 times as wide",
     FLAT,
     0,
     {NEAR_1, .wide = OTHERS, .ratio = 4},
     true},
    {"best by a hair, near 1, best 4 times as wide",
     PEAK,
     HAIR,
     {NEAR_1, .wide = MIDDLE, .ratio = 4},
     true},
    {"best by a hair, near 1, others 4 times as wide",
     PEAK,
     HAIR,
     {NEAR_1, .wide = OTHERS, .ratio = 4},
     true},
    {"others worse by the margin, near 1", PEAK, .005, {CLOSE}, false},
    {"others worse by the margin, near 1, best 4 times as wide",
     PEAK,
     .005,
     {CLOSE, .wide = MIDDLE, .ratio = 4},
     true},
    {"others worse by the margin, near 1, others 4 times as wide",
     PEAK,
     .005,
     {CLOSE, .wide = OTHERS, .ratio = 4},
     true},
    {"tuned, claim false by 0, best's first rate fails at 1 seed in 10",
     PEAK,
     .02,
     {NOISE, TUNED, .rate_step = .01, .failing = MIDDLE, .fails = .1, .fall = .2,
      .claim = CLAIM_OVER_LARGEST},
     true},
    {"splits correlated by .1, claim false by 0",
     FLAT,
     0,
     {SPLITS, .instances = 1, .splits = .1, .claim = CLAIM_OVER_LARGEST},
     false},
    {"splits correlated by .3, claim false by 0",
     FLAT,
     0,
     {SPLITS, .instances = 1, .splits = .3, .claim = CLAIM_OVER_LARGEST},
     true},
    {"splits correlated by .1, claim true by .06",
     PEAK,
     .06,
     {SPLITS, .instances = 1, .splits = .1, .claim = CLAIM_OVER_LARGEST},
     false},
    {"text, regimes of 8 blocks, claim false by 0",
     FLAT,
     0,
     {TEXT, .regime = 8, .regime_interaction = .01, .claim = CLAIM_OVER_LARGEST},
     true},
    {"text, drifting, claim false by 0",
     FLAT,
     0,
     {TEXT, .drift = .0015, .claim = CLAIM_OVER_LARGEST},
     true},
    {"text, regimes of 8 blocks, claim true by .02",
     PEAK,
     .02,
     {TEXT, .regime = 8, .regime_interaction = .01, .claim = CLAIM_OVER_LARGEST},
     false},
    {"text, regimes of 16 blocks, claim false by 0",
     FLAT,
     0,
     {TEXT, .regime = 16, .regime_interaction = .01, .claim = CLAIM_OVER_LARGEST},
     true},
    {"text, drifting, claim true by .02",
     PEAK,
     .02,
     {TEXT, .drift = .0015, .claim = CLAIM_OVER_LARGEST},
     false},

    {"confirm, all equal", FLAT, 0, {NOISE, .fresh = FRESH}, false},
    {"confirm, all equal, seeds weigh heavily", FLAT, 0, {HEAVY, .fresh = FRESH}, false},
    {"confirm, all equal, loss", FLAT, 0, {NOISE, .loss = true, .fresh = FRESH}, false},
    {"confirm, plateau without the smallest", FIRST_LOW, FAR, {NOISE, .fresh = FRESH}, false},
    {"confirm, plateau without the largest", LAST_LOW, FAR, {NOISE, .fresh = FRESH}, false},
    {"confirm, plateau without the smallest, near 1",
     FIRST_LOW,
     FAR,
     {NEAR_1, .fresh = FRESH},
     false},
    {"confirm, plateau without the smallest, two clusters",
     FIRST_LOW,
     FAR,
     {TWO, .fresh = FRESH},
     false},
    {"confirm, tuned, rates equal", FLAT, 0, {NOISE, TUNED, .fresh = FRESH}, false},
    {"confirm, best by a hair, near 1, best 4 times as wide",
     PEAK,
     HAIR,
     {NEAR_1, .wide = MIDDLE, .ratio = 4, .fresh = FRESH},
     true},
    {"confirm, middle better by .01", PEAK, .01, {NOISE, .fresh = FRESH}, false},
    {"confirm, middle better by .02", PEAK, .02, {NOISE, .fresh = FRESH}, false},
    {"all trials explore instead of some that confirm, middle better by .01",
     PEAK,
     .01,
     {NOISE, .fresh = FRESH, .together = true},
     false},
    {"all trials explore instead of some that confirm, middle better by .02",
     PEAK,
     .02,
     {NOISE, .fresh = FRESH, .together = true},
     false},

    {"equal means, the middle fails at 1 seed in 10",
     PEAK,
     .02,
     {NOISE, .failing = MIDDLE, .fails = .1, .fall = .2, .claim = CLAIM_OVER_EDGES},
     true},
    {"instances share what seeds do to head counts, claim false by 0",
     FLAT,
     0,
     {PLACES, .instances = 1, .interaction = .01, .seed_interaction = .01,
      .claim = CLAIM_OVER_LARGEST},
     true},
    {"instances that draw one of six tasks and count each, claim false by 0",
     FLAT,
     0,
     {PLACES, .instances = 1, .interaction = .03, .draws = 6, .each = true,
      .claim = CLAIM_OVER_LARGEST},
     true},
    {"text, tested over its seeds alone, claim false by 0",
     FLAT,
     0,
     {TEXT, .blind = true, .claim = CLAIM_OVER_LARGEST},
     true},
    {"text, neighbouring blocks alike by half, claim false by 0",
     FLAT,
     0,
     {TEXT, .neighbours = .5, .claim = CLAIM_OVER_LARGEST},
     true},
    {"worse by the margin by failing at 1 seed in 80", FLAT, 0, {RARE, .failing = OTHERS}, true},
};
const int CALIBRATIONS_COUNT = sizeof CALIBRATIONS / sizeof *CALIBRATIONS;

const struct calibration *calibration_find(const char *name)
{
    for (int i = 0; i < CALIBRATIONS_COUNT; i++)
        if (strcmp(CALIBRATIONS[i].name, name) == 0)
            return &CALIBRATIONS[i];
    return NULL;
}

static double gain(enum curve curve, double size, int i, int heads)
{
    bool middle = i == heads / 2;
    switch (curve) {
    case PEAK:
        return middle ? size : 0;
    case DIP:
        return middle ? -size : 0;
    case FIRST_LOW:
        return i == 0 ? -size : 0;
    case LAST_LOW:
        return i == heads - 1 ? -size : 0;
    case FIRST_HIGH:
        return i == 0 ? size : 0;
    case RISING:
        return i * size;
    default:
        return 0;
    }
}

bool calibration_has(const struct calibration *c, struct variant v)
{
    bool fixed = c->world.look[0] || c->world.files;
    return !fixed || v.n == CALIBRATION_VARIANT[0].n;
}

struct world calibration_world(const struct calibration *c, struct variant v)
{
    struct world w = c->world;
    w.heads = v.heads;
    if (w.instances && !w.files)
        w.instances = v.n;
    else if (!w.look[0] && !w.files)
        w.seeds = v.n;
    if (w.together) {
        w.seeds += w.fresh * CONFIRMED / w.heads;
        w.fresh = 0;
    }
    for (int i = 0; i < v.heads; i++)
        w.gain[i] = gain(c->curve, c->size, i, v.heads);
    return w;
}
