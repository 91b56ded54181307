/* The trials of a plan: their order, the looks that they belong to, the rungs at which they pause,
 * and the groups of points among which `tune` chooses. */
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

long plan_group(const struct plan *p, long i)
{
    return p->group ? (long)p->group[i] : 0;
}

long plan_replicates(const struct plan *p)
{
    long n = 1;
    for (int i = 0; i < p->replicated; i++)
        n *= p->axis[p->replicate[i]].values;
    return n;
}

static enum status refuse_short(const struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    int64_t steps[PLAN_RUNGS_MAX];
    struct point point;
    for (long i = 0; i < p->points; i++) {
        if (plan_rungs(p, i, steps) > 0)
            continue;
        plan_point(p, i, &point);
        status_fail(m, STATUS_BAD_INPUT,
                    "tune.rungs.min_steps is %" PRId64
                    ", but a trial of %s with train.eval_every %" PRId64
                    " has no evaluation between that step and its last; make min_steps or "
                    "train.eval_every smaller",
                    c->rung_min_steps, text_counted(point.train.steps, "step").text,
                    point.train.eval_every);
        return config_within(c, c->rung_place, m);
    }
    return STATUS_OK;
}

/* A point among those that it is compared with. */
struct member {
    uint64_t group, candidate; /* hashes */
    uint32_t point;
};

static int by_group(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->candidate != y->candidate)
        return x->candidate < y->candidate ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

uint64_t plan_group_hash(const struct plan *p, long i)
{
    return plan_hash(p, p->kept[i], ROLE_SETTING | ROLE_HEADS);
}

uint64_t plan_setting_hash(const struct plan *p, long i)
{
    return plan_hash(p, p->kept[i], ROLE_SETTING);
}

typedef uint64_t hash_of(const struct plan *p, long i);

static uint64_t candidate_hash(const struct plan *p, long i)
{
    return plan_hash(p, p->kept[i], ROLE_TUNED);
}

/* The points, those of a group together and in it those of a candidate. NULL when there is no
 * memory. */
static struct member *list_by(const struct plan *p, hash_of *group, hash_of *candidate)
{
    size_t n = (size_t)p->points;
    struct member *member = malloc(n * sizeof *member);
    if (!member)
        return NULL;
    for (size_t i = 0; i < n; i++)
        member[i] = (struct member){
            .group = group(p, (long)i), .candidate = candidate(p, (long)i), .point = (uint32_t)i};
    qsort(member, n, sizeof *member, by_group);
    return member;
}

/* A group is a setting with a head count, a candidate its values of the tuned axes. */
static struct member *list_members(const struct plan *p)
{
    return list_by(p, plan_group_hash, candidate_hash);
}

/* Returns the most candidates of any group. */
static uint32_t count_candidates(struct plan *p, const struct member *member)
{
    uint32_t most = 0;
    for (long first = 0, end; first < p->points; first = end) {
        uint32_t n = 1;
        for (end = first + 1; end < p->points && member[end].group == member[first].group; end++)
            n += member[end].candidate != member[end - 1].candidate;
        for (long i = first; i < end; i++)
            p->candidates[member[i].point] = n;
        most = n > most ? n : most;
    }
    return most;
}

/* Replicates are averaged, so guessing must be worth the same on each. Losses of files are averaged
 * whatever they are: the verdict holds each against what guessing costs there. */
static enum status refuse_other_chance(const struct plan *p, const struct member *member,
                                       struct message *m)
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
        enum status s = point_check(&point, &io, &shape, NULL, m);
        if (s)
            return s;
        bool other = i > 0 && member[i].group == member[i - 1].group && shape.chance != chance;
        if (other && !(loss && point.task->file && shape.bytes == bytes)) {
            plan_text(p, member[i].point, &name);
            status_fail(m, STATUS_BAD_INPUT,
                        "replicates must be equally hard to guess, but chance accuracy is %.3g at "
                        "%s and %.3g at another value; %s",
                        shape.chance, name.replicate, chance,
                        point.task->file ? "use metric: {name: val_loss}, by which each file is "
                                           "compared only with itself"
                                         : "list values of equal chance accuracy");
            return config_within(c, c->replicate_place[0], m);
        }
        chance = shape.chance;
        bytes = shape.bytes;
    }
    return STATUS_OK;
}

/* The groups' candidates, for rungs at least two somewhere. */
static enum status build_candidates(struct plan *p, const struct member *member, struct message *m)
{
    const struct config *c = p->config;
    p->candidates = calloc((size_t)p->points, sizeof *p->candidates);
    if (!p->candidates)
        return plan_no_memory(m);
    if (count_candidates(p, member) > 1 || !c->rung_eta)
        return STATUS_OK;
    status_fail(m, STATUS_BAD_INPUT,
                "tune.rungs has nothing to choose from: each head count has one value of the tuned "
                "axes; list more, or leave rungs out");
    return config_within(c, c->tune_place[0], m);
}

/* Whether points of a group differ on a tuned axis of real numbers. */
static bool has_ratio(const struct plan *p, const struct plan_axis *a, const struct member *first,
                      const struct member *end)
{
    if (a->option[0]->type != OPTION_REAL)
        return false;
    for (const struct member *k = first + 1; k < end; k++)
        if (plan_choose(p, a, p->kept[k->point]).index !=
            plan_choose(p, a, p->kept[first->point]).index)
            return true;
    return false;
}

/* Points of the candidate that has most. */
static long widest_candidate(const struct member *first, const struct member *end)
{
    long most = 0, n = 0;
    for (const struct member *k = first; k < end; k++) {
        n = k > first && k->candidate == k[-1].candidate ? n + 1 : 1;
        most = n > most ? n : most;
    }
    return most;
}

/* Each axis goes on to one side only: a value that is chosen later lies further out on it. Returns
 * how many points that may add. */
static int64_t count_beyond(struct plan *p, const struct member *member)
{
    int64_t points = 0;
    for (long first = 0, end; first < p->points; first = end) {
        int64_t values = 0;
        for (end = first + 1; end < p->points && member[end].group == member[first].group;)
            end++;
        for (int i = 0; i < p->tuned; i++)
            if (has_ratio(p, &p->axis[p->tuning[i]], member + first, member + end))
                values += p->config->extend;
        for (long i = first; i < end; i++)
            p->beyond[member[i].point] = (uint32_t)values;
        points += values * widest_candidate(member + first, member + end);
    }
    return points;
}

static enum status refuse_pair(const struct plan *p, const struct member pair[2], struct message *m)
{
    const struct config *c = p->config;
    struct plan_text first, second;
    struct point point;
    bool turned = pair[0].point > pair[1].point;
    plan_text(p, pair[turned].point, &first);
    plan_text(p, pair[!turned].point, &second);
    plan_point(p, pair[0].point, &point);
    status_fail(m, STATUS_BAD_INPUT,
                "tune.extend: %.200s and %.200s are the same model with %" PRId64
                " head%s, so a value that is added to one may already be in the other; exclude "
                "one of them at that head count",
                first.label, second.label, point.model.heads, text_plural(point.model.heads));
    return config_within(c, c->extend_place, m);
}

/* Settings that are the same model at a head count (kv_heads 1 and `heads` at one head) share no
 * listed value, since equal points are dropped. One that is added would be a trial of both. */
static enum status refuse_alike(const struct plan *p, struct message *m)
{
    struct member *member = list_by(p, plan_level_hash, plan_group_hash);
    const struct member *pair = NULL;
    enum status s = STATUS_OK;
    if (!member)
        return plan_no_memory(m);
    for (long i = 1; i < p->points; i++) {
        const struct member *k = &member[i];
        bool alike = k->group == k[-1].group && k->candidate != k[-1].candidate;
        if (alike && (p->beyond[k->point] || p->beyond[k[-1].point]) &&
            (!pair || k->point < pair[1].point))
            pair = k - 1;
    }
    if (pair)
        s = refuse_pair(p, pair, m);
    free(member);
    return s;
}

/* What may be added counts as points, and whichever is added first: what a cap leaves room for does
 * not hang on the order in which trials end. */
static enum status build_beyond(struct plan *p, const struct member *member, int64_t *more,
                                struct message *m)
{
    const struct config *c = p->config;
    p->beyond = calloc((size_t)p->points, sizeof *p->beyond);
    if (!p->beyond)
        return plan_no_memory(m);
    *more = count_beyond(p, member);
    enum status s = refuse_alike(p, m);
    if (s)
        return s;
    if (p->points + *more <= c->run_cap)
        return STATUS_OK;
    status_fail(m, STATUS_BAD_INPUT,
                "the sweep has %s, and tune.extend may add %" PRId64
                ", in all more than run_cap %" PRId64
                "; lower tune.extend, shorten lists, or raise run_cap",
                text_counted(p->points, "point").text, *more, c->run_cap);
    return config_within(c, c->extend_place, m);
}

/* Points of fresh instances that `confirm` may add: of each setting so many for each head count
 * that a claim names. Fresh seeds are trials of points that are there. */
static enum status count_fresh(const struct plan *p, int64_t *points, struct message *m)
{
    struct member *member = list_by(p, plan_setting_hash, plan_group_hash);
    if (!member)
        return plan_no_memory(m);
    *points = 0;
    for (long first = 0, end; first < p->points; first = end) {
        int heads = 1;
        for (end = first + 1; end < p->points && member[end].group == member[first].group; end++)
            heads += heads < PLAN_CONFIRMED && member[end].candidate != member[end - 1].candidate;
        *points += heads * p->config->confirm;
    }
    free(member);
    return STATUS_OK;
}

/* beyond: points that tune.extend may add. */
static enum status check_fresh(const struct plan *p, int64_t beyond, struct message *m)
{
    const struct config *c = p->config;
    int64_t fresh = 0;
    char extended[64] = "";
    enum status s = count_fresh(p, &fresh, m);
    if (s || p->points + beyond + fresh <= c->run_cap)
        return s;
    if (beyond)
        snprintf(extended, sizeof extended, ", tune.extend may add %" PRId64, beyond);
    status_fail(m, STATUS_BAD_INPUT,
                "the sweep has %s%s, and confirm may add %" PRId64
                " on fresh instances, in all more than run_cap %" PRId64
                "; take fewer instances, shorten lists, or raise run_cap",
                text_counted(p->points, "point").text, extended, fresh, c->run_cap);
    return config_within(c, c->confirm_place, m);
}

enum status plan_build_groups(struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    enum status s = c->rung_eta ? refuse_short(p, m) : STATUS_OK;
    if (s || (!c->tune && !c->replicate))
        return s;
    struct member *member = list_members(p);
    int64_t beyond = 0;
    if (!member)
        return plan_no_memory(m);
    if (c->replicate)
        s = refuse_other_chance(p, member, m);
    if (!s && c->tune)
        s = build_candidates(p, member, m);
    if (!s && c->tune)
        s = plan_number_groups(p, m);
    if (!s && c->extend)
        s = build_beyond(p, member, &beyond, m);
    if (!s && c->confirm_instance)
        s = check_fresh(p, beyond, m);
    if (!s && c->confirm_instance)
        s = plan_check_fresh(p, m);
    free(member);
    return s;
}

enum status plan_spare(const struct plan *p, const long *waiting, bool *spare, struct message *m)
{
    memset(spare, 0, (size_t)p->points * sizeof *spare);
    if (!p->config->tune)
        return STATUS_OK;
    struct member *member = list_members(p);
    if (!member)
        return plan_no_memory(m);
    for (long first = 0, end; first < p->points; first = end) {
        long most = -1;
        uint64_t runs = 0; /* the candidate that has most */
        for (end = first; end < p->points && member[end].group == member[first].group;) {
            uint64_t candidate = member[end].candidate;
            long n = 0;
            for (; end < p->points && member[end].group == member[first].group &&
                   member[end].candidate == candidate;
                 end++)
                n += waiting[member[end].point];
            runs = n > most ? candidate : runs;
            most = n > most ? n : most;
        }
        for (long i = first; i < end; i++)
            spare[member[i].point] = member[i].candidate != runs;
    }
    free(member);
    return STATUS_OK;
}
