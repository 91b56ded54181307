/* headcount submit: a sweep as a job of Slurm. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/cli/command_plan.h"
#include "sweep/cli/submit_jobs.h"
#include "sweep/db/shard_files.h"
#include "sweep/hosts/host.h"
#include "sweep/trials/trials.h"
#include "sweep/worker/process.h"

struct submit_options {
    const char *db;
    struct command_texts set, merge_options, setup_lines;
    const char *array_text, *launch, *agent, *setup;
    long nodes, cpus;
    long array, at_once; /* of array_text */
    bool retry_failed, replace;
    struct submit_manner how;
};

static const struct command_option options[] = {
    {"nodes", 'N', COMMAND_LONG, offsetof(struct submit_options, nodes), "N",
     "one job on so many machines (1)"},
    {"array", 'a', COMMAND_TEXT, offsetof(struct submit_options, array_text), "N[%M]",
     "an array of so many jobs, M of them at a time, each with a share of the trials, and one that "
     "merges them"},
    {"cpus", 'c', COMMAND_LONG, offsetof(struct submit_options, cpus), "N",
     "cores of each machine (whole machines)"},
    COMMAND_DB_OPTION(struct submit_options),
    {"set", 0, COMMAND_TEXTS, offsetof(struct submit_options, set), "KEY=VALUE",
     "replace what the file says, as in train.steps=100; null removes it"},
    {"launch", 0, COMMAND_TEXT, offsetof(struct submit_options, launch), "COMMAND",
     "with --nodes: starts a program on {host}, as in `run --launch` (slurm)"},
    {"agent", 0, COMMAND_TEXT, offsetof(struct submit_options, agent), "WORDS",
     "with --nodes: how `headcount agent` is called there (this program's own path)"},
    {"setup", 0, COMMAND_TEXT, offsetof(struct submit_options, setup), "FILE",
     "lines for bash that come before the program, in the jobs and on each machine: module load"},
    {"setup-line", 0, COMMAND_TEXTS, offsetof(struct submit_options, setup_lines), "TEXT",
     "one more such line; the program goes on with one that ends in a backslash"},
    {"retry-failed", 0, COMMAND_FLAG, offsetof(struct submit_options, retry_failed), NULL,
     "try failed trials again, when the job first starts"},
    {"replace", 0, COMMAND_FLAG, offsetof(struct submit_options, replace), NULL,
     "take the place of a sweep of this name, as `run --replace` does, when the job first starts"},
    {"merge-options", 0, COMMAND_TEXTS, offsetof(struct submit_options, merge_options), "WORDS",
     "options of sbatch for the job that merges, in the place of those behind --"},
    {"parsable", 0, COMMAND_FLAG, offsetof(struct submit_options, how.parsable), NULL,
     "print only the number of the last job, after which the results file is whole"},
    {"dry-run", 'n', COMMAND_FLAG, offsetof(struct submit_options, how.dry_run), NULL,
     "print what would be submitted, as a script for the shell"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "submit",
    .details =
        "A job that is stopped before its end, by its time limit or for another job, goes back\n"
        "into the queue and later on from where it was; one whose disk is full does not. What\n"
        "stands behind -- is for sbatch. A sweep file or results file that is wrong is refused\n"
        "now, not when the job begins, and the sweep file is kept as it is now. --retry-failed "
        "and\n"
        "--replace are for the job's first start: when it comes back from the queue, what it did\n"
        "since then is kept. Jobs that work on the same results file are waited for.\n",
    .options = options,
    .others = "options of sbatch stand behind --, as in `-- --time=4:00:00`",
    .examples = "  headcount submit configs/quick.yaml -n --nodes 4 -- --time=4:00:00\n",
    .least = 1,
    .most = 1,
};

/* ---- what no job could run is refused here ---- */

/* A results file that the sweep is to be run into. */
static enum status check_results(const struct plan *plan, const char *db, bool replace,
                                 struct message *m)
{
    struct store *s;
    enum status status = command_open_existing(db, &s, m);
    if (status != STATUS_OK || !s)
        return status;
    status = store_check_folder(s, m);
    if (status == STATUS_OK)
        status = store_refuse_plan(s, plan, replace, m);
    return store_close_after(s, status, m);
}

/* The one that shards are to be merged into, which replaces nothing. */
static enum status check_merged(const struct plan *plan, const char *db, struct message *m)
{
    struct store *s;
    bool stranger = false;
    enum status status = command_open_existing(db, &s, m);
    if (status != STATUS_OK || !s)
        return status;
    status = store_stranger(s, plan, &stranger, m);
    if (status == STATUS_OK && stranger)
        status =
            status_fail(m, STATUS_BAD_INPUT,
                        "%s already holds a different sweep \"%s\" (no points in common), so "
                        "shards could not be merged into it; use another `name` or another --db",
                        db, plan_config(plan)->name);
    store_close(s, NULL);
    return status == STATUS_OK ? check_results(plan, db, true, m) : status;
}

static enum status check_shards(const struct plan *plan, const struct submit_options *o,
                                struct message *m)
{
    enum status s = check_merged(plan, o->db, m);
    for (long k = 1; s == STATUS_OK && k <= o->array; k++) {
        char *db = shard_file_name(o->db, k, o->array);
        s = db ? check_results(plan, db, o->replace, m) : status_no_memory(m, "the name of a file");
        free(db);
    }
    return s;
}

/* One that its trials are taken over from. */
static enum status check_source(const struct plan *plan, const char *db, struct message *m)
{
    const struct config *c = plan_config(plan);
    struct store *s;
    int64_t begun = 0;
    enum status status = command_open_existing(db, &s, m);
    if (status != STATUS_OK || !s)
        return status;
    status = store_other_metric(s, c->name, c->metric, &begun, m);
    if (status == STATUS_OK && begun > 0)
        status = status_fail(
            m, STATUS_BAD_INPUT,
            "%s: its sweep \"%s\" chose its best steps by a metric other than %s; put the old "
            "metric back, give the sweep another `name`, or move that file away",
            db, c->name, metric_name(c->metric));
    store_close(s, NULL);
    return status;
}

static enum status check_sources(const struct plan *plan, const char *db, struct message *m)
{
    struct shard_files files;
    enum status s = shard_files_find(db, &files, m);
    for (int i = 0; s == STATUS_OK && i < files.count; i++)
        s = check_source(plan, files.item[i].path, m);
    shard_files_free(&files);
    return s;
}

static void note_empty_shards(const struct plan *plan, long shards)
{
    char text[2][32];
    long most = plan_shards_most(plan);
    if (shards > most)
        fprintf(stderr,
                "headcount submit: note: %s of the %s shards %s nothing to run, because the sweep "
                "can be cut into %ld at most; --array %ld is enough\n",
                text_count(shards - most, text[0], sizeof text[0]),
                text_count(shards, text[1], sizeof text[1]), shards - most == 1 ? "has" : "have",
                most, most);
}

/* *trials: of its plan. */
static enum status check_sweep(const struct config *config, const struct submit_options *o,
                               long *trials, struct message *m)
{
    struct plan *plan = NULL;
    if (config->looks && o->array)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--array cannot be used with looks, which need the results of all "
                           "shards; use --nodes");
    if (config->confirm && o->array)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--array cannot be used with confirm, which needs the results of all "
                           "shards; use --nodes");
    enum status s = command_plan_new("submit", config, o->db, &plan, m);
    if (s != STATUS_OK)
        return s;
    command_plan_notes("submit", plan);
    if (o->array)
        note_empty_shards(plan, o->array);
    *trials = plan_trials(plan);
    s = o->array ? check_shards(plan, o, m) : check_results(plan, o->db, o->replace, m);
    if (s == STATUS_OK)
        s = check_sources(plan, o->db, m);
    plan_free(plan);
    return s;
}

/* ---- the jobs ---- */

/* Absolute paths: of this program, of where the user is, of the sweep file. */
struct places {
    char *program, *folder; /* malloced, whatever comes of it */
    char file[PATH_MAX];
};

static enum status find_places(const char *file, struct places *p, struct message *m)
{
    enum status s = process_own_path(&p->program, m);
    if (s != STATUS_OK)
        return s;
    p->folder = getcwd(NULL, 0);
    if (!p->folder)
        return status_fail(m, STATUS_IO,
                           "the working directory has no path (%s); change to another one",
                           strerror(errno));
    return survey_path(p->folder, file, sizeof p->file - 1, p->file, m);
}

static enum status submit_sweep(const char *file, struct batch_request *r,
                                const struct submit_options *o, int *exit_status, struct message *m)
{
    struct config *config = NULL;
    struct places places = {.program = NULL};
    char *setup = NULL;
    long trials = 0;
    enum status s = command_read_sweep(file, NULL, &o->set, &config, m);
    if (s == STATUS_OK && o->launch && strcmp(o->launch, "slurm") != 0)
        s = host_launch_check(&(struct host_launch){.command = o->launch}, m);
    if (s == STATUS_OK)
        s = batch_read_setup(o->setup, &o->setup_lines, &setup, m);
    if (s == STATUS_OK)
        s = check_sweep(config, o, &trials, m);
    if (s == STATUS_OK)
        s = find_places(file, &places, m);
    if (s == STATUS_OK) {
        r->program = places.program;
        r->folder = places.folder;
        r->setup = setup;
        r->name = config->name;
        r->sweep = config->text;
        r->as = strcmp(file, "-") == 0 ? NULL : places.file;
        s = submit_jobs(r, trials, &o->how, exit_status, m);
    }
    free(setup);
    free(places.program);
    free(places.folder);
    config_free(config);
    return s;
}

/* How many words stand before `--`, which ends those of this command. */
static int own_words(int argc, char **argv)
{
    int n = 0;
    while (n < argc && strcmp(argv[n], "--") != 0)
        n++;
    return n;
}

/* "20" or "20%4"; 0 for none. */
static bool read_array(const char *text, long *array, long *at_once)
{
    char *end;
    *array = *at_once = 0;
    if (!text)
        return true;
    *array = strtol(text, &end, 10);
    bool good = *text >= '0' && *text <= '9' && *array >= 1 && *array <= PLAN_SHARDS_MAX;
    if (*end == '%') {
        text = end + 1;
        *at_once = strtol(text, &end, 10);
        good &= *text >= '0' && *text <= '9' && *at_once >= 1 && *at_once <= PLAN_SHARDS_MAX;
    }
    return good && !*end;
}

/* What stands behind `--`, and --merge-options. */
static enum status read_words(char **words, int count, const struct submit_options *o,
                              struct sbatch_words *jobs, struct sbatch_words *merge,
                              struct message *m)
{
    enum status s = STATUS_OK;
    for (int i = 0; s == STATUS_OK && i < count; i++)
        s = sbatch_words_add(jobs, words[i], m);
    for (int i = 0; s == STATUS_OK && i < o->merge_options.count; i++)
        s = sbatch_words_split(merge, o->merge_options.item[i], m);
    if (s == STATUS_OK)
        s = sbatch_words_settle(jobs, m);
    return s == STATUS_OK ? sbatch_words_settle(merge, m) : s;
}

static int submit_with(const char *file, struct submit_options *o, char **words, int count)
{
    struct sbatch_words jobs = {0};
    struct sbatch_words merge = {0};
    struct message m = {{0}};
    int exit_status = EXIT_DONE;
    struct batch_request r = {.db = o->db,
                              .set = o->set,
                              .nodes = o->nodes || o->array ? o->nodes : 1,
                              .array = o->array,
                              .at_once = o->at_once,
                              .cpus = o->cpus,
                              .launch = o->launch,
                              .agent = o->agent,
                              .retry_failed = o->retry_failed,
                              .replace = o->replace,
                              .words = &jobs,
                              .merge_words = o->merge_options.count ? &merge : NULL};
    enum status s = read_words(words, count, o, &jobs, &merge, &m);
    o->how.wait = jobs.wait || merge.wait;
    if (s == STATUS_OK)
        s = submit_sweep(file, &r, o, &exit_status, &m);
    sbatch_words_free(&jobs);
    sbatch_words_free(&merge);
    return s == STATUS_OK ? exit_status : command_fail("submit", s, &m);
}

int command_submit(int argc, char **argv)
{
    struct submit_options o = {.db = COMMAND_DB};
    int arguments;
    int exit_status;
    int own = own_words(argc, argv);
    if (!command_parse(&syntax, own, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (!read_array(o.array_text, &o.array, &o.at_once))
        return command_usage(
            "submit",
            "--array is '%s'; allowed: a whole number from 1 to %d, and perhaps how many "
            "at a time, as in 20%%4",
            o.array_text, PLAN_SHARDS_MAX);
    if (o.nodes && o.array)
        return command_usage("submit", "give either --nodes (one job on several machines) or "
                                       "--array (several jobs on one machine each)");
    if ((o.launch || o.agent) && o.array)
        return command_usage("submit",
                             "--launch and --agent are for the machines of one job (--nodes)");
    if (o.merge_options.count && !o.array)
        return command_usage("submit", "--merge-options is for the job that merges an --array");
    return submit_with(argv[optind], &o, argv + own + 1, own < argc ? argc - own - 1 : 0);
}
