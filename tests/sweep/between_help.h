/* Pairs of settings, for tests of how they are judged and of what is said about them. */
#ifndef TESTS_SWEEP_BETWEEN_HELP_H
#define TESTS_SWEEP_BETWEEN_HELP_H

#include "verdict_help.h"

#include "sweep/judge/between.h"

enum { PAIRS = 4 };

/* A setting with one head count, 8, or two, 4 and 8, of the same trials. */
struct setting {
    struct verdict_input in;
    struct verdict_heads heads[2];
    struct verdict_trial trial[MAX_TRIALS];
    struct verdict_choice choice[2];
};

struct pairs {
    int count;
    struct setting setting[PAIRS];
    struct between_pair pair[PAIRS];
};

/* Differences: a - b .078 (t = 4.894, p = .00808), a - c .046 (3.807, .0190), c - b .032 (6.532,
 * .00284), each with 4 degrees of freedom. */
static const double a[5] = {.99, .97, .98, 1.0, .96}, b[5] = {.90, .93, .85, .95, .88},
                    c[5] = {.93, .96, .90, .97, .91};
static const double P_AB = .00807786094080393, P_AC = .018989231492511395,
                    P_CB = .0028378459267344586;

static inline void set_up(struct pairs *p)
{
    *p = (struct pairs){0};
    for (int i = 0; i < PAIRS; i++)
        p->setting[i].in = (struct verdict_input){.chance = .0625, .steps = 1500};
}

/* Gives setting i these values; a negative one is a bad trial. */
static inline void fill(struct pairs *p, int i, int n, const double *value)
{
    struct setting *s = &p->setting[i];
    for (int k = 0; k < n; k++)
        s->trial[k] = (struct verdict_trial){.seed = k,
                                             .bad = value[k] < 0,
                                             .test = value[k],
                                             .val = value[k],
                                             .exact = NAN,
                                             .late_slope = NAN};
    s->in.count = 2;
    s->in.heads = s->heads;
    s->in.choice = s->choice;
    s->heads[0] = (struct verdict_heads){.heads = 4, .n = n, .trial = s->trial};
    s->heads[1] = (struct verdict_heads){.heads = 8, .n = n, .trial = s->trial, .d_head = 4};
}

static inline struct between_pair *add_pair(struct pairs *p, int first, int second, int64_t heads)
{
    static const char *const names[PAIRS] = {"kv_heads=1", "kv_heads=8", "kv_heads=2",
                                             "kv_heads=4"};
    struct between_pair *pair = &p->pair[p->count++];
    *pair = (struct between_pair){
        .sides = {.heads = heads, .name = {names[first], names[second]}, .same = "d_ff=64"}};
    for (int i = 0; i < 2; i++) {
        const struct setting *s = &p->setting[i ? second : first];
        int k = heads == 8;
        pair->of[i] = (struct between_setting){&s->in, k, s->heads[k].n, names[i ? second : first]};
    }
    return pair;
}

static inline struct between_pair *add_claim(struct pairs *p, int better, int than)
{
    struct between_pair *pair = add_pair(p, better, than, 8);
    pair->claimed = true;
    return pair;
}

static inline void judge_all(struct pairs *p)
{
    assert_int_equal(between_judge(p->pair, p->count, NULL), STATUS_OK);
}

static inline void forget(struct pairs *p)
{
    between_free(p->pair, p->count);
    assert_null(p->pair[0].verdict);
    set_up(p);
}

#endif
