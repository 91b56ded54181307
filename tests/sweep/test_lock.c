/* One writer per results file: the lock, who is said to hold it, files with two names. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/db/lock.h"

#include "tests/own_folder.h"

static char db[300], lock_file[320];

static int set_up(void **state)
{
    int made = make_folder(state);
    snprintf(db, sizeof db, "%s/below/r.db", folder);
    snprintf(lock_file, sizeof lock_file, "%s.lock", db);
    return made;
}

FIXTURE(set_up, remove_whole_folder)

TEST(one_holder_at_a_time)
{
    struct message m;
    int first, second;
    char expected[64];
    assert_false(lock_is_held(lock_file));
    assert_int_equal(lock_take(db, &first, &m), STATUS_OK); /* the folder is made */
    assert_true(lock_is_held(lock_file));
    assert_int_equal(lock_take(db, &second, &m), STATUS_BUSY);
    snprintf(expected, sizeof expected, "is in use by process %ld on ", (long)getpid());
    if (!strstr(m.text, expected) || !strstr(m.text, db))
        fail_msg("%s", m.text);
    assert_int_equal(lock_hold(lock_file, &second, &m), STATUS_BUSY);
    assert_non_null(strstr(m.text, "another process holds it"));
    lock_release(first);
    assert_false(lock_is_held(lock_file));
    assert_int_equal(lock_hold(lock_file, &second, &m), STATUS_OK);
    assert_int_equal(ftruncate(second, 0), 0);
    assert_int_equal(lock_take(db, &first, &m), STATUS_BUSY);
    assert_non_null(strstr(m.text, "is in use by another headcount"));
    lock_release(second);
    lock_release(-1);
}

TEST(no_place_for_it)
{
    struct message m;
    int fd;
    assert_int_equal(lock_take("/proc/none/results.db", &fd, &m), STATUS_IO);
    if (!strstr(m.text, "/proc/none/results.db cannot be written; choose another file with --db: "
                        "/proc/none: cannot make this folder: "))
        fail_msg("%s", m.text);
}

static void write_lock(int fd, const char *text)
{
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, text, strlen(text), 0), (ssize_t)strlen(text));
}

TEST(a_job_that_holds_it)
{
    struct message m;
    struct lock_holder h;
    int fd, second;
    char expected[64];
    assert_false(lock_holder(db, &h));
    setenv("SLURM_JOB_ID", "17", 1);
    assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
    assert_true(lock_holder(db, &h));
    assert_int_equal(h.job, 17);
    snprintf(expected, sizeof expected, "process %ld on ", (long)getpid());
    assert_memory_equal(h.words, expected, strlen(expected));
    assert_non_null(strstr(h.words, ", job 17 of Slurm"));
    assert_int_equal(lock_take(db, &second, &m), STATUS_BUSY);
    if (!strstr(m.text, ", job 17 of Slurm; wait for it to end, or stop it (scancel 17)"))
        fail_msg("%s", m.text);
    lock_release(fd);
    assert_false(lock_holder(db, &h));
    const char *const odd[] = {"", "x", "17;touch hacked", "-3", "17 ", "99999999999"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        setenv("SLURM_JOB_ID", odd[i], 1);
        assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
        assert_true(lock_holder(db, &h));
        if (h.job != 0 || strstr(h.words, "job"))
            fail_msg("%s", h.words);
        lock_release(fd);
    }
    unsetenv("SLURM_JOB_ID");
}

/* Others may write to the folder. */
TEST(a_lock_that_says_anything)
{
    struct message m;
    struct lock_holder h;
    int fd, second;
    static const char *const none[] = {
        "process 1 on n1, job 17; scancel -u me of Slurm",
        "process 1 on n1, job  of Slurm",
        "process 1 on n1, job -17 of Slurm",
        "process 1 on n1, job 17 of Slurm, too",
        "process 1 on n1\n, job 17 of Slurm",
        "process 1 on n1, job 12345678901 of Slurm",
    };
    assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        write_lock(fd, none[i]);
        assert_true(lock_holder(db, &h));
        if (h.job != 0)
            fail_msg("%s: %ld", none[i], h.job);
    }
    assert_int_equal(lock_take(db, &second, &m), STATUS_BUSY);
    assert_non_null(strstr(m.text, "SIGTERM"));
    write_lock(fd, "process 1 on \033[2Jn1, job 17 of Slurm\n");
    assert_true(lock_holder(db, &h));
    assert_string_equal(h.words, "process 1 on \\u001b[2Jn1, job 17 of Slurm");
    assert_int_equal(h.job, 17);
    static char text[100001];
    memset(text, 'x', sizeof text - 1);
    write_lock(fd, text);
    assert_true(lock_holder(db, &h));
    assert_in_range(strlen(h.words), 200, sizeof h.words - 1);
    assert_int_equal(h.job, 0);
    lock_release(fd);
    assert_int_equal(unlink(lock_file), 0);
    assert_int_equal(mkfifo(lock_file, 0600), 0);
    assert_false(lock_holder(db, &h)); /* and does not wait for a writer */
}

/* Who looks holds it for a moment, which is no reason to refuse a run. */
TEST(looking_disturbs_nobody)
{
    struct message m;
    int fd;
    assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
    lock_release(fd);
    pid_t looker = fork();
    assert_true(looker >= 0);
    if (looker == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (looker == 0)
        lock_is_held(lock_file);
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(lock_hold(lock_file, &fd, &m), STATUS_OK);
        lock_release(fd);
    }
    kill(looker, SIGKILL);
    waitpid(looker, NULL, 0);
}

/* Each name would have a lock of its own. */
TEST(a_file_of_two_names)
{
    struct message m;
    struct stat st;
    int fd;
    char other[300];
    snprintf(other, sizeof other, "%s/below/h.db", folder);
    assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
    lock_release(fd);
    assert_int_equal(unlink(lock_file), 0);
    int file = open(db, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(link(db, other), 0);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? other : db;
        assert_int_equal(lock_take(name, &fd, &m), STATUS_BAD_INPUT);
        if (!strstr(m.text, name) || !strstr(m.text, "one of 2 names of the same file"))
            fail_msg("%s", m.text);
    }
    assert_int_not_equal(stat(lock_file, &st), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
    lock_release(fd);
}

/* In a folder that others write to, the lock's name may lead to a file that is worth more. */
TEST(a_lock_that_is_a_link)
{
    struct message m;
    struct stat st;
    int fd;
    char precious[300];
    assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
    lock_release(fd);
    assert_int_equal(unlink(lock_file), 0);
    snprintf(precious, sizeof precious, "%s/below/precious", folder);
    int file = open(precious, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_int_equal(write(file, "gold", 4), 4);
    close(file);
    assert_int_equal(symlink(precious, lock_file), 0);
    assert_int_equal(lock_take(db, &fd, &m), STATUS_IO);
    assert_int_equal(unlink(lock_file), 0);
    assert_int_equal(link(precious, lock_file), 0);
    assert_int_equal(lock_take(db, &fd, &m), STATUS_OK);
    lock_release(fd);
    assert_int_equal(stat(precious, &st), 0);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(unlink(precious), 0);
}

TEST(impossible_locks)
{
    struct message m;
    int fd;
    static char name[5000];
    memset(name, 'a', sizeof name - 1);
    assert_int_equal(lock_take(name, &fd, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "too long"));
    assert_int_equal(lock_take("/dev/null/r.db", &fd, &m), STATUS_IO);
    assert_int_equal(lock_hold(folder, &fd, &m), STATUS_IO);
    assert_non_null(strstr(m.text, folder));
}
