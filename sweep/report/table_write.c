/* Tables as text, CSV, JSON and Markdown. */
#include <string.h>
#include <unistd.h>

#include "sweep/report/table_parts.h"

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

void table_add_json_row(const struct table *t, struct json_writer *w, const char *key)
{
    json_row(t, 0, w, key);
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
