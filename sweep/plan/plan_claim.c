/* What is claimed, held against the points of the plan, and its text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/plan_parts.h"

/* ---- of head counts ---- */

static bool has_heads(const struct plan *p, int64_t heads)
{
    struct point point;
    for (long i = 0; i < p->points; i++) {
        plan_decode(p, p->kept[i], &point);
        if (point.model.heads == heads)
            return true;
    }
    return false;
}

static void check_head_counts(const struct plan *p)
{
    const struct config *c = p->config;
    const struct claim *claim = &c->claim;
    for (int i = -1; i < claim->over_count; i++) {
        int64_t heads = i < 0 ? claim->best : claim->over[i];
        if (has_heads(p, heads))
            continue;
        plan_refuse(
            p, i < 0 ? config_place(c, "claim.best") : config_item_place(c, "claim.over", i),
            "%s names %s, but no point of the sweep has %s", i < 0 ? "claim.best" : "claim.over",
            text_counted(heads, "head").text, heads == 1 ? "it" : "them");
    }
}

static int compare_integers(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The order of rivals says nothing. */
static void write_head_counts(const struct claim *claim, struct text_buffer *text)
{
    struct claim sorted = *claim;
    qsort(sorted.over, (size_t)sorted.over_count, sizeof *sorted.over, compare_integers);
    text_add(text, "{\"best\":%" PRId64 ",\"over\":[", claim->best);
    for (int i = 0; i < sorted.over_count; i++)
        text_add(text, "%s%" PRId64, i ? "," : "", sorted.over[i]);
    text_add(text, "]}");
}

/* ---- of two settings ---- */

enum { BETTER, THAN, SIDES };

/* An axis that tells the settings, and the two values. */
struct claimed_axis {
    struct plan_axis *axis;
    int value[SIDES];
};

/* The place of a value among those of its axis. */
static void find_value(struct plan *p, const struct plan_axis *axis,
                       const struct config_value *written, int *found)
{
    struct plan_axis one;
    plan_build_values(p, axis->path, written, 1, false, &one);
    for (int i = 0; i < axis->values; i++)
        if (strcmp(axis->value[i].json, one.value[0].json) == 0) {
            *found = i;
            return;
        }
    plan_refuse(p, written->place, "%s %s is not among the values of the sweep", axis->path,
                one.value[0].json);
}

/* By path, so that their order says nothing. */
static int compare_axes(const void *a, const void *b)
{
    const struct claimed_axis *x = a, *y = b;
    return strcmp(x->axis->path, y->axis->path);
}

static void find_axes(struct plan *p, struct claimed_axis *claimed)
{
    const struct claim *claim = &p->config->claim;
    bool differ = false;
    for (int i = 0; i < claim->axes; i++) {
        struct plan_axis *axis = plan_find_axis(p, claim->axis[i]);
        if (!axis) /* its values are equal */
            plan_refuse(p, claim->better[i].place,
                        "%s has only one value, so no two settings differ in "
                        "it",
                        claim->axis[i]);
        claimed[i].axis = axis;
        find_value(p, axis, &claim->better[i], &claimed[i].value[BETTER]);
        find_value(p, axis, &claim->than[i], &claimed[i].value[THAN]);
        differ = differ || claimed[i].value[BETTER] != claimed[i].value[THAN];
    }
    qsort(claimed, (size_t)claim->axes, sizeof *claimed, compare_axes);
    if (differ)
        return;
    plan_refuse(p, claim->better[0].place, "claim.better and claim.than are the same setting");
}

/* Whether point g is of that side: it has the claimed values, where they make a difference. */
static bool is_of_side(const struct plan *p, const struct claimed_axis *claimed, int side,
                       uint64_t g, const struct point *point)
{
    const struct claim *claim = &p->config->claim;
    if (point->model.heads != claim->heads)
        return false;
    for (int i = 0; i < claim->axes; i++)
        if (!plan_distinguishes(claimed[i].axis, point) ||
            plan_choose(p, claimed[i].axis, g).index != claimed[i].value[side])
            return false;
    return true;
}

/* The points of a side, as indexes in the grid, and whether each axis (axes) makes a difference to
 * any of them. */
struct side {
    long n;
    uint32_t *g;
    bool *uses;
};

static struct side points_of_side(const struct plan *p, const struct claimed_axis *claimed,
                                  int side)
{
    struct side s = {.g = arena_alloc(p->arena, (size_t)p->points, sizeof *s.g),
                     .uses = arena_alloc(p->arena, (size_t)p->axes, sizeof *s.uses)};
    struct point point;
    for (long i = 0; i < p->points; i++) {
        plan_decode(p, p->kept[i], &point);
        if (!is_of_side(p, claimed, side, p->kept[i], &point))
            continue;
        s.g[s.n++] = p->kept[i];
        for (int a = 0; a < p->axes; a++)
            s.uses[a] |= plan_distinguishes(&p->axis[a], &point);
    }
    return s;
}

/* Settings that are compared have one value on each axis that is not claimed; not on one that makes
 * no difference to a side, as the width of segments where the other form is claimed. */
static void mark_common(struct plan *p, const struct claimed_axis *claimed,
                        const struct side side[SIDES])
{
    for (int a = 0; a < p->axes; a++)
        if (p->axis[a].role == ROLE_SETTING && side[BETTER].uses[a] && side[THAN].uses[a])
            p->axis[a].role |= ROLE_COMMON;
    for (int i = 0; i < p->config->claim.axes; i++)
        claimed[i].axis->role = ROLE_SETTING;
}

static _Noreturn void refuse_side(const struct plan *p, const struct claimed_axis *claimed,
                                  int side)
{
    const struct claim *claim = &p->config->claim;
    struct text_buffer text = scope_text(p->x);
    for (int i = 0; i < claim->axes; i++)
        text_add(&text, "%s%s=%s", i ? ", " : "", claimed[i].axis->path,
                 claimed[i].axis->value[claimed[i].value[side]].json);
    plan_refuse(p, config_place(p->config, "claim.heads"),
                "claim.%s: no point of the sweep has %s with %" PRId64 " head%s",
                side == BETTER ? "better" : "than", text.text, claim->heads,
                text_plural(claim->heads));
}

static void check_points(struct plan *p, const struct claimed_axis *claimed)
{
    const struct claim *claim = &p->config->claim;
    struct side side[SIDES];
    for (int i = BETTER; i < SIDES; i++) {
        side[i] = points_of_side(p, claimed, i);
        if (side[i].n == 0)
            refuse_side(p, claimed, i);
    }
    mark_common(p, claimed, side);
    int64_t *than = arena_alloc(p->arena, (size_t)side[THAN].n, sizeof *than);
    for (long i = 0; i < side[THAN].n; i++)
        than[i] = (int64_t)plan_hash(p, side[THAN].g[i], ROLE_COMMON);
    qsort(than, (size_t)side[THAN].n, sizeof *than, compare_integers);
    for (long i = 0; i < side[BETTER].n; i++) {
        int64_t better = (int64_t)plan_hash(p, side[BETTER].g[i], ROLE_COMMON);
        if (bsearch(&better, than, (size_t)side[THAN].n, sizeof *than, compare_integers))
            return;
    }
    plan_refuse(p, claim->better[0].place,
                "no two settings with %" PRId64 " head%s differ only in the axes of claim.better "
                "and claim.than; add to both the other axes in which they differ",
                claim->heads, text_plural(claim->heads));
}

static void write_side(const struct plan *p, const struct claimed_axis *claimed, int side,
                       struct text_buffer *text)
{
    for (int i = 0; i < p->config->claim.axes; i++)
        text_add(text, "%c\"%s\":%s", i ? ',' : '{', claimed[i].axis->path,
                 claimed[i].axis->value[claimed[i].value[side]].json);
    text_add(text, "}");
}

static void write_settings(const struct plan *p, const struct claimed_axis *claimed,
                           struct text_buffer *text)
{
    text_add(text, "{\"better\":");
    write_side(p, claimed, BETTER, text);
    text_add(text, ",\"heads\":%" PRId64 ",\"than\":", p->config->claim.heads);
    write_side(p, claimed, THAN, text);
    text_add(text, "}");
}

static void build_settings(struct plan *p, struct text_buffer *text)
{
    struct claimed_axis *claimed =
        arena_alloc(p->arena, (size_t)p->config->claim.axes, sizeof *claimed);
    find_axes(p, claimed);
    check_points(p, claimed);
    write_settings(p, claimed, text);
}

/* ---- either ---- */

void plan_build_claim(struct plan *p)
{
    const struct config *c = p->config;
    struct text_buffer text = scope_text(p->x);
    p->claim = "";
    if (!c->has_claim)
        return;
    if (c->claim.axes) {
        build_settings(p, &text);
    } else {
        check_head_counts(p);
        write_head_counts(&c->claim, &text);
    }
    p->claim = text.text;
}

const char *plan_claim(const struct plan *p)
{
    return p->claim;
}
