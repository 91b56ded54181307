#include "sweep/hosts/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/kernels/blas.h"
#include "sweep/hosts/slurm.h"
#include "sweep/worker/build_info.h"
#include "sweep/worker/stop.h"

static const struct host_spec this_machine = {.name = "this machine"};

/* Three pipes each, and the usual limit is 1,024 descriptors. */
static enum status allow_descriptors(int hosts, struct message *m)
{
    struct rlimit limit;
    rlim_t needed = 3 * (rlim_t)hosts + 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return STATUS_OK;
    if (limit.rlim_max < needed)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%d hosts take %llu open files, and %llu are allowed; raise the limit (`ulimit -n`)",
            hosts, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
    limit.rlim_cur = needed;
    setrlimit(RLIMIT_NOFILE, &limit);
    return STATUS_OK;
}

/* A file that only who sees this very folder can read. Should this process not come to remove it,
 * `gc` takes it for the unfinished file of a trial that is none. */
static enum status make_proof(struct crew *c, struct message *m)
{
    unsigned char bytes[16 + 4];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return status_fail(m, STATUS_IO, "the system gives no random numbers");
    for (size_t i = 0; i < 16; i++)
        snprintf(c->proof + 2 * i, 3, "%02x", bytes[i]);
    snprintf(c->open.proof, sizeof c->open.proof, "t0-a0.proof-%02x%02x%02x%02x.tmp", bytes[16],
             bytes[17], bytes[18], bytes[19]);
    snprintf(c->proof_path, sizeof c->proof_path, "%s/%s", c->open.folder, c->open.proof);
    return STATUS_OK;
}

/* By writing the proof (once more). */
enum status crew_try_folder(const struct crew *c, struct message *m)
{
    struct iovec part = {(char *)c->proof, strlen(c->proof)};
    return file_write(c->proof_path, &part, 1, m);
}

static enum status prepare_hosts(struct crew *c, const struct crew_options *o, struct message *m)
{
    c->launch.command = o->launch;
    c->launch.agent = o->agent;
    enum status s = host_launch_check(&c->launch, m);
    if (s == STATUS_OK && !o->agent) {
        s = host_agent_here(o->launch, &c->agent, m);
        c->launch.agent = c->agent;
    }
    if (s == STATUS_OK)
        s = allow_descriptors(o->count, m);
    if (s == STATUS_OK)
        s = make_proof(c, m);
    return s == STATUS_OK ? crew_try_folder(c, m) : s;
}

enum status crew_init(struct crew *c, const struct crew_options *o, const char *folder,
                      struct message *m)
{
    const int count = o->count > 0 ? o->count : 1;
    c->launch = (struct host_launch){.sources = build_sources()};
    c->host = calloc((size_t)count, sizeof *c->host);
    c->fds = calloc(3 * (size_t)count + 1, sizeof *c->fds);
    c->heard = calloc((size_t)count, sizeof *c->heard);
    if (!c->host || !c->fds || !c->heard)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %d hosts", count);
    c->count = count;
    c->slurm = o->slurm;
    for (int k = 0; k < count; k++)
        host_init(&c->host[k], o->count > 0 ? &o->hosts[k] : &this_machine, &c->launch);
    snprintf(c->open.folder, sizeof c->open.folder, "%s", folder);
    /* Where there is no room for OpenBLAS, worker after worker would fail. This machine need not
     * prove that it sees its folder, which may be read only. */
    return o->count > 0 ? prepare_hosts(c, o, m) : blas_room(m);
}

void crew_wait(struct crew *c, int timeout_ms)
{
    nfds_t n = 0;
    c->fds[n++] = (struct pollfd){.fd = stop_wake_fd(), .events = POLLIN};
    for (int k = 0; k < c->count; k++)
        n += (nfds_t)host_poll(&c->host[k], c->fds + n);
    if (poll(c->fds, n, timeout_ms) <= 0)
        return;
    if (c->fds[0].revents)
        stop_drain();
    const struct pollfd *fd = c->fds + 1;
    for (int k = 0; k < c->count; k++) {
        struct pollfd its[3];
        for (int i = host_poll(&c->host[k], its); i > 0; i--)
            c->heard[k] |= (fd++)->revents;
    }
}

void crew_turn(struct crew *c, bool stopping, crew_listener *listen, void *context)
{
    double now = clock_now_s();
    struct host_event e;
    for (int k = 0; k < c->count; k++) {
        struct host *h = &c->host[k];
        if (stopping && h->state == HOST_WAITING)
            host_bye(h);
        if (c->heard[k])
            host_listen(h, now);
        c->heard[k] = 0;
        for (int turned = 0; turned < 2; turned++) {
            if (turned) /* by then what it said in time has been taken in */
                host_turn(h, now);
            while (host_next(h, &e)) {
                if (e.kind == HOST_EVENT_GREETED)
                    host_open(h, &c->open, c->proof);
                listen(context, k, &e);
            }
        }
    }
}

enum status crew_check(const struct crew *c, struct message *m)
{
    struct text_buffer b = {0};
    for (int k = 0; k < c->count; k++) {
        const struct host *h = &c->host[k];
        if (h->state != HOST_REFUSED) {
            free(b.text);
            return STATUS_OK;
        }
        if (host_is_here(h))
            return status_fail(m, STATUS_IO, "%s", h->why);
        text_add(&b, "%s%s: %.400s", k ? "; " : "", h->spec.name, h->why);
    }
    status_fail(m, STATUS_BAD_INPUT, "no machine is left to work on: %.1900s",
                b.text ? b.text : "");
    free(b.text);
    return STATUS_BAD_INPUT;
}

/* Whether no agent is there, and at least one is there no more. */
static bool all_are_away(const struct crew *c)
{
    bool lost = false;
    for (int k = 0; k < c->count; k++) {
        const struct host *h = &c->host[k];
        if (h->state != HOST_WAITING && h->state != HOST_STARTING && h->state != HOST_REFUSED)
            return false;
        lost = lost || (h->why[0] && h->state != HOST_REFUSED);
    }
    return lost;
}

/* The launcher's words for it, which may change, are not relied upon. */
bool crew_has_ended(struct crew *c, double now)
{
    static const double ask_every_s = 10;
    if (!c->slurm || now < c->asked_s + ask_every_s || !all_are_away(c))
        return false;
    bool gone = slurm_allocation() == SLURM_GONE;
    c->asked_s = clock_now_s();
    return gone;
}

static void unheard(void *context, int k, const struct host_event *e)
{
    (void)context, (void)k, (void)e; /* nothing runs there */
}

void crew_dismiss(struct crew *c, double patience_s)
{
    double until_s = clock_now_s() + patience_s;
    for (int k = 0; k < c->count; k++)
        host_bye(&c->host[k]);
    bool left;
    do { /* at least once: what is to be killed at once is to be told */
        left = false;
        for (int k = 0; k < c->count; k++)
            c->heard[k] = 1;
        crew_turn(c, true, unheard, NULL);
        for (int k = 0; k < c->count; k++)
            left = left || host_runs(&c->host[k]);
        if (left && clock_now_s() < until_s)
            crew_wait(c, 5);
    } while (left && clock_now_s() < until_s);
    for (int k = 0; k < c->count; k++)
        host_close(&c->host[k]);
    if (c->proof_path[0])
        unlink(c->proof_path);
    free(c->host);
    free(c->fds);
    free(c->heard);
    free(c->agent);
    *c = (struct crew){0};
}
