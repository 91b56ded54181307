/* What `ask` answers where trials have come to what is made up here. */
#ifndef TESTS_SWEEP_ANSWER_HELP_H
#define TESTS_SWEEP_ANSWER_HELP_H

#include "sweep/ask/answer.h"
#include "tests/sweep/confirm_help.h"
#include "tests/sweep/look_help.h"

enum { FOUND, SURE, LIMITS };

/* One of its sentences; to be freed. */
static inline char *sentence_about(const struct look *l, const struct design *d, double order_bits,
                                   struct sketch *s, int which)
{
    char fixed[] = "length=256, d_model=32, layers=1";
    struct report_setting set = {.verdict = judge_sketch(s)};
    struct text_buffer out = {0};
    set.input = s->in;
    set.text = words_of(s, set.verdict);
    const struct report_data r = {.fixed = fixed, .settings = 1, .setting = &set};
    answer_write(&r, l, d, order_bits, &out);
    verdict_text_free(&set.text);
    verdict_free(set.verdict);
    assert_non_null(out.text);
    char *line = out.text;
    for (int i = 0; i < which; i++)
        line = strchr(line, '\n') + 1;
    char *copy = strndup(line, strcspn(line, "\n"));
    assert_non_null(copy);
    free(out.text);
    return copy;
}

static inline char *toy_sentence(struct sketch *s, int which)
{
    const struct design d = {.kind = LOOK_TOY, .steps = 800};
    struct look *l = toy_of("gather", NULL, 0);
    char *line = sentence_about(l, &d, NAN, s, which);
    free(l);
    return line;
}

static inline void expect_line(struct sketch *s, int which, const char *expected)
{
    char *line = toy_sentence(s, which);
    assert_string_equal(line, expected);
    free(line);
}

static inline void expect_part(struct sketch *s, int which, const char *part)
{
    char *line = toy_sentence(s, which);
    if (!strstr(line, part))
        fail_msg("no '%s' in: %s", part, line);
    free(line);
}

#endif
