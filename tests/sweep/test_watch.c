/* When a silent worker has hung, and when it only has much to do or no chance to do it. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/worker/watch.h"

#include "tests/test.h"

#undef TEST_FIXTURE
#define TEST_FIXTURE struct watch *w

static double now_s;
static struct watch_sample sample;

static int begin(void **state)
{
    static struct watch w;
    unsetenv("HEADCOUNT_SILENCE_S");
    now_s = 1000;
    sample = (struct watch_sample){'R', 0};
    watch_begin(&w, now_s);
    *state = &w;
    return 0;
}

/* Looks four times a second for so long, or until the verdict is not FINE any more; the process
 * uses `share` of the time. Returns the seconds that passed. */
static double look_for(struct watch *w, double seconds, char process_state, double share,
                       enum watch_verdict *verdict)
{
    double passed = 0;
    *verdict = WATCH_FINE;
    sample.state = process_state;
    while (passed < seconds && *verdict == WATCH_FINE) {
        passed += 0.25;
        now_s += 0.25;
        sample.cpu_s += 0.25 * share;
        *verdict = watch_look(w, &sample, now_s);
    }
    return passed;
}

FIXTURE(begin, NULL)

TEST(a_silent_one_has_hung)
{
    enum watch_verdict v;
    assert_true(look_for(w, 1000, 'R', 1, &v) == WATCH_SILENCE_S);
    assert_int_equal(v, WATCH_HUNG);
}

TEST(asleep_it_has_hung_too)
{
    enum watch_verdict v;
    assert_true(look_for(w, 1000, 'S', 0, &v) == WATCH_SILENCE_S);
    assert_int_equal(v, WATCH_HUNG);
}

TEST(who_speaks_is_at_work)
{
    enum watch_verdict v;
    for (int i = 0; i < 10; i++) {
        look_for(w, WATCH_SILENCE_S - 1, 'R', 1, &v);
        assert_int_equal(v, WATCH_FINE);
        watch_heard(w);
    }
}

/* Stopped, waiting for a disk, or for its turn on a machine with a hundred others. */
TEST(what_it_cannot_help_is_not_counted)
{
    enum watch_verdict v;
    look_for(w, 100000, 'T', 0, &v);
    assert_int_equal(v, WATCH_FINE);
    look_for(w, 100000, 'D', 0, &v);
    assert_int_equal(v, WATCH_FINE);
    assert_true(look_for(w, 100000, 'R', 1.0 / 64, &v) == 64 * WATCH_SILENCE_S);
    assert_int_equal(v, WATCH_HUNG);
}

TEST(who_was_silent_for_long_before_may_be_again)
{
    enum watch_verdict v;
    look_for(w, 10, 'R', 1, &v);
    watch_heard(w);
    assert_true(look_for(w, 1000, 'R', 1, &v) == 10 * WATCH_SILENCES);
    assert_int_equal(v, WATCH_HUNG);
}

/* The whole group was paused for an hour: nobody looked. */
TEST(a_pause_of_the_watcher_counts_a_second)
{
    now_s += 3600;
    sample = (struct watch_sample){'S', 3600};
    assert_int_equal(watch_look(w, &sample, now_s), WATCH_FINE);
    assert_true(w->silent_s == 1);
}

TEST(who_is_to_stop_has_less_time)
{
    enum watch_verdict v;
    look_for(w, 50, 'R', 1, &v);
    watch_leaving(w);
    assert_true(look_for(w, 1000, 'R', 1, &v) == WATCH_STOP_S);
    assert_int_equal(v, WATCH_HUNG);
}

TEST(who_is_at_work_at_a_stop_is_late)
{
    enum watch_verdict v;
    watch_leaving(w);
    look_for(w, WATCH_STOP_S - 1, 'R', 1, &v);
    assert_int_equal(v, WATCH_FINE);
    watch_heard(w);
    watch_leaving(w); /* asked again: it has no more time for that */
    look_for(w, 1, 'R', 1, &v);
    assert_int_equal(v, WATCH_LATE);
}

/* One that has no CPU to stop with is late, not hung. */
TEST(who_starves_at_a_stop_is_late)
{
    enum watch_verdict v;
    watch_leaving(w);
    look_for(w, 1000, 'R', 0.1, &v);
    assert_int_equal(v, WATCH_LATE);
}

TEST(tests_may_be_impatient)
{
    enum watch_verdict v;
    setenv("HEADCOUNT_SILENCE_S", "2", 1);
    watch_begin(w, now_s);
    assert_true(look_for(w, 1000, 'R', 1, &v) == 2);
}

TEST(patience_is_a_positive_number)
{
    static const char *const none[] = {"", "0", "-1", "nan", "soon"};
    enum watch_verdict verdict;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        setenv("HEADCOUNT_SILENCE_S", none[i], 1);
        watch_begin(w, now_s);
        sample.cpu_s = 0;
        look_for(w, WATCH_SILENCE_S - 1, 'S', 0, &verdict);
        assert_int_equal(verdict, WATCH_FINE);
    }
}

FIXTURE(NULL, NULL)

TEST(the_system_tells_state_and_time)
{
    struct watch_sample s;
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        for (;;)
            continue;
    double until = clock_now_s() + 600;
    do
        assert_true(watch_sample(pid, &s));
    while (s.cpu_s < 0.05 && clock_now_s() < until);
    assert_each(s.cpu_s >= 0.05, s.cpu_s < 10);
    assert_int_equal(s.state, 'R');
    kill(pid, SIGSTOP);
    waitpid(pid, &status, WUNTRACED);
    assert_true(watch_sample(pid, &s));
    assert_int_equal(s.state, 'T');
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    assert_false(watch_sample(pid, &s));
}
