/* What sub-commands share. Each is one function in cmd_<name>.c and a line in commands.def:
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
#include "sweep/hosts/crew.h"
#include "sweep/plan/plan.h"
#include "sweep/report/report.h"
#include "sweep/run/forecast.h"
#include "sweep/serve/serve.h"
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

/* ---- errors ---- */

/* Prints "headcount NAME: text" to stderr and returns the exit status that belongs to s. */
int command_fail(const char *name, enum status s, const struct message *m);

/* The same for a sentence made here; always a usage error (EXIT_USAGE), with a hint at --help. */
int command_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for an argument that is not there: names the one after `given` words of usage, "TRIAL
 * [options]". action: the word between the command and usage, or NULL. */
int command_missing(const char *name, const char *action, const char *usage, int given);

/* What a full disk leaves to be done, after command_fail. Returns EXIT_RESUMABLE. */
int command_resumable(const char *name, const char *then);

/* ---- a command's work ---- */

/* Within it errors end the scope, and memory, plans and files that are found below are the scope's.
 */
typedef void command_act(struct scope *x, void *context);

enum command_use {
    COMMAND_NO_STORE, /* x->store is NULL */
    COMMAND_READ,
    COMMAND_CHECK,  /* reads a damaged file too */
    COMMAND_CHANGE, /* under its lock: no run is at work on the file, and none begins */
    COMMAND_MAKE    /* the same; a file that was not there is made, and goes where this fails */
};

/* Opens the results file, acts, closes it; prints what failed. Returns the exit status: EXIT_DONE
 * where nothing did. */
int command_act_on(const char *name, enum command_use use, const char *db, command_act *act,
                   void *context);

/* Acts in a scope of its own within x: what it opened is closed, and freed, when it is over. */
void command_act_within(struct scope *x, command_act *act, void *context);

/* From now on, and as long as x lasts, Ctrl-C is heard: stop_requests (sweep/worker/stop.h), and
 * what is read from x->store ends. */
void command_hear_stops(struct scope *x);

/* Another results file, to be read; of one that may not be there yet NULL where it is not, or has
 * nothing in it. */
struct store *command_open(struct scope *x, const char *db);
struct store *command_open_existing(struct scope *x, const char *db);

/* ---- options ---- */

/* Each stores into its member of the struct that command_parse is given. */
enum command_kind {
    COMMAND_FLAG,   /* bool */
    COMMAND_FORMAT, /* enum report_format: the one that is called as the option is */
    COMMAND_TEXT,   /* const char * */
    COMMAND_FILE,   /* const char *; of an existing file the real name, through symbolic links, so
                       that one file has one lock and one folder of checkpoints; one option per
                       command */
    COMMAND_LONG,   /* long, 1 to 1,000,000,000 */
    COMMAND_REAL,   /* double, above 0, up to 1,000,000,000 */
    COMMAND_TEXTS,  /* struct command_texts; may be given several times */
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

/* Options that many commands have, for members of these names. */
#define COMMAND_DB "results/headcount.db"
#define COMMAND_DB_OPTION(type)                                                                    \
    {                                                                                              \
        "db", 0, COMMAND_FILE, offsetof(type, db), "FILE", "results file (" COMMAND_DB ")"         \
    }
#define COMMAND_SET_OPTION(type)                                                                   \
    {                                                                                              \
        "set", 0, COMMAND_TEXTS, offsetof(type, set), "KEY=VALUE",                                 \
            "replace what the file says, as in train.steps=100; null removes it"                   \
    }
#define COMMAND_WORKERS_OPTION(type, what)                                                         \
    {                                                                                              \
        "workers", 'j', COMMAND_LONG, offsetof(type, workers), "N", what " at once (usable cores)" \
    }
#define COMMAND_QUIET_OPTION(type)                                                                 \
    {                                                                                              \
        "quiet", 'q', COMMAND_FLAG, offsetof(type, quiet), NULL, "no progress"                     \
    }
#define COMMAND_FORMAT_OPTIONS(type, as_csv)                                                       \
    {"csv", 0, COMMAND_FORMAT, offsetof(type, format), NULL, as_csv},                              \
        {"json", 0, COMMAND_FORMAT, offsetof(type, format), NULL, "as JSON"},                      \
    {                                                                                              \
        "markdown", 0, COMMAND_FORMAT, offsetof(type, format), NULL, "as Markdown"                 \
    }

/* The machines that work, as they stand on the command line; NULL where nothing is given. */
struct command_machines {
    const char *hosts, *launch, *agent;
};
#define COMMAND_MACHINES_OPTIONS(type)                                                             \
    {"hosts",       0,                                                                             \
     COMMAND_TEXT,  offsetof(type, machines.hosts),                                                \
     "NAME,NAME:N", "machines to work on instead of this one, N at once on those with a number"},  \
        {"launch",                                                                                 \
         0,                                                                                        \
         COMMAND_TEXT,                                                                             \
         offsetof(type, machines.launch),                                                          \
         "COMMAND",                                                                                \
         "starts a program on {host} and joins its stdin and stdout: 'ssh {host}'; slurm: on the " \
         "nodes of the allocation"},                                                               \
    {                                                                                              \
        "agent", 0, COMMAND_TEXT, offsetof(type, machines.agent), "WORDS",                         \
            "how `headcount agent` is called there (this program's own path)"                      \
    }
extern const char *const command_machines_needs[][2];

/* Reads them; what the crew's options point to is the scope's. BAD_INPUT where they name no
 * machines. */
void command_find_crew(struct scope *x, const struct command_machines *c, struct crew_options *o);

struct command_syntax {
    const char *name;                     /* usage and summary come from the table of commands */
    const char *details;                  /* shown by --help between usage and options, or NULL */
    const struct command_option *options; /* ends with a NULL name; --help is added to all */
    const char *const (*needs)[2];        /* options, and that without which they mean nothing;
                                             ends with NULL; or NULL */
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

/* The value of an option that takes one, as command_parse would find it; NULL where it is not
 * given. Words that cannot be are passed over. */
const char *command_peek(const struct command_syntax *s, int argc, char *const *argv,
                         const char *name);

/* ---- a sweep file and its plan ---- */

/* The sweep file of an argument: "-" is standard input, which is then called `as`
 * (config_read_stdin) if that is not NULL. BAD_INPUT for `as` with any other file. */
struct config *command_read_sweep(struct scope *x, const char *file, const char *as,
                                  const struct command_texts *set);

/* What --threads says takes the place of what the file says; NULL: nothing is said. BAD_INPUT where
 * it is no number of threads. */
void command_threads(struct scope *x, const char *text, struct config *c);

/* plan_new with what the results file knows: under which spelling it has points of the plan. One
 * that is not there or cannot be read knows nothing; what is wrong with it is said by whoever needs
 * it. Says on stderr, as the command of that name (NULL: it does not), which large files it reads.
 */
struct plan *command_plan_new(struct scope *x, const char *name, const struct config *c,
                              const char *db);

/* What the plan would do with the results file, which may not be there yet. */
struct forecast *command_forecast(struct scope *x, const struct plan *p, const char *db,
                                  bool retry_failed);

/* Prints to stderr what is odd about a plan without being wrong: items of exclude that fit
 * nothing. */
void command_plan_notes(const char *name, const struct plan *p);

/* ---- where a command may write ---- */

/* A file is made beside its name and renamed, which would put it in the place of anything:
 * BAD_INPUT where that is the results file, one of its folder, or no regular file. Returns where to
 * write, so that a symbolic link stays and its file is replaced; what writers of it left who were
 * killed is removed. */
char *command_find_target(struct scope *x, const char *db, const char *path);

/* ---- heads that are removed (prune, export) ---- */

struct prune_options;

/* The options as they stand on the command line; NULL and 0 where they are not given. */
struct prune_words {
    const char *by, *keep, *lr;
    long finetune;
};
#define COMMAND_PRUNE_OPTIONS(type, member)                                                        \
    {"by",                                                                                         \
     0,                                                                                            \
     COMMAND_TEXT,                                                                                 \
     offsetof(type, member.by),                                                                    \
     "METHOD",                                                                                     \
     "importance (the default): the head with the smallest gradient of the loss with respect to "  \
     "its gate goes first; ablation: the one without which the loss is lowest; random: by the "    \
     "trial's seed"},                                                                              \
        {"finetune",   0,                                                                          \
         COMMAND_LONG, offsetof(type, member.finetune),                                            \
         "STEPS",      "train the smaller model on for so many steps"},                            \
    {                                                                                              \
        "lr", 0, COMMAND_TEXT, offsetof(type, member.lr), "LR",                                    \
            "learning rate of --finetune (a tenth of the trial's)"                                 \
    }

/* Reads them. False: what is wrong was printed as the command of that name; return *exit_status. */
bool command_prune_read(const char *name, const struct prune_words *w, struct prune_options *o,
                        int *exit_status);

/* ---- what one command does for another ---- */

struct run_options {
    const char *name;                    /* of the command, as its messages begin */
    const char *db, *as, *shard, *serve; /* serve: its port; "": none was given */
    const char *from_shards;
    struct command_texts set, from;
    const char *threads;
    struct command_machines machines;
    long workers;
    bool retry_failed, replace, no_copy, quiet;
    bool no_report;    /* who runs it has something else to say at its end */
    struct plan *plan; /* of the sweep file, which is then not read again; NULL: it is read */
};

/* From a sweep file to its report. Prints what there is to say; returns the exit status. */
int command_run_sweep(const char *path, const struct run_options *o);

/* As the command of that name, writes the page of a sweep to a file (report --html). Prints what
 * failed; returns the exit status. */
int command_report_page(const char *name, const char *db, char *sweep, const char *file);

/* Port and next_port of o from what the user gave; NULL, nothing: SERVE_PORT or one of the next.
 * False where it is no number from 0 to COMMAND_PORT_MAX. */
enum { COMMAND_PORT_MAX = 65535 };
bool command_serve_port(const char *text, struct serve_options *o);

/* serve_start, behind all that trains (what a run beside it loses is what it takes), and with as
 * many open files as the process may have. It stays so. */
enum status command_serve_start(const struct serve_options *o, struct server **s,
                                struct message *m);

/* The process of `run --serve`, headcount run-server FILE PORT; returns its exit status. */
#define COMMAND_RUN_SERVER "run-server"
int command_run_server(int argc, char **argv);

/* `headcount complete`, which the completion of the shell asks. */
int command_complete(int argc, char **argv);

#endif
