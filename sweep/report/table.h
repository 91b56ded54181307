/* Tables for people (aligned text, Markdown, the page) and for programs (CSV, JSON) from one list
 * of columns.
 *
 *     enum { UNEQUAL = 1 };
 *     static const struct table_column columns[] = {
 *         {.name = "heads", .title = "heads", TABLE_CELL(struct point, heads)},
 *         {.name = "mean_acc", .title = "mean", TABLE_CELL(struct point, mean), .decimals = 3},
 *         {.title = "interval", .make = make_interval},             no name: people only
 *         {.name = "sd_acc", TABLE_CELL(struct point, sd)},         no title: programs only
 *         {.name = "width", .title = "width", TABLE_CELL(struct point, width), .when = UNEQUAL},
 *         {0}};
 *     struct table *t = table_when(x, columns, some_are_unequal ? UNEQUAL : 0);
 *     for (...)
 *         table_row(t, &point[i]);
 *     table_write(t, TABLE_TEXT, color, stdout);
 *
 * Where columns do not say where their cells come from, these are given one by one, from left to
 * right; a row ends by itself when its last column is filled. */
#ifndef SWEEP_REPORT_TABLE_H
#define SWEEP_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/json_write.h"
#include "sweep/db/scope.h"

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON, TABLE_MARKDOWN };

struct table;

/* Where table_row finds a cell: a member of the row, or what a function makes of the row. */
enum table_cell {
    TABLE_MADE, /* by make; without it: given one by one */
    TABLE_INT,
    TABLE_LONG,
    TABLE_LONG_LONG,
    TABLE_DOUBLE,
    TABLE_BOOL,
    TABLE_STRING
};

/* The member of a row as the cell of a column, or what make makes of it (without: of the row). */
#define TABLE_CELL(row, member)                                                                    \
    .at = offsetof(row, member), .cell = _Generic(((row *){0})->member,                            \
                                                  int: TABLE_INT,                                  \
                                                  long: TABLE_LONG,                                \
                                                  long long: TABLE_LONG_LONG,                      \
                                                  double: TABLE_DOUBLE,                            \
                                                  bool: TABLE_BOOL,                                \
                                                  char *: TABLE_STRING,                            \
                                                  const char *: TABLE_STRING)

#define TABLE_MAKE(row, member, function) .at = offsetof(row, member), .make = function

/* One name for programs and people; what the page has: its title, and more of page's members. */
#define NAMED(text)   .name = text, .title = text
#define PAGE(...)     .page = {.title = __VA_ARGS__}
#define PAGE_ANY(...) .page = {.optional = true, .title = __VA_ARGS__}

enum { TABLE_WHOLE = -1 }; /* decimals: none */

struct table_column {
    const char *name;  /* in CSV and JSON; NULL: the column is not written there */
    const char *title; /* in text and Markdown; NULL: the column is not written there */
    enum table_cell cell;
    size_t at;                                         /* offset in the row */
    void (*make)(struct table *t, const void *member); /* gives one cell */
    bool json;                                         /* the string is JSON already */
    bool right;       /* aligned to the right, as cells are that are members and numbers */
    bool empty_zero;  /* 0 is an empty cell */
    int decimals;     /* of a real in text and Markdown (0, of a member: 3); CSV and JSON get all */
    int leave_out;    /* where there is no room, columns of 1 go first, then of 2, ...; 0: stays */
    unsigned when;    /* conditions, bits of the caller's own: people see it if all of these hold */
    unsigned only_if; /* it is there for nobody unless all of these hold */
    const char *legend; /* a sentence's part that explains it to people: " solved: ...;" */
    const char *csv;    /* where CSV begins with the columns of a view: its name behind these */
    struct {
        const char *title; /* NULL: not on the page */
        const char *show;  /* how: a function of page/dom.js; NULL: a bool as "yes", a real with
                              its decimals (4 where it has no own), the rest as it is */
        const char *hint;  /* a longer title */
        bool optional;     /* not where all of its cells are empty */
        const char *key;   /* the member of the JSON row that it shows; NULL: name */
    } page;
};

/* A table without rows, of columns up to an entry that has neither a name nor a title; their texts
 * are kept, not copied. It lives as long as the scope. */
struct table *table_new(struct scope *x, const struct table_column *columns);

/* One with the columns of another, which must live as long. */
struct table *table_like(struct scope *x, const struct table *t);

/* The same where only these conditions hold. */
struct table *table_when(struct scope *x, const struct table_column *columns, unsigned conditions);
/* The same without what only programs have. */
struct table *table_of_people(struct scope *x, const struct table_column *columns,
                              unsigned conditions);

/* A further column of a table without rows, whose title (name) is formatted. */
void table_add_titled(struct table *t, struct table_column c, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void table_add_named(struct table *t, struct table_column c, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Further columns of a table without rows: those that have a name in CSV, which ends with it:
 * "label_" "spam" "_mean". */
void table_add_csv(struct table *t, const struct table_column *columns, unsigned conditions,
                   const char *kind, const char *which);

/* Hides the column of that name from people. */
void table_hide(struct table *t, const char *name);

/* The cells of all columns that say where they come from. */
void table_row(struct table *t, const void *row);
/* The cells of those that table_add_csv adds; NULL: they are empty. */
void table_row_csv(struct table *t, const struct table_column *columns, unsigned conditions,
                   const void *row);

/* The next cell. Texts are copied; a NULL text or a real that is not finite is an empty cell (JSON:
 * null). */
void table_text(struct table *t, const char *text);
void table_integer(struct table *t, int64_t x);
void table_real(struct table *t, double x);
void table_printf(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A cell that is JSON already (an array, an object): as it stands in JSON, as text elsewhere. */
void table_json(struct table *t, const char *json);

/* The cells of a row of another table, which must live as long. */
void table_copy_row(struct table *t, const struct table *from, long row);

/* The number in the first column of that name; NaN: it is none, or there is no such column. */
double table_number(const struct table *t, long row, const char *name);

/* The row of the newest cell is printed bold where colour is welcome. */
void table_emphasize(struct table *t);

long table_rows(const struct table *t); /* complete ones */

/* Columns of terminal that TABLE_TEXT takes. */
int table_width(const struct table *t);

/* Leaves columns out of TABLE_TEXT, by rising leave_out, until it takes at most `page` columns or
 * all that are left must stay. Adds their titles to left_out, ", " between, where they are not in
 * it yet, and those of the others to shown (NULL: not wanted); a title that several columns have
 * stands with that of the column before: "95% interval of mean". */
void table_fit(struct table *t, int page, struct text_buffer *left_out, struct text_buffer *shown);
/* Whether such a list has that title, and whether two of them have one in common. */
bool table_names_column(const struct text_buffer *names, const char *title);
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
 * color: ANSI emphasis, TABLE_TEXT only. The scope is left where out reports an error. */
void table_write(const struct table *t, enum table_format f, bool color, FILE *out);

/* TABLE_JSON as a member of an object. */
void table_add_json(const struct table *t, struct json_writer *w, const char *key);
/* The same of so many rows from `first` on. */
void table_add_json_rows(const struct table *t, long first, long rows, struct json_writer *w,
                         const char *key);

/* Columns for the page, of those that are on it under these conditions: a list of objects with
 * title and key and, where a column has them, show, hint, optional and empty_zero; words: its cells
 * are no numbers. */
void table_page_columns(const struct table_column *columns, unsigned conditions,
                        struct json_writer *w, const char *key);

/* What these say of themselves, one after the other, but for those that table_fit left out of all
 * tables: left_out and shown are its lists. */
void table_legend(const struct table_column *columns, unsigned conditions,
                  const struct text_buffer *left_out, const struct text_buffer *shown,
                  struct text_buffer *text);

/* Writes one field of a line of CSV; plain: as out is a terminal. */
void table_csv_field(const char *text, bool plain, FILE *out);

/* Writes TABLE_TEXT fitted to the page, and below it which columns found no room. */
void table_write_page(struct table *t, struct text_page page, FILE *out);

/* ---- rows of a query ---- */

/* Column i of the present row as the next cell of a table. */
void rows_cell(const struct rows *r, int i, struct table *t);

/* The present row as one of a table with as many columns. */
void rows_row(const struct rows *r, struct table *t);

/* Appends all rows that are left to a table with as many columns. */
void rows_to_table(struct scope *x, struct rows *r, struct table *t);

#endif
