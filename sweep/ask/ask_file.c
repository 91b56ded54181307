#include "sweep/ask/ask_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "sweep/ask/digits.h"
#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "sweep/plan/tree.h"

static const char MARK[] = "# headcount ask ", BEFORE_HASH[] = ", sha256 ";
enum { VERSION = 3, HASH = 64 };

/* What the last line tells beside the design. */
struct written {
    char trains[DIGITS_SIZE], asked[DIGITS_SIZE];
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Of what is set, in an order of its own; but for the task, all of which the digits of the trials
 * tell of. */
static void digest(const char *const *sets, int count, char digits[DIGITS_SIZE])
{
    struct sha256 hash;
    char hex[65];
    sha256_init(&hash);
    for (const char *set = NULL; (set = sets_next(sets, count, set)) != NULL;)
        if (!begins(set, "task."))
            sha256_update(&hash, set, strlen(set) + 1);
    sha256_final(&hash, hex);
    snprintf(digits, DIGITS_SIZE, "%.12s", hex);
}

/* ---- the last line ---- */

/* Its beginning; NULL: the text has none such. */
static const char *last_line(const char *text, size_t size)
{
    if (size == 0 || text[size - 1] != '\n')
        return NULL;
    const char *line = text + size - 1;
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
static bool read_design(const char *line, enum look_kind kind, struct design *d,
                        struct written *was)
{
    char size[32];
    int end = 0;
    const struct design_kind *k = design_kind(kind);
    *d = (struct design){.kind = kind, .size = -1};
    if (sscanf(line + strlen(MARK),
               "%*d: %lf minutes, %31[a-z0-9-], %ld steps for %lf minutes, level %d, seeds %d, "
               "confirm %d, trains %12[0-9a-f], asked %12[0-9a-f]%n",
               &d->minutes, size, &d->steps, &d->steps_minutes, &d->level, &d->seeds, &d->confirm,
               was->trains, was->asked, &end) != 9 ||
        !begins(line + strlen(MARK) + end, BEFORE_HASH))
        return false;
    for (int i = 0; i < k->sizes; i++)
        if (strcmp(k->size[i].name, size) == 0)
            d->size = i;
    return d->steps > 0 && d->level >= 0 && d->level < design_levels() && d->seeds > 0 &&
           isfinite(d->minutes) && isfinite(d->steps_minutes);
}

/* The beginning of the last line of a text whose other lines are as they were written; else NULL.
 */
static const char *own_line(const char *text, size_t size)
{
    const char *line = last_line(text, size), *hash = line ? written_hash(line) : NULL;
    char now[65];
    if (!hash)
        return NULL;
    sha256_hex(text, (size_t)(line - text), now);
    return strncmp(now, hash, HASH) == 0 ? line : NULL;
}

bool ask_file_is_own(const char *text, size_t size)
{
    return own_line(text, size) != NULL;
}

/* What is set now may be such that the design is refused, which then is another one. */
static enum status has_digits(const struct design *d, const struct look *l, const char *path,
                              const char *const *sets, int count, const char *digits, bool *same,
                              struct message *m)
{
    char now[DIGITS_SIZE];
    enum status s = digits_of(d, l, path, sets, count, now, m);
    *same = s == STATUS_OK && strcmp(now, digits) == 0;
    return s == STATUS_BAD_INPUT ? STATUS_OK : s;
}

/* By the last line of a file whose other lines no person has changed. */
static enum status state_of(const char *line, const char *path, const struct look *l,
                            const char *const *sets, int count, enum ask_file_state *state,
                            struct design *d, struct message *m)
{
    struct written was;
    char asked[DIGITS_SIZE];
    int version;
    bool same = false;
    enum status s = STATUS_OK;
    *state = ASK_FILE_OTHER;
    if (sscanf(line + strlen(MARK), "%d:", &version) == 1 && version != VERSION)
        return STATUS_OK;
    if (!read_design(line, l->kind, d, &was)) {
        *state = ASK_FILE_CHANGED;
        return STATUS_OK;
    }
    if (d->size >= 0)
        s = has_digits(d, l, path, sets, count, was.trains, &same, m);
    digest(sets, count, asked);
    if (same)
        *state = strcmp(asked, was.asked) == 0 ? ASK_FILE_SAME : ASK_FILE_KEYS;
    return s;
}

enum status ask_file_read(const char *path, const struct look *l, const char *const *sets,
                          int count, enum ask_file_state *state, struct design *d,
                          struct message *m)
{
    void *text;
    size_t size;
    *state = ASK_FILE_NONE;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    enum status s = file_read(path, TREE_BYTES, &text, &size, m);
    if (s != STATUS_OK)
        return s;
    const char *line = own_line(text, size);
    *state = ASK_FILE_CHANGED;
    if (line)
        s = state_of(line, path, l, sets, count, state, d, m);
    free(text);
    return s;
}

enum status ask_file_refuse_changed(const char *path, struct message *m)
{
    struct text_buffer word = {0};
    text_add_shell(&word, path);
    enum status s = status_fail(m, STATUS_BAD_INPUT,
                                "%s: was changed since ask wrote it, or was not written by ask, "
                                "and is left as it is. Run it (headcount run %s), or move it away "
                                "and ask again",
                                path, word.text ? word.text : path);
    free(word.text);
    return s;
}

/* Measuring takes a while, in which a person may have changed it. */
static enum status check_unchanged(const char *path, const struct look *l, struct message *m)
{
    enum ask_file_state state;
    struct design unused;
    enum status s = ask_file_read(path, l, NULL, 0, &state, &unused, m);
    return s == STATUS_OK && state == ASK_FILE_CHANGED ? ask_file_refuse_changed(path, m) : s;
}

enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *name, const char *const *sets, int count, struct message *m)
{
    char sha256[65], trains[DIGITS_SIZE], asked[DIGITS_SIZE];
    struct text_buffer text = {0};
    enum status s = digits_of(d, l, path, sets, count, trains, m);
    if (s != STATUS_OK)
        return s;
    digest(sets, count, asked);
    sheet_write(d, l, name, sets, count, &text);
    sha256_hex(text.text ? text.text : "", text.used, sha256);
    text_add(
        &text,
        "%s%d: %.15g minutes, %s, %ld steps for %.15g minutes, level %d, seeds %d, confirm %d, "
        "trains %s, asked %s%s%s\n",
        MARK, VERSION, d->minutes, design_size(d)->name, d->steps, d->steps_minutes, d->level,
        d->seeds, d->confirm, trains, asked, BEFORE_HASH, sha256);
    struct iovec part = {.iov_base = text.text, .iov_len = text.used};
    s = text.out_of_memory ? status_no_memory(m, "a sweep file") : check_unchanged(path, l, m);
    if (s == STATUS_OK) {
        file_remove_unfinished(path);
        s = file_write(path, &part, 1, m);
    }
    free(text.text);
    return s;
}
