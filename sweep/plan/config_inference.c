/* The keys of a sweep file about how sure its answer is: seeds and looks (how often everything is
 * tried), equivalence (which difference matters), claim (what is predicted), confirm (which fresh
 * seeds or instances decide about what the others have found). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum { HEADS_MAX = 65536 };
/* The sign-flip test of fewer units cannot reach p < .05. */
enum { FRESH_LEAST = 6, FRESH_MOST = 1000, INSTANCE_MAX = INT32_MAX };

/* ---- seeds ---- */

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The first item of the list that an earlier one equals. */
static void refuse_twins(const struct reading *r, const struct tree *list, const char *what)
{
    int64_t *sorted = arena_alloc(r->arena, (size_t)r->c->seeds, sizeof *sorted);
    memcpy(sorted, r->c->seed, (size_t)r->c->seeds * sizeof *sorted);
    qsort(sorted, (size_t)r->c->seeds, sizeof *sorted, by_value);
    bool twins = false;
    int64_t twin = 0;
    for (int i = 1; i < r->c->seeds && !twins; i++)
        if ((twins = sorted[i] == sorted[i - 1]))
            twin = sorted[i];
    if (!twins)
        return;
    int met = 0, i = 0;
    for (const struct tree *t = list->first; t; t = t->next, i++)
        if (r->c->seed[i] == twin && met++)
            reading_refuse(r, t->place, "%s %" PRId64 " is in the list twice", what, twin);
}

void reading_count_seeds(struct reading *r, int64_t n)
{
    struct config *c = r->c;
    c->seeds = (int)n;
    c->seed = arena_alloc(r->arena, (size_t)n, sizeof *c->seed);
    for (int i = 0; i < c->seeds; i++)
        c->seed[i] = i;
}

void reading_seeds(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    int64_t n = t->count;
    bool listed = t->kind == TREE_LIST;
    if (!listed)
        reading_integer(r, t, "seeds", 1, READING_SEEDS_MAX, &n);
    if (n < 1 || n > READING_SEEDS_MAX)
        reading_refuse(r, t->place, "seeds lists %" PRId64 " seeds; allowed: 1 to %d", n,
                       READING_SEEDS_MAX);
    reading_count_seeds(r, n);
    if (!listed)
        return;
    int i = 0;
    for (const struct tree *item = t->first; item; item = item->next)
        reading_integer(r, item, "a seed", 0, UINT32_MAX, &c->seed[i++]);
    refuse_twins(r, t, "seed");
}

void reading_looks(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    const struct tree *seeds = tree_find(r->root, "seeds");
    reading_expect(r, t, TREE_LIST, "looks");
    if (seeds && seeds->place.line == 0)
        reading_refuse(r, seeds->place,
                       "looks says how many seeds there are; remove it too, with --set looks=null");
    if (seeds)
        reading_refuse(r, t->key_place,
                       "looks sets the number of seeds, so it cannot be used with seeds; "
                       "remove one of them");
    if (t->count < 2 || t->count > CONFIG_LOOKS_MAX)
        reading_refuse(r, t->place,
                       "looks lists %d number%s of seeds; allowed: 2 to %d, as in "
                       "[5, 10, 20] (for a single one write seeds: N)",
                       t->count, text_plural(t->count), CONFIG_LOOKS_MAX);
    int64_t before = 0;
    for (const struct tree *item = t->first; item; item = item->next) {
        reading_integer(r, item, "a look", 2, READING_SEEDS_MAX, &c->look[c->looks]);
        if (c->look[c->looks] <= before)
            reading_refuse(r, item->place,
                           "the look %" PRId64 " comes after %" PRId64
                           "; looks count all seeds so far, so each must be larger than "
                           "the one before",
                           c->look[c->looks], before);
        before = c->look[c->looks++];
    }
    reading_count_seeds(r, before);
}

void reading_equivalence(struct reading *r, const struct tree *t)
{
    char shown[64];
    bool integral;
    const bool loss = r->c->metric == METRIC_VAL_LOSS;
    reading_expect(r, t, TREE_SCALAR, "equivalence");
    double *margin = &r->c->equivalence;
    if (t->quoted || !number_parse(t->text, margin, &integral) || *margin <= 0 ||
        (!loss && *margin >= 1))
        reading_refuse(r, t->place, "equivalence is %s; allowed: a number above 0%s",
                       text_shown(t->text, shown, sizeof shown),
                       loss ? ", in units of the loss"
                            : " and below 1, as in .005: a difference of accuracies");
}

/* ---- a claim of head counts ---- */

static void read_over(struct reading *r, const struct tree *over)
{
    struct claim *claim = &r->c->claim;
    const int most = (int)(sizeof claim->over / sizeof *claim->over);
    reading_expect(r, over, TREE_LIST, "claim.over");
    if (over->count < 1 || over->count > most)
        reading_refuse(r, over->place, "claim.over lists %d head counts; allowed: 1 to %d",
                       over->count, most);
    for (const struct tree *t = over->first; t; t = t->next) {
        int64_t rival = 0;
        reading_integer(r, t, "claim.over", 1, HEADS_MAX, &rival);
        if (rival == claim->best)
            reading_refuse(r, t->place, "claim.over has the head count that is claimed best");
        for (int i = 0; i < claim->over_count; i++)
            if (claim->over[i] == rival)
                reading_refuse(r, t->place, "%" PRId64 " is in the list twice", rival);
        r->c->claim_over_place[claim->over_count] = t->place;
        claim->over[claim->over_count++] = rival;
    }
}

static void read_best(struct reading *r, const struct tree *best, const struct tree *over)
{
    r->c->claim_best_place = best->place;
    reading_integer(r, best, "claim.best", 1, HEADS_MAX, &r->c->claim.best);
    read_over(r, over);
}

/* ---- a claim of two settings ---- */

static bool is_among(const char *const *paths, int n, const char *path)
{
    for (int i = 0; i < n; i++)
        if (strcmp(paths[i], path) == 0)
            return true;
    return false;
}

/* Settings are told by axes of model and training that are neither tuned nor averaged over. */
static void check_axis(const struct reading *r, const struct option_set *set, const struct tree *t)
{
    const struct config *c = r->c;
    const struct axis *axis = reading_axis(c, t->key);
    if (strcmp(t->key, "model.heads") == 0)
        reading_refuse(r, t->key_place,
                       "settings are compared at one head count, claim.heads, so "
                       "model.heads cannot differ; to compare head counts, write {best: 4, "
                       "over: [1, 16]}");
    if (!set->count || strcmp(set->section, "task") == 0)
        reading_refuse(r, t->key_place,
                       "settings that differ in %s cannot be compared: accuracies on "
                       "different tasks are not alike; name options of model or train",
                       t->key);
    if (config_is_tuned(c, t->key))
        reading_refuse(r, t->key_place,
                       "%s is tuned, so settings cannot differ in it: each is compared at "
                       "its own best value; name another axis",
                       t->key);
    if (is_among(c->replicate_path, c->replicate, t->key))
        reading_refuse(r, t->key_place,
                       "%s is replicated, so settings cannot differ in it: each is "
                       "compared over all values; name another axis",
                       t->key);
    if (!axis || axis->values == 1)
        reading_refuse(r, t->key_place, "%s has only one value, so no two settings differ in it",
                       t->key);
}

static void read_better(struct reading *r, const struct tree *better)
{
    struct claim *claim = &r->c->claim;
    size_t n = (size_t)better->count;
    claim->axis = arena_alloc(r->arena, n, sizeof *claim->axis);
    claim->better = arena_alloc(r->arena, n, sizeof *claim->better);
    claim->than = arena_alloc(r->arena, n, sizeof *claim->than);
    claim->axis_place = arena_alloc(r->arena, n, sizeof *claim->axis_place);
    for (const struct tree *t = better->first; t; t = t->next) {
        struct option_set set;
        reading_option(r, t->key_place, t->key, &set);
        check_axis(r, &set, t);
        reading_expect(r, t, TREE_SCALAR, t->key);
        reading_one_value(r, &set, t->key, t, &claim->better[claim->axes]);
        claim->axis_place[claim->axes] = t->key_place;
        claim->axis[claim->axes++] = t->key;
    }
}

/* The same axes as `better`, in its order. */
static void read_than(struct reading *r, const struct tree *than)
{
    struct claim *claim = &r->c->claim;
    for (const struct tree *t = than->first; t; t = t->next)
        if (!is_among(claim->axis, claim->axes, t->key))
            reading_refuse(r, t->key_place,
                           "claim.than names %s, which claim.better does not; both must "
                           "name the same axes",
                           t->key);
    for (int i = 0; i < claim->axes; i++) {
        struct option_set set;
        const struct tree *t = tree_find(than, claim->axis[i]);
        if (!t)
            reading_refuse(r, than->place,
                           "claim.than lacks %s, which claim.better names; both must name "
                           "the same axes",
                           claim->axis[i]);
        reading_option(r, t->key_place, t->key, &set);
        reading_expect(r, t, TREE_SCALAR, t->key);
        reading_one_value(r, &set, t->key, t, &claim->than[i]);
    }
}

static void read_settings(struct reading *r, const struct tree *t, const struct tree *better,
                          const struct tree *than, const struct tree *heads)
{
    struct config *c = r->c;
    reading_expect(r, better, TREE_MAP, "claim.better");
    reading_expect(r, than, TREE_MAP, "claim.than");
    if (c->method == METHOD_RANDOM)
        reading_refuse(r, t->key_place,
                       "a claim of settings needs method: grid: settings that are drawn "
                       "are not compared");
    if (c->looks)
        reading_refuse(r, t->key_place,
                       "a claim of settings cannot be used with looks, because each "
                       "setting may stop at a different look; write seeds in place of "
                       "looks");
    if (better->count == 0)
        reading_refuse(r, better->place,
                       "claim.better is empty; name the axes by which the settings differ, "
                       "as in {model.kv_heads: 1}");
    c->claim.heads_place = heads->place;
    read_better(r, better);
    read_than(r, than);
    reading_integer(r, heads, "claim.heads", 1, HEADS_MAX, &c->claim.heads);
}

/* ---- either ---- */

void reading_claim(struct reading *r, const struct tree *t)
{
    reading_mapping(r, t, "claim");
    const struct tree *best = tree_find(t, "best"), *over = tree_find(t, "over");
    const struct tree *better = tree_find(t, "better"), *than = tree_find(t, "than");
    const struct tree *heads = tree_find(t, "heads");
    bool of_settings = better || than || heads;
    if (of_settings && (best || over))
        reading_refuse(r, t->place,
                       "a claim is of head counts, {best: 4, over: [1, 16]}, or of two "
                       "settings, {better: {model.kv_heads: 1}, than: {model.kv_heads: 8}, "
                       "heads: 8}; write one of them");
    if (!of_settings && (!best || !over))
        reading_refuse(r, t->place, "missing key '%s' under claim", best ? "over" : "best");
    if (of_settings && (!better || !than || !heads))
        reading_refuse(r, t->place, "missing key '%s' under claim",
                       !better ? "better"
                       : !than ? "than"
                               : "heads");
    r->c->has_claim = true;
    if (of_settings)
        read_settings(r, t, better, than, heads);
    else
        read_best(r, best, over);
}

/* ---- confirm ---- */

int64_t config_fresh_seeds(const struct config *c)
{
    return !c->confirm ? 0 : c->replicate ? c->seeds : c->confirm;
}

/* Seeds that explore or tune and that `confirm` would take as well. */
static void refuse_known_seeds(const struct reading *r)
{
    const struct config *c = r->c;
    const int64_t end = CONFIG_FRESH_SEED + config_fresh_seeds(c);
    for (int i = 0; i < c->seeds; i++)
        if (c->seed[i] >= CONFIG_FRESH_SEED && c->seed[i] < end)
            reading_refuse(r, c->confirm_place,
                           "confirm keeps the seeds %d to %" PRId64 " fresh; take %" PRId64
                           " out of seeds",
                           CONFIG_FRESH_SEED, end - 1, c->seed[i]);
}

/* Only instances of a toy can be made anew. */
static void refuse_replicated(const struct reading *r)
{
    const struct config *c = r->c;
    for (int i = 0; i < c->replicate; i++)
        if (strcmp(c->replicate_path[i], "task.instance") != 0)
            reading_refuse(r, c->confirm_place,
                           "confirm cannot draw fresh values of %s, which is replicated; "
                           "leave confirm out, or replicate task.instance only",
                           c->replicate_path[i]);
    for (int i = 0; i < r->tasks && c->replicate; i++)
        if (r->task[i]->file)
            reading_refuse(
                r, c->confirm_place,
                "confirm and replicate cannot be used together for the task %s: splits of a file "
                "share rows, so none of them is fresh; remove one of the two",
                r->task[i]->name);
}

static bool is_explored(const struct config *c, int64_t instance)
{
    const struct axis *axis = reading_axis(c, "task.instance");
    for (int i = 0; axis && i < axis->values; i++) {
        double number = 0;
        bool integral;
        if (number_parse(axis->value[i].scalar[0], &number, &integral) &&
            number == (double)instance)
            return true;
    }
    return false;
}

static void read_instance(struct reading *r, const struct option_set *set, const struct tree *t)
{
    struct config *c = r->c;
    int64_t instance = 0;
    reading_integer(r, t, "confirm.instances", 0, INSTANCE_MAX, &instance);
    reading_check(r, set, t);
    if (is_explored(c, instance))
        reading_refuse(r, t->place,
                       "instance %" PRId64
                       " is explored by task.instance, so it is not fresh; list others",
                       instance);
    for (int64_t i = 0; i < c->confirm; i++)
        if (c->confirm_instance[i] == instance)
            reading_refuse(r, t->place, "instance %" PRId64 " is in the list twice", instance);
    c->confirm_instance[c->confirm++] = instance;
}

static void read_fresh_instances(struct reading *r, const struct tree *t)
{
    struct option_set set;
    reading_mapping(r, t, "confirm");
    const struct tree *list = tree_find(t, "instances");
    if (!list)
        reading_refuse(r, t->place, "missing key 'instances' under confirm");
    if (!r->c->replicate)
        reading_refuse(r, t->place,
                       "confirm.instances needs replicate: [task.instance]; without it, "
                       "write how many fresh seeds there are, as in confirm: 8");
    refuse_replicated(r);
    reading_expect(r, list, TREE_LIST, "confirm.instances");
    if (list->count < FRESH_LEAST || list->count > FRESH_MOST)
        reading_refuse(r, list->place, "confirm.instances lists %d instance%s; allowed: %d to %d",
                       list->count, text_plural(list->count), FRESH_LEAST, FRESH_MOST);
    r->c->confirm_instance =
        arena_alloc(r->arena, (size_t)list->count, sizeof *r->c->confirm_instance);
    reading_option(r, list->place, "task.instance", &set);
    for (const struct tree *item = list->first; item; item = item->next)
        read_instance(r, &set, item);
}

static void read_fresh_seeds(struct reading *r, const struct tree *t)
{
    if (!r->c->replicate) {
        reading_integer(r, t, "confirm", FRESH_LEAST, FRESH_MOST, &r->c->confirm);
        return;
    }
    refuse_replicated(r);
    reading_refuse(r, t->place,
                   "with replicate, confirm takes fresh instances, not seeds; list them, as in "
                   "confirm: {instances: [9, 10, 11, 12, 13, 14]}");
}

void reading_confirm(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    c->confirm_place = t->place;
    if (c->has_claim)
        reading_refuse(r, t->key_place,
                       "confirm makes its own claim after the other trials have ended, so "
                       "it cannot be used with claim; remove one of them");
    const struct axis *heads = reading_axis(c, "model.heads");
    if (!heads || (heads->kind == AXIS_VALUES && heads->values == 1))
        reading_refuse(r, t->key_place,
                       "confirm compares head counts, but model.heads has only one value; "
                       "list more, or leave confirm out");
    if (t->kind == TREE_MAP)
        read_fresh_instances(r, t);
    else
        read_fresh_seeds(r, t);
    refuse_known_seeds(r);
}
