/* headcount submit: a sweep as a job of Slurm. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/cli/batch.h"
#include "sweep/cli/command_plan.h"
#include "sweep/hosts/slurm.h"
#include "sweep/store/shard_files.h"
#include "sweep/store/store.h"

struct submit_options {
    const char *db;
    struct command_texts set;
    long nodes, array, cpus;
    bool same_kernels, retry_failed, replace, dry_run;
};

static const struct command_option options[] = {
    {"nodes", 'N', COMMAND_LONG, offsetof(struct submit_options, nodes), "N",
     "one job on so many machines (1)"},
    {"array", 'a', COMMAND_LONG, offsetof(struct submit_options, array), "N",
     "an array of so many jobs, each with a share of the trials, and one that merges them"},
    {"cpus", 'c', COMMAND_LONG, offsetof(struct submit_options, cpus), "N",
     "cores of each machine (whole machines)"},
    COMMAND_DB_OPTION(struct submit_options),
    {"set", 0, COMMAND_TEXTS, offsetof(struct submit_options, set), "KEY=VALUE",
     "replace what the file says, as in train.steps=100; null takes it away"},
    {"same-kernels", 0, COMMAND_FLAG, offsetof(struct submit_options, same_kernels), NULL,
     "with --nodes: all machines compute with what the least of them can"},
    {"retry-failed", 0, COMMAND_FLAG, offsetof(struct submit_options, retry_failed), NULL,
     "try failed trials again, when the job first starts"},
    {"replace", 0, COMMAND_FLAG, offsetof(struct submit_options, replace), NULL,
     "take the place of a sweep of this name, as `run --replace` does, when the job first starts"},
    {"dry-run", 'n', COMMAND_FLAG, offsetof(struct submit_options, dry_run), NULL,
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
        "since then is kept.\n",
    .options = options,
    .others = "options of sbatch stand behind --, as in `-- --time=4:00:00`",
    .examples = "  headcount submit configs/quick.yaml -n --nodes 4 -- --time=4:00:00\n",
    .least = 1,
    .most = 1,
};

static enum status submit(const struct batch *b, char id[SLURM_ID], struct message *m)
{
    return slurm_submit(b->option, b->options, b->script.text, b->script.used, NULL, id, m);
}

/* On a terminal plain, elsewhere to the byte. */
static enum status print_text(struct text_buffer *b, struct message *m)
{
    enum status s = STATUS_OK;
    if (b->out_of_memory)
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for the jobs");
    else if (isatty(STDOUT_FILENO))
        text_lines(stdout, b->text);
    else
        fwrite(b->text, 1, b->used, stdout);
    free(b->text);
    return s;
}

static enum status submit_run(const struct batch_request *r, long trials, bool dry_run,
                              struct message *m)
{
    struct batch b = {0};
    struct text_buffer text = {0};
    char id[SLURM_ID];
    enum status s = batch_run(r, &b, m);
    if (s == STATUS_OK && dry_run) {
        batch_show(&b, "", &text);
        s = print_text(&text, m);
    } else if (s == STATUS_OK) {
        s = submit(&b, id, m);
        if (s == STATUS_OK)
            printf("Submitted job %s: %ld trial%s on %ld node%s\n", id, trials,
                   trials == 1 ? "" : "s", r->nodes, r->nodes == 1 ? "" : "s");
    }
    batch_free(&b);
    return s;
}

static enum status show_array(const struct batch *shards, const struct batch_request *r,
                              struct message *m)
{
    struct batch merge = {0};
    struct text_buffer text = {0};
    enum status s = batch_merge(r, &merge, m);
    if (s != STATUS_OK)
        return s;
    text_add(&text, "shards=$(");
    batch_show(shards, " --parsable", &text);
    text_add(&text, ")\n");
    batch_show(&merge, " --dependency=\"afterany:${shards%%;*}\"", &text);
    batch_free(&merge);
    return print_text(&text, m);
}

static enum status submit_merge(const struct batch_request *r, const char *shards,
                                char id[SLURM_ID], struct message *m)
{
    struct batch merge = {0};
    enum status s = batch_merge(r, &merge, m);
    batch_option(&merge, "--dependency=afterany:%s", shards);
    if (s == STATUS_OK && merge.out_of_memory)
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for a job");
    if (s == STATUS_OK)
        s = submit(&merge, id, m);
    batch_free(&merge);
    return s;
}

static enum status submit_array(const struct batch_request *r, long trials, bool dry_run,
                                struct message *m)
{
    struct batch shards = {0};
    char id[SLURM_ID];
    char merge_id[SLURM_ID];
    enum status s = batch_shards(r, &shards, m);
    if (s == STATUS_OK && dry_run) {
        s = show_array(&shards, r, m);
    } else if (s == STATUS_OK) {
        s = submit(&shards, id, m);
        if (s == STATUS_OK)
            printf("Submitted job %s: %ld trial%s in %ld shard%s\n", id, trials,
                   trials == 1 ? "" : "s", r->array, r->array == 1 ? "" : "s");
        if (s == STATUS_OK)
            s = submit_merge(r, id, merge_id, m);
        if (s == STATUS_OK) {
            printf("Submitted job %s: merges them into ", merge_id);
            text_plain(stdout, r->db);
            printf(" when they have ended\n");
        }
    }
    batch_free(&shards);
    return s;
}

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
    enum status closed = store_close(s, status == STATUS_OK ? m : NULL);
    return status == STATUS_OK ? closed : status;
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
        status = status_fail(m, STATUS_BAD_INPUT,
                             "%s already holds a sweep \"%s\", and none of its points is in this "
                             "file, so that shards could not be merged into it; use another "
                             "`name` or another --db",
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
        s = db ? check_results(plan, db, o->replace, m)
               : status_fail(m, STATUS_NO_MEMORY, "no memory for the name of a file");
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
        status = status_fail(m, STATUS_BAD_INPUT,
                             "%s: the best steps of sweep \"%s\" were chosen by another metric "
                             "there than %s; put it back, give the sweep another `name`, or move "
                             "that file away",
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

/* *trials: of its plan. */
static enum status check_sweep(const struct config *config, const struct submit_options *o,
                               long *trials, struct message *m)
{
    struct plan *plan = NULL;
    if (config->looks && o->array)
        return status_fail(m, STATUS_BAD_INPUT,
                           "looks decide on more seeds by all results, and shards do not see each "
                           "other's; use --nodes");
    enum status s = command_plan_new("submit", config, o->db, &plan, m);
    if (s != STATUS_OK)
        return s;
    command_plan_notes("submit", plan);
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
    p->program = realpath("/proc/self/exe", NULL);
    if (!p->program)
        return status_fail(m, STATUS_IO,
                           "this program has been moved or replaced since it started: %s",
                           strerror(errno));
    p->folder = getcwd(NULL, 0);
    if (!p->folder)
        return status_fail(m, STATUS_IO, "the working directory has no name: %s", strerror(errno));
    return survey_path(p->folder, file, sizeof p->file - 1, p->file, m);
}

static enum status submit_sweep(const char *file, struct batch_request *r,
                                const struct submit_options *o, struct message *m)
{
    struct config *config = NULL;
    struct places places = {.program = NULL};
    long trials = 0;
    enum status s = command_read_sweep(file, NULL, &o->set, &config, m);
    if (s == STATUS_OK)
        s = check_sweep(config, o, &trials, m);
    if (s == STATUS_OK)
        s = find_places(file, &places, m);
    if (s == STATUS_OK) {
        r->program = places.program;
        r->folder = places.folder;
        r->name = config->name;
        r->sweep = config->text;
        r->as = strcmp(file, "-") == 0 ? NULL : places.file;
        s = r->array ? submit_array(r, trials, o->dry_run, m)
                     : submit_run(r, trials, o->dry_run, m);
    }
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

int command_submit(int argc, char **argv)
{
    struct submit_options o = {.db = COMMAND_DB};
    struct message m = {{0}};
    int arguments;
    int exit_status;
    int own = own_words(argc, argv);
    if (!command_parse(&syntax, own, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (o.nodes && o.array)
        return command_usage("submit", "--nodes and --array exclude each other: one job on several "
                                       "machines, or several jobs on one each");
    if (o.same_kernels && o.array)
        return command_usage("submit", "--same-kernels is for the machines of one job (--nodes)");
    struct batch_request r = {.db = o.db,
                              .set = o.set,
                              .nodes = o.nodes || o.array ? o.nodes : 1,
                              .array = o.array,
                              .cpus = o.cpus,
                              .same_kernels = o.same_kernels,
                              .retry_failed = o.retry_failed,
                              .replace = o.replace,
                              .option = own < argc ? (const char *const *)argv + own + 1 : NULL,
                              .options = own < argc ? argc - own - 1 : 0};
    enum status s = submit_sweep(argv[optind], &r, &o, &m);
    return s == STATUS_OK ? EXIT_DONE : command_fail("submit", s, &m);
}
