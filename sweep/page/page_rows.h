/* Rows of a query as JSON for the page; only the files that write its pieces include this. */
#ifndef SWEEP_PAGE_PAGE_ROWS_H
#define SWEEP_PAGE_PAGE_ROWS_H

#include "engine/base/json_write.h"
#include "sweep/db/scope.h"

enum { PAGE_ALL_DIGITS = 0 };

/* Adds a column of the present row; reals to so many digits, texts with names for paths
 * (page_paths.h), which are put together in `names`. */
void page_cell(struct json_writer *w, const char *key, const struct rows *r, int i, int digits,
               struct text_buffer *names);

/* All rows that are left, as {"columns":[...],"rows":[...]}. */
void page_rows(struct scope *x, struct rows *r, int digits, FILE *out);

/* The same as the member `key`, for tables of very many rows: a string, zlib's format (RFC 1950) in
 * base64, reals with all digits. */
void page_packed_rows(struct scope *x, struct rows *r, struct json_writer *w, const char *key);

#endif
