#include "sweep/db/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/store_internal.h"

enum { PATH_SIZE = 4096 };

/* False where it is too long. */
static bool lock_path(const char *db, char path[PATH_SIZE])
{
    return snprintf(path, PATH_SIZE, "%s.lock", db) < PATH_SIZE;
}

/* Each name has a lock and a log of its own, so that two runs on two names would know nothing of
 * each other. A lock on the file itself would not help: the second would not find the first one's
 * log. */
static enum status check_names(const char *db, struct message *m)
{
    struct stat st;
    struct statx more;
    if (stat(db, &st) != 0 || !S_ISREG(st.st_mode))
        return STATUS_OK; /* not there yet, or refused by name when it is opened */
    if (st.st_nlink > 1)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s is one of %ju names of the same file (hard links), and a run at "
                           "another name would damage it. Remove the other names (`find FOLDER "
                           "-samefile FILE` lists them); for a copy use plain `cp`",
                           db, (uintmax_t)st.st_nlink);
    if (statx(AT_FDCWD, db, 0, STATX_BASIC_STATS, &more) == 0 &&
        (more.stx_attributes & STATX_ATTR_MOUNT_ROOT))
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s is mounted by itself, without the log, the lock and the weights "
                           "that lie beside the file; mount its folder instead",
                           db);
    return STATUS_OK;
}

/* Whoever only looks whether it is held (lock_is_held) holds it for a moment. */
static int lock_nearly_at_once(int fd)
{
    enum { TRIES = 10 };
    const struct timespec pause = {.tv_nsec = 5000000};
    int failed = flock(fd, LOCK_EX | LOCK_NB);
    for (int i = 1; i < TRIES && failed && errno == EWOULDBLOCK; i++) {
        nanosleep(&pause, NULL);
        failed = flock(fd, LOCK_EX | LOCK_NB);
    }
    return failed;
}

enum status lock_hold(const char *path, int *out, struct message *m)
{
    /* O_NOFOLLOW: in a shared folder the name may be somebody else's link to a file of ours. */
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return status_fail(m, status_of_errno(errno), "%s: %s", path, strerror(errno));
    if (lock_nearly_at_once(fd) == 0) {
        *out = fd;
        return STATUS_OK;
    }
    int error = errno;
    close(fd);
    return error == EWOULDBLOCK
               ? status_fail(m, STATUS_BUSY, "%s: another process holds it", path)
               : status_fail(
                     m, STATUS_IO,
                     "%s: this file system has no locks (%s); put the results file on another",
                     path, strerror(error));
}

/* ---- who holds it ---- */

#define JOB_BEFORE ", job "
#define JOB_BEHIND " of Slurm"

long lock_slurm_number(const char *text, const char *behind)
{
    enum { DIGITS = 10 };
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (digits < 1 || digits > DIGITS || strcmp(text + digits, behind) != 0)
        return -1;
    return strtol(text, NULL, 10);
}

/* Whoever may write to the folder may have written anything there. */
static void read_holder(int fd, struct lock_holder *h)
{
    char text[sizeof h->words] = "";
    struct stat st;
    bool file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    ssize_t n = file ? pread(fd, text, sizeof text - 1, 0) : 0;
    text[n > 0 ? strcspn(text, "\n") : 0] = '\0';
    const char *job = strstr(text, JOB_BEFORE);
    long number = lock_slurm_number(job ? job + strlen(JOB_BEFORE) : NULL, JOB_BEHIND);
    h->job = number > 0 ? number : 0;
    text_shown(text[0] ? text : "another headcount", h->words, sizeof h->words);
}

static int open_to_look(const char *path)
{
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* The lock file at path, where somebody holds it; -1 where nobody does. */
static int open_held(const char *path)
{
    int fd = open_to_look(path);
    if (fd < 0 || (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK))
        return fd;
    close(fd);
    return -1;
}

bool lock_is_held(const char *path)
{
    int fd = open_held(path);
    lock_release(fd);
    return fd >= 0;
}

bool lock_is_taken(const char *db)
{
    char path[PATH_SIZE];
    return lock_path(db, path) && lock_is_held(path);
}

bool lock_holder(const char *db, struct lock_holder *h)
{
    char path[PATH_SIZE];
    int fd = lock_path(db, path) ? open_held(path) : -1;
    if (fd >= 0)
        read_holder(fd, h);
    lock_release(fd);
    return fd >= 0;
}

static enum status name_holder(const char *db, const char *path, struct message *m)
{
    struct lock_holder h;
    char stop[32] = "SIGTERM";
    int fd = open_to_look(path);
    read_holder(fd, &h);
    lock_release(fd);
    if (h.job)
        snprintf(stop, sizeof stop, "scancel %ld", h.job);
    return status_fail(m, STATUS_BUSY,
                       "%s is in use by %s; wait for it to end, or stop it (%s), or choose another "
                       "file with --db",
                       db, h.words, stop);
}

/* Only a courtesy to the next one who asks: a full disk must not stop us here. Not into a file of
 * two names, which may be another file that is worth more. */
static void write_holder(int fd)
{
    char host[128] = "", in_job[64] = "", text[256];
    struct stat st;
    long job = lock_slurm_number(getenv("SLURM_JOB_ID"), "");
    gethostname(host, sizeof host - 1);
    if (job > 0)
        snprintf(in_job, sizeof in_job, JOB_BEFORE "%ld" JOB_BEHIND, job);
    int n = snprintf(text, sizeof text, "process %ld on %s%s\n", (long)getpid(), host, in_job);
    if (fstat(fd, &st) == 0 && st.st_nlink == 1 && ftruncate(fd, 0) == 0 &&
        pwrite(fd, text, (size_t)n, 0) != n)
        errno = 0;
}

enum status lock_take(const char *db, int *out, struct message *m)
{
    char path[PATH_SIZE];
    struct store_header header;
    if (!lock_path(db, path))
        return status_fail(m, STATUS_BAD_INPUT, "the name of the results file is too long");
    enum status s = store_probe(db, STORE_VERSION, &header, m);
    if (s == STATUS_OK)
        s = check_names(db, m);
    if (s != STATUS_OK)
        return s;
    s = file_make_folders_above(db, m);
    if (s == STATUS_OK)
        s = lock_hold(path, out, m);
    if (s == STATUS_BUSY)
        return name_holder(db, path, m);
    if (s == STATUS_IO)
        return status_fail_within(m, s,
                                  "%s cannot be written; choose another file with --db: ", db);
    if (s != STATUS_OK)
        return s;
    write_holder(*out);
    return STATUS_OK;
}

void lock_release(int fd)
{
    if (fd >= 0)
        close(fd);
}
