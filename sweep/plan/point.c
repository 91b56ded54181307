#include "sweep/plan/point.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/number.h"
#include "engine/form.h"

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

/* What follows "train." in a path of a section; NULL: it is of none. */
static const char *within_section(struct point *p, const char *path, struct point_section *section)
{
    for (int i = 0; i < SECTIONS; i++) {
        *section = section_of(p, i);
        size_t n = strlen(section->name);
        if (strncmp(path, section->name, n) == 0 && path[n] == '.')
            return path + n + 1;
    }
    return NULL;
}

const struct option_entry *point_option(struct point *p, const char *path,
                                        struct point_section *section)
{
    const char *name = within_section(p, path, section);
    return name ? option_find(section->options, name) : NULL;
}

static bool has_segments(const struct point *p)
{
    return form_table[p->model.form]->segmented;
}

static bool has_disagreement(const struct point *p)
{
    return p->train.disagreement_weight != 0;
}

/* Options that mean something in some points only. */
static const struct {
    const char *path;
    bool (*used)(const struct point *p);
} conditional[] = {
    {"model.segment_width", has_segments},
    {"model.segment_overlap", has_segments},
    {"train.disagreement.kind", has_disagreement},
};
enum { CONDITIONAL = sizeof conditional / sizeof conditional[0] };

bool point_uses(const struct point *p, const char *path)
{
    for (int i = 0; i < CONDITIONAL; i++)
        if (strcmp(conditional[i].path, path) == 0)
            return conditional[i].used(p);
    return true;
}

/* ---- what options mean ---- */

static void forget_places(struct point *p)
{
    for (const struct option_entry *o = p->task->options; o->name; o++)
        if (o->local)
            memset(p->task_options + o->offset, 0, option_used(o, p->task_options));
}

/* Of a file no more examples are read than it has, whatever they are drawn by. */
static void resolve_examples(struct point *p)
{
    struct task_shape shape;
    struct train_config *t = &p->train;
    if (!p->task->file || p->task->shape(p->task_options, &shape, NULL) != STATUS_OK)
        return;
    t->examples = point_examples(shape.part[TASK_TRAIN], t->examples);
    t->val_examples = point_examples(shape.part[TASK_VAL], t->val_examples);
    t->test_examples = point_examples(shape.part[TASK_TEST], t->test_examples);
    t->eval_sets = EVAL_SETS_COMMON;
}

int64_t *point_instance(const struct point *p)
{
    const struct option_entry *o = option_find(p->task->options, "instance");
    return (int64_t *)(void *)(p->task_options + o->offset);
}

void point_resolve(struct point *p, const char *facts)
{
    int64_t instance = *point_instance(p);
    resolve_examples(p);
    encoder_resolve(&p->model);
    if (p->model.heads == 1) /* there is nobody to disagree with */
        p->train.disagreement_weight = 0;
    train_resolve(&p->train);
    if (p->task->resolve)
        p->task->resolve(p->task_options, facts);
    if (instance == 0)
        p->train.eval_sets = EVAL_SETS_COMMON;
    else if (p->train.eval_sets == EVAL_SETS_INSTANCE)
        *point_instance(p) = instance; /* which draws more than the task */
    forget_places(p);
}

static bool same_value(const struct option_entry *o, const void *a, const void *b)
{
    size_t n = option_used(o, a);
    return n == option_used(o, b) &&
           memcmp((const char *)a + o->offset, (const char *)b + o->offset, n) == 0;
}

static bool same_values(const struct option_entry *options, const void *a, const void *b)
{
    const struct option_entry *o = options;
    while (o->name && same_value(o, a, b))
        o++;
    return !o->name;
}

/* The values of a section at their defaults, until those of another task are asked for. They are
 * made once for many points: the identities of all ask for them. */
static const void *defaults_of(const struct point *p, int section)
{
    static _Thread_local struct point neutral;
    if (neutral.task != p->task)
        point_init(&neutral, p->task);
    return section_of(&neutral, section).values;
}

/* Behind the longer of a value and its default there is nothing but 0. */
static void put_default(const struct option_entry *o, void *values, const void *defaults)
{
    char *to = (char *)values + o->offset;
    memset(to, 0, option_used(o, values));
    memcpy(to, (const char *)defaults + o->offset, option_used(o, defaults));
}

/* True, too, of one without a default. */
static bool at_default(const struct option_entry *o, const void *values, const void *defaults)
{
    return !o->default_value || same_value(o, values, defaults);
}

/* Options that a sweep may vary and of which two values come to the same at some head counts or
 * instances only: a setting would lack its trials there. */
static const char *const kept[] = {"model.d_head",
                                   "model.d_k",
                                   "model.d_v",
                                   "model.form",
                                   "model.init",
                                   "model.segment_overlap",
                                   "train.disagreement.kind",
                                   "train.disagreement.weight",
                                   "train.eval_sets",
                                   "task.instance"};

static bool is_kept(const char *section, const char *name)
{
    size_t n = strlen(section);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strncmp(kept[i], section, n) == 0 && strcmp(kept[i] + n + 1, name) == 0)
            return true;
    return false;
}

/* Gives an option its default where its value is what leaving it out means; a list may say so in
 * other numbers. */
static void shorten(struct point *p, int section, const struct option_entry *o,
                    struct point *meaning)
{
    struct point left_out = *p;
    put_default(o, section_of(&left_out, section).values, defaults_of(p, section));
    struct point resolved = left_out;
    point_resolve(&resolved, NULL);
    bool said = o->type == OPTION_INT_LIST ||
                same_value(o, section_of(p, section).values, section_of(&resolved, section).values);
    for (int i = 0; i < SECTIONS && said; i++) {
        const struct point_section s = section_of(&resolved, i);
        said = same_values(s.options, s.values, section_of(meaning, i).values);
    }
    if (said)
        *p = left_out;
}

void point_canonical(struct point *p)
{
    struct point meaning = *p;
    point_resolve(&meaning, NULL);
    for (int i = 0; i < CONDITIONAL; i++) {
        struct point_section section;
        const struct option_entry *o = point_option(p, conditional[i].path, &section);
        if (o && !conditional[i].used(p))
            option_parse(o, "", o->default_value, false, section.values, NULL);
    }
    for (int i = 0; i < SECTIONS; i++) {
        const struct point_section s = section_of(p, i);
        for (const struct option_entry *o = s.options; o->name; o++)
            if (!at_default(o, s.values, defaults_of(p, i)) && !o->derived &&
                !is_kept(s.name, o->name))
                shorten(p, i, o, &meaning);
    }
    if (has_segments(p))
        p->model.segment_width = form_segment_width(&p->model);
    forget_places(p);
}

/* Writing. */

struct writer {
    char *text;
    size_t used;
};

static void put_bytes(struct writer *w, const char *bytes, size_t n)
{
    size_t left = POINT_JSON_MAX - 1 - w->used;
    n = n < left ? n : left;
    memcpy(w->text + w->used, bytes, n);
    w->used += n;
    w->text[w->used] = '\0';
}

static void put(struct writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

static void put_integer(struct writer *w, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    put(w, text);
}

/* Options introduced later stay out of the identity at their default, so that what was run before
 * they existed keeps its name. */
static bool left_out(const struct option_entry *o, const void *values, const void *defaults)
{
    return o->omit_at_default && o->default_value && same_value(o, values, defaults);
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
    for (const char *dot; (dot = strchr(name, '.')); name = dot + 1) {
        put(w, "\"");
        put_bytes(w, name, (size_t)(dot - name));
        put(w, "\":{");
    }
    put(w, "\"");
    put(w, name);
    put(w, "\":");
}

static void put_value(struct writer *w, const struct option_entry *o, const void *values)
{
    int n = option_format(o, values, w->text + w->used, POINT_JSON_MAX - w->used);
    w->used += n < 0 ? 0 : (size_t)n;
}

static int by_name(const void *a, const void *b)
{
    /* '.' sorts before every letter, digit and '_', so dotted names sort as nested keys do. */
    return strcmp((*(const struct option_entry *const *)a)->name,
                  (*(const struct option_entry *const *)b)->name);
}

typedef bool is_wanted(const struct option_entry *o, const void *values, const void *defaults);

static bool of_identity(const struct option_entry *o, const void *values, const void *defaults)
{
    return !o->local && !left_out(o, values, defaults);
}

/* Of what a person gives for a task over a file, that on which its survey depends. */
static bool of_survey(const struct option_entry *o, const void *values, const void *defaults)
{
    return of_identity(o, values, defaults) && !o->derived && strcmp(o->name, "instance") != 0;
}

/* Writes those options of a section as an object, with "version" at its place among the keys where
 * it is not 0. */
static void put_section(struct writer *w, struct point *p, int section, int version,
                        is_wanted *wanted)
{
    static const struct option_entry version_key = {.name = "version"};
    const struct option_entry *sorted[POINT_OPTIONS_MAX];
    const struct point_section s = section_of(p, section);
    const void *defaults = defaults_of(p, section);
    size_t n = 0;
    for (const struct option_entry *o = s.options; o->name; o++) {
        assert(n < POINT_OPTIONS_MAX - 1);
        if (wanted(o, s.values, defaults))
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
            put_integer(w, version);
        else
            put_value(w, sorted[i], s.values);
    }
    if (previous)
        close_objects(w, previous);
    put(w, "}");
}

static int write_point(struct point *p, char text[POINT_JSON_MAX])
{
    struct writer w = {.text = text};
    put(&w, "{\"model\":");
    put_section(&w, p, SECTION_MODEL, 0, of_identity);
    put(&w, ",\"task\":{\"name\":\"");
    put(&w, p->task->name);
    put(&w, "\",\"options\":");
    put_section(&w, p, SECTION_TASK, 0, of_identity);
    put(&w, ",\"version\":");
    put_integer(&w, p->task->version);
    put(&w, "},\"train\":");
    put_section(&w, p, SECTION_TRAIN, TRAIN_VERSION, of_identity);
    put(&w, ",\"v\":");
    put_integer(&w, POINT_FORMAT);
    put(&w, "}");
    return (int)w.used;
}

int point_json(const struct point *p, char text[POINT_JSON_MAX])
{
    struct point canonical = *p;
    if (!p->spelled_out)
        point_canonical(&canonical);
    return write_point(&canonical, text);
}

int point_meaning(const struct point *p, const char *facts, char text[POINT_JSON_MAX])
{
    struct point resolved = *p;
    point_resolve(&resolved, facts);
    return write_point(&resolved, text);
}

int point_task_meaning(const struct point *p, const char *facts, char text[POINT_JSON_MAX])
{
    struct point resolved = *p;
    struct writer w = {.text = text};
    if (p->task->resolve)
        p->task->resolve(resolved.task_options, facts);
    put_section(&w, &resolved, SECTION_TASK, 0, of_identity);
    return (int)w.used;
}

int point_survey_json(const struct point *p, char text[POINT_JSON_MAX])
{
    struct point copy = *p;
    struct writer w = {.text = text};
    put_section(&w, &copy, SECTION_TASK, 0, of_survey);
    return (int)w.used;
}

/* Reading: what is read must write the same text again, so only the values are looked at here. A
 * fault of the JSON itself is CORRUPT, with the byte. */

static enum status read_list(const struct point_section *s, const struct option_entry *o,
                             struct json *j)
{
    struct int_list *list = (void *)((char *)s->values + o->offset);
    list->n = 0;
    if (!json_take(j, '['))
        return status_fail(j->m, STATUS_BAD_INPUT, "%s.%s is not a list", s->name, o->name);
    bool more = !json_take(j, ']');
    while (more) {
        char *buffer = j->text;
        const char *text;
        bool quoted;
        if (!json_scalar(j, &text, &quoted))
            return STATUS_CORRUPT;
        enum status status = option_parse(o, s->name, text, quoted, s->values, j->m);
        if (status)
            return status;
        j->text = buffer;
        if (!json_more(j, ']', &more))
            return STATUS_CORRUPT;
    }
    return STATUS_OK;
}

static enum status read_option(const struct point_section *s, const struct option_entry *o,
                               struct json *j)
{
    const char *text;
    bool quoted;
    if (o->type == OPTION_INT_LIST)
        return read_list(s, o, j);
    const char *parts = json_take(j, '{') ? "a mapping" : json_take(j, '[') ? "a list" : NULL;
    if (parts)
        return status_fail(j->m, STATUS_BAD_INPUT, "%s.%s is %s", s->name, o->name, parts);
    if (!json_scalar(j, &text, &quoted))
        return STATUS_CORRUPT;
    return option_parse(o, s->name, text, quoted, s->values, j->m);
}

/* Whether names of options begin with what follows the section in "train.schedule.". */
static bool begins_options(struct point *p, const char *prefix)
{
    struct point_section s;
    const char *name = within_section(p, prefix, &s);
    for (const struct option_entry *o = name ? s.options : NULL; o && o->name; o++)
        if (strncmp(o->name, name, strlen(name)) == 0)
            return true;
    return false;
}

/* What is no option, though it stands among them. */
static bool is_passed_over(const char *path)
{
    static const char *const passed[] = {"task.name", "task.version", "train.version"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (strcmp(path, passed[i]) == 0)
            return true;
    return false;
}

/* An object behind its {: options by what their paths have after the prefix ("", "train."), and
 * objects of them. */
static enum status read_options(struct point *p, const char *prefix, struct json *j)
{
    char path[128], *const buffer = j->text;
    bool more = !json_take(j, '}');
    while (more) {
        struct point_section section;
        const char *key;
        if (!json_string(j, &key) || !json_expect(j, ':'))
            return STATUS_CORRUPT;
        bool whole = (size_t)snprintf(path, sizeof path, "%s%s.", prefix, key) < sizeof path;
        bool object = whole && begins_options(p, path);
        char *end = path + strlen(path) - 1;
        *end = '\0';
        const struct option_entry *o = point_option(p, path, &section);
        enum status s = STATUS_OK;
        j->text = buffer;
        if (is_passed_over(path))
            s = json_skip(j) ? STATUS_OK : STATUS_CORRUPT;
        else if (o)
            s = read_option(&section, o, j);
        else if (!object || !json_take(j, '{'))
            s = status_fail(j->m, STATUS_BAD_INPUT, "%s is not an option of this program", path);
        else {
            *end = '.';
            s = read_options(p, path, j);
        }
        if (s)
            return s;
        j->text = buffer;
        if (!json_more(j, '}', &more))
            return STATUS_CORRUPT;
    }
    return STATUS_OK;
}

static enum status read_section(struct point *p, const char *prefix, struct json *j)
{
    if (!json_take(j, '{'))
        return status_fail(j->m, STATUS_BAD_INPUT, "%.*s is not a mapping", (int)strlen(prefix) - 1,
                           prefix);
    return read_options(p, prefix, j);
}

static enum status check_version(const struct json *object, const char *key, int ours,
                                 const char *of)
{
    struct json j;
    const char *text;
    bool quoted, integral = false;
    double theirs = 0;
    if (!json_member(object, key, &j) || !json_scalar(&j, &text, &quoted) || quoted ||
        !number_parse(text, &theirs, &integral) || !integral)
        return status_fail(object->m, STATUS_BAD_INPUT, "no version of %s is given", of);
    if (theirs != ours)
        return status_fail(object->m, STATUS_BAD_INPUT,
                           "version %s of %s, which this program does not have (it has %d)", text,
                           of, ours);
    return STATUS_OK;
}

static enum status read_point(const struct json *root, struct point *p)
{
    struct json model, task, name, options, train;
    const char *task_name;
    char of[64];
    bool quoted;
    enum status s = check_version(root, "v", POINT_FORMAT, "the configuration format");
    if (s)
        return s;
    if (!json_member(root, "model", &model) || !json_member(root, "task", &task) ||
        !json_member(root, "train", &train) || !json_member(&task, "name", &name) ||
        !json_member(&task, "options", &options) || !json_scalar(&name, &task_name, &quoted))
        return status_fail(root->m, STATUS_BAD_INPUT, "model, task or train is missing");
    const struct task *found = task_find(task_name);
    if (!found)
        return status_fail(root->m, STATUS_BAD_INPUT,
                           "the task %s, which this program does not have", task_name);
    snprintf(of, sizeof of, "task %s", found->name);
    if ((s = check_version(&task, "version", found->version, of)) ||
        (s = check_version(&train, "version", TRAIN_VERSION, "training")))
        return s;
    point_init(p, found);
    if ((s = read_section(p, "model.", &model)) || (s = read_section(p, "task.", &options)))
        return s;
    return read_section(p, "train.", &train);
}

/* A scanner of JSON that this program wrote; text is for its strings. */
static struct json scanner(const char *json, const char *place, char text[POINT_JSON_MAX + 1],
                           struct message *m)
{
    const unsigned char *bytes = (const unsigned char *)json;
    return (struct json){.start = bytes,
                         .next = bytes,
                         .end = bytes + strnlen(json, POINT_JSON_MAX),
                         .place = place,
                         .text = text,
                         .m = m};
}

enum status point_parse(const char *json, struct point *p, struct message *m)
{
    char text[POINT_JSON_MAX + 1], again[POINT_JSON_MAX];
    struct json root = scanner(json, "a stored configuration", text, m), whole = root;
    enum status s = STATUS_CORRUPT;
    if (json_skip(&whole) && json_end(&whole))
        s = read_point(&root, p);
    if (s == STATUS_CORRUPT) /* the place stands in the message */
        return STATUS_BAD_INPUT;
    if (s == STATUS_OK) {
        point_json(p, again);
        p->spelled_out = strcmp(again, json) != 0;
        if (p->spelled_out)
            point_json(p, again);
        if (strcmp(again, json) != 0)
            s = status_fail(m, STATUS_BAD_INPUT, "it is not what this program writes for it");
    }
    return s == STATUS_BAD_INPUT ? status_fail_within(m, s, "a stored configuration: ") : s;
}

static enum status set_options(struct point *p, const char *prefix, const char *json,
                               const char *place, struct message *m)
{
    char text[POINT_JSON_MAX + 1];
    struct json object = scanner(json, place, text, m);
    enum status s = json_expect(&object, '{') ? read_options(p, prefix, &object) : STATUS_CORRUPT;
    return s == STATUS_CORRUPT || (s == STATUS_OK && !json_end(&object)) ? STATUS_BAD_INPUT : s;
}

enum status point_set_task(struct point *p, const char *json, struct message *m)
{
    return set_options(p, "task.", json, "options of a task", m);
}

enum status point_set(struct point *p, const char *json, struct message *m)
{
    return set_options(p, "", json, "options of a point", m);
}
