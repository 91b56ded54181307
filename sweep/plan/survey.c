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

bool survey_warning(const char *facts, char *warning, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)facts;
    const size_t length = strlen(facts);
    char *text = malloc(length + 1);
    const char *said = "";
    struct message fault;
    struct json f = {.start = bytes,
                     .next = bytes,
                     .end = bytes + length,
                     .place = "what is known of a file",
                     .text = text,
                     .m = &fault};
    struct json whole = f, value;
    bool found = text && json_skip(&whole) && json_end(&whole) &&
                 json_member(&f, "warning", &value) && json_string(&value, &said) &&
                 (size_t)snprintf(warning, size, "%s", said) < size;
    free(text);
    return found;
}

/* ---- the list ---- */

/* The point as it is asked for in the list: as instance 0. */
static struct point asked_as(const struct point *p)
{
    struct point asked = *p;
    *point_instance(&asked) = 0;
    return asked;
}

static const struct survey *find(const struct survey *item, int count, const struct point *asked)
{
    size_t size = asked->task->options_size;
    for (int i = 0; i < count; i++)
        if (item[i].task == asked->task && (memcmp(item[i].given, asked->task_options, size) == 0 ||
                                            memcmp(item[i].whole, asked->task_options, size) == 0))
            return &item[i];
    return NULL;
}

const struct survey *survey_find(const struct survey_list *list, const struct point *p)
{
    const struct point asked = asked_as(p);
    return find(list->item, list->count, &asked);
}

bool survey_fill(const struct survey_list *list, struct point *p)
{
    int64_t *instance = point_instance(p), own = *instance;
    *instance = 0;
    const struct survey *s = find(list->item, list->count, p);
    if (s)
        memcpy(p->task_options, s->whole, s->task->options_size);
    *instance = own;
    return s != NULL;
}

static void add(struct survey_list *list, const struct survey *s)
{
    list->item = arena_grow(list->arena, list->item, (size_t)list->count, sizeof *list->item);
    list->item[list->count++] = *s;
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

static const unsigned char *copy_options(struct arena *a, const struct point *p)
{
    unsigned char *copy = arena_alloc(a, 1, p->task->options_size);
    memcpy(copy, p->task_options, p->task->options_size);
    return copy;
}

/* Reads the file that the point names, whose derived options it fills. */
static enum status read_file(struct arena *a, struct point *p, struct survey *s, struct message *m)
{
    /* No arena's text: its memory may run out only where the task has no file open. */
    struct text_buffer *facts = arena_alloc(a, 1, sizeof *facts);
    char options[POINT_JSON_MAX];
    struct survey after = {0};
    struct timespec now;
    arena_on_free(a, free_text, facts);
    clock_gettime(CLOCK_REALTIME, &now);
    point_survey_json(p, options);
    *s = (struct survey){.task = p->task,
                         .given = copy_options(a, p),
                         .path = arena_string(a, point_file(p)),
                         .options = arena_string(a, options),
                         .read_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec};
    bool there = look(s->path, s);
    if (there && survey_listener)
        survey_listener(s->path, s->size);
    enum status status = p->task->file->survey(p->task_options, facts, m);
    if (!status && facts->out_of_memory)
        status = status_no_memory(m, "what a file holds");
    if (!status && (!there || !look(s->path, &after) || !looks_alike(s, &after)))
        status = refuse_changing(s->path, m);
    if (status)
        return status;
    s->whole = copy_options(a, p);
    s->facts = facts->text;
    s->sha256 = (const char *)s->whole + option_find(p->task->options, "sha256")->offset;
    return STATUS_OK;
}

enum status survey_add(struct survey_list *list, const struct point *p, struct message *m)
{
    struct point asked = asked_as(p);
    const struct survey *known = find(list->known, list->known_count, &asked);
    struct survey read;
    if (!known) {
        enum status s = read_file(list->arena, &asked, &read, m);
        if (s)
            return s;
    }
    add(list, known ? known : &read);
    return STATUS_OK;
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
