/* What a machine remembers of trials that came to nothing there. */
#include <stddef.h>
#include <stdint.h>

#include "sweep/run/suspects.h"

#include "tests/test.h"

TEST(different_trials_are_counted)
{
    struct host_blocklist s = {0};
    for (int i = 0; i < 3; i++) {
        host_blocklist_add(&s, 1, 0, true);
        host_blocklist_add(&s, 2, 0, true);
    }
    host_blocklist_add(&s, 3, 0, false);
    assert_int_equal(host_blocklist_failed_early(&s), 2);
    host_blocklist_further(&s);
    assert_int_equal(host_blocklist_failed_early(&s), 0);
    assert_true(host_blocklist_has(&s, 1));
    assert_true(host_blocklist_has(&s, 2));
    assert_true(host_blocklist_has(&s, 3));
    host_blocklist_add(&s, 1, 0, true);
    assert_int_equal(host_blocklist_failed_early(&s), 1);
    host_blocklist_remove(&s, 1);
    assert_false(host_blocklist_has(&s, 1));
    assert_true(host_blocklist_has(&s, 2));
    assert_int_equal(host_blocklist_failed_early(&s), 0);
    host_blocklist_remove(&s, 1);
    assert_int_equal(s.count, 2);
}

TEST(the_latest_are_kept)
{
    struct host_blocklist s = {0};
    for (int64_t trial = 1; trial <= HOST_BLOCKLIST_MAX; trial++)
        host_blocklist_add(&s, trial, 0, true);
    host_blocklist_add(&s, 1, 0, true); /* once more: later than 2 */
    host_blocklist_add(&s, 100, 0, true);
    assert_true(host_blocklist_has(&s, 1));
    assert_true(host_blocklist_has(&s, 100));
    assert_false(host_blocklist_has(&s, 2));
    assert_int_equal(s.count, HOST_BLOCKLIST_MAX);
}

TEST(losses_weigh)
{
    struct host_blocklist s = {0};
    host_blocklist_add(&s, 1, 2, false);
    for (int64_t trial = 10; trial < 100; trial++)
        host_blocklist_add(&s, trial, 1, false);
    assert_true(host_blocklist_has(&s, 1)); /* it may be the one that takes machines down */
    assert_true(host_blocklist_has(&s, 99));
    assert_false(host_blocklist_has(&s, 92));
    assert_true(host_blocklist_has(&s, 93));
}
