/* What tests of trials that learn from a file share. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/task_text.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/worker/trial.h"

#include "tests/folder.h"
#include "tests/test.h"

enum { T = 8, SET = 40 };

struct fixture {
    char folder[64];
    struct data_place place;
    struct point point;
    struct arena arena;
    struct message m;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *x

static struct text_options *options(struct fixture *x)
{
    return (struct text_options *)(void *)x->point.task_options;
}

/* ---- files ---- */

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* The file becomes the point's. */
static void survey(struct fixture *x)
{
    struct text_buffer facts = {0};
    memcpy(options(x)->file, x->place.path, strlen(x->place.path) + 1);
    if (task_text.file->survey(x->point.task_options, &facts, &x->m) != STATUS_OK)
        fail_msg("%s", x->m.text);
    free(facts.text);
    options(x)->file[0] = '\0'; /* as point_parse leaves it */
}

/* 800 letters a to p, then 100 of q to t, then 100 of u to x: each tells its part. */
static void use_text(struct fixture *x)
{
    char text[1000];
    struct rng r = rng_at(1, RNG_DATA, 0, 0);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i < 800   ? 'a' + (int)rng_below(&r, 16)
                         : i < 900 ? 'q' + (int)rng_below(&r, 4)
                                   : 'u' + (int)rng_below(&r, 4));
    write_file(x->place.path, text, sizeof text);
    options(x)->mode = TEXT_LM;
    x->point.model.mask = MASK_CAUSAL;
    survey(x);
}

static int setup(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    assert_int_equal(folder_make(x->folder, sizeof x->folder, "headcount-text"), 0);
    snprintf(x->place.path, sizeof x->place.path, "%s/text.txt", x->folder);
    point_init(&x->point, &task_text);
    options(x)->length = T;
    x->point.model.d_model = 16;
    x->point.model.heads = 2;
    x->point.model.d_ff = 24;
    x->point.model.dropout = 0.1;
    x->point.train.steps = 20;
    x->point.train.batch = 12;
    x->point.train.eval_every = 10;
    x->point.train.lr = 1e-2;
    x->point.train.val_examples = x->point.train.test_examples = SET;
    arena_init(&x->arena, NULL);
    *state = x;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *x = *state;
    int left = folder_remove(x->folder);
    arena_free(&x->arena);
    free(x);
    return left;
}

static struct data *open_data(struct fixture *x, uint32_t seed)
{
    struct data *d;
    if (data_new(&x->arena, &x->point, seed, &x->place, &d, &x->m) != STATUS_OK ||
        data_draw(d, &x->m) != STATUS_OK)
        fail_msg("%s", x->m.text);
    return d;
}

static struct trial *open_trial(struct fixture *x)
{
    struct trial *t;
    if (trial_new(&x->arena, &x->point, 3, METRIC_VAL_LOSS, &x->place, &t, &x->m) != STATUS_OK)
        fail_msg("%s", x->m.text);
    return t;
}

static void advance(struct trial *t, int64_t step)
{
    struct message m;
    bool evaluated;
    while (t->trainer->step < step)
        if (trial_step(t, &evaluated, &m) != STATUS_OK)
            fail_msg("%s", m.text);
}

static struct examples new_batch(struct fixture *x)
{
    struct examples e = {.n = x->point.train.batch};
    e.tokens = arena_alloc(&x->arena, (size_t)e.n * T, sizeof *e.tokens);
    e.targets = arena_alloc(&x->arena, (size_t)e.n * T, sizeof *e.targets);
    return e;
}

static void fill(struct data *d, int64_t step, struct examples *e)
{
    struct message m;
    e->padding = NULL;
    if (data_fill(d, step, e, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

static void assert_from(const struct examples *e, int first, int last)
{
    for (long i = 0; i < e->n * T; i++) {
        assert_in_range(e->tokens[i], first, last);
        assert_in_range(e->targets[i], first, last);
        if (i % T)
            assert_int_equal(e->tokens[i], e->targets[i - 1]);
    }
}
