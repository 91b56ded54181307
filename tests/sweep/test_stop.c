/* Which signals ask to stop, and which of them a second time. */
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/worker/stop.h"

#include "tests/test.h"

static int install(void **state)
{
    struct message m;
    (void)state;
    return stop_install(&m) == STATUS_OK ? 0 : -1;
}

static int restore(void **state)
{
    (void)state;
    stop_restore();
    return 0;
}

static bool wake_is_readable(void)
{
    struct pollfd fd = {.fd = stop_wake_fd(), .events = POLLIN};
    return poll(&fd, 1, 0) == 1;
}

FIXTURE(install, restore)

TEST(test_nothing_asked)
{
    assert_int_equal(stop_requests(), 0);
    assert_false(wake_is_readable());
}

TEST(test_every_signal_asks)
{
    static const int asking[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};
    struct message m;
    for (size_t i = 0; i < sizeof asking / sizeof asking[0]; i++) {
        stop_restore();
        assert_int_equal(stop_install(&m), STATUS_OK);
        raise(asking[i]);
        assert_int_equal(stop_requests(), 1);
        assert_int_equal(stop_signal(), asking[i]);
        assert_true(wake_is_readable());
        stop_drain();
        assert_false(wake_is_readable());
    }
}

TEST(test_second_interrupt_counts)
{
    raise(SIGINT);
    raise(SIGTERM);
    assert_int_equal(stop_requests(), 2);
    assert_int_equal(stop_signal(), SIGTERM);
}

/* `timeout` signals the process and its group: that is one request, a later one is another. */
TEST(test_echo_does_not_count)
{
    raise(SIGINT);
    raise(SIGINT);
    assert_int_equal(stop_requests(), 1);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    raise(SIGINT);
    assert_int_equal(stop_requests(), 2);
}

/* A terminal that closes says so more than once; that is no order to kill. */
TEST(test_second_hangup_does_not_count)
{
    raise(SIGHUP);
    raise(SIGHUP);
    raise(SIGUSR1);
    raise(SIGXCPU);
    assert_int_equal(stop_requests(), 1);
    assert_int_equal(stop_signal(), SIGHUP);
    raise(SIGTERM);
    assert_int_equal(stop_requests(), 2);
}

TEST(test_child_only_wakes)
{
    raise(SIGCHLD);
    assert_int_equal(stop_requests(), 0);
    assert_true(wake_is_readable());
}

/* By nohup; by a shell, of what a script starts in the background. */
TEST(test_what_is_ignored_stays_so)
{
    static const int stays[] = {SIGHUP, SIGINT};
    struct message m;
    stop_restore();
    for (size_t i = 0; i < sizeof stays / sizeof stays[0]; i++) {
        signal(stays[i], SIG_IGN);
        assert_int_equal(stop_install(&m), STATUS_OK);
        raise(stays[i]);
        assert_int_equal(stop_requests(), 0);
        raise(SIGTERM);
        assert_int_equal(stop_requests(), 1);
        stop_restore();
        signal(stays[i], SIG_DFL);
    }
}

/* However the loop is held up: the process ends. */
TEST(test_end_comes)
{
    int status;
    assert_int_equal(alarm(0), 0);
    raise(SIGTERM);
    unsigned left = alarm(0);
    assert_in_range(left, STOP_WITHIN_S - 1, STOP_WITHIN_S);
    raise(SIGINT);
    assert_int_equal(alarm(0), 0); /* a second request does not begin the time anew */
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(STDERR_FILENO);
        raise(SIGALRM);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), STOP_FORCED);
    raise(SIGTERM);
    stop_restore();
    assert_int_equal(alarm(0), 0);
}

TEST(test_restore)
{
    struct sigaction now;
    stop_restore();
    sigaction(SIGINT, NULL, &now);
    assert_true(now.sa_handler == SIG_DFL);
    signal(SIGINT, SIG_IGN);
    stop_restore(); /* nothing is left to restore */
    sigaction(SIGINT, NULL, &now);
    assert_true(now.sa_handler == SIG_IGN);
    signal(SIGINT, SIG_DFL);
    /* Again, through the same pipe. */
    int fd = stop_wake_fd();
    struct message m;
    raise(SIGCHLD);
    assert_int_equal(stop_install(&m), STATUS_OK);
    assert_int_equal(stop_wake_fd(), fd);
    assert_false(wake_is_readable());
}

PREPARE
{
    signal(SIGINT, SIG_DFL); /* a shell starts its background jobs with it ignored, */
    signal(SIGHUP, SIG_DFL); /* and nohup whatever it starts with this one */
}
