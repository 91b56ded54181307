#include "sweep/report/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { TABLE_GAP = 2 };

enum cell_kind { CELL_EMPTY, CELL_TEXT, CELL_INTEGER, CELL_REAL, CELL_BOOL, CELL_JSON };

struct cell {
    enum cell_kind kind;
    bool bold; /* looked at in the first cell of a row only */
    union {
        const char *text;
        int64_t integer;
        double real;
    } as;
};

struct table {
    struct scope *scope; /* all of it is the scope's */
    struct table_column *column;
    int columns;
    struct cell *cell; /* row after row */
    size_t cells;
    int left_out; /* columns whose leave_out is 1 to this are not in the text */
};

static const struct cell *table_cell_at(const struct table *t, long row, int column)
{
    return &t->cell[(size_t)row * (size_t)t->columns + (size_t)column];
}

/* ---- columns ---- */

static bool is_column(const struct table_column *c)
{
    return c->name || c->title || c->csv || c->page.title;
}

static bool holds(unsigned wanted, unsigned conditions)
{
    return (wanted & ~conditions) == 0;
}

static void add_column(struct table *t, const struct table_column *c)
{
    t->column = arena_grow(&t->scope->arena, t->column, (size_t)t->columns, sizeof *t->column);
    struct table_column *added = &t->column[t->columns++];
    *added = *c;
    if (c->cell == TABLE_DOUBLE)
        added->decimals = c->decimals < 0 ? 0 : c->decimals ? c->decimals : 3;
    added->right = c->right || (c->cell >= TABLE_INT && c->cell <= TABLE_DOUBLE);
}

static struct table *table_empty(struct scope *x)
{
    struct table *t = arena_alloc(&x->arena, 1, sizeof *t);
    t->scope = x;
    return t;
}

static struct table *table_of(struct scope *x, const struct table_column *columns,
                              unsigned conditions, bool programs)
{
    struct table *t = table_empty(x);
    for (const struct table_column *c = columns; is_column(c); c++) {
        struct table_column used = *c;
        used.name = programs ? c->name : NULL;
        used.title = holds(c->when, conditions) ? c->title : NULL;
        if ((used.title || used.name) && holds(c->only_if, conditions))
            add_column(t, &used);
    }
    return t;
}

struct table *table_when(struct scope *x, const struct table_column *columns, unsigned conditions)
{
    return table_of(x, columns, conditions, true);
}

struct table *table_of_people(struct scope *x, const struct table_column *columns,
                              unsigned conditions)
{
    return table_of(x, columns, conditions, false);
}

struct table *table_new(struct scope *x, const struct table_column *columns)
{
    return table_when(x, columns, ~0u);
}

struct table *table_like(struct scope *x, const struct table *from)
{
    struct table *t = table_empty(x);
    for (int c = 0; c < from->columns; c++)
        add_column(t, &from->column[c]);
    return t;
}

void table_add_titled(struct table *t, struct table_column c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    c.title = scope_vprint(t->scope, format, arguments);
    va_end(arguments);
    add_column(t, &c);
}

void table_add_named(struct table *t, struct table_column c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    c.name = scope_vprint(t->scope, format, arguments);
    va_end(arguments);
    add_column(t, &c);
}

static bool in_csv(const struct table_column *c, unsigned conditions)
{
    return c->csv && holds(c->only_if, conditions);
}

void table_add_csv(struct table *t, const struct table_column *columns, unsigned conditions,
                   const char *kind, const char *which)
{
    for (const struct table_column *c = columns; is_column(c); c++)
        if (in_csv(c, conditions))
            table_add_named(t, (struct table_column){0}, "%s%s%s", kind, which, c->csv);
}

void table_hide(struct table *t, const char *name)
{
    for (int c = 0; c < t->columns; c++)
        if (t->column[c].name && strcmp(t->column[c].name, name) == 0)
            t->column[c].title = NULL;
}

static const char *show_of(const struct table_column *c)
{
    static const char *const digits[] = {NULL, "one", "two", "three"};
    if (c->page.show || c->cell == TABLE_BOOL)
        return c->page.show ? c->page.show : "yes";
    if (c->cell == TABLE_DOUBLE && c->decimals == 0)
        return "four";
    return c->decimals >= 0 && c->decimals <= 3 ? digits[c->decimals] : NULL;
}

void table_page_columns(const struct table_column *columns, unsigned conditions,
                        struct json_writer *w, const char *key)
{
    json_begin_list(w, key);
    for (const struct table_column *c = columns; is_column(c); c++) {
        if (!c->page.title || !holds(c->when | c->only_if, conditions))
            continue;
        json_begin_object(w, NULL);
        json_add_text(w, "title", c->page.title);
        json_add_text(w, "key", c->page.key ? c->page.key : c->name);
        const char *show = show_of(c);
        if (show)
            json_add_text(w, "show", show);
        if (c->page.hint)
            json_add_text(w, "hint", c->page.hint);
        if (c->page.optional)
            json_add_bool(w, "optional", true);
        if (c->empty_zero)
            json_add_bool(w, "empty_zero", true);
        if (c->cell == TABLE_STRING || c->cell == TABLE_BOOL)
            json_add_bool(w, "words", true);
        json_end_object(w);
    }
    json_end_list(w);
}

void table_legend(const struct table_column *columns, unsigned conditions,
                  const struct text_buffer *left_out, const struct text_buffer *shown,
                  struct text_buffer *text)
{
    for (const struct table_column *c = columns; is_column(c); c++)
        if (c->legend && holds(c->when | c->only_if, conditions) &&
            (!table_names_column(left_out, c->title) || table_names_column(shown, c->title)))
            text_add(text, "%s", c->legend);
}

/* ---- cells ---- */

static void add_cell(struct table *t, struct cell c)
{
    t->cell = arena_grow(&t->scope->arena, t->cell, t->cells, sizeof *t->cell);
    t->cell[t->cells++] = c;
}

static void add_text(struct table *t, enum cell_kind kind, const char *text)
{
    add_cell(t, text ? (struct cell){.kind = kind, .as.text = arena_string(&t->scope->arena, text)}
                     : (struct cell){0});
}

void table_text(struct table *t, const char *text)
{
    add_text(t, CELL_TEXT, text);
}

void table_json(struct table *t, const char *json)
{
    add_text(t, CELL_JSON, json);
}

void table_printf(struct table *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cell(
        t, (struct cell){.kind = CELL_TEXT, .as.text = scope_vprint(t->scope, format, arguments)});
    va_end(arguments);
}

void table_integer(struct table *t, int64_t x)
{
    add_cell(t, (struct cell){.kind = CELL_INTEGER, .as.integer = x});
}

void table_real(struct table *t, double x)
{
    add_cell(t, isfinite(x) ? (struct cell){.kind = CELL_REAL, .as.real = x} : (struct cell){0});
}

/* CSV, JSON: true, false; else "yes" or empty. */
static void table_bool(struct table *t, bool x)
{
    add_cell(t, (struct cell){.kind = CELL_BOOL, .as.integer = x});
}

void table_copy_row(struct table *t, const struct table *from, long row)
{
    for (int i = 0; i < from->columns; i++)
        add_cell(t, *table_cell_at(from, row, i));
}

double table_number(const struct table *t, long row, const char *name)
{
    for (int i = 0; i < t->columns; i++) {
        const struct cell *c = table_cell_at(t, row, i);
        if (t->column[i].name && strcmp(t->column[i].name, name) == 0)
            return c->kind == CELL_REAL      ? c->as.real
                   : c->kind == CELL_INTEGER ? (double)c->as.integer
                                             : NAN;
    }
    return NAN;
}

static void add_member(struct table *t, const struct table_column *c, const void *row)
{
    const char *member = (const char *)row + c->at;
    int64_t x = 0;
    switch (c->cell) {
    case TABLE_MADE:
        if (c->make)
            c->make(t, member);
        return;
    case TABLE_DOUBLE:
        table_real(t, *(const double *)(const void *)member);
        return;
    case TABLE_BOOL:
        table_bool(t, *(const bool *)member);
        return;
    case TABLE_STRING:
        (c->json ? table_json : table_text)(t, *(const char *const *)(const void *)member);
        return;
    case TABLE_INT:
        x = *(const int *)(const void *)member;
        break;
    case TABLE_LONG:
        x = *(const long *)(const void *)member;
        break;
    case TABLE_LONG_LONG:
        x = *(const long long *)(const void *)member;
    }
    if (x || !c->empty_zero)
        table_integer(t, x);
    else
        table_text(t, NULL);
}

void table_row_csv(struct table *t, const struct table_column *columns, unsigned conditions,
                   const void *row)
{
    for (const struct table_column *c = columns; is_column(c); c++) {
        if (in_csv(c, conditions) && row)
            add_member(t, c, row);
        else if (in_csv(c, conditions))
            table_text(t, NULL);
    }
}

void table_row(struct table *t, const void *row)
{
    for (int c = 0; c < t->columns; c++)
        add_member(t, &t->column[c], row);
}

void table_emphasize(struct table *t)
{
    if (t->cells == 0)
        return;
    size_t row = (t->cells - 1) / (size_t)t->columns;
    t->cell[row * (size_t)t->columns].bold = true;
}

long table_rows(const struct table *t)
{
    return t->columns ? (long)(t->cells / (size_t)t->columns) : 0;
}

/* ---- how wide it is ---- */

/* A cell as people read it. Numbers are written into buffer, texts returned as they are. */
static const char *table_cell_text(const struct cell *c, int decimals, char buffer[512])
{
    switch (c->kind) {
    case CELL_TEXT:
    case CELL_JSON:
        return c->as.text;
    case CELL_INTEGER:
        snprintf(buffer, 512, "%lld", (long long)c->as.integer);
        return buffer;
    case CELL_REAL:
        return text_fixed(c->as.real, decimals, buffer, 512);
    case CELL_BOOL:
        return c->as.integer ? "yes" : "";
    default:
        return "";
    }
}

static int table_column_width(const struct table *t, int column)
{
    char buffer[512];
    int width = text_width(t->column[column].title);
    for (long row = 0; row < table_rows(t); row++) {
        int w = text_width(
            table_cell_text(table_cell_at(t, row, column), t->column[column].decimals, buffer));
        width = w > width ? w : width;
    }
    return width;
}

/* Whether TABLE_TEXT has the column, and how wide it is there. */
static bool table_in_text(const struct table *t, int column)
{
    const struct table_column *c = &t->column[column];
    return c->title && !(c->leave_out && c->leave_out <= t->left_out);
}

int table_width(const struct table *t)
{
    int width = 0;
    for (int c = 0; c < t->columns; c++)
        if (table_in_text(t, c))
            width += (width ? TABLE_GAP : 0) + table_column_width(t, c);
    return width;
}

bool table_names_column(const struct text_buffer *names, const char *title)
{
    size_t size = strlen(title);
    for (const char *at = names->text; at && (at = strstr(at, title)); at += size)
        if ((at == names->text || at[-1] == ' ') && (at[size] == ',' || at[size] == '\0'))
            return true;
    return false;
}

void table_name_column(struct text_buffer *names, const char *title)
{
    if (!table_names_column(names, title))
        text_add(names, "%s%s", names->used ? ", " : "", title);
}

/* The lowest leave_out of a column that is still there; 0: none. */
static int next_to_leave(const struct table *t)
{
    int next = 0;
    for (int c = 0; c < t->columns; c++) {
        int rank = t->column[c].leave_out;
        if (table_in_text(t, c) && rank && (!next || rank < next))
            next = rank;
    }
    return next;
}

/* Names column c, and where others have its title the column before it, to which it belongs. */
static void name_column(const struct table *t, int c, struct text_buffer *names)
{
    const char *title = t->column[c].title;
    struct text_buffer full = scope_text(t->scope);
    int same = 0;
    for (int i = 0; i < t->columns; i++)
        same += t->column[i].title && strcmp(t->column[i].title, title) == 0;
    if (same > 1 && c > 0 && t->column[c - 1].title)
        text_add(&full, "%s of %s", title, t->column[c - 1].title);
    table_name_column(names, full.text ? full.text : title);
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
        if (table_in_text(t, c) && t->column[c].title[0])
            name_column(t, c, shown);
}

bool table_share_names(const struct text_buffer *a, const struct text_buffer *b)
{
    for (const char *name = a->text; name;) {
        const char *end = strchr(name, ',');
        char title[128];
        snprintf(title, sizeof title, "%.*s", end ? (int)(end - name) : (int)strlen(name), name);
        if (table_names_column(b, title))
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
        if (!table_in_text(t, c))
            continue;
        const char *text =
            row < 0 ? column->title
                    : table_cell_text(table_cell_at(t, row, c), column->decimals, buffer);
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

static void write_text(const struct table *t, bool color, FILE *out)
{
    int *width = arena_alloc(&t->scope->arena, (size_t)t->columns, sizeof *width);
    int last = 0;
    for (int c = 0; c < t->columns; c++) {
        if (table_in_text(t, c)) {
            width[c] = table_column_width(t, c);
            last = c;
        }
    }
    for (long row = -1; row < table_rows(t); row++) {
        bool bold = row >= 0 && table_cell_at(t, row, 0)->bold;
        const char *begin = row < 0 ? "\033[4m" : "\033[1m";
        bool emphasis = color && (row < 0 || bold);
        if (emphasis)
            fputs(begin, out);
        text_row(t, row, width, last, out);
        fputs(emphasis ? "\033[0m\n" : "\n", out);
    }
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
    else if (c->kind == CELL_BOOL)
        fputs(c->as.integer ? "true" : "false", out);
    else
        table_csv_field(table_cell_text(c, 0, buffer), plain, out);
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
                csv_cell(table_cell_at(t, row, c), plain, out);
        }
        fputc('\n', out);
    }
}

static void json_cell(const struct cell *c, struct json_writer *w, const char *key)
{
    switch (c->kind) {
    case CELL_EMPTY:
        json_add_null(w, key);
        break;
    case CELL_TEXT:
        json_add_text(w, key, c->as.text);
        break;
    case CELL_INTEGER:
        json_add_integer(w, key, c->as.integer);
        break;
    case CELL_REAL:
        json_add_real(w, key, c->as.real);
        break;
    case CELL_BOOL:
        json_add_bool(w, key, c->as.integer);
        break;
    case CELL_JSON:
        json_add_json(w, key, c->as.text);
    }
}

static void json_row(const struct table *t, long row, struct json_writer *w, const char *key)
{
    json_begin_object(w, key);
    for (int c = 0; c < t->columns; c++)
        if (t->column[c].name)
            json_cell(table_cell_at(t, row, c), w, t->column[c].name);
    json_end_object(w);
}

void table_add_json(const struct table *t, struct json_writer *w, const char *key)
{
    table_add_json_rows(t, 0, table_rows(t), w, key);
}

void table_add_json_rows(const struct table *t, long first, long rows, struct json_writer *w,
                         const char *key)
{
    json_begin_list(w, key);
    for (long row = first; row < first + rows; row++)
        json_row(t, row, w, NULL);
    json_end_list(w);
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
                markdown_field(table_cell_text(table_cell_at(t, row, c), column->decimals, buffer),
                               out);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
}

void table_write(const struct table *t, enum table_format f, bool color, FILE *out)
{
    switch (f) {
    case TABLE_TEXT:
        write_text(t, color, out);
        break;
    case TABLE_CSV:
        write_csv(t, out);
        break;
    case TABLE_JSON:
        table_add_json(t, &(struct json_writer){.out = out}, NULL);
        break;
    case TABLE_MARKDOWN:
        write_markdown(t, out);
    }
    scope_check(t->scope, text_check(out, t->scope->message));
}

void table_write_page(struct table *t, struct text_page page, FILE *out)
{
    struct text_buffer names = scope_text(t->scope), line = names;
    if (page.columns > 0)
        table_fit(t, page.columns, &names, NULL);
    table_write(t, TABLE_TEXT, page.color, out);
    if (!names.used)
        return;
    text_add(&line, "Left out for lack of room: %s; --json has all.", names.text);
    text_paragraph(out, line.text, 0, 0, page.columns);
    scope_check(t->scope, text_check(out, t->scope->message));
}

/* ---- rows of a query ---- */

void rows_cell(const struct rows *r, int i, struct table *t)
{
    switch (rows_kind(r, i)) {
    case ROWS_INTEGER:
        table_integer(t, rows_integer(r, i));
        break;
    case ROWS_REAL:
        table_real(t, rows_real(r, i));
        break;
    case ROWS_NULL:
    case ROWS_TEXT:
        table_text(t, rows_text(r, i));
    }
}

void rows_row(const struct rows *r, struct table *t)
{
    for (int i = 0; i < rows_columns(r); i++)
        rows_cell(r, i, t);
}

void rows_to_table(struct scope *x, struct rows *r, struct table *t)
{
    while (scope_next(x, r))
        rows_row(r, t);
}
