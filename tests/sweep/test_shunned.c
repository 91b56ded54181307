/* What a machine remembers of trials that came to nothing there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "sweep/run/shunned.h"

#include <cmocka.h>

static void different_trials_are_counted(void **state)
{
    (void)state;
    struct shunned s = {0};
    for (int i = 0; i < 3; i++) {
        shunned_add(&s, 1, 0, true);
        shunned_add(&s, 2, 0, true);
    }
    shunned_add(&s, 3, 0, false);
    assert_int_equal(shunned_barren(&s), 2);
    shunned_further(&s);
    assert_int_equal(shunned_barren(&s), 0);
    assert_true(shunned_has(&s, 1) && shunned_has(&s, 2) && shunned_has(&s, 3));
    shunned_add(&s, 1, 0, true);
    assert_int_equal(shunned_barren(&s), 1);
    shunned_remove(&s, 1);
    assert_false(shunned_has(&s, 1));
    assert_true(shunned_has(&s, 2));
    assert_int_equal(shunned_barren(&s), 0);
    shunned_remove(&s, 1);
    assert_int_equal(s.count, 2);
}

static void the_latest_are_kept(void **state)
{
    (void)state;
    struct shunned s = {0};
    for (int64_t trial = 1; trial <= SHUNNED_MOST; trial++)
        shunned_add(&s, trial, 0, true);
    shunned_add(&s, 1, 0, true); /* once more: later than 2 */
    shunned_add(&s, 100, 0, true);
    assert_true(shunned_has(&s, 1) && shunned_has(&s, 100));
    assert_false(shunned_has(&s, 2));
    assert_int_equal(s.count, SHUNNED_MOST);
}

static void losses_weigh(void **state)
{
    (void)state;
    struct shunned s = {0};
    shunned_add(&s, 1, 2, false);
    for (int64_t trial = 10; trial < 100; trial++)
        shunned_add(&s, trial, 1, false);
    assert_true(shunned_has(&s, 1)); /* it may be the one that takes machines down */
    assert_true(shunned_has(&s, 99));
    assert_false(shunned_has(&s, 92));
    assert_true(shunned_has(&s, 93));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_trials_are_counted),
        cmocka_unit_test(the_latest_are_kept),
        cmocka_unit_test(losses_weigh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
