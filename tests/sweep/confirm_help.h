/* Exploring trials and fresh ones, put together: what the latter are to decide about the former. */
#ifndef TESTS_SWEEP_CONFIRM_HELP_H
#define TESTS_SWEEP_CONFIRM_HELP_H

#include "tests/sweep/verdict_help.h"

static const double fresh_low[6] = {.70, .72, .69, .71, .73, .70},
                    fresh_good[6] = {.99, 1, .98, 1, .99, 1},
                    fresh_poor[6] = {.28, .27, .30, .26, .29, .28},
                    fresh_mixed[6] = {.60, .99, .71, .70, .73, .70},
                    broken[6] = {-1, -1, -1, -1, -1, -1}, flat[6] = {.5, .5, .5, .5, .5, .5};

/* Exploring, and the fresh trials of the head counts that the claim names. */
struct both {
    struct sketch explored, fresh;
    struct verdict_confirm confirm;
};

/* Four heads win in between, of 1, 2, 4 and 16. Not inlined: the caller's frame has no room for a
 * second copy. */
static __attribute__((noinline, unused)) struct both middle_found(void)
{
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    add(&b.explored, 1, .7, 5, low);
    add(&b.explored, 2, .8, 5, fair);
    add(&b.explored, 4, .99, 5, good);
    add(&b.explored, 16, .3, 5, poor);
    return b;
}

static inline void add_fresh(struct both *b, int64_t heads, const double test[6])
{
    int i = b->fresh.in.count;
    add(&b->fresh, heads, .5, 6, test);
    for (int k = 0; k < 6; k++)
        b->fresh.trial[i][k].seed = 2000 + k;
}

/* Puts the two together, once nothing more is added. */
static inline void write_down(struct both *b, int64_t best, int64_t over1, int64_t over2)
{
    claim(&b->fresh, best, over1, over2);
    for (int i = 0; i < b->fresh.in.count; i++)
        b->fresh.heads[i].trial = b->fresh.trial[i];
    b->fresh.in.heads = b->fresh.heads;
    b->fresh.in.claim_over = b->fresh.over;
    b->confirm.written = true;
    b->confirm.input = &b->fresh.in;
    b->explored.in.confirm = &b->confirm;
}

/* Fresh trials say of 4 heads what those of middle_found do. */
static inline void confirm_four(struct both *b)
{
    add_fresh(b, 1, fresh_low);
    add_fresh(b, 4, fresh_good);
    add_fresh(b, 16, fresh_poor);
    write_down(b, 4, 1, 16);
}

#endif
