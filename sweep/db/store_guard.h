/* Guards against what a results file may hold that is not the program's own (store_guard.c). */
#ifndef SWEEP_DB_STORE_GUARD_H
#define SWEEP_DB_STORE_GUARD_H

#include "engine/base/status.h"

struct sqlite3;
struct store;

/* For every connection on a results file or a copy of one, before its first statement. */
void store_harden(struct sqlite3 *db);

/* What is wrong with an object that the schema has: "view trials is different". */
typedef void store_object_fault(void *context, const char *what);

/* Tells of each of the schema's tables, views and indexes that the file has not, or has in another
 * way. Runs nothing of what the file holds. */
enum status store_foreign_objects(struct store *s, const char *schema, store_object_fault *fault,
                                  void *context, struct message *m);

/* BAD_INPUT names the first of them; under STORE_CHECK s->foreign says that there are some. */
enum status store_judge_objects(struct store *s, const char *schema, struct message *m);

/* For SQLite: what store_stop_when was given. */
int store_stop_asked(void *store);

#endif
