/* What an agent owes (host_deadlines.c): with what it withholds, or says out of turn, it holds up
 * nobody. */
#include "tests/sweep/host_help.h"

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

TEST(an_agent_answers_in_time)
{
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

TEST(a_message_comes_to_its_end)
{
    enum { SIZE = 300 << 10, KIB = 1 << 10 };
    static char rows[SIZE];
    for (int large = 0; large < 2; large++) {
        struct printed p;
        struct wire_buffer o = {0};
        come_to(&p, HOST_READY, 1);
        put_spawned(&o, 0);
        put(&o, WIRE_CURVE, 0, rows, large ? SIZE : KIB);
        o.end -= KIB / 2;
        says(&p, &o);
        assert_lost(&p, NULL, HOST_PATIENCE_S + (large ? SIZE / KIB : 1), true,
                    "stopped in the middle of a message");
    }
}

TEST(who_leaves_is_gone_in_time)
{
    struct printed p;
    struct wire_buffer o = {0};
    come_to(&p, HOST_READY, 0);
    put(&o, AGENT_LEAVING, 0, NULL, 0);
    says(&p, &o);
    assert_lost(&p, beats, HOST_PATIENCE_S, true, "was to end and did not");
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

TEST(slots_speak_in_turn)
{
    struct wire_buffer o = {0};
    put(&o, WIRE_ALIVE, 0, "", 0); /* not told that it has started */
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
                p.host.losses = 0; /* it gained something */
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(p.events[HOST_EVENT_LOST], 5 + HOST_LOSSES_MAX);
    assert_non_null(strstr(p.host.why, "given up after 8 times: its launcher ended"));
    leave(&p);
}

TEST(a_host_that_lived_for_a_while_is_not)
{
    struct printed p;
    come_to(&p, HOST_READY, 0);
    p.host.losses = HOST_LOSSES_MAX - 1;
    assert_true(lost_after(&p, beats, HOST_PAUSE_MAX_S + 1) < 0);
    assert_lost(&p, NULL, HOST_PATIENCE_S, false, "has been silent for 60 s");
    assert_int_equal(p.host.losses, HOST_LOSSES_MAX - 1);
}

PREPARE
{
    signal(SIGPIPE, SIG_IGN);
}
