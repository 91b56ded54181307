#include "sweep/hosts/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/kernels/blas.h"
#include "sweep/hosts/agent_wire.h"
#include "sweep/plan/config.h"
#include "sweep/worker/process.h"
#include "sweep/worker/stop.h"
#include "sweep/worker/worker_ends.h"
#include "sweep/worker/worker_pool.h"

/* So much may wait for the coordinator before workers have to wait as well. */
enum { CONGESTED = 4 << 20 };
static const double LAST_WORDS_S = 2; /* for what waits, once all workers have ended */

struct agent {
    int in_fd, out_fd; /* -1: nobody speaks, or listens, there any more */
    struct agent_in in;
    struct wire_buffer out;
    struct worker_pool workers;
    double beat_s, beaten_s;
    double patience_s, silent_s, looked_s;
    bool open, stopping;
    double stopped_s;
    enum status status; /* what it ends with */
    struct message why;
};

static void hang_up(struct agent *a)
{
    a->in_fd = a->out_fd = -1;
    wire_free(&a->out);
}

static void say(struct agent *a, uint32_t type, int slot, const void *payload, size_t size)
{
    if (a->out_fd >= 0 && wire_put(&a->out, type, slot, payload, size, NULL) != STATUS_OK)
        hang_up(a); /* no memory: what runs here is lost to the coordinator */
}

static void stop(struct agent *a)
{
    if (a->stopping)
        return;
    a->stopping = true;
    a->stopped_s = clock_now_s();
    for (int i = 0; i < a->workers.slots; i++)
        worker_pool_stop(&a->workers, i);
}

static void stop_for(struct agent *a, enum status s, const char *why)
{
    if (a->status == STATUS_OK)
        a->status = status_fail(&a->why, s, "%s", why);
    stop(a);
}

/* ---- the coordinator's orders ---- */

static void say_ended(struct agent *a, int slot, const struct worker_end *e)
{
    char text[AGENT_TEXT_MAX];
    say(a, AGENT_ENDED, slot, text, (size_t)agent_ended_format(e, text, sizeof text));
}

static void start_worker(struct agent *a, const struct wire_frame *f)
{
    struct message m = {.text = "the agent is stopping"};
    if (worker_pool_pid(&a->workers, f->slot)) {
        stop_for(a, STATUS_BAD_INPUT, "the coordinator started two trials in one slot");
        return;
    }
    if (a->stopping ||
        worker_pool_start(&a->workers, f->slot, f->payload, f->size, &m) != STATUS_OK) {
        struct worker_end e = {.unstarted = true};
        snprintf(e.error, sizeof e.error, "%.*s", (int)sizeof e.error - 1, m.text);
        say_ended(a, f->slot, &e);
        return;
    }
    char pid[24];
    int length = snprintf(pid, sizeof pid, "%ld", (long)worker_pool_pid(&a->workers, f->slot));
    say(a, AGENT_SPAWNED, f->slot, pid, (size_t)length);
}

/* Reads what the coordinator wrote into the folder. A network file system may take a moment. */
static enum status read_proof(const struct agent_open *o, void **proof, struct message *m)
{
    enum { TRIES = 30 };
    char path[PATH_MAX + sizeof o->proof + 1];
    size_t size;
    enum status s = STATUS_OK;
    if (strchr(o->proof, '/'))
        return status_fail(m, STATUS_BAD_INPUT, "the proof has no plain name");
    snprintf(path, sizeof path, "%s/%s", o->folder, o->proof);
    for (int i = 0; i < TRIES; i++) {
        s = file_read(path, 128, proof, &size, m);
        if (s == STATUS_OK || stop_requests() > 0)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return s;
}

/* Leaves nothing. That the disk is full would be the run's concern, not this machine's. */
static enum status try_writing(const struct agent_open *o, struct message *m)
{
    static char word[] = "proof";
    char path[PATH_MAX + sizeof o->proof + 32];
    struct iovec part = {word, sizeof word - 1};
    snprintf(path, sizeof path, "%s/%s-%ld.tmp", o->folder, o->proof, (long)getpid());
    enum status s = file_write(path, &part, 1, m);
    unlink(path);
    return s == STATUS_DISK_FULL ? STATUS_OK : s;
}

static void work_in(struct agent *a, const char *text)
{
    struct agent_open o;
    struct message m, words;
    void *proof = NULL;
    const char *lack = "see the results folder, which is to be the same on all machines";
    enum status s = agent_open_parse(text, &o, &m);
    bool proves = s == STATUS_OK && o.proof[0];
    if (proves)
        s = read_proof(&o, &proof, &m);
    if (proves && s == STATUS_OK) {
        lack = "get to write into the results folder";
        s = try_writing(&o, &m);
    }
    if (s == STATUS_OK) {
        a->open = true;
        a->beat_s = o.beat_s;
        a->patience_s = o.patience_s;
        say(a, AGENT_READY, 0, proof ? proof : "", proof ? strlen(proof) : 0);
    } else {
        status_fail(&words, s, "it does not %s: %.1500s", lack, m.text);
        say(a, AGENT_REFUSED, 0, words.text, strlen(words.text));
        stop_for(a, STATUS_BAD_INPUT, words.text);
    }
    free(proof);
}

static void obey(struct agent *a, const struct wire_frame *f)
{
    switch (f->type) {
    case AGENT_OPEN:
        work_in(a, f->payload);
        break;
    case WIRE_START:
        start_worker(a, f);
        break;
    case WIRE_THREADS:
        if (wire_threads(f) == 0)
            stop_for(a, STATUS_BAD_INPUT, "the coordinator granted an invalid number of threads");
        else
            worker_pool_order(&a->workers, f);
        break;
    case AGENT_STOP:
        worker_pool_stop(&a->workers, f->slot);
        break;
    case AGENT_KILL:
        worker_pool_kill(&a->workers, f->slot);
        break;
    case AGENT_BYE:
        stop(a);
        break;
    case AGENT_BEAT:
        break;
    default:
        stop_for(a, STATUS_BAD_INPUT, "the coordinator broke the protocol");
    }
}

static void hear(struct agent *a)
{
    char bytes[65536];
    struct message m;
    struct wire_frame f;
    while (a->in_fd >= 0) {
        ssize_t n = read(a->in_fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            a->in_fd = -1; /* it may still listen */
            break;
        }
        a->silent_s = 0;
        if (agent_feed(&a->in, bytes, (size_t)n, &m) != STATUS_OK) {
            hang_up(a);
            stop_for(a, STATUS_BAD_INPUT, m.text);
        }
        while (a->in_fd >= 0 && wire_next(&a->in.frames, &f))
            obey(a, &f);
    }
    stop(a); /* nobody is there any more */
}

/* ---- the workers' words ---- */

static void pass_on(void *context, const struct wire_frame *f)
{
    say(context, f->type, f->slot, f->payload, f->size);
}

/* ---- the loop ---- */

static bool congested(const struct agent *a)
{
    return a->in_fd >= 0 && wire_waiting(&a->out) > CONGESTED;
}

static void wait_for_something(struct agent *a, struct pollfd *fds)
{
    nfds_t n = 0;
    fds[n++] = (struct pollfd){.fd = stop_wake_fd(), .events = POLLIN};
    if (a->in_fd >= 0)
        fds[n++] = (struct pollfd){.fd = a->in_fd, .events = POLLIN};
    if (a->out_fd >= 0 && wire_waiting(&a->out) > 0)
        fds[n++] = (struct pollfd){.fd = a->out_fd, .events = POLLOUT};
    if (!congested(a))
        n += (nfds_t)worker_pool_poll(&a->workers, fds + n);
    if (poll(fds, n, 200) > 0 && fds[0].revents)
        stop_drain();
}

static void look_at_the_clock(struct agent *a)
{
    double now = clock_now_s();
    a->silent_s += fmin(now - a->looked_s, 1); /* the whole machine may have been stopped */
    a->looked_s = now;
    if (a->silent_s > a->patience_s) {
        hang_up(a);
        stop_for(a, STATUS_IO, "the coordinator has been silent for too long");
    }
    if (a->open && now - a->beaten_s >= a->beat_s) {
        a->beaten_s = now;
        say(a, AGENT_BEAT, 0, NULL, 0);
        for (int i = 0; i < a->workers.slots; i++)
            if (worker_pool_pid(&a->workers, i))
                say(a, AGENT_RUNS, i, NULL, 0);
    }
}

static void heed_signals(struct agent *a)
{
    if (stop_requests() > 0 && !a->stopping) {
        say(a, AGENT_LEAVING, 0, NULL, 0);
        stop_for(a, STATUS_INTERRUPTED, "stopped by a signal");
    }
    for (int i = 0; stop_requests() > 1 && i < a->workers.slots; i++)
        worker_pool_kill(&a->workers, i);
}

/* A worker that does not end even when it is killed (its disk does not answer) is left behind. */
static bool is_over(const struct agent *a)
{
    return a->stopping && ((worker_pool_running(&a->workers) == 0 && wire_waiting(&a->out) == 0) ||
                           clock_now_s() - a->stopped_s > WATCH_STOP_S + LAST_WORDS_S);
}

static enum status loop(struct agent *a, struct message *m)
{
    struct pollfd *fds = calloc(2 * HOST_SLOTS_MAX + 3, sizeof *fds);
    if (!fds)
        return status_no_memory(m, "what is waited for");
    while (!is_over(a)) {
        wait_for_something(a, fds);
        heed_signals(a);
        hear(a);
        for (int i = 0; i < a->workers.slots && !congested(a); i++) {
            const struct worker_end *end = worker_pool_attend(&a->workers, i, pass_on, a);
            if (end)
                say_ended(a, i, end);
        }
        look_at_the_clock(a);
        if (a->out_fd >= 0 && wire_flush(&a->out, a->out_fd, NULL) != STATUS_OK) {
            hang_up(a);
            stop(a);
        }
    }
    free(fds);
    if (a->status != STATUS_OK && m)
        *m = a->why;
    return a->status;
}

static enum status introduce(struct agent *a, struct message *m)
{
    struct agent_hello h;
    char text[AGENT_TEXT_MAX];
    enum status s = agent_hello_here(&h, m);
    if (s == STATUS_OK)
        s = blas_room(m); /* else worker after worker would fail */
    if (s != STATUS_OK)
        return s;
    int length = agent_hello_format(&h, text, sizeof text);
    if (length < 0)
        return status_fail(m, STATUS_INTERNAL, "this machine cannot be described");
    s = wire_put_bytes(&a->out, AGENT_MAGIC, sizeof AGENT_MAGIC - 1, m);
    return s == STATUS_OK ? wire_put(&a->out, AGENT_HELLO, 0, text, (size_t)length, m) : s;
}

/* Three pipes for each worker, and the usual limit is 1,024 descriptors. Where less is allowed than
 * the coordinator wants, it is told at the first worker too many. */
static void allow_descriptors(void)
{
    const rlim_t wanted = 3 * HOST_SLOTS_MAX + 64;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

enum status agent_run(int in, int out, struct message *m)
{
    struct agent a = {.in_fd = in, .out_fd = out, .patience_s = AGENT_PATIENCE_S};
    fcntl(in, F_SETFL, O_NONBLOCK);
    fcntl(out, F_SETFL, O_NONBLOCK);
    allow_descriptors();
    a.looked_s = a.beaten_s = clock_now_s();
    enum status s = stop_install(m);
    if (s != STATUS_OK)
        return s;
    s = introduce(&a, m);
    if (s == STATUS_OK)
        s = loop(&a, m);
    stop_restore();
    worker_pool_free(&a.workers, 0);
    wire_free(&a.in.frames);
    wire_free(&a.out);
    return s;
}

int agent_here(void)
{
    struct message m;
    worker_leave_signals();
    enum status s = agent_run(WIRE_ORDERS_FD, WIRE_MESSAGE_FD, &m);
    if (s != STATUS_OK && s != STATUS_INTERRUPTED)
        fprintf(stderr, "%s\n", m.text);
    return s == STATUS_OK ? EXIT_SUCCESS : s == STATUS_INTERRUPTED ? AGENT_STOPPED : EXIT_FAILURE;
}
