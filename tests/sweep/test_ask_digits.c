/* Which questions share their trials: what is trained decides, and not how it is asked. */
#include <stdio.h>

#include "sweep/ask/sheet.h"
#include "tests/sweep/look_help.h"

static const char *digits(const struct look *l, const char *const *sets, int count)
{
    static char made[2][DIGITS_SIZE];
    static int turn;
    struct design d = {.kind = l->kind, .size = l->kind == LOOK_TOY ? 0 : 1, .steps = 400};
    struct message m = {{0}};
    char *now = made[turn = !turn];
    design_set_level(&d, DESIGN_LEVEL);
    if (digits_of(&d, l, "a/b.txt.headcount.yaml", sets, count, now, &m) != STATUS_OK)
        fail_msg("%s: %s", count ? sets[0] : "", m.text);
    return now;
}

/* The digits of a question in which one thing is set, or nothing; with those of one without. */
static void assert_set(const struct look *l, const char *set, bool same)
{
    char plain[DIGITS_SIZE];
    snprintf(plain, sizeof plain, "%s", digits(l, NULL, 0));
    if ((strcmp(digits(l, &set, 1), plain) == 0) != same)
        fail_msg("%s: %s, without it %s", set, digits(l, &set, 1), plain);
}

/* Of text-32x2. */
TEST(what_is_trained_makes_another_sweep)
{
    static const char *const others[] = {
        "task.length=32",  "task.length=7",          "task.split=interleaved",
        "model.layers=1",  "model.d_model=64",       "model.kv_heads=1",
        "train.steps=440", "train.clip=2",           "train.schedule={name: constant}",
        "train.batch=32",  "metric={name: val_acc}", "model.positions=rotary",
        "tune=null"};
    struct look *l = text_of(300000), *changed = text_of(300000);
    char plain[DIGITS_SIZE];
    set_integer(l, "length", 32); /* as a look supposes where none is set */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_set(l, others[i], false);
    set_text(changed, "sha256", "0123");
    snprintf(plain, sizeof plain, "%s", digits(l, NULL, 0));
    assert_string_not_equal(digits(changed, NULL, 0), plain);
    free(l);
    free(changed);
}

TEST(defaults_and_what_is_chosen_may_be_named)
{
    static const char *const same[] = {"task.length=64",
                                       "task.mode=lm",
                                       "task.split='contiguous'",
                                       "model.layers=2",
                                       "model.d_model=32",
                                       "model.d_ff=128",
                                       "model.kv_heads=heads",
                                       "train.clip=1",
                                       "train.batch=16",
                                       "train.steps=400",
                                       "train.schedule={warmup: 20, name: cosine}",
                                       "metric={goal: minimize, name: val_loss}"};
    static const char *const guessed[] = {"task.label_column='label'", "task.text_column=text"};
    struct look *l = text_of(300000), *rows = rows_of(600, 60, 30);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_set(l, same[i], true);
    for (size_t i = 0; i < sizeof guessed / sizeof *guessed; i++)
        assert_set(rows, guessed[i], true);
    free(l);
    free(rows);
}

/* Trials of other head counts and rates join those that there are. */
TEST(head_counts_rates_seeds_and_rules_are_free)
{
    static const char *const same[] = {"model.heads=[1,4,32]",
                                       "model.heads=[1, 2, 4, 8, 16, 32]",
                                       "train.lr=[1e-3, 1e-2]",
                                       "seeds=9",
                                       "confirm=null",
                                       "equivalence=.5",
                                       "run_cap=3",
                                       "tune={axes: [train.lr], seeds: 7}"};
    struct look *l = text_of(300000);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_set(l, same[i], true);
    free(l);
}

TEST(order_and_spelling_do_not_matter)
{
    static const char *const sets[] = {"model.layers=1", "train.clip=2", "seeds=9"};
    static const char *const turned[] = {"train.clip=3", "train.clip=2.0", "model.layers=1"};
    struct look *l = text_of(300000), *renamed = text_of(300000);
    char first[DIGITS_SIZE], name[2][DESIGN_NAME_SIZE];
    snprintf(first, sizeof first, "%s", digits(l, sets, 3));
    assert_string_equal(digits(l, turned, 3), first);
    set_text(renamed, "file", "c/tom.txt");
    assert_string_equal(digits(renamed, sets, 3), first);
    design_name(l, first, name[0]);
    design_name(renamed, first, name[1]);
    assert_string_equal(strrchr(name[0], '-'), strrchr(name[1], '-'));
    assert_true(strncmp(name[0], "b-", 2) == 0 && strncmp(name[1], "tom-", 4) == 0);
    free(l);
    free(renamed);
}

TEST(toys_are_told_by_their_options)
{
    static const char *const three[] = {"task.slots=3", "task.vocab=8"};
    static const char *const turned[] = {"task.vocab=8", "task.slots=4", "task.slots=3"};
    static const char *const named[] = {"task.slots=4"}; /* as by default */
    struct look *l = toy_of("gather", three, 2), *again = toy_of("gather", turned, 3);
    struct look *plain = toy_of("gather", NULL, 0), *with = toy_of("gather", named, 1);
    char first[DIGITS_SIZE];
    snprintf(first, sizeof first, "%s", digits(l, three, 2));
    assert_string_equal(digits(again, turned, 3), first);
    assert_string_not_equal(digits(plain, NULL, 0), first);
    snprintf(first, sizeof first, "%s", digits(plain, NULL, 0));
    assert_string_equal(digits(with, named, 1), first);
    free(l);
    free(again);
    free(plain);
    free(with);
}
