#include "sweep/report/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum cell_kind { CELL_EMPTY, CELL_TEXT, CELL_INTEGER, CELL_REAL, CELL_JSON };

struct cell {
    enum cell_kind kind;
    bool bold; /* looked at in the first cell of a row only */
    union {
        char *text; /* owned */
        int64_t integer;
        double real;
    } as;
};

struct table {
    const struct table_column *column;
    int columns;
    struct cell *cell; /* row after row */
    size_t cells, capacity;
    int left_out; /* columns whose leave_out is 1 to this are not in the text */
    bool out_of_memory;
};

enum { TABLE_GAP = 2 };

struct table *table_new(const struct table_column *columns)
{
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->column = columns;
    while (columns[t->columns].name || columns[t->columns].title)
        t->columns++;
    return t;
}

void table_free(struct table *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->cells; i++)
        if (t->cell[i].kind == CELL_TEXT || t->cell[i].kind == CELL_JSON)
            free(t->cell[i].as.text);
    free(t->cell);
    free(t);
}

/* Room for one more cell, or NULL. */
static struct cell *next_cell(struct table *t)
{
    if (!t || t->out_of_memory)
        return NULL;
    if (t->cells == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 64;
        struct cell *grown = realloc(t->cell, capacity * sizeof *grown);
        if (!grown) {
            t->out_of_memory = true;
            return NULL;
        }
        t->cell = grown;
        t->capacity = capacity;
    }
    struct cell *c = &t->cell[t->cells++];
    *c = (struct cell){.kind = CELL_EMPTY};
    return c;
}

static void add_text(struct table *t, enum cell_kind kind, const char *text)
{
    struct cell *c = next_cell(t);
    if (!c || !text)
        return;
    c->as.text = strdup(text);
    if (c->as.text)
        c->kind = kind;
    else
        t->out_of_memory = true;
}

void table_text(struct table *t, const char *text)
{
    add_text(t, CELL_TEXT, text);
}

void table_json(struct table *t, const char *json)
{
    add_text(t, CELL_JSON, json);
}

void table_buffer(struct table *t, struct text_buffer *b)
{
    struct cell *c = next_cell(t);
    if (c && b->text)
        *c = (struct cell){.kind = CELL_TEXT, .as.text = b->text};
    else
        free(b->text);
    if (t && b->out_of_memory)
        t->out_of_memory = true;
    *b = (struct text_buffer){0};
}

void table_printf(struct table *t, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    struct cell *c = next_cell(t);
    if (n < 0) {
        if (t)
            t->out_of_memory = true;
    } else if (c) {
        *c = (struct cell){.kind = CELL_TEXT, .as.text = text};
    } else {
        free(text);
    }
}

void table_integer(struct table *t, int64_t x)
{
    struct cell *c = next_cell(t);
    if (c)
        *c = (struct cell){.kind = CELL_INTEGER, .as.integer = x};
}

void table_real(struct table *t, double x)
{
    struct cell *c = next_cell(t);
    if (c && isfinite(x))
        *c = (struct cell){.kind = CELL_REAL, .as.real = x};
}

void table_emphasize(struct table *t)
{
    if (!t || t->columns == 0 || t->cells == 0)
        return;
    size_t row = (t->cells - 1) / (size_t)t->columns;
    t->cell[row * (size_t)t->columns].bold = true;
}

long table_rows(const struct table *t)
{
    return t && t->columns ? (long)(t->cells / (size_t)t->columns) : 0;
}

/* A cell as people read it. Numbers are written into buffer, texts returned as they are. */
static const char *cell_text(const struct cell *c, int decimals, char buffer[512])
{
    switch (c->kind) {
    case CELL_TEXT:
    case CELL_JSON:
        return c->as.text;
    case CELL_INTEGER:
        snprintf(buffer, 512, "%lld", (long long)c->as.integer);
        return buffer;
    case CELL_REAL:
        snprintf(buffer, 512, "%.*f", decimals, c->as.real);
        return buffer;
    default:
        return "";
    }
}

static const struct cell *cell_at(const struct table *t, long row, int column)
{
    return &t->cell[(size_t)row * (size_t)t->columns + (size_t)column];
}

static int column_width(const struct table *t, int column)
{
    char buffer[512];
    int width = text_width(t->column[column].title);
    for (long row = 0; row < table_rows(t); row++) {
        int w = text_width(cell_text(cell_at(t, row, column), t->column[column].decimals, buffer));
        width = w > width ? w : width;
    }
    return width;
}

/* Whether TABLE_TEXT has the column. */
static bool in_text(const struct table *t, int column)
{
    const struct table_column *c = &t->column[column];
    return c->title && !(c->leave_out && c->leave_out <= t->left_out);
}

int table_width(const struct table *t)
{
    int width = 0;
    if (!t || t->out_of_memory)
        return -1;
    for (int c = 0; c < t->columns; c++)
        if (in_text(t, c))
            width += (width ? TABLE_GAP : 0) + column_width(t, c);
    return width;
}

/* Whether title is one of names, "min, max". */
static bool is_named(const struct text_buffer *names, const char *title)
{
    size_t size = strlen(title);
    for (const char *at = names->text; at && (at = strstr(at, title)); at += size)
        if ((at == names->text || at[-1] == ' ') && (at[size] == ',' || at[size] == '\0'))
            return true;
    return false;
}

void table_name_column(struct text_buffer *names, const char *title)
{
    if (!is_named(names, title))
        text_add(names, "%s%s", names->used ? ", " : "", title);
}

/* The lowest leave_out of a column that is still there; 0: none. */
static int next_to_leave(const struct table *t)
{
    int next = 0;
    for (int c = 0; c < t->columns; c++) {
        int rank = t->column[c].leave_out;
        if (in_text(t, c) && rank && (!next || rank < next))
            next = rank;
    }
    return next;
}

/* Names column c, and where others have its title the column before it, to which it belongs. */
static void name_column(const struct table *t, int c, struct text_buffer *names)
{
    const char *title = t->column[c].title;
    struct text_buffer full = {0};
    int same = 0;
    for (int i = 0; i < t->columns; i++)
        same += t->column[i].title && strcmp(t->column[i].title, title) == 0;
    if (same > 1 && c > 0 && t->column[c - 1].title)
        text_add(&full, "%s of %s", title, t->column[c - 1].title);
    table_name_column(names, full.text ? full.text : title);
    names->out_of_memory = names->out_of_memory || full.out_of_memory;
    free(full.text);
}

void table_fit(struct table *t, int page, struct text_buffer *left_out, struct text_buffer *shown)
{
    int next;
    while (table_width(t) > page && (next = next_to_leave(t))) {
        t->left_out = next;
        for (int c = 0; c < t->columns; c++)
            if (t->column[c].leave_out == next && t->column[c].title)
                name_column(t, c, left_out);
    }
    for (int c = 0; c < t->columns && shown; c++)
        if (in_text(t, c) && t->column[c].title[0])
            name_column(t, c, shown);
}

bool table_share_names(const struct text_buffer *a, const struct text_buffer *b)
{
    for (const char *name = a->text; name;) {
        const char *end = strchr(name, ',');
        char title[128];
        snprintf(title, sizeof title, "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
        if (is_named(b, title))
            return true;
        name = end ? end + 2 : NULL;
    }
    return false;
}

static void text_row(const struct table *t, long row /* -1: titles */, const int *width, int last,
                     FILE *out)
{
    char buffer[512];
    int pending = 0; /* spaces that are only written when something follows */
    for (int c = 0; c <= last; c++) {
        const struct table_column *column = &t->column[c];
        if (!in_text(t, c))
            continue;
        const char *text =
            row < 0 ? column->title : cell_text(cell_at(t, row, c), column->decimals, buffer);
        int fill = width[c] - text_width(text);
        if (column->right)
            pending += fill;
        if (*text) {
            fprintf(out, "%*s", pending, "");
            text_plain(out, text);
            pending = 0;
        }
        pending += (column->right ? 0 : fill) + TABLE_GAP;
    }
}

static enum status write_text(const struct table *t, bool color, FILE *out, struct message *m)
{
    int *width = calloc((size_t)t->columns + 1, sizeof *width);
    if (!width)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for a table");
    int last = 0;
    for (int c = 0; c < t->columns; c++) {
        if (in_text(t, c)) {
            width[c] = column_width(t, c);
            last = c;
        }
    }
    for (long row = -1; row < table_rows(t); row++) {
        bool bold = row >= 0 && cell_at(t, row, 0)->bold;
        const char *begin = row < 0 ? "\033[4m" : "\033[1m";
        bool emphasis = color && (row < 0 || bold);
        if (emphasis)
            fputs(begin, out);
        text_row(t, row, width, last, out);
        fputs(emphasis ? "\033[0m\n" : "\n", out);
    }
    free(width);
    return text_check(out, m);
}

static void csv_part(const char *text, size_t size, bool plain, FILE *out)
{
    if (plain)
        text_plain_part(out, text, size);
    else
        fwrite(text, 1, size, out);
}

/* A terminal gets it plain, a file or another program exactly as it is: as with `ls`, what a person
 * looks at cannot act, and what is read again has lost nothing. */
void table_csv_field(const char *text, bool plain, FILE *out)
{
    bool quoted = strpbrk(text, ",\"\r\n");
    fputs(quoted ? "\"" : "", out);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        csv_part(text, (size_t)(quote - text), plain, out);
        fputs("\"\"", out);
    }
    csv_part(text, strlen(text), plain, out);
    fputs(quoted ? "\"" : "", out);
}

static void csv_cell(const struct cell *c, bool plain, FILE *out)
{
    char buffer[512];
    if (c->kind == CELL_REAL)
        text_json_real(out, c->as.real);
    else
        table_csv_field(cell_text(c, 0, buffer), plain, out);
}

static void write_csv(const struct table *t, FILE *out)
{
    bool plain = isatty(fileno(out));
    for (long row = -1; row < table_rows(t); row++) {
        bool first = true;
        for (int c = 0; c < t->columns; c++) {
            if (!t->column[c].name)
                continue;
            if (!first)
                fputc(',', out);
            first = false;
            if (row < 0)
                table_csv_field(t->column[c].name, plain, out);
            else
                csv_cell(cell_at(t, row, c), plain, out);
        }
        fputc('\n', out);
    }
}

static void json_cell(const struct cell *c, FILE *out)
{
    char buffer[512];
    switch (c->kind) {
    case CELL_EMPTY:
        fputs("null", out);
        break;
    case CELL_TEXT:
        text_json(out, c->as.text);
        break;
    case CELL_REAL:
        text_json_real(out, c->as.real);
        break;
    case CELL_JSON:
        text_json_as_is(out, c->as.text);
        break;
    default:
        fputs(cell_text(c, 0, buffer), out);
    }
}

static void write_json(const struct table *t, FILE *out)
{
    fputc('[', out);
    for (long row = 0; row < table_rows(t); row++) {
        const char *before = row ? ",{" : "{";
        for (int c = 0; c < t->columns; c++) {
            if (!t->column[c].name)
                continue;
            fputs(before, out);
            before = ",";
            text_json(out, t->column[c].name);
            fputc(':', out);
            json_cell(cell_at(t, row, c), out);
        }
        fputc('}', out);
    }
    fputc(']', out);
}

/* GitHub Flavored Markdown 4.10: a pipe inside a cell is escaped; a line feed, which would end the
 * row, becomes '?' with all other control characters. */
static void markdown_field(const char *text, FILE *out)
{
    for (const char *pipe; (pipe = strchr(text, '|')); text = pipe + 1) {
        text_plain_part(out, text, (size_t)(pipe - text));
        fputs("\\|", out);
    }
    text_plain(out, text);
}

static void write_markdown(const struct table *t, FILE *out)
{
    char buffer[512];
    for (long row = -2; row < table_rows(t); row++) {
        for (int c = 0; c < t->columns; c++) {
            const struct table_column *column = &t->column[c];
            if (!column->title)
                continue;
            fputs("| ", out);
            if (row == -2)
                markdown_field(column->title, out);
            else if (row == -1)
                fputs(column->right ? "---:" : ":---", out);
            else
                markdown_field(cell_text(cell_at(t, row, c), column->decimals, buffer), out);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
}

enum status table_write(const struct table *t, enum table_format f, bool color, FILE *out,
                        struct message *m)
{
    if (!t || t->out_of_memory)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for a table");
    switch (f) {
    case TABLE_TEXT:
        return write_text(t, color, out, m);
    case TABLE_CSV:
        write_csv(t, out);
        break;
    case TABLE_JSON:
        write_json(t, out);
        break;
    case TABLE_MARKDOWN:
        write_markdown(t, out);
        break;
    }
    return text_check(out, m);
}

enum status table_write_page(struct table *t, struct text_page page, FILE *out, struct message *m)
{
    struct text_buffer names = {0}, line = {0};
    if (page.columns > 0)
        table_fit(t, page.columns, &names, NULL);
    enum status s = table_write(t, TABLE_TEXT, page.color, out, m);
    if (names.used) {
        text_add(&line, "Left out for lack of room: %s; --json has all.", names.text);
        if (line.text)
            text_paragraph(out, line.text, 0, 0, page.columns);
    }
    if (s == STATUS_OK && (names.out_of_memory || line.out_of_memory))
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for a table");
    free(names.text);
    free(line.text);
    return s == STATUS_OK ? text_check(out, m) : s;
}
