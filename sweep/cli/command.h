/* Sub-commands: one per cmd_<name>.c and a line in commands.def:
 *
 *     COMMAND(run, "run SWEEP.yaml", "start a sweep, or resume it where it stopped")
 *
 * Data goes to stdout, everything else to stderr; main() notices when stdout could not be
 * written. */
#ifndef SWEEP_CLI_COMMAND_H
#define SWEEP_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sweep/db/scope.h"
#include "sweep/trials/trials.h"

/* Exit statuses, as sweep/README.md lists them for users. A second signal gives 128 + its number.
 */
enum {
    EXIT_DONE = 0,
    EXIT_SOME_FAILED = 1, /* some trials failed or diverged */
    EXIT_USAGE = 2,       /* wrong usage or a bad file */
    EXIT_SYSTEM = 3,      /* storage, input/output or internal error; check found something wrong */
    EXIT_BUSY = 4,        /* another run, or another program, holds the results file */
    EXIT_RESUMABLE = 75   /* stopped, or the disk is full: the same command resumes */
};

struct command {
    const char *name, *usage, *summary;
    int (*main)(int argc, char **argv); /* argv[0] is the sub-command's name; returns exit status */
};

#define COMMAND(name, usage, summary) int command_##name(int argc, char **argv);
#include "sweep/cli/commands.def"
#undef COMMAND

extern const struct command command_table[]; /* ends with a NULL name */

/* Its line of the table, or NULL. */
const struct command *command_find(const char *name);

/* Prints "headcount NAME: text" to stderr and returns the exit status that belongs to s. */
int command_fail(const char *name, enum status s, const struct message *m);

/* The same for a sentence made here; always a usage error (EXIT_USAGE), with a hint at --help. */
int command_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for an argument that is not there: names the one after `given` words of usage, "TRIAL
 * [options]". action: the word between the command and usage, or NULL. */
int command_missing(const char *name, const char *action, const char *usage, int given);

/* Opens the results file, lets `read` work on it in a scope, closes it; prints what failed. Returns
 * the exit status. */
typedef void command_read(struct scope *x, void *context);
int command_read_as(const char *name, const char *db, enum store_mode mode, command_read *read,
                    void *context);

/* As STORE_READ. */
int command_read_store(const char *name, const char *db, command_read *read, void *context);

/* Options of one sub-command. Each stores into its member of the struct that command_parse is
 * given. */
enum command_kind {
    COMMAND_FLAG,  /* bool */
    COMMAND_TEXT,  /* const char * */
    COMMAND_FILE,  /* const char *; of an existing file the real name, through symbolic links, so
                      that one file has one lock and one folder of checkpoints; one option per
                      command */
    COMMAND_LONG,  /* long, 1 to 1,000,000,000 */
    COMMAND_REAL,  /* double, above 0, up to 1,000,000,000 */
    COMMAND_TEXTS, /* struct command_texts; may be given several times */
    COMMAND_MAYBE_TEXT /* const char *; its value may be left out: "" */
};
enum { COMMAND_TEXTS_MAX = 64 };
struct command_texts {
    int count;
    const char *item[COMMAND_TEXTS_MAX];
};
struct command_option {
    const char *name; /* long name without dashes */
    char letter;      /* short name, or 0 */
    enum command_kind kind;
    size_t offset;        /* of its member */
    const char *argument; /* "FILE"; NULL for a flag */
    const char *help;
};
#define COMMAND_DB "results/headcount.db"
#define COMMAND_DB_OPTION(type)                                                                    \
    {                                                                                              \
        "db", 0, COMMAND_FILE, offsetof(type, db), "FILE", "results file (" COMMAND_DB ")"         \
    }

struct command_syntax {
    const char *name;                     /* usage and summary come from the table of commands */
    const char *details;                  /* shown by --help between usage and options, or NULL */
    const struct command_option *options; /* ends with a NULL name; --help is added to all */
    const char *others;                   /* what an unknown option may be for, or NULL */
    const char *examples;                 /* as command_print_examples takes them */
    int least, most;                      /* how many arguments besides options */
};

/* Lines that work as they stand, headed "Examples:". Files that they name in configs/ are those
 * that `make install` put beside the program, where it is installed. */
void command_print_examples(const char *examples);

/* As the only argument of a command: its long options, one a line, for completion. */
#define COMMAND_LIST_OPTIONS "--list-options"

/* Reads argv with getopt_long. True: values are filled and the *arguments besides options stand at
 * argv[optind]. False: --help or the list of options was printed, or the usage was wrong; return
 * *exit_status. */
bool command_parse(const struct command_syntax *s, int argc, char **argv, void *values,
                   int *arguments, int *exit_status);

#endif
