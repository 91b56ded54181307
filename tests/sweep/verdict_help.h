/* Settings made up for a verdict. Values are chosen so that the numbers can be checked by hand or
 * with R: t.test(a, b, paired = TRUE). */
#ifndef TESTS_SWEEP_VERDICT_HELP_H
#define TESTS_SWEEP_VERDICT_HELP_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/judge/verdict_text.h"

#include "tests/test.h"

enum { MAX_HEADS = 8, MAX_TRIALS = 32, MAX_BLOCKS = 8, MAX_AXES = 2, MAX_VALUES = 16 };

struct sketch {
    struct verdict_input in;
    struct verdict_heads heads[MAX_HEADS];
    struct verdict_trial trial[MAX_HEADS][MAX_TRIALS];
    int64_t over[MAX_HEADS];
    struct verdict_choice choice[MAX_HEADS];
    struct verdict_axis axis[MAX_HEADS][MAX_AXES];
    struct verdict_value value[MAX_HEADS][MAX_AXES][MAX_VALUES];
    double block[MAX_HEADS][MAX_TRIALS][MAX_BLOCKS];
};

static inline struct sketch sketch_new(void)
{
    return (struct sketch){.in = {.chance = .0625, .steps = 1500}};
}

/* Adds a head count whose n seeds (from 0) have these test values; the validation value is val at
 * every seed. A negative value is a bad trial. */
static inline void add(struct sketch *s, int64_t heads, double val, int n, const double *test)
{
    int i = s->in.count++;
    s->heads[i] = (struct verdict_heads){.heads = heads, .n = n};
    for (int k = 0; k < n; k++)
        s->trial[i][k] = (struct verdict_trial){.seed = k,
                                                .bad = test[k] < 0,
                                                .test = test[k],
                                                .val = val,
                                                .exact = NAN,
                                                .late_slope = NAN};
    s->in.planned += n;
}

static inline void claim(struct sketch *s, int64_t best, int64_t over1, int64_t over2)
{
    s->in.has_claim = true;
    s->in.claim_best = best;
    s->over[s->in.claim_over_count++] = over1;
    if (over2)
        s->over[s->in.claim_over_count++] = over2;
}

/* Gives a head count, by rising head count, the values of an axis, NULL at their end. */
static inline void tune_with(struct sketch *s, int64_t heads, const char *path, int chosen,
                             enum grid_edge edge, const char *const *values)
{
    bool same = s->in.choices > 0 && s->choice[s->in.choices - 1].heads == heads;
    int i = same ? s->in.choices - 1 : s->in.choices++, n = 0;
    int a = s->choice[i].axes++;
    s->choice[i].heads = heads;
    for (; values[n]; n++)
        s->value[i][a][n] = (struct verdict_value){strtod(values[n], NULL), values[n]};
    s->axis[i][a] = (struct verdict_axis){path, n, NULL, chosen, edge};
}

#define TUNE(s, heads, path, chosen, edge, ...)                                                    \
    tune_with(s, heads, path, chosen, edge, (const char *const[]){__VA_ARGS__, NULL})

static inline struct verdict *judge_sketch(struct sketch *s)
{
    struct verdict *v;
    for (int i = 0; i < s->in.count; i++)
        s->heads[i].trial = s->trial[i];
    for (int i = 0; i < s->in.choices; i++) {
        s->choice[i].axis = s->axis[i];
        for (int a = 0; a < s->choice[i].axes; a++)
            s->axis[i][a].value = s->value[i][a];
    }
    s->in.heads = s->heads;
    s->in.claim_over = s->over;
    s->in.choice = s->choice;
    assert_int_equal(verdict_new(&s->in, &v, NULL), STATUS_OK);
    return v;
}

/* To be freed. */
static inline struct verdict_text words_of(const struct sketch *s, const struct verdict *v)
{
    struct verdict_text text;
    assert_int_equal(verdict_text_new(&s->in, v, &text, NULL), STATUS_OK);
    return text;
}

/* Judges and compares kind and all sentences. */
static inline void expect(struct sketch *s, enum verdict_kind kind, const char *const *sentences)
{
    struct verdict *v = judge_sketch(s);
    struct verdict_text text = words_of(s, v);
    assert_string_equal(verdict_kind_name(v->kind), verdict_kind_name(kind));
    int i = 0;
    for (; sentences[i]; i++) {
        assert_true(i < text.count);
        assert_string_equal(text.sentence[i].text, sentences[i]);
    }
    assert_int_equal(text.count, i);
    verdict_text_free(&text);
    verdict_free(v);
}

#define EXPECT(s, kind, ...) expect(s, kind, (const char *const[]){__VA_ARGS__, NULL})

/* Judges and compares one sentence. */
static inline void expect_sentence(struct sketch *s, int i, const char *sentence)
{
    struct verdict *v = judge_sketch(s);
    struct verdict_text text = words_of(s, v);
    assert_true(i < text.count);
    assert_string_equal(text.sentence[i].text, sentence);
    verdict_text_free(&text);
    verdict_free(v);
}

/* Judges; the sentence that contains `part`, or NULL. To be freed. */
static inline char *sentence_with(struct sketch *s, const char *part)
{
    struct verdict *v = judge_sketch(s);
    struct verdict_text text = words_of(s, v);
    char *found = NULL;
    for (int i = 0; i < text.count && !found; i++)
        if (strstr(text.sentence[i].text, part))
            found = strdup(text.sentence[i].text);
    verdict_text_free(&text);
    verdict_free(v);
    return found;
}

static inline void expect_with(struct sketch *s, const char *part, const char *sentence)
{
    char *found = sentence_with(s, part);
    if (!sentence)
        assert_null(found);
    else
        assert_string_equal(found ? found : "nothing", sentence);
    free(found);
}

/* Gives every head count this learning rate, and a d_head. */
static inline void describe(struct sketch *s, const char *lr)
{
    for (int i = 0; i < s->in.count; i++) {
        s->heads[i].lr = lr;
        s->heads[i].d_head = 32 / s->heads[i].heads;
    }
}

static inline void assert_near(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-12 + 1e-6 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", actual, expected);
}

static inline void assert_kind(struct sketch *s, enum verdict_kind kind)
{
    struct verdict *v = judge_sketch(s);
    assert_string_equal(verdict_kind_name(v->kind), verdict_kind_name(kind));
    verdict_free(v);
}

static const double low[5] = {.70, .72, .69, .71, .73}, good[5] = {.99, 1, .98, 1, .99},
                    fair[5] = {.97, 1, .99, .98, .99}, poor[5] = {.28, .27, .30, .26, .29};

#endif
