/* What the tests of a server's parts share. Times are the test's. */
#ifndef TESTS_SWEEP_WATCHED_HELP_H
#define TESTS_SWEEP_WATCHED_HELP_H

#include <stddef.h>
#include <stdint.h>

#include "sweep/serve/serve_parts.h"

#include "tests/test.h"

static inline struct watched_sign sign_of(off_t size)
{
    struct watched_sign sign = {.there = size > 0};
    sign.part[0].size = size;
    return sign;
}

static inline void see(struct watched *w, off_t size, double now_s)
{
    struct watched_sign sign = sign_of(size);
    watched_saw(w, &sign, now_s);
}

/* An answer that nobody holds. */
static inline struct answer *keep(struct answers *list, const char *key, const char *text)
{
    struct text_buffer body = {0};
    text_add(&body, "%s", text);
    struct answer *a = answer_new(list, key, 200, &body);
    assert_non_null(a);
    assert_null(body.text);
    answers_keep(list, a);
    answer_drop(list, a);
    return a;
}

#endif
