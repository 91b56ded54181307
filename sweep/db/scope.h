/* What is computed from a results file, in a scope (engine/base/scope.h): the edge of evidence/,
 * report/, trials/ and the tables of cli/. A command is one scope (command_act_on), and `serve`
 * ends one with each answer. */
#ifndef SWEEP_DB_SCOPE_H
#define SWEEP_DB_SCOPE_H

#include "engine/base/scope.h"
#include "sweep/db/rows.h"

/* A scope for work on a results file. */
struct scope *scope_of(struct store *s, struct message *m);

/* Makes what follows a change, all or nothing (store_enter), which scope_commit keeps unless the
 * scope was left. scope_commit ends the scope, also one without a change. */
void scope_change(struct scope *x);
enum status scope_commit(struct scope *x);

/* One state of the results file for all that is read until scope_read_end. */
void scope_read_begin(struct scope *x);
void scope_read_end(struct scope *x);

/* As rows_open. */
struct rows *scope_rows(struct scope *x, const char *sql, const struct value *values, int count);
/* The same where every view that sql names (views.sql) is of the sweep ?1 alone, and costs no more
 * than that sweep would in a file of its own. */
struct rows *scope_rows_of_sweep(struct scope *x, const char *sql, const struct value *values,
                                 int count);
/* Advances to the next row. False at the end: then the rows are closed. */
bool scope_next(struct scope *x, struct rows *r);
/* Closes rows that are not read to the end, or were read with rows_next: these rows may be other
 * ones from then on. */
void scope_close(struct scope *x, struct rows *r);
/* As rows_ask. */
int64_t scope_ask(struct scope *x, const char *sql, const struct value *values, int count);

/* The same with what messages say is done. A statement that returns nothing: how many rows it
 * changed; several without values; rows; the first column of the first row, 0 or NULL where there
 * is none. */
long scope_run(struct scope *x, const char *doing, const char *sql, const struct value *values,
               int count);
void scope_script(struct scope *x, const char *doing, const char *sql);
struct rows *scope_query(struct scope *x, const char *doing, const char *sql,
                         const struct value *values, int count);
int64_t scope_number(struct scope *x, const char *doing, const char *sql,
                     const struct value *values, int count);
char *scope_string(struct scope *x, const char *doing, const char *sql, const struct value *values,
                   int count);

/* Rows once more, with other values: whether there is one; a statement that returns nothing. */
bool scope_find(struct scope *x, struct rows *r, const struct value *values, int count);
void scope_repeat(struct scope *x, struct rows *r, const struct value *values, int count);

/* How the trials of a sweep lie in the file, also those outside its plan: trial_id of the first and
 * the last, 0 without trials. dense: few trials of other sweeps lie between them, so that a walk
 * along the table is the quickest way; else their numbers are to be taken from the index of sweeps,
 * which is all that is read here. */
struct trial_span {
    int64_t count, least, most;
    bool dense;
};
struct trial_span scope_trials(struct scope *x, int64_t sweep_id);

/* A copy of column i, "" for NULL; of one that is never NULL. */
char *scope_column(struct scope *x, const struct rows *r, int i);
char *scope_given(struct scope *x, struct rows *r, int i);

#endif
