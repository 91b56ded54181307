#include "sweep/worker/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int handled[] = {SIGINT,  SIGTERM, SIGHUP,  SIGUSR1, SIGXCPU,
                              SIGCHLD, SIGPIPE, SIGXFSZ, SIGALRM};
enum { HANDLED = sizeof handled / sizeof handled[0] };

static struct sigaction before[HANDLED];
static atomic_int requests, last;
/* Made once and never closed: a handler that is at work in a thread of a caller's needs it. */
static int wake[2] = {-1, -1};
static bool installed;

/* The same signal again within a moment is not a second request: `timeout` sends it to the process
 * and to its group. */
static bool is_echo(int signal_number)
{
    enum { MOMENT_MS = 200 };
    static atomic_int before_ms;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int now_ms = (int)((t.tv_sec % 1000000) * 1000 + t.tv_nsec / 1000000);
    bool echo = requests > 0 && signal_number == last && now_ms - before_ms >= 0 &&
                now_ms - before_ms < MOMENT_MS;
    before_ms = now_ms;
    return echo;
}

static void on_signal(int signal_number)
{
    int saved = errno;
    bool patient = signal_number == SIGHUP || signal_number == SIGUSR1 || signal_number == SIGXCPU;
    if (signal_number != SIGCHLD && !(patient && requests > 0) && !is_echo(signal_number)) {
        last = signal_number;
        if (requests++ == 0)
            alarm(STOP_WITHIN_S);
    }
    if (write(wake[1], "", 1) < 0)
        errno = 0; /* the pipe is full: the loop wakes anyway */
    errno = saved;
}

static void on_alarm(int signal_number)
{
    static const char text[] =
        "headcount: could not stop in time and ends at once; the same command goes on from there\n";
    struct pollfd standard_error = {.fd = STDERR_FILENO, .events = POLLOUT};
    (void)signal_number;
    if (poll(&standard_error, 1, 0) == 1) /* what holds the process up may be this very file */
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(STOP_FORCED);
}

enum status stop_install(struct message *m)
{
    requests = last = 0;
    if (wake[0] < 0 && pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return status_fail(m, STATUS_IO, "cannot make a pipe: %s", strerror(errno));
    stop_drain();
    installed = true;
    for (int i = 0; i < HANDLED; i++) {
        struct sigaction action = {.sa_flags = SA_RESTART};
        action.sa_handler = handled[i] == SIGPIPE || handled[i] == SIGXFSZ ? SIG_IGN
                            : handled[i] == SIGALRM                        ? on_alarm
                                                                           : on_signal;
        sigaction(handled[i], &action, &before[i]);
        /* `nohup` stays in force, and so does what a shell does with SIGINT: in whatever a script
         * starts in the background it is ignored, as Ctrl-C is for the script. */
        if (before[i].sa_handler == SIG_IGN && (handled[i] == SIGHUP || handled[i] == SIGINT))
            sigaction(handled[i], &before[i], NULL);
    }
    return STATUS_OK;
}

void stop_restore(void)
{
    alarm(0);
    for (int i = 0; installed && i < HANDLED; i++)
        sigaction(handled[i], &before[i], NULL);
    installed = false;
}

int stop_wake_fd(void)
{
    return wake[0];
}

void stop_drain(void)
{
    char bytes[64];
    while (read(wake[0], bytes, sizeof bytes) > 0)
        ;
}

int stop_requests(void)
{
    return requests;
}

bool stop_asked(void *context)
{
    (void)context;
    return requests > 0;
}

int stop_signal(void)
{
    return last;
}
