#include "datasets/byte_model.h"

#include <math.h>
#include <stdlib.h>

/* Some bytes in a row: how often they were seen, how often something followed, and how many
 * different bytes did. Those of length n are the contexts of order n, and what follows in order
 * n-1. */
struct gram {
    uint32_t low; /* its last four bytes, the last one lowest */
    uint16_t high;
    uint16_t followers;
    uint32_t seen; /* 0: a free slot */
    uint32_t followed;
};
_Static_assert(sizeof(struct gram) == 16, "what byte_model.h says of memory");
_Static_assert(BYTE_MODEL_ORDERS <= 6, "the bytes of a gram");

/* Grams of one length, by hash with linear probing; at most three quarters of the slots
 * are used. */
struct grams {
    struct gram *slot;
    uint32_t mask, used; /* slots - 1 */
};

struct byte_model {
    struct gram empty;                     /* the gram of length 0 */
    struct grams grams[BYTE_MODEL_ORDERS]; /* of length 1, 2, ... */
    uint64_t last;                         /* bytes, the latest lowest */
    int before;                            /* of them count: at most BYTE_MODEL_ORDERS - 1 */
};

enum { LEAST_SLOTS = 1024 };

static uint64_t bytes_of(const struct gram *gram)
{
    return (uint64_t)gram->high << 32 | gram->low;
}

static struct gram *find(const struct grams *g, uint64_t bytes)
{
    uint32_t i = (uint32_t)(bytes * 0x9e3779b97f4a7c15u >> 32) & g->mask;
    while (g->slot[i].seen && bytes_of(&g->slot[i]) != bytes)
        i = (i + 1) & g->mask;
    return &g->slot[i];
}

/* Makes room for one more. */
static bool reserve(struct grams *g)
{
    if (4 * (uint64_t)g->used < 3 * (uint64_t)g->mask)
        return true;
    const struct grams old = *g;
    struct gram *slot = calloc(2 * ((size_t)old.mask + 1), sizeof *slot);
    if (!slot)
        return false;
    g->slot = slot;
    g->mask = 2 * old.mask + 1;
    for (uint32_t i = 0; i <= old.mask; i++)
        if (old.slot[i].seen)
            *find(g, bytes_of(&old.slot[i])) = old.slot[i];
    free(old.slot);
    return true;
}

struct byte_model *byte_model_new(void)
{
    struct byte_model *m = calloc(1, sizeof *m);
    for (int k = 0; m && k < BYTE_MODEL_ORDERS; k++) {
        m->grams[k].slot = calloc(LEAST_SLOTS, sizeof *m->grams[k].slot);
        m->grams[k].mask = LEAST_SLOTS - 1;
        if (!m->grams[k].slot) {
            byte_model_free(m);
            m = NULL;
        }
    }
    return m;
}

void byte_model_free(struct byte_model *m)
{
    for (int k = 0; m && k < BYTE_MODEL_ORDERS; k++)
        free(m->grams[k].slot);
    free(m);
}

void byte_model_restart(struct byte_model *m)
{
    m->before = 0;
}

/* The last n of some bytes. */
static uint64_t latest(uint64_t bytes, int n)
{
    return bytes & (((uint64_t)1 << 8 * n) - 1);
}

void byte_model_bits(const struct byte_model *m, uint8_t byte, double bits[BYTE_MODEL_ORDERS])
{
    double p = 1. / 256;
    uint64_t bytes = m->last << 8 | byte;
    for (int k = 0; k < BYTE_MODEL_ORDERS; k++) {
        if (k <= m->before) {
            const struct gram *context = k ? find(&m->grams[k - 1], latest(m->last, k)) : &m->empty;
            double seen = find(&m->grams[k], latest(bytes, k + 1))->seen;
            if (context->followed)
                p = (seen + context->followers * p) /
                    ((double)context->followed + context->followers);
        }
        bits[k] = -log2(p);
    }
}

bool byte_model_learn(struct byte_model *m, uint8_t byte)
{
    uint64_t bytes = m->last << 8 | byte;
    for (int k = 0; k < BYTE_MODEL_ORDERS && k <= m->before; k++) {
        struct grams *g = &m->grams[k];
        if (!reserve(g))
            return false;
        struct gram *context = k ? find(&m->grams[k - 1], latest(m->last, k)) : &m->empty;
        const uint64_t bytes_in_gram = latest(bytes, k + 1);
        struct gram *gram = find(g, bytes_in_gram);
        context->followed++;
        if (gram->seen++ == 0) {
            gram->low = (uint32_t)bytes_in_gram;
            gram->high = (uint16_t)(bytes_in_gram >> 32);
            g->used++;
            context->followers++;
        }
    }
    m->last = bytes;
    m->before += m->before < BYTE_MODEL_ORDERS - 1;
    return true;
}
