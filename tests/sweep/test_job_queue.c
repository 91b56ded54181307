/* A queue of jobs: every one is answered once, whatever becomes of the others. This program is its
 * own agent and its own worker, too. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/hosts/agent.h"
#include "sweep/plan/machine.h"
#include "sweep/study/job_queue.h"
#include "sweep/worker/stop.h"
#include "sweep/worker/worker_ends.h"

#include "tests/test.h"

enum { JOBS = 12 };

/* ---- the worker ---- */

static void send(const char *text)
{
    worker_tell(WIRE_ANSWER, text, strlen(text));
}

/* That three workers may use. */
static int cores(void)
{
    return machine_cores() < 3 ? machine_cores() : 3;
}

/* Does with its job what the job says: "echo 3", "fail 3", ... */
static int play(void)
{
    static char job[WIRE_JOB_MAX];
    struct message m;
    worker_begin();
    if (worker_read_job(job, sizeof job, &m) != STATUS_OK)
        return 1;
    send("answer to ");
    if (strncmp(job, "fail", 4) == 0) {
        fprintf(stderr, "cannot do %s\n", job);
        return 1;
    }
    if (strncmp(job, "mute", 4) == 0)
        return 7;
    if (strncmp(job, "die", 3) == 0)
        raise(SIGKILL);
    if (strncmp(job, "orphan", 6) == 0 ||
        (strncmp(job, "once", 4) == 0 && access(getenv("ONCE"), F_OK) != 0 &&
         close(open(getenv("ONCE"), O_CREAT | O_WRONLY, 0666)) == 0)) {
        kill(getppid(), SIGKILL);
        pause();
    }
    if (strncmp(job, "babble", 6) == 0)
        (void)!write(WIRE_MESSAGE_FD, "what is this supposed to be?", 28);
    while (strncmp(job, "hang", 4) == 0 || strncmp(job, "babble", 6) == 0)
        pause();
    while (strncmp(job, "alone", 5) == 0 && worker_threads() < cores()) {
        worker_tell(WIRE_ALIVE, "", 0);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    send(job);
    return 0;
}

/* ---- the coordinator ---- */

struct record {
    const char *part[JOBS]; /* what each job is told to do */
    int begun, at_once, most_at_once, lost, said;
    int ended[JOBS];
    char answer[JOBS][64], error[JOBS][128];
    double cpu_s;
    enum status refuse; /* what `ends` answers */
    int signal_at;      /* the job that sends a signal when it begins; -1: none */
};

static enum status text(void *context, int i, char **job, struct message *m)
{
    struct record *r = context;
    if (strcmp(r->part[i], "none") == 0)
        return status_fail(m, STATUS_BAD_INPUT, "no such job");
    *job = malloc(64);
    assert_non_null(*job);
    snprintf(*job, 64, "%s %d", r->part[i], i);
    return STATUS_OK;
}

static void begins(void *context, int i, int slot)
{
    struct record *r = context;
    assert_in_range(slot, 0, 2);
    if (r->lost == 0)
        assert_int_equal(i, r->begun); /* in their order */
    r->begun++;
    r->at_once++;
    r->most_at_once = r->at_once > r->most_at_once ? r->at_once : r->most_at_once;
    if (i == r->signal_at)
        raise(SIGINT);
}

static enum status ends(void *context, int i, int slot, const struct job_ending *e,
                        struct message *m)
{
    struct record *r = context;
    assert_in_range(slot, 0, 2);
    r->ended[i]++;
    r->at_once--;
    r->cpu_s += e->cpu_s;
    snprintf(r->answer[i], sizeof r->answer[i], "%s", e->answer ? e->answer : "");
    snprintf(r->error[i], sizeof r->error[i], "%s", e->error);
    return r->refuse ? status_fail(m, r->refuse, "no more") : STATUS_OK;
}

static void lost(void *context, int i, int slot)
{
    struct record *r = context;
    assert_in_range(slot, 0, 2);
    assert_in_range(i, 0, JOBS - 1);
    r->at_once--;
    r->lost++;
}

static void slots(void *context, int n)
{
    (void)context;
    assert_int_equal(n, 3);
}

static void says(void *context, const char *text)
{
    struct record *r = context;
    if (!strstr(text, "this machine is tried again in"))
        fail_msg("%s", text);
    r->said++;
}

static void turns(void *context)
{
    (void)context;
}

static void all_do(struct record *r, const char *part)
{
    *r = (struct record){.signal_at = -1};
    for (int i = 0; i < JOBS; i++)
        r->part[i] = part;
}

static enum status run(struct record *r, struct message *m)
{
    const struct crew_options here = {0};
    const struct job_queue p = {.crew = &here,
                                .folder = "/",
                                .workers = 3,
                                .jobs = JOBS,
                                .context = r,
                                .text = text,
                                .slots = slots,
                                .begins = begins,
                                .ends = ends,
                                .lost = lost,
                                .says = says,
                                .turns = turns};
    assert_int_equal(stop_install(m), STATUS_OK);
    enum status s = job_queue_run(&p, m);
    stop_restore();
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left behind */
    assert_int_equal(errno, ECHILD);
    return s;
}

static void answered(const struct record *r, int i)
{
    char expected[64];
    snprintf(expected, sizeof expected, "answer to echo %d", i);
    assert_int_equal(r->ended[i], 1);
    assert_string_equal(r->answer[i], expected);
    assert_string_equal(r->error[i], "");
}

TEST(every_job_is_answered_once)
{
    struct record r;
    struct message m;
    all_do(&r, "echo");
    assert_int_equal(run(&r, &m), STATUS_OK);
    assert_int_equal(r.most_at_once, 3);
    assert_true(r.cpu_s > 0);
    for (int i = 0; i < JOBS; i++)
        answered(&r, i);
}

/* It ends only when it hears of all cores. */
TEST(the_last_job_has_all_cores)
{
    struct record r;
    struct message m;
    all_do(&r, "echo");
    r.part[0] = "alone";
    assert_int_equal(run(&r, &m), STATUS_OK);
    assert_string_equal(r.answer[0], "answer to alone 0");
}

/* One job does something else; the others are answered all the same. */
static void one_is_lost(const char *part, const char *why)
{
    struct record r;
    struct message m;
    double began_s = clock_now_s();
    all_do(&r, "echo");
    r.part[4] = part;
    assert_int_equal(run(&r, &m), STATUS_OK);
    assert_true(clock_now_s() - began_s < 40); /* not only once it counts as hung */
    for (int i = 0; i < JOBS; i++)
        if (i != 4)
            answered(&r, i);
    assert_int_equal(r.ended[4], 1);
    assert_string_equal(r.answer[4], ""); /* half of it came: that counts for nothing */
    if (!strstr(r.error[4], why))
        fail_msg("'%s' does not say '%s'", r.error[4], why);
}

TEST(a_job_that_fails_says_why)
{
    one_is_lost("fail", "cannot do fail 4");
}

TEST(a_worker_that_ends_without_a_word_is_noticed)
{
    one_is_lost("mute", "its worker ended with status 7 without an answer");
}

TEST(a_worker_that_is_killed_is_noticed)
{
    one_is_lost("die", "its worker was killed (Killed)");
}

/* What its agent takes along begins anew, a limited number of times. */
TEST(an_agent_that_dies_costs_no_answer)
{
    char once[] = "/tmp/test_job_queue.XXXXXX";
    struct record r;
    struct message m;
    int fd = mkstemp(once);
    close(fd);
    unlink(once);
    setenv("ONCE", once, 1);
    setenv("HEADCOUNT_PAUSE_S", "0.01", 1);
    all_do(&r, "echo");
    r.part[4] = "once";
    assert_int_equal(run(&r, &m), STATUS_OK);
    unlink(once);
    assert_in_range(r.lost, 1, 3);
    assert_int_equal(r.said, 1);
    for (int i = 0; i < JOBS; i++)
        if (i != 4)
            answered(&r, i);
    assert_string_equal(r.answer[4], "answer to once 4");
}

TEST(a_job_that_takes_its_agent_along_fails)
{
    setenv("HEADCOUNT_PAUSE_S", "0.01", 1);
    one_is_lost("orphan", "lost 5 times, the last one with this machine: its agent was ended by a "
                          "signal (Killed)");
}

TEST(a_worker_that_breaks_the_protocol_is_ended)
{
    one_is_lost("babble", "which this program does not know");
}

TEST(a_worker_that_hangs_is_ended)
{
    setenv("HEADCOUNT_SILENCE_S", "0.5", 1);
    one_is_lost("hang", "gave no sign of life");
    unsetenv("HEADCOUNT_SILENCE_S");
}

TEST(the_first_answer_that_cannot_be_kept_ends_it)
{
    struct record r;
    struct message m;
    all_do(&r, "echo");
    r.part[1] = r.part[2] = "hang";
    r.refuse = STATUS_DISK_FULL;
    assert_int_equal(run(&r, &m), STATUS_DISK_FULL);
    assert_string_equal(m.text, "no more");
    assert_int_equal(r.begun, 3);
    assert_int_equal(r.ended[0], 1);
}

TEST(a_job_that_cannot_be_put_ends_it)
{
    struct record r;
    struct message m;
    all_do(&r, "hang");
    r.part[2] = "none";
    assert_int_equal(run(&r, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "no such job");
    assert_int_equal(r.begun, 2);
}

TEST(a_signal_drops_what_runs)
{
    struct record r;
    struct message m;
    all_do(&r, "echo");
    r.part[5] = "hang";
    r.signal_at = 5;
    assert_int_equal(run(&r, &m), STATUS_INTERRUPTED);
    assert_int_equal(r.ended[5], 0);
    int before = 0; /* three workers: so many had ended when the sixth job began */
    for (int i = 0; i < 5; i++) {
        before += r.ended[i];
        if (r.ended[i])
            answered(&r, i);
    }
    assert_in_range(before, 3, 5);
}

PREPARE
{
    if (argc == 2 && strcmp(argv[1], "worker") == 0)
        exit(play());
    if (argc == 2 && strcmp(argv[1], AGENT_HERE) == 0)
        exit(agent_here());
}
