/* The sweep file that `ask` writes: what is set stands in it, and all else has a reason that is
 * true. That it can be planned, test_ask_plan.c says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "tests/sweep/look_help.h"

/* malloced */
static char *sheet_of(const struct look *l, const struct design *d, const char *const *sets,
                      int count)
{
    struct text_buffer text = {0};
    sheet_write(d, l, "b-123456", sets, count, &text);
    assert_non_null(text.text);
    return text.text;
}

static struct design design_of(enum look_kind kind, int size, long steps)
{
    struct design d = {
        .kind = kind, .size = size, .steps = steps, .minutes = 60, .steps_minutes = 10};
    design_set_level(&d, DESIGN_LEVEL);
    return d;
}

static void assert_says(const char *sheet, const char *what)
{
    if (!strstr(sheet, what))
        fail_msg("no '%s' in:\n%s", what, sheet);
}

TEST(what_is_set_stands_in_the_file)
{
    static const char *const sets[] = {
        "model.layers=1",         "train.clip=2", "seeds=9",
        "confirm=null",           "retries=1",    "task.split=interleaved",
        "model.positions=rotary", "task.length=7"};
    const struct design d = design_of(LOOK_TEXT, 1, 400);
    struct look *l = text_of(300000);
    char *sheet = sheet_of(l, &d, sets, 8);
    assert_says(sheet, "\nname: b-123456 ");
    assert_says(sheet, "\n  file: 'b.txt' ");
    assert_says(sheet, "\n  length: 7 ");
    assert_says(sheet, "\n  split: interleaved ");
    assert_says(sheet, "\n  layers: 1 ");
    assert_says(sheet, "\n  positions: rotary ");
    assert_says(sheet, "\n  clip: 2 ");
    assert_says(sheet, "\nseeds: 9 ");
    assert_says(sheet, "\nretries: 1 ");
    assert_null(strstr(sheet, "\nconfirm"));
    assert_null(strstr(sheet, "layers: 2"));
    free(sheet);
    free(l);
}

/* ... what is not chosen in every file, too. */
TEST(what_is_set_stands_in_files_that_have_no_such_key)
{
    static const char *const sets[] = {"metric={name: val_loss}", "model.mask=causal",
                                       "model.pool=first"};
    const struct design d = design_of(LOOK_ROWS, 0, 400);
    struct look *l = rows_of(600, 60, 30);
    char *sheet = sheet_of(l, &d, sets, 3);
    assert_says(sheet, "\nmetric: {name: val_loss} ");
    assert_says(sheet, "\n  mask: causal ");
    assert_says(sheet, "\n  pool: first ");
    assert_null(strstr(sheet, "pool: mean"));
    free(sheet);
    free(l);
}

/* In its line; `tune` has its own above it. */
static void assert_reasons(const struct look *l)
{
    const struct design d = design_of(l->kind, 0, 400);
    char *sheet = sheet_of(l, &d, NULL, 0), *line;
    int values = 0;
    for (line = strtok(sheet, "\n"); line; line = strtok(NULL, "\n")) {
        bool section = line[strlen(line) - 1] == ':', comment = line[0] == '#';
        if (section || comment || strncmp(line, "tune: ", 6) == 0)
            continue;
        if (!strstr(line, " # "))
            fail_msg("no reason: %s", line);
        values++;
    }
    assert_true(values > 12);
    free(sheet);
}

TEST(every_value_has_a_reason)
{
    struct look *all[] = {text_of(300000), rows_of(600, 60, 30), toy_of("gather", NULL, 0),
                          toy_of("induction", NULL, 0)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_reasons(all[i]);
        free(all[i]);
    }
}

static void assert_steps_why(const struct look *l, int size, long steps, const char *why)
{
    const struct design d = design_of(l->kind, size, steps);
    char line[40], *sheet = sheet_of(l, &d, NULL, 0);
    snprintf(line, sizeof line, "\n  steps: %ld ", steps);
    char *found = strstr(sheet, line);
    assert_non_null(found);
    found[1 + strcspn(found + 1, "\n")] = '\0';
    assert_says(found, why);
    free(sheet);
}

/* ... those of the first ask where more minutes only added seeds. */
TEST(steps_say_what_limits_them)
{
    struct look *small = text_of(12000), *large = text_of(100000000), *few = rows_of(125, 25, 30);
    assert_steps_why(large, 1, 800, "# what 10 minutes allow");
    assert_steps_why(large, 1, 2000, "# enough to compare nets of this size");
    assert_steps_why(large, 0, 1480, "# enough to compare nets of this size");
    assert_steps_why(large, 0, 200, "# fewer show nothing");
    assert_steps_why(small, 0, 720, "# 40 passes over what it is trained on");
    assert_steps_why(few, 0, 120, "# 60 passes over what it is trained on");
    free(small);
    free(large);
    free(few);
}

TEST(long_texts_are_said_to_be_cut)
{
    const struct design d = design_of(LOOK_ROWS, 0, 400);
    struct look *l = rows_of(600, 60, 30), *longer = rows_of(600, 60, 812);
    char *sheet = sheet_of(l, &d, NULL, 0);
    assert_says(sheet, "\n  length: 32 ");
    assert_says(sheet, "cut; nine in ten are no longer");
    free(sheet);
    sheet = sheet_of(longer, &d, NULL, 0);
    assert_says(sheet, "\n  length: 256 ");
    assert_says(sheet, "cut; one in ten has 812 or more");
    free(sheet);
    free(l);
    free(longer);
}

/* Early ones favour low learning rates under a schedule that falls; and a curve needs points to
 * tell whether it still improves at its end. */
TEST(rungs_are_late_and_curves_have_ten_points)
{
    static const char *const few[] = {"train.steps=16"}, *const once[] = {"train.eval_every=400"};
    struct design d = design_of(LOOK_TEXT, 1, 840);
    struct look *l = text_of(100000000);
    char *sheet = sheet_of(l, &d, NULL, 0);
    assert_says(sheet, "\n  eval_every: 84 ");
    assert_says(sheet, "rungs: {eta: 3, min_steps: 420}");
    assert_says(sheet, "\n# Rates that lose at half of the steps stop there");
    free(sheet);
    d.steps = 16; /* as is set */
    sheet = sheet_of(l, &d, few, 1);
    assert_says(sheet, "\n  eval_every: 2 ");
    assert_says(sheet, "min_steps: 8}");
    free(sheet);
    d.steps = 400;
    sheet = sheet_of(l, &d, once, 1);
    assert_says(sheet, "\ntune: {axes: [train.lr], seeds: 2, extend: 3}");
    assert_null(strstr(sheet, "stop there"));
    free(sheet);
    free(l);
}

TEST(sets_that_ask_cannot_take_are_refused)
{
    static const char *const bad[] = {"seeds",
                                      "=3",
                                      "name=x",
                                      "task.file=b",
                                      "task.name=copy",
                                      "tune.seeds=3",
                                      "train.schedule.name=linear",
                                      "seeds=3\n"};
    static const char *const good[] = {"seeds=3", "model.heads=[1, 2]", "tune=null",
                                       "train.schedule={name: linear}"};
    struct message m;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sets_check(&bad[i], 1, &m), STATUS_BAD_INPUT);
    assert_int_equal(sets_check(good, sizeof good / sizeof *good, &m), STATUS_OK);
}

TEST(sets_have_an_order_of_their_own)
{
    static const char *const sets[] = {"seeds=1", "model.layers=2", "seeds=10", "model.lay=3",
                                       "confirm=1e1"};
    const char *first = sets_next(sets, 5, NULL), *second = sets_next(sets, 5, first);
    const char *third = sets_next(sets, 5, second), *last = sets_next(sets, 5, third);
    assert_string_equal(first, "confirm=1e1");
    assert_string_equal(second, "model.lay=3");
    assert_string_equal(third, "model.layers=2");
    assert_string_equal(last, "seeds=10");
    assert_null(sets_next(sets, 5, last));
    assert_int_equal(sets_number(sets, 5, "seeds"), 10);
    assert_int_equal(sets_number(sets, 5, "confirm"), 0); /* as no sweep file takes it */
    assert_int_equal(sets_number(sets, 5, "model.layer"), 0);
}
