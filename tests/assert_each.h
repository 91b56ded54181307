/* cmocka's assert_true of several, which says which of them does not hold:
 *
 *     assert_each(v->rivals == 0, isnan(v->alpha), !v->decided);
 *
 * All of them are evaluated, whatever those before came to. */
#ifndef TESTS_ASSERT_EACH_H
#define TESTS_ASSERT_EACH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_each(...)                                                                           \
    assert_each_of((const bool[]){__VA_ARGS__}, sizeof((const bool[]){__VA_ARGS__}), #__VA_ARGS__, \
                   __FILE__, __LINE__)

static inline void assert_each_of(const bool *holds, size_t n, const char *parts, const char *file,
                                  int line)
{
    for (size_t i = 0; i < n; i++)
        if (!holds[i]) {
            print_error("number %zu does not hold of: %s\n", i + 1, parts);
            _fail(file, line);
        }
}

#endif
