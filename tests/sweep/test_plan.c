/* Plans: which points a sweep file comes to, in which order, under which identity. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/sha256.h"
#include "sweep/plan/plan_parts.h"
#include "tests/sweep/plan_help.h"
#include "tests/unit/faults.h"

/* Identities of the committed example. A difference means that stored results would not be found
 * again: raise a version instead. */
TEST(test_golden)
{
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

static int64_t heads_of(const struct plan *p, long i)
{
    struct point point;
    plan_point(p, i, &point);
    return point.model.heads;
}

TEST(test_grid_order)
{
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

TEST(test_identity_of_points)
{
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
TEST(test_identity_invariance)
{
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

TEST(test_dropped)
{
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

    /* Instances that draw the same. */
    p = plan_of("name: n\ntask: {name: gather, length: 4, slots: 1, instance: [1, 2, 3, 4, 5]}\n"
                "model: {heads: [1, 2]}\nreplicate: [task.instance]\n");
    i = 0;
    assert_true(plan_note(p, &i, &m));
    assert_string_equal(m.text,
                        "only 3 of the 5 values of task.instance differ in what they draw; equal "
                        "ones count once, so list others if you need more");
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

TEST(test_constraint_values)
{
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

TEST(test_refused)
{
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
        {GATHER "model:\n  d_model: 32\n  positions: rotary\n  heads: [4, 32]\n",
         "s.yaml:5:14: the point model.heads=32 is impossible: model.positions is rotary, which "
         "turns pairs of numbers, but d_k is 1 (from model.heads); make it even (model.d_k: 2), or "
         "use other positions; or add constraints: [\"model.positions != 'rotary' or model.d_k != "
         "'d_head' or model.d_head != 'split' or model.form == 'segments' or model.d_model % (2 * "
         "model.heads) == 0\"]"},
        {GATHER "model:\n  d_model: 32\n  positions: rotary\n  form: segments\n  heads: 4\n"
                "  segment_width: [4, 5]\n",
         "s.yaml:7:22: the point model.segment_width=5 is impossible: model.positions is rotary, "
         "which turns pairs of numbers, but d_k is 5 (from model.segment_width); make it even "
         "(model.d_k: 6), or use other positions; or add constraints: [\"model.positions != "
         "'rotary' or model.d_k != 'd_head' or model.d_head != 'split' or model.form != 'segments' "
         "or model.segment_width % 2 == 0 and (model.segment_width > 0 or model.d_model % (2 * "
         "model.heads) == 0)\"]"},
        {GATHER "train: {steps: [100, 50], schedule: {warmup: 60}}\n",
         "s.yaml:2:22: the point train.steps=50 is impossible: train.schedule.warmup is 60, more "
         "than "
         "train.steps 50"},
        /* An option that the message calls by its last part. */
        {GATHER "model:\n  d_model: 65536\n  heads: 1\n  layers: [1024, 1]\n  d_ff: 65536\n",
         "s.yaml:5:12: the point model.layers=1024 is impossible: a model of this shape "
         "(model.d_model "
         "65536, d_ff 65536, layers 1024, 1 head) has 1.06e+14 bytes of weights, more than can be "
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
         "s.yaml:3:3: nothing is left to run: of 1 point, constraints drop 0 and exclude drops 1"},
        {"task: {name: gather, instance: [1, 2]}\nmodel: {heads: [1, 2, 4, 8]}\n"
         "replicate: [task.instance]\nrun_cap: 25\n"
         "confirm: {instances: [11, 12, 13, 14, 15, 16]}\n",
         "s.yaml:5:10: the sweep has 8 points, and confirm may add 18 on fresh instances, in all "
         "more than run_cap 25; take fewer instances, shorten lists, or raise run_cap"},
        {"task: {name: gather, instance: [1, 2]}\nmodel: {heads: [1, 2]}\n"
         "train: {lr: [1e-3, 1e-2]}\ntune: {axes: [train.lr], extend: 1}\n"
         "replicate: [task.instance]\nrun_cap: 23\n"
         "confirm: {instances: [11, 12, 13, 14, 15, 16]}\n",
         "s.yaml:7:10: the sweep has 8 points, tune.extend may add 4, and confirm may add 12 on "
         "fresh instances, in all more than run_cap 23; take fewer instances, shorten lists, or "
         "raise run_cap"},
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

/* Appends the rule that the plan of the text suggests as another constraint. False: it is taken. */
static bool add_suggested(char *text, size_t size)
{
    struct config *c = config_of(text);
    struct plan *p;
    struct message m;
    enum status s = plan_new(c, NULL, 0, &p, &m);
    if (s == STATUS_OK)
        plan_free(p);
    config_free(c);
    if (s == STATUS_OK)
        return false;
    const char *rule = strstr(m.text, "add constraints: [");
    if (!rule)
        fail_msg("no rule: %s\nfor:\n%s", m.text, text);
    rule = strchr(rule, '"');
    size_t used = strlen(text);
    snprintf(text + used, size - used, "- %.*s\n", (int)(strrchr(rule, ']') - rule), rule);
    return true;
}

/* The rules that are suggested for odd widths under rotary positions drop no point that can be,
 * also where other options hold words: in the end all 18 with learned positions are there and, with
 * rotary ones, 6 with the d_k 4, 2 with the d_head 6 and one with 4 heads of a split. */
TEST(test_suggested)
{
    char text[1024] =
        GATHER "model: {d_model: 32, positions: [rotary, learned], heads: [4, 32],\n"
               "  d_head: [split, 5, 6], d_k: [d_head, 3, 4]}\nconstraints:\n- model.heads > 0\n";
    for (int rules = 0; rules < 3; rules++)
        assert_true(add_suggested(text, sizeof text));
    struct plan *p = plan_of(text);
    assert_int_equal(plan_points(p), 18 + 6 + 2 + 1);
    free_all(p);
    /* Of segments also: 3 x 3 with learned positions, 3 of them without a width; of those with
     * rotary ones that see 4 columns three, and that see 32 / heads those of one and four heads.
     * Of the form project, which has no width, three and two. */
    strcpy(text, GATHER "model: {d_model: 32, positions: [rotary, learned], heads: [1, 4, 32],\n"
                        "  form: [project, segments], segment_width: [0, 4, 5],\n"
                        "  segment_overlap: true}\nconstraints:\n- model.heads > 0\n");
    for (int rules = 0; rules < 2; rules++)
        assert_true(add_suggested(text, sizeof text));
    p = plan_of(text);
    assert_int_equal(plan_points(p), 9 + 3 + 3 + 2 + 2);
    free_all(p);
}

/* 26 axes of 10 values each: the count does not fit 64 bits and is not expanded. */
TEST(test_overflow)
{
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

TEST(test_large)
{
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
TEST(test_no_memory)
{
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
TEST(test_no_memory_for_faults)
{
#ifdef FAULTS_IN_MALLOC
    static const char *const texts[] = {
        GATHER "constraints: ['model.head == 4']\n", GATHER "model: {heds: 4}\n",
        GATHER "exclude: [{heads: 4}]\n", GATHER "tune: [lr]\n", GATHER "tune: {sees: 3}\n",
        GATHER "claim: {min_step: 3}\n", GATHER "looks: [3, 2]\n",
        "task: {name: gather, vocab: [2, 3]}\n"
        "replicate: [task.vocab]\n",
        GATHER "seeds: [1, 2, 1]\n", GATHER "model: {heads: [1, 2}\n",
        GATHER "model: {heads: 3, d_model: 8}\n",
        /* settings that are one model at one head */
        "task: {name: gather, length: 8, slots: 1}\n"
        "model: {heads: [1, 2], kv_heads: [1, heads]}\n"
        "train: {lr: [1e-3, 1e-2, .1, 1], steps: 10}\n"
        "tune: {axes: [train.lr], extend: 2}\n"
        "exclude: [{model.kv_heads: 1, train.lr: [.1, 1]}]\n"};
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
