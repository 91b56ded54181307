/* cmocka's assert_true of up to 8, one after the other, so that a failure says which:
 *
 *     assert_each(v->rivals == 0, isnan(v->alpha), !v->decided); */
#ifndef TESTS_ASSERT_EACH_H
#define TESTS_ASSERT_EACH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
