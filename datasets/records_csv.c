/* CSV (RFC 4180), one byte at a time. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "datasets/records_internal.h"
#include "engine/base/rng.h"
#include "engine/base/text.h"

enum state {
    BEFORE_FIELD,
    IN_FIELD, /* without quotes */
    IN_QUOTES,
    AFTER_QUOTE, /* the field ends with it, unless another one follows */
    AFTER_RETURN /* CR: LF must follow */
};

enum column { TEXT, LABEL, COLUMNS };

enum {
    KEPT = RECORDS_LABEL_MAX + 1,
    SWALLOWED = 8 /* lines within a quoted field that nearly all would be rows: so many are none */
};

/* The lines of a quoted field, between its first and its last, as if they were rows. */
struct swallowed {
    int64_t lines, rows; /* that have ended; of them, how many have the fields of a row */
    int64_t field, size; /* of the line at hand: fields that have ended, bytes of this one */
    bool empty;          /* its text or its label is */
};

struct csv {
    struct records base;
    enum state state;
    int64_t columns;         /* of the header; 0: it is not read yet */
    int64_t column[COLUMNS]; /* index + 1; 0: the header does not name it */
    int64_t header_line;
    struct names names;    /* of the header */
    struct place bad_name; /* of the first that is not UTF-8; line 0: all are */
    int64_t field;         /* fields of this row that have ended */
    struct place row_at, field_at;
    int64_t field_offset, field_size; /* its value in the file; bytes of what it says */
    bool quoted;
    struct swallowed swallowed;
    char kept[KEPT + 1]; /* of a name or label: one byte more than may be */
    size_t kept_size;
    struct record row;
    struct place text_at;
};

static enum status refuse(const struct csv *c, struct place at, struct message *m, const char *what)
{
    return records_refuse(c->base.path, at, m, "%s", what);
}

/* Whether what the field says is kept: a name, the label or, of all columns, every value. */
static bool is_kept(const struct csv *c)
{
    return c->columns == 0 || c->base.on_value || c->field + 1 == c->column[LABEL];
}

static void begin_field(struct csv *c)
{
    c->field_at = c->base.at;
    c->field_offset = c->base.offset;
    c->field_size = 0;
    c->quoted = false;
    c->swallowed = (struct swallowed){0};
    if (c->field == 0) {
        c->row_at = c->base.at;
        c->base.quoted = false;
    }
    if (is_kept(c))
        c->kept_size = 0;
    if (c->field + 1 == c->column[TEXT])
        c->row.text_hash = RNG_NAME;
}

static void put(struct csv *c, unsigned char byte)
{
    c->field_size++;
    if (c->field + 1 == c->column[TEXT])
        c->row.text_hash = rng_name_add(c->row.text_hash, byte);
    if (is_kept(c) && c->kept_size < KEPT)
        c->kept[c->kept_size++] = (char)byte;
}

static const char *separator_name(const struct csv *c)
{
    return records_separator_name(c->base.format->separator);
}

/* ---- a quote that is missing ---- */

static void end_swallowed_field(struct csv *c)
{
    struct swallowed *w = &c->swallowed;
    w->field++;
    w->empty |= w->size == 0 && (w->field == c->column[TEXT] || w->field == c->column[LABEL]);
    w->size = 0;
}

/* Takes a byte of a quoted field. */
static void swallow(struct csv *c, unsigned char byte)
{
    struct swallowed *w = &c->swallowed;
    if (byte == (unsigned char)c->base.format->separator) {
        end_swallowed_field(c);
    } else if (byte == '\n') {
        end_swallowed_field(c);
        w->rows += w->lines > 0 && w->field == c->columns && !w->empty;
        *w = (struct swallowed){.lines = w->lines + 1, .rows = w->rows};
    } else {
        w->size += byte != '\r';
    }
}

/* Whether the quoted field that has ended holds rows. */
static enum status check_swallowed(const struct csv *c, struct message *m)
{
    const struct swallowed *w = &c->swallowed;
    int64_t between = w->lines - 1; /* the first line is the row's own, and the last has no end */
    if (between < SWALLOWED || 10 * w->rows < 9 * between)
        return STATUS_OK;
    return records_refuse(c->base.path, c->field_at, m,
                          "the field in quotes that begins here goes on for %" PRId64
                          " lines, which look like rows: is a quote missing? Within quotes, write "
                          "a quote twice; if the text is right, give the rows as JSON Lines",
                          w->lines + 1);
}

/* ---- fields and rows ---- */

/* A field of the header. */
static enum status end_name(struct csv *c, struct message *m)
{
    char shown[64];
    const struct records_format *f = c->base.format;
    names_add(&c->names, &c->base, c->kept, c->field_at);
    if (c->bad_name.line == 0 && !records_utf8(c->kept))
        c->bad_name = c->field_at;
    for (int i = 0; i < COLUMNS && !c->base.on_value; i++) {
        if (strcmp(c->kept, i == TEXT ? f->text_name : f->label_name) != 0)
            continue;
        if (c->column[i])
            return records_refuse(c->base.path, c->field_at, m, "a second column is named %s",
                                  text_shown(c->kept, shown, sizeof shown));
        c->column[i] = c->field + 1;
    }
    return STATUS_OK;
}

static void visit_value(const struct csv *c)
{
    const struct records_value value = {
        .place = c->field, .bytes = c->kept, .size = c->field_size, .text = true};
    c->base.on_value(c->base.context, &value);
}

/* One more than the header has: of one name alone that is the header's fault. */
static enum status refuse_field(const struct csv *c, struct message *m)
{
    if (c->columns > 1)
        return records_refuse(c->base.path, c->field_at, m,
                              "this is field %" PRId64 ", but line %" PRId64
                              ", the header, names only %" PRId64
                              " columns; quote a text that has %s",
                              c->field + 1, c->header_line, c->columns, separator_name(c));
    return records_refuse(c->base.path, c->field_at, m,
                          "this is field %" PRId64 ", but line %" PRId64
                          ", the header, names only 1 column (%s); the first line must name all "
                          "columns, separated by %s",
                          c->field + 1, c->header_line, c->names.shown, separator_name(c));
}

static enum status end_field(struct csv *c, struct message *m)
{
    enum status s = STATUS_OK;
    c->kept[c->kept_size] = '\0';
    if (c->columns == 0) {
        s = end_name(c, m);
    } else if (c->field == c->columns) {
        return refuse_field(c, m);
    } else if (c->base.on_value) {
        visit_value(c);
    } else if (c->field + 1 == c->column[TEXT]) {
        c->row.text = c->field_offset;
        c->row.text_size = c->field_size;
        c->text_at = c->field_at;
    } else if (c->field + 1 == c->column[LABEL]) {
        c->row.label_at = c->field_at;
    }
    c->field++;
    c->state = BEFORE_FIELD;
    return s;
}

/* One name alone: of several, between other separators; or of a line that is no header. */
static enum status refuse_header(const struct csv *c, struct message *m)
{
    static const struct {
        char byte;
        const char *word;
    } others[] = {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}};
    char remedy[80] = "give task.separator if it is another one";
    if (c->kept[0] == '#')
        snprintf(remedy, sizeof remedy, "remove the comment");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strchr(c->kept, others[i].byte))
            snprintf(remedy, sizeof remedy, "give task.separator: %s", others[i].word);
    return records_refuse(c->base.path, c->row_at, m,
                          "the first row must name the columns, separated by %s, but has only one "
                          "name, %s; %s",
                          separator_name(c), c->names.shown, remedy);
}

static enum status end_header(struct csv *c, struct message *m)
{
    struct message names;
    c->columns = c->field;
    c->header_line = c->row_at.line;
    if (c->base.on_value || (c->column[TEXT] && c->column[LABEL]))
        return STATUS_OK;
    if (c->bad_name.line)
        return refuse(c, c->bad_name, m,
                      "the name of this column is not UTF-8; save the file as UTF-8");
    if (c->columns == 1)
        return refuse_header(c, m);
    names_describe(&c->names, c->base.format, !c->column[TEXT], &names);
    return records_refuse(c->base.path, c->row_at, m,
                          "the first row must name the columns, separated by %s; it has%s",
                          separator_name(c), names.text);
}

/* Ends the last field of a row, and the row. */
static enum status end_row(struct csv *c, struct message *m)
{
    bool blank = c->field == 0 && c->field_size == 0 && !c->quoted;
    enum status s = blank ? STATUS_OK : end_field(c, m);
    if (s == STATUS_OK && !blank && c->columns == 0) {
        s = end_header(c, m);
    } else if (s == STATUS_OK && !blank && c->field < c->columns) {
        s = records_refuse(c->base.path, c->row_at, m,
                           "this row has %s, but line %" PRId64 ", the header, names %s",
                           text_counted(c->field, "field").text, c->header_line,
                           text_counted(c->columns, "column").text);
    } else if (s == STATUS_OK && !blank) {
        c->row.label = c->kept;
        s = records_found(&c->base, &c->row, c->text_at, m);
    }
    c->field = 0;
    c->state = BEFORE_FIELD;
    return s;
}

/* What may follow a field: a separator or the end of the line. */
static bool is_end(const struct records_format *f, unsigned char byte)
{
    return byte == (unsigned char)f->separator || byte == '\n' || byte == '\r';
}

static enum status take_end(struct csv *c, unsigned char byte, struct message *m)
{
    if (byte == (unsigned char)c->base.format->separator)
        return end_field(c, m);
    if (byte == '\n')
        return end_row(c, m);
    c->state = AFTER_RETURN;
    return STATUS_OK;
}

/* What follows it may show that an earlier one is missing. */
static enum status refuse_quote(const struct csv *c, struct place at, struct message *m)
{
    static const char what[] = "something follows the quote that ends a field";
    if (at.line == c->field_at.line)
        return records_refuse(c->base.path, at, m, "%s; a quote within a field is written twice",
                              what);
    return records_refuse(c->base.path, at, m,
                          "%s, which begins with a quote in line %" PRId64
                          ": is one missing there? Within quotes, a quote is written twice",
                          what, c->field_at.line);
}

static enum status take(struct csv *c, unsigned char byte, struct message *m)
{
    struct place at = c->base.at;
    if (byte == '\0')
        return refuse(c, at, m, "a NUL byte; if the file is UTF-16, save it as UTF-8");
    if (c->state == BEFORE_FIELD) {
        begin_field(c);
        c->quoted = byte == '"' && !c->base.format->plain;
        c->base.quoted |= c->quoted;
        c->state = c->quoted ? IN_QUOTES : IN_FIELD;
        if (c->quoted)
            return STATUS_OK;
    }
    switch (c->state) {
    case IN_QUOTES:
        if (byte == '"')
            c->state = AFTER_QUOTE;
        else
            put(c, byte);
        swallow(c, byte);
        return STATUS_OK;
    case AFTER_QUOTE:
        if (is_end(c->base.format, byte)) {
            enum status s = check_swallowed(c, m);
            return s == STATUS_OK ? take_end(c, byte, m) : s;
        }
        if (byte != '"')
            return refuse_quote(c, at, m);
        put(c, byte);
        c->state = IN_QUOTES;
        return STATUS_OK;
    case AFTER_RETURN:
        if (byte != '\n')
            return refuse(c, at, m, "a carriage return without a line feed after it");
        return end_row(c, m);
    default:
        if (is_end(c->base.format, byte))
            return take_end(c, byte, m);
        if (byte == '"' && c->base.format->separator != '\t')
            return refuse(c, at, m,
                          "a quote within a field that does not begin with one; put the field in "
                          "quotes, and write a quote within it twice");
        put(c, byte);
        return STATUS_OK;
    }
}

static enum status feed(struct records *r, const unsigned char *bytes, size_t n, struct message *m)
{
    struct csv *c = (struct csv *)r;
    for (size_t i = 0; i < n; i++) {
        enum status s = take(c, bytes[i], m);
        if (s != STATUS_OK)
            return s;
        r->offset++;
        if (bytes[i] == '\n')
            r->at = (struct place){r->at.line + 1, 1};
        else
            r->at.column += (bytes[i] & 0xc0) != 0x80;
    }
    return STATUS_OK;
}

static enum status end(struct records *r, struct message *m)
{
    struct csv *c = (struct csv *)r;
    if (c->state == IN_QUOTES)
        return refuse(c, c->field_at, m,
                      "the quote that begins here has no end; within quotes, a quote is written "
                      "twice");
    if (c->state == BEFORE_FIELD && c->field == 0)
        return STATUS_OK;
    if (c->state == BEFORE_FIELD)
        begin_field(c);
    enum status s = check_swallowed(c, m);
    return s == STATUS_OK ? end_row(c, m) : s;
}

static void free_csv(struct records *r)
{
    (void)r;
}

static enum status text_of(const struct records_format *f, const char *path,
                           const unsigned char *raw, size_t n, size_t limit, unsigned char *text,
                           size_t *size, struct message *m)
{
    bool quoted = n > 0 && raw[0] == '"' && !f->plain;
    *size = 0;
    for (size_t i = quoted; i < n && *size < limit; i++) {
        if (quoted && raw[i] == '"' && (i + 1 == n || raw[++i] != '"'))
            break;
        if (!quoted && is_end(f, raw[i]))
            break;
        text[(*size)++] = raw[i];
    }
    return *size > 0 ? STATUS_OK : records_moved(path, m);
}

const struct records_reader records_csv = {
    .size = sizeof(struct csv),
    .feed = feed,
    .end = end,
    .free = free_csv,
    .text = text_of,
};
