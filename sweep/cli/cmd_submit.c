/* headcount submit: a sweep as a job of Slurm. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/cli/batch.h"
#include "sweep/cli/command.h"
#include "sweep/db/lock.h"
#include "sweep/db/shard_files.h"
#include "sweep/hosts/host.h"
#include "sweep/hosts/slurm.h"
#include "sweep/trials/trials.h"
#include "sweep/worker/process.h"

/* ---- what Slurm is handed ---- */

struct submit_manner {
    bool dry_run;  /* a script for the shell on stdout, and nothing is submitted */
    bool parsable; /* on stdout only the number of the last job */
    bool wait;     /* until the last job has ended */
};

struct submission {
    struct scope *scope;
    struct batch_request *r;
    long trials;
    const struct submit_manner *how;
    FILE *out;     /* for people */
    bool complete; /* the last job is in the queue */
    int exit_status;
};

/* On a terminal plain, elsewhere to the byte. */
static void print_text(const struct text_buffer *b)
{
    if (isatty(STDOUT_FILENO))
        text_lines(stdout, b->text);
    else
        fwrite(b->text, 1, b->used, stdout);
}

/* ---- what is waited for ---- */

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a;
    long y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The numbers of all that work on the results file, each once. */
static enum status find_jobs(const struct submission *u, long holder, long **jobs, int *count)
{
    struct slurm_job *list = NULL;
    int listed = 0, kept = 0;
    enum status s = slurm_jobs(u->r->db, &list, &listed, u->scope->message);
    if (s != STATUS_OK)
        return s;
    arena_on_free(&u->scope->arena, free, list);
    long *all = arena_alloc(&u->scope->arena, (size_t)listed + 1, sizeof *all);
    for (int i = 0; i < listed; i++)
        all[i] = list[i].job;
    if (holder)
        all[listed++] = holder;
    qsort(all, (size_t)listed, sizeof *all, by_number);
    for (int i = 0; i < listed; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[kept++] = all[i];
    *jobs = all;
    *count = kept;
    return s;
}

/* "Jobs 17, 18 and 21 work on results/x.db: this one begins when they have ended." */
static void say_jobs(const struct submission *u, const long *jobs, int count)
{
    enum { NAMED_MAX = 8 };
    int named = count <= NAMED_MAX ? count : NAMED_MAX;
    fprintf(u->out, "Job%s ", text_plural(count));
    for (int i = 0; i < named; i++)
        fprintf(u->out, "%s%ld", i == 0 ? "" : i + 1 == count ? " and " : ", ", jobs[i]);
    if (named < count)
        fprintf(u->out, " and %d more", count - named);
    fprintf(u->out, " work%s on ", count == 1 ? "s" : "");
    text_plain(u->out, u->r->db);
    fprintf(u->out, ": this one begins when %s ended.\n", count == 1 ? "it has" : "they have");
}

static void say_process(const struct submission *u, const struct lock_holder *h)
{
    text_plain(u->out, u->r->db);
    fprintf(u->out,
            " is in use by %s: a job that finds it so goes back into the queue for five "
            "minutes.\n",
            h->words);
}

/* Which jobs the first of ours is to wait for, as an option of sbatch has them; NULL: none.
 * Alternatives ("?") cannot be added to; then the job itself finds out when it begins. */
static const char *find_after(const struct submission *u)
{
    struct text_buffer after = scope_text(u->scope);
    struct lock_holder h = {.job = 0};
    const char *own = u->r->words->dependency;
    long *jobs = NULL;
    int count = 0;
    if (own && strchr(own, '?'))
        return own;
    bool held = lock_holder(u->r->db, &h);
    enum status s = find_jobs(u, h.job, &jobs, &count);
    if (s == STATUS_IO) /* of Slurm, which may still take a job */
        text_print(stderr,
                   "headcount submit: %s; a job that finds the results file in use goes back "
                   "into the queue\n",
                   u->scope->message->text);
    else
        scope_check(u->scope, s);
    if (own)
        text_add(&after, "%s%s", own, count ? "," : "");
    for (int i = 0; i < count; i++)
        text_add(&after, "%s:%ld", i == 0 ? "afterany" : "", jobs[i]);
    if (count)
        say_jobs(u, jobs, count);
    else if (held)
        say_process(u, &h);
    return after.used ? after.text : NULL;
}

/* ---- submitting ---- */

static enum status submit(const struct batch *b, struct slurm_wait *wait, char id[SLURM_ID])
{
    return slurm_submit(b->option, b->options, b->script.text, b->script.used, wait, id,
                        b->scope->message);
}

static void say_run(const char *id, void *context)
{
    struct submission *u = context;
    u->complete = true;
    fprintf(u->out, "Submitted job %s: %ld trial%s on %ld node%s\n", id, u->trials,
            text_plural(u->trials), u->r->nodes, text_plural(u->r->nodes));
    if (u->how->parsable)
        printf("%s\n", id);
    fflush(stdout);
}

static void say_merge(const char *id, void *context)
{
    struct submission *u = context;
    u->complete = true;
    fprintf(u->out, "Submitted job %s: merges them into ", id);
    text_plain(u->out, u->r->db);
    fprintf(u->out, " when they have ended\n");
    if (u->how->parsable)
        printf("%s\n", id);
    fflush(stdout);
}

/* Submits the last job, and waits for it where that is asked for. */
static enum status submit_last(struct submission *u, const struct batch *b,
                               void (*say)(const char *id, void *context))
{
    char id[SLURM_ID];
    struct slurm_wait wait = {.submitted = say, .context = u};
    enum status s = submit(b, u->how->wait ? &wait : NULL, id);
    if (s == STATUS_OK && !u->how->wait)
        say(id, u);
    u->exit_status = wait.exit_status;
    return s;
}

static const char *last_words(const struct submission *u)
{
    return u->how->parsable ? u->how->wait ? " --parsable --wait" : " --parsable"
           : u->how->wait   ? " --wait"
                            : "";
}

static void submit_run(struct submission *u)
{
    struct batch *b = batch_run(u->scope, u->r);
    struct text_buffer text = scope_text(u->scope);
    if (!u->how->dry_run) {
        scope_check(u->scope, submit_last(u, b, say_run));
        return;
    }
    batch_show(b, last_words(u), &text);
    print_text(&text);
}

/* ---- an array ---- */

static void show_array(const struct submission *u, const struct batch *shards)
{
    const struct batch *merge = batch_merge(u->scope, u->r);
    struct text_buffer text = scope_text(u->scope), more = scope_text(u->scope);
    text_add(&text, "shards=$(");
    batch_show(shards, " --parsable", &text);
    text_add(&text, ") || exit\n");
    text_add(&more, " --dependency=\"afterany:${shards%%%%;*}\"");
    if (batch_merge_dependency(u->r)) {
        text_add(&more, ",");
        text_add_shell(&more, batch_merge_dependency(u->r));
    }
    text_add(&more, "%s", last_words(u));
    batch_show(merge, more.text, &text);
    print_text(&text);
}

static enum status submit_merge(struct submission *u, const char *shards)
{
    const char *more = batch_merge_dependency(u->r);
    struct batch *merge = batch_merge(u->scope, u->r);
    batch_option(merge, "--dependency=afterany:%s%s%s", shards, more ? "," : "", more ? more : "");
    return submit_last(u, merge, say_merge);
}

/* The array is in the queue and works without it: no reason to submit all of it again. */
static void without_merge(struct submission *u, const char *shards)
{
    struct text_buffer b = scope_text(u->scope), name = scope_text(u->scope);
    const char *db = u->r->db;
    size_t stem = shard_file_stem(db);
    text_add(
        &b,
        "headcount submit: the job that would merge the shards could not be submitted: %s. Job "
        "%s runs without it. When that has ended, merge by hand:\n    headcount merge --into ",
        u->scope->message->text, shards);
    text_add_shell(&b, db);
    text_add(&b, " -- ");
    text_add_bytes(&name, db, stem);
    text_add_shell(&b, name.text);
    text_print(stderr, "%s-[0-9]*-of-%ld%s\n", b.text, u->r->array, db + stem);
    u->exit_status = EXIT_SOME_FAILED;
}

static void submit_array(struct submission *u)
{
    struct batch *shards = batch_shards(u->scope, u->r);
    char id[SLURM_ID];
    if (u->how->dry_run) {
        show_array(u, shards);
        return;
    }
    scope_check(u->scope, submit(shards, NULL, id));
    fprintf(u->out, "Submitted job %s: %ld trial%s in %ld shard%s", id, u->trials,
            text_plural(u->trials), u->r->array, text_plural(u->r->array));
    if (u->r->at_once)
        fprintf(u->out, ", %ld at a time", u->r->at_once);
    fprintf(u->out, "\n");
    fflush(u->out);
    enum status s = submit_merge(u, id);
    if (s == STATUS_IO && !u->complete)
        without_merge(u, id);
    else
        scope_check(u->scope, s);
}

/* Submits the jobs of a sweep with so many trials, the last of which leaves its results file whole
 * where it succeeds. What works on that file already is waited for. Returns the last job's own exit
 * status where it is waited for, EXIT_SOME_FAILED where the job that merges was refused; else
 * EXIT_DONE. */
static int submit_jobs(struct scope *x, struct batch_request *r, long trials,
                       const struct submit_manner *how)
{
    struct submission u = {.scope = x,
                           .r = r,
                           .trials = trials,
                           .how = how,
                           .out = how->parsable || how->dry_run ? stderr : stdout,
                           .exit_status = EXIT_DONE};
    r->after = find_after(&u);
    if (r->array)
        submit_array(&u);
    else
        submit_run(&u);
    return u.exit_status;
}

/* ---- the command ---- */

struct submit_options {
    const char *db;
    struct command_texts set, merge_options, setup_lines;
    const char *array_text, *launch, *agent, *setup;
    long nodes, cpus;
    long array, at_once; /* of array_text */
    bool retry_failed, replace;
    const char *file;
    char **words; /* behind `--`; ends with NULL */
    struct submit_manner how;
    int exit_status;
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
    COMMAND_SET_OPTION(struct submit_options),
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
static void check_results(struct scope *x, const struct plan *plan, const char *db, bool replace)
{
    struct store *s = command_open_existing(x, db);
    if (!s)
        return;
    scope_check(x, store_check_folder(s, x->message));
    scope_check(x, store_refuse_plan(s, plan, replace, x->message));
}

/* The one that shards are to be merged into, which replaces nothing. */
static void check_merged(struct scope *x, const struct plan *plan, const char *db)
{
    struct store *s = command_open_existing(x, db);
    bool stranger = false;
    if (!s)
        return;
    scope_check(x, store_stranger(s, plan, &stranger, x->message));
    if (stranger)
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s already holds a different sweep \"%s\" (no points in common), so shards "
                   "could not be merged into it; use another `name` or another --db",
                   db, plan_config(plan)->name);
    check_results(x, plan, db, true);
}

/* A sweep that is to be run, and the file that is looked at. */
struct checking {
    const struct submit_options *o;
    const struct config *config;
    const struct plan *plan;
    const char *db;
    long trials; /* of the plan */
};

static void check_shard(struct scope *x, void *context)
{
    const struct checking *c = context;
    check_results(x, c->plan, c->db, c->o->replace);
}

/* One that its trials are taken over from. */
static void check_source(struct scope *x, void *context)
{
    const struct checking *k = context;
    const struct config *c = plan_config(k->plan);
    struct store *s = command_open_existing(x, k->db);
    int64_t begun = 0;
    if (s)
        scope_check(x, store_other_metric(s, c->name, c->metric, &begun, x->message));
    if (begun > 0)
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: its sweep \"%s\" chose its best steps by a metric other than %s; put the "
                   "old metric back, give the sweep another `name`, or move that file away",
                   k->db, c->name, metric_name(c->metric));
}

static void check_shards(struct scope *x, struct checking *c)
{
    check_merged(x, c->plan, c->o->db);
    for (long k = 1; k <= c->o->array; k++) {
        c->db = shard_file_name(&x->arena, c->o->db, k, c->o->array);
        command_act_within(x, check_shard, c);
    }
}

static void check_sources(struct scope *x, struct checking *c)
{
    struct shard_files files = {0};
    scope_check(x, shard_files_find(&x->arena, c->o->db, &files, x->message));
    for (int i = 0; i < files.count; i++) {
        c->db = files.item[i].path;
        command_act_within(x, check_source, c);
    }
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

static void check_sweep(struct scope *x, void *context)
{
    struct checking *c = context;
    const struct submit_options *o = c->o;
    if ((c->config->looks || c->config->confirm) && o->array)
        scope_fail(x, STATUS_BAD_INPUT,
                   "--array cannot be used with %s the results of all shards; use --nodes",
                   c->config->looks ? "looks, which need" : "confirm, which needs");
    c->plan = command_plan_new(x, "submit", c->config, o->db);
    c->trials = plan_trials(c->plan);
    command_plan_notes("submit", c->plan);
    if (o->array) {
        note_empty_shards(c->plan, o->array);
        check_shards(x, c);
    } else {
        check_results(x, c->plan, o->db, o->replace);
    }
    check_sources(x, c);
}

/* ---- what is asked for ---- */

/* Absolute paths: of this program, of where the user is, of the sweep file. */
static void find_places(struct scope *x, const char *file, struct batch_request *r)
{
    char *program, *folder, *as;
    scope_check(x, process_own_path(&program, x->message));
    arena_on_free(&x->arena, free, program);
    folder = getcwd(NULL, 0);
    if (!folder)
        scope_fail(x, STATUS_IO, "the working directory has no path (%s); change to another one",
                   strerror(errno));
    arena_on_free(&x->arena, free, folder);
    as = arena_alloc(&x->arena, PATH_MAX, 1);
    scope_check(x, survey_path(folder, file, PATH_MAX - 1, as, x->message));
    r->program = program;
    r->folder = folder;
    r->as = strcmp(file, "-") == 0 ? NULL : as;
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
static void read_words(struct scope *x, const struct submit_options *o, struct sbatch_words *jobs,
                       struct sbatch_words *merge)
{
    for (char **word = o->words; *word; word++)
        sbatch_words_add(x, jobs, *word);
    for (int i = 0; i < o->merge_options.count; i++)
        sbatch_words_split(x, merge, o->merge_options.item[i]);
    sbatch_words_settle(x, jobs);
    sbatch_words_settle(x, merge);
}

static void submit_sweep(struct scope *x, void *context)
{
    struct submit_options *o = context;
    struct sbatch_words jobs = {0}, merge = {0};
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
    read_words(x, o, &jobs, &merge);
    o->how.wait = jobs.wait || merge.wait;
    const struct config *config = command_read_sweep(x, o->file, NULL, &o->set);
    if (o->launch && strcmp(o->launch, "slurm") != 0)
        scope_check(x, host_launch_check(&(struct host_launch){.command = o->launch}, x->message));
    r.setup = batch_read_setup(x, o->setup, &o->setup_lines);
    struct checking checked = {.o = o, .config = config};
    command_act_within(x, check_sweep, &checked);
    find_places(x, o->file, &r);
    r.name = config->name;
    r.sweep = config->text;
    o->exit_status = submit_jobs(x, &r, checked.trials, &o->how);
}

int command_submit(int argc, char **argv)
{
    struct submit_options o = {.db = COMMAND_DB};
    int arguments, exit_status, own = own_words(argc, argv);
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
    o.file = argv[optind];
    o.words = argv + own + (own < argc);
    exit_status = command_act_on("submit", COMMAND_NO_STORE, NULL, submit_sweep, &o);
    return exit_status == EXIT_DONE ? o.exit_status : exit_status;
}
