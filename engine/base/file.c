#include "engine/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status fail_errno(struct message *m, const char *path, const char *what)
{
    int error = errno;
    return status_fail(m, status_of_errno(error), "%s: cannot %s: %s", path, what, strerror(error));
}

/* Steps over n bytes that were written. */
static void parts_advance(struct iovec **parts, int *count, size_t n)
{
    while (*count > 0 && n >= (*parts)->iov_len) {
        n -= (*parts)->iov_len;
        ++*parts;
        --*count;
    }
    if (n > 0) {
        (*parts)->iov_base = (char *)(*parts)->iov_base + n;
        (*parts)->iov_len -= n;
    }
}

static enum status write_parts(int fd, const char *path, struct iovec *parts, int count,
                               struct message *m)
{
    parts_advance(&parts, &count, 0);
    while (count > 0) {
        ssize_t n = writev(fd, parts, count < IOV_MAX ? count : IOV_MAX);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return fail_errno(m, path, "write");
        parts_advance(&parts, &count, (size_t)n);
    }
    return STATUS_OK;
}

enum status file_sync_folder(const char *path, struct message *m)
{
    const char *slash = strrchr(path, '/');
    char *folder = !slash          ? strdup(".")
                   : slash == path ? strdup("/")
                                   : strndup(path, (size_t)(slash - path));
    if (!folder)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory", path);
    enum status s = STATUS_OK;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        s = fail_errno(m, folder, "open the folder");
    else if (fsync(fd) && errno != EINVAL) /* EINVAL: a file system that cannot sync folders */
        s = fail_errno(m, folder, "sync the folder");
    if (fd >= 0)
        close(fd);
    free(folder);
    return s;
}

enum status file_write(const char *path, struct iovec *parts, int count, struct message *m)
{
    char *temporary;
    if (asprintf(&temporary, "%s.%ld.tmp", path, (long)getpid()) < 0)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory", path);

    /* O_TRUNC and not O_EXCL: what is there can only be left from a dead process of the same id. */
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        enum status s = fail_errno(m, temporary, "create");
        free(temporary);
        return s;
    }
    enum status s = write_parts(fd, path, parts, count, m);
    if (s == STATUS_OK && fsync(fd))
        s = fail_errno(m, path, "sync");
    if (close(fd) && s == STATUS_OK && errno != EINTR)
        s = fail_errno(m, path, "close");
    if (s == STATUS_OK && rename(temporary, path))
        s = fail_errno(m, path, "rename the temporary file");
    if (s == STATUS_OK)
        s = file_sync_folder(path, m); /* else the rename could be lost at a power failure */
    else
        unlink(temporary);
    free(temporary);
    return s;
}

/* Reads until `size` bytes are there or the file ends. */
static enum status read_all(int fd, const char *path, void *bytes, size_t size, size_t *used,
                            struct message *m)
{
    for (*used = 0; *used < size;) {
        ssize_t n = read(fd, (char *)bytes + *used, size - *used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(m, path, "read");
        if (n == 0)
            break;
        *used += (size_t)n;
    }
    return STATUS_OK;
}

enum status file_open(const char *path, int *fd, size_t *size, struct message *m)
{
    /* O_NONBLOCK: opening a pipe that nobody writes to must not hang. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return fail_errno(m, path, "open");
    enum status s = STATUS_OK;
    struct stat about;
    if (fstat(*fd, &about))
        s = fail_errno(m, path, "read");
    else if (!S_ISREG(about.st_mode))
        s = status_fail(m, STATUS_BAD_INPUT, "%s: is %s, not a file", path,
                        S_ISDIR(about.st_mode) ? "a folder" : "a device or pipe");
    else if ((uintmax_t)about.st_size >= SIZE_MAX)
        s = status_fail(m, STATUS_BAD_INPUT, "%s: its %jd bytes are beyond this machine", path,
                        (intmax_t)about.st_size);
    if (s == STATUS_OK) {
        *size = (size_t)about.st_size;
        return STATUS_OK;
    }
    close(*fd);
    *fd = -1;
    return s;
}

enum status file_take(int fd, const char *path, void *bytes, size_t size, struct message *m)
{
    size_t used;
    enum status s = read_all(fd, path, bytes, size, &used, m);
    if (s == STATUS_OK && used < size)
        s = status_fail(m, STATUS_CORRUPT, "%s: ends %zu bytes early: truncated", path,
                        size - used);
    return s;
}

enum status file_read(const char *path, size_t limit, void **bytes, size_t *size, struct message *m)
{
    *bytes = NULL;
    *size = 0;
    int fd;
    size_t length, used = 0;
    enum status s = file_open(path, &fd, &length, m);
    if (s != STATUS_OK)
        return s;
    char *memory = NULL;
    if (length > limit)
        s = status_fail(m, STATUS_BAD_INPUT, "%s: has %zu bytes; allowed: up to %zu", path, length,
                        limit);
    else if (!(memory = malloc(length + 1)))
        s = status_fail(m, STATUS_NO_MEMORY, "%s: no memory for its %zu bytes", path, length);
    else
        s = read_all(fd, path, memory, length, &used, m);
    close(fd);
    if (s == STATUS_OK) {
        memory[used] = '\0';
        *bytes = memory;
        *size = used;
    } else {
        free(memory);
    }
    return s;
}
