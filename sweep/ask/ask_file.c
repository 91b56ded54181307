#include "sweep/ask/ask_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "sweep/plan/tree.h"

static const char MARK[] = "# headcount ask 1: ";

void ask_file_asked(const struct look *l, const char *const *sets, int count,
                    char asked[ASKED_SIZE])
{
    struct sha256 hash;
    char hex[65];
    const char *subject = design_subject(l);
    sha256_init(&hash);
    sha256_update(&hash, subject, strlen(subject) + 1);
    if (l->kind != LOOK_TOY)
        sha256_update(&hash, look_string(l, "sha256"), 64);
    for (int i = 0; i < count; i++)
        sha256_update(&hash, sets[i], strlen(sets[i]) + 1);
    sha256_final(&hash, hex);
    snprintf(asked, ASKED_SIZE, "%.12s", hex);
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
    return strncmp(line, MARK, strlen(MARK)) == 0 ? line : NULL;
}

static bool read_design(const char *line, enum look_kind kind, struct design *d, char *asked,
                        char *sha256)
{
    char size[32];
    int end = 0;
    *d = (struct design){.kind = kind, .size = -1};
    if (sscanf(line + strlen(MARK),
               "%lf minutes, %31[a-z0-9-], %ld steps, level %d, confirm %d, asked %12[0-9a-f], "
               "sha256 %64[0-9a-f]%n",
               &d->minutes, size, &d->steps, &d->level, &d->confirm, asked, sha256, &end) != 7 ||
        strcmp(line + strlen(MARK) + end, "\n") != 0)
        return false;
    for (int i = 0; i < design_sizes(kind); i++)
        if (strcmp(design_size_name(kind, i), size) == 0)
            d->size = i;
    return d->steps > 0 && d->level >= 0 && d->level < design_levels() && isfinite(d->minutes);
}

enum status ask_file_read(const char *path, const struct look *l, const char *asked,
                          enum ask_file_state *state, struct design *d, struct message *m)
{
    void *text;
    size_t size;
    char was_asked[ASKED_SIZE], written[65], now[65];
    *state = ASK_FILE_NONE;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return STATUS_OK;
    enum status s = file_read(path, TREE_BYTES, &text, &size, m);
    if (s != STATUS_OK)
        return s;
    const char *line = last_line(text, size);
    *state = ASK_FILE_CHANGED;
    if (line && read_design(line, l->kind, d, was_asked, written)) {
        sha256_hex(text, (size_t)(line - (const char *)text), now);
        bool same = strcmp(was_asked, asked) == 0 && d->size >= 0;
        if (strcmp(now, written) == 0)
            *state = same ? ASK_FILE_SAME : ASK_FILE_OTHER;
    }
    free(text);
    return STATUS_OK;
}

enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *asked, const char *const *sets, int count, struct message *m)
{
    char name[DESIGN_NAME_SIZE], sha256[65];
    struct text_buffer text = {0};
    design_name(d, l, asked, name);
    design_write(d, l, name, sets, count, &text);
    sha256_hex(text.text ? text.text : "", text.used, sha256);
    text_add(&text, "%s%g minutes, %s, %ld steps, level %d, confirm %d, asked %s, sha256 %s\n",
             MARK, d->minutes, design_size(d)->name, d->steps, d->level, d->confirm, asked, sha256);
    struct iovec part = {.iov_base = text.text, .iov_len = text.used};
    file_remove_unfinished(path);
    enum status s =
        text.out_of_memory ? status_no_memory(m, "a sweep file") : file_write(path, &part, 1, m);
    free(text.text);
    return s;
}
