/* What the answer says of its limits: what the trials could not show, and what would help. */
#include "tests/sweep/answer_help.h"

TEST(each_difference_has_its_own_limit)
{
    struct both b = middle_found();
    confirm_four(&b);
    expect_line(&b.explored, LIMITS,
                "This is about this task and nets of d_model 32 after 1500 steps. Differences from "
                "1 head below about 1.4 and from 16 heads below about 2.3 percentage points would "
                "not show in these trials.");
}

static void cut_to_256(int64_t typical, const char *expected)
{
    const struct design d = {.kind = LOOK_ROWS, .steps = 1500};
    struct look *l = rows_of(1000, 100, typical);
    struct sketch s = sketch_new();
    add(&s, 1, .7, 5, low);
    char *line = sentence_about(l, &d, NAN, &s, LIMITS);
    assert_string_equal(line, expected);
    free(line);
    free(l);
}

TEST(what_was_cut_off_is_a_limit)
{
#define ABOUT "This is about this split of these rows and nets of d_model 32 after 1500 steps."
    cut_to_256(256, ABOUT);
    cut_to_256(1200, ABOUT " Of each text the nets saw the first 256 bytes, and one in ten has "
                           "1200 or more.");
#undef ABOUT
}

static void counting_does_better(int64_t bytes, int size, int64_t steps, const char *end)
{
    static const double losses[2][5] = {{2, 2.1, 2, 1.9, 2}, {2.1, 2, 2, 2, 2.1}};
    const struct design d = {.kind = LOOK_TEXT, .size = size, .steps = (long)steps};
    struct look *l = text_of(bytes);
    struct sketch s = sketch_new();
    s.in.loss = true;
    s.in.data = VERDICT_TEXT;
    s.in.chance = 1 / 256.;
    s.in.steps = steps;
    add(&s, 1, 2, 5, losses[0]);
    add(&s, 4, 2.1, 5, losses[1]);
    char *line = sentence_about(l, &d, 2.5, &s, LIMITS);
    assert_non_null(strstr(line, " A byte model of order 2, "));
    assert_true(strlen(line) > strlen(end));
    assert_string_equal(line + strlen(line) - strlen(end), end);
    free(line);
    line = sentence_about(l, &d, NAN, &s, LIMITS);
    assert_null(strstr(line, "byte model"));
    free(line);
    free(l);
}

/* Of 40 KB a net of d_model 64 sees all that it may in 600 steps, and a larger one would need more
 * of them than its passes allow. */
TEST(more_minutes_are_advised_where_they_help)
{
    counting_does_better(100000000, 2, 600,
                         "learned the text. They have to train longer: give more --minutes, or "
                         "more train.steps if you set these.");
    counting_does_better(40000, 1, 400,
                         "learned the text. They have to train longer: give more --minutes, or "
                         "more train.steps if you set these.");
    counting_does_better(245000, 4, 10, /* which saw a third of it; it allows no such net */
                         "learned the text. They have to train longer: give more --minutes, or "
                         "more train.steps if you set these.");
    counting_does_better(40000, 2, 600,
                         "learned the text. The text is too short for them; a longer one would "
                         "help.");
    counting_does_better(100000000, 4, 40000, "these have hardly learned the text.");
}
