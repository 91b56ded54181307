/* What a point is called: its setting and its label, and how messages name it. And its identity:
 * the canonical JSON that point.c writes, and its SHA-256. With a seed it says which trial one is,
 * whatever the sweep file looks like; all of them together say which plan. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/sha256.h"
#include "sweep/plan/plan_parts.h"

/* The last part of a path, or the one before a `.name`: d_head, lr, schedule, task. */
static const char *short_label(const struct plan *p, const char *path)
{
    size_t n = strlen(path);
    const char *end = path + n;
    if (n > 5 && strcmp(end - 5, ".name") == 0)
        end -= 5;
    const char *start = end;
    while (start > path && start[-1] != '.')
        start--;
    return arena_text(p->arena, start, (size_t)(end - start));
}

static void build_labels(struct plan *p)
{
    for (int a = 0; a < p->axes; a++) {
        p->axis[a].label = short_label(p, p->axis[a].path);
        for (int b = 0; b < a; b++)
            if (strcmp(p->axis[a].label, p->axis[b].label) == 0)
                p->axis[a].shared_label = p->axis[b].shared_label = true;
    }
    for (int a = 0; a < p->axes; a++)
        if (p->axis[a].shared_label)
            p->axis[a].label = p->axis[a].path;
}

static bool has_path(const char *const *paths, int n, const char *path)
{
    for (int i = 0; i < n; i++)
        if (strcmp(paths[i], path) == 0)
            return true;
    return false;
}

static enum plan_role role_of(const struct config *c, const char *path)
{
    if (strcmp(path, "model.heads") == 0)
        return ROLE_HEADS;
    return has_path(c->tune_path, c->tune, path)             ? ROLE_TUNED
           : has_path(c->replicate_path, c->replicate, path) ? ROLE_REPLICATED
                                                             : ROLE_SETTING;
}

/* Inserts axis a among those before it. */
static void insert_by_path(const struct plan *p, int a)
{
    int i = a;
    for (; i > 0 && strcmp(p->axis[p->by_path[i - 1]].path, p->axis[a].path) > 0; i--)
        p->by_path[i] = p->by_path[i - 1];
    p->by_path[i] = a;
}

/* The most bytes a value of the axis takes as JSON. */
static size_t widest(const struct plan_axis *a)
{
    size_t most = a->values ? 0 : 32;
    for (int i = 0; i < a->values; i++) {
        size_t n = strlen(a->value[i].json);
        most = n > most ? n : most;
    }
    return most;
}

static void build_roles(struct plan *p)
{
    p->by_path = arena_alloc(p->arena, (size_t)p->axes, sizeof *p->by_path);
    size_t needed = 3;
    for (int a = 0; a < p->axes; a++) {
        const char *path = p->axis[a].path;
        needed += strlen(path) + widest(&p->axis[a]) + 4;
        if (needed > PLAN_TEXT_MAX) {
            plan_refuse(p, p->axis[a].written->place,
                        "too much varies at once: the names and longest values of the axes up to "
                        "%s take more than %d characters; split the sweep",
                        path, PLAN_TEXT_MAX);
        }
        p->axis[a].role = role_of(p->config, path);
        insert_by_path(p, a);
    }
}

/* A list of equal values is no axis. */
static void refuse_lone_replicate(const struct plan *p)
{
    const struct config *c = p->config;
    for (int i = 0; i < c->replicate; i++) {
        if (!plan_find_axis(p, c->replicate_path[i]))
            plan_refuse(p, config_item_place(c, "replicate", i),
                        "%s has only one value, so there is nothing to replicate over",
                        c->replicate_path[i]);
    }
}

void plan_build_labels(struct plan *p)
{
    build_labels(p);
    build_roles(p);
    refuse_lone_replicate(p);
}

/* The value of an axis in point g as canonical JSON. buffer is used for drawn numbers. */
static const char *choice_json(const struct plan *p, const struct plan_axis *a, uint64_t g,
                               char buffer[32])
{
    struct plan_choice choice = plan_choose(p, a, g);
    if (a->written->kind == AXIS_VALUES)
        return a->value[choice.index].json;
    number_format(choice.number, buffer, 32);
    return buffer;
}

/* Appends `label=value`, the value without quotes. */
static void append_pair(const char *label, const char *json, char *text, size_t size)
{
    size_t used = strlen(text), n = strlen(json);
    bool quoted = *json == '"';
    snprintf(text + used, size - used, "%s%s=%.*s", used ? ", " : "", label,
             (int)(quoted ? n - 2 : n), json + quoted);
}

void plan_describe(const struct plan *p, uint64_t g, char *text, size_t size)
{
    char buffer[32];
    *text = '\0';
    for (int a = 0; a < p->axes; a++)
        append_pair(p->axis[a].path, choice_json(p, &p->axis[a], g, buffer), text, size);
}

/* {"model.d_head":"split",...}: paths hold nothing that JSON would escape. */
static void write_object(const struct plan *p, uint64_t g, const struct point *point,
                         enum plan_role role, char text[PLAN_TEXT_MAX])
{
    size_t used = 0;
    char buffer[32];
    for (int i = 0; i < p->axes; i++) {
        const struct plan_axis *a = &p->axis[p->by_path[i]];
        if (!(a->role & role) || !plan_distinguishes(a, point))
            continue;
        int written = snprintf(text + used, PLAN_TEXT_MAX - used, "%c\"%s\":%s", used ? ',' : '{',
                               a->path, choice_json(p, a, g, buffer));
        used += written < 0 ? 0 : (size_t)written;
    }
    snprintf(text + used, PLAN_TEXT_MAX - used, "%s", used ? "}" : "{}");
}

void plan_text(const struct plan *p, long i, struct plan_text *text)
{
    uint64_t g = p->kept[i];
    char buffer[32];
    struct point point;
    plan_decode(p, g, &point);
    write_object(p, g, &point, ROLE_SETTING, text->setting);
    write_object(p, g, &point, ROLE_TUNED, text->tuning);
    write_object(p, g, &point, ROLE_REPLICATED, text->replicate);
    text->label[0] = '\0';
    for (int a = 0; a < p->axes; a++) {
        const struct plan_axis *axis = &p->axis[a];
        if ((axis->role & ROLE_SETTING) && plan_distinguishes(axis, &point))
            append_pair(axis->label, choice_json(p, axis, g, buffer), text->label,
                        sizeof text->label);
    }
}

/* Bytes of a key in {"train.lr":0.001} before its last part; 0 where another key ends in the same
 * part, or where that is `name`. */
static size_t key_prefix(const char *tuning, const char *key)
{
    char part[128];
    size_t n = strcspn(key, "\""), start = n;
    while (start > 0 && key[start - 1] != '.')
        start--;
    if (start == 0 || (n > 5 && strncmp(key + n - 5, ".name", 5) == 0))
        return 0;
    snprintf(part, sizeof part, "%.*s\":", (int)(n - start + 1), key + start - 1);
    const char *first = strstr(tuning, part);
    return first && strstr(first + 1, part) ? 0 : start;
}

void plan_full_label(const char *label, const char *tuning, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", label);
    const char *before = *label ? ", " : "";
    bool value = false; /* within the quotes of one */
    for (const char *c = tuning; *c && used < size; c++) {
        if (*c == '"') {
            bool key = !value && c > tuning && (c[-1] == '{' || c[-1] == ',');
            value = !value && c > tuning && c[-1] == ':';
            c += key ? key_prefix(tuning, c + 1) : 0;
            continue;
        }
        if (value && *c == '\\' && c[1])
            c++;
        else if (!value && strchr("{}", *c))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%c%s", before,
                                 *c == ':' && !value ? '=' : *c, *c == ',' && !value ? " " : "");
        before = "";
    }
}

/* ---- identity ---- */

void plan_identity(const struct plan *p, long i, char json[POINT_JSON_MAX], char sha256[65])
{
    struct point point;
    if (p->adopted && p->adopted[i]) {
        snprintf(json, POINT_JSON_MAX, "%s", p->adopted[i]);
    } else {
        plan_decode(p, p->kept[i], &point);
        point_json(&point, json);
    }
    sha256_hex(json, strlen(json), sha256);
}

enum status plan_adopt(struct plan *p, long i, const char *json, struct message *m)
{
    p->x->message = m;
    if (scope_enter(p->x)) {
        if (!p->adopted)
            p->adopted = arena_alloc(p->arena, (size_t)p->points, sizeof *p->adopted);
        p->adopted[i] = arena_string(p->arena, json);
    }
    return scope_left(p->x);
}

uint64_t plan_level_hash(const struct plan *p, long i)
{
    struct point point;
    char json[POINT_JSON_MAX], sha256[65];
    int task = plan_decode(p, p->kept[i], &point);
    for (int k = 0; k < p->axes; k++) {
        const struct plan_axis *a = &p->axis[k];
        if (a->role == ROLE_TUNED && a->option[task]->type == OPTION_REAL)
            plan_copy_value(a, &a->value[0], task, &point);
    }
    sha256_hex(json, (size_t)point_json(&point, json), sha256);
    sha256[16] = '\0';
    return strtoull(sha256, NULL, 16);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 64);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void digest_number(struct sha256 *digest, int64_t number)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRId64 ",", number);
    sha256_update(digest, text, (size_t)n);
}

/* The identities, sorted; then the number of tuning seeds, which are the same everywhere, and the
 * seeds, sorted. */
static void digest_pairs(struct arena *a, const struct plan *p, char sha256[65])
{
    const struct config *c = p->config;
    size_t points = (size_t)p->points, seeds = (size_t)c->seeds;
    char json[POINT_JSON_MAX], one[65];
    char *configs = arena_alloc(a, points, 64);
    int64_t *sorted = arena_alloc(a, seeds, sizeof *sorted);
    struct sha256 digest;
    for (size_t i = 0; i < points; i++) {
        plan_identity(p, (long)i, json, one);
        memcpy(configs + 64 * i, one, 64);
    }
    qsort(configs, points, 64, by_bytes);
    memcpy(sorted, c->seed, seeds * sizeof *sorted);
    qsort(sorted, seeds, sizeof *sorted, by_number);
    sha256_init(&digest);
    sha256_update(&digest, configs, 64 * points);
    digest_number(&digest, c->tune ? c->tune_seeds : 0);
    for (size_t i = 0; i < seeds; i++)
        digest_number(&digest, sorted[i]);
    sha256_final(&digest, sha256);
}

enum status plan_pairs_sha256(const struct plan *p, char sha256[65], struct message *m)
{
    struct scope *x = scope_new(NULL, "the plan", m);
    if (scope_enter(x))
        digest_pairs(&x->arena, p, sha256);
    return scope_end(x);
}
