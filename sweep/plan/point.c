#include "sweep/plan/point.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/encoder_cost.h"
#include "sweep/plan/tree.h"

void point_init(struct point *p, const struct task *task)
{
    memset(p, 0, sizeof *p);
    p->task = task;
    option_defaults(task->options, p->task_options);
    option_defaults(encoder_options, &p->model);
    option_defaults(train_options, &p->train);
}

enum { SECTION_MODEL, SECTION_TASK, SECTION_TRAIN, SECTIONS };

static struct point_section section_of(struct point *p, int which)
{
    switch (which) {
    case SECTION_MODEL:
        return (struct point_section){"model", encoder_options, &p->model};
    case SECTION_TASK:
        return (struct point_section){"task", p->task->options, p->task_options};
    default:
        return (struct point_section){"train", train_options, &p->train};
    }
}

const struct option_entry *point_option(struct point *p, const char *path,
                                        struct point_section *section)
{
    for (int i = 0; i < SECTIONS; i++) {
        *section = section_of(p, i);
        size_t n = strlen(section->name);
        if (strncmp(path, section->name, n) == 0 && path[n] == '.')
            return option_find(section->options, path + n + 1);
    }
    return NULL;
}

/* Writing. */

struct writer {
    char *text;
    int used;
    struct point_span *span; /* NULL: not wanted */
    int spans;
};

static void put(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writer *w, const char *format, ...)
{
    size_t left = (size_t)(POINT_JSON_MAX - w->used);
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(w->text + w->used, left, format, arguments);
    va_end(arguments);
    w->used += n < 0 ? 0 : (size_t)n < left ? n : (int)left - 1;
}

/* Options introduced later stay out of the identity at their default, so that what was run before
 * they existed keeps its name. */
static bool left_out(const struct option_entry *o, const void *values)
{
    char now[2048], before[2048];
    _Alignas(16) unsigned char neutral[POINT_TASK_OPTIONS] = {0};
    if (!o->late || !o->preset)
        return false;
    struct option_entry alone[] = {*o, {0}};
    alone[0].offset = 0;
    option_defaults(alone, neutral);
    option_format(o, values, now, sizeof now);
    option_format(&alone[0], neutral, before, sizeof before);
    return strcmp(now, before) == 0;
}

/* Length of the part of names a and b that is the same whole objects: "schedule." of
 * "schedule.name" and "schedule.warmup". */
static size_t shared_objects(const char *a, const char *b)
{
    size_t shared = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.')
            shared = i + 1;
    return shared;
}

static void close_objects(struct writer *w, const char *name)
{
    for (; *name; name++)
        if (*name == '.')
            put(w, "}");
}

/* Writes the key of `name`, leaving the objects of `previous` (NULL: the section begins) and
 * entering its own. */
static void put_key(struct writer *w, const char *previous, const char *name)
{
    size_t shared = previous ? shared_objects(previous, name) : 0;
    if (previous) {
        close_objects(w, previous + shared);
        put(w, ",");
    }
    name += shared;
    for (const char *dot; (dot = strchr(name, '.')); name = dot + 1)
        put(w, "\"%.*s\":{", (int)(dot - name), name);
    put(w, "\"%s\":", name);
}

static void put_value(struct writer *w, const struct option_entry *o, const void *values)
{
    int start = w->used;
    int n = option_format(o, values, w->text + start, (size_t)(POINT_JSON_MAX - start));
    w->used += n < 0 ? 0 : n;
    if (w->span)
        w->span[w->spans++] = (struct point_span){o, start, w->used};
}

static int by_name(const void *a, const void *b)
{
    /* '.' sorts before every letter, digit and '_', so dotted names sort as nested keys do. */
    return strcmp((*(const struct option_entry *const *)a)->name,
                  (*(const struct option_entry *const *)b)->name);
}

/* Writes a section as an object, with "version" at its place among the keys where it is not 0. */
static void put_section(struct writer *w, const struct point_section *s, int version)
{
    static const struct option_entry version_key = {.name = "version"};
    const struct option_entry *sorted[POINT_OPTIONS_MAX];
    size_t n = 0;
    for (const struct option_entry *o = s->options; o->name; o++) {
        assert(n < POINT_OPTIONS_MAX - 1);
        if (!left_out(o, s->values))
            sorted[n++] = o;
    }
    if (version)
        sorted[n++] = &version_key;
    qsort(sorted, n, sizeof *sorted, by_name);
    const char *previous = NULL;
    put(w, "{");
    for (size_t i = 0; i < n; previous = sorted[i++]->name) {
        put_key(w, previous, sorted[i]->name);
        if (sorted[i] == &version_key)
            put(w, "%d", version);
        else
            put_value(w, sorted[i], s->values);
    }
    if (previous)
        close_objects(w, previous);
    put(w, "}");
}

static int write_point(const struct point *p, struct writer *w)
{
    /* section_of gives writable values for readers; nothing here writes to them. */
    struct point *values = (struct point *)p;
    struct point_section model = section_of(values, SECTION_MODEL);
    struct point_section task = section_of(values, SECTION_TASK);
    struct point_section train = section_of(values, SECTION_TRAIN);
    put(w, "{\"model\":");
    put_section(w, &model, 0);
    put(w, ",\"task\":{\"name\":\"%s\",\"options\":", p->task->name);
    put_section(w, &task, 0);
    put(w, ",\"version\":%d},\"train\":", p->task->version);
    put_section(w, &train, TRAIN_VERSION);
    put(w, ",\"v\":%d}", POINT_FORMAT);
    return w->used;
}

int point_json(const struct point *p, char text[POINT_JSON_MAX])
{
    struct writer w = {.text = text};
    return write_point(p, &w);
}

int point_json_spans(const struct point *p, char text[POINT_JSON_MAX],
                     struct point_span span[POINT_OPTIONS_MAX], int *spans)
{
    struct writer w = {.text = text, .span = span};
    write_point(p, &w);
    *spans = w.spans;
    return w.used;
}

/* Reading: what is read must write the same text again, so only the values are looked at here. */

struct reader {
    struct point *p;
    struct message *m;
};

static enum status read_option(const struct reader *r, const struct point_section *s,
                               const char *name, const struct tree *t)
{
    const struct option_entry *o = option_find(s->options, name);
    if (!o)
        return status_fail(r->m, STATUS_BAD_INPUT, "%s.%s is not an option of this program",
                           s->name, name);
    if (o->type != OPTION_INT_LIST) {
        if (t->kind != TREE_SCALAR)
            return status_fail(r->m, STATUS_BAD_INPUT, "%s.%s is %s", s->name, name,
                               tree_kind_name(t));
        return option_parse(o, s->name, t->text, t->quoted, s->values, r->m);
    }
    if (t->kind != TREE_LIST)
        return status_fail(r->m, STATUS_BAD_INPUT, "%s.%s is not a list", s->name, name);
    ((struct int_list *)(void *)((char *)s->values + o->offset))->n = 0;
    enum status status = STATUS_OK;
    for (const struct tree *i = t->first; i && !status; i = i->next)
        status = option_parse(o, s->name, i->kind == TREE_SCALAR ? i->text : "", i->quoted,
                              s->values, r->m);
    return status;
}

static enum status read_section(const struct reader *r, const struct point_section *s,
                                const char *prefix, const struct tree *map)
{
    char name[128];
    enum status status = STATUS_OK;
    if (map->kind != TREE_MAP)
        return status_fail(r->m, STATUS_BAD_INPUT, "%s is not a mapping", s->name);
    for (const struct tree *t = map->first; t && !status; t = t->next) {
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", t->key);
        if (t->kind == TREE_MAP)
            status = read_section(r, s, name, t);
        else if (strcmp(name, "version") != 0)
            status = read_option(r, s, name, t);
    }
    return status;
}

static const struct tree *child(const struct tree *map, const char *key)
{
    return map && map->kind == TREE_MAP ? tree_find(map, key) : NULL;
}

static enum status check_version(const struct tree *t, int ours, const char *of, struct message *m)
{
    double theirs = 0;
    bool integral = false;
    if (!t || t->kind != TREE_SCALAR || !number_parse(t->text, &theirs, &integral) || !integral)
        return status_fail(m, STATUS_BAD_INPUT, "no version of %s is given", of);
    if (theirs != ours)
        return status_fail(m, STATUS_BAD_INPUT,
                           "version %s of %s, which this program does not have (it has %d)",
                           t->text, of, ours);
    return STATUS_OK;
}

static enum status read_point(const struct reader *r, const struct tree *root)
{
    const struct tree *model = child(root, "model"), *task = child(root, "task");
    const struct tree *train = child(root, "train"), *name = child(task, "name");
    const struct tree *options = child(task, "options");
    enum status s = check_version(child(root, "v"), POINT_FORMAT, "the configuration format", r->m);
    if (s)
        return s;
    if (!model || !train || !options || !name || name->kind != TREE_SCALAR)
        return status_fail(r->m, STATUS_BAD_INPUT, "model, task or train is missing");
    const struct task *found = task_find(name->text);
    if (!found)
        return status_fail(r->m, STATUS_BAD_INPUT, "the task %s, which this program does not have",
                           name->text);
    char of[64];
    snprintf(of, sizeof of, "task %s", found->name);
    if ((s = check_version(child(task, "version"), found->version, of, r->m)) ||
        (s = check_version(child(train, "version"), TRAIN_VERSION, "training", r->m)))
        return s;
    point_init(r->p, found);
    struct point_section model_section = section_of(r->p, SECTION_MODEL);
    struct point_section task_section = section_of(r->p, SECTION_TASK);
    struct point_section train_section = section_of(r->p, SECTION_TRAIN);
    if ((s = read_section(r, &model_section, "", model)) ||
        (s = read_section(r, &task_section, "", options)))
        return s;
    return read_section(r, &train_section, "", train);
}

enum status point_parse(const char *json, struct point *p, struct message *m)
{
    struct pool *pool = pool_new();
    if (!pool)
        return status_fail(m, STATUS_NO_MEMORY,
                           "out of memory while reading a stored configuration");
    struct tree *root;
    struct place at;
    struct reader r = {.p = p, .m = m};
    enum status s = tree_parse(pool, json, strlen(json), &root, &at, m);
    if (!s)
        s = read_point(&r, root);
    if (!s) {
        char again[POINT_JSON_MAX];
        point_json(p, again);
        if (strcmp(again, json) != 0)
            s = status_fail(m, STATUS_BAD_INPUT, "it is not what this program writes for it");
    }
    pool_free(pool);
    return s == STATUS_BAD_INPUT ? status_fail_within(m, s, "a stored configuration: ") : s;
}

/* Checking. */

static void fill_io(const struct task_shape *shape, struct encoder_io *io)
{
    memset(io, 0, sizeof *io);
    io->length = shape->length;
    io->fields = shape->fields;
    for (int i = 0; i < shape->fields; i++) {
        io->field[i] = shape->field[i];
        io->vocab[i] = shape->vocab[i];
    }
    io->slots = shape->slots;
    io->classes = shape->classes;
}

/* Bytes of a trial: its encoder, and the examples that it keeps. */
static double memory_needed(const struct point *p, const struct encoder_io *io,
                            const struct task_shape *shape)
{
    double targets = (double)io->slots * (shape->per_sequence ? 1 : (double)io->length);
    double example = 4 * ((double)io->length * io->fields + targets);
    double examples = (double)p->train.val_examples + (double)p->train.test_examples +
                      (double)p->train.examples + (double)p->train.batch;
    return encoder_memory(&p->model, io, (long)p->train.batch) + examples * example;
}

static double memory_allowed(void)
{
    static double bytes; /* the same at every call */
    if (bytes == 0) {
        double physical = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
        bytes = physical > 0 && physical < 0x1p36 ? physical : 0x1p36;
    }
    return bytes;
}

static enum status check_memory(const struct point *p, const struct encoder_io *io,
                                const struct task_shape *shape, struct message *m)
{
    double needed = memory_needed(p, io, shape), allowed = memory_allowed();
    if (needed <= allowed)
        return STATUS_OK;
    return status_fail(
        m, STATUS_BAD_INPUT,
        "it would take about %.3g GiB of memory, more than the %.3g GiB %s; make "
        "model.d_model, model.d_ff, model.layers, task.length or train.batch smaller",
        needed / 0x1p30, allowed / 0x1p30,
        allowed < 0x1p36 ? "of this machine" : "that a trial may take");
}

enum status point_check(const struct point *p, struct encoder_io *io, struct task_shape *shape,
                        struct message *m)
{
    struct encoder_shapes shapes;
    memset(shape, 0, sizeof *shape);
    enum status s = p->task->shape(p->task_options, shape, m);
    if (s)
        return s;
    fill_io(shape, io);
    if ((s = encoder_shapes(&p->model, &shapes, m)))
        return s;
    const char *pool = p->model.pool == POOL_MEAN ? "mean" : "first";
    if (shape->per_sequence && p->model.pool == POOL_NONE)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.pool is none, but task %s has one target per sequence; use mean or "
            "first",
            p->task->name);
    if (!shape->per_sequence && p->model.pool != POOL_NONE)
        return status_fail(m, STATUS_BAD_INPUT,
                           "model.pool is %s, but task %s has a target per position; use none",
                           pool, p->task->name);
    if (p->train.warmup > p->train.steps)
        return status_fail(m, STATUS_BAD_INPUT,
                           "train.schedule.warmup is %" PRId64 ", more than train.steps %" PRId64,
                           p->train.warmup, p->train.steps);
    return check_memory(p, io, shape, m);
}
