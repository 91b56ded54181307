/* Plans, where tests/sweep_files cannot say it: kept identities, large ones, the limits of
 * constraints, draws by their numbers, and memory that runs out. */
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

/* What a constraint of this text comes to; NULL: it is taken. */
static const char *constrained(const char *text)
{
    static struct message m;
    static char file[2 * EXPR_LENGTH];
    struct config *c;
    struct plan *p;
    snprintf(file, sizeof file, "task: {name: gather}\nconstraints:\n- %s\n", text);
    if (config_parse("s.yaml", file, strlen(file), NULL, 0, &c, &m))
        return m.text;
    if (plan_new(c, NULL, 0, &p, &m))
        fail_msg("%s", m.text);
    free_all(p);
    return NULL;
}

/* The deepest and the longest constraints. */
TEST(test_limits_of_constraints)
{
    char text[EXPR_LENGTH + 2];
    for (int i = 0; i < 2; i++) {
        memset(text, "(-"[i], EXPR_DEPTH + 1);
        strcpy(text + EXPR_DEPTH + 1, "1 > 0");
        assert_string_equal(constrained(text), "s.yaml:3:35: nested deeper than 32 levels");
    }
    /* At every level a comparison, a sum and a product wait. */
    size_t used = 0;
    for (int i = 0; i < EXPR_DEPTH; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "0 < 1 + 1 * (");
    used += (size_t)snprintf(text + used, sizeof text - used, "0 < 1 + 1 * 1");
    memset(text + used, ')', EXPR_DEPTH);
    text[used + EXPR_DEPTH] = '\0';
    assert_null(constrained(text));
    memset(text, ' ', sizeof text);
    for (int i = 0; i < EXPR_LENGTH; i++)
        text[i] = i % 2 ? '+' : '1';
    strcpy(text + EXPR_LENGTH - 3, " >0");
    assert_null(constrained(text));
    memset(text, '1', EXPR_LENGTH + 1);
    text[EXPR_LENGTH + 1] = '\0';
    assert_string_equal(constrained(text), "s.yaml:3:3: an expression of more than 4096 bytes");
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

/* ---- draws ---- */

#define DRAWS                                                                                      \
    "method: random\nsampler_seed: 3\n" GATHER                                                     \
    "model: {heads: [1, 2, 4], d_ff: {min: 10, max: 13}}\n"                                        \
    "train: {lr: {min: 1e-4, max: 1e-2, distribution: log_uniform_values},\n"                      \
    "        weight_decay: {min: 0.5, max: 0.75}}\n"

TEST(test_random)
{
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
        assert_each(point.train.lr >= 1e-4, point.train.lr <= 1e-2);
        assert_each(point.train.weight_decay >= 0.5, point.train.weight_decay <= 0.75);
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

TEST(test_full_labels)
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan_full_label(cases[i].label, cases[i].tuning, text, sizeof text);
        assert_string_equal(text, cases[i].full);
        plan_full_label(cases[i].label, cases[i].tuning, cut, sizeof cut);
        assert_memory_equal(cut, cases[i].full, strlen(cut));
        assert_true(strlen(cut) == sizeof cut - 1 || strlen(cut) == strlen(text));
    }
}
