/* Rows of a query as JSON by columns, for tables of very many rows; only the files that write the
 * page's pieces include this. Format:
 *
 *   {"rows":300,"columns":{"trial_id":COLUMN,...}}
 *
 * where a COLUMN is the shortest of
 *
 *   {"same":value}                       of all rows
 *   {"each":[value,...]}
 *   {"of":[value,...],"at":[0,0,1,...]}  the different values, and the place of each row's among
 * them
 *   {"by":[1,1,2,...]}                   integers: each less the one before it, the first less 0 */
#ifndef SWEEP_PAGE_PAGE_COLUMNS_H
#define SWEEP_PAGE_PAGE_COLUMNS_H

#include "engine/base/json_write.h"
#include "sweep/db/scope.h"

/* Adds all rows that are left as the member `key`; reals with all digits, texts as page_cell. */
void page_columns(struct scope *x, struct rows *r, struct json_writer *w, const char *key);

#endif
