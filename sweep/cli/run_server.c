#include "sweep/cli/run_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/cli/command.h"
#include "sweep/cli/command_serve.h"
#include "sweep/worker/process.h"

/* What the process says, once, through a pipe: SAID_ADDRESS and its address, or SAID_WHY and why
 * it has none. */
enum { ANSWER_FD = 3, SAID_ADDRESS = '+', SAID_WHY = '-' };

/* ---- in the run ---- */

/* Between fork and exec: nothing here allocates. The run's death is the child's from here on. All
 * signals stay blocked; run_server_main says which are heard. */
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
    char name[] = "headcount", verb[] = RUN_SERVER;
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

enum status run_server_start(struct run_server *s, const char *db, const char *port,
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

static bool has_ended(pid_t pid)
{
    pid_t reaped;
    do
        reaped = waitpid(pid, NULL, WNOHANG);
    while (reaped < 0 && errno == EINTR);
    return reaped != 0;
}

void run_server_stop(struct run_server *s, bool patient)
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

/* ---- the process ---- */

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

int run_server_main(int argc, char **argv)
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
