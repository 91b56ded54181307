#include "datasets/corpus.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/heartbeat.h"
#include "engine/base/sha256.h"

enum { PIECE = 1 << 16 };

enum status corpus_open(const char *path, struct corpus *c, struct message *m)
{
    size_t size;
    *c = (struct corpus){.path = path};
    enum status s = file_open(path, &c->fd, &size, m);
    if (s == STATUS_OK && size == 0) {
        s = status_fail(m, STATUS_BAD_INPUT, "%s: is empty", path);
        corpus_close(c);
    }
    c->size = (int64_t)size;
    return s == STATUS_IO ? STATUS_BAD_INPUT : s;
}

void corpus_close(struct corpus *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

enum status corpus_read(const struct corpus *c, int64_t offset, void *bytes, size_t n,
                        struct message *m)
{
    for (size_t used = 0; used < n;) {
        ssize_t got = pread(c->fd, (char *)bytes + used, n - used, (off_t)offset + (off_t)used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return status_fail(m, STATUS_IO, "%s: cannot read: %s", c->path, strerror(errno));
        if (got == 0)
            return status_fail(m, STATUS_CORRUPT, "%s: was truncated while it was read", c->path);
        used += (size_t)got;
    }
    return STATUS_OK;
}

static enum status refuse_change(const struct corpus *c, const struct stat *before,
                                 struct message *m)
{
    struct stat now;
    if (fstat(c->fd, &now))
        return status_fail(m, STATUS_IO, "%s: cannot read: %s", c->path, strerror(errno));
    if (now.st_size != c->size || file_mtime_ns(&now) != file_mtime_ns(before))
        return status_fail(m, STATUS_CORRUPT, "%s: was changed while it was read", c->path);
    return STATUS_OK;
}

enum status corpus_scan(const struct corpus *c, corpus_visit visit, void *context, char sha256[65],
                        struct message *m)
{
    unsigned char piece[PIECE];
    struct sha256 hash;
    struct stat before;
    if (fstat(c->fd, &before))
        return status_fail(m, STATUS_IO, "%s: cannot read: %s", c->path, strerror(errno));
    sha256_init(&hash);
    enum status s = STATUS_OK;
    for (int64_t at = 0; s == STATUS_OK && at < c->size; at += PIECE) {
        heartbeat();
        size_t n = c->size - at < PIECE ? (size_t)(c->size - at) : PIECE;
        s = corpus_read(c, at, piece, n, m);
        if (s == STATUS_OK && sha256)
            sha256_update(&hash, piece, n);
        if (s == STATUS_OK)
            s = visit(context, piece, n, m);
    }
    if (s == STATUS_OK)
        s = refuse_change(c, &before, m);
    if (s == STATUS_OK && sha256)
        sha256_final(&hash, sha256);
    return s;
}
