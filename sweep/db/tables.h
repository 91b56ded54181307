/* What the schema says of its own tables: whose rows belong to whose, and which are shared. A table
 * is declared in schema.sql and nowhere else; tables that a user has put into the file are none of
 * these.
 *
 * Rows that belong to a row of another table REFERENCE it with ON DELETE CASCADE, and their primary
 * key begins with that column: they go with it, and merge takes them over with it. Rows without
 * CASCADE refer to what many share, which is the same by its UNIQUE columns and goes when nobody
 * refers to it any more. */
#ifndef SWEEP_DB_TABLES_H
#define SWEEP_DB_TABLES_H

#include "sweep/db/scope.h"

/* The tables whose rows belong to one of `parent`, in the order of the schema: name, and the column
 * that refers to it. */
struct rows *tables_of(struct scope *x, const char *parent);

/* The tables whose rows are shared: name, and a statement that deletes those that nobody refers
 * to. */
struct rows *tables_shared(struct scope *x);

#endif
