#include "sweep/ask/ask_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "sweep/plan/tree.h"

static const char MARK[] = "# headcount ask ", BEFORE_HASH[] = ", sha256 ";
enum { VERSION = 2, HASH = 64 };

/* ---- what was asked ---- */

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_update(hash, text, strlen(text) + 1);
}

/* Defaults and what was guessed, or read from the file, are there as what is set is. */
static void add_task(struct sha256 *hash, const struct look *l)
{
    char value[OPTION_TEXT_MAX];
    add_text(hash, l->point.task->name);
    for (const struct option_entry *o = l->point.task->options; o->name; o++) {
        if (o->local || option_format(o, l->point.task_options, value, sizeof value) < 0)
            continue;
        add_text(hash, o->name);
        add_text(hash, value);
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* all: of how often they run and how they are judged, too. */
static void digest(const struct look *l, const char *const *sets, int count, bool all,
                   char digits[ASKED_SIZE])
{
    struct sha256 hash;
    char hex[65];
    sha256_init(&hash);
    add_task(&hash, l);
    for (const char *set = NULL; (set = sets_next(sets, count, set)) != NULL;) {
        bool trained = begins(set, "model.") || begins(set, "train.") || begins(set, "metric=");
        if (!begins(set, "task.") && (all || trained))
            add_text(&hash, set);
    }
    sha256_final(&hash, hex);
    snprintf(digits, ASKED_SIZE, "%.12s", hex);
}

void ask_file_asked(const struct look *l, const char *const *sets, int count, struct asked *asked)
{
    digest(l, sets, count, false, asked->trained);
    digest(l, sets, count, true, asked->all);
}

/* ---- the last line ---- */

/* Its beginning; NULL: the text has none such. */
static char *last_line(char *text, size_t size)
{
    if (size == 0 || text[size - 1] != '\n')
        return NULL;
    char *line = text + size - 1;
    while (line > text && line[-1] != '\n')
        line--;
    return begins(line, MARK) ? line : NULL;
}

/* The SHA-256 at its end; NULL: there is none. */
static const char *written_hash(const char *line)
{
    size_t n = strlen(line), before = strlen(BEFORE_HASH);
    if (n < before + HASH + 1)
        return NULL;
    const char *hash = line + n - HASH - 1;
    return begins(hash - before, BEFORE_HASH) && strspn(hash, "0123456789abcdef") == HASH ? hash
                                                                                          : NULL;
}

/* False where it is not as this version writes it. A size that the kind does not have is -1. */
static bool read_design(const char *line, enum look_kind kind, struct design *d, struct asked *was)
{
    char size[32];
    int end = 0;
    const struct design_kind *k = design_kind(kind);
    *d = (struct design){.kind = kind, .size = -1};
    if (sscanf(line + strlen(MARK),
               "%*d: %lf minutes, %31[a-z0-9-], %ld steps, level %d, seeds %d, confirm %d, "
               "trains %12[0-9a-f], asked %12[0-9a-f]%n",
               &d->minutes, size, &d->steps, &d->level, &d->seeds, &d->confirm, was->trained,
               was->all, &end) != 8 ||
        !begins(line + strlen(MARK) + end, BEFORE_HASH))
        return false;
    for (int i = 0; i < k->sizes; i++)
        if (strcmp(k->size[i].name, size) == 0)
            d->size = i;
    return d->steps > 0 && d->level >= 0 && d->level < design_levels() && d->seeds > 0 &&
           isfinite(d->minutes);
}

/* Of a file whose other lines no person has changed. */
static enum ask_file_state state_of(const char *line, const struct look *l,
                                    const struct asked *asked, struct design *d)
{
    struct asked was;
    int version;
    if (sscanf(line + strlen(MARK), "%d:", &version) == 1 && version != VERSION)
        return ASK_FILE_OTHER;
    if (!read_design(line, l->kind, d, &was))
        return ASK_FILE_CHANGED;
    if (d->size < 0 || strcmp(was.trained, asked->trained) != 0)
        return ASK_FILE_OTHER;
    return strcmp(was.all, asked->all) == 0 ? ASK_FILE_SAME : ASK_FILE_KEYS;
}

enum status ask_file_read(const char *path, const struct look *l, const struct asked *asked,
                          enum ask_file_state *state, struct design *d, struct message *m)
{
    void *text;
    size_t size;
    char now[65];
    *state = ASK_FILE_NONE;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    enum status s = file_read(path, TREE_BYTES, &text, &size, m);
    if (s != STATUS_OK)
        return s;
    const char *line = last_line(text, size), *written = line ? written_hash(line) : NULL;
    *state = ASK_FILE_CHANGED;
    if (written) {
        sha256_hex(text, (size_t)(line - (const char *)text), now);
        if (strncmp(now, written, HASH) == 0)
            *state = state_of(line, l, asked, d);
    }
    free(text);
    return STATUS_OK;
}

enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *name, const struct asked *asked, const char *const *sets,
                           int count, struct message *m)
{
    char sha256[65];
    struct text_buffer text = {0};
    sheet_write(d, l, name, sets, count, &text);
    sha256_hex(text.text ? text.text : "", text.used, sha256);
    text_add(&text,
             "%s%d: %g minutes, %s, %ld steps, level %d, seeds %d, confirm %d, trains %s, asked "
             "%s%s%s\n",
             MARK, VERSION, d->minutes, design_size(d)->name, d->steps, d->level, d->seeds,
             d->confirm, asked->trained, asked->all, BEFORE_HASH, sha256);
    struct iovec part = {.iov_base = text.text, .iov_len = text.used};
    file_remove_unfinished(path);
    enum status s =
        text.out_of_memory ? status_no_memory(m, "a sweep file") : file_write(path, &part, 1, m);
    free(text.text);
    return s;
}
