/* Trainers, folders and checks that the tests of checkpoints share. */
#ifndef TESTS_UNIT_CHECKPOINT_FIXTURE_H
#define TESTS_UNIT_CHECKPOINT_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/rng.h"
#include "engine/checkpoint.h"

#include "tests/folder.h"
#include "tests/test.h"

enum { LENGTH = 3, VOCAB = 3, STEPS = 60 };

static char folder[256];

static inline int make_folder(void **state)
{
    (void)state;
    return folder_make(folder, sizeof folder, "headcount-checkpoint");
}

static inline int remove_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

static inline const char *path_of(const char *name)
{
    static char path[2][512];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* Copies of the next token, one target in four masked. */
static inline enum status fill(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)context, (void)m;
    for (long i = 0; i < e->n; i++) {
        struct rng r = rng_at(1, RNG_DATA, (uint64_t)step, (uint32_t)i);
        for (long t = 0; t < LENGTH; t++)
            e->tokens[i * LENGTH + t] = (int32_t)rng_below(&r, VOCAB);
        for (long t = 0; t < LENGTH; t++)
            e->targets[i * LENGTH + t] =
                rng_below(&r, 4) ? e->tokens[i * LENGTH + (t + 1) % LENGTH] : -100;
    }
    return STATUS_OK;
}

/* A trainer of the smallest model that has every kind of tensor; dropout on. */
static inline struct trainer *new_trainer(struct arena *a, long d_model, uint32_t seed)
{
    struct encoder_config model;
    struct train_config train;
    option_defaults(encoder_options, &model);
    option_defaults(train_options, &train);
    model.d_model = d_model;
    model.heads = 2;
    model.layers = 1;
    model.d_ff = 2;
    model.dropout = 0.1;
    train.steps = STEPS;
    train.batch = 4;
    train.lr = 1e-2;
    train.eval_every = 10;
    const struct encoder_io io = {.length = LENGTH,
                                  .fields = 1,
                                  .field = {"token"},
                                  .vocab = {VOCAB},
                                  .slots = 1,
                                  .classes = VOCAB};
    struct trainer *t;
    struct message m = {""};
    arena_init(a, NULL);
    if (trainer_new(a, &model, &io, &train, seed, fill, NULL, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return t;
}

static inline void train_to(struct trainer *t, int64_t step)
{
    struct message m = {""};
    while (t->step < step)
        if (trainer_step(t, &m) != STATUS_OK)
            fail_msg("%s", m.text);
}

static inline size_t weights_size(const struct trainer *t)
{
    return (size_t)t->encoder->nn.size * sizeof(real);
}

static inline real *new_best(const struct trainer *t)
{
    real *best = malloc(weights_size(t));
    assert_non_null(best);
    for (long i = 0; i < t->encoder->nn.size; i++)
        best[i] = (real)i / 8;
    return best;
}

static const struct safetensors_meta extra[] = {
    {"build", "0.1.0 gcc \"12\""}, {"core", "SkylakeX"}, {NULL, NULL}};
static const char state_text[] =
    "{\"curve\":[{\"step\":10,\"val_acc\":0.5}],\"note\":\"caf\xc3\xa9\"}";

static inline void write_ok(const char *path, const struct trainer *t, const real *best)
{
    struct message m = {""};
    if (checkpoint_write(path, t, best, state_text, extra, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

/* Everything of a trainer that a read could change. */
struct snapshot {
    struct trainer trainer;
    real *numbers; /* weights, moments, best */
};

static inline struct snapshot snapshot_take(const struct trainer *t, const real *best)
{
    size_t n = (size_t)t->encoder->nn.size;
    struct snapshot s = {*t, malloc(4 * weights_size(t))};
    assert_non_null(s.numbers);
    memcpy(s.numbers, t->encoder->nn.data, weights_size(t));
    memcpy(s.numbers + n, t->optim.m, weights_size(t));
    memcpy(s.numbers + 2 * n, t->optim.v, weights_size(t));
    memcpy(s.numbers + 3 * n, best, weights_size(t));
    return s;
}

static inline void snapshot_assert(const struct snapshot *s, const struct trainer *t,
                                   const real *best)
{
    size_t n = (size_t)t->encoder->nn.size;
    assert_memory_equal(&s->trainer, t, sizeof *t);
    assert_memory_equal(s->numbers, t->encoder->nn.data, weights_size(t));
    assert_memory_equal(s->numbers + n, t->optim.m, weights_size(t));
    assert_memory_equal(s->numbers + 2 * n, t->optim.v, weights_size(t));
    assert_memory_equal(s->numbers + 3 * n, best, weights_size(t));
}

static inline void *read_file(const char *path, size_t *size)
{
    void *bytes;
    struct message m = {""};
    if (file_read(path, 1 << 24, &bytes, size, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return bytes;
}

/* The read must be refused as `expected`, say so with the path, and change nothing. */
static inline void assert_refused(const char *path, struct trainer *t, real *best,
                                  const struct snapshot *before, enum status expected,
                                  const char *text)
{
    bool has_best = true;
    char *state = (char *)1, *origin = (char *)1;
    struct message m = {""};
    enum status s = checkpoint_read(path, t, best, &has_best, &state, &origin, &m);
    if (s != expected || !strstr(m.text, text) || !strstr(m.text, path))
        fail_msg("status %d, \"%s\"; should be %d, \"%s\"", (int)s, m.text, (int)expected, text);
    assert_false(has_best);
    assert_null(state);
    assert_null(origin);
    snapshot_assert(before, t, best);
}

/* A written checkpoint, its bytes, and another trainer that it is read into. */
struct bench {
    struct arena source, target;
    struct trainer *written, *t;
    real *best;
    struct snapshot before;
    char path[512];
    unsigned char *bytes;
    size_t size;
};

static inline void bench_open(struct bench *b)
{
    b->written = new_trainer(&b->source, 4, 7);
    b->t = new_trainer(&b->target, 4, 8);
    b->best = new_best(b->t);
    train_to(b->written, 5);
    train_to(b->t, 3);
    b->before = snapshot_take(b->t, b->best);
    snprintf(b->path, sizeof b->path, "%s", path_of("bench"));
    write_ok(b->path, b->written, b->best);
    b->bytes = read_file(b->path, &b->size);
}

static inline void bench_close(struct bench *b)
{
    free(b->bytes);
    free(b->best);
    free(b->before.numbers);
    arena_free(&b->source);
    arena_free(&b->target);
}

#endif
