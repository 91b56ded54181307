/* How the pieces of a page are written: rows of a query as JSON, without the folders of this
 * machine, packed where they are very many, escaped for their place in the page. */
#ifndef SWEEP_PAGE_PAGE_WRITE_H
#define SWEEP_PAGE_PAGE_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/json_write.h"
#include "engine/base/text.h"
#include "sweep/db/scope.h"

/* ---- names for paths ---- */

/* Pages are shown to others: where things lie on this machine does not belong on them.
 *
 * Adds text with each absolute path in it ("cannot open /home/me/my data/x.csv: ...") cut to its
 * last name (x.csv). A path begins where a text does, or after a space, a quote, a bracket or one
 * of = : , ; and ends before any of these. At a space it ends only where none of the next four
 * words of the line has a slash: rather a word too few is shown than a part of a folder's name.
 * beside: a path whose folder is known to be one, whatever its name has in it (the results file, or
 * the folder beside it); NULL: none. Addresses (https://...) and lone slashes stay. JSON stays
 * JSON. */
void page_names_only(const char *text, const char *beside, struct text_buffer *names);

/* ---- rows ---- */

enum { PAGE_ALL_DIGITS = 0 };

/* Adds a column of the present row; reals to so many digits, texts with names for paths,
 * which are put together in `names`. */
void page_cell(struct json_writer *w, const char *key, const struct rows *r, int i, int digits,
               struct text_buffer *names);

/* All rows that are left, as {"columns":[...],"rows":[...]}. */
void page_rows(struct scope *x, struct rows *r, int digits, FILE *out);

/* The same as the member `key`, for tables of very many rows: a string, zlib's format (RFC 1950) in
 * base64, reals with all digits. */
void page_packed_rows(struct scope *x, struct rows *r, struct json_writer *w, const char *key);

/* ---- escapes ---- */

enum page_place {
    PAGE_TEXT, /* in an element: & < > " ' are character references */
    PAGE_JSON  /* JSON in a script element: & < > as in \u003c, so that nothing ends the element or
                  begins a comment */
};

/* To be flushed before more is written to `to`; it ends with the scope, which `to` must outlive.
 * What could not be written shows as an error of `to`. */
FILE *page_stream(struct scope *x, FILE *to, enum page_place place);

/* Base64 (RFC 4648, section 4). */
void base64_write(const uint8_t *bytes, size_t size, FILE *out);

#endif
