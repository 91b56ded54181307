/* What is known of tasks beforehand: examples and chances worked out by hand, and the recorded hash
 * of each task's examples. */
#include "engine/base/sha256.h"
#include "tests/test.h"
#include "tests/unit/task_help.h"

/* For the smallest of two fair coins, and of n dice, by hand. */
TEST(chance_of_sort_by_hand)
{
    struct setup s;
    setup_task(&s, "sort", "length=2 vocab=2");
    assert_float_equal(s.shape.chance, 0.75, 1e-12);
    setup_free(&s);
    setup_task(&s, "sort", "length=1 vocab=6");
    assert_float_equal(s.shape.chance, 1. / 6, 1e-12);
    setup_free(&s);
    /* Two dice: the smaller is 0 and the larger is 5 with probability 11/36. */
    setup_task(&s, "sort", "length=2 vocab=6");
    assert_float_equal(s.shape.chance, 11. / 36, 1e-12);
    setup_free(&s);
    setup_task(&s, "sort", "length=4096 vocab=3"); /* nothing underflows to nonsense */
    assert_each(s.shape.chance > 0.97, s.shape.chance < 1);
    setup_free(&s);
}

/* Worked by hand. */
static const struct {
    const char *task, *settings;
    int32_t inputs[24], targets[16];
} worked[] = {
    {"gather",
     "length=5 vocab=9",
     {4, 7, 1, 8, 2}, /* 1, -1, 3, -3 */
     {7, 2, 8, 1, 1, 4, 2, 8, 8, 7, 4, 2, 2, 1, 7, 4}},
    {"gather", "length=4 slots=2 offsets=0,2", {5, 6, 7, 8}, {5, 7, 6, 8, 7, 5, 8, 6}},
    {"recall",
     "length=4 vocab=9",
     {1, 5, 2, 2, 0, 3, 2, 2, 2, 9, 0, 1, 2, 9, 1, 1},
     {-100, -100, -100, -100, 3, 5, 5, 5}},
    {"pointers", "length=3", {4, 2, 0, 5, 1, 1, 6, 0, 2}, {6, 4, 5, 5, 4, 6}},
    {"nearest", "length=4 dims=2", {0, 0, 0, 1, 1, 1, 1, 1}, {1, -100, 3, 2}},
    {"nearest", "length=4 dims=2 find=farthest", {0, 0, 0, 1, 1, 1, 1, 1}, {-100, -100, 0, 0}},
    {"reverse", "length=4", {3, 1, 4, 1}, {1, 4, 1, 3}},
    {"sort", "length=5", {3, 1, 4, 1, 5}, {1, 1, 3, 4, 5}},
    {"hist", "length=5", {3, 1, 3, 3, 2}, {2, 0, 2, 2, 0}},
    {"hist", "length=5 vocab=4 bos=true", {4, 1, 3, 3, 2}, {-100, 0, 1, 1, 0}},
    {"copy", "length=3", {2, 7, 1}, {2, 7, 1}},
    {"induction",
     "length=8 vocab=5",
     {3, 2, 1, 4, 1, 4, 3, 2},
     {-100, -100, -100, -100, 4, -100, 2, -100}},
    {"mqar",
     "length=12 vocab=8 pairs=2",
     {2, 7, 0, 4, 0, 4, 8, 8, 2, 7, 8, 8},
     {-100, -100, -100, -100, 4, -100, -100, -100, 7, -100, -100, -100}},
    {"mqar",
     "length=8 vocab=8 pairs=2 noise=1",
     {1, 5, 3, 6, 3, 6, 1, 5},
     {-100, -100, -100, -100, 6, -100, 5, -100}},
};

TEST(oracles_solve_what_was_worked_by_hand)
{
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++) {
        struct setup s;
        setup_task(&s, worked[i].task, worked[i].settings);
        int32_t *y = numbers(s.targets);
        s.task->oracle(s.options, s.instance, worked[i].inputs, y);
        size_t n = s.targets < 16 ? s.targets : 16;
        for (size_t k = 0; k < n; k++)
            if (y[k] != worked[i].targets[k])
                fail_msg("%s %s: target %zu is %d, should be %d", worked[i].task,
                         worked[i].settings, k, (int)y[k], (int)worked[i].targets[k]);
        free(y);
        setup_free(&s);
    }
}

/* SHA-256 of the first 100 test examples with default options, inputs before targets. Stored
 * results depend on them: where a change is meant, raise the task's version too. */
static const struct {
    const char *task;
    int version;
    const char *sha256;
} golden[] = {
    {"gather", 1, "2a3a619ce1937be4b1201c9b58feb709db58e8c754d3ebd7cba869021ad35656"},
    {"recall", 1, "74096dcc2c55dd837280896dc04c712fb6f38871afa7760ad78d883e46374864"},
    {"pointers", 1, "c58d863696c1f140bad2fb32b1ef7af63dfcdbd680438db4a178882676098425"},
    {"nearest", 1, "6cbfee1c56311eef59878e3a490c06eb3f7bc3d4cd00a7511648dd3ea1043bd6"},
    {"reverse", 1, "f5d8c8af95d461718c800c2779290dab585eb7b19cf7815f0cb5e92461526cc5"},
    {"sort", 1, "99f1b47309bc92f908778bf7e4ce9e8fdc9e429c334b9f781690b06314cedb0d"},
    {"hist", 1, "df26e7dcdb7cc3100667d130089a3d3e4687065b7225bec0fb61dfc46f525831"},
    {"copy", 1, "1722b0a0ceb84650fb4cd52f9f935de123ad6518923c9b918d4faf13644b5fdd"},
    {"induction", 1, "2288b1d3a0552a65e4c5b88247365d84d679caa0c2375496a47f6480368a290f"},
    {"mqar", 1, "561525a0c14242b7b079c6a7ebedf701e73d07bf9ac94fdaa9a574dc00138ff3"},
    {"memorize", 1, "eeb2ff534c6fb08f8f3ded38dbda879f5678af5fb309bd214022f4000c7c862a"},
};

TEST(meaning_is_unchanged)
{
    for (const struct task *const *t = task_table; *t; t++) {
        struct setup s;
        if ((*t)->file)
            continue;
        setup_task(&s, (*t)->name, "");
        int32_t *x = numbers(s.inputs), *y = numbers(s.targets);
        struct sha256 digest;
        sha256_init(&digest);
        for (uint32_t i = 0; i < 100; i++) {
            draw(&s, 0, RNG_TEST, 0, i, x, y);
            sha256_update(&digest, x, s.inputs * sizeof *x);
            sha256_update(&digest, y, s.targets * sizeof *y);
        }
        char hex[65];
        sha256_final(&digest, hex);
        free(x), free(y);
        setup_free(&s);
        size_t i = 0, n = sizeof golden / sizeof *golden;
        while (i < n && strcmp(golden[i].task, (*t)->name) != 0)
            i++;
        if (i == n || golden[i].version != (*t)->version || strcmp(golden[i].sha256, hex) != 0)
            fail_msg("{\"%s\", %d, \"%s\"} is not what was recorded", (*t)->name, (*t)->version,
                     hex);
    }
}
