/* The coordinator's end of one machine (host.h), whose agent is a file that a launcher prints:
 * nothing that it said is lost with its end, and nothing that it does, or does not do, holds up the
 * others. */
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
#include "sweep/run/slot.h"
#include "sweep/worker/build_info.h"
#include "tests/assert_each.h"

#include <cmocka.h>

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

static void put_message(struct wire_buffer *o, int slot, enum wire_type type, const void *payload,
                        size_t size)
{
    struct message m;
    assert_int_equal(wire_put(o, type, slot, payload, size, &m), STATUS_OK);
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

/* ---- tests ---- */

/* Its last bytes, and its end, come with the same call of host_listen. */
static void what_it_said_last_counts(void **state)
{
    (void)state;
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
static void a_signal_at_the_start_is_no_fault(void **state)
{
    (void)state;
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
static void a_host_that_worked_may_see_the_folder_again(void **state)
{
    (void)state;
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
static void a_flood_is_read_in_pieces(void **state)
{
    (void)state;
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
static void who_is_killed_for_memory_says_so(void **state)
{
    (void)state;
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
static void assert_lost(struct printed *p, void (*say)(struct wire_buffer *o), double allowed_s,
                        bool at_fault, const char *words)
{
    double s = lost_after(p, say, allowed_s + 10);
    assert_true(s >= allowed_s);
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

static void an_agent_answers_in_time(void **state)
{
    (void)state;
    struct printed p;
    come_to(&p, HOST_STARTING, 0);
    assert_lost(&p, greets, HOST_PATIENCE_S, false, "no agent spoke within 60 s");
    come_to(&p, HOST_OPENING, 0);
    assert_lost(&p, beats, HOST_PATIENCE_S, false, "whether it sees the results folder");
    come_to(&p, HOST_READY, 0);
    assert_lost(&p, NULL, HOST_PATIENCE_S, false, "has been silent for 60 s");
    come_to(&p, HOST_READY, 1);
    assert_lost(&p, beats, HOST_PATIENCE_S, true, "whether a worker started");
}

static void a_worker_is_heard_of(void **state)
{
    (void)state;
    struct printed p;
    for (int told = 0; told < 4; told++) { /* nothing, to stop, its last word, its end */
        struct wire_buffer o = {0};
        come_to(&p, HOST_READY, 1);
        put_spawned(&o, 0);
        if (told == 2)
            put_message(&o, 0, WIRE_FINISHED, "t1-a1.result", 12);
        if (told == 3)
            put_ended(&o, 0);
        says(&p, &o);
        if (told == 1)
            host_stop(&p.host, 0);
        if (told == 0) {
            assert_true(lost_after(&p, runs, 1000) < 0); /* it may be stopped, or wait for a disk */
            assert_lost(&p, beats, HOST_PATIENCE_S, true,
                        "has reported nothing of a worker for 60 s");
        } else if (told < 3) {
            assert_lost(&p, runs, HOST_PATIENCE_S, true,
                        "has not reported the end of a worker for 60 s");
        } else {
            assert_true(lost_after(&p, beats, 1000) < 0);
            leave(&p);
        }
    }
}

static void a_message_comes_to_its_end(void **state)
{
    (void)state;
    enum { SIZE = 300 << 10, KIB = 1 << 10 };
    static char rows[SIZE];
    for (int large = 0; large < 2; large++) {
        struct printed p;
        struct wire_buffer o = {0};
        come_to(&p, HOST_READY, 1);
        put_spawned(&o, 0);
        put_message(&o, 0, WIRE_CURVE, rows, large ? SIZE : KIB);
        o.end -= KIB / 2;
        says(&p, &o);
        assert_lost(&p, NULL, HOST_PATIENCE_S + (large ? SIZE / KIB : 1), true,
                    "stopped in the middle of a message");
    }
}

static void who_leaves_is_gone_in_time(void **state)
{
    (void)state;
    struct printed p;
    struct wire_buffer o = {0};
    come_to(&p, HOST_READY, 0);
    put(&o, AGENT_LEAVING, 0, NULL, 0);
    says(&p, &o);
    assert_lost(&p, beats, HOST_PATIENCE_S, true, "was to end and did not");
}

/* This process was stopped, or the machine slept. */
static void nobody_is_blamed_for_our_own_sleep(void **state)
{
    (void)state;
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

/* One that is ready and has two jobs says this: it is lost at once. */
static void assert_out_of_turn(struct wire_buffer *o)
{
    struct printed p;
    come_to(&p, HOST_READY, 2);
    says(&p, o);
    assert_int_equal(p.events[HOST_EVENT_LOST], 1);
    assert_non_null(strstr(p.host.why, "broke the protocol"));
    assert_true(p.host.at_fault);
    leave(&p);
}

static void slots_speak_in_turn(void **state)
{
    (void)state;
    struct wire_buffer o = {0};
    put_message(&o, 0, WIRE_ALIVE, "", 0); /* not told that it has started */
    assert_out_of_turn(&o);
    put(&o, AGENT_RUNS, 0, NULL, 0);
    assert_out_of_turn(&o);
    put_ended(&o, 0);
    assert_out_of_turn(&o);
    put_spawned(&o, 1); /* the other one was asked for before */
    assert_out_of_turn(&o);
    put_spawned(&o, 0);
    put_spawned(&o, 0);
    assert_out_of_turn(&o);
    put_spawned(&o, 0);
    put_ended(&o, 0);
    put(&o, AGENT_RUNS, 0, NULL, 0); /* it has ended */
    assert_out_of_turn(&o);
    put_spawned(&o, 2); /* there is no such job */
    assert_out_of_turn(&o);
}

/* It is ready, and its launcher ends. */
static void a_host_that_dies_again_and_again_is_given_up(void **state)
{
    (void)state;
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
            away_s += HOST_PAUSE_MOST_S;
            if (p.events[HOST_EVENT_LOST] == 5)
                p.host.losses = 0; /* it gained something */
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(p.events[HOST_EVENT_LOST], 5 + HOST_LOSSES_MAX);
    assert_non_null(strstr(p.host.why, "given up after 8 times: its launcher ended"));
    leave(&p);
}

static void a_host_that_lived_for_a_while_is_not(void **state)
{
    (void)state;
    struct printed p;
    come_to(&p, HOST_READY, 0);
    p.host.losses = HOST_LOSSES_MAX - 1;
    assert_true(lost_after(&p, beats, HOST_PAUSE_MOST_S + 1) < 0);
    assert_lost(&p, NULL, HOST_PATIENCE_S, false, "has been silent for 60 s");
    assert_int_equal(p.host.losses, HOST_LOSSES_MAX - 1);
}

/* ---- what a slot keeps of it ---- */

struct kept_notes {
    int64_t count;
    size_t longest;
    char last[SLOT_NOTE_SIZE];
};

static void keep_note(void *context, const struct slot *s, enum wire_type type, const char *text)
{
    struct kept_notes *kept = context;
    (void)s;
    assert_int_equal(type, WIRE_NOTE);
    kept->count++;
    kept->longest = strlen(text) > kept->longest ? strlen(text) : kept->longest;
    snprintf(kept->last, sizeof kept->last, "%s", text);
}

static void notes_are_few_and_short(void **state)
{
    static char note[WIRE_LIMIT];
    struct slot s = {0};
    struct kept_notes kept = {0};
    (void)state;
    memset(note, 'x', sizeof note - 1);
    for (int i = 0; i < 60; i++)
        slot_hear(&s, NULL, &(struct wire_frame){.type = WIRE_NOTE, .payload = note}, keep_note,
                  &kept);
    assert_int_equal(kept.count, SLOT_NOTES_MAX);
    assert_true(kept.longest < SLOT_NOTE_SIZE);
    slot_count_notes(&s, keep_note, &kept);
    assert_string_equal(kept.last, "52 more notes of its worker were left out");
    assert_int_equal(kept.count, SLOT_NOTES_MAX + 1);
    s = (struct slot){0};
    slot_hear(&s, NULL, &(struct wire_frame){.type = WIRE_NOTE, .payload = "a short one"},
              keep_note, &kept);
    assert_string_equal(kept.last, "a short one");
    slot_count_notes(&s, keep_note, &kept);
    assert_string_equal(kept.last, "a short one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_are_few_and_short),
        cmocka_unit_test(what_it_said_last_counts),
        cmocka_unit_test(a_signal_at_the_start_is_no_fault),
        cmocka_unit_test(a_host_that_worked_may_see_the_folder_again),
        cmocka_unit_test(a_flood_is_read_in_pieces),
        cmocka_unit_test(who_is_killed_for_memory_says_so),
        cmocka_unit_test(an_agent_answers_in_time),
        cmocka_unit_test(a_worker_is_heard_of),
        cmocka_unit_test(a_message_comes_to_its_end),
        cmocka_unit_test(who_leaves_is_gone_in_time),
        cmocka_unit_test(nobody_is_blamed_for_our_own_sleep),
        cmocka_unit_test(slots_speak_in_turn),
        cmocka_unit_test(a_host_that_dies_again_and_again_is_given_up),
        cmocka_unit_test(a_host_that_lived_for_a_while_is_not),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
