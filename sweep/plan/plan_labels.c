/* What a point is called: its setting and its label, and how messages name it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
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
    return plan_arena_text(p->arena, start, (size_t)(end - start));
}

static enum status build_labels(struct plan *p, struct message *m)
{
    for (int a = 0; a < p->axes; a++) {
        p->axis[a].label = short_label(p, p->axis[a].path);
        if (!p->axis[a].label)
            return plan_no_memory(m);
        for (int b = 0; b < a; b++)
            if (strcmp(p->axis[a].label, p->axis[b].label) == 0)
                p->axis[a].shared_label = p->axis[b].shared_label = true;
    }
    for (int a = 0; a < p->axes; a++)
        if (p->axis[a].shared_label)
            p->axis[a].label = p->axis[a].path;
    return STATUS_OK;
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

static void insert_by_path(const struct plan *p, int *list, int *n, int axis)
{
    int i = (*n)++;
    for (; i > 0 && strcmp(p->axis[list[i - 1]].path, p->axis[axis].path) > 0; i--)
        list[i] = list[i - 1];
    list[i] = axis;
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

static enum status build_settings(struct plan *p, struct message *m)
{
    p->setting = plan_arena_alloc(p->arena, (size_t)p->axes, sizeof *p->setting);
    p->tuning = plan_arena_alloc(p->arena, (size_t)p->axes, sizeof *p->tuning);
    p->replicate = plan_arena_alloc(p->arena, (size_t)p->axes, sizeof *p->replicate);
    if (!p->setting || !p->tuning || !p->replicate)
        return plan_no_memory(m);
    size_t needed = 3;
    for (int a = 0; a < p->axes; a++) {
        const char *path = p->axis[a].path;
        needed += strlen(path) + widest(&p->axis[a]) + 4;
        if (needed > PLAN_TEXT_MAX) {
            status_fail(m, STATUS_BAD_INPUT,
                        "too much varies at once: the names and longest values of the axes up to "
                        "%s take more than %d characters; split the sweep",
                        path, PLAN_TEXT_MAX);
            return config_within(p->config, p->axis[a].written->place, m);
        }
        switch (p->axis[a].role = role_of(p->config, path)) {
        case ROLE_SETTING:
            insert_by_path(p, p->setting, &p->settings, a);
            break;
        case ROLE_TUNED:
            insert_by_path(p, p->tuning, &p->tuned, a);
            break;
        case ROLE_REPLICATED:
            insert_by_path(p, p->replicate, &p->replicated, a);
            break;
        case ROLE_HEADS:
            break;
        }
    }
    return STATUS_OK;
}

/* A list of equal values is no axis. */
static enum status refuse_lone_replicate(const struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    for (int i = 0; i < c->replicate; i++) {
        int a = 0;
        while (a < p->axes && strcmp(p->axis[a].path, c->replicate_path[i]) != 0)
            a++;
        if (a < p->axes)
            continue;
        status_fail(m, STATUS_BAD_INPUT,
                    "%s has only one value, so there is nothing to replicate over",
                    c->replicate_path[i]);
        return config_within(c, c->replicate_place[i], m);
    }
    return STATUS_OK;
}

enum status plan_build_labels(struct plan *p, struct message *m)
{
    enum status s = build_labels(p, m);
    if (!s)
        s = build_settings(p, m);
    return s ? s : refuse_lone_replicate(p, m);
}

const char *plan_choice_json(const struct plan *p, const struct plan_axis *a, uint64_t g,
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
        append_pair(p->axis[a].path, plan_choice_json(p, &p->axis[a], g, buffer), text, size);
}

/* {"model.d_head":"split",...}: paths hold nothing that JSON would escape. */
static void write_object(const struct plan *p, uint64_t g, const struct point *point,
                         const int *axes, int n, char text[PLAN_TEXT_MAX])
{
    size_t used = 0;
    char buffer[32];
    for (int i = 0; i < n; i++) {
        const struct plan_axis *a = &p->axis[axes[i]];
        if (!plan_distinguishes(a, point))
            continue;
        int written = snprintf(text + used, PLAN_TEXT_MAX - used, "%c\"%s\":%s", used ? ',' : '{',
                               a->path, plan_choice_json(p, a, g, buffer));
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
    write_object(p, g, &point, p->setting, p->settings, text->setting);
    write_object(p, g, &point, p->tuning, p->tuned, text->tuning);
    write_object(p, g, &point, p->replicate, p->replicated, text->replicate);
    text->label[0] = '\0';
    for (int a = 0; a < p->axes; a++) {
        const struct plan_axis *axis = &p->axis[a];
        if (axis->role == ROLE_SETTING && plan_distinguishes(axis, &point))
            append_pair(axis->label, plan_choice_json(p, axis, g, buffer), text->label,
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
