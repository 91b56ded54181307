#include "datasets/corpus.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/heartbeat.h"
#include "engine/base/sha256.h"
#include "engine/base/text.h"

enum { READ = 1 << 16 }; /* bytes, in a scan */

/* ---- opening and closing ---- */

static enum status fail_read(const struct corpus *c, struct message *m)
{
    return status_fail(m, STATUS_IO, "%s: cannot read: %s", c->path, strerror(errno));
}

enum status corpus_open(const char *path, struct corpus *c, struct message *m)
{
    size_t size;
    struct stat st;
    *c = (struct corpus){.path = path};
    enum status s = file_open(path, &c->fd, &size, m);
    if (s != STATUS_OK)
        return s == STATUS_IO ? STATUS_BAD_INPUT : s;
    c->size = (int64_t)size;
    if (size == 0)
        s = status_fail(m, STATUS_BAD_INPUT, "%s: is empty", path);
    else if (fstat(c->fd, &st) != 0)
        s = fail_read(c, m);
    else
        c->mtime_ns = file_mtime_ns(&st);
    if (s != STATUS_OK)
        corpus_close(c);
    return s;
}

void corpus_close(struct corpus *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

/* ---- reading ---- */

static enum status read_bytes(const struct corpus *c, int64_t offset, void *bytes, size_t n,
                              struct message *m)
{
    for (size_t used = 0; used < n;) {
        ssize_t got = pread(c->fd, (char *)bytes + used, n - used, (off_t)offset + (off_t)used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_read(c, m);
        if (got == 0)
            return status_fail(m, STATUS_CORRUPT, "%s: was truncated while it was read", c->path);
        used += (size_t)got;
    }
    return STATUS_OK;
}

enum status corpus_scan(const struct corpus *c, corpus_visit visit, void *context, char sha256[65],
                        struct message *m)
{
    unsigned char bytes[READ];
    struct sha256 hash;
    sha256_init(&hash);
    enum status s = STATUS_OK;
    for (int64_t at = 0; s == STATUS_OK && at < c->size; at += READ) {
        heartbeat();
        size_t n = c->size - at < READ ? (size_t)(c->size - at) : READ;
        s = read_bytes(c, at, bytes, n, m);
        if (s == STATUS_OK)
            sha256_update(&hash, bytes, n);
        if (s == STATUS_OK && visit)
            s = visit(context, bytes, n, m);
    }
    sha256_final(&hash, sha256);
    return s;
}

enum status corpus_start(const struct corpus *c, void *bytes, size_t size, struct message *m)
{
    return read_bytes(c, 0, bytes, c->size < (int64_t)size ? (size_t)c->size : size, m);
}

enum status corpus_is_text(const struct corpus *c, struct message *m)
{
#define KIND(bytes, what, remedy)                                                                  \
    {                                                                                              \
        bytes, sizeof bytes - 1, what, remedy                                                      \
    }
    static const char unpack[] = "unpack it first";
    static const struct {
        const char *bytes;
        size_t size;
        const char *what, *remedy;
    } kinds[] = {
        KIND("\xff\xfe\0\0", "UTF-32", "save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"),
        KIND("\0\0\xfe\xff", "UTF-32", "save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"),
        KIND("\xff\xfe", "UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"),
        KIND("\xfe\xff", "UTF-16", "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"),
        KIND("%PDF-", "a PDF", "extract its text first (pdftotext)"),
        KIND("SQLite format 3\0", "an SQLite database",
             "write its rows as CSV first (sqlite3 -csv -header)"),
        KIND("PAR1", "Parquet", "save its rows as CSV or JSON Lines first"),
        KIND("\x1f\x8b", "compressed (gzip)", unpack),
        KIND("\xfd"
             "7zXZ\0",
             "compressed (xz)", unpack),
        KIND("\x28\xb5\x2f\xfd", "compressed (zstd)", unpack),
        KIND("PK\x03\x04", "a zip archive, as .xlsx and .docx are",
             "unpack it first, or save it as text or CSV"),
    };
    char start[16];
    size_t n = c->size < (int64_t)sizeof start ? (size_t)c->size : sizeof start;
    enum status s = corpus_start(c, start, sizeof start, m);
    for (size_t i = 0; s == STATUS_OK && i < sizeof kinds / sizeof *kinds; i++)
        if (n >= kinds[i].size && memcmp(start, kinds[i].bytes, kinds[i].size) == 0)
            s = status_fail(m, STATUS_BAD_INPUT, "%s: is %s, not text; %s", c->path, kinds[i].what,
                            kinds[i].remedy);
    return s;
}

enum status corpus_read(const struct corpus *c, int64_t offset, void *bytes, size_t n,
                        struct message *m)
{
    if (offset > c->size - (int64_t)n)
        return status_fail(m, STATUS_CORRUPT, "%s: ends before byte %" PRId64, c->path,
                           offset + (int64_t)n);
    return read_bytes(c, offset, bytes, n, m);
}

enum status corpus_check(struct corpus *c, const char *sha256, int64_t size, bool all,
                         struct message *m)
{
    struct stat st;
    char now[65];
    if (fstat(c->fd, &st) != 0)
        return fail_read(c, m);
    if (st.st_size != size)
        return status_fail(m, STATUS_CORRUPT,
                           "%s has changed since it was first read (%s, not %" PRId64 ")", c->path,
                           text_counted(st.st_size, "byte").text, size);
    if (!all && file_mtime_ns(&st) == c->mtime_ns)
        return STATUS_OK;
    enum status s = corpus_scan(c, NULL, NULL, now, m);
    if (s == STATUS_OK && strcmp(now, sha256) != 0)
        s = status_fail(m, STATUS_CORRUPT,
                        "%s has changed since it was first read (SHA-256 %.12s..., not %.12s...)",
                        c->path, now, sha256);
    if (s == STATUS_OK)
        c->mtime_ns = file_mtime_ns(&st);
    return s;
}
