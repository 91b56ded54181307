/* Tests that declare themselves. Each file of them is a program:
 *
 *     #include "tests/test.h"
 *
 *     TEST(two_and_two) { assert_int_equal(2 + 2, 4); }
 *
 * Tests run in the order of the file. With an argument, only those run whose names match it
 * (`build/tests/unit/test_json 'numbers*'`). What follows is for the tests below its line:
 *
 *     FIXTURE(set_up, tear_down)   before and after each test, NULL for neither. What set_up leaves
 *                                  in *state is the argument that TEST_FIXTURE declares
 *     GROUP(set_up, tear_down)     before the first test and after the last
 *     PREPARE { ... }              before everything, with argc and argv; it may exit */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#ifndef TEST_FIXTURE
#define TEST_FIXTURE void *test_state
#endif

#define TEST_DECLARED __attribute__((constructor)) static void
#define TEST_UNUSED   __attribute__((unused))

#define TEST(which)                                                                                \
    static void which(TEST_FIXTURE);                                                               \
    static void which##_with(void **state)                                                         \
    {                                                                                              \
        which(*state);                                                                             \
    }                                                                                              \
    TEST_DECLARED which##_is_declared(void)                                                        \
    {                                                                                              \
        test_declare(__LINE__, (struct CMUnitTest){.name = #which, .test_func = which##_with});    \
    }                                                                                              \
    static void which(TEST_FIXTURE TEST_UNUSED)

#define FIXTURE(set_up, tear_down)               TEST_FIXTURE_AT(set_up, tear_down, __LINE__)
#define TEST_FIXTURE_AT(set_up, tear_down, line) TEST_FIXTURE_OF(set_up, tear_down, line)
#define TEST_FIXTURE_OF(set_up, tear_down, line)                                                   \
    TEST_DECLARED fixture_##line(void)                                                             \
    {                                                                                              \
        test_declare(line, (struct CMUnitTest){NULL, NULL, set_up, tear_down, NULL});              \
    }

#define GROUP(before, after)                                                                       \
    TEST_DECLARED group_is_declared(void)                                                          \
    {                                                                                              \
        test_group.set_up = (before);                                                              \
        test_group.tear_down = (after);                                                            \
    }

#define PREPARE                                                                                    \
    static void prepare(int argc, char **argv);                                                    \
    TEST_DECLARED prepare_is_declared(void)                                                        \
    {                                                                                              \
        test_group.prepare = prepare;                                                              \
    }                                                                                              \
    static void prepare(int argc TEST_UNUSED, char **argv TEST_UNUSED)

#define TESTS_MAX 128

static struct {
    int count, line[TESTS_MAX];
    struct CMUnitTest test[TESTS_MAX]; /* in the order of their lines; one without a name is the
                                        * fixture of those that follow */
    CMFixtureFunction set_up, tear_down;
    void (*prepare)(int argc, char **argv);
} test_group;

/* In whatever order the compiler has constructors run. */
static inline void test_declare(int line, struct CMUnitTest t)
{
    int i = test_group.count++;
    if (i == TESTS_MAX)
        abort();
    for (; i > 0 && test_group.line[i - 1] > line; i--) {
        test_group.line[i] = test_group.line[i - 1];
        test_group.test[i] = test_group.test[i - 1];
    }
    test_group.line[i] = line;
    test_group.test[i] = t;
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[TESTS_MAX], fixture = {0};
    size_t n = 0;
    for (int i = 0; i < test_group.count; i++) {
        struct CMUnitTest t = test_group.test[i];
        if (!t.name) {
            fixture = t;
            continue;
        }
        t.setup_func = fixture.setup_func;
        t.teardown_func = fixture.teardown_func;
        tests[n++] = t;
    }
    if (test_group.prepare)
        test_group.prepare(argc, argv);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests("tests", tests, n, test_group.set_up, test_group.tear_down);
}

/* assert_true of up to 8, one after the other, so that a failure says which:
 *
 *     assert_each(v->rivals == 0, isnan(v->alpha), !v->decided); */
#define assert_each(...)                                                                           \
    do {                                                                                           \
        ASSERT_COUNTED(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)(__VA_ARGS__);                       \
    } while (0)
#define ASSERT_COUNTED(a, b, c, d, e, f, g, h, count, ...) ASSERT_##count
#define ASSERT_1(a)                                        assert_true(a)
#define ASSERT_2(a, ...)                                   assert_true(a), ASSERT_1(__VA_ARGS__)
#define ASSERT_3(a, ...)                                   assert_true(a), ASSERT_2(__VA_ARGS__)
#define ASSERT_4(a, ...)                                   assert_true(a), ASSERT_3(__VA_ARGS__)
#define ASSERT_5(a, ...)                                   assert_true(a), ASSERT_4(__VA_ARGS__)
#define ASSERT_6(a, ...)                                   assert_true(a), ASSERT_5(__VA_ARGS__)
#define ASSERT_7(a, ...)                                   assert_true(a), ASSERT_6(__VA_ARGS__)
#define ASSERT_8(a, ...)                                   assert_true(a), ASSERT_7(__VA_ARGS__)

#endif
