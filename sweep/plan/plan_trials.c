/* The trials of a plan: their order, the looks that they belong to, the rungs at which they pause,
 * the groups of points among which `tune` chooses, and the shards that several runs do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/plan_parts.h"

static long tuning_trials(const struct plan *p)
{
    return p->config->tune ? (long)p->config->tune_seeds * p->points : 0;
}

long plan_trials(const struct plan *p)
{
    return tuning_trials(p) + (long)p->config->seeds * p->points;
}

/* The look that brings the k-th seed, from 1. */
static int look_of(const struct config *c, long k)
{
    int look = 0;
    while (look < c->looks && c->look[look] <= k)
        look++;
    return look + 1;
}

struct plan_trial plan_trial(const struct plan *p, long k)
{
    const struct config *c = p->config;
    long tuning = tuning_trials(p), round = k / p->points;
    if (k < tuning)
        return (struct plan_trial){k % p->points, (uint32_t)(CONFIG_TUNING_SEED + round), true, 1};
    round -= tuning / p->points;
    return (struct plan_trial){k % p->points, (uint32_t)c->seed[round], false, look_of(c, round)};
}

int plan_rung_steps(int64_t eta, int64_t min_steps, int64_t steps, int64_t every,
                    int64_t out[PLAN_RUNGS_MAX])
{
    int n = 0;
    for (int64_t least = min_steps; least < steps && n < PLAN_RUNGS_MAX; least *= eta) {
        int64_t rung = (least + every - 1) / every * every;
        if (rung < steps && (n == 0 || rung > out[n - 1]))
            out[n++] = rung;
        if (least > INT64_MAX / eta)
            break;
    }
    return n;
}

int plan_rungs(const struct plan *p, long i, int64_t steps[PLAN_RUNGS_MAX])
{
    const struct config *c = p->config;
    struct point point;
    if (!c->rung_eta)
        return 0;
    plan_point(p, i, &point);
    return plan_rung_steps(c->rung_eta, c->rung_min_steps, point.train.steps,
                           point.train.eval_every, steps);
}

long plan_candidates(const struct plan *p, long i)
{
    return p->candidates ? (long)p->candidates[i] : 1;
}

long plan_beyond(const struct plan *p, long i)
{
    return p->beyond ? (long)p->beyond[i] : 0;
}

long plan_replicates(const struct plan *p)
{
    long n = 1;
    for (int a = 0; a < p->axes; a++)
        n *= p->axis[a].role == ROLE_REPLICATED ? p->axis[a].values : 1;
    return n;
}

static void refuse_short(const struct plan *p)
{
    const struct config *c = p->config;
    int64_t steps[PLAN_RUNGS_MAX];
    struct point point;
    for (long i = 0; i < p->points; i++) {
        if (plan_rungs(p, i, steps) > 0)
            continue;
        plan_point(p, i, &point);
        plan_refuse(p, config_place(c, "tune.rungs.min_steps"),
                    "tune.rungs.min_steps is %" PRId64
                    ", but a trial of %s with train.eval_every %" PRId64
                    " has no evaluation between that step and its last; make min_steps or "
                    "train.eval_every smaller",
                    c->rung_min_steps, text_counted(point.train.steps, "step").text,
                    point.train.eval_every);
    }
}

static int by_group(const void *a, const void *b)
{
    const struct plan_member *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->candidate != y->candidate)
        return x->candidate < y->candidate ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* What is chosen among under tune. */
static uint64_t group_hash(const struct plan *p, long i)
{
    return plan_hash(p, p->kept[i], ROLE_SETTING | ROLE_HEADS);
}

uint64_t plan_setting_hash(const struct plan *p, long i)
{
    return plan_hash(p, p->kept[i], ROLE_SETTING);
}

static uint64_t candidate_hash(const struct plan *p, long i)
{
    return plan_hash(p, p->kept[i], ROLE_TUNED);
}

struct plan_member *plan_list(const struct plan *p, plan_hash_of *group, plan_hash_of *candidate)
{
    size_t n = (size_t)p->points;
    struct plan_member *member = arena_alloc(p->arena, n, sizeof *member);
    for (size_t i = 0; i < n; i++)
        member[i] = (struct plan_member){
            .group = group(p, (long)i), .candidate = candidate(p, (long)i), .point = (uint32_t)i};
    qsort(member, n, sizeof *member, by_group);
    return member;
}

bool plan_next_group(const struct plan *p, const struct plan_member *all, struct plan_group *g)
{
    *g = (struct plan_group){.first = g->end, .end = g->end};
    for (; g->end < all + p->points && g->end->group == g->first->group; g->end++)
        g->candidates += g->end == g->first || g->end->candidate != g->end[-1].candidate;
    return g->first < g->end;
}

/* Replicates are averaged, so guessing must be worth the same on each. Losses of files are averaged
 * whatever they are: the verdict holds each against what guessing costs there. */
static void refuse_other_chance(const struct plan *p, const struct plan_member *member)
{
    const struct config *c = p->config;
    const bool loss = c->metric == METRIC_VAL_LOSS;
    bool bytes = false;
    double chance = 0;
    for (long i = 0; i < p->points; i++) {
        struct point point;
        struct encoder_io io;
        struct task_shape shape;
        struct plan_text name;
        plan_point(p, member[i].point, &point);
        scope_check(p->x, point_check(&point, &io, &shape, NULL, p->x->message));
        bool other = i > 0 && member[i].group == member[i - 1].group && shape.chance != chance;
        if (other && !(loss && point.task->file && shape.bytes == bytes)) {
            plan_text(p, member[i].point, &name);
            plan_refuse(p, config_item_place(c, "replicate", 0),
                        "replicates must be equally hard to guess, but chance accuracy is %.3g at "
                        "%s and %.3g at another value; %s",
                        shape.chance, name.replicate, chance,
                        point.task->file ? "use metric: {name: val_loss}, by which each file is "
                                           "compared only with itself"
                                         : "list values of equal chance accuracy");
        }
        chance = shape.chance;
        bytes = shape.bytes;
    }
}

/* Counts the groups' candidates, for rungs at least two somewhere, and numbers the groups in the
 * order of their first points. */
static void build_candidates(struct plan *p, const struct plan_member *all)
{
    const struct config *c = p->config;
    uint32_t most = 0, number = 0;
    p->candidates = arena_alloc(p->arena, (size_t)p->points, sizeof *p->candidates);
    p->group = arena_alloc(p->arena, (size_t)p->points, sizeof *p->group);
    for (struct plan_group g = {.end = all}; plan_next_group(p, all, &g);) {
        uint32_t first = g.first->point;
        for (const struct plan_member *k = g.first; k < g.end; k++)
            first = k->point < first ? k->point : first;
        for (const struct plan_member *k = g.first; k < g.end; k++) {
            p->candidates[k->point] = g.candidates;
            p->group[k->point] = first;
        }
        most = g.candidates > most ? g.candidates : most;
    }
    for (uint32_t i = 0; i < p->points; i++)
        p->group[i] = p->group[i] == i ? number++ : p->group[p->group[i]];
    if (most <= 1 && c->rung_eta)
        plan_refuse(p, config_item_place(c, "tune.axes", 0),
                    "tune.rungs has nothing to choose from: each head count has one value of the "
                    "tuned axes; list more, or leave rungs out");
}

/* Whether points of a group differ on a tuned axis of real numbers. */
static bool has_ratio(const struct plan *p, const struct plan_axis *a, const struct plan_group *g)
{
    if (a->role != ROLE_TUNED || a->option[0]->type != OPTION_REAL)
        return false;
    for (const struct plan_member *k = g->first + 1; k < g->end; k++)
        if (plan_choose(p, a, p->kept[k->point]).index !=
            plan_choose(p, a, p->kept[g->first->point]).index)
            return true;
    return false;
}

/* Points of the candidate that has most. */
static long widest_candidate(const struct plan_group *g)
{
    long most = 0, n = 0;
    for (const struct plan_member *k = g->first; k < g->end; k++) {
        n = k > g->first && k->candidate == k[-1].candidate ? n + 1 : 1;
        most = n > most ? n : most;
    }
    return most;
}

/* Each axis goes on to one side only: a value that is chosen later lies further out on it. Returns
 * how many points that may add. */
static int64_t count_beyond(struct plan *p, const struct plan_member *all)
{
    int64_t points = 0;
    for (struct plan_group g = {.end = all}; plan_next_group(p, all, &g);) {
        int64_t values = 0;
        for (int a = 0; a < p->axes; a++)
            values += has_ratio(p, &p->axis[a], &g) ? p->config->extend : 0;
        for (const struct plan_member *k = g.first; k < g.end; k++)
            p->beyond[k->point] = (uint32_t)values;
        points += values * widest_candidate(&g);
    }
    return points;
}

static void refuse_pair(const struct plan *p, const struct plan_member pair[2])
{
    const struct config *c = p->config;
    struct plan_text first, second;
    struct point point;
    bool turned = pair[0].point > pair[1].point;
    plan_text(p, pair[turned].point, &first);
    plan_text(p, pair[!turned].point, &second);
    plan_point(p, pair[0].point, &point);
    plan_refuse(p, config_place(c, "tune.extend"),
                "tune.extend: %.200s and %.200s are the same model with %" PRId64
                " head%s, so a value that is added to one may already be in the other; exclude "
                "one of them at that head count",
                first.label, second.label, point.model.heads, text_plural(point.model.heads));
}

/* Settings that are the same model at a head count (kv_heads 1 and `heads` at one head) share no
 * listed value, since equal points are dropped. One that is added would be a trial of both. */
static void refuse_alike(const struct plan *p)
{
    struct plan_member *member = plan_list(p, plan_level_hash, group_hash);
    const struct plan_member *pair = NULL;
    for (long i = 1; i < p->points; i++) {
        const struct plan_member *k = &member[i];
        bool alike = k->group == k[-1].group && k->candidate != k[-1].candidate;
        if (alike && (p->beyond[k->point] || p->beyond[k[-1].point]) &&
            (!pair || k->point < pair[1].point))
            pair = k - 1;
    }
    if (pair)
        refuse_pair(p, pair);
}

/* What may be added counts as points, and whichever is added first: what a cap leaves room for does
 * not hang on the order in which trials end. */
static int64_t build_beyond(struct plan *p, const struct plan_member *member)
{
    const struct config *c = p->config;
    p->beyond = arena_alloc(p->arena, (size_t)p->points, sizeof *p->beyond);
    int64_t more = count_beyond(p, member);
    refuse_alike(p);
    if (p->points + more <= c->run_cap)
        return more;
    plan_refuse(p, config_place(c, "tune.extend"),
                "the sweep has %s, and tune.extend may add %" PRId64
                ", in all more than run_cap %" PRId64
                "; lower tune.extend, shorten lists, or raise run_cap",
                text_counted(p->points, "point").text, more, c->run_cap);
}

/* Points of fresh instances that `confirm` may add: of each setting so many for each head count
 * that a claim names. Fresh seeds are trials of points that are there. */
static int64_t count_fresh(const struct plan *p)
{
    const struct plan_member *all = plan_list(p, plan_setting_hash, group_hash);
    int64_t points = 0;
    for (struct plan_group g = {.end = all}; plan_next_group(p, all, &g);)
        points +=
            p->config->confirm * (g.candidates < PLAN_CONFIRMED ? g.candidates : PLAN_CONFIRMED);
    return points;
}

/* beyond: points that tune.extend may add. */
static void check_fresh(const struct plan *p, int64_t beyond)
{
    const struct config *c = p->config;
    int64_t fresh = count_fresh(p);
    char extended[64] = "";
    if (p->points + beyond + fresh <= c->run_cap)
        return;
    if (beyond)
        snprintf(extended, sizeof extended, ", tune.extend may add %" PRId64, beyond);
    plan_refuse(p, config_place(c, "confirm"),
                "the sweep has %s%s, and confirm may add %" PRId64
                " on fresh instances, in all more than run_cap %" PRId64
                "; take fewer instances, shorten lists, or raise run_cap",
                text_counted(p->points, "point").text, extended, fresh, c->run_cap);
}

void plan_build_groups(struct plan *p)
{
    const struct config *c = p->config;
    if (c->rung_eta)
        refuse_short(p);
    if (!c->tune && !c->replicate)
        return;
    const struct plan_member *all = plan_list(p, group_hash, candidate_hash);
    if (c->replicate)
        refuse_other_chance(p, all);
    if (c->tune)
        build_candidates(p, all);
    int64_t beyond = c->extend ? build_beyond(p, all) : 0;
    if (c->confirm_instance) {
        check_fresh(p, beyond);
        plan_check_fresh(p);
    }
}

/* ---- shards ---- */

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
