/* How many trials at once, with how many threads each, and how long that takes. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sweep/plan/config.h"
#include "sweep/run/cores.h"

#include "tests/test.h"

TEST(trials_are_as_many_as_cores_have_room_for)
{
    static const struct {
        int usable, asked, threads;
        struct cores expected;
    } cases[] = {
        {4, 0, 0, {4, 4, 0}}, /* auto: one core each */
        {4, 0, 1, {4, 4, 1}}, {4, 0, 2, {4, 2, 2}},
        {5, 0, 2, {5, 2, 2}}, {4, 0, 9, {4, 1, 4}}, /* no more threads than cores */
        {4, 2, 0, {2, 2, 0}},                       /* nothing but what was asked for */
        {4, 1, 2, {2, 1, 2}}, {4, 8, 0, {4, 8, 0}}, /* more than there are: it was asked for */
        {4, 3, 2, {4, 3, 2}}, {1, 1, 8, {1, 1, 8}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cores c = cores_granted(cases[i].usable, cases[i].asked, cases[i].threads);
        if (c.cores != cases[i].expected.cores || c.trials != cases[i].expected.trials ||
            c.threads != cases[i].expected.threads)
            fail_msg("case %zu: %d cores, %d trials, %d threads", i, c.cores, c.trials, c.threads);
    }
}

/* Under auto all cores are in use, and none twice, unless there are more trials. */
TEST(idle_cores_are_given_away)
{
    for (int cores = 1; cores <= 40; cores++)
        for (int running = 1; running <= 50; running++) {
            const struct cores c = cores_granted(cores, 0, 0);
            int sum = 0;
            for (int k = 0; k < running; k++) {
                int threads = cores_of(&c, running, k);
                assert_in_range(threads, 1, cores_of(&c, running, 0));
                assert_in_range(threads, cores_of(&c, running, 0) - 1, cores);
                assert_in_range(cores_of(&c, running + 1, k), 1, threads); /* room for one more */
                sum += threads;
            }
            assert_int_equal(sum, running > cores ? running : cores);
        }
    assert_int_equal(cores_of(&(struct cores){1000, 1000, 0}, 1, 0), TEAM_MAX);
    assert_int_equal(cores_of(&(struct cores){4, 2, 2}, 1, 0), 2); /* as it was told */
}

static void takes(struct cores c, double trials, double expected)
{
    double s = cores_wall_s(&c, 90 * trials, trials); /* of 90 s each */
    if (!(fabs(s - expected) < 1e-9 * expected))
        fail_msg("%g trials take %g s, expected %g", trials, s, expected);
}

TEST(the_last_trials_take_all_cores)
{
    takes(cores_granted(2, 0, 0), 2, 90);
    takes(cores_granted(2, 0, 0), 1, 50); /* 1.8 times as fast */
    takes(cores_granted(2, 0, 0), 3, 140);
    takes(cores_granted(2, 0, 0), 201, 9050);
    takes(cores_granted(2, 1, 0), 3, 270);
    takes(cores_granted(2, 0, 2), 3, 150);
    takes(cores_granted(2, 100, 0), 100, 4500); /* more at once are no faster */
    takes(cores_granted(1, 0, 4), 2, 180);
    assert_true(cores_wall_s(&(struct cores){2, 2, 0}, 0, 0) == 0);
}
