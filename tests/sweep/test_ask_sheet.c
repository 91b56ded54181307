/* The sweep file that `ask` writes (whole ones: the contract; that they can be planned:
 * test_ask_plan.c): why it has so many steps; which questions share their trials: what is trained
 * decides, and not how it is asked; for what a file was written, and whether a person has changed
 * it since. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "tests/own_folder.h"
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

/* ---- which questions share their trials ---- */

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

/* ---- what a file knows of itself ---- */

static struct message m;

static void change(const char *mode, const char *text)
{
    FILE *f = fopen(path, mode);
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The first one of such a text. */
static void replace(const char *text, char with)
{
    char all[8192] = "";
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_true(fread(all, 1, sizeof all - 1, f) > 0);
    char *found = strstr(all, text);
    assert_non_null(found);
    fseek(f, found - all, SEEK_SET);
    fputc(with, f);
    fclose(f);
}

static enum ask_file_state state_of(const struct look *l, const char *const *sets, int count,
                                    struct design *d)
{
    enum ask_file_state state;
    if (ask_file_read(path, l, sets, count, &state, d, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return state;
}

static bool same_design(const struct design *a, const struct design *b)
{
    return a->kind == b->kind && a->size == b->size && a->level == b->level &&
           a->steps == b->steps && a->seeds == b->seeds && a->confirm == b->confirm &&
           a->minutes == b->minutes && a->steps_minutes == b->steps_minutes;
}

static int set_up(void **state)
{
    int failed = make_folder(state);
    name_file("b.txt.headcount.yaml");
    return failed;
}

static const char *const sets[] = {"model.layers=1", "train.clip=2", "seeds=9", "confirm=null"};
static const struct design written = {.kind = LOOK_TEXT,
                                      .size = 1,
                                      .level = 2,
                                      .steps = 400,
                                      .seeds = 7,
                                      .confirm = 8,
                                      .minutes = 60,
                                      .steps_minutes = 10};

/* Where nothing is that a person has changed. */
static void write_it(const struct look *l)
{
    if (ask_file_write(path, &written, l, "b-123456", sets, 4, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

GROUP(set_up, remove_folder)

TEST(a_file_knows_for_what_it_was_written)
{
    static const char *const others[] = {"model.layers=1", "train.clip=2", "seeds=9",
                                         "confirm=null", "task.length=32"};
    static const char *const named[] = {"confirm=null", "seeds=9", "train.clip=2", "model.layers=1",
                                        "task.length=64"};
    struct look *l = text_of(300000), *changed = text_of(300000);
    struct design read;
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_NONE);
    write_it(l);
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_SAME);
    assert_true(same_design(&read, &written));
    assert_int_equal(state_of(l, named, 5, &read), ASK_FILE_SAME);
    assert_int_equal(state_of(l, sets, 3, &read), ASK_FILE_OTHER);
    assert_int_equal(state_of(l, others, 5, &read), ASK_FILE_OTHER); /* the length is set */
    set_text(changed, "sha256", "0123");
    assert_int_equal(state_of(changed, sets, 4, &read), ASK_FILE_OTHER);
    unlink(path);
    free(l);
    free(changed);
}

/* Also one of as many bytes as a look supposes where none is set. */
TEST(a_length_that_is_set_is_kept)
{
    static const char *const length[] = {"task.length=32"};
    struct look *l = text_of(300000);
    struct design read;
    set_integer(l, "length", 32);
    assert_int_equal(ask_file_write(path, &written, l, "b-123456", length, 1, &m), STATUS_OK);
    assert_int_equal(state_of(l, length, 1, &read), ASK_FILE_SAME);
    assert_int_equal(state_of(l, NULL, 0, &read), ASK_FILE_OTHER);
    unlink(path);
    free(l);
}

TEST(a_file_knows_whether_it_was_changed)
{
    struct look *l = text_of(300000);
    struct design read;
    write_it(l);
    replace("ask 3:", 'A'); /* no line of ask's */
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    replace("Ask 3:", 'a');
    replace("3: 60 minutes", '2'); /* of another version, which may mean otherwise what it says */
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_OTHER);
    replace("2: 60 minutes", '3');
    replace("level 2", 'L');
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    unlink(path);
    write_it(l);
    change("a", " ");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    unlink(path);
    write_it(l);
    change("r+", "% ");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    change("w", "");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    change("w", "# headcount ask 1: ten minutes\n");
    assert_int_equal(state_of(l, sets, 4, &read), ASK_FILE_CHANGED);
    unlink(path);
    mkdir(path, 0700);
    enum ask_file_state unused;
    assert_int_not_equal(ask_file_read(path, l, sets, 4, &unused, &read, &m), STATUS_OK);
    rmdir(path);
    free(l);
}

/* ... whenever that was: also since it was last looked at. */
TEST(what_a_person_has_changed_is_not_written)
{
    char mine[32] = "";
    struct look *l = text_of(300000);
    write_it(l);
    write_it(l); /* its own it does */
    change("w", "# mine\n");
    assert_int_equal(ask_file_write(path, &written, l, "b-123456", sets, 4, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "was changed since ask wrote it"));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(mine, sizeof mine, f));
    fclose(f);
    assert_string_equal(mine, "# mine\n");
    unlink(path);
    free(l);
}
