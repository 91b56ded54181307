#include "sweep/db/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "sweep/db/shard_files.h"

enum { HEADER_SIZE = 100, VERSION_AT = 60, APPLICATION_ID_AT = 68 };

static const char SQLITE_MAGIC[16] = "SQLite format 3";

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool has_bytes(const char *path, const char *suffix)
{
    char beside[4096];
    struct stat st;
    int n = snprintf(beside, sizeof beside, "%s%s", path, suffix);
    return (size_t)n < sizeof beside && stat(beside, &st) == 0 && st.st_size > 0;
}

/* Reads through SQLite's own file layer: a plain close() of the same file would drop the POSIX
 * locks that another connection of this process holds on it. */
static enum status read_header(const char *path, unsigned char header[HEADER_SIZE],
                               struct message *m)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL); /* NULL: no memory for SQLite to start with */
    if (!vfs)
        return status_no_memory(m, path);
    char *full = calloc(1, (size_t)vfs->mxPathname + 1);
    sqlite3_file *file = calloc(1, (size_t)vfs->szOsFile);
    char *name = NULL;
    enum status status = STATUS_OK;
    /* The extended code tells that there was a symbolic link on the way. */
    if (full && file &&
        (vfs->xFullPathname(vfs, path, vfs->mxPathname, full) & 0xff) != SQLITE_OK) {
        status = status_fail(m, STATUS_BAD_INPUT,
                             "%s: SQLite cannot resolve this name; it takes %d bytes", path,
                             vfs->mxPathname);
        goto done;
    }
    if (full && file)
        name = (char *)sqlite3_create_filename(full, "", "", 0, NULL);
    if (!name) {
        status = status_no_memory(m, path);
        goto done;
    }
    if (vfs->xOpen(vfs, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, NULL) !=
        SQLITE_OK) {
        status = status_fail(m, status_of_errno(errno), "%s: %s", path, strerror(errno));
        goto done;
    }
    int code = file->pMethods->xRead(file, header, HEADER_SIZE, 0);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) /* short: the rest stays zero */
        status = status_fail(m, STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
    file->pMethods->xClose(file);
done:
    sqlite3_free_filename(name);
    free(file);
    free(full);
    return status;
}

/* "x/", "x/." and "x/.." can be no file. */
static bool names_folder(const char *path)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    return !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
}

enum status store_check_marks(const char *path, int64_t id, int64_t found, int newest,
                              struct message *m)
{
    if (id == 0 || (id == STORE_APPLICATION_ID && found == 0))
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%s is an SQLite database of another program (left as it is; --db names "
            "another), or a copy by `.dump`, which lacks two numbers. Set them: sqlite3 "
            "%s 'PRAGMA application_id = %d; PRAGMA user_version = %d'",
            path, path, STORE_APPLICATION_ID, newest);
    if (id != STORE_APPLICATION_ID)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s is an SQLite database of another program (application_id %u), not a "
                           "results file of headcount (left as it is; --db names another)",
                           path, (unsigned)id);
    if (found > newest)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%s has format %d, of a newer headcount; this one knows formats up to %d (left "
            "as it is; update headcount, or name another file with --db)",
            path, (int)found, newest);
    if (found < STORE_OLDEST)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%s has format %d, of a development version of headcount; this one reads formats from "
            "%d on (left as it is; run the sweep again into another file, with --db, or export its "
            "results with the version that wrote it)",
            path, (int)found, STORE_OLDEST);
    return STATUS_OK;
}

bool store_interrupted(const char *path)
{
    return has_bytes(path, "-journal") || has_bytes(path, "-wal");
}

enum status store_probe(const char *path, int version, struct store_header *h, struct message *m)
{
    unsigned char header[HEADER_SIZE] = {0};
    static const unsigned char zeros[HEADER_SIZE];
    struct stat st;
    *h = (struct store_header){.kind = STORE_ABSENT};
    if (!*path)
        return status_fail(m, STATUS_BAD_INPUT, "the name of the results file is empty");
    if (stat(path, &st) != 0) {
        if (names_folder(path))
            return status_fail(m, STATUS_BAD_INPUT, "%s names a folder, not a results file", path);
        if (errno == ENOENT)
            return STATUS_OK;
        return status_fail(m, status_of_errno(errno), "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(st.st_mode))
        return status_fail(m, STATUS_BAD_INPUT, "%s is %s, not a results file", path,
                           S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
    bool journal = has_bytes(path, "-journal");
    h->interrupted = journal || has_bytes(path, "-wal");
    h->kind = journal ? STORE_UNSURE : STORE_EMPTY;
    if (st.st_size == 0)
        return STATUS_OK;
    enum status status = read_header(path, header, m);
    if (status != STATUS_OK)
        return status;
    if (journal && memcmp(header, zeros, sizeof zeros) == 0)
        return STATUS_OK; /* killed in the midst of creating it */
    if (memcmp(header, SQLITE_MAGIC, sizeof SQLITE_MAGIC) != 0)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%s is not a results file: it is not an SQLite database (left as it is; --db "
            "names another)",
            path);
    h->version = (int)big_endian(header + VERSION_AT);
    h->kind = STORE_OURS;
    return store_check_marks(path, big_endian(header + APPLICATION_ID_AT), h->version, version, m);
}

bool store_wal_is_safe(const char *path)
{
    /* statfs(2). FUSE is listed because most of what it carries is a network. */
    static const unsigned long unsafe[] = {
        0x6969 /* NFS */,        0x517B /* SMB */,
        0xFE534D42 /* SMB2 */,   0xFF534D42 /* CIFS */,
        0x5346414F /* AFS */,    0x6B414653 /* kAFS */,
        0x73757245 /* Coda */,   0x65735546 /* FUSE */,
        0x00C36400 /* Ceph */,   0x0BD00BD0 /* Lustre */,
        0x47504653 /* GPFS */,   0x19830326 /* BeeGFS */,
        0xAAD7AAEA /* PanFS */,  0x01161970 /* GFS2 */,
        0x7461636F /* OCFS2 */,  0x786F4256 /* VirtualBox */,
        0xBACBACBC /* VMware */,
    };
    struct statfs fs;
    if (statfs(path, &fs) != 0)
        return false;
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        if (((unsigned long)fs.f_type & 0xFFFFFFFF) == unsafe[i])
            return false;
    }
    return true;
}

static void refuse_absent(struct scope *x, const char *path)
{
    struct message ignored;
    struct shard_files shards;
    shard_files_find(&x->arena, path, &shards, &ignored);
    if (shards.count > 0)
        scope_fail(x, STATUS_BAD_INPUT,
                   "there is no results file %s yet, but %d file%s of its shards (%s%s): "
                   "`headcount status` sums them, `headcount merge --into` makes it from them",
                   path, shards.count, text_plural(shards.count), shards.item[0].path,
                   shards.count == 1 ? "" : ", ...");
    scope_fail(x, STATUS_BAD_INPUT,
               "there is no results file %s (`headcount run` makes it; --db names another)", path);
}

enum status store_refuse_absent(const char *path, struct message *m)
{
    struct scope *x = scope_new(NULL, path, m);
    if (scope_enter(x))
        refuse_absent(x, path);
    return scope_end(x);
}
