#include "sweep/worker/worker_ends.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/heartbeat.h"

static bool alone;
static struct wire_buffer orders;
static int threads = 1;

/* The coarse clock costs a few nanoseconds. */
static void tell_alive(void)
{
    static double told_s;
    double now = clock_s(CLOCK_MONOTONIC_COARSE);
    if (now - told_s < 0.5)
        return;
    told_s = now;
    worker_tell(WIRE_ALIVE, "", 0);
}

void worker_leave_signals(void)
{
    static const int left_to_others[] = {SIGINT, SIGHUP, SIGUSR1, SIGPIPE, SIGXFSZ};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof left_to_others / sizeof *left_to_others; i++)
        sigaction(left_to_others[i], &ignore, NULL);
    prctl(PR_SET_NAME, "headcount"); /* started as /proc/self/exe, it would be called "exe" */
}

void worker_begin(void)
{
    worker_leave_signals();
    heartbeat_listener = tell_alive;
}

/* False once nothing more can come: whoever gives orders is gone, or speaks another language. For
 * an order that there is no memory for the next one makes up. */
static bool read_orders(void)
{
    char bytes[4096];
    ssize_t n;
    do
        n = read(WIRE_ORDERS_FD, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return true;
    return n > 0 &&
           wire_feed(&orders, bytes, (size_t)n, wire_order_valid, NULL) != STATUS_BAD_INPUT;
}

enum status worker_read_job(char *text, size_t size, struct message *m)
{
    struct wire_frame f;
    while (!wire_next(&orders, &f))
        if (!read_orders())
            return status_fail(m, STATUS_BAD_INPUT,
                               "`headcount worker` is started by other commands only: no job came");
    if (f.type != WIRE_START || f.size >= size)
        return status_fail(m, STATUS_BAD_INPUT, "the first order is no job");
    memcpy(text, f.payload, f.size + 1);
    fcntl(WIRE_ORDERS_FD, F_SETFL, O_NONBLOCK);
    return STATUS_OK;
}

int worker_threads(void)
{
    struct wire_frame f;
    if (!alone && !read_orders())
        alone = true;
    while (wire_next(&orders, &f)) {
        int granted = f.type == WIRE_THREADS ? wire_threads(&f) : 0;
        threads = granted ? granted : threads;
    }
    return threads;
}

void worker_tell(enum wire_type type, const void *payload, size_t size)
{
    struct message ignored;
    if (wire_send(WIRE_MESSAGE_FD, type, payload, size, &ignored) == STATUS_IO)
        alone = true;
}

bool worker_is_alone(void)
{
    return alone;
}
