#include "engine/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/heartbeat.h"
#include "engine/base/sha256.h"
#include "engine/base/text.h"

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
    if (*count > 0) {
        (*parts)->iov_base = (char *)(*parts)->iov_base + n;
        (*parts)->iov_len -= n;
    }
}

static enum status write_parts(int fd, const char *path, struct iovec *parts, int count,
                               struct message *m)
{
    parts_advance(&parts, &count, 0);
    while (count > 0) {
        heartbeat();
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

/* What fsync of a folder says on file systems that cannot sync folders. */
static bool cannot_sync_folders(int error)
{
    return error == EINVAL || error == EOPNOTSUPP || error == ENOSYS || error == EBADF;
}

enum status file_can_sync_folder(const char *path, bool *can, struct message *m)
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
    *can = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0 && !*can && !cannot_sync_folders(errno))
        s = fail_errno(m, folder, "sync the folder");
    if (fd >= 0)
        close(fd);
    free(folder);
    return s;
}

enum status file_sync_folder(const char *path, struct message *m)
{
    bool can;
    return file_can_sync_folder(path, &can, m);
}

enum status file_make_folder(const char *folder, struct message *m)
{
    struct stat st;
    if (mkdir(folder, 0777) == 0)
        return STATUS_OK;
    if (errno == EEXIST) {
        if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode))
            return STATUS_OK;
        errno = ENOTDIR;
    }
    return fail_errno(m, folder, "make this folder");
}

enum status file_make_folders_above(const char *path, struct message *m)
{
    char *above = strdup(path);
    if (!above)
        return status_no_memory(m, path);
    enum status s = STATUS_OK;
    for (char *slash = above; s == STATUS_OK && *slash && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        struct stat st; /* looked at first: mkdir of "/home" may say EROFS or EACCES */
        if (stat(above, &st) != 0)
            s = file_make_folder(above, m);
        *slash = '/';
    }
    free(above);
    return s;
}

/* ---- temporary files ---- */

static const char unfinished_mark[] = ".headcount-", unfinished_end[] = ".tmp";

/* ".headcount-0badcafe.tmp" */
static bool is_unfinished_tail(const char *tail)
{
    enum { MARK = sizeof unfinished_mark - 1, DIGITS = 8 };
    return strncmp(tail, unfinished_mark, MARK) == 0 &&
           strspn(tail + MARK, "0123456789abcdef") == DIGITS &&
           strcmp(tail + MARK + DIGITS, unfinished_end) == 0;
}

bool file_name_fits(const char *path)
{
    char longest[PATH_MAX];
    int n =
        snprintf(longest, sizeof longest, "%s%s%08x%s", path, unfinished_mark, 0, unfinished_end);
    return n < (int)sizeof longest && (access(longest, F_OK) == 0 || errno != ENAMETOOLONG);
}

bool file_is_unfinished(const char *name)
{
    size_t size = strlen(name), tail = sizeof unfinished_mark + sizeof unfinished_end - 2 + 8;
    return size > tail && is_unfinished_tail(name + size - tail);
}

/* Who holds the lock lives. False where somebody has just taken the file for one of the dead. */
static bool hold_temporary(int fd)
{
    struct stat st;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK; /* else a file system without locks */
    return fstat(fd, &st) != 0 || st.st_nlink > 0;
}

static void remove_if_dead(int folder, const char *name)
{
    struct stat st;
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    int fd = openat(folder, name, O_RDWR | FLAGS);
    if (fd < 0 && errno == EACCES) /* a copy that nobody is to change */
        fd = openat(folder, name, O_RDONLY | FLAGS);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

void file_remove_unfinished(const char *path)
{
    const char *name = file_last_name(path);
    size_t above = (size_t)(name - path), size = strlen(name);
    char *folder = above ? strndup(path, above) : strdup(".");
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, name, size) == 0 && is_unfinished_tail(e->d_name + size))
            remove_if_dead(dirfd(d), e->d_name);
    if (d)
        closedir(d);
    free(folder);
}

/* A new file beside path, with the mode that umask leaves of `mode`. Its name cannot be foretold,
 * and O_EXCL takes no file that somebody else has put there. */
static enum status create_temporary(const char *path, mode_t mode, char **name, int *fd,
                                    struct message *m)
{
    enum { TRIES = 100 };
    *fd = -1;
    for (int i = 0; i < TRIES; i++) {
        uint32_t random = (uint32_t)time(NULL) + (uint32_t)i;
        if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
            random ^= (uint32_t)getpid() << 16; /* early after a boot */
        if (asprintf(name, "%s%s%08x%s", path, unfinished_mark, (unsigned)random, unfinished_end) <
            0) {
            *name = NULL;
            return status_fail(m, STATUS_NO_MEMORY, "%s: no memory", path);
        }
        *fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (*fd >= 0 && hold_temporary(*fd))
            return STATUS_OK;
        if (*fd < 0 && errno != EEXIST)
            break;
        if (*fd >= 0)
            close(*fd);
        *fd = -1;
        free(*name);
        *name = NULL;
        errno = EEXIST;
    }
    enum status s = fail_errno(m, path, "create");
    free(*name);
    return s;
}

/* What is in the temporary file becomes the file at path; `s` is how writing it went. Both the
 * descriptor and the name are used up. */
static enum status put_in_place(const char *path, char *temporary, int fd, enum status s,
                                struct message *m)
{
    int held = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* with its lock, until it has its name */
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
    if (held >= 0)
        close(held);
    free(temporary);
    return s;
}

enum status file_write(const char *path, struct iovec *parts, int count, struct message *m)
{
    char *temporary;
    int fd;
    enum status s = create_temporary(path, 0666, &temporary, &fd, m);
    if (fd < 0)
        return s;
    s = write_parts(fd, path, parts, count, m);
    return put_in_place(path, temporary, fd, s, m);
}

enum status file_draft_new(const char *path, struct file_draft *d, struct message *m)
{
    int fd;
    *d = (struct file_draft){.path = path};
    enum status s = create_temporary(path, 0666, &d->temporary, &fd, m);
    if (fd < 0)
        return s;
    if ((d->out = fdopen(fd, "w")))
        return STATUS_OK;
    s = fail_errno(m, path, "write");
    close(fd);
    unlink(d->temporary);
    free(d->temporary);
    return s;
}

enum status file_draft_keep(struct file_draft *d, struct message *m)
{
    enum status s = STATUS_OK;
    int fd = -1;
    errno = EIO; /* of an earlier write, which nobody asked for */
    if (fflush(d->out) || ferror(d->out) || (fd = dup(fileno(d->out))) < 0) {
        s = fail_errno(m, d->path, "write");
        file_draft_drop(d);
        return s;
    }
    fclose(d->out);
    return put_in_place(d->path, d->temporary, fd, s, m);
}

void file_draft_drop(struct file_draft *d)
{
    fclose(d->out);
    unlink(d->temporary);
    free(d->temporary);
}

/* Reads until `size` bytes are there or the file ends. */
static enum status read_all(int fd, const char *path, void *bytes, size_t size, size_t *used,
                            struct message *m)
{
    for (*used = 0; *used < size;) {
        heartbeat();
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

enum status file_size(int fd, const char *path, size_t *size, struct message *m)
{
    struct stat about;
    if (fstat(fd, &about))
        return fail_errno(m, path, "read");
    if (!S_ISREG(about.st_mode))
        return status_fail(m, STATUS_BAD_INPUT, "%s: is %s, not a file", path,
                           S_ISDIR(about.st_mode) ? "a folder" : "a device or pipe");
    if ((uintmax_t)about.st_size >= SIZE_MAX)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: its %jd bytes are more than this machine can address", path,
                           (intmax_t)about.st_size);
    *size = (size_t)about.st_size;
    return STATUS_OK;
}

enum status file_open(const char *path, int *fd, size_t *size, struct message *m)
{
    /* O_NONBLOCK: opening a pipe that nobody writes to must not hang. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return fail_errno(m, path, "open");
    enum status s = file_size(*fd, path, size, m);
    if (s != STATUS_OK) {
        close(*fd);
        *fd = -1;
    }
    return s;
}

enum status file_take(int fd, const char *path, void *bytes, size_t size, struct message *m)
{
    size_t used = 0;
    enum status s = read_all(fd, path, bytes, size, &used, m);
    if (s == STATUS_OK && used < size)
        s = status_fail(m, STATUS_CORRUPT, "%s: ends %s early: truncated", path,
                        text_counted((long long)(size - used), "byte").text);
    return s;
}

enum status file_read(const char *path, size_t limit, void **bytes, size_t *size, struct message *m)
{
    *bytes = NULL;
    *size = 0;
    int fd;
    size_t length = 0, used = 0;
    enum status s = file_open(path, &fd, &length, m);
    if (s != STATUS_OK)
        return s;
    char *memory = NULL;
    if (length > limit || length == SIZE_MAX)
        s = status_fail(m, STATUS_BAD_INPUT, "%s: has %zu bytes; allowed: up to %zu", path, length,
                        limit);
    else if (!(memory = malloc(length + 1)))
        s = status_fail(m, STATUS_NO_MEMORY, "%s: no memory for its %zu bytes", path, length);
    else
        s = read_all(fd, path, memory, length, &used, m);
    close(fd);
    if (memory && s == STATUS_OK) {
        memory[used] = '\0';
        *bytes = memory;
        *size = used;
    } else {
        free(memory);
    }
    return s;
}

/* Takes the first `size` bytes of a file into the hash, and writes them to `out` (named by its path
 * `to`), if that is not -1. */
static enum status pass_through(int fd, const char *path, size_t size, int out, const char *to,
                                char sha256[65], struct message *m)
{
    struct sha256 hash;
    char piece[1 << 16];
    enum status s = lseek(fd, 0, SEEK_SET) < 0 ? fail_errno(m, path, "read") : STATUS_OK;
    if (s == STATUS_OK && out >= 0 && lseek(out, 0, SEEK_SET) < 0)
        s = fail_errno(m, to, "write");
    sha256_init(&hash);
    while (s == STATUS_OK && size > 0) {
        size_t some = size < sizeof piece ? size : sizeof piece;
        struct iovec part = {piece, some};
        size -= some;
        s = file_take(fd, path, piece, some, m);
        if (s == STATUS_OK)
            sha256_update(&hash, piece, some);
        if (s == STATUS_OK && out >= 0)
            s = write_parts(out, to, &part, 1, m);
    }
    sha256_final(&hash, sha256);
    return s;
}

enum status file_hash(int fd, const char *path, size_t size, char sha256[65], struct message *m)
{
    return pass_through(fd, path, size, -1, NULL, sha256, m);
}

/* Whether the new file `out` could be given the first `size` bytes of the other within the file
 * system: as blocks that both share (a reflink), else copied by the kernel. */
static bool copy_within(int fd, size_t size, int out)
{
    enum { PIECE = 1 << 26 };
    if (ioctl(out, FICLONE, fd) == 0)
        return ftruncate(out, (off_t)size) == 0;
    ssize_t n = lseek(fd, 0, SEEK_SET) == 0;
    while (n > 0 && size > 0) {
        heartbeat();
        n = copy_file_range(fd, NULL, out, NULL, size < PIECE ? size : PIECE, 0);
        size -= n > 0 ? (size_t)n : 0;
    }
    return size == 0;
}

enum status file_copy(int fd, const char *from, size_t size, const char *to, mode_t mode,
                      const char *sha256, struct message *m)
{
    char copied[65], *temporary;
    int out;
    enum status s = create_temporary(to, mode, &temporary, &out, m);
    if (out < 0)
        return s;
    s = copy_within(fd, size, out) ? file_hash(out, to, size, copied, m)
                                   : pass_through(fd, from, size, out, to, copied, m);
    if (s == STATUS_OK && strcmp(copied, sha256) != 0)
        s = status_fail(m, STATUS_CORRUPT, "%s: is not the file that was to be copied", from);
    return put_in_place(to, temporary, out, s, m);
}

static int64_t time_ns(struct timespec t)
{
    int64_t ns;
    if (__builtin_mul_overflow((int64_t)t.tv_sec, INT64_C(1000000000), &ns) ||
        __builtin_add_overflow(ns, (int64_t)t.tv_nsec, &ns))
        return t.tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

const char *file_last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int64_t file_mtime_ns(const struct stat *st)
{
    return time_ns(st->st_mtim);
}

int64_t file_ctime_ns(const struct stat *st)
{
    return time_ns(st->st_ctim);
}
