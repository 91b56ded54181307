/* OpenBLAS is loaded by whoever computes, and where it would have no room it says so. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/kernels/blas.h"

#include "tests/test.h"

static bool is_loaded(void)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (!found && fgets(line, sizeof line, maps))
        found = strstr(line, "openblas") != NULL;
    fclose(maps);
    return found;
}

/* Sanitizers map more addresses than a limit could leave. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PLAIN = 0 };
#else
enum { PLAIN = 1 };
#endif

/* In a process of its own, as a loaded library stays loaded; what it returns is its exit status.
 * One that hangs is killed after five minutes. */
static void in_child(int (*case_)(void))
{
    int status;
    if (!PLAIN)
        skip();
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(300);
        _exit(case_());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Leaves room for `bytes` beside what is mapped already. */
static void limit_addresses(size_t bytes)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%ld", &pages) == 1)
        fclose(f);
    rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
}

/* Versions differ in what they take while they are loaded: it works, or is refused. */
static int names_come_or_are_refused(void)
{
    struct message m = {""};
    bool before = is_loaded();
    limit_addresses((size_t)100 << 20);
    enum status s = blas_load(1, &m);
    if (s != STATUS_OK)
        return s != STATUS_NO_MEMORY || is_loaded() || !strstr(m.text, "`ulimit -v` allows");
    return before || !is_loaded() || blas_info().threads != 1 ||
           strncmp(blas_info().version, "OpenBLAS 0", 10) != 0;
}

static int no_room_for_a_product(void)
{
    struct message m = {""};
    limit_addresses((size_t)100 << 20);
    return blas_start(1, &m) != STATUS_NO_MEMORY || !strstr(m.text, "`ulimit -v` allows") ||
           blas_room(NULL) != STATUS_NO_MEMORY;
}

/* Scarce, but enough, also where the parent's children are reaped by the kernel. */
static int tried_first(void)
{
    struct message m = {""};
    signal(SIGCHLD, SIG_IGN);
    limit_addresses((size_t)500 << 20);
    return blas_room(&m) != STATUS_OK || is_loaded() || blas_start(1, &m) != STATUS_OK ||
           !is_loaded() || blas_room(&m) != STATUS_OK;
}

static int no_room_for_the_library(void)
{
    struct message m = {""};
    limit_addresses((size_t)20 << 20);
    return blas_start(1, &m) != STATUS_INTERNAL || !strstr(m.text, "OpenBLAS cannot be loaded");
}

static int no_room_for_threads(void)
{
    struct message m = {""};
    limit_addresses((size_t)250 << 20);
    return blas_start(2, &m) != STATUS_NO_MEMORY || is_loaded();
}

/* Each thread takes memory of its own with its first product, perhaps for ever. */
static int no_room_for_callers(void)
{
    struct message m = {""};
    if (blas_callers(4) != 1 || blas_start(1, &m) != STATUS_OK || blas_callers(0) != 1)
        return 1;
    if (blas_callers(4) != 4) /* unless it was built without threads */
        return 2;
    limit_addresses((size_t)2500 << 20);
    if (blas_callers(4) != 3 || blas_callers(2) != 2)
        return 3;
    limit_addresses((size_t)500 << 20);
    return blas_callers(4) != 1;
}

/* What a product needs has been taken: later ones do with what is there. */
static int started_stays_started(void)
{
    enum { N = 200 };
    static real x[3][N * N];
    struct message m = {""};
    if (blas_start(1, &m) != STATUS_OK || blas_start(1, &m) != STATUS_OK)
        return 1;
    limit_addresses(0);
    for (int i = 0; i < N * N; i++)
        x[0][i] = x[1][i] = 1;
    blas_nt(N, N, N, x[0], x[1], 0, x[2]);
    return x[2][0] != N || x[2][N * N - 1] != N;
}

TEST(test_names_come_or_are_refused)
{
    in_child(names_come_or_are_refused);
}

TEST(test_no_room_for_a_product)
{
    in_child(no_room_for_a_product);
}

TEST(test_tried_first)
{
    in_child(tried_first);
}

TEST(test_no_room_for_the_library)
{
    in_child(no_room_for_the_library);
}

TEST(test_no_room_for_threads)
{
    in_child(no_room_for_threads);
}

TEST(test_no_room_for_callers)
{
    in_child(no_room_for_callers);
}

TEST(test_started_stays_started)
{
    in_child(started_stays_started);
}
