/* A study's job: what the coordinator writes, the worker reads; anything else is refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/study/study_job.h"
#include "sweep/worker/wire.h"

#include "tests/test.h"

static struct study_trial trial(int64_t id)
{
    struct study_trial t = {.trial_id = id,
                            .sweep_id = INT64_C(5000000000),
                            .best_step = 1500,
                            .seed = UINT32_MAX,
                            .n_params = 12256,
                            .heads = 8,
                            .layers = 2,
                            .val_acc = 1. / 3,
                            .test_acc = 5e-324,
                            .label = "lr=0.01"};
    strcpy(t.file, "t1-a1.result");
    memset(t.sha256, 'a', 64);
    memset(t.config_sha256, 'b', 64);
    strcpy(t.setting, "{\"task.slots\":2,\"x\":\"\\u0001\"}");
    return t;
}

TEST(a_job_comes_back)
{
    struct study_trial trials[] = {trial(1), trial(2)};
    const struct data_place data = {
        .path = "/a folder.d/data-\n", .name = "/else where/my \"text\".txt", .copied = true};
    const struct study_job j = {
        .folder = "/some where/with \"quotes\" and \\, \xff\xfe \xc3\xa9 and \n.d",
        .trials = 2,
        .trial = trials,
        .options = "{\"on\":\"val\",\"keep\":[1,2]}",
        .data = &data};
    const struct study *study;
    struct study_job back = {0};
    struct arena a;
    struct message m;
    arena_init(&a, NULL);
    char *text;
    assert_int_equal(study_job_text(&study_heads, &j, &text, &m), STATUS_OK);
    assert_int_equal(study_job_parse(&a, text, &study, &back, &m), STATUS_OK);
    assert_ptr_equal(study, &study_heads);
    assert_string_equal(back.folder, j.folder);
    assert_string_equal(back.options, j.options);
    assert_memory_equal(back.data, &data, sizeof data);
    assert_int_equal(back.trials, 2);
    for (int i = 0; i < 2; i++) {
        trials[i].label[0] = '\0'; /* of the coordinator only */
        memset(trials[i].label, 0, sizeof trials[i].label);
        assert_memory_equal(&back.trial[i], &trials[i], sizeof trials[i]);
    }
    free(text);
    arena_free(&a);
}

static void refused(const char *text)
{
    const struct study *study;
    struct study_job back = {0};
    struct arena a;
    struct message m = {.text = ""};
    arena_init(&a, NULL);
    if (study_job_parse(&a, text, &study, &back, &m) == STATUS_OK)
        fail_msg("taken: %s", text);
    assert_string_not_equal(m.text, "");
    arena_free(&a);
}

TEST(what_is_no_job_is_refused)
{
    const struct study_trial t = trial(1);
    const struct data_place none = {.path = ""};
    const struct study_job j = {
        .folder = "d", .trials = 1, .trial = &t, .options = "{}", .data = &none};
    struct message m;
    char *text;
    assert_int_equal(study_job_text(&study_heads, &j, &text, &m), STATUS_OK);
    size_t size = strlen(text);
    for (size_t cut = 0; cut < size; cut++) { /* at every length */
        char kept = text[cut];
        text[cut] = '\0';
        refused(text);
        text[cut] = kept;
    }
    memcpy(strstr(text, "study=heads") + 6, "tails", 5);
    refused(text);
    free(text);
    assert_int_equal(study_job_text(&study_heads, &j, &text, &m), STATUS_OK);
    static const char *const counts[] = {"0", "2", "9", "x"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        memcpy(strstr(text, "trials=") + 7, counts[i], 1);
        refused(text);
    }
    free(text);
}

TEST(more_trials_than_a_job_can_have_are_refused)
{
    enum { MANY = 500 };
    struct study_trial *trials = calloc(MANY, sizeof *trials);
    const struct data_place none = {.path = ""};
    const struct study_job j = {
        .folder = "d", .trials = MANY, .trial = trials, .options = "{}", .data = &none};
    struct message m;
    assert_non_null(trials);
    char *text;
    assert_int_equal(study_job_text(&study_heads, &j, &text, &m), STATUS_BAD_INPUT);
    assert_null(text);
    assert_string_equal(m.text, "500 trials are too many for one job");
    free(trials);
}
