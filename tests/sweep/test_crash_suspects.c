/* Which trial takes machines down: what counts against one, and when it begins by itself. */
#include <stddef.h>
#include <stdint.h>

#include "sweep/run/suspects.h"

#include "tests/test.h"

TEST(losses_count_until_it_gets_further)
{
    struct crash_suspects s = {0};
    assert_false(crash_suspects_at(&s, 7, 0));
    assert_int_equal(crash_suspects_losses(&s, 7), 0);
    assert_int_equal(crash_suspects_lost(&s, 7, 100, 0)->losses, 1);
    assert_false(crash_suspects_at(&s, 7, 90)); /* one loss is nothing */
    assert_int_equal(crash_suspects_lost(&s, 7, 95, 0)->losses, 2);
    assert_true(crash_suspects_at(&s, 7, 90));
    assert_true(crash_suspects_at(&s, 7, 100));
    assert_false(crash_suspects_at(&s, 7, 101));
    assert_int_equal(crash_suspects_losses(&s, 7), 2);
    assert_int_equal(crash_suspects_lost(&s, 7, 101, 0)->losses, 1);
    assert_false(crash_suspects_at(&s, 7, 100));
    crash_suspects_free(&s);
}

TEST(machines_are_told_apart)
{
    struct crash_suspects s = {0};
    for (int i = 0; i < 7; i++)
        assert_false(crash_suspect_is_spread(crash_suspects_lost(&s, 1, 0, 3)));
    assert_false(crash_suspect_is_spread(crash_suspects_lost(&s, 1, 0, 4))); /* once is chance */
    assert_false(crash_suspect_is_spread(crash_suspects_lost(&s, 1, 0, 3)));
    assert_true(crash_suspect_is_spread(crash_suspects_lost(&s, 1, 0, 4)));
    assert_true(crash_suspect_is_spread(crash_suspects_lost(&s, 1, 0, 5)));
    assert_false(crash_suspect_is_spread(
        crash_suspects_lost(&s, 1, 1, 4))); /* it got further: a new count */
    assert_false(crash_suspect_is_spread(crash_suspects_lost(&s, 2, 0, 1)));
    assert_false(crash_suspect_is_spread(crash_suspects_lost(&s, 2, 0, 2)));
    assert_true(crash_suspect_is_spread(crash_suspects_lost(&s, 2, 0, 3)));
    crash_suspects_free(&s);
}

TEST(excuses_are_bounded)
{
    struct crash_suspects s = {0};
    for (int i = 0; i < EXCUSE_LIMIT; i++)
        assert_true(crash_suspects_excuse(&s, 1, 50));
    assert_false(crash_suspects_excuse(&s, 1, 50));
    assert_false(crash_suspects_excuse(&s, 1, 0));
    assert_true(crash_suspects_excuse(&s, 2, 50));
    assert_true(crash_suspects_excuse(&s, 1, 51)); /* it got further */
    assert_false(crash_suspects_at(&s, 1, 51));    /* an excuse is no loss */
    assert_int_equal(crash_suspects_losses(&s, 1), 0);
    crash_suspects_free(&s);
}

TEST(very_many_are_remembered)
{
    enum { TRIALS = 20000 };
    struct crash_suspects s = {0};
    for (int round = 1; round <= 3; round++)
        for (int64_t trial = 1; trial <= TRIALS; trial++)
            assert_int_equal(crash_suspects_lost(&s, trial * 64, 0, 0)->losses, round);
    for (int64_t trial = 1; trial <= TRIALS; trial++)
        assert_int_equal(crash_suspects_losses(&s, trial * 64), 3);
    assert_int_equal(crash_suspects_losses(&s, 63), 0);
    crash_suspects_free(&s);
    assert_int_equal(crash_suspects_losses(&s, 64), 0);
}
