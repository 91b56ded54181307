#include "sweep/plan/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/text.h"

void (*survey_listener)(const char *path, int64_t size);

static enum status no_memory(struct message *m)
{
    return status_no_memory(m, "what a file holds");
}

/* ---- what a survey says ---- */

/* Reads one derived option from the facts, which json_skip has checked. */
static bool fill_from_facts(struct point *p, const struct option_entry *o, const struct json *facts)
{
    struct json value;
    const char *text;
    bool quoted;
    return json_member(facts, o->name, &value) && json_scalar(&value, &text, &quoted) &&
           option_parse(o, "task", text, quoted, p->task_options, NULL) == STATUS_OK;
}

static bool fill_from(struct point *p, const struct survey *s, const struct json *facts)
{
    char size[32];
    snprintf(size, sizeof size, "%lld", (long long)s->size);
    for (const struct option_entry *o = p->task->options; o->name; o++) {
        bool filled = !o->derived ? true
                      : strcmp(o->name, "sha256") == 0
                          ? !option_parse(o, "task", s->sha256, true, p->task_options, NULL)
                      : strcmp(o->name, "size") == 0
                          ? !option_parse(o, "task", size, false, p->task_options, NULL)
                          : fill_from_facts(p, o, facts);
        if (!filled)
            return false;
    }
    return true;
}

/* A scanner of facts, with *text, malloced, for its strings; *sound: they are JSON. False without
 * memory. */
static bool read_facts(const char *said, struct json *facts, char **text, bool *sound,
                       struct message *fault)
{
    size_t size = strlen(said);
    *text = malloc(size + 1);
    if (!*text)
        return false;
    *facts = (struct json){.start = (const unsigned char *)said,
                           .next = (const unsigned char *)said,
                           .end = (const unsigned char *)said + size,
                           .place = "what is known of a file",
                           .text = *text,
                           .m = fault};
    struct json whole = *facts;
    *sound = json_skip(&whole) && json_end(&whole);
    return true;
}

/* Fills the derived options. *complete is false where the survey lacks any: another version of this
 * program wrote it. */
static enum status fill(struct point *p, const struct survey *s, bool *complete, struct message *m)
{
    struct json facts;
    struct message fault;
    char *text;
    if (!read_facts(s->facts, &facts, &text, complete, &fault))
        return no_memory(m);
    *complete = *complete && fill_from(p, s, &facts);
    free(text);
    return STATUS_OK;
}

bool survey_warning(const char *facts, char *warning, size_t size)
{
    struct json f, value;
    struct message fault;
    char *text;
    const char *said = "";
    bool sound;
    if (!read_facts(facts, &f, &text, &sound, &fault))
        return false;
    bool found = sound && json_member(&f, "warning", &value) && json_string(&value, &said) &&
                 (size_t)snprintf(warning, size, "%s", said) < size;
    free(text);
    return found;
}

/* ---- the list ---- */

static const struct survey *find(const struct survey *item, int count, const char *path,
                                 const char *options)
{
    for (int i = 0; i < count; i++)
        if (strcmp(item[i].path, path) == 0 && strcmp(item[i].options, options) == 0)
            return &item[i];
    return NULL;
}

/* Adds a copy; facts are the list's. */
static void add(struct survey_list *list, const struct survey *s, const char *path,
                const char *options, char *facts)
{
    list->item = arena_grow(list->arena, list->item, (size_t)list->count, sizeof *list->item);
    struct survey *copy = &list->item[list->count];
    *copy = *s;
    copy->path = arena_string(list->arena, path);
    copy->options = arena_string(list->arena, options);
    copy->facts = facts;
    list->count++;
}

/* ---- reading ---- */

/* What a file looks like from outside; false where there is none. */
static bool look(const char *path, struct survey *s)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    s->size = st.st_size;
    s->mtime_ns = file_mtime_ns(&st);
    return true;
}

static bool looks_alike(const struct survey *a, const struct survey *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns;
}

/* Is the file as it was when it was read? One that was copied there since may have the old size and
 * time. */
static bool still_holds(const struct survey *known)
{
    struct stat st;
    return stat(known->path, &st) == 0 && st.st_size == known->size &&
           file_mtime_ns(&st) == known->mtime_ns && file_ctime_ns(&st) < known->read_ns;
}

static enum status refuse_changing(const char *path, struct message *m)
{
    char shown[256];
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s changed while it was read; wait until it is complete",
                       text_shown(path, shown, sizeof shown));
}

static void free_text(void *text)
{
    free(((struct text_buffer *)text)->text);
}

/* Reads the file that the point names, and lists what it says. */
static enum status read_file(struct survey_list *list, struct point *p, const char *options,
                             struct message *m)
{
    /* No arena's text: its memory may run out only where the task has no file open. */
    struct text_buffer *facts = arena_alloc(list->arena, 1, sizeof *facts);
    struct survey before = {0}, after = {0};
    const struct option_entry *sha256 = option_find(p->task->options, "sha256");
    bool complete = false;
    struct timespec now;
    arena_on_free(list->arena, free_text, facts);
    clock_gettime(CLOCK_REALTIME, &now);
    bool there = look(point_file(p), &before);
    before.read_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (there && survey_listener)
        survey_listener(point_file(p), before.size);
    enum status s = p->task->file->survey(p->task_options, facts, m);
    if (!s && facts->out_of_memory)
        s = no_memory(m);
    if (!s && (!there || !look(point_file(p), &after) || !looks_alike(&before, &after)))
        s = refuse_changing(point_file(p), m);
    if (s)
        return s;
    memcpy(before.sha256, p->task_options + sha256->offset, sizeof before.sha256);
    add(list, &before, point_file(p), options, facts->text);
    s = fill(p, &list->item[list->count - 1], &complete, m);
    if (!s && !complete)
        s = status_fail(m, STATUS_INTERNAL, "task %s does not say all that its options hold",
                        p->task->name);
    return s;
}

enum status survey_point(struct survey_list *list, struct point *p, struct message *m)
{
    char options[POINT_JSON_MAX];
    bool complete = false;
    point_survey_json(p, options);
    const struct survey *s = find(list->item, list->count, point_file(p), options);
    if (s)
        return fill(p, s, &complete, m);
    s = find(list->known, list->known_count, point_file(p), options);
    if (s && still_holds(s)) {
        enum status status = fill(p, s, &complete, m);
        if (!status && complete)
            add(list, s, s->path, s->options, arena_string(list->arena, s->facts));
        if (status || complete)
            return status;
    }
    return read_file(list, p, options, m);
}

/* ---- paths ---- */

/* Appends a path's parts but the empty ones and `.`; *used beyond size where they do not fit. */
static void append_parts(const char *parts, char *path, size_t size, size_t *used)
{
    while (*parts) {
        size_t n = strcspn(parts, "/");
        if (n > 0 && !(n == 1 && parts[0] == '.')) {
            if (*used < size)
                snprintf(path + *used, size - *used, "/%.*s", (int)n, parts);
            *used += n + 1;
        }
        parts += n + (parts[n] == '/');
    }
}

enum status survey_path(const char *folder, const char *given, size_t max, char *path,
                        struct message *m)
{
    char here[OPTION_STRING_MAX + 1], shown[256];
    size_t used = 0;
    bool relative = given[0] != '/';
    if (relative && (!folder || folder[0] != '/')) {
        if (!getcwd(here, sizeof here))
            return status_fail(
                m, STATUS_BAD_INPUT,
                "the working directory has no path (%s); give %s as an absolute path",
                strerror(errno), text_shown(given, shown, sizeof shown));
        append_parts(here, path, max + 1, &used);
    }
    if (relative && folder)
        append_parts(folder, path, max + 1, &used);
    append_parts(given, path, max + 1, &used);
    if (used > max)
        return status_fail(m, STATUS_BAD_INPUT,
                           "the absolute path of %s is longer than %zu bytes; move the file",
                           text_shown(given, shown, sizeof shown), max);
    if (!used)
        snprintf(path, max + 1, "/");
    return STATUS_OK;
}
