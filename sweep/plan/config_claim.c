/* The key `claim`: what is predicted of head counts, or of two settings. */
#include <inttypes.h>
#include <string.h>

#include "sweep/plan/config_reading.h"

enum { HEADS_MAX = 65536 };

/* ---- of head counts ---- */

static enum status read_over(struct reading *r, const struct tree *over)
{
    struct claim *claim = &r->c->claim;
    const int most = (int)(sizeof claim->over / sizeof *claim->over);
    enum status s = reading_expect(r, over, TREE_LIST, "claim.over");
    if (s)
        return s;
    if (over->count < 1 || over->count > most)
        return reading_refuse(r, over->place, "claim.over lists %d head counts; allowed: 1 to %d",
                              over->count, most);
    for (const struct tree *t = over->first; t; t = t->next) {
        int64_t rival = 0;
        if ((s = reading_integer(r, t, "claim.over", 1, HEADS_MAX, &rival)))
            return s;
        if (rival == claim->best)
            return reading_refuse(r, t->place,
                                  "claim.over has the head count that is claimed best");
        for (int i = 0; i < claim->over_count; i++)
            if (claim->over[i] == rival)
                return reading_refuse(r, t->place, "%" PRId64 " is in the list twice", rival);
        r->c->claim_over_place[claim->over_count] = t->place;
        claim->over[claim->over_count++] = rival;
    }
    return s;
}

static enum status read_best(struct reading *r, const struct tree *best, const struct tree *over)
{
    r->c->claim_best_place = best->place;
    enum status s = reading_integer(r, best, "claim.best", 1, HEADS_MAX, &r->c->claim.best);
    return s ? s : read_over(r, over);
}

/* ---- of two settings ---- */

static bool is_among(const char *const *paths, int n, const char *path)
{
    for (int i = 0; i < n; i++)
        if (strcmp(paths[i], path) == 0)
            return true;
    return false;
}

/* Settings are told by axes of model and training that are neither tuned nor averaged over. */
static enum status check_axis(const struct reading *r, const struct option_set *set,
                              const struct tree *t)
{
    const struct config *c = r->c;
    const struct axis *axis = reading_axis(c, t->key);
    if (strcmp(t->key, "model.heads") == 0)
        return reading_refuse(r, t->key_place,
                              "settings are compared at one head count, claim.heads, so "
                              "model.heads cannot differ; to compare head counts, write {best: 4, "
                              "over: [1, 16]}");
    if (!set->count || strcmp(set->section, "task") == 0)
        return reading_refuse(r, t->key_place,
                              "settings that differ in %s cannot be compared: accuracies on "
                              "different tasks are not alike; name options of model or train",
                              t->key);
    if (config_is_tuned(c, t->key))
        return reading_refuse(r, t->key_place,
                              "%s is tuned, so settings cannot differ in it: each is compared at "
                              "its own best value; name another axis",
                              t->key);
    if (is_among(c->replicate_path, c->replicate, t->key))
        return reading_refuse(r, t->key_place,
                              "%s is replicated, so settings cannot differ in it: each is "
                              "compared over all values; name another axis",
                              t->key);
    if (!axis || axis->values == 1)
        return reading_refuse(r, t->key_place,
                              "%s has only one value, so no two settings differ in it", t->key);
    return STATUS_OK;
}

static enum status read_better(struct reading *r, const struct tree *better)
{
    struct claim *claim = &r->c->claim;
    size_t n = (size_t)better->count;
    claim->axis = plan_arena_alloc(r->arena, n, sizeof *claim->axis);
    claim->better = plan_arena_alloc(r->arena, n, sizeof *claim->better);
    claim->than = plan_arena_alloc(r->arena, n, sizeof *claim->than);
    claim->axis_place = plan_arena_alloc(r->arena, n, sizeof *claim->axis_place);
    if (!claim->axis || !claim->better || !claim->than || !claim->axis_place)
        return reading_no_memory(r);
    for (const struct tree *t = better->first; t; t = t->next) {
        struct option_set set;
        enum status s = reading_path(r, t->key, &set, r->m);
        if (s)
            return s == STATUS_BAD_INPUT ? config_within(r->c, t->key_place, r->m) : s;
        if ((s = check_axis(r, &set, t)) || (s = reading_expect(r, t, TREE_SCALAR, t->key)) ||
            (s = reading_one_value(r, &set, t->key, t, &claim->better[claim->axes])))
            return s;
        claim->axis_place[claim->axes] = t->key_place;
        claim->axis[claim->axes++] = t->key;
    }
    return STATUS_OK;
}

/* The same axes as `better`, in its order. */
static enum status read_than(struct reading *r, const struct tree *than)
{
    struct claim *claim = &r->c->claim;
    for (const struct tree *t = than->first; t; t = t->next)
        if (!is_among(claim->axis, claim->axes, t->key))
            return reading_refuse(r, t->key_place,
                                  "claim.than names %s, which claim.better does not; both must "
                                  "name the same axes",
                                  t->key);
    for (int i = 0; i < claim->axes; i++) {
        struct option_set set;
        const struct tree *t = tree_find(than, claim->axis[i]);
        if (!t)
            return reading_refuse(r, than->place,
                                  "claim.than lacks %s, which claim.better names; both must name "
                                  "the same axes",
                                  claim->axis[i]);
        enum status s = reading_path(r, t->key, &set, r->m);
        if (s || (s = reading_expect(r, t, TREE_SCALAR, t->key)) ||
            (s = reading_one_value(r, &set, t->key, t, &claim->than[i])))
            return s;
    }
    return STATUS_OK;
}

static enum status read_settings(struct reading *r, const struct tree *t, const struct tree *better,
                                 const struct tree *than, const struct tree *heads)
{
    struct config *c = r->c;
    enum status s = reading_expect(r, better, TREE_MAP, "claim.better");
    if (s || (s = reading_expect(r, than, TREE_MAP, "claim.than")))
        return s;
    if (c->method == METHOD_RANDOM)
        return reading_refuse(r, t->key_place,
                              "a claim of settings needs method: grid: settings that are drawn "
                              "are not compared");
    if (c->looks)
        return reading_refuse(r, t->key_place,
                              "a claim of settings cannot be used with looks, because each "
                              "setting may stop at a different look; write seeds in place of "
                              "looks");
    if (better->count == 0)
        return reading_refuse(r, better->place,
                              "claim.better is empty; name the axes by which the settings differ, "
                              "as in {model.kv_heads: 1}");
    c->claim.heads_place = heads->place;
    if ((s = read_better(r, better)) || (s = read_than(r, than)))
        return s;
    return reading_integer(r, heads, "claim.heads", 1, HEADS_MAX, &c->claim.heads);
}

/* ---- either ---- */

enum status reading_claim(struct reading *r, const struct tree *t)
{
    if (!t)
        return STATUS_OK;
    enum status s = reading_mapping(r, t, "claim");
    if (s)
        return s;
    const struct tree *best = tree_find(t, "best"), *over = tree_find(t, "over");
    const struct tree *better = tree_find(t, "better"), *than = tree_find(t, "than");
    const struct tree *heads = tree_find(t, "heads");
    bool of_settings = better || than || heads;
    if (of_settings && (best || over))
        return reading_refuse(r, t->place,
                              "a claim is of head counts, {best: 4, over: [1, 16]}, or of two "
                              "settings, {better: {model.kv_heads: 1}, than: {model.kv_heads: 8}, "
                              "heads: 8}; write one of them");
    if (!of_settings && (!best || !over))
        return reading_refuse(r, t->place, "missing key '%s' under claim", best ? "over" : "best");
    if (of_settings && (!better || !than || !heads))
        return reading_refuse(r, t->place, "missing key '%s' under claim",
                              !better ? "better"
                              : !than ? "than"
                                      : "heads");
    r->c->has_claim = true;
    return of_settings ? read_settings(r, t, better, than, heads) : read_best(r, best, over);
}
