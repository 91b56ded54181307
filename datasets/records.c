#include "datasets/records_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/utf8.h"

static const unsigned char byte_order_mark[] = {0xef, 0xbb, 0xbf};
enum { MARK = sizeof byte_order_mark };

static const struct records_reader *reader_of(enum records_form form)
{
    return form == RECORDS_CSV ? &records_csv : &records_jsonl;
}

enum status records_form_of(const char *path, enum records_form *form, struct message *m)
{
    static const struct {
        const char *ending;
        enum records_form form;
    } known[] = {{".csv", RECORDS_CSV},
                 {".jsonl", RECORDS_JSONL},
                 {".ndjson", RECORDS_JSONL},
                 {".json", RECORDS_JSONL}};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(ending, known[i].ending) == 0) {
            *form = known[i].form;
            return STATUS_OK;
        }
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s: rows are read from CSV or JSON Lines; give a file whose name ends in "
                       ".csv, .jsonl, .ndjson or .json",
                       path);
}

struct records *records_new(enum records_form form, const char *path, records_visit visit,
                            void *context)
{
    const struct records_reader *reader = reader_of(form);
    struct records *r = calloc(1, reader->size);
    if (r) {
        r->reader = reader;
        r->path = path;
        r->visit = visit;
        r->context = context;
        r->at = (struct place){1, 1};
    }
    return r;
}

void records_free(struct records *r)
{
    if (r)
        r->reader->free(r);
    free(r);
}

/* What looked like a byte order mark and was none. */
static enum status feed_mark(struct records *r, struct message *m)
{
    size_t seen = r->mark > 0 ? (size_t)r->mark : 0;
    r->mark = -1;
    return r->reader->feed(r, byte_order_mark, seen, m);
}

enum status records_feed(void *context, const unsigned char *bytes, size_t n, struct message *m)
{
    struct records *r = context;
    for (; r->mark >= 0 && n > 0; bytes++, n--) {
        if (*bytes != byte_order_mark[r->mark]) {
            enum status s = feed_mark(r, m);
            if (s != STATUS_OK)
                return s;
            break;
        }
        if (++r->mark == MARK) {
            r->mark = -1;
            r->offset = MARK;
        }
    }
    return r->reader->feed(r, bytes, n, m);
}

enum status records_end(struct records *r, struct message *m)
{
    enum status s = feed_mark(r, m);
    return s == STATUS_OK ? r->reader->end(r, m) : s;
}

enum status records_refuse(const char *path, struct place at, struct message *m, const char *what,
                           ...)
{
    struct message reason = {{0}};
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(reason.text, sizeof reason.text, what, arguments);
    va_end(arguments);
    return status_fail(m, STATUS_BAD_INPUT, "%s, line %" PRId64 ", column %" PRId64 ": %s", path,
                       at.line, at.column, reason.text);
}

static bool is_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    int n = 1;
    for (; p < end && n > 0; p += n)
        n = utf8_decode(p, end, NULL);
    return n > 0;
}

enum status records_found(struct records *r, const struct record *row, struct place text_at,
                          struct message *m)
{
    if (row->text_size == 0)
        return records_refuse(r->path, text_at, m, "the text is empty");
    if (!*row->label)
        return records_refuse(r->path, row->label_at, m, "the label is empty");
    if (strlen(row->label) > RECORDS_LABEL_MAX)
        return records_refuse(r->path, row->label_at, m, "the label has more than %d bytes",
                              RECORDS_LABEL_MAX);
    if (!is_utf8(row->label))
        return records_refuse(r->path, row->label_at, m, "the label is not UTF-8");
    return r->visit(r->context, row, m);
}

enum status records_text(enum records_form form, const char *path, const unsigned char *raw,
                         size_t n, size_t limit, unsigned char *text, size_t *size,
                         struct message *m)
{
    return reader_of(form)->text(path, raw, n, limit, text, size, m);
}

enum status records_moved(const char *path, struct message *m)
{
    return status_fail(m, STATUS_CORRUPT, "%s: was changed while it was read", path);
}
