#include "datasets/corpus.h"
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
    f->plain = false;
    f->skip = 0;
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

static const struct {
    char byte;
    const char *name;
} separators[] = {{',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "pipes (|)"}};
enum { SEPARATORS = sizeof separators / sizeof *separators };

const char *records_separator_name(char separator)
{
    for (int i = 0; i < SEPARATORS; i++)
        if (separators[i].byte == separator)
            return separators[i].name;
    return "?";
}

/* "sep=;" and the end of the line. */
static enum status take_first_line(const struct corpus *c, bool given, struct records_format *f,
                                   struct message *m)
{
    char start[16] = "", separator, shown[16];
    int end = 0;
    enum status s = corpus_start(c, start, sizeof start - 1, m);
    const char *line = start + (memcmp(start, byte_order_mark, MARK) == 0 ? MARK : 0);
    if (s != STATUS_OK || sscanf(line, "sep=%c%n", &separator, &end) != 1 || end == 0)
        return s;
    end += line[end] == '\r';
    if (line[end] != '\n')
        return STATUS_OK;
    f->skip = end + 1;
    if (!given)
        f->separator = separator;
    if (given || strcmp(records_separator_name(separator), "?") != 0)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s, line 1: %s is not a separator that is read; use a comma, a semicolon, "
                       "a tab or |",
                       c->path, text_shown((const char[]){separator, '\0'}, shown, sizeof shown));
}

static enum status pass_row(void *context, const struct record *row, struct message *m)
{
    (void)context, (void)row, (void)m;
    return STATUS_OK;
}

static void pass_value(void *context, const struct records_value *value)
{
    (void)context, (void)value;
}

/* Quotes are ordinary where fields cannot be read as quoted: a row that has some is refused. */
static enum status find_quotes(const struct corpus *c, struct records_format *f, struct message *m)
{
    struct message why;
    char sha256[65];
    struct records *r = records_new(f, c->path, pass_row, NULL);
    if (!r)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory to read it", c->path);
    records_on_value(r, pass_value);
    enum status s = corpus_scan(c, records_feed, r, sha256, &why);
    if (s == STATUS_OK)
        s = records_end(r, &why);
    f->plain = s == STATUS_BAD_INPUT && r->quoted;
    records_free(r);
    return s == STATUS_OK || s == STATUS_BAD_INPUT ? STATUS_OK : status_fail(m, s, "%s", why.text);
}

enum status records_look(const struct corpus *c, bool given, bool quotes, struct records_format *f,
                         struct message *m)
{
    if (f->form != RECORDS_CSV)
        return STATUS_OK;
    enum status s = take_first_line(c, given, f, m);
    return s == STATUS_OK && quotes && f->separator == '\t' ? find_quotes(c, f, m) : s;
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
    for (; r->skipped < r->format->skip && n > 0; bytes++, n--) {
        r->skipped++;
        r->offset++;
        r->at.line += *bytes == '\n';
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

bool records_utf8(const char *text)
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
        return records_refuse(r->path, text_at, m,
                              "the text is empty; give it one, or remove the row");
    if (!*row->label)
        return records_refuse(r->path, row->label_at, m,
                              "the label is empty; give it one, or remove the row");
    if (strlen(row->label) > RECORDS_LABEL_MAX)
        return records_refuse(r->path, row->label_at, m, "the label has more than %d bytes",
                              RECORDS_LABEL_MAX);
    if (!records_utf8(row->label))
        return records_refuse(r->path, row->label_at, m, "the label is not UTF-8");
    return r->visit(r->context, row, m);
}

static void keep_nearest(char near[RECORDS_LABEL_MAX + 1], const char *wanted, const char *name)
{
    char seen[RECORDS_LABEL_MAX + 1];
    const char *const both[] = {*near ? near : name, name, NULL};
    const char *nearest = nearest_name(wanted, both);
    if (strcmp(text_visible(name, seen, sizeof seen), wanted) == 0)
        nearest = name;
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

void names_add(struct names *n, const struct records *r, const char *name, struct place at)
{
    const struct records_format *f = r->format;
    char shown[64];
    size_t used = strlen(n->shown);
    if (r->on_name)
        r->on_name(r->name_context, name, at);
    snprintf(n->shown + used, sizeof n->shown - used, "%s%s", n->count++ ? ", " : "",
             text_shown(name, shown, sizeof shown));
    keep_nearest(n->near_text, f->text_name, name);
    keep_nearest(n->near_label, f->label_name, name);
}

void names_describe(const struct names *n, const struct records_format *f, bool text,
                    struct message *m)
{
    char wanted[64], shown[64], seen[RECORDS_LABEL_MAX + 1];
    const char *name = text ? f->text_name : f->label_name;
    const char *near = text ? n->near_text : n->near_label;
    const char *within = text ? n->has_text : n->has_label;
    const char *option = text ? "task.text_column" : "task.label_column";
    const char *kind = f->form == RECORDS_CSV ? "column" : "member";
    int used = snprintf(m->text, sizeof m->text, " no %s \"%s\"%s%s%s; ", kind,
                        text_shown(name, wanted, sizeof wanted), n->count ? " (only " : "",
                        n->shown, n->count ? ")" : "");
    char *rest = m->text + used;
    size_t room = sizeof m->text - (size_t)used;
    text_shown(near, shown, sizeof shown);
    if (*within)
        snprintf(rest, room,
                 "its member %s has one, but members of a member are not read: move them out (jq "
                 "-c '. + .%s')",
                 within, within);
    else if (*near && strcmp(text_visible(near, seen, sizeof seen), name) == 0)
        snprintf(rest, room, "the name \"%s\" has spaces or invisible characters: remove them",
                 shown);
    else if (*near)
        snprintf(rest, room, "did you mean %s: %s?", option, shown);
    else
        snprintf(rest, room, "name the %s of the %s with %s", kind, text ? "text" : "label",
                 option);
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
