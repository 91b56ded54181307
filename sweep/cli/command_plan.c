#include "sweep/cli/command_plan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "sweep/trials/data_file.h"

static enum status check_name(const struct config *c, struct message *m)
{
    const char *mistaken = config_mistaken_name(c->name);
    if (!mistaken)
        return STATUS_OK;
    status_fail(m, STATUS_BAD_INPUT,
                "the sweep's name '%s' %s; give it another with the key name, and where it has run "
                "already, first with `headcount sweep rename -- %s NEW`",
                c->name, mistaken, c->name);
    return config_within(c, (struct place){0}, m);
}

enum status command_read_sweep(const char *file, const char *as, const struct command_texts *set,
                               struct config **c, struct message *m)
{
    bool piped = strcmp(file, "-") == 0;
    char shown[256];
    if (as && !piped)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--as names a sweep file from standard input, and this one is %s; give "
                           "- in its place, or leave --as out",
                           text_shown(file, shown, sizeof shown));
    enum status s = piped ? config_read_stdin(as, set->item, set->count, c, m)
                          : config_read(file, set->item, set->count, c, m);
    return s == STATUS_OK ? check_name(*c, m) : s;
}

enum status command_threads(const char *text, struct config *c, struct message *m)
{
    char shown[64];
    if (!text || config_threads(text, &c->threads))
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT, "--threads is '%s'; allowed: auto, 1 to %d",
                       text_shown(text, shown, sizeof shown), TEAM_MAX);
}

static const char *reader; /* the command that reads files */

static void say_reading(const char *path, int64_t size)
{
    enum { LARGE = 256 << 20 }; /* about a second */
    char bytes[32];
    if (size >= LARGE)
        text_print(stderr, "headcount %s: reading all %sB of %s, once\n", reader,
                   text_quantity((double)size, bytes, sizeof bytes), path);
}

enum status command_plan_new(const char *name, const struct config *c, const char *db,
                             struct plan **p, struct message *m)
{
    struct survey *known = NULL;
    struct store *s = NULL;
    int count = 0;
    bool there = store_open(db, STORE_READ, &s, NULL) == STATUS_OK;
    if (there)
        store_surveys(s, &known, &count, NULL);
    reader = name;
    survey_listener = name ? say_reading : NULL;
    enum status status = plan_new(c, known, count, p, m);
    store_surveys_free(known, count);
    if (there && status == STATUS_OK)
        status = store_adopt(s, *p, m);
    if (there)
        store_close(s, NULL);
    if (status != STATUS_OK) {
        plan_free(*p);
        *p = NULL;
    }
    return status;
}

enum status command_open_existing(const char *db, struct store **s, struct message *m)
{
    *s = NULL;
    if (access(db, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    return store_open_begun(db, s, m);
}

/* A file as points of the plan see it. */
struct file_seen {
    char path[OPTION_STRING_MAX + 1];
    long length; /* of an example */
    int64_t part[TASK_PARTS];
    int64_t looked_at[TASK_PARTS]; /* but TASK_TRAIN */
};

/* False for a toy. */
static bool see_file(const struct point *p, struct file_seen *f)
{
    struct task_shape shape;
    if (!p->task->file || p->task->shape(p->task_options, &shape, NULL) != STATUS_OK)
        return false;
    memset(f, 0, sizeof *f);
    snprintf(f->path, sizeof f->path, "%s", point_file(p));
    f->length = shape.length;
    memcpy(f->part, shape.part, sizeof f->part);
    f->looked_at[TASK_VAL] = point_examples(shape.part[TASK_VAL], p->train.val_examples);
    f->looked_at[TASK_TEST] = point_examples(shape.part[TASK_TEST], p->train.test_examples);
    return true;
}

static bool seen_alike(const struct file_seen *a, const struct file_seen *b)
{
    return strcmp(a->path, b->path) == 0 && a->length == b->length &&
           memcmp(a->part, b->part, sizeof a->part) == 0 &&
           memcmp(a->looked_at, b->looked_at, sizeof a->looked_at) == 0;
}

static void print_file(const struct file_seen *f)
{
    char text[5][32];
    text_print(stdout,
               "File %s: %s examples of length %ld to train on; validates on %s of %s, tests on %s "
               "of %s.\n",
               f->path, text_count(f->part[TASK_TRAIN], text[0], sizeof text[0]), f->length,
               text_count(f->looked_at[TASK_VAL], text[1], sizeof text[1]),
               text_count(f->part[TASK_VAL], text[2], sizeof text[2]),
               text_count(f->looked_at[TASK_TEST], text[3], sizeof text[3]),
               text_count(f->part[TASK_TEST], text[4], sizeof text[4]));
}

void command_plan_files(const struct plan *p)
{
    enum { SHOWN = 8 };
    struct file_seen seen[SHOWN];
    int n = 0;
    for (long i = 0; i < plan_points(p) && n < SHOWN; i++) {
        struct point point;
        int k = 0;
        plan_point(p, i, &point);
        if (!see_file(&point, &seen[n]))
            continue;
        while (!seen_alike(&seen[k], &seen[n]))
            k++;
        if (k == n)
            print_file(&seen[n++]);
    }
}

void command_plan_notes(const char *name, const struct plan *p)
{
    struct message m;
    for (int i = 0; plan_note(p, &i, &m);)
        text_print(stderr, "headcount %s: note: %s\n", name, m.text);
}
