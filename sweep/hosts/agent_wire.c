#include "sweep/hosts/agent_wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 12, END = 1, MAGIC = sizeof AGENT_MAGIC - 1, MAGIC_BYTE = 0x89 };

/* ---- numbers ---- */

static void put_number(unsigned char *at, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(x >> (8 * i));
}

static uint64_t get_number(const void *from, int bytes)
{
    const unsigned char *at = from;
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (uint64_t)at[i] << (8 * i);
    return x;
}

void agent_pid_format(int64_t pid, char payload[8])
{
    put_number((unsigned char *)payload, (uint64_t)pid, 8);
}

int64_t agent_pid_parse(const char *payload)
{
    return (int64_t)get_number(payload, 8);
}

/* ---- how a worker ended ---- */

enum { ENDED_NUMBERS = 4 * 4 + 2 * 8 + 4 };

size_t agent_ended_format(const struct agent_ended *e, char payload[AGENT_ENDED_MAX])
{
    unsigned char *at = (unsigned char *)payload;
    size_t killed = strlen(e->killed), error = strlen(e->error);
    put_number(at, (uint32_t)e->exit_code, 4);
    put_number(at + 4, (uint32_t)e->signal, 4);
    put_number(at + 8, (uint32_t)e->killed_for, 4);
    put_number(at + 12, e->unstarted, 4);
    put_number(at + 16, (uint64_t)e->max_rss_kib, 8);
    put_number(at + 24, (uint64_t)(1e9 * e->cpu_s), 8);
    put_number(at + 32, killed, 4);
    memcpy(payload + ENDED_NUMBERS, e->killed, killed);
    memcpy(payload + ENDED_NUMBERS + killed, e->error, error);
    return ENDED_NUMBERS + killed + error;
}

enum status agent_ended_parse(const char *payload, size_t size, struct agent_ended *e,
                              struct message *m)
{
    memset(e, 0, sizeof *e);
    size_t killed = size >= ENDED_NUMBERS ? get_number(payload + 32, 4) : SIZE_MAX;
    if (killed >= sizeof e->killed || size - ENDED_NUMBERS < killed ||
        size - ENDED_NUMBERS - killed >= sizeof e->error ||
        get_number(payload + 8, 4) > WATCH_MEMORY)
        return status_fail(m, STATUS_BAD_INPUT, "the agent sent an invalid exit report");
    e->exit_code = (int)get_number(payload, 4);
    e->signal = (int)get_number(payload + 4, 4);
    e->killed_for = (enum watch_verdict)get_number(payload + 8, 4);
    e->unstarted = get_number(payload + 12, 4) != 0;
    e->max_rss_kib = (int64_t)get_number(payload + 16, 8);
    e->cpu_s = 1e-9 * (double)get_number(payload + 24, 8);
    memcpy(e->killed, payload + ENDED_NUMBERS, killed);
    memcpy(e->error, payload + ENDED_NUMBERS + killed, size - ENDED_NUMBERS - killed);
    return STATUS_OK;
}

/* ---- frames that go out ---- */

static enum status make_room(struct agent_out *o, size_t size, struct message *m)
{
    if (o->begin > 0 && o->begin >= o->end - o->begin) { /* moving costs less than what was sent */
        memmove(o->bytes, o->bytes + o->begin, o->end - o->begin);
        o->end -= o->begin;
        o->begin = 0;
    }
    if (o->end + size <= o->capacity)
        return STATUS_OK;
    size_t capacity = 2 * (o->end + size);
    char *bytes = realloc(o->bytes, capacity);
    if (!bytes)
        return status_fail(m, STATUS_NO_MEMORY, "out of memory for messages of an agent");
    o->bytes = bytes;
    o->capacity = capacity;
    return STATUS_OK;
}

enum status agent_put_bytes(struct agent_out *o, const void *bytes, size_t size, struct message *m)
{
    enum status s = make_room(o, size, m);
    if (s == STATUS_OK && size > 0)
        memcpy(o->bytes + o->end, bytes, size);
    if (s == STATUS_OK)
        o->end += size;
    return s;
}

/* A frame whose payload is in two parts. */
static enum status put_parts(struct agent_out *o, enum agent_type type, int slot, const void *first,
                             size_t first_size, const void *rest, size_t rest_size,
                             struct message *m)
{
    unsigned char header[HEADER];
    size_t size = first_size + rest_size;
    if (size > AGENT_LIMIT)
        return status_fail(m, STATUS_INTERNAL, "a frame of %zu bytes is over the limit", size);
    put_number(header, size, 4);
    put_number(header + 4, (uint64_t)type, 4);
    put_number(header + 8, (uint64_t)slot, 4);
    enum status s = make_room(o, HEADER + size + END, m);
    if (s != STATUS_OK)
        return s;
    agent_put_bytes(o, header, HEADER, NULL);
    agent_put_bytes(o, first, first_size, NULL);
    agent_put_bytes(o, rest, rest_size, NULL);
    return agent_put_bytes(o, "\n", END, NULL);
}

enum status agent_put(struct agent_out *o, enum agent_type type, int slot, const void *payload,
                      size_t size, struct message *m)
{
    return put_parts(o, type, slot, payload, size, NULL, 0, m);
}

enum status agent_put_message(struct agent_out *o, int slot, enum wire_type type,
                              const char *payload, size_t size, struct message *m)
{
    unsigned char number[4];
    put_number(number, (uint64_t)type, 4);
    return put_parts(o, AGENT_MESSAGE, slot, number, sizeof number, payload, size, m);
}

size_t agent_waiting(const struct agent_out *o)
{
    return o->end - o->begin;
}

enum status agent_flush(struct agent_out *o, int fd, struct message *m)
{
    while (o->begin < o->end) {
        ssize_t n = write(fd, o->bytes + o->begin, o->end - o->begin);
        if (n >= 0)
            o->begin += (size_t)n;
        else if (errno == EAGAIN)
            return STATUS_OK;
        else if (errno != EINTR)
            return status_fail(m, STATUS_IO, "the other side is gone: %s", strerror(errno));
    }
    o->begin = o->end = 0;
    return STATUS_OK;
}

void agent_out_free(struct agent_out *o)
{
    free(o->bytes);
    memset(o, 0, sizeof *o);
}

/* ---- frames that come in ---- */

static bool frame_valid(const struct agent_frame *f)
{
    if (f->slot < 0 || f->slot >= HOST_SLOTS_MAX)
        return false;
    switch (f->type) {
    case AGENT_OPEN:
    case AGENT_HELLO:
        return f->size < AGENT_TEXT_MAX;
    case AGENT_KERNELS:
    case AGENT_READY:
    case AGENT_REFUSED:
        return f->size < MESSAGE_SIZE;
    case AGENT_START:
        return f->size < WIRE_JOB_MAX;
    case AGENT_STOP:
    case AGENT_KILL:
    case AGENT_BYE:
    case AGENT_LEAVING:
    case AGENT_BEAT:
    case AGENT_RUNS:
        return f->size == 0;
    case AGENT_SPAWNED:
        return f->size == 8;
    case AGENT_MESSAGE:
    case AGENT_ENDED:
        return f->size >= 4 && f->size <= AGENT_LIMIT;
    case AGENT_TYPES:
        break;
    }
    return false;
}

/* The header at `at`; false where it is not whole yet. */
static bool read_header(const struct agent_in *i, size_t at, struct agent_frame *f)
{
    if (i->end - at < HEADER)
        return false;
    const char *header = i->buffer + at;
    uint64_t type = get_number(header + 4, 4), slot = get_number(header + 8, 4);
    f->size = get_number(header, 4);
    f->type = type > 0 && type < AGENT_TYPES ? (enum agent_type)type : AGENT_TYPES;
    f->slot = slot < HOST_SLOTS_MAX ? (int)slot : HOST_SLOTS_MAX;
    f->payload = header + HEADER;
    return true;
}

/* Whether the line that ends a frame is where it should be, or has not come yet. */
static bool ends_well(const struct agent_in *i, size_t at)
{
    return at >= i->end || i->buffer[at] == '\n';
}

/* Forgets what stands before the magic; finds out where none will come. */
static enum status skip_noise(struct agent_in *i, struct message *m)
{
    enum { WORD = sizeof "\x89headcount agent " - 1 }; /* what a terminal leaves of it */
    size_t most = i->end - i->begin;
    const char *from = i->buffer + i->begin, *at = memchr(from, MAGIC_BYTE, most);
    while (at) {
        size_t left = i->end - (size_t)(at - i->buffer);
        size_t same = 0;
        while (same < left && same < MAGIC && at[same] == AGENT_MAGIC[same])
            same++;
        if (same == MAGIC)
            i->skips = false;
        if (same == MAGIC || same == left)
            break;
        if (same >= WORD)
            return status_fail(m, STATUS_BAD_INPUT,
                               "speaks another protocol, or its launcher changes what passes "
                               "through it, as a terminal does (ssh -t, srun --pty)");
        at = memchr(at + 1, MAGIC_BYTE, left - 1);
    }
    size_t noise = at ? (size_t)(at - from) : most;
    i->skipped += noise;
    i->begin += noise + (i->skips ? 0 : MAGIC);
    if (i->skipped > AGENT_NOISE)
        return status_fail(m, STATUS_BAD_INPUT,
                           "what was started there is no agent: it wrote %zu bytes of something "
                           "else",
                           i->skipped);
    return STATUS_OK;
}

enum status agent_feed(struct agent_in *i, const void *bytes, size_t size, struct message *m)
{
    if (i->begin > 0) {
        memmove(i->buffer, i->buffer + i->begin, i->end - i->begin);
        i->end -= i->begin;
        i->begin = 0;
    }
    if (i->end + size + 1 > i->capacity) { /* + 1: the NUL behind the last payload */
        size_t capacity = 2 * (i->end + size + 1);
        char *buffer = realloc(i->buffer, capacity);
        if (!buffer)
            return status_fail(m, STATUS_NO_MEMORY, "out of memory for messages of an agent");
        i->buffer = buffer;
        i->capacity = capacity;
    }
    if (size > 0)
        memcpy(i->buffer + i->end, bytes, size);
    i->end += size;
    enum status s = i->skips ? skip_noise(i, m) : STATUS_OK;
    struct agent_frame f;
    for (size_t at = i->begin;
         s == STATUS_OK && !i->skips && at <= i->end && read_header(i, at, &f);
         at += HEADER + f.size + END)
        if (!frame_valid(&f) || !ends_well(i, at + HEADER + f.size))
            s = status_fail(m, STATUS_BAD_INPUT,
                            "sent a frame that this program does not know (type %d, %zu bytes)",
                            (int)f.type, f.size);
    return s;
}

bool agent_next(struct agent_in *i, struct agent_frame *f)
{
    if (i->skips || !read_header(i, i->begin, f) || i->end - i->begin - HEADER < f->size + END)
        return false;
    /* Moved over its own header, which makes room for the NUL. */
    char *payload = i->buffer + i->begin;
    memmove(payload, f->payload, f->size);
    payload[f->size] = '\0';
    f->payload = payload;
    i->begin += HEADER + f->size + END;
    return true;
}

size_t agent_begun(const struct agent_in *i)
{
    struct agent_frame f;
    size_t there = i->skips ? 0 : i->end - i->begin;
    return there > 0 && read_header(i, i->begin, &f) ? HEADER + f.size + END : there;
}

enum status agent_message(const struct agent_frame *f, enum wire_type *type, const char **payload,
                          size_t *size, struct message *m)
{
    uint64_t number = get_number(f->payload, 4);
    if (!wire_valid((uint32_t)number, f->size - 4))
        return status_fail(m, STATUS_BAD_INPUT,
                           "a worker's message of type %" PRIu64 " and %zu bytes cannot be", number,
                           f->size - 4);
    *type = (enum wire_type)number;
    *payload = f->payload + 4;
    *size = f->size - 4;
    return STATUS_OK;
}

void agent_in_free(struct agent_in *i)
{
    free(i->buffer);
    memset(i, 0, sizeof *i);
}
