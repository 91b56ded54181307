/* Code and options that all tasks share. */
#ifndef DATASETS_TASK_COMMON_H
#define DATASETS_TASK_COMMON_H

#include <stddef.h>

#include "datasets/task.h"

enum { TASK_MAX_LENGTH = 4096, TASK_MAX_VOCAB = 65536 };

/* The members that every task's options start with, so that shared code can read them. */
struct task_common {
    int64_t length, vocab, instance;
};

/* Their lines in a task's option table. last_instance is 0 for a task that draws nothing: an axis
 * over its instances would only repeat the same results. */
#define TASK_COMMON_OPTIONS(least_length, length_default, vocab_default, vocab_help,               \
                            last_instance)                                                         \
    {.name = "length",                                                                             \
     .type = OPTION_INT,                                                                           \
     .offset = offsetof(struct task_common, length),                                               \
     .min = least_length,                                                                          \
     .max = TASK_MAX_LENGTH,                                                                       \
     .default_value = length_default,                                                              \
     .help = "Positions of a sequence."},                                                          \
        {.name = "vocab",                                                                          \
         .type = OPTION_INT,                                                                       \
         .offset = offsetof(struct task_common, vocab),                                            \
         .min = 2,                                                                                 \
         .max = TASK_MAX_VOCAB,                                                                    \
         .default_value = vocab_default,                                                           \
         .help = vocab_help},                                                                      \
    {                                                                                              \
        .name = "instance", .type = OPTION_INT, .offset = offsetof(struct task_common, instance),  \
        .min = 0, .max = last_instance, .default_value = "0",                                      \
        .help = (last_instance) > 0 ? "0: the task as described; others draw it anew."             \
                                    : "Always 0: nothing of this task is drawn.",                  \
    }

/* A shape with one input field `token` of options.vocab tokens and as many classes. */
struct task_shape task_shape_of_tokens(const struct task_common *o, long slots);

/* For tasks without anything to draw. */
void task_no_instance(const void *options, void *instance);

/* n uniform tokens below vocab. */
void task_draw_tokens(struct rng *r, long n, int64_t vocab, int32_t *tokens);

/* Probability of k successes in n trials of probability p, 0 < p < 1. */
double task_binomial(long n, double p, long k);

#endif
