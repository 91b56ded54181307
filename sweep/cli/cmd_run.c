/* headcount run: from a sweep file to its report. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/db/shard_files.h"
#include "sweep/hosts/slurm.h"
#include "sweep/report/report.h"
#include "sweep/run/runner.h"
#include "sweep/study/evaluation.h"
#include "sweep/worker/process.h"

static const struct command_option options[] = {
    {"workers", 'j', COMMAND_LONG, offsetof(struct run_options, workers), "N",
     "trials at once (the sweep file's `workers`, else usable cores)"},
    {"threads", 't', COMMAND_TEXT, offsetof(struct run_options, threads), "N",
     "cores for each trial; auto: one, and idle ones (the sweep file's `threads`, else auto)"},
    COMMAND_MACHINES_OPTIONS(struct run_options),
    COMMAND_DB_OPTION(struct run_options),
    {"as", 0, COMMAND_TEXT, offsetof(struct run_options, as), "FILE",
     "with -: what the sweep file is called, in whose folder its paths start"},
    {"serve", 0, COMMAND_MAYBE_TEXT, offsetof(struct run_options, serve), "[=PORT]",
     "show the sweep as a live page while it runs, as headcount serve does; prints its address"},
    COMMAND_SET_OPTION(struct run_options),
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
    {"no-copy", 0, COMMAND_FLAG, offsetof(struct run_options, no_copy), NULL,
     "read the file that trials learn from where it is, as it is too large to be copied; it must "
     "not change"},
    COMMAND_QUIET_OPTION(struct run_options),
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
    .needs = command_machines_needs,
    .examples = "  headcount run configs/gather.yaml --set train.steps=100 --set seeds=2\n",
    .least = 1,
    .most = 1,
};

/* ---- the live page ---- */

/* `run --serve`: the results file as a live page while a run lasts, from a process of its own (this
 * program again), so that nothing that browsers or their server do can touch the run. It ends with
 * the run, whatever ends that. */
struct run_server {
    pid_t pid;         /* 0: there is none */
    char address[256]; /* "http://127.0.0.1:8080/" */
};

enum {
    RUN_SERVER_START_S = 10,  /* within which it has to answer */
    RUN_SERVER_LAST_MS = 2000 /* for browsers to take what came last */
};

/* What the process says, once, through a pipe: SAID_ADDRESS and its address, or SAID_WHY and why
 * it has none. */
enum { ANSWER_FD = 3, SAID_ADDRESS = '+', SAID_WHY = '-' };

/* Between fork and exec: nothing here allocates. The run's death is the child's from here on. All
 * signals stay blocked; command_run_server says which are heard. */
static _Noreturn void become_server(pid_t parent, int answer, char *const arguments[])
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_SYSTEM); /* it died before the line above */
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
        dup2(answer, ANSWER_FD) >= 0)
        execv(PROCESS_SELF, arguments);
    dprintf(answer, "%c%s", SAID_WHY, process_start_error(errno));
    _exit(EXIT_SYSTEM);
}

static pid_t spawn(const char *db, const char *port, int answer)
{
    char name[] = "headcount", verb[] = COMMAND_RUN_SERVER;
    char *const arguments[] = {name, verb, (char *)db, (char *)port, NULL};
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        become_server(parent, answer, arguments);
    int error_number = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error_number;
    return pid;
}

/* All that comes through the pipe until its end, which is no later than until_s: its size. */
static size_t listen_to(int fd, char *text, size_t size, double until_s)
{
    size_t used = 0;
    for (double left_s; used < size && (left_s = until_s - clock_now_s()) > 0;) {
        struct pollfd answer = {.fd = fd, .events = POLLIN};
        if (poll(&answer, 1, (int)(1e3 * left_s) + 1) < 1)
            continue; /* a signal: what it asks for comes after this */
        ssize_t n = read(fd, text + used, size - used);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    return used;
}

static enum status hear_answer(struct run_server *s, int fd, struct message *m)
{
    char text[MESSAGE_SIZE];
    size_t size = listen_to(fd, text, sizeof text - 1, clock_now_s() + RUN_SERVER_START_S);
    text[size] = '\0';
    if (text[0] == SAID_ADDRESS && size <= sizeof s->address) {
        memcpy(s->address, text + 1, size);
        return STATUS_OK;
    }
    if (text[0] == SAID_WHY)
        return status_fail(m, STATUS_IO, "%s", text + 1);
    return status_fail(m, STATUS_IO, "its server did not start within %d s", RUN_SERVER_START_S);
}

static bool has_ended(pid_t pid)
{
    pid_t reaped;
    do
        reaped = waitpid(pid, NULL, WNOHANG);
    while (reaped < 0 && errno == EINTR);
    return reaped != 0;
}

/* Ends it. patient: browsers may take what came last. */
static void run_server_stop(struct run_server *s, bool patient)
{
    const double margin_s = 1;
    double until_s = clock_now_s() + 1e-3 * RUN_SERVER_LAST_MS + margin_s;
    if (s->pid <= 0)
        return;
    kill(s->pid, patient ? SIGTERM : SIGKILL);
    while (!has_ended(s->pid)) {
        if (clock_now_s() > until_s)
            kill(s->pid, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    s->pid = 0;
}

/* Starts a server of a results file that is there. port: as of command_serve_port, "": none was
 * asked for. Returns when it answers; fails with its reason. */
static enum status run_server_start(struct run_server *s, const char *db, const char *port,
                                    struct message *m)
{
    int low[2], ends[2] = {-1, -1};
    *s = (struct run_server){.pid = 0};
    if (pipe2(low, O_CLOEXEC) != 0)
        return status_fail(m, STATUS_IO, "cannot make a pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++) { /* out of the way of ANSWER_FD */
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 10);
        close(low[i]);
    }
    pid_t pid = ends[0] < 0 || ends[1] < 0 ? -1 : spawn(db, port, ends[1]);
    enum status status =
        pid < 0 ? status_fail(m, STATUS_IO, "cannot start its server: %s", strerror(errno))
                : STATUS_OK;
    if (ends[1] >= 0)
        close(ends[1]);
    if (status == STATUS_OK) {
        s->pid = pid;
        status = hear_answer(s, ends[0], m);
    }
    if (ends[0] >= 0)
        close(ends[0]);
    if (status != STATUS_OK)
        run_server_stop(s, false);
    return status;
}

/* ---- its process ---- */

/* Ctrl-C and what else a whole group of processes hears is for the run, which says when it is
 * over. */
static void hear_only(int signal_number, sigset_t *heard)
{
    static const int ignored[] = {SIGINT, SIGHUP, SIGUSR1, SIGPIPE, SIGQUIT};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    sigemptyset(heard);
    sigaddset(heard, signal_number);
    sigprocmask(SIG_SETMASK, heard, NULL);
}

/* From a start or its failure on there is nobody to tell anything more. */
static void answer(char kind, const char *text)
{
    dprintf(ANSWER_FD, "%c%s", kind, text);
    close(ANSWER_FD);
}

static void wait_for_browsers(struct server *s)
{
    double until_s = clock_now_s() + 1e-3 * RUN_SERVER_LAST_MS;
    while (serve_listeners(s) > 0 && clock_now_s() < until_s)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

int command_run_server(int argc, char **argv)
{
    const char *db = argc == 4 ? argv[2] : "", *port = argc == 4 && *argv[3] ? argv[3] : NULL;
    struct serve_options o = {.files = &db, .count = 1, .port_option = "--serve=PORT"};
    struct server *s;
    struct message m = {{0}};
    sigset_t ends;
    int heard;
    hear_only(SIGTERM, &ends);
    if (!command_serve_port(port, &o) || command_serve_start(&o, &s, &m) != STATUS_OK) {
        answer(SAID_WHY, m.text);
        return EXIT_SYSTEM;
    }
    answer(SAID_ADDRESS, serve_address(s));
    sigwait(&ends, &heard);
    serve_skip_cooldown(s);
    wait_for_browsers(s);
    if (!serve_stop(s))
        _exit(EXIT_DONE); /* a thread that is still computing only reads */
    return EXIT_DONE;
}

/* ---- the run ---- */

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

/* ---- the machines that work ---- */

const char *const command_machines_needs[][2] = {{"hosts", "launch"}, {"agent", "launch"}, {NULL}};

void command_find_crew(struct scope *x, const struct command_machines *c, struct crew_options *o)
{
    bool by_slurm = c->launch && strcmp(c->launch, "slurm") == 0;
    struct host_spec *hosts = NULL;
    *o = (struct crew_options){.launch = by_slurm ? SLURM_LAUNCH : c->launch,
                               .agent = c->agent,
                               .slurm = by_slurm || (c->launch && !c->hosts)};
    if (o->slurm && !by_slurm && !getenv("SLURM_JOB_NODELIST"))
        scope_fail(x, STATUS_BAD_INPUT,
                   "outside a Slurm allocation --launch COMMAND needs --hosts, as in --launch 'ssh "
                   "{host}' --hosts node1,node2:8");
    if (c->hosts)
        scope_check(x, host_specs_parse(c->hosts, &hosts, &o->count, x->message));
    else if (o->slurm)
        scope_check(x, slurm_hosts(&hosts, &o->count, x->message));
    arena_on_free(&x->arena, free, hosts);
    o->hosts = hosts;
}

/* A run and what it comes to, with its page. */
struct page {
    const char *path;
    const struct run_options *options;
    struct run_server server;
    int exit_status;
    bool reported;
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
static void find_sources(struct scope *x, const struct run_options *o,
                         struct runner_options *runner)
{
    struct shard_files shards = {0};
    if (o->from_shards)
        scope_check(x, shard_files_find(&x->arena, o->from_shards, &shards, x->message));
    const char **from =
        arena_alloc(&x->arena, (size_t)(o->from.count + shards.count) + 1, sizeof *from);
    for (int i = 0; i < o->from.count; i++) {
        if (access(o->from.item[i], F_OK) != 0)
            scope_fail(x, STATUS_BAD_INPUT, "--from: there is no results file %s: %s",
                       o->from.item[i], strerror(errno));
        from[runner->froms++] = o->from.item[i];
    }
    if (o->from_shards && access(o->from_shards, F_OK) == 0)
        from[runner->froms++] = o->from_shards;
    for (int i = 0; i < shards.count; i++)
        from[runner->froms++] = shards.item[i].path;
    runner->from = from;
    runner->froms_named = o->from.count;
}

/* From the file to where no trial is left to run, or to a stop. */
static void run_trials(struct scope *x, const struct config *config, struct page *page,
                       struct runner_result *result)
{
    const struct run_options *o = page->options;
    struct plan_shard shard = {0};
    struct runner_options runner = {.db = o->db,
                                    .workers = (int)o->workers,
                                    .quiet = o->quiet,
                                    .retry_failed = o->retry_failed,
                                    .replace = o->replace,
                                    .no_copy = o->no_copy,
                                    .begun = o->serve ? show_page : NULL,
                                    .context = page};
    command_find_crew(x, &o->machines, &runner.crew);
    if (o->shard)
        scope_check(x, plan_shard_read(o->shard, &shard, x->message));
    find_sources(x, o, &runner);
    struct plan *plan =
        o->plan ? o->plan : command_plan_new(x, o->quiet ? NULL : o->name, config, o->db);
    scope_check(x, plan_set_shard(plan, shard, x->message));
    if (!o->quiet)
        command_plan_notes(o->name, plan);
    scope_check(x, runner_run(plan, &runner, result, x->message));
}

/* Tests what has not been tested on the shifted sets; *exit_status stays where all went well. */
static void run_tests(struct scope *x, const struct config *config, const struct run_options *o,
                      struct study_result *tests, int *exit_status)
{
    struct study_run_options run = {.workers = (int)(o->workers ? o->workers : config->workers),
                                    .quiet = o->quiet};
    command_find_crew(x, &o->machines, &run.crew);
    enum status status = evaluation_ask(config, o->db, &run, tests, x->message);
    if (tests->failed > 0) {
        fprintf(stderr,
                "headcount %s: %d test%s on shifted sets failed; the same command tries %s again\n",
                o->name, tests->failed, text_plural(tests->failed),
                tests->failed == 1 ? "it" : "them");
        *exit_status = EXIT_SOME_FAILED;
    }
    scope_check(x, status);
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

static void say_nothing_ran(const struct runner_result *r, const struct study_result *tests,
                            const struct run_options *o)
{
    if (r->trials == 0)
        fprintf(stderr,
                "headcount %s: nothing to run: shard %s has no trials, because the sweep has "
                "fewer parts\n",
                o->name, o->shard);
    else if (!r->ran && tests->answered + tests->failed == 0)
        fprintf(stderr, "headcount %s: nothing to run: %s%ld trial%s ended\n", o->name,
                r->trials == 1 ? "the " : "all ", r->trials, r->trials == 1 ? " has" : "s have");
}

static void run(struct scope *x, void *context)
{
    struct page *page = context;
    const struct run_options *o = page->options;
    struct runner_result result = {0};
    struct study_result tests = {0};
    const struct config *config;
    if (o->plan) {
        config = plan_config(o->plan);
    } else {
        struct config *read = command_read_sweep(x, page->path, o->as, &o->set);
        command_threads(x, o->threads, read);
        config = read;
    }
    run_trials(x, config, page, &result);
    if (!ended(&result, o, &page->exit_status))
        return;
    run_tests(x, config, o, &tests, &page->exit_status);
    if (!o->quiet)
        say_nothing_ran(&result, &tests, o);
    if (!o->no_report)
        scope_check(x, report_write(command_open(x, o->db), result.sweep_id, REPORT_TEXT, false,
                                    text_page(stdout), stdout, x->message));
    print_bad(&result, o);
    page->reported = true;
}

static bool port_is_good(const char *serve)
{
    struct serve_options o;
    return !serve || !*serve || command_serve_port(serve, &o);
}

int command_run_sweep(const char *path, const struct run_options *o)
{
    struct message m = {{0}};
    struct page page = {.path = path, .options = o};
    struct scope *x = scope_new(NULL, "a run", &m);
    if (scope_enter(x))
        run(x, &page);
    enum status s = scope_end(x);
    fflush(stdout);
    run_server_stop(&page.server, s == STATUS_OK && page.reported);
    if (s == STATUS_OK)
        return page.exit_status;
    if (s == STATUS_INTERRUPTED && o->quiet)
        return EXIT_RESUMABLE;
    int exit_status = command_fail(o->name, s, &m);
    /* What was acknowledged is in the file. */
    return s == STATUS_DISK_FULL ? command_resumable(o->name, "resumes the sweep") : exit_status;
}

int command_run(int argc, char **argv)
{
    struct run_options o = {.name = "run", .db = COMMAND_DB};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (!port_is_good(o.serve))
        return command_usage("run", "--serve is '%s'; allowed: a whole number from 0 to %d",
                             o.serve, COMMAND_PORT_MAX);
    return command_run_sweep(argv[optind], &o);
}
