#include "datasets/records_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/option.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"

static const unsigned char byte_order_mark[] = {0xef, 0xbb, 0xbf};
enum { MARK = sizeof byte_order_mark };

static const struct records_reader *reader_of(const struct records_format *f)
{
    return f->form == RECORDS_CSV ? &records_csv : &records_jsonl;
}

enum status records_format_of(const char *path, char separator, struct records_format *f,
                              struct message *m)
{
    static const struct {
        const char *ending;
        enum records_form form;
        char separator;
    } known[] = {{".csv", RECORDS_CSV, ','},
                 {".tsv", RECORDS_CSV, '\t'},
                 {".jsonl", RECORDS_JSONL, '\0'},
                 {".ndjson", RECORDS_JSONL, '\0'},
                 {".json", RECORDS_JSONL, '\0'}};
    const char *ending = strrchr(path, '.');
    f->form = RECORDS_CSV;
    f->separator = separator;
    for (size_t i = 0; ending && i < sizeof known / sizeof *known; i++) {
        if (strcasecmp(ending, known[i].ending) != 0)
            continue;
        if (separator && known[i].form == RECORDS_JSONL)
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s: JSON Lines have no separator; leave task.separator out", path);
        f->form = known[i].form;
        f->separator = separator ? separator : known[i].separator;
        return STATUS_OK;
    }
    if (separator)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s: rows are read from CSV, TSV or JSON Lines; give a file whose name ends "
                       "in .csv, .tsv, .jsonl, .ndjson or .json, or task.separator",
                       path);
}

struct records *records_new(const struct records_format *format, const char *path,
                            records_visit visit, void *context)
{
    const struct records_reader *reader = reader_of(format);
    struct records *r = calloc(1, reader->size);
    if (r) {
        r->reader = reader;
        r->format = format;
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
    if (r->on_value)
        return r->visit(r->context, &(struct record){0}, m);
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

static void keep_nearest(char near[RECORDS_LABEL_MAX + 1], const char *wanted, const char *name)
{
    const char *const both[] = {*near ? near : name, name, NULL};
    const char *nearest = nearest_name(wanted, both);
    if (nearest && nearest != near && strlen(nearest) <= RECORDS_LABEL_MAX)
        memcpy(near, nearest, strlen(nearest) + 1);
}

void records_on_name(struct records *r, records_name *on_name, void *context)
{
    r->on_name = on_name;
    r->name_context = context;
}

void records_on_value(struct records *r, records_value_visit *on_value)
{
    r->on_value = on_value;
}

void names_add(struct names *n, const struct records *r, const char *name)
{
    const struct records_format *f = r->format;
    char shown[64];
    size_t used = strlen(n->shown);
    if (r->on_name)
        r->on_name(r->name_context, name);
    snprintf(n->shown + used, sizeof n->shown - used, "%s%s", n->count++ ? ", " : "",
             text_shown(name, shown, sizeof shown));
    keep_nearest(n->near_text, f->text_name, name);
    keep_nearest(n->near_label, f->label_name, name);
}

void names_describe(const struct names *n, const struct records_format *f, bool text,
                    struct message *m)
{
    char wanted[64], shown[64];
    const char *near = text ? n->near_text : n->near_label;
    const char *option = text ? "task.text_column" : "task.label_column";
    const char *kind = f->form == RECORDS_CSV ? "column" : "member";
    int used = snprintf(m->text, sizeof m->text, " no %s \"%s\"%s%s%s; ", kind,
                        text_shown(text ? f->text_name : f->label_name, wanted, sizeof wanted),
                        n->count ? " (only " : "", n->shown, n->count ? ")" : "");
    if (*near)
        snprintf(m->text + used, sizeof m->text - (size_t)used, "did you mean %s: %s?", option,
                 text_shown(near, shown, sizeof shown));
    else
        snprintf(m->text + used, sizeof m->text - (size_t)used, "name the %s of the %s with %s",
                 kind, text ? "text" : "label", option);
}

enum status records_text(const struct records_format *format, const char *path,
                         const unsigned char *raw, size_t n, size_t limit, unsigned char *text,
                         size_t *size, struct message *m)
{
    return reader_of(format)->text(format, path, raw, n, limit, text, size, m);
}

enum status records_moved(const char *path, struct message *m)
{
    return status_fail(m, STATUS_CORRUPT, "%s: was changed while it was read", path);
}
