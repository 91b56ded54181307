#include "datasets/corpus.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/file.h"
#include "engine/base/heartbeat.h"
#include "engine/base/sha256.h"
#include "engine/base/text.h"

enum {
    READ = 1 << 16,       /* bytes, in a scan */
    PIECE_MIN = 1 << 12,  /* bytes */
    PIECES_MAX = 1 << 19, /* whose states take 16 MiB */
    CACHED_MAX = 1 << 23, /* bytes of pieces that stay in memory */
    STATE = sizeof(uint32_t[8])
};

struct corpus_pieces {
    int64_t size;         /* of a piece, a power of two; the last one may be shorter */
    uint32_t (*state)[8]; /* (pieces + 1): of the SHA-256 before each, and at the end */
    bool noted;
    int64_t slots;
    int64_t *held; /* (slots): the piece in memory there, from 1; 0: none. Piece k goes to slot
                      k % slots. */
    unsigned char *byte; /* (slots, size) */
};

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

/* ---- pieces ---- */

static int64_t divide_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

static int64_t piece_size(int64_t size)
{
    int64_t piece = PIECE_MIN;
    while (divide_up(size, piece) > PIECES_MAX)
        piece *= 2;
    return piece;
}

static int64_t slots_of(int64_t size)
{
    int64_t piece = piece_size(size), all = divide_up(size, piece), most = CACHED_MAX / piece;
    return all < most ? all : most > 1 ? most : 1;
}

struct corpus_pieces *corpus_pieces_new(struct arena *a, int64_t size)
{
    struct corpus_pieces *p = arena_alloc(a, 1, sizeof *p);
    p->size = piece_size(size);
    p->slots = slots_of(size);
    p->state = arena_alloc(a, (size_t)divide_up(size, p->size) + 1, STATE);
    p->held = arena_alloc(a, (size_t)p->slots, sizeof *p->held);
    p->byte = arena_alloc(a, (size_t)p->slots, (size_t)p->size);
    return p;
}

double corpus_pieces_memory(int64_t size)
{
    int64_t piece = piece_size(size);
    return (double)(divide_up(size, piece) + 1) * STATE +
           (double)slots_of(size) * (double)(piece + (int64_t)sizeof(int64_t));
}

/* The state with all bytes in it, also those that fill no block: zeros follow them. */
static void whole_state(const struct sha256 *hash, uint32_t state[8])
{
    static const unsigned char zeros[64];
    struct sha256 whole = *hash;
    sha256_update(&whole, zeros, (64 - whole.length % 64) % 64);
    memcpy(state, whole.state, STATE);
}

/* Takes bytes into the hash, and notes its state before each piece that begins among them. */
static void hash_bytes(struct sha256 *hash, struct corpus_pieces *p, const unsigned char *bytes,
                       size_t n)
{
    while (n > 0) {
        size_t step = n;
        if (p) {
            size_t size = (size_t)p->size, within = hash->length % size;
            if (within == 0)
                memcpy(p->state[hash->length / size], hash->state, STATE);
            step = n < size - within ? n : size - within;
        }
        sha256_update(hash, bytes, step);
        bytes += step;
        n -= step;
    }
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
    struct corpus_pieces *p = c->pieces && !c->pieces->noted ? c->pieces : NULL;
    struct sha256 hash;
    sha256_init(&hash);
    enum status s = STATUS_OK;
    for (int64_t at = 0; s == STATUS_OK && at < c->size; at += READ) {
        heartbeat();
        size_t n = c->size - at < READ ? (size_t)(c->size - at) : READ;
        s = read_bytes(c, at, bytes, n, m);
        if (s == STATUS_OK)
            hash_bytes(&hash, p, bytes, n);
        if (s == STATUS_OK && visit)
            s = visit(context, bytes, n, m);
    }
    if (s != STATUS_OK)
        return s;
    if (p) {
        whole_state(&hash, p->state[divide_up(c->size, p->size)]);
        p->noted = true;
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

/* Piece k in memory, where nobody can change it any more, once its hash is right. */
static enum status load(const struct corpus *c, int64_t k, const unsigned char **bytes,
                        struct message *m)
{
    struct corpus_pieces *p = c->pieces;
    int64_t slot = k % p->slots, offset = k * p->size, left = c->size - offset;
    size_t n = (size_t)(left < p->size ? left : p->size);
    unsigned char *memory = p->byte + slot * p->size;
    *bytes = memory;
    if (p->held[slot] == k + 1)
        return STATUS_OK;
    p->held[slot] = 0;
    enum status s = read_bytes(c, offset, memory, n, m);
    if (s != STATUS_OK)
        return s;
    struct sha256 hash;
    uint32_t after[8];
    sha256_init(&hash);
    memcpy(hash.state, p->state[k], STATE);
    sha256_update(&hash, memory, n);
    whole_state(&hash, after);
    if (memcmp(after, p->state[k + 1], STATE) != 0)
        return status_fail(m, STATUS_CORRUPT,
                           "%s has changed near byte %" PRId64
                           " since it was opened: put the old file back",
                           c->path, offset);
    p->held[slot] = k + 1;
    return STATUS_OK;
}

enum status corpus_read(const struct corpus *c, int64_t offset, void *bytes, size_t n,
                        struct message *m)
{
    unsigned char *to = bytes;
    if (offset > c->size - (int64_t)n)
        return status_fail(m, STATUS_CORRUPT, "%s: ends before byte %" PRId64, c->path,
                           offset + (int64_t)n);
    while (n > 0) {
        const unsigned char *piece;
        int64_t size = c->pieces->size;
        enum status s = load(c, offset / size, &piece, m);
        if (s != STATUS_OK)
            return s;
        size_t within = (size_t)(offset % size), left = (size_t)size - within;
        size_t step = n < left ? n : left;
        memcpy(to, piece + within, step);
        to += step;
        offset += (int64_t)step;
        n -= step;
    }
    return STATUS_OK;
}

/* ---- comparing ---- */

enum status corpus_refuse(const struct corpus *c, const char *now, const char *known,
                          struct message *m)
{
    return status_fail(m, STATUS_CORRUPT,
                       "%s has changed since it was first read (SHA-256 %.12s..., not "
                       "%.12s...): put the old file back",
                       c->path, now, known);
}

enum status corpus_check(struct corpus *c, const char *sha256, bool all, struct message *m)
{
    struct stat st;
    char now[65];
    if (fstat(c->fd, &st) != 0)
        return fail_read(c, m);
    if (st.st_size != c->size)
        return status_fail(m, STATUS_CORRUPT,
                           "%s changed while it was in use (%s, not %" PRId64
                           "): put the old file back",
                           c->path, text_counted(st.st_size, "byte").text, c->size);
    if (!all && file_mtime_ns(&st) == c->mtime_ns)
        return STATUS_OK;
    enum status s = corpus_scan(c, NULL, NULL, now, m);
    if (s == STATUS_OK && strcmp(now, sha256) != 0)
        return corpus_refuse(c, now, sha256, m);
    if (s == STATUS_OK)
        c->mtime_ns = file_mtime_ns(&st);
    return s;
}
