/* Rows of a query as JSON for the page; only the files that write its pieces include this. */
#ifndef SWEEP_PAGE_PAGE_ROWS_H
#define SWEEP_PAGE_PAGE_ROWS_H

#include "engine/base/json_write.h"
#include "sweep/db/rows.h"

enum { PAGE_ALL_DIGITS = 0 };

/* Adds a text with names for paths (page_paths.h); false where there is no memory. */
bool page_text(struct json_writer *w, const char *key, const char *text, const char *beside);

/* Adds a column of the present row; reals to so many digits, texts with names for paths. Where
 * there is no memory the rows fail. */
void page_cell(struct json_writer *w, const char *key, struct rows *r, int i, int digits);

/* All rows that are left, as {"columns":[...],"rows":[...]}; returns rows_close. */
enum status page_rows(struct rows *r, int digits, FILE *out);

#endif
