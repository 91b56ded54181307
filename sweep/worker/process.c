#include "sweep/worker/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "sweep/plan/machine.h"
#include "sweep/worker/worker.h"

extern char **environ;

char **process_environment(void)
{
    static const char *const replaced[] = {
        "OPENBLAS_NUM_THREADS=", "OMP_NUM_THREADS=", "GOTO_NUM_THREADS="};
    static char threads[] = "OPENBLAS_NUM_THREADS=1", omp[] = "OMP_NUM_THREADS=1";
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **copy = malloc((count + 3) * sizeof *copy);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        bool keep = true;
        for (size_t k = 0; k < sizeof replaced / sizeof *replaced; k++)
            keep = keep && strncmp(environ[i], replaced[k], strlen(replaced[k])) != 0;
        if (keep)
            copy[used++] = environ[i];
    }
    copy[used++] = threads;
    copy[used++] = omp;
    copy[used] = NULL;
    return copy;
}

/* ---- the program ---- */

const char *process_start_error(int error)
{
    if (error == ENOENT && access("/proc/self", F_OK) != 0)
        return "/proc is not mounted; mount it (`mount -t proc proc /proc`)";
    if (error == ENOENT && access("/dev/null", F_OK) != 0)
        return "/dev/null is missing; make it (`mknod -m 666 /dev/null c 1 3`)";
    return strerror(error);
}

enum status process_own_path(char **path, struct message *m)
{
    *path = realpath(PROCESS_SELF, NULL);
    if (*path)
        return STATUS_OK;
    if (errno == ENOENT && access("/proc/self", F_OK) == 0)
        return status_fail(m, STATUS_IO,
                           "this program was moved or replaced after it had started; start it "
                           "again");
    return status_fail(m, status_of_errno(errno), "cannot find out where this program lies: %s",
                       process_start_error(errno));
}

/* ---- its start ---- */

/* A pipe whose ends are close-on-exec and out of the way of descriptors 0..4, which the worker's
 * are moved to. */
static enum status make_pipe(int ends[2], struct message *m)
{
    int low[2];
    ends[0] = ends[1] = -1;
    if (pipe2(low, O_CLOEXEC) == 0) {
        ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 10);
        ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 10);
        int error_number = errno;
        close(low[0]);
        close(low[1]);
        errno = error_number;
    }
    if (ends[0] >= 0 && ends[1] >= 0)
        return STATUS_OK;
    return status_fail(m, STATUS_IO, "cannot make a pipe for a worker: %s", strerror(errno));
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Its pipes, as pipe(2) has them; -1: not there. */
struct ends {
    int orders[2], message[2], error[2];
};

/* In the child, between fork and exec: nothing here allocates. The parent's death is to be the
 * child's from here on, not only once the program has found out what it is. */
static _Noreturn void become(pid_t parent, const char *verb, const struct ends *its,
                             char *const environment[])
{
    static char name[] = "headcount";
    char word[32];
    char *const arguments[] = {name, word, NULL};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    snprintf(word, sizeof word, "%s", verb);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(WORKER_FAILED); /* it died before the line above */
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    dup2(its->error[1], 2);
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (in >= 0 && out >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 &&
        dup2(its->orders[0], WIRE_ORDERS_FD) == WIRE_ORDERS_FD &&
        dup2(its->message[1], WIRE_MESSAGE_FD) == WIRE_MESSAGE_FD)
        execve(PROCESS_SELF, arguments, environment);
    dprintf(2, "cannot start a worker: %s\n", process_start_error(errno));
    _exit(WORKER_STORAGE);
}

/* No signal is taken between fork and exec: a handler of this program would take it for the
 * coordinator. */
static int spawn(pid_t *pid, const char *verb, const struct ends *its, char *const environment[])
{
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    *pid = fork();
    int e = *pid < 0 ? errno : 0;
    if (*pid == 0)
        become(parent, verb, its, environment);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return e;
}

enum status process_fork(pid_t *pid, const char *verb, char *const environment[],
                         struct process_pipes *ours, struct message *m)
{
    struct ends its = {{-1, -1}, {-1, -1}, {-1, -1}};
    enum status s = make_pipe(its.orders, m);
    if (s == STATUS_OK)
        s = make_pipe(its.message, m);
    if (s == STATUS_OK)
        s = make_pipe(its.error, m);
    int e = s == STATUS_OK ? spawn(pid, verb, &its, environment) : 0;
    if (e)
        s = status_fail(m, e == ENOMEM ? STATUS_NO_MEMORY : STATUS_IO, "cannot start a worker: %s",
                        strerror(e));
    close_end(&its.orders[0]);
    close_end(&its.message[1]);
    close_end(&its.error[1]);
    *ours = (struct process_pipes){its.orders[1], its.message[0], its.error[0]};
    if (s == STATUS_OK) {
        fcntl(ours->orders, F_SETFL, O_NONBLOCK);
        fcntl(ours->messages, F_SETFL, O_NONBLOCK);
        fcntl(ours->errors, F_SETFL, O_NONBLOCK);
        return s;
    }
    *pid = 0;
    close_end(&ours->orders);
    close_end(&ours->messages);
    close_end(&ours->errors);
    return s;
}

/* ---- memory ---- */

/* Of the kills of this group, those that were there before the first worker, or were one. */
static double kills_known = -1;

static void begin_counting(void)
{
    if (kills_known < 0)
        kills_known = machine_memory_kills();
}

/* Whether the system killed it because the control group that it shares with this process may take
 * no more memory. */
static void blame_memory(struct worker_end *end)
{
    char there[32];
    struct machine_memory memory = machine_memory();
    if (end->signal != SIGKILL || end->killed_for != WATCH_FINE || !memory.by_group ||
        machine_memory_kills() <= kills_known)
        return;
    kills_known++;
    end->killed_for = WATCH_MEMORY;
    text_quantity(memory.bytes, there, sizeof there);
    snprintf(end->killed, sizeof end->killed,
             "killed by the system for memory, of which its control group has %sB; give it more, "
             "as in `submit ... -- --mem=8G`",
             there);
}

/* ---- its life ---- */

/* As far as its pipe takes them now: the rest when it is attended to. One that has closed its end
 * is to end soon. */
static void give_orders(struct process *p)
{
    if (p->pipes.orders >= 0 && wire_flush(&p->orders, p->pipes.orders, NULL) != STATUS_OK)
        close_end(&p->pipes.orders);
}

enum status process_spawn(struct process *p, const char *job, size_t size,
                          char *const environment[], struct message *m)
{
    *p = (struct process){.pipes = {-1, -1, -1}};
    begin_counting();
    enum status s = wire_put(&p->orders, WIRE_START, 0, job, size, m);
    if (s == STATUS_OK)
        s = process_fork(&p->pid, "worker", environment, &p->pipes, m);
    if (s != STATUS_OK) {
        wire_free(&p->orders);
        return s;
    }
    give_orders(p);
    watch_begin(&p->watch, clock_now_s());
    return s;
}

void process_order(struct process *p, const struct wire_frame *f)
{
    if (wire_put(&p->orders, f->type, 0, f->payload, f->size, NULL) == STATUS_OK)
        give_orders(p);
}

int process_poll(const struct process *p, struct pollfd fds[2])
{
    int n = 0;
    if (p->pipes.messages >= 0)
        fds[n++] = (struct pollfd){.fd = p->pipes.messages, .events = POLLIN};
    if (p->pipes.errors >= 0)
        fds[n++] = (struct pollfd){.fd = p->pipes.errors, .events = POLLIN};
    return n;
}

/* BAD_INPUT where it sent what is no message. */
static enum status read_messages(struct process *p, struct message *m)
{
    char bytes[16384];
    while (p->pipes.messages >= 0) {
        ssize_t n = read(p->pipes.messages, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0) {
            close_end(&p->pipes.messages);
            watch_leaving(&p->watch); /* it has no more to say */
            break;
        }
        watch_heard(&p->watch);
        enum status s = wire_feed(&p->messages, bytes, (size_t)n, wire_valid, m);
        if (s != STATUS_OK) {
            close_end(&p->pipes.messages);
            return s;
        }
    }
    return STATUS_OK;
}

static void read_errors(struct process *p)
{
    char *tail = p->end.error, bytes[sizeof p->end.error - 1];
    while (p->pipes.errors >= 0) {
        ssize_t n = read(p->pipes.errors, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close_end(&p->pipes.errors);
            return;
        }
        for (ssize_t i = 0; i < n; i++)
            bytes[i] = bytes[i] ? bytes[i] : '?'; /* what is behind a NUL counts, too */
        size_t keep = sizeof bytes - (size_t)n;
        if (p->error_used > keep) {
            p->error_cut = true;
            memmove(tail, tail + p->error_used - keep, keep);
            p->error_used = keep;
        }
        memcpy(tail + p->error_used, bytes, (size_t)n);
        p->error_used += (size_t)n;
    }
}

/* Passes on what it has said. */
static void hear(struct process *p, process_listener said, void *context)
{
    struct message m;
    struct wire_frame f;
    enum status s = read_messages(p, &m);
    while (wire_next(&p->messages, &f)) {
        f.slot = p->slot;
        said(context, &f);
    }
    read_errors(p);
    if (s == STATUS_OK)
        return;
    if (s == STATUS_BAD_INPUT)
        status_fail_within(&m, s, "a worker ");
    f = (struct wire_frame){WIRE_NOTE, p->slot, m.text, strlen(m.text)};
    said(context, &f);
    process_kill(p);
}

void process_stop(struct process *p)
{
    kill(p->pid, SIGTERM);
    kill(p->pid, SIGCONT);
    watch_leaving(&p->watch);
}

/* Kills it where it has hung or does not end in time. */
static void watch(struct process *p)
{
    const double look_every_s = 0.25;
    struct watch_sample sample;
    struct worker_end *end = &p->end;
    double now = clock_now_s();
    if (end->killed_for != WATCH_FINE || now - p->watch.looked_s < look_every_s ||
        !watch_sample(p->pid, &sample))
        return;
    end->killed_for = watch_look(&p->watch, &sample, now);
    if (end->killed_for == WATCH_FINE)
        return;
    if (p->watch.leaving)
        snprintf(end->killed, sizeof end->killed, "had %d s to stop and did not%s: ended by force",
                 WATCH_STOP_S, end->killed_for == WATCH_HUNG ? ", nor gave a sign of life" : "");
    else
        snprintf(end->killed, sizeof end->killed,
                 "gave no sign of life for %.0f s, at most %.1f s before: ended by force",
                 p->watch.silent_s, p->watch.longest_s);
    process_kill(p);
}

/* Of errors that were cut the beginning, a part of a line, makes way for a mark. */
static void end_errors(struct process *p)
{
    enum { ERROR_LINE_MAX = 500 }; /* of a longer line the part stays */
    static const char mark[] = "[...]\n";
    const size_t size = sizeof mark - 1;
    char *text = p->end.error;
    while (p->error_used > 0 && text[p->error_used - 1] == '\n')
        p->error_used--;
    text[p->error_used] = '\0';
    if (!p->error_cut || p->error_used < size)
        return;
    char *line = strchr(text + size - 1, '\n');
    const bool soon = line && line - text < ERROR_LINE_MAX;
    const char *from = soon ? line + 1 : text + size;
    memmove(text + size, from, p->error_used - (size_t)(from - text) + 1);
    memcpy(text, mark, size);
}

/* True once it has ended, and end says how. */
static bool reap(struct process *p)
{
    int status;
    struct rusage usage;
    pid_t pid;
    do
        pid = wait4(p->pid, &status, WNOHANG, &usage);
    while (pid < 0 && errno == EINTR);
    if (pid == 0)
        return false;
    if (pid == p->pid) {
        p->end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        p->end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        p->end.cpu_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        p->end.max_rss_kib = usage.ru_maxrss;
    } else { /* somebody else reaped it (SIGCHLD ignored from outside): nothing is known */
        p->end.signal = SIGKILL;
    }
    p->pid = 0;
    return true;
}

static void close_pipes(struct process *p)
{
    close_end(&p->pipes.orders);
    close_end(&p->pipes.messages);
    close_end(&p->pipes.errors);
    wire_free(&p->orders);
    wire_free(&p->messages);
}

bool process_attend(struct process *p, process_listener said, void *context)
{
    give_orders(p);
    hear(p, said, context);
    if (!reap(p)) {
        watch(p);
        return false;
    }
    blame_memory(&p->end);
    hear(p, said, context); /* its last words */
    end_errors(p);
    close_pipes(p);
    return true;
}

void process_kill(struct process *p)
{
    if (p->pid > 0)
        kill(p->pid, SIGKILL);
}

void process_reap(struct process *p, double until_s)
{
    while (p->pid > 0 && !reap(p) && clock_now_s() < until_s)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    close_pipes(p);
}
