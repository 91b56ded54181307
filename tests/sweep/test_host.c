/* The coordinator's end of one machine (host.h), whose agent is a file that a launcher prints:
 * nothing that it said is lost with its end, and nothing that it does holds up the others. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/hosts/host.h"

#include <cmocka.h>

static const char proof[] = "what READY must say";

/* ---- what an agent says ---- */

static void put(struct agent_out *o, enum agent_type type, int slot, const void *payload,
                size_t size)
{
    struct message m;
    assert_int_equal(agent_put(o, type, slot, payload, size, &m), STATUS_OK);
}

static void put_hello(struct agent_out *o, struct agent_hello *h)
{
    struct message m;
    char text[AGENT_TEXT_MAX];
    assert_int_equal(agent_hello_here(h, &m), STATUS_OK);
    int length = agent_hello_format(h, text, sizeof text);
    assert_true(length > 0);
    assert_int_equal(agent_put_bytes(o, AGENT_MAGIC, sizeof AGENT_MAGIC - 1, &m), STATUS_OK);
    put(o, AGENT_HELLO, 0, text, (size_t)length);
}

static void put_ended(struct agent_out *o, int slot)
{
    const struct agent_ended e = {.exit_code = 0};
    char end[AGENT_ENDED_MAX];
    put(o, AGENT_ENDED, slot, end, agent_ended_format(&e, end));
}

/* ---- the host that says it ---- */

struct printed {
    char path[64];
    struct host_launch launch;
    struct agent_hello hello;
    struct host host;
    int events[HOST_EVENT_LOST + 1];
};

/* command: what is started, {host} in it the file with what o holds. */
static void print(struct printed *p, const char *command, struct agent_out *o)
{
    const struct host_spec spec = {.name = "printed"};
    strcpy(p->path, "/tmp/headcount-host-XXXXXX");
    int fd = mkstemp(p->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, o->bytes, o->end), o->end);
    close(fd);
    agent_out_free(o);
    p->launch =
        (struct host_launch){.command = command, .agent = "", .here = agent_hello_build(&p->hello)};
    host_init(&p->host, &spec, &p->launch);
    snprintf(p->host.spec.name, sizeof p->host.spec.name, "%s", p->path);
}

static void begin(struct printed *p, struct agent_out *o)
{
    memset(p, 0, sizeof *p);
    memset(o, 0, sizeof *o);
    put_hello(o, &p->hello);
}

static void take_events(struct printed *p)
{
    const struct agent_open open = {.folder = "/", .proof = "proof"};
    struct host_event e;
    while (host_next(&p->host, &e)) {
        p->events[e.kind]++;
        if (e.kind == HOST_EVENT_GREETED)
            host_open(&p->host, &open, proof);
    }
}

/* As the runner's loop does, until it is lost, once its launcher has said all. */
static void run_to_its_end(struct printed *p)
{
    double until_s = clock_now_s() + 30;
    host_turn(&p->host, clock_now_s());
    while (p->events[HOST_EVENT_LOST] == 0 && clock_now_s() < until_s) {
        struct pollfd fds[3];
        poll(fds, (nfds_t)host_poll(&p->host, fds), 100);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* it has ended by now */
        host_listen(&p->host, clock_now_s());
        host_turn(&p->host, clock_now_s());
        take_events(p);
    }
    host_close(&p->host);
    unlink(p->path);
}

/* ---- tests ---- */

/* Its last bytes, and its end, come with the same call of host_listen. */
static void what_it_said_last_counts(void **state)
{
    (void)state;
    enum { PIPE = 65536, FRAME = 13 };
    static char filler[PIPE];
    struct printed p;
    struct agent_out o;
    begin(&p, &o);
    put(&o, AGENT_READY, 0, proof, strlen(proof));
    struct agent_out last = {0};
    put_ended(&last, 3);
    put(&o, AGENT_BEAT, 0, NULL, 0);
    struct message m;
    size_t size = PIPE - o.end - last.end - FRAME - 4;
    assert_int_equal(agent_put_message(&o, 3, WIRE_CURVE, filler, size, &m), STATUS_OK);
    assert_int_equal(agent_put_bytes(&o, last.bytes, last.end, &m), STATUS_OK);
    assert_int_equal(o.end, PIPE);
    agent_out_free(&last);
    print(&p, "cat {host}", &o);
    run_to_its_end(&p);
    assert_int_equal(p.events[HOST_EVENT_READY], 1);
    assert_int_equal(p.events[HOST_EVENT_MESSAGE], 1);
    assert_int_equal(p.events[HOST_EVENT_ENDED], 1);
    assert_int_equal(p.host.state, HOST_WAITING);
}

/* A signal may reach an agent between its hello and its answer. */
static void a_signal_at_the_start_is_no_fault(void **state)
{
    (void)state;
    struct printed p;
    struct agent_out o;
    begin(&p, &o);
    put(&o, AGENT_LEAVING, 0, NULL, 0);
    put(&o, AGENT_READY, 0, proof, strlen(proof));
    print(&p, "cat {host}", &o);
    run_to_its_end(&p);
    assert_int_equal(p.events[HOST_EVENT_LEAVING], 1);
    assert_int_equal(p.events[HOST_EVENT_READY], 0);
    assert_int_equal(p.host.state, HOST_WAITING); /* tried again, not refused */
}

/* Its folder may come back as it did (a mount after a reboot); that of a host that never saw it
 * not.
 */
static void a_host_that_worked_may_see_the_folder_again(void **state)
{
    (void)state;
    for (int worked = 0; worked < 2; worked++) {
        struct printed p;
        struct agent_out o;
        begin(&p, &o);
        put(&o, AGENT_REFUSED, 0, "blind", 5);
        print(&p, "cat {host}", &o);
        p.host.was_ready = worked;
        run_to_its_end(&p);
        assert_string_equal(p.host.why, "blind");
        assert_int_equal(p.host.state, worked ? HOST_WAITING : HOST_REFUSED);
    }
}

/* Whoever writes as fast as it is read would be read for ever. */
static void a_flood_is_read_in_pieces(void **state)
{
    (void)state;
    enum { FLOOD = 50000 };
    struct printed p;
    struct agent_out o;
    int left = 0;
    begin(&p, &o);
    print(&p, "head -c 50000 /dev/zero >&2; sleep 30; cat {host}", &o);
    host_turn(&p.host, clock_now_s());
    for (double until_s = clock_now_s() + 30; left < FLOOD && clock_now_s() < until_s;)
        assert_int_equal(ioctl(p.host.error_fd, FIONREAD, &left), 0);
    assert_int_equal(left, FLOOD);
    host_listen(&p.host, clock_now_s());
    assert_int_equal(ioctl(p.host.error_fd, FIONREAD, &left), 0);
    assert_true(left > 0 && left < FLOOD);
    host_close(&p.host);
    unlink(p.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_said_last_counts),
        cmocka_unit_test(a_signal_at_the_start_is_no_fault),
        cmocka_unit_test(a_host_that_worked_may_see_the_folder_again),
        cmocka_unit_test(a_flood_is_read_in_pieces),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
