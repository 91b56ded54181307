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
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "sweep/db/store_internal.h"

enum { ID_SIZE = 33, LINE_MAX_SIZE = 128 };
#define OWNER_FORMAT "headcount.owner.1 %s %" PRIx64 " %" PRIx64 "\n"

/* The line that says that the folder is that of the file at s->path. */
static enum status write_line(const struct store *s, const char *id, char line[LINE_MAX_SIZE],
                              struct message *m)
{
    struct stat st;
    struct statvfs fs;
    if (stat(s->path, &st) != 0 || statvfs(s->path, &fs) != 0)
        return status_fail(m, status_of_errno(errno), "%s: %s", s->path, strerror(errno));
    snprintf(line, LINE_MAX_SIZE, OWNER_FORMAT, id, (uint64_t)fs.f_fsid, (uint64_t)st.st_ino);
    return STATUS_OK;
}

static enum status read_id(struct store *s, char id[ID_SIZE], struct message *m)
{
    struct rows r =
        store_rows(s, "reading its id", "SELECT id FROM results_file LIMIT 1", NO_VALUES, m);
    const char *text = rows_next(&r) ? rows_text(&r, 0) : NULL;
    bool sound =
        text && strlen(text) == ID_SIZE - 1 && strspn(text, "0123456789abcdef") == ID_SIZE - 1;
    if (r.status == STATUS_OK && !sound)
        r.status = status_fail(m, STATUS_CORRUPT,
                               "%s has lost its id (table results_file), by which its folder "
                               "is known to be its own; restore a copy",
                               s->path);
    else if (r.status == STATUS_OK)
        memcpy(id, text, ID_SIZE);
    return rows_close(&r);
}

/* What the folder says; "" where it says nothing or is not there. */
static enum status read_line(const struct store *s, char line[LINE_MAX_SIZE], struct message *m)
{
    enum status status = STATUS_OK;
    line[0] = '\0';
    int folder = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = folder < 0 ? -1
                        : openat(folder, STORE_OWNER,
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, LINE_MAX_SIZE - 1);
    if (n >= 0)
        line[n] = '\0';
    else if (errno != ENOENT)
        status = status_fail(m, status_of_errno(errno), "%s/" STORE_OWNER ": %s", s->folder,
                             strerror(errno));
    if (n == 0)
        snprintf(line, LINE_MAX_SIZE, "?"); /* it is there, and no line that we wrote */
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return status;
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

static enum status refuse(const struct store *s, const char *what, struct message *m)
{
    return status_fail(m, STATUS_BAD_INPUT,
                       "%s %s, so nothing in it was changed. %s, or choose another file with --db. "
                       "If no other results file uses that folder, remove %s/" STORE_OWNER
                       ": it then belongs to %s",
                       s->folder, what, is_link(s->folder) ? "Remove the link" : "Move it away",
                       s->folder, s->path);
}

/* id: NULL of a file that is yet to be made. *line gets what the folder is to say; "": it does. */
static enum status judge(const struct store *s, const char *id, char line[LINE_MAX_SIZE],
                         struct message *m)
{
    static const char front[] = "headcount.owner.1 ";
    enum { ID_AT = sizeof front - 1, ID_END = ID_AT + ID_SIZE - 1 };
    char there[LINE_MAX_SIZE];
    line[0] = '\0';
    enum status status = read_line(s, there, m);
    if (status == STATUS_OK && id)
        status = write_line(s, id, line, m);
    if (status != STATUS_OK || !there[0])
        return status;
    bool same_id = id && strncmp(there, line, ID_END) == 0 && there[ID_END] == ' ';
    bool link = is_link(s->folder);
    if (!same_id && (link || !is_empty(s->folder)))
        return refuse(s, "belongs to another results file", m);
    if (id && strcmp(there, line) == 0)
        line[0] = '\0';
    else if (link)
        return refuse(s, "is a link to a folder that belongs to another copy of this results file",
                      m);
    return STATUS_OK;
}

enum status store_check_folder(struct store *s, struct message *m)
{
    char id[ID_SIZE], line[LINE_MAX_SIZE];
    enum status status = read_id(s, id, m);
    return status == STATUS_OK ? judge(s, id, line, m) : status;
}

enum status store_check_new_folder(const struct store *s, struct message *m)
{
    char line[LINE_MAX_SIZE];
    return judge(s, NULL, line, m);
}

enum status store_claim_folder(struct store *s, struct message *m)
{
    char id[ID_SIZE], line[LINE_MAX_SIZE] = "", *path;
    enum status status = read_id(s, id, m);
    if (status == STATUS_OK)
        status = judge(s, id, line, m);
    if (status != STATUS_OK || !line[0])
        return status;
    if (asprintf(&path, "%s/" STORE_OWNER, s->folder) < 0)
        return status_no_memory(m, s->folder);
    struct iovec part = {line, strlen(line)};
    status = file_write(path, &part, 1, m);
    free(path);
    return status;
}
