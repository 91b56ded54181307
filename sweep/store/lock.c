#include "sweep/store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status make_folder_of(const char *path, struct message *m)
{
    char *folder = strdup(path);
    if (!folder)
        return status_fail(m, STATUS_NO_MEMORY, "out of memory");
    enum status s = STATUS_OK;
    for (char *slash = strchr(folder + 1, '/'); slash && s == STATUS_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            s = status_fail(m, status_of_errno(errno), "cannot make the folder %s: %s", folder,
                            strerror(errno));
        *slash = '/';
    }
    free(folder);
    return s;
}

static enum status refuse(int fd, const char *db, int error_number, struct message *m)
{
    if (error_number != EWOULDBLOCK)
        return status_fail(m, STATUS_IO, "%s.lock: this file system takes no lock: %s", db,
                           strerror(error_number));
    char holder[256] = "";
    ssize_t n = pread(fd, holder, sizeof holder - 1, 0);
    holder[n > 0 ? strcspn(holder, "\n") : 0] = '\0';
    return status_fail(
        m, STATUS_BAD_INPUT,
        "%s is in use by %s; wait for it to end, or stop it (SIGTERM), or choose another "
        "file with --db",
        db, holder[0] ? holder : "another headcount");
}

enum status lock_take(const char *db, int *out, struct message *m)
{
    enum status s = make_folder_of(db, m);
    if (s != STATUS_OK)
        return s;
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s.lock", db) >= sizeof path)
        return status_fail(m, STATUS_BAD_INPUT, "the name of the results file is too long");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return status_fail(m, status_of_errno(errno), "%s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        s = refuse(fd, db, errno, m);
        close(fd);
        return s;
    }
    char host[128] = "", text[256];
    gethostname(host, sizeof host - 1);
    int n = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
    /* Only a courtesy to the next one who asks: a full disk must not stop us here. */
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) != n)
        errno = 0;
    *out = fd;
    return STATUS_OK;
}

void lock_release(int fd)
{
    if (fd >= 0)
        close(fd);
}

int lock_is_held(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return 0;
    int held = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return held;
}
