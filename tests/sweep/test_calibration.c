/* The short form of `make calibrate`: error rates of the verdict on synthetic sweeps, where a
 * correction that is missing shows most. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sweep/judge/verdict_text.h"
#include "tests/calibrate/cases.h"
#include "tests/calibrate/tally.h"
#include "tests/test.h"

enum { SWEEPS = 3000 };

/* Rates that are all exactly at their levels fail one of these tests once in 10,000 runs. */
static const double SURPRISE = 1e-4 / 20;

static struct tally tally_of(const char *name, struct variant v)
{
    const struct calibration *c = calibration_find(name);
    assert_non_null(c);
    struct world w = calibration_world(c, v);
    struct tally t = {0};
    assert_int_equal(tally_sweeps(&t, &w, name, 0, SWEEPS, 1), STATUS_OK);
    assert_int_equal(t.sweeps, SWEEPS);
    return t;
}

static void expect_level(const struct tally *t, enum statement what)
{
    if (tally_breach(t, what, SURPRISE))
        fail_msg("%s: wrong in %ld of %ld sweeps, more than %g", STATEMENT[what].name,
                 t->wrong[what], t->sweeps, STATEMENT[what].level);
}

TEST(test_claim)
{
    struct tally t = tally_of("claim false by 0", (struct variant){3, 8});
    expect_level(&t, SAYS_CONFIRMED);
    expect_level(&t, SAYS_CONTRADICTED);
    assert_each(t.made[SAYS_CONFIRMED] > 0, t.made[SAYS_CONTRADICTED] > 0);
}

/* What exploring has picked is nothing yet on fresh seeds, which alone decide. */
TEST(test_confirm)
{
    struct tally t = tally_of("confirm, plateau without the smallest", (struct variant){3, 8});
    expect_level(&t, SAYS_CONFIRMED);
    expect_level(&t, SAYS_CONTRADICTED);
    assert_true(t.made[SAYS_CONFIRMED] > 0);
    t = tally_of("confirm, middle better by .02", (struct variant){6, 5});
    struct tally other =
        tally_of("all trials explore instead of some that confirm, middle better by .02",
                 (struct variant){6, 5});
    assert_true(t.made[SAYS_CONFIRMED] - t.wrong[SAYS_CONFIRMED] > other.made[SAYS_MIDDLE]);
}

/* One of many rivals is soon better by chance. */
TEST(test_claim_of_many_rivals)
{
    struct tally t = tally_of("claim over all others, all equal", (struct variant){6, 8});
    expect_level(&t, SAYS_CONTRADICTED);
    assert_true(t.made[SAYS_CONTRADICTED] > 0);
}

/* One of four between the edges is picked for its results. */
TEST(test_picked)
{
    struct tally t = tally_of("plateau without the smallest", (struct variant){6, 20});
    expect_level(&t, SAYS_MIDDLE);
    assert_true(t.made[SAYS_MIDDLE] > 0);
}

TEST(test_set_that_contains_the_best)
{
    struct tally t = tally_of("best by a hair", (struct variant){6, 20});
    expect_level(&t, SAYS_SET);
    assert_true(t.wrong[SAYS_SET] > 0);
}

TEST(test_looks)
{
    struct tally t = tally_of("looks, claim false by 0", (struct variant){3, 5});
    expect_level(&t, SAYS_CONFIRMED);
    expect_level(&t, SAYS_CONTRADICTED);
    for (int i = 0; i < SYNTHETIC_LOOKS; i++)
        assert_true(t.last_look[i] > 0);
}

TEST(test_instances)
{
    struct tally t = tally_of("instances, claim false by 0", (struct variant){3, 8});
    expect_level(&t, SAYS_CONFIRMED);
    expect_level(&t, SAYS_CONTRADICTED);
    assert_true(t.made[SAYS_CONFIRMED] > 0);
    /* Of twenty, six at most are different. */
    t = tally_of("instances that draw one of six tasks, claim false by 0", (struct variant){3, 20});
    struct tally each =
        tally_of("instances that draw one of six tasks and count each, claim false by 0",
                 (struct variant){3, 20});
    expect_level(&t, SAYS_CONFIRMED);
    expect_level(&t, SAYS_CONTRADICTED);
    assert_true(t.made[SAYS_CONFIRMED] > 0);
    assert_true(tally_breach(&each, SAYS_CONFIRMED, SURPRISE));
}

/* Validation picks a head count that may be worse, or better, by the margin. */
TEST(test_margin)
{
    struct tally t =
        tally_of("others worse by the margin, poor validation", (struct variant){3, 20});
    expect_level(&t, SAYS_WITHIN);
    expect_level(&t, SAYS_EQUIVALENT);
    assert_each(t.made[SAYS_WITHIN] > 0, t.made[SAYS_EQUIVALENT] > 0);
}

/* Values that are all 1 are in each set that a worse one is in. */
TEST(test_order)
{
    struct tally t = tally_of("others at 1 in every trial, margin asked", (struct variant){3, 5});
    expect_level(&t, SAYS_IN_ORDER);
    expect_level(&t, SAYS_WITHIN);
    assert_int_equal(t.made[SAYS_WITHIN], SWEEPS);
}

/* Guesses are better than what has learned something worse, and confirm nothing. */
TEST(test_lost)
{
    struct tally t =
        tally_of("claim by trials of which nine in ten diverge", (struct variant){3, 8});
    expect_level(&t, SAYS_CONFIRMED);
    expect_level(&t, SAYS_CONTRADICTED);
}

/* What is sure of this text is not of other text: seeds alone confirm what blocks do not. */
TEST(test_text)
{
    struct tally t = tally_of("text, claim false by 0", (struct variant){3, 8});
    struct tally seeds =
        tally_of("text, tested over its seeds alone, claim false by 0", (struct variant){3, 8});
    expect_level(&t, SAYS_CONFIRMED);
    expect_level(&t, SAYS_CONTRADICTED);
    assert_true(t.made[SAYS_CONFIRMED] > 0);
    assert_true(tally_breach(&seeds, SAYS_CONFIRMED, SURPRISE));
}

static void expect_rate(const char *name, int n, int percent)
{
    struct tally t = tally_of(name, (struct variant){3, n});
    double wrong = 100. * (double)t.wrong[SAYS_CONFIRMED] / SWEEPS;
    if (fabs(wrong - percent) > 2.5)
        fail_msg("%s, %d seeds: %.1f %%, not %d", name, n, wrong, percent);
}

/* What the verdict says of a better one that varies more is what such sweeps show. */
TEST(test_tails)
{
    for (int i = 0; i < CALIBRATION_VARIANTS / 2; i++) {
        int n = CALIBRATION_VARIANT[i].n;
        struct verdict_tail_rates rates = verdict_tail_rates(n);
        assert_int_equal(rates.n, n);
        expect_rate("claim false by 0, near 1, best twice as wide", n, rates.twice);
        expect_rate("claim false by 0, near 1, best 4 times as wide", n, rates.four_times);
    }
}

TEST(test_guessing)
{
    struct tally t = tally_of("all at guessing, slopes of 0", (struct variant){6, 8});
    expect_level(&t, SAYS_ABOVE);
    expect_level(&t, SAYS_IMPROVING);
}
