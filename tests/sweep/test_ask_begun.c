/* What `ask` finds in a results file of the sweep that it is about to go on with. */
#include "tests/sweep/store_help.h"

#include "sweep/ask/begun.h"

static void a_sweep_is_known_by_its_digits(void **state)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\nconfirm: 7\n");
    struct fixture *x = *state;
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'book-1a2b3c'");
    assert_ok(begun_find(r.s, "tom-1a2b3c", &b, &x->m)); /* a copy of the file */
    assert_string_equal(b.name, "book-1a2b3c");
    assert_ok(begun_find(r.s, "book-1a2b3d", &b, &x->m));
    assert_string_equal(b.name, "book-1a2b3d");
    assert_int_equal(b.confirm, 0);
    plan_into(x, r.s, yaml);
    run_sql(r.db, "UPDATE sweep SET name = 'tom-1a2b3c' WHERE name = 'plain'");
    assert_ok(begun_find(r.s, "tom-1a2b3c", &b, &x->m)); /* of two its own */
    assert_string_equal(b.name, "tom-1a2b3c");
    close_store(x, r.s);
}

static void fresh_seeds_are_those_that_were_written_down(void **state)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\nconfirm: 7\n");
    const struct confirm_claim claim = {.best = 2, .over_count = 1, .over = {1}};
    struct fixture *x = *state;
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'plain-1a2b3c'");
    assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
    assert_int_equal(b.confirm, 0);
    assert_ok(store_confirm(r.s, r.sweep, "{}", "middle", &claim, &x->m));
    assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
    assert_int_equal(b.confirm, 7);
    close_store(x, r.s);
}

static void nothing_to_confirm_leaves_the_seeds_free(void **state)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 3\nconfirm: 7\n");
    struct fixture *x = *state;
    struct run r = start(x, yaml);
    struct begun b;
    run_sql(r.db, "UPDATE sweep SET name = 'plain-1a2b3c'");
    assert_ok(store_confirm(r.s, r.sweep, "{}", "at_chance", NULL, &x->m));
    assert_ok(begun_find(r.s, "plain-1a2b3c", &b, &x->m));
    assert_int_equal(b.confirm, 0);
    close_store(x, r.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_sweep_is_known_by_its_digits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fresh_seeds_are_those_that_were_written_down, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(nothing_to_confirm_leaves_the_seeds_free, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
