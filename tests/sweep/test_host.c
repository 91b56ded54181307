/* The coordinator's end of one machine (host.h): nothing that it said is lost with its end, and
 * nothing that it says holds up the others. What it withholds: test_host_deadlines.c. */
#include <sys/ioctl.h>

#include "tests/sweep/host_help.h"
#include "tests/test.h"

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

PREPARE
{
    signal(SIGPIPE, SIG_IGN);
}
