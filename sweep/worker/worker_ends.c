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

/* What has come by now. IO where whoever gives orders is gone, BAD_INPUT where it speaks another
 * language, NO_MEMORY. */
static enum status read_orders(struct message *m)
{
    char bytes[4096];
    ssize_t n;
    do
        n = read(WIRE_ORDERS_FD, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return STATUS_OK;
    return n > 0 ? wire_feed(&orders, bytes, (size_t)n, wire_order_valid, m)
                 : status_fail(m, STATUS_IO,
                               "`headcount worker` is started by other commands only: no job came");
}

enum status worker_read_job(char *text, size_t size, struct message *m)
{
    struct wire_frame f;
    enum status s = STATUS_OK;
    while (s == STATUS_OK && !wire_next(&orders, &f))
        s = read_orders(m);
    if (s != STATUS_OK)
        return s;
    if (f.type != WIRE_START || f.size >= size)
        return status_fail(m, STATUS_BAD_INPUT, "the first order is no job");
    memcpy(text, f.payload, f.size + 1);
    fcntl(WIRE_ORDERS_FD, F_SETFL, O_NONBLOCK);
    return STATUS_OK;
}

int worker_threads(void)
{
    struct wire_frame f;
    enum status s = alone ? STATUS_OK : read_orders(NULL);
    alone = alone || s == STATUS_IO || s == STATUS_BAD_INPUT; /* a lost order does no harm */
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
