/* The coordinator's end of one machine (host.h): nothing that it said is lost with its end, and
 * neither with what it says nor with what it withholds does it hold up the others. Its agent is a
 * file that a launcher prints. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/hosts/host.h"
#include "sweep/worker/build_info.h"

#include "tests/test.h"

static const char proof[] = "what READY must say";

/* ---- what an agent says ---- */

static void put(struct wire_buffer *o, uint32_t type, int slot, const void *payload, size_t size)
{
    struct message m;
    assert_int_equal(wire_put(o, type, slot, payload, size, &m), STATUS_OK);
}

static void put_hello(struct wire_buffer *o, struct agent_hello *h)
{
    struct message m;
    char text[AGENT_TEXT_MAX];
    assert_int_equal(agent_hello_here(h, &m), STATUS_OK);
    int length = agent_hello_format(h, text, sizeof text);
    assert_true(length > 0);
    assert_int_equal(wire_put_bytes(o, AGENT_MAGIC, sizeof AGENT_MAGIC - 1, &m), STATUS_OK);
    put(o, AGENT_HELLO, 0, text, (size_t)length);
}

static void put_spawned(struct wire_buffer *o, int slot)
{
    put(o, AGENT_SPAWNED, slot, "1", 1);
}

static void put_ended(struct wire_buffer *o, int slot)
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
static void print(struct printed *p, const char *command, struct wire_buffer *o)
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

static void begin(struct printed *p, struct wire_buffer *o)
{
    memset(p, 0, sizeof *p);
    memset(o, 0, sizeof *o);
    put_hello(o, &p->hello);
}

/* It has slots 0 to `starts` - 1, and each gets a job as soon as it is ready. */
static void take_events(struct printed *p)
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
static void run_to_its_end(struct printed *p)
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

/* Its last bytes, and its end, come with the same call of host_listen. */
TEST(what_it_said_last_counts)
{
    enum { PIPE = 65536, FRAME = 13, SLOT = 3 };
    static char filler[PIPE];
    struct printed p;
    struct wire_buffer o;
    begin(&p, &o);
    p.starts = SLOT + 1;
    put(&o, AGENT_READY, 0, proof, strlen(proof));
    for (int i = 0; i <= SLOT; i++)
        put_spawned(&o, i);
    struct wire_buffer last = {0};
    put_ended(&last, SLOT);
    put(&o, AGENT_BEAT, 0, NULL, 0);
    struct message m;
    size_t size = PIPE - o.end - last.end - FRAME;
    assert_int_equal(wire_put(&o, WIRE_CURVE, SLOT, filler, size, &m), STATUS_OK);
    assert_int_equal(wire_put_bytes(&o, last.bytes, last.end, &m), STATUS_OK);
    assert_int_equal(o.end, PIPE);
    wire_free(&last);
    print(&p, "cat {host}", &o);
    run_to_its_end(&p);
    assert_int_equal(p.events[HOST_EVENT_READY], 1);
    assert_int_equal(p.events[HOST_EVENT_SPAWNED], SLOT + 1);
    assert_int_equal(p.events[HOST_EVENT_MESSAGE], 1);
    assert_int_equal(p.events[HOST_EVENT_ENDED], 1);
    assert_int_equal(p.host.state, HOST_WAITING);
}

/* A signal may reach an agent between its hello and its answer. */
TEST(a_signal_at_the_start_is_no_fault)
{
    struct printed p;
    struct wire_buffer o;
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
TEST(a_host_that_worked_may_see_the_folder_again)
{
    for (int worked = 0; worked < 2; worked++) {
        struct printed p;
        struct wire_buffer o;
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
TEST(a_flood_is_read_in_pieces)
{
    enum { FLOOD = 50000 };
    struct printed p;
    struct wire_buffer o;
    int left = 0;
    begin(&p, &o);
    print(&p, "head -c 50000 /dev/zero >&2; sleep 30; cat {host}", &o);
    host_turn(&p.host, clock_now_s());
    for (double until_s = clock_now_s() + 600; left < FLOOD && clock_now_s() < until_s;)
        assert_int_equal(ioctl(p.host.error_fd, FIONREAD, &left), 0);
    assert_int_equal(left, FLOOD);
    host_listen(&p.host, clock_now_s());
    assert_int_equal(ioctl(p.host.error_fd, FIONREAD, &left), 0);
    assert_each(left > 0, left < FLOOD);
    host_close(&p.host);
    unlink(p.path);
}

/* Slurm's words for it stand among others on the launcher's stderr. An agent that was leaving has
 * ended for another reason, whatever had been killed beside it before. */
TEST(who_is_killed_for_memory_says_so)
{
    static const char *const said[] = {
        "slurmstepd-n1: error: StepId=1.2 exceeded memory limit (3 > 2), being killed",
        "slurmstepd: error: Exceeded job memory limit",
        "slurmstepd: error: Detected 2 oom-kill event(s) in StepId=1.0.",
        "srun: error: n1: task 0: Out Of Memory", "srun: error: n1: task 0: Killed"};
    enum { WORDS = sizeof said / sizeof *said };
    for (int i = 0; i < 2 * WORDS; i++) {
        struct printed p;
        struct wire_buffer o;
        char command[512];
        bool leaves = i >= WORDS, memory = !leaves && i != WORDS - 1;
        snprintf(command, sizeof command,
                 "cat {host}; printf 'srun: first\\n%s\\nsrun: error: last\\n' >&2; exit 137;",
                 said[i % WORDS]);
        begin(&p, &o);
        put(&o, AGENT_READY, 0, proof, strlen(proof));
        if (leaves)
            put(&o, AGENT_LEAVING, 0, NULL, 0);
        print(&p, command, &o);
        run_to_its_end(&p);
        assert_int_equal(p.host.out_of_memory, memory);
        assert_non_null(strstr(p.host.why, memory ? said[i] : "its launcher ended: "));
        assert_int_equal(strstr(p.host.why, "--mem=") != NULL, memory);
        assert_null(strstr(p.host.why, "srun: first"));
    }
}

/* ---- what it owes ---- */

/* The agent's words, as if they had been read. */
static void says(struct printed *p, struct wire_buffer *o)
{
    struct message m;
    assert_int_equal(agent_feed(&p->host.in, o->bytes, o->end, &m), STATUS_OK);
    p->host.heard_s = p->host.awake_s;
    wire_free(o);
    take_events(p);
}

/* It has come so far: STARTING, OPENING or, with that many jobs, READY. Its launcher says nothing
 * and does not end. */
static void come_to(struct printed *p, enum host_state state, int starts)
{
    struct wire_buffer o;
    begin(p, &o);
    struct wire_buffer hello = {0};
    put_hello(&hello, &p->hello);
    print(p, ": {host}; exec sleep 1000", &o);
    p->starts = starts;
    p->now = clock_now_s();
    host_turn(&p->host, p->now);
    if (state == HOST_READY)
        put(&hello, AGENT_READY, 0, proof, strlen(proof));
    if (state == HOST_STARTING)
        wire_free(&hello);
    else
        says(p, &hello);
    assert_int_equal(p->host.state, state);
}

/* Half seconds pass, in each of which the agent says what it has to say (NULL: nothing), until it
 * is lost. Returns after how many seconds that was; -1: not within so many. */
static double lost_after(struct printed *p, void (*say)(struct wire_buffer *o), double most_s)
{
    double begun_s = p->now;
    while (p->events[HOST_EVENT_LOST] == 0 && p->now - begun_s < most_s) {
        struct wire_buffer o = {0};
        p->now += .5;
        if (say) {
            say(&o);
            says(p, &o);
        }
        host_turn(&p->host, p->now);
        take_events(p);
    }
    return p->events[HOST_EVENT_LOST] ? p->now - begun_s : -1;
}

static void leave(struct printed *p)
{
    host_close(&p->host);
    unlink(p->path);
}

/* Within what is allowed, and not before: deadlines are looked at with each beat. */
static void assert_lost(struct printed *p, void (*say)(struct wire_buffer *o), bool at_fault,
                        const char *words)
{
    double s = lost_after(p, say, HOST_PATIENCE_S + 10);
    assert_true(s >= HOST_PATIENCE_S);
    assert_non_null(strstr(p->host.why, words));
    assert_int_equal(p->host.at_fault, at_fault);
    leave(p);
}

static void beats(struct wire_buffer *o)
{
    put(o, AGENT_BEAT, 0, NULL, 0);
}

static void runs(struct wire_buffer *o)
{
    put(o, AGENT_BEAT, 0, NULL, 0);
    put(o, AGENT_RUNS, 0, NULL, 0);
}

static void greets(struct wire_buffer *o)
{
    static char welcome[] = "Welcome\n";
    struct message m;
    assert_int_equal(wire_put_bytes(o, welcome, sizeof welcome - 1, &m), STATUS_OK);
}

TEST(an_agent_answers_in_time)
{
    struct printed p;
    come_to(&p, HOST_STARTING, 0);
    assert_lost(&p, greets, false, "no agent spoke for 60 s");
    come_to(&p, HOST_OPENING, 0);
    assert_lost(&p, beats, false, "has said nothing about the results folder");
    come_to(&p, HOST_READY, 0);
    assert_lost(&p, NULL, false, "has been silent for 60 s");
    come_to(&p, HOST_READY, 1);
    assert_lost(&p, beats, true, "has reported nothing of a worker for 60 s");
}

TEST(a_worker_is_heard_of)
{
    struct printed p;
    for (int told = 0; told < 4; told++) { /* nothing, to stop, its last word, its end */
        struct wire_buffer o = {0};
        come_to(&p, HOST_READY, 1);
        put_spawned(&o, 0);
        if (told == 2)
            put(&o, WIRE_FINISHED, 0, "t1-a1.result", 12);
        if (told == 3)
            put_ended(&o, 0);
        says(&p, &o);
        if (told == 1)
            host_stop(&p.host, 0);
        if (told == 0) {
            assert_true(lost_after(&p, runs, 1000) < 0); /* it may be stopped, or wait for a disk */
            assert_lost(&p, beats, true, "has reported nothing of a worker for 60 s");
        } else if (told < 3) {
            assert_lost(&p, runs, true, "has not reported the end of a worker for 60 s");
        } else {
            assert_true(lost_after(&p, beats, 1000) < 0);
            leave(&p);
        }
    }
}

/* It beats within a message that never ends. */
TEST(a_message_comes_to_its_end)
{
    static char rows[4000];
    struct printed p;
    struct wire_buffer o = {0};
    come_to(&p, HOST_READY, 1);
    put_spawned(&o, 0);
    put(&o, WIRE_CURVE, 0, rows, sizeof rows);
    o.end -= sizeof rows;
    says(&p, &o);
    assert_lost(&p, beats, true, "has reported nothing of a worker for 60 s");
}

TEST(who_leaves_is_gone_in_time)
{
    struct printed p;
    struct wire_buffer o = {0};
    come_to(&p, HOST_READY, 0);
    put(&o, AGENT_LEAVING, 0, NULL, 0);
    says(&p, &o);
    assert_lost(&p, beats, true, "was to end and has not");
}

/* This process was stopped, or the machine slept. */
TEST(nobody_is_blamed_for_our_own_sleep)
{
    struct printed p;
    come_to(&p, HOST_READY, 1);
    for (int i = 0; i < 20; i++) {
        p.now += 3600;
        host_turn(&p.host, p.now);
        take_events(&p);
    }
    assert_int_equal(p.host.state, HOST_READY);
    leave(&p);
}

/* One that is ready and has a job says this: it is lost at once. */
static void assert_out_of_turn(struct wire_buffer *o)
{
    struct printed p;
    come_to(&p, HOST_READY, 1);
    says(&p, o);
    assert_int_equal(p.events[HOST_EVENT_LOST], 1);
    assert_non_null(strstr(p.host.why, "broke the protocol"));
    assert_true(p.host.at_fault);
    leave(&p);
}

TEST(only_slots_with_a_job_speak)
{
    struct wire_buffer o = {0};
    put_spawned(&o, 0);
    put_ended(&o, 0);
    put(&o, AGENT_RUNS, 0, NULL, 0); /* it has ended */
    assert_out_of_turn(&o);
    put_spawned(&o, 2); /* there is no such job */
    assert_out_of_turn(&o);
}

/* It is ready, and its launcher ends. */
TEST(a_host_that_dies_again_and_again_is_given_up)
{
    struct printed p;
    struct wire_buffer o;
    begin(&p, &o);
    put(&o, AGENT_READY, 0, proof, strlen(proof));
    print(&p, "cat {host}", &o);
    double until_s = clock_now_s() + 60, away_s = 0;
    while (p.host.state != HOST_REFUSED && clock_now_s() < until_s) {
        int lost = p.events[HOST_EVENT_LOST];
        host_listen(&p.host, clock_now_s() + away_s);
        take_events(&p);
        host_turn(&p.host, clock_now_s() + away_s);
        take_events(&p);
        if (p.events[HOST_EVENT_LOST] > lost && p.host.state == HOST_WAITING) {
            assert_int_equal(p.events[HOST_EVENT_READY], p.events[HOST_EVENT_LOST]);
            away_s += HOST_PAUSE_MAX_S;
            if (p.events[HOST_EVENT_LOST] == 5)
                p.host.rests = 0; /* it gained something */
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(p.events[HOST_EVENT_LOST], 5 + HOST_RESTS_MAX);
    assert_non_null(strstr(p.host.why, "given up after 8 times: its launcher ended"));
    leave(&p);
}

TEST(a_host_that_lived_for_a_while_is_not)
{
    struct printed p;
    come_to(&p, HOST_READY, 0);
    p.host.rests = HOST_RESTS_MAX - 1;
    assert_true(lost_after(&p, beats, HOST_PAUSE_MAX_S + 1) < 0);
    assert_lost(&p, NULL, false, "has been silent for 60 s");
    assert_int_equal(p.host.rests, HOST_RESTS_MAX - 1);
}

/* Its network is away for long. */
TEST(a_host_that_worked_is_awaited)
{
    struct printed p;
    struct wire_buffer o;
    begin(&p, &o);
    print(&p, "exit 255; : {host}", &o);
    p.host.was_ready = true;
    p.now = clock_now_s();
    for (int starts = 0; starts < 2 * HOST_RESTS_MAX; starts++) {
        p.events[HOST_EVENT_LOST] = 0;
        for (double until_s = clock_now_s() + 60;
             clock_now_s() < until_s && !p.events[HOST_EVENT_LOST];) {
            host_turn(&p.host, p.now);
            host_listen(&p.host, p.now);
            take_events(&p);
        }
        assert_int_equal(p.host.state, HOST_WAITING);
        p.now += HOST_PAUSE_MAX_S;
    }
    leave(&p);
}

PREPARE
{
    signal(SIGPIPE, SIG_IGN);
}
