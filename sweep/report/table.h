/* Tables for people (aligned text, Markdown) and for programs (CSV, JSON) from the same cells.
 *
 *     static const struct table_column columns[] = {
 *         {.name = "heads", .title = "heads", .right = true},
 *         {.name = "mean_acc", .title = "mean", .right = true, .decimals = 3},
 *         {.title = "plot"},         no name: people only
 *         {.name = "config_sha256"}, no title: programs only
 *         {0}};
 *     struct table *t = table_new(columns);
 *     table_integer(t, 8), table_real(t, .998), table_text(t, "*"), table_text(t, sha256);
 *     s = table_write(t, TABLE_TEXT, color, stdout, m);
 *     table_free(t);
 *
 * Cells are given from left to right; a row ends by itself when its last column is filled. */
#ifndef SWEEP_REPORT_TABLE_H
#define SWEEP_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/status.h"
#include "engine/base/text.h"

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_MARKDOWN };

struct table_column {
    const char *name;  /* in CSV and JSON; NULL: the column is not written there */
    const char *title; /* in text and Markdown; NULL: the column is not written there */
    bool right;        /* aligned to the right, for numbers */
    int decimals;      /* of a real in text and Markdown; CSV and JSON get all digits */
    int leave_out;     /* where there is no room, columns of 1 go first, then of 2, ...; 0: stays */
};

struct table;

/* A table without rows. columns is kept, not copied; it ends with an entry that has neither name
 * nor title. Running out of memory, here or while cells are added, is remembered and returned by
 * table_write; every function accepts a NULL table. Free with table_free. */
struct table *table_new(const struct table_column *columns);
void table_free(struct table *t);

/* The next cell. Texts are copied; a NULL text or a real that is not finite is an empty cell (JSON:
 * null). */
void table_text(struct table *t, const char *text);
void table_integer(struct table *t, int64_t x);
void table_real(struct table *t, double x);
void table_printf(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A text that was put together; b is emptied. Memory that it ran out of is remembered too. */
void table_buffer(struct table *t, struct text_buffer *b);
/* A cell that is JSON already (an array, an object): as it stands in JSON, as text elsewhere. */
void table_json(struct table *t, const char *json);

/* The row of the newest cell is printed bold where colour is welcome. */
void table_emphasize(struct table *t);

long table_rows(const struct table *t); /* complete ones */

/* Columns of terminal that TABLE_TEXT takes; -1 if a cell could not be stored. */
int table_width(const struct table *t);

/* Leaves columns out of TABLE_TEXT, by rising leave_out, until it takes at most `page` columns or
 * all that are left must stay. Adds their titles to left_out, ", " between, where they are not in
 * it yet, and those of the others to shown (NULL: not wanted); a title that several columns have
 * stands with that of the column before: "95% interval of mean". */
void table_fit(struct table *t, int page, struct text_buffer *left_out, struct text_buffer *shown);
/* Whether two such lists have a title in common. */
bool table_share_names(const struct text_buffer *a, const struct text_buffer *b);
/* Adds one such title. */
void table_name_column(struct text_buffer *names, const char *title);

/* Writes the table.
 *   TABLE_TEXT      titles, then rows, two spaces between columns; plain (engine/base/text.h);
 *                   without the columns that table_fit left out, which the others have
 *   TABLE_CSV       RFC 4180 with a header line, lines ended by LF; texts exactly as they are, but
 *                   plain where out is a terminal
 *   TABLE_JSON      an array of objects on one line, no line feed after it
 *   TABLE_MARKDOWN  a pipe table; plain
 * color: ANSI emphasis, TABLE_TEXT only. NO_MEMORY if a cell could not be stored, IO or DISK_FULL
 * if out reports an error. */
enum status table_write(const struct table *t, enum table_format f, bool color, FILE *out,
                        struct message *m);

/* Writes one field of a line of CSV; plain: as out is a terminal. */
void table_csv_field(const char *text, bool plain, FILE *out);

/* Writes TABLE_TEXT fitted to the page, and below it which columns found no room. */
enum status table_write_page(struct table *t, struct text_page page, FILE *out, struct message *m);

#endif
