/* Shards: which trials of a plan one of several runs is to do. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/plan_parts.h"

/* ---- reading ---- */

/* A number without sign from 1 to PLAN_SHARDS_MAX at text; where it ends, or NULL. */
static const char *take_number(const char *text, int *number)
{
    const char *at = text;
    for (*number = 0; *at >= '0' && *at <= '9'; at++) {
        *number = *number * 10 + (*at - '0');
        if (*number > PLAN_SHARDS_MAX)
            return NULL;
    }
    return at > text && *number > 0 ? at : NULL;
}

enum status plan_shard_read(const char *text, struct plan_shard *shard, struct message *m)
{
    struct plan_shard read = {0};
    const char *at = take_number(text, &read.number);
    at = at && *at == '/' ? take_number(at + 1, &read.of) : NULL;
    if (!at || *at)
        return status_fail(m, STATUS_BAD_INPUT,
                           "write a shard as NUMBER/COUNT, such as 2/8 (COUNT up to %d), not "
                           "'%.40s'",
                           PLAN_SHARDS_MAX, text);
    if (read.number > read.of)
        return status_fail(m, STATUS_BAD_INPUT, "there is no shard %d of %d: the last one is %d/%d",
                           read.number, read.of, read.of, read.of);
    *shard = read;
    return STATUS_OK;
}

/* ---- groups under tune ---- */

struct grouped {
    uint64_t hash;
    uint32_t point, first; /* first: the first point of its group */
};

static int by_hash(const void *a, const void *b)
{
    const struct grouped *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static int by_first(const void *a, const void *b)
{
    const struct grouped *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

enum status plan_number_groups(struct plan *p, struct message *m)
{
    size_t n = (size_t)p->points;
    struct grouped *g = malloc(n * sizeof *g);
    p->group = malloc(n * sizeof *p->group);
    if (!g || !p->group) {
        free(g);
        free(p->group);
        p->group = NULL;
        return plan_no_memory(m);
    }
    for (size_t i = 0; i < n; i++)
        g[i] = (struct grouped){.hash = plan_group_hash(p, (long)i), .point = (uint32_t)i};
    qsort(g, n, sizeof *g, by_hash);
    for (size_t i = 0; i < n; i++)
        g[i].first = i > 0 && g[i].hash == g[i - 1].hash ? g[i - 1].first : g[i].point;
    qsort(g, n, sizeof *g, by_first);
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++) {
        number += i > 0 && g[i].first != g[i - 1].first;
        p->group[g[i].point] = number;
    }
    free(g);
    return STATUS_OK;
}

/* ---- the shard ---- */

enum status plan_set_shard(struct plan *p, struct plan_shard shard, struct message *m)
{
    if (shard.of > 0 && p->config->looks)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: a sweep with `looks` cannot be cut into shards, because each look "
                           "is judged by the trials of all of them; give `seeds` instead",
                           p->config->path);
    if (shard.of > 0 && p->config->confirm)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: a sweep with `confirm` cannot be cut into shards, because the "
                           "trials of all of them pick what is confirmed; remove it (--set "
                           "confirm=null), or run the sweep as a whole",
                           p->config->path);
    p->shard = shard;
    return STATUS_OK;
}

struct plan_shard plan_shard(const struct plan *p)
{
    return p->shard;
}

static long common_divisor(long a, long b)
{
    while (b) {
        long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

long plan_shard_round(long points, int of)
{
    return points / common_divisor(points, of) * of;
}

/* Trials are dealt out in the order of the plan, points inside seeds. Once every shard has had
 * every point that it meets so, the next round begins with another shard: else, with two shards and
 * an even number of head counts, each shard would have but every other head count. */
bool plan_in_shard(const struct plan *p, long k)
{
    long of = p->shard.of;
    if (of == 0)
        return true;
    if (p->config->tune)
        return p->group[plan_trial(p, k).point] % of == p->shard.number - 1;
    return (k + k / plan_shard_round(p->points, p->shard.of)) % of == p->shard.number - 1;
}

long plan_shards_most(const struct plan *p)
{
    long groups = 0;
    for (long i = 0; p->config->tune && i < p->points; i++)
        groups = groups > p->group[i] ? groups : (long)p->group[i] + 1;
    return p->config->tune ? groups : plan_trials(p);
}

long plan_shard_trials(const struct plan *p)
{
    long trials = 0;
    for (long k = 0; k < plan_trials(p); k++)
        trials += plan_in_shard(p, k);
    return trials;
}
