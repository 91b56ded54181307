/* A machine whose agent is a file that a launcher prints: what it says, and the coordinator's end
 * (host.h), which hears it. */
#ifndef TESTS_SWEEP_HOST_HELP_H
#define TESTS_SWEEP_HOST_HELP_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/hosts/host.h"
#include "sweep/worker/build_info.h"

#include "tests/test.h"

static const char proof[] = "what READY must say";

/* ---- what an agent says ---- */

static inline void put(struct wire_buffer *o, uint32_t type, int slot, const void *payload,
                       size_t size)
{
    struct message m;
    assert_int_equal(wire_put(o, type, slot, payload, size, &m), STATUS_OK);
}

static inline void put_hello(struct wire_buffer *o, struct agent_hello *h)
{
    struct message m;
    char text[AGENT_TEXT_MAX];
    assert_int_equal(agent_hello_here(h, &m), STATUS_OK);
    int length = agent_hello_format(h, text, sizeof text);
    assert_true(length > 0);
    assert_int_equal(wire_put_bytes(o, AGENT_MAGIC, sizeof AGENT_MAGIC - 1, &m), STATUS_OK);
    put(o, AGENT_HELLO, 0, text, (size_t)length);
}

static inline void put_spawned(struct wire_buffer *o, int slot)
{
    put(o, AGENT_SPAWNED, slot, "1", 1);
}

static inline void put_ended(struct wire_buffer *o, int slot)
{
    const struct worker_end e = {.exit_code = 0};
    char end[AGENT_TEXT_MAX];
    put(o, AGENT_ENDED, slot, end, (size_t)agent_ended_format(&e, end, sizeof end));
}

/* ---- the host that says it ---- */

struct printed {
    char path[64];
    struct host_launch launch;
    struct agent_hello hello;
    struct host host;
    int events[HOST_EVENT_LOST + 1];
    int starts;
    double now;
};

/* command: what is started, {host} in it the file with what o holds. */
static inline void print(struct printed *p, const char *command, struct wire_buffer *o)
{
    const struct host_spec spec = {.name = "printed"};
    strcpy(p->path, "/tmp/headcount-host-XXXXXX");
    int fd = mkstemp(p->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, o->bytes, o->end), o->end);
    close(fd);
    wire_free(o);
    p->launch = (struct host_launch){.command = command, .agent = "", .sources = build_sources()};
    host_init(&p->host, &spec, &p->launch);
    snprintf(p->host.spec.name, sizeof p->host.spec.name, "%s", p->path);
}

static inline void begin(struct printed *p, struct wire_buffer *o)
{
    memset(p, 0, sizeof *p);
    memset(o, 0, sizeof *o);
    put_hello(o, &p->hello);
}

/* It has slots 0 to `starts` - 1, and each gets a job as soon as it is ready. */
static inline void take_events(struct printed *p)
{
    const struct agent_open open = {.folder = "/", .proof = "proof"};
    struct host_event e;
    while (host_next(&p->host, &e)) {
        p->events[e.kind]++;
        if (e.kind == HOST_EVENT_GREETED)
            host_open(&p->host, &open, proof);
        for (int i = 0; e.kind == HOST_EVENT_READY && i < p->starts; i++)
            host_start(&p->host, i, "job", 3);
    }
}

/* As the runner's loop does, until it is lost, once its launcher has said all. */
static inline void run_to_its_end(struct printed *p)
{
    double until_s = clock_now_s() + 600;
    host_turn(&p->host, clock_now_s());
    while (p->events[HOST_EVENT_LOST] == 0 && clock_now_s() < until_s) {
        struct pollfd fds[3];
        poll(fds, (nfds_t)host_poll(&p->host, fds), 100);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* it has ended by now */
        host_listen(&p->host, clock_now_s());
        take_events(p);
        host_turn(&p->host, clock_now_s());
        take_events(p);
    }
    host_close(&p->host);
    unlink(p->path);
}

#endif
