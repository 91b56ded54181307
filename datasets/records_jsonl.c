/* JSON Lines: each line goes through engine/base/json. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/records_internal.h"
#include "engine/base/json.h"
#include "engine/base/rng.h"
#include "engine/base/text.h"

struct jsonl {
    struct records base;
    char *line; /* as far as it has come */
    size_t line_size, line_capacity;
    char *text; /* what json unescapes into */
    size_t text_capacity;
};

/* What was found of a row so far. */
struct found {
    struct record row;
    struct place text_at;
    bool text, label;
};

static bool grow(char **memory, size_t *capacity, size_t needed)
{
    if (needed <= *capacity)
        return true;
    size_t size = needed < 4096 ? 4096 : 2 * needed;
    char *more = realloc(*memory, size);
    if (!more)
        return false;
    *memory = more;
    *capacity = size;
    return true;
}

static enum status no_memory(const struct records *r, struct message *m)
{
    return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for line %" PRId64, r->path, r->at.line);
}

static struct place place_of(const struct json *j)
{
    return (struct place){j->line, json_column(j)};
}

/* Stands before the value's first byte afterwards. */
static bool next_is(struct json *j, char c)
{
    bool is = json_take(j, c);
    j->next -= is;
    return is;
}

/* A list, an object, null or no number: in the place of a text or a label there is none. */
static bool next_is_nothing(struct json *j)
{
    bool infinite = next_is(j, '-') && j->end - j->next > 1 && j->next[1] == 'I';
    return next_is(j, '{') || next_is(j, '[') || next_is(j, 'n') || next_is(j, 'N') ||
           next_is(j, 'I') || infinite;
}

static bool read_text(const struct jsonl *l, struct json *j, struct found *f)
{
    const char *text;
    char *start = j->text;
    if (f->text)
        return json_refuse(j, "a second text");
    if (!next_is(j, '"'))
        return json_refuse(j, "expected the text, a string");
    f->text = true;
    f->text_at = place_of(j);
    f->row.text = l->base.offset + (j->next - j->start);
    if (!json_string(j, &text))
        return false;
    f->row.text_size = j->text - text - 1;
    f->row.text_hash = rng_name(text);
    j->text = start;
    return true;
}

/* Its spelling stays in j->text. */
static bool read_label(struct json *j, struct found *f)
{
    static const char expected[] = "expected the label: a string, a number, true or false";
    bool quoted;
    if (f->label)
        return json_refuse(j, "a second label");
    if (next_is_nothing(j))
        return json_refuse(j, expected);
    f->label = true;
    f->row.label_at = place_of(j);
    return json_scalar(j, &f->row.label, &quoted);
}

static bool visit_value(const struct jsonl *l, struct json *j, const char *key, int64_t place)
{
    struct records_value value = {.place = place, .name = key, .bytes = ""};
    value.whole = next_is(j, '{') || next_is(j, '[');
    if (next_is_nothing(j)) {
        if (!json_skip(j))
            return false;
    } else {
        if (!json_scalar(j, &value.bytes, &value.text))
            return false;
        value.size = j->text - value.bytes - 1;
    }
    l->base.on_value(l->base.context, &value);
    return true;
}

/* Before the value of a member of an object that was read before. */
static void add_name(const struct jsonl *l, const struct json *j, const char *key,
                     struct names *names)
{
    const struct records_format *f = l->base.format;
    struct json value;
    names_add(names, &l->base, key, place_of(j));
    if (json_member(j, f->text_name, &value))
        text_shown(key, names->has_text, sizeof names->has_text);
    if (json_member(j, f->label_name, &value))
        text_shown(key, names->has_label, sizeof names->has_label);
}

/* names: all that the object has are added to them; NULL: they are not wanted. */
static bool read_object(const struct jsonl *l, struct json *j, struct found *f, struct names *names)
{
    const struct records_format *format = l->base.format;
    if (next_is(j, '['))
        return json_refuse(j, "an array; write each of its objects on a line of its own (jq -c "
                              "'.[]')");
    if (!json_take(j, '{'))
        return json_refuse(j, "expected an object, {\"text\": \"...\", \"label\": \"...\"}");
    bool more = !json_take(j, '}');
    for (int64_t place = 0; more; place++) {
        const char *key;
        char *start = j->text;
        if (!json_string(j, &key) || !json_expect(j, ':'))
            return false;
        if (names)
            add_name(l, j, key, names);
        bool ok = l->base.on_value && visit_value(l, j, key, place);
        j->text = start;
        if (!l->base.on_value)
            ok = strcmp(key, format->text_name) == 0    ? read_text(l, j, f)
                 : strcmp(key, format->label_name) == 0 ? read_label(j, f)
                                                        : json_skip(j);
        if (!ok || !json_more(j, '}', &more))
            return false;
    }
    return json_end(j);
}

static bool is_blank(const unsigned char *line, size_t n)
{
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
        i++;
    return i == n;
}

static enum status take_line(struct jsonl *l, const unsigned char *line, size_t n,
                             struct message *m)
{
    struct place start = {l->base.at.line, 1};
    struct found f = {0};
    if (is_blank(line, n))
        return STATUS_OK;
    if (!grow(&l->text, &l->text_capacity, n + 1))
        return no_memory(&l->base, m);
    struct json j = {.start = line,
                     .next = line,
                     .end = line + n,
                     .place = l->base.path,
                     .line = start.line,
                     .text = l->text,
                     .not_finite = true,
                     .m = m};
    struct json again = j;
    if (!read_object(l, &j, &f, NULL))
        return j.next < j.end ? STATUS_BAD_INPUT
                              : records_refuse(l->base.path, place_of(&j), m,
                                               "the line ends within the object; write each object "
                                               "on one line (jq -c .)");
    if (!l->base.on_value && (!f.text || !f.label)) {
        struct names names = {0};
        struct message described;
        read_object(l, &again, &(struct found){0}, &names);
        names_describe(&names, l->base.format, !f.text, &described);
        return records_refuse(l->base.path, start, m, "the object has%s", described.text);
    }
    return records_found(&l->base, &f.row, f.text_at, m);
}

static enum status keep(struct jsonl *l, const unsigned char *bytes, size_t n, struct message *m)
{
    if (n > RECORDS_LINE_MAX - l->line_size)
        return records_refuse(l->base.path, (struct place){l->base.at.line, 1}, m,
                              "the line has more than %d bytes; write each object on one line",
                              RECORDS_LINE_MAX);
    if (!grow(&l->line, &l->line_capacity, l->line_size + n))
        return no_memory(&l->base, m);
    memcpy(l->line + l->line_size, bytes, n);
    l->line_size += n;
    return STATUS_OK;
}

static enum status feed(struct records *r, const unsigned char *bytes, size_t n, struct message *m)
{
    struct jsonl *l = (struct jsonl *)r;
    enum status s = STATUS_OK;
    while (s == STATUS_OK && n > 0) {
        const unsigned char *lf = memchr(bytes, '\n', n), *line = bytes;
        size_t size = lf ? (size_t)(lf - bytes) : n, taken = size + (lf != NULL);
        if (!lf || l->line_size > 0) {
            s = keep(l, bytes, size, m);
            line = (const unsigned char *)l->line;
            size = l->line_size;
        }
        if (s == STATUS_OK && lf) {
            s = take_line(l, line, size, m);
            r->offset += (int64_t)size + 1;
            r->at.line++;
            l->line_size = 0;
        }
        bytes += taken;
        n -= taken;
    }
    return s;
}

static enum status end(struct records *r, struct message *m)
{
    struct jsonl *l = (struct jsonl *)r;
    return take_line(l, (const unsigned char *)l->line, l->line_size, m);
}

static void free_jsonl(struct records *r)
{
    struct jsonl *l = (struct jsonl *)r;
    free(l->line);
    free(l->text);
}

static enum status text_of(const struct records_format *f, const char *path,
                           const unsigned char *raw, size_t n, size_t limit, unsigned char *text,
                           size_t *size, struct message *m)
{
    (void)f;
    struct message unwanted;
    struct json j = {.start = raw,
                     .next = raw,
                     .end = raw + n,
                     .place = path,
                     .text = (char *)text,
                     .m = &unwanted};
    const char *start;
    *size = 0;
    if (!next_is(&j, '"') || j.next > raw || !json_string_start(&j, limit, &start))
        return records_moved(path, m);
    size_t found = (size_t)(j.text - start) - 1;
    *size = found < limit ? found : limit;
    return found > 0 ? STATUS_OK : records_moved(path, m);
}

const struct records_reader records_jsonl = {
    .size = sizeof(struct jsonl),
    .feed = feed,
    .end = end,
    .free = free_jsonl,
    .text = text_of,
};
