/* Trials of a small model, and files of theirs in a folder of this process's own. */
#ifndef TESTS_SWEEP_TRIAL_HELP_H
#define TESTS_SWEEP_TRIAL_HELP_H

#include <math.h>

#include "engine/base/sha256.h"
#include "sweep/worker/trial.h"

#include "tests/own_folder.h"

/* Of length 8, 60 steps, evaluated after each 25. */
static inline struct point sample_point(const char *task)
{
    struct point p;
    point_init(&p, task_find(task));
    *(int64_t *)p.task_options = 8; /* struct task_common starts with length, vocab */
    p.model.d_model = 16;
    p.model.heads = 2;
    p.model.d_ff = 24;
    p.model.dropout = 0.1;
    p.train.steps = 60;
    p.train.batch = 12;
    p.train.eval_every = 25;
    p.train.lr = 1e-2;
    p.train.val_examples = p.train.test_examples = 40;
    return p;
}

static inline struct trial *new_trial(struct arena *a, const struct point *p, uint32_t seed)
{
    struct trial *t;
    struct message m;
    arena_init(a, NULL);
    if (trial_new(a, p, seed, METRIC_VAL_ACC, NULL, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return t;
}

static inline void advance(struct trial *t, int64_t step)
{
    struct message m;
    bool evaluated;
    while (t->trainer->step < step)
        assert_int_equal(trial_step(t, &evaluated, &m), STATUS_OK);
}

/* The result of a trial at `path`, and whose it is. */
struct written_result {
    char json[POINT_JSON_MAX], sha256[65];
    struct result_owner owner;
};

static inline void write_result(struct written_result *w, const struct trial *t,
                                const struct point *p, uint32_t seed)
{
    struct message m;
    const struct nn *nn = &t->trainer->encoder->nn;
    name_file("t1-a1.result");
    sha256_hex(w->json, (size_t)point_json(p, w->json), w->sha256);
    w->owner = (struct result_owner){w->sha256, seed, nn->size};
    assert_int_equal(result_write(path, &t->result, nn, w->json, 1, &m), STATUS_OK);
}

#endif
