/* Whose the folder `<db>.d` is. Its file `owner` says so, one line:
 *
 *   headcount.owner.1 {id} {device} {inode}
 *
 * id is that of the results file (table results_file), device and inode are where that file lies,
 * in hexadecimal. device is the file system's own number (f_fsid of statvfs): on most file
 * systems, unlike st_dev, it is the same on all machines that share them and after a restart; on
 * others (tmpfs) a link may have to be adopted again. Both are written when the folder is made, and
 * whenever it is adopted.
 *
 *   the folder has              and is             it is
 *   no file `owner`             anything           adopted
 *   this id, device and inode   anything           its own: a link to it was made on purpose
 *   this id, elsewhere          a folder           adopted: file and folder were copied or moved
 *   this id, elsewhere          reached by a link  refused: a copy of the file, not of the folder
 *   another id                  an empty folder    adopted: nothing can be lost
 *   another id                  anything else      refused */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "sweep/db/store_internal.h"

enum { LINE_MAX_SIZE = 128 };
#define FRONT        "headcount.owner.1 "
#define OWNER_FORMAT FRONT "%s %" PRIx64 " %" PRIx64 "\n"

/* The line that says that the folder is that of the file at its path. */
static const char *owner_line(struct scope *x, const char *id)
{
    const char *path = x->store->path;
    struct stat st;
    struct statvfs fs;
    if (stat(path, &st) != 0 || statvfs(path, &fs) != 0)
        scope_fail(x, status_of_errno(errno), "%s: %s", path, strerror(errno));
    return scope_print(x, OWNER_FORMAT, id, (uint64_t)fs.f_fsid, (uint64_t)st.st_ino);
}

static const char *read_id(struct scope *x)
{
    enum { DIGITS = 32 };
    const char *id =
        scope_string(x, "reading its id", "SELECT id FROM results_file LIMIT 1", NO_VALUES);
    if (!id || strlen(id) != DIGITS || strspn(id, "0123456789abcdef") != DIGITS)
        scope_fail(x, STATUS_CORRUPT,
                   "%s has lost its id (table results_file), by which its folder "
                   "is known to be its own; restore a copy",
                   x->store->path);
    return id;
}

/* What the folder says; "" where it says nothing or is not there. */
static void read_line(struct scope *x, char line[LINE_MAX_SIZE])
{
    const char *path = x->store->folder;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = folder < 0 ? -1
                        : openat(folder, STORE_OWNER,
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, LINE_MAX_SIZE - 1);
    int error = n < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    if (error && error != ENOENT)
        scope_fail(x, status_of_errno(error), "%s/" STORE_OWNER ": %s", path, strerror(error));
    line[n < 0 ? 0 : n] = '\0';
    if (n == 0)
        snprintf(line, LINE_MAX_SIZE, "?"); /* it is there, and no line that we wrote */
}

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* But for its owner. */
static bool is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    bool empty = d;
    for (struct dirent *e; empty && (e = readdir(d));)
        empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
                strcmp(e->d_name, STORE_OWNER) == 0;
    if (d)
        closedir(d);
    return empty;
}

static _Noreturn void refuse(struct scope *x, const char *what)
{
    const char *folder = x->store->folder;
    scope_fail(x, STATUS_BAD_INPUT,
               "%s %s, so nothing in it was changed. %s, or choose another file with --db. "
               "If no other results file uses that folder, remove %s/" STORE_OWNER
               ": it then belongs to %s",
               folder, what, is_link(folder) ? "Remove the link" : "Move it away", folder,
               x->store->path);
}

/* What the folder is to say; "": it does. id: NULL of a file that is yet to be made. */
static const char *judge(struct scope *x, const char *id)
{
    char there[LINE_MAX_SIZE];
    read_line(x, there);
    const char *line = id ? owner_line(x, id) : "";
    if (!there[0])
        return line;
    const char *folder = x->store->folder;
    size_t front = id ? strlen(FRONT) + strlen(id) + 1 : 0; /* with a space behind the id */
    bool same_id = id && strncmp(there, line, front) == 0, link = is_link(folder);
    if (!same_id && (link || !is_empty(folder)))
        refuse(x, "belongs to another results file");
    if (id && strcmp(there, line) == 0)
        return "";
    if (link)
        refuse(x, "is a link to a folder that belongs to another copy of this results file");
    return line;
}

enum status store_check_folder(struct store *s, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        judge(x, read_id(x));
    return scope_end(x);
}

enum status store_check_new_folder(struct store *s, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        judge(x, NULL);
    return scope_end(x);
}

static void write_owner(struct scope *x, const char *line)
{
    struct iovec part = {(char *)line, strlen(line)};
    if (line[0])
        scope_check(x, file_write(scope_print(x, "%s/" STORE_OWNER, x->store->folder), &part, 1,
                                  x->message));
}

enum status store_claim_folder(struct store *s, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        write_owner(x, judge(x, read_id(x)));
    return scope_end(x);
}
