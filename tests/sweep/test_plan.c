/* Plans: which points a sweep file comes to, in which order, under which identity. */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/sha256.h"
#include "sweep/plan/plan_parts.h"
#include "tests/sweep/config_help.h"
#include "tests/unit/faults.h"

/* In the place of the library's, so that each piece of memory is an allocation that can fail. */
#define POOL_BLOCK ((size_t)1)
#include "sweep/plan/pool.c"

#define GATHER "task: {name: gather, slots: 2}\n"

static struct plan *plan_of(const char *text)
{
    struct config *c = config_of(text);
    struct plan *p;
    struct message m;
    if (plan_new(c, NULL, 0, &p, &m) != STATUS_OK)
        fail_msg("refused:\n%s\n%s", text, m.text);
    assert_ptr_equal(plan_config(p), c);
    return p;
}

static void free_all(struct plan *p)
{
    struct config *c = (struct config *)plan_config(p);
    plan_free(p);
    config_free(c);
}

/* Identities of the committed example. A difference means that stored results would not be found
 * again: raise a version instead. */
static void test_golden(void **state)
{
    (void)state;
    struct config *c;
    struct plan *p;
    struct message m;
    char json[POINT_JSON_MAX], sha[65], line[POINT_JSON_MAX + 2];
    assert_int_equal(config_read("tests/data/identity/gather.yaml", NULL, 0, &c, &m), STATUS_OK);
    assert_int_equal(plan_new(c, NULL, 0, &p, &m), STATUS_OK);
    assert_int_equal(plan_points(p), 6);
    FILE *f = fopen("tests/data/identity/gather.sha256", "r");
    assert_non_null(f);
    for (long i = 0; i < 6; i++) {
        assert_non_null(fgets(line, sizeof line, f));
        plan_identity(p, i, json, sha);
        line[strcspn(line, "\n")] = '\0';
        assert_string_equal(sha, line);
    }
    fclose(f);
    f = fopen("tests/data/identity/gather.1.json", "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    plan_identity(p, 0, json, sha);
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(json, line);
    free_all(p);
}

/* Every ready sweep asks a question and plans. */
/* Sweeps over a file of the user's own are planned over one of these. */
static const char *file_for(const char *path)
{
    static const char *const given[][2] = {
        {"configs/text.yaml", "task.file=LICENSE"},
        {"configs/classify.yaml", "task.file=tests/data/text/rows.csv"},
        {"configs/places.yaml", "task.file=tests/data/text/rows.csv"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (strcmp(given[i][0], path) == 0)
            return given[i][1];
    return NULL;
}

static void test_ready_sweeps(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob("configs/*.yaml", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct config *c;
        struct plan *p;
        struct message m;
        char path[64];
        const char *file = file_for(found.gl_pathv[i]);
        if (config_read(found.gl_pathv[i], &file, file != NULL, &c, &m) ||
            plan_new(c, NULL, 0, &p, &m))
            fail_msg("%s", m.text);
        snprintf(path, sizeof path, "configs/%s.yaml", c->name);
        assert_string_equal(path, found.gl_pathv[i]);
        assert_true(strchr(c->question, '?') != NULL);
        assert_true(plan_points(p) >= 3);
        assert_true(plan_trials(p) >= 2 * plan_points(p) || plan_replicates(p) >= 2);
        free_all(p);
    }
    globfree(&found);
}

static int64_t heads_of(const struct plan *p, long i)
{
    struct point point;
    plan_point(p, i, &point);
    return point.model.heads;
}

static void test_grid_order(void **state)
{
    (void)state;
    struct plan *p = plan_of("train: {lr: [1e-2, 1e-3]}\n" GATHER
                             "model: {heads: [4, 1, 2], norm: [post, pre]}\n"
                             "seeds: [5, 3]\n");
    struct point point;
    assert_int_equal(plan_points(p), 12);
    for (long i = 0; i < 12; i++) {
        plan_point(p, i, &point);
        assert_true(point.train.lr == (i < 6 ? 1e-2 : 1e-3));
        assert_int_equal(point.model.heads, ((int64_t[]){4, 1, 2})[i / 2 % 3]);
        assert_int_equal(point.model.norm, i % 2 ? NORM_PRE : NORM_POST);
    }
    assert_int_equal(plan_trials(p), 24);
    for (long k = 0; k < 24; k++) {
        struct plan_trial t = plan_trial(p, k);
        assert_int_equal(t.point, k % 12);
        assert_int_equal(t.seed, k < 12 ? 5 : 3);
        assert_false(t.tuning);
    }
    free_all(p);
}

static void test_identity_of_points(void **state)
{
    (void)state;
    /* Axes of several tasks, sections and types. */
    struct plan *p =
        plan_of("task: {name: [gather, recall, pointers], slots: [1, 2], length: [8, 16]}\n"
                "model: {heads: [1, 2], d_head: [split, 8], dropout: [0, 0.25]}\n"
                "train: {schedule: {name: [cosine, linear]}}\n");
    assert_int_equal(plan_points(p), 192);
    for (long i = 0; i < plan_points(p); i++) {
        struct point point, back;
        struct message m;
        char json[POINT_JSON_MAX], direct[POINT_JSON_MAX], sha[65], expected[65];
        plan_identity(p, i, json, sha);
        plan_point(p, i, &point);
        point_json(&point, direct);
        assert_string_equal(json, direct);
        sha256_hex(direct, strlen(direct), expected);
        assert_string_equal(sha, expected);
        assert_int_equal(point_parse(json, &back, &m), STATUS_OK);
    }
    free_all(p);
}

/* What is not part of the identity: names, seeds, order, spelling, machinery. */
static void test_identity_invariance(void **state)
{
    (void)state;
    struct plan *a = plan_of(GATHER "train: {lr: 1e-3}\nmodel: {heads: [1, 2]}\n");
    struct plan *b = plan_of("model: {d_head: split, heads: [2, 1]}\nname: other\nseeds: [9]\n"
                             "train: {lr: 0.001}\nretries: 0\nworkers: 2\nlimits: {time: 1h}\n"
                             "metric: {name: val_loss}\ntask: {slots: 2, name: gather}\n");
    char json[POINT_JSON_MAX], x[65], y[65];
    for (long i = 0; i < 2; i++) {
        plan_identity(a, i, json, x);
        plan_identity(b, 1 - i, json, y);
        assert_string_equal(x, y);
    }
    free_all(a);
    free_all(b);
}

static void test_dropped(void **state)
{
    (void)state;
    long constraint, exclude, duplicate;
    struct plan *p =
        plan_of(GATHER "model: {d_model: 32, heads: [1, 2, 3, 4, 8, 4]}\n"
                       "train: {lr: [1e-3, 0.001, 2e-3]}\n"
                       "constraints: ['model.d_model % model.heads == 0',\n"
                       "              \"model.norm == 'pre' and task.name == 'gather'\"]\n"
                       "exclude:\n"
                       "  - {model.heads: [4, 8], train.lr: 2e-3}\n"
                       "  - {model.heads: 2, task.name: sort}\n"
                       "  - {model.heads: 1, model.d_head: 8}\n");
    /* 18 as written; 10 without repetitions; 3 heads do not divide; two are excluded */
    assert_int_equal(plan_dropped(p, &constraint, &exclude, &duplicate), 12);
    assert_int_equal(duplicate, 8);
    assert_int_equal(constraint, 2);
    assert_int_equal(exclude, 2);
    assert_int_equal(plan_points(p), 6);
    assert_int_equal(heads_of(p, 4), 4);
    assert_int_equal(heads_of(p, 5), 8);
    struct message m;
    int i = 0;
    assert_true(plan_note(p, &i, &m));
    assert_string_equal(
        m.text, "s.yaml:8:5: this item of exclude fits no point that the constraints leave");
    assert_true(plan_note(p, &i, &m));
    assert_memory_equal(m.text, "s.yaml:9:5: ", 12);
    assert_false(plan_note(p, &i, &m));
    free_all(p);

    /* Values that come to the same: 1 of 1 head and `heads`, widths of segments where there are
     * none. The first stays. */
    p = plan_of(GATHER "model: {heads: [1, 4], kv_heads: [1, heads], d_model: 32}\n");
    assert_int_equal(plan_points(p), 3);
    assert_int_equal(plan_dropped(p, &constraint, &exclude, &duplicate), 1);
    assert_int_equal(duplicate, 1);
    free_all(p);
    p = plan_of(GATHER "model: {form: [project, cut, segments], segment_width: [4, 8, 0], d_model: "
                       "32}\n");
    assert_int_equal(plan_points(p), 4); /* 0 is 8 */
    assert_int_equal(plan_dropped(p, &constraint, &exclude, &duplicate), 5);
    free_all(p);

    /* A list is one value of a list option; each value keeps its own list. */
    p = plan_of("task: {name: gather, slots: 2, offsets: [[1, 2], [], [1, 2], [3, -1]]}\n"
                "exclude: [{task.offsets: [3, -1]}]\n");
    assert_int_equal(plan_points(p), 2);
    char json[POINT_JSON_MAX], sha[65];
    plan_identity(p, 0, json, sha);
    assert_non_null(strstr(json, "\"offsets\":[1,2],"));
    plan_identity(p, 1, json, sha);
    assert_non_null(strstr(json, "\"offsets\":[],"));
    free_all(p);
}

static void test_constraint_values(void **state)
{
    (void)state;
    /* Words of number options are words; booleans are 0 or 1; dotted names reach everything. */
    struct plan *p = plan_of("task: {name: hist, bos: [false, true], length: 8}\n"
                             "model: {heads: [1, 3], d_model: 32, d_head: [split, 8]}\n"
                             "train: {schedule: {warmup: 7}}\n"
                             "constraints:\n"
                             "  - model.d_head == 8 or model.heads == 1\n"
                             "  - task.bos == true and task.bos == 'true' and task.bos != false\n"
                             "  - task.bos == 1 and train.schedule.warmup == 7\n"
                             "  - train.schedule.name == 'cosine' and task.name == 'hist'\n");
    assert_int_equal(plan_points(p), 3);
    free_all(p);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct refusal list[] = {
        {GATHER "model:\n  d_model: 32\n  heads: [4, 12]\ntrain: {lr: [1e-3, 2e-3]}\n",
         "s.yaml:4:14: the point model.heads=12, train.lr=0.001 is impossible: model.heads is 12, "
         "which does not divide model.d_model 32; choose 8 or 16, or give model.d_head a number; "
         "or add constraints: [\"model.d_model % model.heads == 0\"]"},
        {GATHER "model:\n  heads: [4, 5]\n  d_model: [64, 20, 24]\n",
         "s.yaml:3:14: the point model.heads=5, model.d_model=64 is impossible: model.heads is 5, "
         "which does not divide model.d_model 64; choose 4 or 8, or give model.d_head a number; or "
         "add constraints: [\"model.d_model % model.heads == 0\"]"},
        {GATHER "model:\n  d_model: 32\n  heads: 12\n",
         "s.yaml:4:10: this is impossible: model.heads is 12, which does not divide model.d_model "
         "32; choose 8 or 16, or give model.d_head a number; or add constraints: [\"model.d_model "
         "% model.heads == 0\"]"},
        {GATHER "model:\n  heads: [4, 8]\n  kv_heads: [heads, 8]\n  d_model: 32\n",
         "s.yaml:4:21: the point model.heads=4, model.kv_heads=8 is impossible: model.kv_heads is "
         "8, which does not divide model.heads 4; choose 4, or another divisor; or add "
         "constraints: [\"model.kv_heads == 'heads' or model.heads % model.kv_heads == 0\"]"},
        {GATHER "model:\n  heads: [4, 5]\n  form: segments\n  segment_width: 8\n  d_model: 32\n",
         "s.yaml:3:14: the point model.heads=5 is impossible: model.segment_width is 8: 5 heads "
         "that share no column would need 40 of model.d_model's 32; choose at most 6, or set "
         "model.segment_overlap to true; or add constraints: [\"model.heads * model.segment_width "
         "<= model.d_model\"]"},
        {GATHER "train: {steps: [100, 50], schedule: {warmup: 60}}\n",
         "s.yaml:2:22: the point train.steps=50 is impossible: train.schedule.warmup is 60, more "
         "than "
         "train.steps 50"},
        /* An option that the message calls by its last part. */
        {GATHER "model:\n  d_model: 65536\n  heads: 1\n  layers: [1024, 1]\n  d_ff: 65536\n",
         "s.yaml:5:12: the point model.layers=1024 is impossible: a model of this shape "
         "(model.d_model "
         "65536, d_ff 65536, layers 1024, 1 heads) has 1.06e+14 bytes of weights, more than can be "
         "addressed"},
        {GATHER "model: {pool: [none, mean]}\n",
         "s.yaml:2:22: the point model.pool=mean is impossible: model.pool is mean, but task "
         "gather has a target per position; use none"},
        {GATHER "model: {heads: [1, 2]}\nconstraints:\n  - model.heads / (model.heads - 2) < 0\n",
         "s.yaml:4:5: division by zero"},
        {GATHER "model: {heads: [1, 2]}\nconstraints: ['model.heads > 2']\n",
         "s.yaml:3:15: nothing is left to run: of 2 points, constraints drop 2 and exclude drops "
         "0"},
        {GATHER "exclude:\n- {model.heads: 4}\n",
         "s.yaml:3:3: nothing is left to run: of 1 points, constraints drop 0 and exclude drops 1"},
        {GATHER "model: {heads: [1, 2, 4]}\nrun_cap: 2\n",
         "s.yaml: the sweep has 3 points, more than run_cap 2; shorten its lists, sample it "
         "(method: random), or raise run_cap"},
        {GATHER "method: random\nsamples: 200000\n",
         "s.yaml: the sweep has 200000 points, more than run_cap 100000; shorten its lists, sample "
         "it (method: random), or raise run_cap"},
        {GATHER "model: {heads: [1, 2, 4]}\nclaim: {best: 8, over: [1]}\n",
         "s.yaml:3:15: claim.best names 8 heads, but no point of the sweep has them"},
        {GATHER "model: {heads: [1, 2, 4]}\nclaim: {best: 2, over: [1, 3]}\n",
         "s.yaml:3:28: claim.over names 3 heads, but no point of the sweep has them"},
        {GATHER "model: {heads: [1, 2, 4]}\nclaim: {best: 2, over: [1, 4]}\n"
                "constraints: ['model.heads < 4']\n",
         "s.yaml:3:28: claim.over names 4 heads, but no point of the sweep has them"},
    };
    ASSERT_ALL_REFUSED(list);
}

/* 26 axes of 10 values each: the count does not fit 64 bits and is not expanded. */
static void test_overflow(void **state)
{
    (void)state;
    static const char *const names[] = {"batch",   "beta1",         "beta2",        "clip",
                                        "epsilon", "eval_every",    "examples",     "lr",
                                        "steps",   "test_examples", "val_examples", "weight_decay"};
    char text[8192] = "task: {name: gather}\ntrain:\n";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t used = strlen(text);
        bool below_one = strncmp(names[i], "beta", 4) == 0 || strcmp(names[i], "epsilon") == 0;
        used += (size_t)snprintf(text + used, sizeof text - used, "  %s: [", names[i]);
        for (int k = 1; k <= 50; k++)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     below_one ? "0.%02d%s" : "%d%s", k, k < 50 ? ", " : "]\n");
    }
    assert_refused(text, "s.yaml: the sweep has about 2.44e+20 points, more than run_cap 100000; "
                         "shorten its lists, sample it (method: random), or raise run_cap");
}

#define DRAWS                                                                                      \
    "method: random\nsampler_seed: 3\n" GATHER                                                     \
    "model: {heads: [1, 2, 4], d_ff: {min: 10, max: 13}}\n"                                        \
    "train: {lr: {min: 1e-4, max: 1e-2, distribution: log_uniform_values},\n"                      \
    "        weight_decay: {min: 0.5, max: 0.75}}\n"

static void test_random(void **state)
{
    (void)state;
    struct plan *p = plan_of(DRAWS "samples: 2000\n");
    long widths[14] = {0}, below = 0;
    assert_int_equal(plan_points(p), 6000); /* each draw at every head count */
    struct point point, first;
    for (long i = 0; i < 6000; i++) {
        plan_point(p, i, &point);
        assert_int_equal(point.model.heads, 1 << i % 3);
        if (i % 3 == 0)
            first = point;
        assert_int_equal(point.model.d_ff, first.model.d_ff);
        assert_true(point.train.lr == first.train.lr);
        if (i % 3 != 0)
            continue;
        assert_in_range(point.model.d_ff, 10, 13);
        assert_true(point.train.lr >= 1e-4 && point.train.lr <= 1e-2);
        assert_true(point.train.weight_decay >= 0.5 && point.train.weight_decay <= 0.75);
        widths[point.model.d_ff]++;
        below += point.train.lr < 1e-3;
        /* six digits: what is written down is the value itself */
        char text[32];
        snprintf(text, sizeof text, "%.6g", point.train.lr);
        assert_true(strtod(text, NULL) == point.train.lr);
    }
    /* Within five standard deviations of what is expected. */
    assert_in_range(widths[10], 500 - 97, 500 + 97);
    assert_in_range(widths[13], 500 - 97, 500 + 97);
    assert_in_range(below, 1000 - 112, 1000 + 112);
    free_all(p);
}

/* Draw i depends on nothing but (sampler seed, axis, i). */
static void test_random_stability(void **state)
{
    (void)state;
    struct plan *few = plan_of(DRAWS "samples: 10\n"), *many = plan_of(DRAWS "samples: 500\n");
    struct plan *reordered =
        plan_of("train: {weight_decay: {max: 0.75, min: 0.5},\n"
                "        lr: {distribution: log_uniform_values, max: 0.01, min: 0.0001}}\n"
                "model: {d_ff: {max: 13, min: 10}, heads: [1, 2, 4]}\n" GATHER
                "samples: 10\nsampler_seed: 3\nmethod: random\n");
    struct plan *other = plan_of("name: x\n" DRAWS "samples: 10\nretries: 1\n");
    char json[POINT_JSON_MAX], a[65], b[65];
    for (long i = 0; i < 10; i++) {
        plan_identity(few, i, json, a);
        plan_identity(many, i, json, b);
        assert_string_equal(a, b);
        plan_identity(reordered, i, json, b);
        assert_string_equal(a, b);
        plan_identity(other, i, json, b);
        assert_string_equal(a, b);
    }
    free_all(few);
    free_all(many);
    free_all(reordered);
    free_all(other);
}

/* W&B's way to write what is fixed. */
static void test_value(void **state)
{
    (void)state;
    struct plan *p =
        plan_of("task: {name: {value: gather}, length: {value: 8}}\n"
                "model: {heads: {value: 2}}\ntrain: {schedule: {name: {value: cosine}}}\n");
    struct plan *q = plan_of("task: {name: gather, length: 8}\nmodel: {heads: 2}\n"
                             "train: {schedule: {name: cosine}}\n");
    char json[POINT_JSON_MAX], a[65], b[65];
    assert_int_equal(plan_points(p), 1);
    plan_identity(p, 0, json, a);
    plan_identity(q, 0, json, b);
    assert_string_equal(a, b);
    free_all(p);
    free_all(q);
}

static void test_random_ranges(void **state)
{
    (void)state;
    /* Wider than 32 bits, and whole numbers for a real option. */
    struct plan *p = plan_of(GATHER "method: random\nsamples: 50\n"
                                    "train: {steps: {min: 1, max: 1000000000},\n"
                                    "        clip: {min: 3, max: 5, distribution: int_uniform},\n"
                                    "        eval_every: {min: 1, max: 2}}\n");
    int64_t most = 0;
    for (long i = 0; i < plan_points(p); i++) {
        struct point point;
        plan_point(p, i, &point);
        assert_in_range(point.train.steps, 1, 1000000000);
        assert_true(point.train.clip == 3 || point.train.clip == 4 || point.train.clip == 5);
        most = point.train.steps > most ? point.train.steps : most;
    }
    assert_true(most > 900000000);
    free_all(p);
    p = plan_of("task: {name: {values: [gather, gather, sort]}}\n");
    assert_int_equal(plan_points(p), 2);
    free_all(p);
}

static void test_random_duplicates(void **state)
{
    (void)state;
    long constraint, exclude, duplicate;
    struct plan *p = plan_of(GATHER "method: random\nsamples: 100\n"
                                    "model: {heads: [1, 2, 4], norm: [pre, post]}\n"
                                    "exclude: [{model.heads: 4, model.norm: pre}]\n");
    assert_int_equal(plan_points(p), 5);
    assert_int_equal(plan_dropped(p, &constraint, &exclude, &duplicate), 295);
    assert_true(exclude > 0);
    assert_int_equal(exclude + duplicate, 295);
    for (long i = 0; i < 5; i++) {
        for (long k = 0; k < i; k++) {
            char json[POINT_JSON_MAX], a[65], b[65];
            plan_identity(p, i, json, a);
            plan_identity(p, k, json, b);
            assert_string_not_equal(a, b);
        }
    }
    free_all(p);
}

static void test_settings(void **state)
{
    (void)state;
    struct plan_text name;
    struct plan *p = plan_of("task: {name: [gather, recall], slots: [1, 2]}\n"
                             "model: {heads: [1, 2], d_head: [split, 8]}\n"
                             "train: {lr: [1e-3, 3e-3], schedule: {name: [linear, cosine]}}\n"
                             "tune: [train.lr]\n");
    plan_text(p, 0, &name);
    assert_string_equal(name.setting, "{\"model.d_head\":\"split\",\"task.name\":\"gather\","
                                      "\"task.slots\":1,\"train.schedule.name\":\"linear\"}");
    assert_string_equal(name.label, "task=gather, slots=1, d_head=split, schedule=linear");
    assert_string_equal(name.tuning, "{\"train.lr\":0.001}");
    plan_text(p, plan_points(p) - 1, &name);
    assert_string_equal(name.label, "task=recall, slots=2, d_head=8, schedule=cosine");
    assert_string_equal(name.tuning, "{\"train.lr\":0.003}");
    free_all(p);
    p = plan_of(GATHER "model: {heads: [1, 2], norm: [pre]}\n");
    plan_text(p, 1, &name);
    assert_string_equal(name.setting, "{}");
    assert_string_equal(name.label, "");
    assert_string_equal(name.tuning, "{}");
    free_all(p);

    /* Options that make no difference to a point are no part of what it is called. */
    p = plan_of(GATHER
                "model: {form: [project, segments], segment_width: [4, 8], heads: [2, 4],\n"
                "  segment_overlap: [false, true], d_model: 32}\n"
                "tune: [train.lr]\ntrain: {lr: [1e-3, 3e-3]}\n"
                "exclude: [{model.form: project, model.heads: 2, model.segment_width: 4}]\n");
    assert_int_equal(plan_points(p), 20);
    for (long i = 0; i < 4; i++) { /* heads 2 is left of width 8, heads 4 of width 4 */
        plan_text(p, i, &name);
        assert_string_equal(name.setting, "{\"model.form\":\"project\"}");
        assert_string_equal(name.label, "form=project");
        assert_int_equal(plan_candidates(p, i), 2);
    }
    plan_text(p, plan_points(p) - 1, &name);
    assert_string_equal(name.setting, "{\"model.form\":\"segments\",\"model.segment_overlap\":true,"
                                      "\"model.segment_width\":8}");
    assert_string_equal(name.label, "form=segments, segment_width=8, segment_overlap=true");
    free_all(p);
}

static void test_full_labels(void **state)
{
    static const struct {
        const char *label, *tuning, *full;
    } cases[] = {
        {"", "{}", ""},
        {"slots=4", "{}", "slots=4"},
        {"slots=4", "", "slots=4"},
        {"", "{\"train.lr\":0.001,\"model.norm\":\"pre\"}", "lr=0.001, norm=pre"},
        {"slots=4", "{\"train.lr\":0.001}", "slots=4, lr=0.001"},
        {"", "{\"model.x\":1,\"train.x\":2}", "model.x=1, train.x=2"},
        {"", "{\"train.a.name\":\"b\"}", "train.a.name=b"},
        {"", "{\"task.file\":\"a,b: {c}.txt\",\"train.lr\":1}", "file=a,b: {c}.txt, lr=1"},
        {"x=1", "{\"task.file\":\"\\\"{\\\\\"}", "x=1, file=\"{\\"},
        {"", "{\"task.x\":\"\",\"task.y\":[1,-1]}", "x=, y=[1, -1]"},
    };
    char text[64], cut[8];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan_full_label(cases[i].label, cases[i].tuning, text, sizeof text);
        assert_string_equal(text, cases[i].full);
        plan_full_label(cases[i].label, cases[i].tuning, cut, sizeof cut);
        assert_memory_equal(cut, cases[i].full, strlen(cut));
        assert_true(strlen(cut) == sizeof cut - 1 || strlen(cut) == strlen(text));
    }
}

/* Settings are written down in a fixed room; what could outgrow it is refused beforehand. */
static void test_settings_too_long(void **state)
{
    (void)state;
    char text[4096] = "method: random\nsamples: 3\ntask:\n  name: gather\n  slots: 64\n"
                      "  length: 4096\n  offsets:\n";
    struct plan_text name;
    size_t used = strlen(text);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 64; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d%s", i ? "" : "    - [",
                                     -4000 + i + k, i < 63 ? "," : "]\n");
    struct plan *p = plan_of(text);
    plan_text(p, 0, &name);
    assert_int_equal(strlen(name.setting), strlen("{\"task.offsets\":[]}") + 64 * 6 - 1);
    free_all(p);
    snprintf(text + used, sizeof text - used,
             "model:\n"
             "  d_ff: [10, 100]\n"
             "  layers: [1, 2]\n"
             "  d_k: [d_head, 8]\n"
             "  d_v: [d_head, 8]\n"
             "  norm: [pre, post]\n"
             "  activation: [gelu, relu]\n"
             "  positions: [learned, sinusoidal]\n"
             "  init: [pytorch, xavier]\n"
             "  dropout: [0, 0.00012345678901234567]\n"
             "train:\n"
             "  lr: [1, 0.00012345678901234567]\n"
             "  beta1: [0, 0.00012345678901234567]\n"
             "  beta2: [0, 0.00012345678901234567]\n"
             "  epsilon: [1, 0.00012345678901234567]\n"
             "  clip: [0, 0.00012345678901234567]\n"
             "  weight_decay: [0, 0.00012345678901234567]\n"
             "  val_examples: [1, 10]\n"
             "  test_examples: [1, 10]\n"
             "  eval_every: [1, 10]\n"
             "  examples: [1, 10]\n"
             "  steps: [9, 10]\n"
             "  batch: [1, 10]\n"
             "  optimizer: [adam, adamw]\n"
             "  schedule:\n"
             "    warmup: [0, 1]\n"
             "    name: [cosine, constant]\n");
    assert_refused(
        text, "s.yaml:36:11: too much varies at once: the names and longest values of the axes up "
              "to train.schedule.name take more than 1024 characters; split the sweep");
}

static void test_tuning_trials(void **state)
{
    (void)state;
    struct plan *p = plan_of(GATHER "model: {heads: [1, 2]}\ntrain: {lr: [1e-3, 3e-3]}\n"
                                    "seeds: [4, 2]\ntune: {axes: [train.lr], seeds: 3}\n");
    assert_int_equal(plan_points(p), 4);
    assert_int_equal(plan_trials(p), 4 * (3 + 2));
    for (long k = 0; k < 20; k++) {
        struct plan_trial t = plan_trial(p, k);
        assert_int_equal(t.point, k % 4);
        assert_int_equal(t.tuning, k < 12);
        assert_int_equal(t.seed, k < 12 ? 1000 + k / 4 : k < 16 ? 4 : 2);
    }
    free_all(p);
}

static void test_large(void **state)
{
    (void)state;
    char text[2048] = GATHER "model: {heads: [1, 2, 4, 8, 16]}\ntrain: {steps: [";
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,", 100 + i);
    strcat(text, "], clip: [");
    for (int i = 0; i < 200; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,", i);
    strcat(text, "]}\n");
    struct plan *p = plan_of(text);
    assert_int_equal(plan_points(p), 100000);
    assert_int_equal(heads_of(p, 99999), 16);
    free_all(p);
}

/* Every allocation fails once: an error each time, and never a crash or a leak. */
static void test_no_memory(void **state)
{
    (void)state;
#ifdef FAULTS_IN_MALLOC
    static const char *const files[] = {"tests/data/yaml/everything.yaml", "configs/controls.yaml",
                                        "tests/data/yaml/inference.yaml"};
    const char *sets[] = {"model.d_k=[1, 2]", "train.beta1=0.5"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        enum status s = STATUS_NO_MEMORY;
        for (int nth = 1; s != STATUS_OK; nth++) {
            struct config *c = NULL;
            struct plan *p = NULL;
            struct message m = {{0}};
            fault_arm(FAULT_MALLOC, nth, ENOMEM);
            s = config_read(files[k], sets, 2, &c, &m);
            if (!s)
                s = plan_new(c, NULL, 0, &p, &m);
            char pairs[65];
            if (!s)
                s = plan_pairs_sha256(p, pairs, &m);
            bool fired = fault_disarm() != 0;
            if (!fired && s)
                fail_msg("%s", m.text);
            /* The C library may live without a buffer for the file. */
            if (s && (s != STATUS_NO_MEMORY || !*m.text))
                fail_msg("allocation %d: status %d, %s", nth, (int)s, m.text);
            plan_free(p);
            config_free(c);
            if (fired && !s)
                s = STATUS_NO_MEMORY;
            assert_true(nth < 10000);
        }
    }
#else
    skip();
#endif
}

/* Faults that are found while memory runs out stay what they are or become NO_MEMORY. */
static void test_no_memory_for_faults(void **state)
{
    (void)state;
#ifdef FAULTS_IN_MALLOC
    static const char *const texts[] = {GATHER "constraints: ['model.head == 4']\n",
                                        GATHER "model: {heds: 4}\n",
                                        GATHER "exclude: [{heads: 4}]\n",
                                        GATHER "tune: [lr]\n",
                                        GATHER "tune: {sees: 3}\n",
                                        GATHER "claim: {min_step: 3}\n",
                                        GATHER "looks: [3, 2]\n",
                                        "task: {name: gather, vocab: [2, 3]}\n"
                                        "replicate: [task.vocab]\n",
                                        GATHER "seeds: [1, 2, 1]\n",
                                        GATHER "model: {heads: [1, 2}\n",
                                        GATHER "model: {heads: 3, d_model: 8}\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        bool fired = true;
        for (int nth = 1; fired; nth++) {
            struct config *c;
            struct plan *p = NULL;
            struct message m = {{0}};
            fault_arm(FAULT_MALLOC, nth, ENOMEM);
            enum status s = config_parse("s.yaml", texts[k], strlen(texts[k]), NULL, 0, &c, &m);
            if (!s)
                s = plan_new(c, NULL, 0, &p, &m);
            fired = fault_disarm() != 0;
            assert_int_equal(s, fired ? STATUS_NO_MEMORY : STATUS_BAD_INPUT);
            assert_true(*m.text);
            assert_null(p);
            config_free(c);
        }
    }
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_ready_sweeps),
        cmocka_unit_test(test_grid_order),
        cmocka_unit_test(test_identity_of_points),
        cmocka_unit_test(test_identity_invariance),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_constraint_values),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_stability),
        cmocka_unit_test(test_random_ranges),
        cmocka_unit_test(test_random_duplicates),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_full_labels),
        cmocka_unit_test(test_settings_too_long),
        cmocka_unit_test(test_tuning_trials),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_for_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
