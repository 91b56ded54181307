/* What commands that plan a sweep share. */
#ifndef SWEEP_CLI_COMMAND_PLAN_H
#define SWEEP_CLI_COMMAND_PLAN_H

#include "sweep/cli/command.h"
#include "sweep/plan/plan.h"
#include "sweep/trials/trials.h"

/* The sweep file of an argument: "-" is standard input, which is then called `as`
 * (config_read_stdin) if that is not NULL. BAD_INPUT for `as` with any other file. */
enum status command_read_sweep(const char *file, const char *as, const struct command_texts *set,
                               struct config **c, struct message *m);

/* What --threads says takes the place of what the file says; NULL: nothing is said. BAD_INPUT where
 * it is no number of threads. */
enum status command_threads(const char *text, struct config *c, struct message *m);

/* plan_new with what the results file knows: of the files that tasks learn from, and under which
 * spelling it has points of the plan. A results file that
 * is not there or cannot be read knows nothing; what is wrong with it is said by whoever needs it.
 * Says on stderr, as the command of that name (NULL: it does not), which large files it reads. */
enum status command_plan_new(const char *name, const struct config *c, const char *db,
                             struct plan **p, struct message *m);

/* The results file, to be read; *s is NULL where there is none yet, or nothing in it. Close with
 * store_close. */
enum status command_open_existing(const char *db, struct store **s, struct message *m);

/* Prints a line for each file that tasks of the plan learn from, and each way that it is divided:
 * how many examples it has and how many are looked at. Nothing where there is none. */
void command_plan_files(const struct plan *p);

/* Prints to stderr what is odd about a plan without being wrong: items of exclude that fit
 * nothing. */
void command_plan_notes(const char *name, const struct plan *p);

#endif
