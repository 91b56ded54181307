/* What options mean (point_resolve), held against what they do: of every option of every task, of
 * the model and of training, points that mean the same train the same, byte for byte, and those
 * that train the same mean the same. And their identity is the one in which they are left out. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/sha256.h"
#include "engine/base/text.h"
#include "sweep/worker/trial.h"

#include "tests/test.h"

static char folder[64], text_file[128], rows_file[128];

static void write_files(void)
{
    FILE *text = fopen(text_file, "w"), *rows = fopen(rows_file, "w");
    struct rng r = rng_at(1, RNG_DATA, 0, 0);
    assert_true(text && rows);
    for (int i = 0; i < 600; i++)
        fputc('a' + (int)rng_below(&r, 16), text);
    fputs("text,label\n", rows);
    for (int i = 0; i < 60; i++)
        fprintf(rows, "row %d %u,%s\n", i, rng_below(&r, 1000), i % 3 ? "yes" : "no");
    assert_int_equal(fclose(text) | fclose(rows), 0);
}

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/headcount-meaning-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(text_file, sizeof text_file, "%s/text.txt", folder);
    snprintf(rows_file, sizeof rows_file, "%s/rows.csv", folder);
    write_files();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(text_file);
    unlink(rows_file);
    return rmdir(folder);
}

/* ---- points ---- */

/* "task.offsets", and how a sweep file would write its value: "[1, -1]". */
static bool set_option(struct point *p, const char *path, const char *value)
{
    struct point_section s;
    const struct option_entry *o = point_option(p, path, &s);
    struct option_entry alone[] = {o ? *o : (struct option_entry){0}, {0}};
    if (!o)
        return false;
    if (o->type == OPTION_INT_LIST) {
        alone[0].default_value = value;
        option_defaults(alone, s.values);
        return true;
    }
    return option_parse(o, s.name, value, false, s.values, NULL) == STATUS_OK;
}

/* With a survey of its file, where it has one. */
static bool is_possible(struct point *p)
{
    struct encoder_io io;
    struct task_shape shape;
    struct text_buffer facts = {0};
    bool read = !p->task->file || p->task->file->survey(p->task_options, &facts, NULL) == STATUS_OK;
    free(facts.text);
    return read && point_check(p, &io, &shape, NULL, NULL) == STATUS_OK;
}

/* A small point; where it says so of rows, at other options than their defaults. */
static struct point small_point(const struct task *task, bool rows)
{
    static const char *const options[][2] = {
        {"task.length", "8"},         {"task.vocab", "4"},
        {"task.examples", "8"},       {"task.dims", "6"},
        {"task.pairs", "2"},          {"task.classes", "4"},
        {"model.d_model", "8"},       {"model.heads", "2"},
        {"model.d_ff", "8"},          {"model.mask", "causal"},
        {"train.steps", "4"},         {"train.eval_every", "2"},
        {"train.batch", "3"},         {"train.clip", "0.01"},
        {"train.val_examples", "20"}, {"train.test_examples", "20"},
        {"train.lr", "0.01"}};
    struct point p;
    struct encoder_io io;
    struct task_shape shape;
    point_init(&p, task);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        set_option(&p, options[i][0], options[i][1]);
    if (task->file)
        set_option(&p, "task.file", rows ? rows_file : text_file);
    if (rows)
        set_option(&p, "task.mode", "classify");
    if (!is_possible(&p))
        set_option(&p, "model.pool", "mean");
    if (!is_possible(&p)) {
        struct message m = {{0}};
        point_check(&p, &io, &shape, NULL, &m);
        fail_msg("%s: %s", task->name, m.text);
    }
    return p;
}

/* A digest of all that a trial comes to; false where it diverges. */
static bool train(const struct point *p, char sha256[65])
{
    struct arena a;
    struct message m;
    struct trial *t;
    bool evaluated;
    struct sha256 digest;
    arena_init(&a, NULL);
    if (trial_new(&a, p, 5, METRIC_VAL_LOSS, NULL, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    while (!trial_done(t) && trial_step(t, &evaluated, &m) == STATUS_OK)
        continue;
    bool done = trial_done(t) && t->has_best;
    if (done)
        trial_test(t);
    sha256_init(&digest);
    for (int i = 0; i < t->result.rows; i++) {
        struct curve_row row = t->curve[i];
        row.elapsed_s = row.cpu_s = 0;
        sha256_update(&digest, &row, sizeof row);
    }
    sha256_update(&digest, &t->result.test_acc, sizeof t->result.test_acc);
    sha256_update(&digest, &t->result.test_loss, sizeof t->result.test_loss);
    const struct nn *nn = &t->trainer->encoder->nn;
    sha256_update(&digest, nn->data, (size_t)nn->size * sizeof(real));
    sha256_final(&digest, sha256);
    trial_close(t);
    arena_free(&a);
    return done;
}

/* ---- every option ---- */

/* What an option is tried at, beside its words; what it does not allow is passed over. */
static const char *const values[] = {"0",   "1",   "2",  "4",      "5",           "8",     "20",
                                     "600", "0.5", "[]", "[1,-1]", "[1,-1,3,-3]", "[3,1]", "true"};

static void compare(const struct point *base, const char *base_sha256, const char *base_meaning,
                    const struct point *p, const char *path, const char *value)
{
    char sha256[65], meaning[POINT_JSON_MAX];
    if (!train(p, sha256))
        return;
    point_meaning(p, NULL, meaning);
    bool same = strcmp(sha256, base_sha256) == 0, means = strcmp(meaning, base_meaning) == 0;
    if (same != means)
        fail_msg("%s: %s at %s trains %s, but means %s\n%s\n%s", base->task->name, path, value,
                 same ? "the same" : "otherwise", means ? "the same" : "something else", meaning,
                 base_meaning);
}

/* An option that is left out, and each way to spell out what that means, have one identity, except
 * for options in which a setting may differ from another. */
static void check_identity(const struct point *p, const struct point *other, const char *path)
{
    static const char *const kept[] = {"model.d_head",
                                       "model.d_k",
                                       "model.d_v",
                                       "model.form",
                                       "model.init",
                                       "model.segment_overlap",
                                       "train.disagreement.kind",
                                       "train.disagreement.weight",
                                       "train.eval_sets",
                                       "task.instance"};
    char json[POINT_JSON_MAX], other_json[POINT_JSON_MAX];
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strcmp(path, kept[i]) == 0)
            return;
    point_json(p, json);
    point_json(other, other_json);
    if (strcmp(json, other_json) != 0)
        fail_msg("%s\n%s\nis another identity than\n%s", path, json, other_json);
}

/* Whether the option says in p what it means to leave it out; in a list, other numbers may. */
static bool is_spelled_out(struct point *p, struct point *left_out, const char *path,
                           const struct option_entry *o)
{
    char meaning[2][POINT_JSON_MAX], value[2][OPTION_TEXT_MAX];
    struct point resolved = *left_out;
    struct point_section s, r;
    point_meaning(p, NULL, meaning[0]);
    point_meaning(left_out, NULL, meaning[1]);
    point_resolve(&resolved, NULL);
    point_option(p, path, &s);
    point_option(&resolved, path, &r);
    option_format(o, s.values, value[0], sizeof value[0]);
    option_format(o, r.values, value[1], sizeof value[1]);
    return strcmp(meaning[0], meaning[1]) == 0 &&
           (o->type == OPTION_INT_LIST || strcmp(value[0], value[1]) == 0);
}

static void try_value(const struct point *base, const char *base_sha256, const char *base_meaning,
                      const char *path, const struct option_entry *o, const char *value)
{
    struct point p = *base, left_out = *base;
    if (!set_option(&p, path, value) || !is_possible(&p))
        return;
    compare(base, base_sha256, base_meaning, &p, path, value);
    set_option(&left_out, path, o->default_value);
    if (is_possible(&left_out) && is_spelled_out(&p, &left_out, path, o))
        check_identity(&p, &left_out, path);
}

static void try_section(const struct point *base, const char *name,
                        const struct option_entry *options)
{
    char sha256[65], meaning[POINT_JSON_MAX], path[128];
    assert_true(train(base, sha256));
    point_meaning(base, NULL, meaning);
    for (const struct option_entry *o = options; o->name; o++) {
        if (o->local || o->derived)
            continue;
        snprintf(path, sizeof path, "%s.%s", name, o->name);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            try_value(base, sha256, meaning, path, o, values[i]);
        for (int i = 0; o->words && o->words[i]; i++)
            try_value(base, sha256, meaning, path, o, o->words[i]);
        try_value(base, sha256, meaning, path, o, o->default_value);
    }
}

GROUP(setup, teardown)

TEST(options_of_all_tasks)
{
    for (const struct task *const *t = task_table; *t; t++) {
        struct point p = small_point(*t, false);
        try_section(&p, "task", (*t)->options);
        if (!(*t)->file)
            continue;
        p = small_point(*t, true);
        try_section(&p, "task", (*t)->options);
        try_section(&p, "train", train_options);
    }
}

TEST(options_of_model_and_training)
{
    static const char *const bases[][3][2] = {
        {{"model.heads", "2"}},
        {{"model.heads", "1"}, {"train.disagreement.weight", "0.5"}, {"train.eval_every", "4"}},
        {{"model.form", "segments"}, {"model.heads", "1"}, {"train.weight_decay", "0"}},
        {{"task.instance", "3"}, {"train.schedule.warmup", "1"}, {"model.form", "segments"}},
    };
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        struct point p = small_point(task_find("gather"), false);
        for (int k = 0; k < 3 && bases[i][k][0]; k++)
            assert_true(set_option(&p, bases[i][k][0], bases[i][k][1]));
        assert_true(is_possible(&p));
        try_section(&p, "model", encoder_options);
        try_section(&p, "train", train_options);
    }
}

/* ---- instances ---- */

/* Instances from 1 on that train otherwise than all before; they are those whose tasks mean
 * something else. facts: NULL of a toy. */
static int count_instances(struct point *p, const char *facts)
{
    enum { TRIED = 16 };
    static char sha256[TRIED][65], task[TRIED][POINT_JSON_MAX];
    int different = 0;
    for (int i = 0; i < TRIED; i++) {
        bool is_new = true;
        *point_instance(p) = i + 1;
        assert_true(train(p, sha256[i]));
        point_task_meaning(p, facts, task[i]);
        for (int k = 0; k < i; k++) {
            bool same = strcmp(sha256[k], sha256[i]) == 0;
            if (same != (strcmp(task[k], task[i]) == 0))
                fail_msg("instances %d and %d train %s:\n%s\n%s", k + 1, i + 1,
                         same ? "the same" : "otherwise", task[k], task[i]);
            is_new = is_new && !same;
        }
        different += is_new;
    }
    return different;
}

TEST(instances_that_draw_the_same)
{
    struct point p = small_point(task_find("gather"), false);
    set_option(&p, "task.slots", "1");
    set_option(&p, "task.length", "4");
    assert_int_equal(count_instances(&p, NULL), 3);
    p = small_point(task_find("memorize"), false);
    assert_int_equal(count_instances(&p, NULL), 16);
    /* Of seven rows two have one text. Of each label one is for validation and one for the test. */
    static const char rows[] = "text,label\naa,no\nxx,no\nab,yes\nba,no\nbb,yes\nyy,yes\nxx,no\n";
    struct text_buffer facts = {0};
    FILE *f = fopen(rows_file, "w");
    assert_true(f && fputs(rows, f) >= 0 && fclose(f) == 0);
    p = small_point(task_find("text"), true);
    set_option(&p, "task.file", rows_file);
    assert_int_equal(p.task->file->survey(p.task_options, &facts, NULL), STATUS_OK);
    assert_non_null(strstr(facts.text, "\"split_rows\":[0,1,0,1,1]"));
    assert_in_range(count_instances(&p, facts.text), 2, 12);
    free(facts.text);
    write_files();
}
