/* What a time allows: the largest net that gets enough steps, then more steps, then more seeds; and
 * what more time does for a design that was begun. Times are made up. */
#include <math.h>
#include <stdlib.h>

#include "sweep/ask/fit.h"
#include "tests/sweep/look_help.h"

/* Each step of each seed takes as long as the net is large. */
static double seconds(void *context, const struct design *d)
{
    const struct design_size *s = design_size(d);
    const struct design_level *level = design_level(d);
    double step_s = *(double *)context * (double)(s->d_model * s->d_model * s->layers * s->batch);
    return 6 * (.1 + (double)d->steps * step_s) *
           (level->tune_seeds * 1.5 + d->seeds + .4 * (double)d->confirm);
}

/* The same, which tells the largest size that it was asked for. */
struct asked_sizes {
    double flop_s;
    int largest;
};

static double seconds_asked(void *context, const struct design *d)
{
    struct asked_sizes *x = context;
    x->largest = d->size > x->largest ? d->size : x->largest;
    return seconds(&x->flop_s, d);
}

static double unknown(void *context, const struct design *d)
{
    (void)context;
    (void)d;
    return NAN;
}

/* A larger net; or longer training; or more seeds. Seeds that are for want of time (level 0) become
 * as many as usual first. */
static bool is_no_less(const struct design *d, const struct design *before)
{
    bool usual = before->level < DESIGN_LEVEL && d->level >= DESIGN_LEVEL;
    bool seeds = d->level >= before->level && d->seeds >= before->seeds;
    return d->size > before->size ||
           (d->size == before->size &&
            (usual || d->steps > before->steps || (d->steps == before->steps && seeds)));
}

TEST(more_time_is_never_for_less)
{
    double flop_s = 1e-8;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design before = {.kind = LOOK_TEXT};
    int filled = 0, n = 0;
    for (double minutes = 1; minutes < 10000; minutes *= 1.3, n++) {
        struct design d = fit_design(&f, minutes);
        double taken = seconds(&flop_s, &d);
        assert_true(taken <= 60 * minutes * 1.001 || (d.size == 0 && d.level == 0));
        assert_true(d.steps >= design_size(&d)->steps_min && d.steps <= design_size(&d)->steps_max);
        assert_int_equal(d.steps % DESIGN_STEPS, 0);
        assert_true(is_no_less(&d, &before));
        before = d;
        filled += taken > .75 * 60 * minutes;
    }
    assert_int_equal(before.size, design_kind(LOOK_TEXT)->sizes - 1);
    assert_true(filled > n * 7 / 10); /* most of the time is used */
    free(l);
}

/* Steps up to the last one that there is time for, or is of use; then seeds. */
TEST(the_time_is_used)
{
    double flop_s = 1e-8;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    int for_steps = 0, for_seeds = 0;
    for (double minutes = 2; minutes < 4000; minutes *= 1.1) {
        struct design d = fit_design(&f, minutes), more = d, next = d;
        if (d.steps < design_steps_max(&d, l)) {
            more.steps += DESIGN_STEPS;
            assert_true(seconds(&flop_s, &more) > 59.9 * minutes);
            for_steps++;
        } else if (d.level + 1 < design_levels()) {
            design_set_level(&next, d.level + 1);
            more.seeds++;
            assert_in_range(d.seeds, design_level(&d)->seeds, next.seeds);
            assert_true(d.seeds == next.seeds || seconds(&flop_s, &more) > 60 * minutes);
            for_seeds += d.seeds > design_level(&d)->seeds;
        }
    }
    assert_true(for_steps > 10 && for_seeds > 3);
    free(l);
}

/* ... and others are not even measured. */
TEST(little_data_makes_small_nets)
{
    double flop_s = 1e-12;
    struct asked_sizes asked = {.flop_s = flop_s};
    struct look *small = text_of(12000), *large = text_of(100000000);
    const struct fit f = {.look = small, .seconds = seconds_asked, .context = &asked};
    const struct fit g = {.look = large, .seconds = seconds, .context = &flop_s};
    struct design d = fit_design(&f, 10);
    assert_int_equal(d.size, 0);
    assert_int_equal(asked.largest, 0);
    assert_int_equal(d.level, design_levels() - 1); /* what is left of the time is for seeds */
    assert_true(d.steps <= design_steps_max(&d, small));
    assert_true(fit_design(&g, 10).size > 0);
    const struct fit set = {
        .look = small, .steps = 10, .seconds = seconds_asked, .context = &asked};
    d = fit_design(&set, 10); /* however few steps are set */
    assert_true(d.size == 0 && asked.largest == 0 && d.steps == 10);
    large->length = 4096; /* 25 windows in a pass */
    large->batch = 1024;
    assert_int_equal(fit_design(&g, 1e6).size, 2);
    free(small);
    free(large);
}

/* 75 rows to train on: 60 passes over them are fewer steps than show anything elsewhere, but there
 * is time for all seeds. */
TEST(few_rows_get_seeds)
{
    double flop_s = 1e-12;
    struct look *l = rows_of(125, 25, 30), *fewer = rows_of(60, 20, 30);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design d = fit_design(&f, 10);
    assert_int_equal(d.size, 0);
    assert_int_equal(d.steps, 120);
    assert_int_equal(d.level, design_levels() - 1);
    assert_int_equal(design_steps_max(&d, fewer), DESIGN_STEPS); /* 37 steps: never none */
    free(l);
    free(fewer);
}

TEST(what_cannot_be_is_the_cheapest)
{
    double slow = 1;
    struct look *l = text_of(300000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &slow};
    const struct fit asked = {.look = l, .steps = 7, .seconds = seconds, .context = &slow};
    const struct fit none = {.look = l, .seconds = unknown};
    struct design d = fit_design(&f, 1);
    assert_true(d.size == 0 && d.level == 0 && d.steps == design_size(&d)->steps_min);
    assert_true(d.seeds == design_level(&d)->seeds && d.confirm == design_level(&d)->confirm);
    assert_int_equal(fit_design(&asked, 1).steps, 7);
    assert_int_equal(fit_design(&none, 1).size, 0);
    free(l);
}

TEST(more_minutes_add_seeds_or_allow_a_larger_net)
{
    double flop_s = 1e-9;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design old = fit_design(&f, 10), d;
    assert_false(fit_larger(&f, &old, 10, &d));
    assert_false(fit_more_seeds(&f, &old, 0, 10, &d));
    assert_false(fit_larger(&f, &old, 20, &d));
    assert_true(fit_more_seeds(&f, &old, 0, 20, &d));
    assert_true(d.size == old.size && d.steps == old.steps && d.level > old.level);
    assert_int_equal(d.confirm, design_level(&d)->confirm);
    assert_true(seconds(&flop_s, &d) <= 20 * 60 && d.minutes == 20);
    assert_true(d.steps_minutes == 10); /* the steps are those of the ten */
    assert_true(fit_more_seeds(&f, &old, 7, 20, &d));
    assert_int_equal(d.confirm, 7); /* on as many as it was */
    assert_true(fit_larger(&f, &old, 600, &d));
    assert_true(d.size > old.size || d.steps >= FIT_WORTH * old.steps);
    assert_true(fit_larger(&f, &old, INFINITY, &d));
    assert_true(d.level == design_levels() - 1 && d.steps == design_size(&d)->steps_max);
    old = d;
    assert_false(fit_larger(&f, &old, INFINITY, &d));
    assert_false(fit_more_seeds(&f, &old, 0, INFINITY, &d));
    free(l);
}

/* A machine that is busier for a moment has time for a smaller net only, of many more steps. */
TEST(a_smaller_net_is_never_larger)
{
    double flop_s = 1e-8;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design old = fit_design(&f, 2), d;
    assert_int_equal(old.size, 2);
    flop_s = 1.25e-8;
    d = fit_design(&f, 2.2);
    assert_true(d.size < old.size && d.steps >= FIT_WORTH * old.steps);
    assert_false(fit_larger(&f, &old, 2.2, &d));
    assert_false(fit_more_seeds(&f, &old, 0, 2.2, &d));
    free(l);
}

/* However much time there is, and without measuring any. */
TEST(whether_more_time_would_train_longer_is_known)
{
    struct look *l = text_of(10000000), *small = text_of(12000);
    struct design d = {.kind = LOOK_TEXT, .size = 2, .steps = 1500};
    assert_true(fit_time_helps(l, &d)); /* 2500 steps more are no reason, a larger net is */
    d.size = design_kind(LOOK_TEXT)->sizes - 1;
    d.steps = design_steps_max(&d, l) / FIT_WORTH;
    assert_true(fit_time_helps(l, &d));
    d.steps++;
    assert_false(fit_time_helps(l, &d));
    d = (struct design){.kind = LOOK_TEXT, .steps = 720};
    assert_false(fit_time_helps(small, &d));
    free(l);
    free(small);
}
