#include "sweep/worker/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/team.h"
#include "sweep/worker/fields.h"

/* ---- jobs ---- */

static const struct field job_field[] = {
    FIELD(struct job, trial, FIELD_INTEGER),  FIELD(struct job, attempt, FIELD_INTEGER),
    FIELD(struct job, seed, FIELD_UNSIGNED),  FIELD(struct job, until, FIELD_INTEGER),
    FIELD(struct job, folder, FIELD_TEXT),    FIELD(struct job, data.path, FIELD_TEXT),
    FIELD(struct job, data.name, FIELD_TEXT), FIELD(struct job, data.copied, FIELD_FLAG),
    FIELD(struct job, data.good, FIELD_TEXT), FIELD(struct job, checkpoint_s, FIELD_REAL),
    FIELD(struct job, memory, FIELD_INTEGER), FIELD(struct job, time_s, FIELD_REAL),
    FIELD(struct job, build, FIELD_TEXT),     FIELD(struct job, metric, FIELD_UNSIGNED),
    FIELD(struct job, measure, FIELD_FLAG),   FIELD(struct job, config, FIELD_TEXT),
};
_Static_assert(sizeof(enum metric) == sizeof(uint32_t), "FIELD_UNSIGNED");
static const struct fields job_fields = FIELDS("job", struct job, job_field);

int wire_job_format(const struct job *j, char *text, size_t size)
{
    return fields_format(&job_fields, j, text, size);
}

enum status wire_job_parse(const char *text, struct job *j, struct message *m)
{
    enum status s = fields_parse(&job_fields, text, j, m);
    if (s == STATUS_OK && (j->until < 0 || j->metric >= METRICS))
        s = status_fail(m, STATUS_BAD_INPUT, "invalid job: a number is out of range");
    return s;
}

/* ---- frames ---- */

enum { HEADER = 12, END = 1 };

static void put_number(char *at, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(x >> (8 * i));
}

static uint32_t get_number(const char *at)
{
    uint32_t x = 0;
    for (int i = 0; i < 4; i++)
        x |= (uint32_t)(unsigned char)at[i] << (8 * i);
    return x;
}

/* Room for so many bytes behind those that wait. */
static enum status make_room(struct wire_buffer *b, size_t size, struct message *m)
{
    if (b->begin > 0 && b->begin >= b->end - b->begin) { /* moving costs less than what was taken */
        memmove(b->bytes, b->bytes + b->begin, b->end - b->begin);
        b->end -= b->begin;
        b->begin = 0;
    }
    if (b->bytes && b->end + size <= b->capacity)
        return STATUS_OK;
    size_t capacity = 2 * (b->end + size + 1);
    char *bytes = realloc(b->bytes, capacity);
    if (!bytes) {
        status_no_memory(m, "messages");
        return STATUS_NO_MEMORY;
    }
    b->bytes = bytes;
    b->capacity = capacity;
    return STATUS_OK;
}

static void add(struct wire_buffer *b, const void *bytes, size_t size)
{
    if (size > 0)
        memcpy(b->bytes + b->end, bytes, size);
    b->end += size;
}

enum status wire_put_bytes(struct wire_buffer *b, const void *bytes, size_t size, struct message *m)
{
    enum status s = make_room(b, size, m);
    if (s == STATUS_OK)
        add(b, bytes, size);
    return s;
}

enum status wire_put(struct wire_buffer *b, uint32_t type, int slot, const void *payload,
                     size_t size, struct message *m)
{
    char header[HEADER];
    if (size > WIRE_LIMIT)
        return status_fail(m, STATUS_INTERNAL, "a message of %zu bytes is over the limit", size);
    put_number(header, (uint32_t)size);
    put_number(header + 4, type);
    put_number(header + 8, (uint32_t)slot);
    enum status s = make_room(b, HEADER + size + END, m);
    if (s != STATUS_OK)
        return s;
    add(b, header, HEADER);
    add(b, payload, size);
    add(b, "\n", END);
    return s;
}

enum status wire_flush(struct wire_buffer *b, int fd, struct message *m)
{
    while (b->begin < b->end) {
        ssize_t n = write(fd, b->bytes + b->begin, b->end - b->begin);
        if (n >= 0)
            b->begin += (size_t)n;
        else if (errno == EAGAIN)
            return STATUS_OK;
        else if (errno != EINTR)
            return status_fail(m, STATUS_IO, "the other side is gone: %s", strerror(errno));
    }
    b->begin = b->end = 0;
    return STATUS_OK;
}

size_t wire_waiting(const struct wire_buffer *b)
{
    return b->end - b->begin;
}

enum status wire_send(int fd, enum wire_type type, const void *payload, size_t size,
                      struct message *m)
{
    char small[PIPE_BUF];
    struct wire_buffer b = {0};
    if (size <= sizeof small - HEADER - END)
        b = (struct wire_buffer){.bytes = small, .capacity = sizeof small};
    enum status s = wire_put(&b, type, 0, payload, size, m);
    if (s == STATUS_OK)
        s = wire_flush(&b, fd, m);
    if (b.bytes != small)
        wire_free(&b);
    return s;
}

bool wire_valid(const struct wire_frame *f)
{
    switch (f->type) {
    case WIRE_STARTED:
    case WIRE_PROGRESS:
    case WIRE_STOPPED:
    case WIRE_PAUSED:
        return f->size == sizeof(struct wire_progress);
    case WIRE_ALIVE:
        return f->size == 0;
    case WIRE_CURVE:
    case WIRE_FINISHED:
    case WIRE_NOTE:
    case WIRE_ANSWER:
    case WIRE_HASHED:
        return true;
    default:
        return false;
    }
}

int wire_threads(const struct wire_frame *f)
{
    char digits[4] = "", *end;
    if (f->size == 0 || f->size >= sizeof digits)
        return 0;
    memcpy(digits, f->payload, f->size);
    long threads = strtol(digits, &end, 10);
    return !*end && threads >= 1 && threads <= TEAM_MAX ? (int)threads : 0;
}

bool wire_order_valid(const struct wire_frame *f)
{
    return f->type == WIRE_START     ? f->size < WIRE_JOB_MAX
           : f->type == WIRE_THREADS ? f->size > 0 && f->size < sizeof "-9223372036854775808"
                                     : false;
}

/* The frame whose header is at `at`; false where that is not whole yet. */
static bool read_header(const struct wire_buffer *b, size_t at, struct wire_frame *f)
{
    if (at > b->end || b->end - at < HEADER)
        return false;
    const char *header = b->bytes + at;
    uint32_t slot = get_number(header + 8);
    *f = (struct wire_frame){.size = get_number(header),
                             .type = get_number(header + 4),
                             .slot = slot <= INT_MAX ? (int)slot : -1,
                             .payload = header + HEADER};
    return true;
}

enum status wire_feed(struct wire_buffer *b, const void *bytes, size_t size,
                      bool (*valid)(const struct wire_frame *f), struct message *m)
{
    enum status s = wire_put_bytes(b, bytes, size, m);
    struct wire_frame f;
    for (size_t at = b->begin; s == STATUS_OK && read_header(b, at, &f);
         at += HEADER + f.size + END) {
        size_t end = at + HEADER + f.size;
        if (f.size <= WIRE_LIMIT && valid(&f) && (end >= b->end || b->bytes[end] == '\n'))
            continue;
        b->end = at;
        s = status_fail(m, STATUS_BAD_INPUT,
                        "sent a message of type %" PRIu32
                        " and %s, which this program does not know",
                        f.type, text_counted((long long)f.size, "byte").text);
    }
    return s;
}

bool wire_next(struct wire_buffer *b, struct wire_frame *f)
{
    if (!read_header(b, b->begin, f) || wire_waiting(b) < HEADER + f->size + END)
        return false;
    b->begin += HEADER + f->size + END;
    b->bytes[b->begin - END] = '\0';
    return true;
}

void wire_free(struct wire_buffer *b)
{
    free(b->bytes);
    *b = (struct wire_buffer){0};
}
