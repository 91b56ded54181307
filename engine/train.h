/* Training and evaluating one encoder: step by step, exact and resumable. Knows no task; examples
 * come through a callback. */
#ifndef ENGINE_TRAIN_H
#define ENGINE_TRAIN_H

#include "engine/encoder.h"
#include "engine/train_config.h"

/* n examples as the encoder takes them. */
struct examples {
    long n;
    int32_t *tokens;  /* (n,T,fields) */
    int32_t *targets; /* (n,T,S), or (n,S) when pooled; -100 = masked */
    uint8_t *padding; /* (n,T), 1 = ignore; NULL: none */
};

/* Fills e->n examples for training step `step`: a pure function of the step. tokens and targets are
 * the trainer's memory; padding is NULL at first and may be set to memory of the callback's own.
 * Any failure is the step's. */
typedef enum status (*train_fill)(void *context, int64_t step, struct examples *e,
                                  struct message *m);

/* How many of n targets are not masked. */
long targets_unmasked(const int32_t *targets, long n);

struct metrics {
    double loss, acc, exact; /* means; exact: sequences with every unmasked target right */
    double *acc_by_slot;     /* (S), or NULL if not wanted; caller's */
};

/* What a thread computes with: tapes over the same parameters. */
struct trainer_member {
    struct graph *graph, *eval_graph;
    struct tensor *logits, *eval_logits;
    uint8_t *correct;      /* of one slice: per target, as struct pass says */
    int64_t *slot_targets; /* (S): evaluation's counts */
    int64_t *slot_right;   /* (S) */
    struct arena arena;    /* of a further thread's */
};

struct trainer {
    struct encoder *encoder;
    struct arena *arena;
    int members, threads; /* made; wanted */
    struct trainer_member *member[TEAM_MAX];
    struct team *team;        /* NULL: the calling thread alone */
    int (*threads_now)(void); /* asked before each step and evaluation how many threads it may use;
                                 NULL: as trainer_set_threads says */
    struct slice *slices;     /* a window of them, while they run */
    struct optim optim;
    struct train_config config;
    const struct kernels *kernels;
    uint32_t seed;
    train_fill fill;
    void *context;
    struct examples batch;  /* this step's */
    long slice, eval_slice; /* sequences of one */
    int64_t step;           /* steps done */
    /* since the last call of trainer_take_means: */
    double loss_sum;
    int64_t loss_count, correct_sum, target_sum;
    double grad_norm; /* of the last step, before clipping */
    double lr;        /* of the last step */
};

/* Builds encoder, tapes and optimizer in the arena, weights drawn from seed. The arena, which ends
 * the trainer's threads when it is freed, `fill`, `context` and the field names in io are kept.
 * BAD_INPUT as encoder_new. */
enum status trainer_new(struct arena *a, const struct encoder_config *model,
                        const struct encoder_io *io, const struct train_config *train,
                        uint32_t seed, train_fill fill, void *context, struct trainer **t,
                        struct message *m);

/* The same for an encoder that is already there, made with wants_grad: its weights stay as they
 * are. It is kept, and so are `fill` and `context`; where no step is taken, fill may be NULL. */
enum status trainer_of(struct arena *a, struct encoder *e, const struct train_config *train,
                       uint32_t seed, train_fill fill, void *context, struct trainer **t,
                       struct message *m);

/* From now on a step and an evaluation are spread over up to so many threads, the calling one among
 * them; at first it is 1. What they compute does not depend on it, to the bit. Fewer run where
 * memory (the arena's limit, addresses for OpenBLAS) or the system allows no more. To be called
 * between two steps or evaluations; cheap where nothing changes. */
void trainer_set_threads(struct trainer *t, int threads);

/* One step: forward, backward, clip, update. DIVERGED when loss or gradient norm is NaN or Inf: the
 * weights are then untouched, and the message names the step and the first parameter or operation
 * that has it. Fails as `fill` does, before anything has changed. No allocation; with one thread no
 * system call but those of `fill`. */
enum status trainer_step(struct trainer *t, struct message *m);

/* Mean loss, accuracy and exact-match share over a set with the present weights; dropout off. A
 * sequence without unmasked targets counts as exact. No allocation. */
void trainer_evaluate(struct trainer *t, const struct examples *set, struct metrics *out);

/* Mean of the steps' losses and share of right targets since the last call (0 where there were
 * none); resets them. What train.disagreement adds is no part of the losses, so that they can be
 * compared. */
void trainer_take_means(struct trainer *t, double *loss, double *acc);

/* The logits of sequences first..first+n-1 of a set, of as many as are computed at once, with the
 * present weights: (n,T,S*V), or (n,S*V) when pooled. They last until the next evaluation. */
const real *trainer_logits(struct trainer *t, const struct examples *set, long first, long *n);

/* The most likely class of every target, (n,T,S), or (n,S) when pooled, with the present weights;
 * the first of equals. */
void trainer_predict(struct trainer *t, const struct examples *set, int32_t *classes);

#endif
