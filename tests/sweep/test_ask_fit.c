/* What a time allows: the largest net that gets enough steps, then more steps, then more seeds; and
 * what more time does for a design that was begun. Times are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include "sweep/ask/ask_file.h"
#include "sweep/ask/fit.h"

#include <cmocka.h>

/* Each step of each seed takes as long as the net is large. */
static double seconds(void *context, const struct design *d)
{
    const struct design_size *s = design_size(d);
    const struct design_level *level = design_level(d);
    double step_s = *(double *)context * (double)(s->d_model * s->d_model * s->layers * s->batch);
    return 6 * (.1 + (double)d->steps * step_s) *
           (level->tune_seeds * 1.5 + level->seeds + .4 * (double)d->confirm);
}

static double unknown(void *context, const struct design *d)
{
    (void)context;
    (void)d;
    return NAN;
}

static struct look *text_of(int64_t size)
{
    struct look *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->kind = LOOK_TEXT;
    l->point.task = task_find("text");
    option_defaults(l->point.task->options, l->point.task_options);
    memcpy(l->point.task_options + option_find(l->point.task->options, "size")->offset, &size,
           sizeof size);
    memcpy(l->point.task_options + option_find(l->point.task->options, "file")->offset, "a/b.txt",
           8);
    l->shape.causal = true;
    return l;
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
    assert_int_equal(size, design_sizes(LOOK_TEXT) - 1);
    assert_true(filled > n * 7 / 10); /* most of the time is used */
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
    assert_int_equal(d.confirm, design_level(&d)->confirm);
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
    assert_int_equal(fit_more(&f, &old, false, 10, &d), FIT_AS_IT_IS);
    assert_true(d.level == old.level && d.steps == old.steps && d.minutes == old.minutes);
    assert_int_equal(fit_more(&f, &old, false, 20, &d), FIT_SEEDS);
    assert_true(d.size == old.size && d.steps == old.steps && d.level > old.level);
    assert_int_equal(d.confirm, design_level(&d)->confirm);
    assert_true(seconds(&flop_s, &d) <= 20 * 60 && d.minutes == 20);
    assert_int_equal(fit_more(&f, &old, true, 20, &d), FIT_SEEDS);
    assert_int_equal(d.confirm, old.confirm); /* on as many as it was */
    assert_int_equal(fit_more(&f, &old, false, 600, &d), FIT_ANEW);
    assert_true(d.size > old.size || d.steps >= FIT_WORTH * old.steps);
    free(l);
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

static enum ask_file_state state_of(const struct look *l, const char *asked, struct design *d)
{
    enum ask_file_state state;
    struct message m = {{0}};
    assert_int_equal(ask_file_read(path, l, asked, &state, d, &m), STATUS_OK);
    return state;
}

static bool same_design(const struct design *a, const struct design *b)
{
    return a->kind == b->kind && a->size == b->size && a->level == b->level &&
           a->steps == b->steps && a->confirm == b->confirm && a->minutes == b->minutes;
}

static void what_more_seeds_would_take_is_told(void **state)
{
    double flop_s = 1e-8;
    struct look *l = text_of(100000000);
    const struct fit f = {.look = l, .seconds = seconds, .context = &flop_s};
    struct design d = fit_design(&f, 10), more = d;
    int fresh = 0;
    (void)state;
    double minutes = fit_minutes(&f, &d, d.confirm + 1, &fresh);
    while (design_level(&more)->confirm <= d.confirm)
        more.level++;
    more.confirm = design_level(&more)->confirm;
    assert_int_equal(fresh, more.confirm);
    assert_true(60 * minutes >= seconds(&flop_s, &more));
    assert_true(60 * (minutes - 5) < seconds(&flop_s, &more));
    assert_true(isnan(fit_minutes(&f, &d, 1000, &fresh))); /* more than any level has */
    free(l);
}

static void a_file_knows_whether_it_was_changed(void **state)
{
    static const char *const sets[] = {"model.layers=1", "train.clip=2", "seeds=9", "confirm=null"};
    char folder[200], asked[ASKED_SIZE], other[ASKED_SIZE];
    const char *base = getenv("TMPDIR");
    struct look *l = text_of(300000);
    struct design d = {.kind = LOOK_TEXT,
                       .size = 1,
                       .level = 2,
                       .steps = 400,
                       .confirm = 8,
                       .minutes = 10},
                  read;
    struct message m = {{0}};
    (void)state;
    snprintf(folder, sizeof folder, "%s/headcount-ask-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/b.txt.headcount.yaml", folder);
    ask_file_asked(l, sets, 4, asked);
    ask_file_asked(l, sets, 3, other);
    assert_string_not_equal(asked, other);
    assert_int_equal(state_of(l, asked, &read), ASK_FILE_NONE);
    assert_int_equal(ask_file_write(path, &d, l, asked, sets, 4, &m), STATUS_OK);
    assert_int_equal(state_of(l, asked, &read), ASK_FILE_SAME);
    assert_true(same_design(&read, &d));
    assert_int_equal(state_of(l, other, &read), ASK_FILE_OTHER);
    change("a", " ");
    assert_int_equal(state_of(l, asked, &read), ASK_FILE_CHANGED);
    assert_int_equal(ask_file_write(path, &d, l, asked, sets, 4, &m), STATUS_OK);
    change("r+", "% ");
    assert_int_equal(state_of(l, asked, &read), ASK_FILE_CHANGED);
    change("w", "");
    assert_int_equal(state_of(l, asked, &read), ASK_FILE_CHANGED);
    change("w", "# headcount ask 1: ten minutes\n");
    assert_int_equal(state_of(l, asked, &read), ASK_FILE_CHANGED);
    unlink(path);
    mkdir(path, 0700);
    enum ask_file_state unused;
    assert_int_not_equal(ask_file_read(path, l, asked, &unused, &read, &m), STATUS_OK);
    rmdir(path);
    rmdir(folder);
    free(l);
}

static void what_is_set_stands_in_the_file(void **state)
{
    static const char *const sets[] = {"model.layers=1", "train.clip=2",           "seeds=9",
                                       "confirm=null",   "task.split=interleaved", "retries=1"};
    struct text_buffer text = {0};
    struct look *l = text_of(300000);
    const struct design d = {.kind = LOOK_TEXT, .size = 1, .steps = 400, .confirm = 6};
    (void)state;
    design_write(&d, l, "b-123456", sets, 6, &text);
    assert_non_null(strstr(text.text, "\nname: b-123456 "));
    assert_non_null(strstr(text.text, "\n  file: 'b.txt' "));
    assert_non_null(strstr(text.text, "\n  split: interleaved "));
    assert_non_null(strstr(text.text, "\n  layers: 1 "));
    assert_non_null(strstr(text.text, "\n  clip: 2 "));
    assert_non_null(strstr(text.text, "\nseeds: 9 "));
    assert_non_null(strstr(text.text, "\nretries: 1 "));
    assert_null(strstr(text.text, "\nconfirm"));
    assert_null(strstr(text.text, "layers: 2"));
    free(text.text);
    free(l);
}

static void sets_that_ask_cannot_take_are_refused(void **state)
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
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(design_check_sets(&bad[i], 1, &m), STATUS_BAD_INPUT);
    assert_int_equal(design_check_sets(good, sizeof good / sizeof *good, &m), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_time_is_never_for_less),
        cmocka_unit_test(little_data_makes_small_nets),
        cmocka_unit_test(what_cannot_be_is_the_cheapest),
        cmocka_unit_test(more_minutes_keep_or_begin_anew),
        cmocka_unit_test(what_more_seeds_would_take_is_told),
        cmocka_unit_test(a_file_knows_whether_it_was_changed),
        cmocka_unit_test(what_is_set_stands_in_the_file),
        cmocka_unit_test(sets_that_ask_cannot_take_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
