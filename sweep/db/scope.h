/* What is computed from a results file, in a scope (engine/base/scope.h): the edge of evidence/,
 * report/, trials/ and the tables of cli/. A command is one scope (command_act_on), and `serve`
 * ends one with each answer. */
#ifndef SWEEP_DB_SCOPE_H
#define SWEEP_DB_SCOPE_H

#include "engine/base/scope.h"
#include "sweep/db/rows.h"

/* One state of the results file for all that is read until scope_read_end. */
void scope_read_begin(struct scope *x);
void scope_read_end(struct scope *x);

/* As rows_open and rows_of_sweep. */
struct rows *scope_rows(struct scope *x, const char *sql, const struct value *values, int count);
struct rows *scope_rows_of_sweep(struct scope *x, const char *sql, const struct value *values,
                                 int count);
/* Advances to the next row. False at the end: then the rows are closed. */
bool scope_next(struct scope *x, struct rows *r);
/* Closes rows that are not read to the end, or were read with rows_next. */
void scope_close(struct scope *x, struct rows *r);
/* As rows_ask. */
int64_t scope_ask(struct scope *x, const char *sql, const struct value *values, int count);

/* A copy of column i, "" for NULL; of one that is never NULL. */
char *scope_column(struct scope *x, const struct rows *r, int i);
char *scope_given(struct scope *x, struct rows *r, int i);

#endif
