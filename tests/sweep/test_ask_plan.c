/* Whatever `ask` may write can be planned: every toy, every size of net for a text and for rows.
 * And what it fits into a time takes about that long by the forecast. */
#include "sweep/ask/fit.h"
#include "sweep/ask/sheet.h"
#include "sweep/plan/plan.h"
#include "tests/own_folder.h"

enum { ROWS = 20000 };

static int make_files(void **state)
{
    if (make_folder(state))
        return -1;
    name_file("a.csv");
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fprintf(f, "id,body,stars\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "%d,\"row, as \"\"it\"\" is: %d\",%d\n", i, i * 7919 % ROWS, i % 5);
    return fclose(f);
}

static int remove_files(void **state)
{
    unlink(path);
    return remove_folder(state);
}

static void assert_plannable(const struct design *d, const struct look *l, const char *const *sets,
                             int count, const char *name)
{
    char sweep_file[sizeof path + 20];
    struct text_buffer text = {0};
    struct config *c = NULL;
    struct plan *p = NULL;
    struct message m = {{0}};
    snprintf(sweep_file, sizeof sweep_file, "%s.headcount.yaml", path);
    sheet_write(d, l, "ask", sets, count, &text);
    enum status s = config_parse(sweep_file, text.text, text.used, NULL, 0, &c, &m);
    if (s == STATUS_OK)
        s = plan_new(c, NULL, 0, &p, &m);
    if (s != STATUS_OK)
        fail_msg("%s, size %s: %s\n%s", name, design_size(d)->name, m.text, text.text);
    assert_string_equal(c->name, "ask");
    assert_int_equal(c->confirm, d->confirm);
    assert_true(strstr(c->question, "How many heads does it take") == c->question);
    plan_free(p);
    config_free(c);
    free(text.text);
}

static void assert_sizes_plannable(const struct look *l, const char *name)
{
    for (int size = 0; size < design_kind(l->kind)->sizes; size++)
        for (int level = 0; level < design_levels(); level += design_levels() - 1) {
            struct design d = {.kind = l->kind, .size = size, .minutes = 10};
            design_set_level(&d, level);
            d.steps = design_size(&d)->steps_min;
            assert_plannable(&d, l, NULL, 0, name);
        }
}

GROUP(make_files, remove_files)

TEST(every_toy_can_be_planned)
{
    struct look *l = malloc(sizeof *l);
    struct message m;
    assert_non_null(l);
    for (const struct task *const *t = task_table; *t; t++) {
        if ((*t)->file)
            continue;
        assert_int_equal(look_toy((*t)->name, NULL, 0, l, &m), STATUS_OK);
        assert_sizes_plannable(l, (*t)->name);
    }
    free(l);
}

/* Rungs need an evaluation before the last step: there is none of them where there is none. */
TEST(any_steps_can_be_planned)
{
    static const char *const every[] = {"1", "2", "3", "7", "16", "30", "1000", "null"};
    struct look *l = malloc(sizeof *l);
    struct message m;
    char steps[40], evaluated[40];
    const char *const sets[] = {steps, evaluated};
    assert_non_null(l);
    assert_int_equal(look_toy("copy", NULL, 0, l, &m), STATUS_OK);
    for (long n = 1; n < 1100; n = n < 45 ? n + 1 : n + 97) {
        struct design d = {.kind = LOOK_TOY, .steps = n};
        design_set_level(&d, 1);
        snprintf(steps, sizeof steps, "train.steps=%ld", n);
        assert_plannable(&d, l, sets, 1, steps);
        for (size_t k = 0; k < sizeof every / sizeof *every; k++) {
            snprintf(evaluated, sizeof evaluated, "train.eval_every=%s", every[k]);
            assert_plannable(&d, l, sets, 2, evaluated);
        }
    }
    free(l);
}

/* What the model refuses is left out of the head counts, unless nothing would be left. */
TEST(head_counts_are_those_of_the_model)
{
    static const struct {
        const char *sets[2], *heads;
    } models[] = {
        {{"model.layers=1"}, "  heads: [1, 2, 4, 8, 16, 32] "},
        {{"model.positions=rotary"}, "  heads: [1, 2, 4, 8, 16] "},
        {{"model.positions='rotary'", "model.d_k=4"}, "  heads: [1, 2, 4, 8, 16, 32] "},
        {{"model.kv_heads=2"}, "  heads: [2, 4, 8, 16, 32] "},
        {{"model.kv_heads=2", "model.d_model=12"}, "  heads: [2, 4, 12] "},
        {{"model.kv_heads=2", "model.heads=[4, 8]"}, "  heads: [4, 8] "},
    };
    static const char *const never[] = {"model.kv_heads=3"};
    struct look *l = malloc(sizeof *l);
    struct message m;
    assert_non_null(l);
    assert_int_equal(look_toy("copy", NULL, 0, l, &m), STATUS_OK);
    struct design d = {.kind = LOOK_TOY, .steps = 200};
    design_set_level(&d, 1);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct text_buffer text = {0};
        int count = models[i].sets[1] ? 2 : 1;
        assert_plannable(&d, l, models[i].sets, count, models[i].sets[0]);
        sheet_write(&d, l, "ask", models[i].sets, count, &text);
        if (!strstr(text.text, models[i].heads))
            fail_msg("%zu: no '%s' in %s", i, models[i].heads, text.text);
        free(text.text);
    }
    struct text_buffer text = {0};
    sheet_write(&d, l, "ask", never, 1, &text);
    assert_non_null(strstr(text.text, "  heads: [1, 2, 4, 8, 16, 32] ")); /* and is then refused */
    free(text.text);
    free(l);
}

TEST(files_can_be_planned)
{
    static const char *const as_text[] = {"task.mode=lm"};
    struct look *l = malloc(sizeof *l);
    struct message m;
    assert_non_null(l);
    assert_int_equal(look_file(path, NULL, 0, l, &m), STATUS_OK);
    assert_int_equal(l->kind, LOOK_ROWS);
    assert_sizes_plannable(l, "rows");
    assert_int_equal(look_file(path, as_text, 1, l, &m), STATUS_OK);
    assert_int_equal(l->kind, LOOK_TEXT);
    assert_sizes_plannable(l, "a text");
    free(l);
}

TEST(what_is_fitted_takes_its_time)
{
    struct look *l = malloc(sizeof *l);
    struct message m;
    int compared = 0;
    assert_non_null(l);
    assert_int_equal(look_file(path, NULL, 0, l, &m), STATUS_OK);
    for (double minutes = 10; minutes < 200 || (compared == 0 && minutes < 1e5); minutes *= 6) {
        struct estimate e = {.look = l, .path = path};
        const struct fit f = {.look = l, .seconds = estimate_seconds, .context = &e};
        struct design d = fit_design(&f, minutes);
        double seconds = estimate_seconds(&e, &d);
        bool cheapest = d.size == 0 && d.level == 0, dearest = d.level == design_levels() - 1;
        assert_int_equal(e.status, STATUS_OK);
        assert_true(cheapest || seconds <= 62 * minutes);
        assert_true(cheapest || dearest || seconds >= 48 * minutes);
        compared += !cheapest && !dearest;
        estimate_free(&e);
    }
    assert_true(compared > 0); /* however fast the machine is */
    free(l);
}

/* Nets of another shape than was asked for would not be planned: the reason is kept. */
TEST(what_cannot_be_planned_says_why)
{
    static const char *const sets[] = {"model.heads=[1, 3]"};
    struct look *l = malloc(sizeof *l);
    struct message m;
    assert_non_null(l);
    assert_int_equal(look_toy("copy", sets, 1, l, &m), STATUS_OK);
    struct estimate e = {.look = l, .path = path, .sets = sets, .count = 1};
    const struct fit f = {.look = l, .seconds = estimate_seconds, .context = &e};
    fit_design(&f, 10);
    assert_int_equal(e.status, STATUS_BAD_INPUT);
    assert_non_null(strstr(e.message.text, "heads"));
    estimate_free(&e);
    free(l);
}

/* ... also of larger nets only, where a smaller one is taken. */
TEST(larger_nets_that_cannot_be_are_known)
{
    static const char *const sets[] = {"constraints=['model.d_model <= 64']"};
    struct look *l = malloc(sizeof *l);
    struct message m;
    assert_non_null(l);
    assert_int_equal(look_file(path, NULL, 0, l, &m), STATUS_OK);
    struct estimate e = {.look = l, .path = path, .sets = sets, .count = 1};
    const struct fit f = {.look = l, .seconds = estimate_seconds, .context = &e};
    struct design d = fit_design(&f, 1e6);
    assert_int_equal(e.status, STATUS_OK);
    assert_int_equal(design_size(&d)->d_model, 64);
    assert_int_equal(e.refused_size, d.size + 1);
    assert_non_null(strstr(e.refused.text, "--set constraints: nothing is left to run"));
    estimate_free(&e);
    free(l);
}
