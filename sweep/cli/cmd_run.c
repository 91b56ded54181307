/* headcount run: from a sweep file to its report. */
#include "sweep/cli/command_run.h"

#include "engine/base/text.h"
#include "sweep/cli/command_plan.h"
#include "sweep/cli/command_serve.h"
#include "sweep/cli/run_server.h"
#include "sweep/db/shard_files.h"
#include "sweep/hosts/slurm.h"
#include "sweep/report/report.h"
#include "sweep/run/runner.h"
#include "sweep/study/evaluation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command_option options[] = {
    {"workers", 'j', COMMAND_LONG, offsetof(struct run_options, workers), "N",
     "trials at once (the sweep file's `workers`, else usable cores)"},
    {"threads", 't', COMMAND_TEXT, offsetof(struct run_options, threads), "N",
     "cores for each trial; auto: one, and idle ones (the sweep file's `threads`, else auto)"},
    {"hosts", 0, COMMAND_TEXT, offsetof(struct run_options, hosts), "NAME,NAME:N",
     "machines to work on instead of this one, N trials at once on those with a number"},
    {"launch", 0, COMMAND_TEXT, offsetof(struct run_options, launch), "COMMAND",
     "starts a program on {host} and joins its stdin and stdout: 'ssh {host}'; slurm: on the nodes "
     "of the allocation"},
    {"agent", 0, COMMAND_TEXT, offsetof(struct run_options, agent), "WORDS",
     "how `headcount agent` is called there (this program's own path)"},
    COMMAND_DB_OPTION(struct run_options),
    {"as", 0, COMMAND_TEXT, offsetof(struct run_options, as), "FILE",
     "with -: what the sweep file is called, in whose folder its paths start"},
    {"serve", 0, COMMAND_MAYBE_TEXT, offsetof(struct run_options, serve), "[=PORT]",
     "show the sweep as a live page while it runs, as headcount serve does; prints its address"},
    {"set", 0, COMMAND_TEXTS, offsetof(struct run_options, set), "KEY=VALUE",
     "replace what the file says, as in train.steps=100; null removes it"},
    {"shard", 0, COMMAND_TEXT, offsetof(struct run_options, shard), "K/N",
     "only the K-th of N parts of the trials; `headcount merge` puts the files together"},
    {"from", 0, COMMAND_TEXTS, offsetof(struct run_options, from), "FILE",
     "take over what that results file has of this run's trials, before any is trained"},
    {"from-shards", 0, COMMAND_TEXT, offsetof(struct run_options, from_shards), "FILE",
     "the same of FILE and of the shards beside it, FILE-K-of-N.db, as far as they are there"},
    {"retry-failed", 0, COMMAND_FLAG, offsetof(struct run_options, retry_failed), NULL,
     "try failed trials again"},
    {"replace", 0, COMMAND_FLAG, offsetof(struct run_options, replace), NULL,
     "take the place of a sweep of this name that shares no point, or whose file has changed"},
    {"quiet", 'q', COMMAND_FLAG, offsetof(struct run_options, quiet), NULL, "no progress"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "run",
    .details =
        "Trials that have ended are not run again; interrupted ones resume from their last\n"
        "checkpoint. Those that have completed are then tested on the shifted sets of `eval`. The\n"
        "first Ctrl-C lets running trials save a checkpoint and exits with 75; the same command\n"
        "resumes the sweep. The second Ctrl-C ends it at once. - as SWEEP.yaml: standard input.\n",
    .options = options,
    .examples = "  headcount run configs/gather.yaml --set train.steps=100 --set seeds=2\n",
    .least = 1,
    .most = 1,
};

static enum status print_report(const char *db, int64_t sweep_id, struct message *m)
{
    struct store *s;
    enum status status = store_open(db, STORE_READ, &s, m);
    if (status != STATUS_OK)
        return status;
    status = report_write(s, sweep_id, REPORT_TEXT, false, text_page(stdout), stdout, m);
    return store_close_after(s, status, m);
}

/* What an exit status of 1 is about. */
static void print_bad(const struct runner_result *r, const struct run_options *o)
{
    if (r->failed > 0)
        fprintf(stderr,
                "headcount %s: %ld trial%s failed; `headcount show TRIAL` says why, "
                "--retry-failed tries them again\n",
                o->name, r->failed, text_plural(r->failed));
    if (r->diverged > 0)
        fprintf(stderr,
                "headcount %s: %ld trial%s diverged; `headcount show TRIAL` says at which step\n",
                o->name, r->diverged, text_plural(r->diverged));
}

static void print_stopped(const struct runner_result *r, const struct run_options *o)
{
    fprintf(stderr, "headcount %s: stopped", o->name);
    if (r->trials > 0)
        fprintf(stderr, " at %ld of %ld trial%s", r->ended, r->trials, text_plural(r->trials));
    if (r->half_done > 0)
        fprintf(stderr, " (%ld half done, saved)", r->half_done);
    if (r->looks[0])
        fprintf(stderr, "; %s", r->looks);
    fprintf(stderr, "; the same command resumes the sweep\n");
}

/* The machines that are to do the work, and how agents are started there. *hosts is malloced. */
static enum status find_hosts(const struct run_options *o, struct runner_options *runner,
                              struct host_spec **hosts, struct message *m)
{
    bool by_slurm = o->launch && strcmp(o->launch, "slurm") == 0;
    enum status s = STATUS_OK;
    runner->slurm = by_slurm || (o->launch && !o->hosts);
    runner->launch = by_slurm ? SLURM_LAUNCH : o->launch;
    if (o->hosts)
        s = host_specs_parse(o->hosts, hosts, &runner->host_count, m);
    else if (runner->slurm)
        s = slurm_hosts(hosts, &runner->host_count, m);
    runner->hosts = *hosts;
    return s;
}

struct page {
    const struct run_options *options;
    struct run_server server;
};

/* A run without its page is still a run. */
static void show_page(void *context, int64_t sweep_id)
{
    struct page *page = context;
    struct message m;
    if (run_server_start(&page->server, page->options->db, page->options->serve, &m) == STATUS_OK)
        fprintf(stderr, "headcount %s: live page at %s0/%" PRId64 "/\n", page->options->name,
                page->server.address, sweep_id);
    else
        text_print(stderr, "headcount %s: no live page: %s\n", page->options->name, m.text);
}

/* The files whose trials are taken over: those that were named, and (from_shards) those that are
 * there. */
struct sources {
    struct shard_files shards;
    const char **item; /* (count) */
    int count;
};

static enum status find_sources(const struct run_options *o, struct sources *found,
                                struct message *m)
{
    enum status s =
        o->from_shards ? shard_files_find(o->from_shards, &found->shards, m) : STATUS_OK;
    for (int i = 0; s == STATUS_OK && i < o->from.count; i++)
        if (access(o->from.item[i], F_OK) != 0)
            s = status_fail(m, STATUS_BAD_INPUT, "--from: there is no results file %s: %s",
                            o->from.item[i], strerror(errno));
    if (s != STATUS_OK)
        return s;
    found->item = calloc((size_t)(o->from.count + found->shards.count) + 1, sizeof *found->item);
    if (!found->item)
        return status_no_memory(m, "the names of results files");
    for (int i = 0; i < o->from.count; i++)
        found->item[found->count++] = o->from.item[i];
    if (o->from_shards && access(o->from_shards, F_OK) == 0)
        found->item[found->count++] = o->from_shards;
    for (int i = 0; i < found->shards.count; i++)
        found->item[found->count++] = found->shards.item[i].path;
    return STATUS_OK;
}

static void free_sources(struct sources *found)
{
    shard_files_free(&found->shards);
    free(found->item);
}

/* From the file to where no trial is left to run, or to a stop. */
static enum status run_trials(const struct config *config, const struct run_options *o,
                              struct page *page, struct runner_result *result, struct message *m)
{
    struct plan *plan = o->plan;
    struct plan_shard shard = {0};
    struct host_spec *hosts = NULL;
    struct sources from = {.count = 0};
    struct runner_options runner = {.db = o->db,
                                    .workers = (int)o->workers,
                                    .quiet = o->quiet,
                                    .retry_failed = o->retry_failed,
                                    .replace = o->replace,
                                    .agent = o->agent,
                                    .begun = o->serve ? show_page : NULL,
                                    .context = page};
    enum status status = find_hosts(o, &runner, &hosts, m);
    if (status == STATUS_OK && o->shard)
        status = plan_shard_read(o->shard, &shard, m);
    if (status == STATUS_OK)
        status = find_sources(o, &from, m);
    runner.from = from.item;
    runner.froms = from.count;
    runner.froms_named = o->from.count;
    if (status == STATUS_OK && !plan)
        status = command_plan_new(o->quiet ? NULL : o->name, config, o->db, &plan, m);
    if (status == STATUS_OK)
        status = plan_set_shard(plan, shard, m);
    if (status == STATUS_OK && !o->quiet)
        command_plan_notes(o->name, plan);
    if (status == STATUS_OK)
        status = runner_run(plan, &runner, result, m);
    if (plan != o->plan)
        plan_free(plan);
    free_sources(&from);
    free(hosts);
    return status;
}

/* Tests what has not been tested on the shifted sets; *exit_status stays where all went well. */
static enum status run_tests(const struct config *config, const struct run_options *o,
                             struct study_result *tests, int *exit_status, struct message *m)
{
    const struct study_run_options run = {
        .workers = (int)(o->workers ? o->workers : config->workers), .quiet = o->quiet};
    enum status status = evaluation_ask(config, o->db, &run, tests, m);
    if (tests->failed > 0) {
        fprintf(stderr,
                "headcount %s: %d test%s on shifted sets failed; the same command tries %s again\n",
                o->name, tests->failed, text_plural(tests->failed),
                tests->failed == 1 ? "it" : "them");
        *exit_status = EXIT_SOME_FAILED;
    }
    return status;
}

/* What a run that was stopped or ended says, and whether its report follows. */
static bool ended(const struct runner_result *r, const struct run_options *o, int *exit_status)
{
    switch (r->outcome) {
    case RUNNER_KILLED:
        *exit_status = 128 + r->signal;
        if (!o->quiet)
            fprintf(stderr, "headcount %s: ended at once; the same command resumes the sweep\n",
                    o->name);
        return false;
    case RUNNER_STOPPED:
        *exit_status = EXIT_RESUMABLE;
        if (!o->quiet)
            print_stopped(r, o);
        return false;
    case RUNNER_DONE:
    case RUNNER_SOME_FAILED:
        break;
    }
    *exit_status = r->outcome == RUNNER_DONE ? EXIT_DONE : EXIT_SOME_FAILED;
    return true;
}

static enum status run(const char *path, const struct run_options *o, struct page *page,
                       int *exit_status, struct message *m)
{
    struct config *read = NULL;
    struct runner_result result = {0};
    struct study_result tests = {0};
    enum status status = STATUS_OK;
    if (!o->plan)
        status = command_read_sweep(path, o->as, &o->set, &read, m);
    if (status == STATUS_OK && read)
        status = command_threads(o->threads, read, m);
    const struct config *config = o->plan ? plan_config(o->plan) : read;
    if (status == STATUS_OK)
        status = run_trials(config, o, page, &result, m);
    bool reports = status == STATUS_OK && ended(&result, o, exit_status);
    if (reports)
        status = run_tests(config, o, &tests, exit_status, m);
    config_free(read);
    if (status != STATUS_OK || !reports)
        return status;
    if (result.trials == 0 && !o->quiet)
        fprintf(stderr,
                "headcount %s: nothing to run: shard %s has no trials, because the sweep has "
                "fewer parts\n",
                o->name, o->shard);
    else if (!result.ran && tests.answered + tests.failed == 0 && !o->quiet)
        fprintf(stderr, "headcount %s: nothing to run: %s%ld trial%s ended\n", o->name,
                result.trials == 1 ? "the " : "all ", result.trials,
                result.trials == 1 ? " has" : "s have");
    if (!o->no_report)
        status = print_report(o->db, result.sweep_id, m);
    if (status == STATUS_OK)
        print_bad(&result, o);
    return status;
}

static bool port_is_good(const char *serve)
{
    struct serve_options o;
    return !serve || !*serve || command_serve_port(serve, &o);
}

int command_run_sweep(const char *path, const struct run_options *o)
{
    struct message m = {{0}};
    struct page page = {.options = o};
    int exit_status;
    enum status s = run(path, o, &page, &exit_status, &m);
    bool reported = s == STATUS_OK && (exit_status == EXIT_DONE || exit_status == EXIT_SOME_FAILED);
    fflush(stdout);
    run_server_stop(&page.server, reported);
    if (s == STATUS_OK)
        return exit_status;
    if (s == STATUS_INTERRUPTED && o->quiet)
        return EXIT_RESUMABLE;
    exit_status = command_fail(o->name, s, &m);
    if (s != STATUS_DISK_FULL)
        return exit_status;
    /* What was acknowledged is in the file. */
    fprintf(stderr, "headcount %s: once there is room, the same command resumes the sweep\n",
            o->name);
    return EXIT_RESUMABLE;
}

int command_run(int argc, char **argv)
{
    struct run_options o = {.name = "run", .db = COMMAND_DB};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (!o.launch && (o.hosts || o.agent))
        return command_usage("run", "--hosts and --agent need --launch COMMAND; give it too");
    if (o.launch && !o.hosts && strcmp(o.launch, "slurm") != 0 && !getenv("SLURM_JOB_NODELIST"))
        return command_usage("run", "outside a Slurm allocation --launch COMMAND needs --hosts, as "
                                    "in --launch 'ssh {host}' --hosts node1,node2:8");
    if (!port_is_good(o.serve))
        return command_usage("run", "--serve is '%s'; allowed: a whole number from 0 to %d",
                             o.serve, COMMAND_PORT_MAX);
    return command_run_sweep(argv[optind], &o);
}
