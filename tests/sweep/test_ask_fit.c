/* What a time allows: the largest net that gets enough steps, then more steps, then more seeds; and
 * what more time does for a design that was begun. Times are made up. And what the sweep file knows
 * of itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "sweep/ask/ask_file.h"
#include "sweep/ask/fit.h"
#include "tests/sweep/look_help.h"

/* Each step of each seed takes as long as the net is large. */
static double seconds(void *context, const struct design *d)
{
    const struct design_size *s = design_size(d);
    const struct design_level *level = design_level(d);
    double step_s = *(double *)context * (double)(s->d_model * s->d_model * s->layers * s->batch);
    return 6 * (.1 + (double)d->steps * step_s) *
           (level->tune_seeds * 1.5 + d->seeds + .4 * (double)d->confirm);
}

static double unknown(void *context, const struct design *d)
{
    (void)context;
    (void)d;
    return NAN;
}

static void more_time_is_never_for_less(void **state)
{
    double flop_s = 1e-8;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    double before = 0;
    int size = 0, filled = 0, n = 0;
    (void)state;
    for (double minutes = 1; minutes < 10000; minutes *= 1.3, n++) {
        struct design d = fit_design(&f, minutes);
        double taken = seconds(&flop_s, &d);
        assert_true(taken <= 60 * minutes * 1.001 || (d.size == 0 && d.level == 0));
        assert_true(d.steps >= design_size(&d)->steps_min && d.steps <= design_size(&d)->steps_max);
        assert_int_equal(d.steps % DESIGN_STEPS, 0);
        assert_true(d.size >= size && taken >= .7 * before);
        size = d.size;
        before = taken;
        filled += taken > .75 * 60 * minutes;
    }
    assert_int_equal(size, design_kind(LOOK_TEXT)->sizes - 1);
    assert_true(filled > n * 7 / 10); /* most of the time is used */
    free(l);
}

/* Steps up to the last one that there is time for, or is of use; then seeds. */
static void the_time_is_used(void **state)
{
    double flop_s = 1e-8;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    int for_steps = 0, for_seeds = 0;
    (void)state;
    for (double minutes = 2; minutes < 4000; minutes *= 1.1) {
        struct design d = fit_design(&f, minutes), more = d, next = d;
        if (d.steps < design_steps_max(&d, l)) {
            more.steps += DESIGN_STEPS;
            assert_true(seconds(&flop_s, &more) > 59.9 * minutes);
            for_steps++;
        } else if (d.level + 1 < design_levels()) {
            design_set_level(&next, d.level + 1);
            more.seeds++;
            assert_in_range(d.seeds, design_level(&d)->seeds, next.seeds);
            assert_true(d.seeds == next.seeds || seconds(&flop_s, &more) > 60 * minutes);
            for_seeds += d.seeds > design_level(&d)->seeds;
        }
    }
    assert_true(for_steps > 10 && for_seeds > 3);
    free(l);
}

static void little_data_makes_small_nets(void **state)
{
    double flop_s = 1e-12;
    struct look *small = text_of(12000), *large = text_of(100000000);
    const struct fit f = {.look = small, .seconds = seconds, .context = &flop_s};
    const struct fit g = {.look = large, .seconds = seconds, .context = &flop_s};
    struct design d = fit_design(&f, 10);
    (void)state;
    assert_int_equal(d.size, 0);
    assert_int_equal(d.level, design_levels() - 1); /* what is left of the time is for seeds */
    assert_true(d.steps <= design_steps_max(&d, small));
    assert_true(fit_design(&g, 10).size > 0);
    free(small);
    free(large);
}

/* 75 rows to train on: 60 passes over them are fewer steps than show anything elsewhere, but there
 * is time for all seeds. */
static void few_rows_get_seeds(void **state)
{
    double flop_s = 1e-12;
    struct look *l = rows_of(125, 25, 30), *fewer = rows_of(60, 20, 30);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design d = fit_design(&f, 10);
    (void)state;
    assert_int_equal(d.size, 0);
    assert_int_equal(d.steps, 120);
    assert_int_equal(d.level, design_levels() - 1);
    assert_int_equal(design_steps_max(&d, fewer), DESIGN_STEPS); /* 37 steps: never none */
    free(l);
    free(fewer);
}

static void what_cannot_be_is_the_cheapest(void **state)
{
    double slow = 1;
    struct look *l = text_of(300000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &slow};
    const struct fit asked = {.look = l, .steps = 7, .seconds = seconds, .context = &slow};
    const struct fit none = {.look = l, .seconds = unknown};
    struct design d = fit_design(&f, 1);
    (void)state;
    assert_true(d.size == 0 && d.level == 0 && d.steps == design_size(&d)->steps_min);
    assert_true(d.seeds == design_level(&d)->seeds && d.confirm == design_level(&d)->confirm);
    assert_int_equal(fit_design(&asked, 1).steps, 7);
    assert_int_equal(fit_design(&none, 1).size, 0);
    free(l);
}

static void more_minutes_keep_or_begin_anew(void **state)
{
    double flop_s = 1e-9;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design old = fit_design(&f, 10), d;
    (void)state;
    assert_int_equal(fit_more(&f, &old, 0, 10, &d), FIT_AS_IT_IS);
    assert_true(d.level == old.level && d.steps == old.steps && d.minutes == old.minutes);
    assert_int_equal(fit_more(&f, &old, 0, 20, &d), FIT_SEEDS);
    assert_true(d.size == old.size && d.steps == old.steps && d.level > old.level);
    assert_int_equal(d.confirm, design_level(&d)->confirm);
    assert_true(seconds(&flop_s, &d) <= 20 * 60 && d.minutes == 20);
    assert_int_equal(fit_more(&f, &old, 7, 20, &d), FIT_SEEDS);
    assert_int_equal(d.confirm, 7); /* on as many as it was */
    assert_int_equal(fit_more(&f, &old, 0, 600, &d), FIT_ANEW);
    assert_true(d.size > old.size || d.steps >= FIT_WORTH * old.steps);
    assert_int_equal(fit_more(&f, &old, 0, INFINITY, &d), FIT_ANEW);
    assert_true(d.level == design_levels() - 1 && d.steps == design_size(&d)->steps_max);
    old = d;
    assert_int_equal(fit_more(&f, &old, 0, INFINITY, &d), FIT_AS_IT_IS);
    free(l);
}

/* A machine that is busier for a moment has time for a smaller net only, of many more steps. */
static void nothing_begins_anew_with_a_smaller_net(void **state)
{
    double flop_s = 1e-8;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design old = fit_design(&f, 2), d;
    (void)state;
    assert_int_equal(old.size, 2);
    flop_s = 1.25e-8;
    d = fit_design(&f, 2.2);
    assert_true(d.size < old.size && d.steps >= FIT_WORTH * old.steps);
    assert_int_equal(fit_more(&f, &old, 0, 2.2, &d), FIT_AS_IT_IS);
    assert_true(d.size == old.size && d.steps == old.steps);
    free(l);
}

/* ---- what is asked ---- */

static struct asked asked_of(const struct look *l, const char *const *sets, int count)
{
    struct asked asked;
    ask_file_asked(l, sets, count, &asked);
    return asked;
}

static bool same_trials(const struct asked *a, const struct asked *b)
{
    return strcmp(a->trained, b->trained) == 0;
}

static bool all_the_same(const struct asked *a, const struct asked *b)
{
    return same_trials(a, b) && strcmp(a->all, b->all) == 0;
}

static void how_it_is_asked_makes_no_other_sweep(void **state)
{
    static const char *const sets[] = {"model.layers=1", "train.clip=2", "seeds=9"};
    static const char *const turned[] = {"seeds=9", "train.clip=3", "train.clip=2",
                                         "model.layers=1"};
    static const char *const keys[] = {"model.layers=1", "train.clip=2", "seeds=12", "confirm=32",
                                       "equivalence=.02"};
    static const char *const trains[] = {"model.layers=1", "train.clip=3", "seeds=9"};
    static const char *const metric[] = {"model.layers=1", "train.clip=2", "seeds=9",
                                         "metric={name: val_acc}"};
    const struct design d = {.kind = LOOK_TEXT, .size = 1, .steps = 400};
    struct look *l = text_of(300000), *renamed = text_of(300000), *other = text_of(300000);
    struct asked a = asked_of(l, sets, 3), b = asked_of(l, turned, 4);
    char name[2][DESIGN_NAME_SIZE];
    (void)state;
    assert_true(all_the_same(&a, &b));
    b = asked_of(l, keys, 5);
    assert_true(same_trials(&a, &b) && !all_the_same(&a, &b));
    b = asked_of(l, trains, 3);
    assert_false(same_trials(&a, &b));
    b = asked_of(l, metric, 4); /* which chooses the best step of a trial */
    assert_false(same_trials(&a, &b));
    set_text(renamed, "file", "c/tom.txt");
    b = asked_of(renamed, sets, 3);
    assert_true(all_the_same(&a, &b));
    design_name(&d, l, a.trained, name[0]);
    design_name(&d, renamed, b.trained, name[1]);
    assert_string_equal(strrchr(name[0], '-'), strrchr(name[1], '-'));
    assert_true(strncmp(name[0], "b-", 2) == 0 && strncmp(name[1], "tom-", 4) == 0);
    set_text(other, "sha256", "0123");
    b = asked_of(other, sets, 3);
    assert_false(same_trials(&a, &b));
    free(l);
    free(renamed);
    free(other);
}

static void defaults_and_guesses_may_be_named(void **state)
{
    static const char *const sets[] = {"task.slots=3", "task.vocab=8"};
    static const char *const turned[] = {"task.vocab=8", "task.slots=4", "task.slots=3"};
    static const char *const named[] = {"task.slots=4"}; /* as by default */
    static const char *const guessed[] = {"task.mode=classify", "task.label_column=label"};
    struct look *l = toy_of("gather", sets, 2), *again = toy_of("gather", turned, 3);
    struct look *plain = toy_of("gather", NULL, 0), *with = toy_of("gather", named, 1);
    struct look *rows = rows_of(600, 60, 30);
    struct asked a = asked_of(l, sets, 2), b = asked_of(again, turned, 3);
    (void)state;
    assert_true(all_the_same(&a, &b));
    a = asked_of(plain, NULL, 0);
    assert_false(same_trials(&a, &b));
    b = asked_of(with, named, 1);
    assert_true(all_the_same(&a, &b));
    a = asked_of(rows, NULL, 0);
    b = asked_of(rows, guessed, 2);
    assert_true(all_the_same(&a, &b));
    free(l);
    free(again);
    free(plain);
    free(with);
    free(rows);
}

/* ---- the file ---- */

static char path[240];

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

static enum ask_file_state state_of(const struct look *l, const struct asked *asked,
                                    struct design *d)
{
    enum ask_file_state state;
    struct message m = {{0}};
    assert_int_equal(ask_file_read(path, l, asked, &state, d, &m), STATUS_OK);
    return state;
}

static bool same_design(const struct design *a, const struct design *b)
{
    return a->kind == b->kind && a->size == b->size && a->level == b->level &&
           a->steps == b->steps && a->seeds == b->seeds && a->confirm == b->confirm &&
           a->minutes == b->minutes;
}

static void a_file_knows_whether_it_was_changed(void **state)
{
    static const char *const sets[] = {"model.layers=1", "train.clip=2", "seeds=9", "confirm=null"};
    char folder[200];
    const char *base = getenv("TMPDIR");
    struct look *l = text_of(300000);
    const struct asked asked = asked_of(l, sets, 4), keys = asked_of(l, sets, 3),
                       other = asked_of(l, sets, 1);
    struct design d = {.kind = LOOK_TEXT,
                       .size = 1,
                       .level = 2,
                       .steps = 400,
                       .seeds = 7,
                       .confirm = 8,
                       .minutes = 10},
                  read;
    struct message m = {{0}};
    (void)state;
    snprintf(folder, sizeof folder, "%s/headcount-ask-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/b.txt.headcount.yaml", folder);
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_NONE);
    assert_int_equal(ask_file_write(path, &d, l, "b-123456", &asked, sets, 4, &m), STATUS_OK);
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_SAME);
    assert_true(same_design(&read, &d));
    assert_int_equal(state_of(l, &keys, &read), ASK_FILE_KEYS);
    assert_true(same_design(&read, &d));
    assert_int_equal(state_of(l, &other, &read), ASK_FILE_OTHER);
    replace("ask 2:", 'A'); /* no line of ask's */
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_CHANGED);
    replace("Ask 2:", 'a');
    replace("2: 10 minutes", '1'); /* of another version, which may mean otherwise what it says */
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_OTHER);
    replace("1: 10 minutes", '2');
    replace("level 2", 'L');
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_CHANGED);
    assert_int_equal(ask_file_write(path, &d, l, "b-123456", &asked, sets, 4, &m), STATUS_OK);
    change("a", " ");
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_CHANGED);
    assert_int_equal(ask_file_write(path, &d, l, "b-123456", &asked, sets, 4, &m), STATUS_OK);
    change("r+", "% ");
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_CHANGED);
    change("w", "");
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_CHANGED);
    change("w", "# headcount ask 1: ten minutes\n");
    assert_int_equal(state_of(l, &asked, &read), ASK_FILE_CHANGED);
    unlink(path);
    mkdir(path, 0700);
    enum ask_file_state unused;
    assert_int_not_equal(ask_file_read(path, l, &asked, &unused, &read, &m), STATUS_OK);
    rmdir(path);
    rmdir(folder);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_time_is_never_for_less),
        cmocka_unit_test(the_time_is_used),
        cmocka_unit_test(little_data_makes_small_nets),
        cmocka_unit_test(few_rows_get_seeds),
        cmocka_unit_test(what_cannot_be_is_the_cheapest),
        cmocka_unit_test(more_minutes_keep_or_begin_anew),
        cmocka_unit_test(nothing_begins_anew_with_a_smaller_net),
        cmocka_unit_test(how_it_is_asked_makes_no_other_sweep),
        cmocka_unit_test(defaults_and_guesses_may_be_named),
        cmocka_unit_test(a_file_knows_whether_it_was_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
