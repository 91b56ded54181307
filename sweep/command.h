/* Sub-commands: one per cmd_<name>.c and a line in commands.def:
 *
 *     COMMAND(run, "run SWEEP.yaml", "start a sweep, or go on where it stopped") */
#ifndef SWEEP_COMMAND_H
#define SWEEP_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/status.h"

enum { EXIT_DONE = 0, EXIT_SOME_FAILED = 1, EXIT_USAGE = 2, EXIT_SYSTEM = 3, EXIT_RESUMABLE = 75 };

struct command {
    const char *name, *usage, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the sub-command's name; returns exit status */
};

#define COMMAND(name, usage, summary) int command_##name(int argc, char **argv);
#include "sweep/commands.def"
#undef COMMAND

extern const struct command command_table[]; /* ends with a NULL name */

/* Prints "headcount NAME: text" to stderr and returns the exit status that belongs to s. */
int command_fail(const char *name, enum status s, const struct message *m);

/* True where ANSI colour is welcome on f: a terminal, TERM not dumb, NO_COLOR unset or empty. */
bool command_color(FILE *f);

#endif
