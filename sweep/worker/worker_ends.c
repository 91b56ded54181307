#include "sweep/worker/worker_ends.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/heartbeat.h"

static bool alone;
static const struct wire_grant *grant; /* NULL: none */

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

void worker_begin(void)
{
    static const int left_to_others[] = {SIGINT, SIGHUP, SIGUSR1, SIGPIPE, SIGXFSZ};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof left_to_others / sizeof *left_to_others; i++)
        sigaction(left_to_others[i], &ignore, NULL);
    prctl(PR_SET_NAME, "headcount"); /* started as /proc/self/exe, it would be called "exe" */
    heartbeat_listener = tell_alive;
    struct stat file;
    if (fstat(WIRE_GRANT_FD, &file) == 0 && file.st_size == sizeof *grant) {
        void *page = mmap(NULL, sizeof *grant, PROT_READ, MAP_SHARED, WIRE_GRANT_FD, 0);
        grant = page == MAP_FAILED ? NULL : page;
    }
    close(WIRE_GRANT_FD);
}

enum status worker_read_job(const char *verb, char *text, size_t size, struct message *m)
{
    size_t used = 0;
    for (;;) {
        ssize_t n = read(WIRE_JOB_FD, text + used, size - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return status_fail(m, STATUS_BAD_INPUT,
                               "`headcount %s` is started by other commands only (no job: %s)",
                               verb, strerror(errno));
        if (n == 0)
            break;
        used += (size_t)n;
        if (used == size - 1)
            return status_fail(m, STATUS_BAD_INPUT, "the job is too long");
    }
    text[used] = '\0';
    close(WIRE_JOB_FD);
    return STATUS_OK;
}

int worker_threads(void)
{
    uint32_t threads = grant ? atomic_load_explicit(&grant->threads, memory_order_relaxed) : 1;
    return threads > 1 ? (int)threads : 1;
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
