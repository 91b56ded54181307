/* What is kept of a worker's stderr, and its slot in a pool: this program is the worker, too, and
 * plays the part that the environment names. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sweep/worker/worker_ends.h"
#include "sweep/worker/worker_pool.h"

#include "tests/test.h"

/* ---- the worker ---- */

/* Says each number of threads that it is granted, up to 5. */
static int say_threads(void)
{
    static char job[WIRE_JOB_MAX];
    struct message m;
    worker_begin();
    if (worker_read_job(job, sizeof job, &m) != STATUS_OK || strcmp(job, "a job") != 0)
        return 9;
    for (int said = 0, now; said < 5; said = now) {
        while ((now = worker_threads()) == said)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        dprintf(2, "%d", now);
    }
    return 3;
}

/* Its first order, with whatever bytes. */
static const char *read_job(size_t *size)
{
    static struct wire_buffer orders;
    static char bytes[1 << 10];
    struct message m;
    struct wire_frame f;
    while (!wire_next(&orders, &f)) {
        ssize_t n = read(WIRE_ORDERS_FD, bytes, sizeof bytes);
        if (n <= 0 || wire_feed(&orders, bytes, (size_t)n, wire_order_valid, &m) != STATUS_OK)
            exit(9);
    }
    *size = f.size;
    return f.payload;
}

/* "lines" N times, then what its job says; "pieces": byte by byte. */
static int be_worker(const char *part)
{
    if (strcmp(part, "threads") == 0)
        return say_threads();
    size_t size;
    const char *job = read_job(&size);
    int lines = strcmp(part, "lines") == 0 ? 1000 : 0;
    for (int i = 0; i < lines; i++)
        dprintf(2, "line %d of a long text\n", i);
    for (size_t i = 0; strcmp(part, "pieces") == 0 && i < size; i++)
        if (write(2, job + i, 1) != 1)
            return 9;
    if (strcmp(part, "pieces") != 0 && write(2, job, size) != (ssize_t)size)
        return 9;
    if (strcmp(part, "abort") == 0)
        abort();
    return 3;
}

/* ---- the tests ---- */

static void on_message(void *context, const struct wire_frame *f)
{
    (void)context;
    fail_msg("a message of type %d", (int)f->type);
}

static void spawn(struct process *p, const char *part, const char *job, size_t size)
{
    struct message m;
    setenv("PART", part, 1);
    char **environment = process_environment();
    assert_int_equal(process_spawn(p, job, size, environment, &m), STATUS_OK);
    free(environment);
}

static const char *hear(struct process *p, const char *part, const char *said, size_t size)
{
    spawn(p, part, said, size);
    while (!process_attend(p, on_message, NULL))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return p->end.error;
}

static void hears(const char *part, const char *said, size_t size, const char *kept)
{
    struct process p;
    const char *error = hear(&p, part, said, size);
    assert_string_equal(error, kept);
    assert_int_equal(p.end.exit_code, strcmp(part, "abort") == 0 ? 0 : 3);
}

TEST(lines_stay_lines)
{
    static const char three[] = "first\n\tsecond \x1b[31m\xce\xbb\n\nlast\n\n";
    static const char kept[] = "first\n\tsecond \x1b[31m\xce\xbb\n\nlast";
    hears("plain", three, sizeof three - 1, kept);
    hears("pieces", three, sizeof three - 1, kept);
    hears("plain", "\n", 1, "");
}

TEST(a_nul_hides_nothing)
{
    hears("plain", "a\0b\nc", 5, "a?b\nc");
    hears("pieces", "\0c", 2, "?c");
}

TEST(a_signal_leaves_what_was_said)
{
    struct process p;
    const char *error = hear(&p, "abort", "one\ntwo\n", 8);
    assert_memory_equal(error, "one\ntwo", 7);
    if (strncmp(error + 7, "\nqemu: ", 7) != 0) /* an emulator adds a line */
        assert_string_equal(error, "one\ntwo");
    assert_int_equal(p.end.signal, SIGABRT);
}

/* The last lines, whole ones. */
TEST(of_much_the_end_is_kept)
{
    struct process p;
    const char *error = hear(&p, "lines", "the end", 7);
    size_t size = strlen(error);
    assert_memory_equal(error, "[...]\nline ", 11);
    assert_string_equal(error + size - 32, "\nline 999 of a long text\nthe end");
    assert_in_range(size, PROCESS_TAIL - 100, PROCESS_TAIL - 1);
}

/* More than fits, in one line: a part of it, with what follows. */
TEST(of_a_long_line_the_end_is_kept)
{
    static char said[20000];
    struct process p;
    memset(said, 'x', sizeof said);
    memcpy(said + sizeof said - 10, "\nthe end..", 10);
    for (int i = 0; i < 2; i++) {
        const char *error = hear(&p, i ? "pieces" : "plain", said, sizeof said);
        assert_memory_equal(error, "[...]\nxxx", 9);
        assert_string_equal(error + strlen(error) - 11, "x\nthe end..");
        assert_int_equal(strlen(error), PROCESS_TAIL - 1);
    }
}

/* One at first; then what it is told, while it runs. */
TEST(a_worker_hears_how_many_threads)
{
    static const char next[] = "0215"; /* once it has said so many */
    struct process p;
    spawn(&p, "threads", "a job", 5);
    for (int said = 0; !process_attend(&p, on_message, NULL);) {
        if (said < (int)p.error_used && (said = (int)p.error_used) < 4)
            process_order(&p, &(struct wire_frame){WIRE_THREADS, 0, &next[said], 1});
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_string_equal(p.end.error, "1215");
    assert_int_equal(p.end.exit_code, 3);
}

/* Slots come as they are asked for, and again. */
TEST(a_pool_has_the_slots_that_were_used)
{
    struct worker_pool w = {0};
    struct message m;
    struct pollfd fds[6];
    const struct worker_end *end;
    setenv("PART", "plain", 1);
    for (int i = 0; i < 4; i++) {
        int slot = i % 2 ? 0 : 2;
        assert_int_equal(worker_pool_start(&w, slot, "done", 4, &m), STATUS_OK);
        assert_true(worker_pool_pid(&w, slot) > 0);
        assert_int_equal(worker_pool_pid(&w, 1), 0);
        assert_int_equal(worker_pool_pid(&w, 3), 0);
        assert_int_equal(worker_pool_running(&w), 1);
        assert_int_equal(worker_pool_poll(&w, fds), 2);
        assert_null(worker_pool_attend(&w, 1, on_message, NULL));
        while (!(end = worker_pool_attend(&w, slot, on_message, NULL)))
            poll(fds, (nfds_t)worker_pool_poll(&w, fds), 10);
        assert_int_equal(end->exit_code, 3);
        assert_string_equal(end->error, "done");
        assert_int_equal(worker_pool_poll(&w, fds), 0);
        assert_null(worker_pool_attend(&w, slot, on_message, NULL));
    }
    worker_pool_free(&w, 0);
}

PREPARE
{
    if (argc > 1)
        exit(be_worker(getenv("PART")));
}
