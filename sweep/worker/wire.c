#include "sweep/worker/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/worker/fields.h"

int wire_job_format(const struct job *j, char *text, size_t size)
{
    if (strpbrk(j->folder, "\n\r") || strpbrk(j->data.path, "\n\r") || strpbrk(j->build, "\n\r") ||
        strpbrk(j->config, "\n\r"))
        return -1;
    int n =
        snprintf(text, size,
                 "trial=%" PRId64 "\nattempt=%" PRId64 "\nseed=%" PRIu32 "\nuntil=%" PRId64
                 "\nfolder=%s\ndata=%s\ncheckpoint_s=%.17g\nmemory=%" PRId64
                 "\ntime_s=%.17g\nbuild=%s\nmetric=%s\nmeasure=%d\nconfig=%s\n",
                 j->trial, j->attempt, j->seed, j->until, j->folder, j->data.path, j->checkpoint_s,
                 j->memory, j->time_s, j->build, metric_name(j->metric), j->measure, j->config);
    return n < 0 || (size_t)n >= size ? -1 : n;
}

enum status wire_job_parse(const char *text, struct job *j, struct message *m)
{
    memset(j, 0, sizeof *j);
    int64_t seed = 0, measure = 0;
    char metric[16] = "";
    const struct field fields[] = {
        {.key = "trial", .integer = &j->trial},
        {.key = "attempt", .integer = &j->attempt},
        {.key = "seed", .integer = &seed},
        {.key = "until", .integer = &j->until},
        {.key = "folder", .text = j->folder, .size = sizeof j->folder},
        {.key = "data", .text = j->data.path, .size = sizeof j->data.path},
        {.key = "checkpoint_s", .real = &j->checkpoint_s},
        {.key = "memory", .integer = &j->memory},
        {.key = "time_s", .real = &j->time_s},
        {.key = "build", .text = j->build, .size = sizeof j->build},
        {.key = "metric", .text = metric, .size = sizeof metric},
        {.key = "measure", .integer = &measure},
        {.key = "config", .text = j->config, .size = sizeof j->config},
    };
    enum status s = fields_parse(text, fields, sizeof fields / sizeof fields[0], "job", m);
    if (s != STATUS_OK)
        return s;
    if (seed < 0 || seed > UINT32_MAX || j->until < 0 || measure < 0 || measure > 1)
        return status_fail(m, STATUS_BAD_INPUT, "the job has a number that cannot be");
    if (!metric_find(metric, &j->metric))
        return status_fail(m, STATUS_BAD_INPUT, "the job's metric is unknown: %s", metric);
    j->seed = (uint32_t)seed;
    j->measure = measure;
    return STATUS_OK;
}

struct frame {
    uint32_t size, type;
};

enum status wire_send(int fd, enum wire_type type, const void *payload, size_t size,
                      struct message *m)
{
    if (size > WIRE_LIMIT)
        return status_fail(m, STATUS_INTERNAL, "a message of %zu bytes is over the limit", size);
    /* One write for short messages, so that they reach the pipe whole. */
    char small[PIPE_BUF];
    struct frame frame = {(uint32_t)size, (uint32_t)type};
    char *bytes = sizeof frame + size <= sizeof small ? small : malloc(sizeof frame + size);
    if (!bytes)
        return status_fail(m, STATUS_NO_MEMORY, "out of memory for a message");
    memcpy(bytes, &frame, sizeof frame);
    memcpy(bytes + sizeof frame, payload, size);

    enum status s = STATUS_OK;
    size_t total = sizeof frame + size;
    for (size_t done = 0; done < total && s == STATUS_OK;) {
        ssize_t n = write(fd, bytes + done, total - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            s = status_fail(m, STATUS_IO, "the coordinator is gone: %s", strerror(errno));
    }
    if (bytes != small)
        free(bytes);
    return s;
}

bool wire_valid(uint32_t type, size_t size)
{
    switch (type) {
    case WIRE_STARTED:
    case WIRE_PROGRESS:
    case WIRE_STOPPED:
    case WIRE_PAUSED:
        return size == sizeof(struct wire_progress);
    case WIRE_ALIVE:
        return size == 0;
    case WIRE_CURVE:
    case WIRE_FINISHED:
    case WIRE_NOTE:
    case WIRE_ANSWER:
        return size <= WIRE_LIMIT;
    default:
        return false;
    }
}

enum status wire_feed(struct wire_reader *r, const void *bytes, size_t size, struct message *m)
{
    if (r->begin > 0) {
        memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
    }
    if (r->end + size + 1 > r->capacity) { /* + 1: the NUL behind the last payload */
        size_t capacity = 2 * (r->end + size + 1);
        char *buffer = realloc(r->buffer, capacity);
        if (!buffer)
            return status_fail(m, STATUS_NO_MEMORY, "out of memory for a worker's messages");
        r->buffer = buffer;
        r->capacity = capacity;
    }
    if (size > 0)
        memcpy(r->buffer + r->end, bytes, size);
    r->end += size;

    struct frame frame;
    for (size_t at = 0; at + sizeof frame <= r->end; at += sizeof frame + frame.size) {
        memcpy(&frame, r->buffer + at, sizeof frame);
        if (!wire_valid(frame.type, frame.size))
            return status_fail(m, STATUS_BAD_INPUT,
                               "a worker sent a message of type %" PRIu32 " and %" PRIu32
                               " bytes, which this program does not know",
                               frame.type, frame.size);
    }
    return STATUS_OK;
}

bool wire_next(struct wire_reader *r, enum wire_type *type, const char **payload, size_t *size)
{
    struct frame frame;
    if (r->end - r->begin < sizeof frame)
        return false;
    memcpy(&frame, r->buffer + r->begin, sizeof frame);
    if (r->end - r->begin - sizeof frame < frame.size)
        return false;
    /* Moved over its own header, which makes room for the NUL. */
    memmove(r->buffer + r->begin, r->buffer + r->begin + sizeof frame, frame.size);
    r->buffer[r->begin + frame.size] = '\0';
    *type = (enum wire_type)frame.type;
    *payload = r->buffer + r->begin;
    *size = frame.size;
    r->begin += sizeof frame + frame.size;
    return true;
}

void wire_reader_free(struct wire_reader *r)
{
    free(r->buffer);
    memset(r, 0, sizeof *r);
}
