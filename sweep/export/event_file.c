#include "sweep/export/event_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

static bool grow(struct event_bytes *b, size_t capacity)
{
    unsigned char *more = realloc(b->at, capacity);
    if (!more)
        return false;
    b->at = more;
    b->capacity = capacity;
    return true;
}

static void put(struct event_bytes *b, const void *bytes, size_t n)
{
    if (b->used + n > b->capacity && !b->out_of_memory)
        b->out_of_memory = !grow(b, 2 * (b->used + n) + 256);
    if (b->out_of_memory || n == 0)
        return;
    memcpy(b->at + b->used, bytes, n);
    b->used += n;
}

/* The n lowest bytes of x, the lowest first. */
static void put_fixed(struct event_bytes *b, uint64_t x, int n)
{
    unsigned char bytes[8];
    for (int i = 0; i < n; i++)
        bytes[i] = (unsigned char)(x >> 8 * i);
    put(b, bytes, (size_t)n);
}

static void free_bytes(struct event_bytes *b)
{
    free(b->at);
    *b = (struct event_bytes){0};
}

/* ---- records ---- */

/* Castagnoli 1993, reflected: polynomial 0x1edc6f41. */
static uint32_t crc32c(const unsigned char *bytes, size_t n)
{
    static uint32_t table[256]; /* filled by the first caller; 0 stays 0 */
    for (uint32_t i = 1; table[255] == 0 && i < 256; i++) {
        uint32_t x = i;
        for (int bit = 0; bit < 8; bit++)
            x = x >> 1 ^ (x & 1 ? 0x82f63b78 : 0);
        table[i] = x;
    }
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}

static void put_crc(struct event_bytes *b, const unsigned char *bytes, size_t n)
{
    uint32_t crc = crc32c(bytes, n);
    put_fixed(b, (crc >> 15 | crc << 17) + 0xa282ead8u, 4);
}

static void put_record(struct event_bytes *file, struct event_bytes *event)
{
    size_t start = file->used;
    put_fixed(file, event->used, 8);
    if (!file->out_of_memory)
        put_crc(file, file->at + start, 8);
    put(file, event->at, event->used);
    put_crc(file, event->at, event->used);
    file->out_of_memory = file->out_of_memory || event->out_of_memory;
    free_bytes(event);
}

/* ---- protocol buffers ---- */

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static void put_varint(struct event_bytes *b, uint64_t x)
{
    for (; x > 0x7f; x >>= 7)
        put_fixed(b, (x & 0x7f) | 0x80, 1);
    put_fixed(b, x, 1);
}

static void put_key(struct event_bytes *b, int field, enum wire wire)
{
    put_varint(b, (uint64_t)(field << 3 | (int)wire));
}

static void put_integer(struct event_bytes *b, int field, int64_t x)
{
    put_key(b, field, WIRE_VARINT);
    put_varint(b, (uint64_t)x);
}

static void put_double(struct event_bytes *b, int field, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_key(b, field, WIRE_64);
    put_fixed(b, bits, 8);
}

static void put_float(struct event_bytes *b, int field, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_key(b, field, WIRE_32);
    put_fixed(b, bits, 4);
}

static void put_bytes(struct event_bytes *b, int field, const void *bytes, size_t n)
{
    put_key(b, field, WIRE_BYTES);
    put_varint(b, n);
    put(b, bytes, n);
}

static void put_string(struct event_bytes *b, int field, const char *text)
{
    put_bytes(b, field, text, strlen(text));
}

/* A message within another; `part` is used up. */
static void put_message(struct event_bytes *b, int field, struct event_bytes *part)
{
    put_bytes(b, field, part->at, part->used);
    b->out_of_memory = b->out_of_memory || part->out_of_memory;
    free_bytes(part);
}

/* ---- events ---- */

static void end_event(struct event_file *f)
{
    if (f->summary.used == 0)
        return;
    struct event_bytes event = {0};
    put_double(&event, 1, f->wall_s);
    put_integer(&event, 2, f->step);
    put_message(&event, 5, &f->summary);
    put_record(&f->file, &event);
}

void event_file_begin(struct event_file *f, double wall_s, const char *writer)
{
    struct event_bytes event = {0}, source = {0};
    put_double(&event, 1, wall_s);
    put_string(&event, 3, "brain.Event:2");
    put_string(&source, 1, writer);
    put_message(&event, 10, &source);
    put_record(&f->file, &event);
}

void event_file_event(struct event_file *f, double wall_s, int64_t step)
{
    end_event(f);
    f->wall_s = wall_s;
    f->step = step;
}

void event_file_scalar(struct event_file *f, const char *tag, double value)
{
    struct event_bytes of = {0};
    if (!isfinite(value))
        return;
    put_string(&of, 1, tag);
    put_float(&of, 2, (float)value);
    put_message(&f->summary, 1, &of);
}

/* A value that a plugin of TensorBoard draws; content and tensor are used up. */
static void put_plugin(struct event_file *f, const char *tag, const char *plugin,
                       struct event_bytes *content, struct event_bytes *tensor)
{
    enum { DATA_CLASS_TENSOR = 2 };
    struct event_bytes of = {0}, metadata = {0}, data = {0};
    put_string(&data, 1, plugin);
    put_message(&data, 2, content);
    put_message(&metadata, 1, &data);
    put_integer(&metadata, 4, DATA_CLASS_TENSOR);
    put_string(&of, 1, tag);
    put_message(&of, 8, tensor);
    put_message(&of, 9, &metadata);
    put_message(&f->summary, 1, &of);
}

void event_file_text(struct event_file *f, const char *tag, const char *markdown)
{
    enum { DT_STRING = 7 };
    struct event_bytes tensor = {0}, content = {0};
    put_integer(&tensor, 1, DT_STRING);
    put_string(&tensor, 2, ""); /* a shape without dimensions: one string */
    put_string(&tensor, 8, markdown);
    put_plugin(f, tag, "text", &content, &tensor);
}

/* ---- hyperparameters ---- */

/* An entry of the map; its value is used up. */
static void put_hparam(struct event_file *f, const char *name, struct event_bytes *value)
{
    struct event_bytes entry = {0};
    put_string(&entry, 1, name);
    put_message(&entry, 2, value);
    put_message(&f->hparams, 1, &entry);
}

void event_file_hparam_number(struct event_file *f, const char *name, double number)
{
    struct event_bytes value = {0};
    put_double(&value, 2, number);
    put_hparam(f, name, &value);
}

void event_file_hparam_text(struct event_file *f, const char *name, const char *text)
{
    struct event_bytes value = {0};
    put_string(&value, 3, text);
    put_hparam(f, name, &value);
}

/* The field of HParamsPluginData that says it; `info` is used up. */
static void put_session(struct event_file *f, const char *tag, int field, struct event_bytes *info)
{
    enum { DT_FLOAT = 1 };
    struct event_bytes content = {0}, tensor = {0}, shape = {0}, dimension = {0};
    put_message(&content, field, info);
    put_integer(&dimension, 1, 1);
    put_message(&shape, 2, &dimension);
    put_integer(&tensor, 1, DT_FLOAT); /* one 0: nobody looks at it, but it has to be there */
    put_message(&tensor, 2, &shape);
    put_bytes(&tensor, 5, (const float[]){0}, sizeof(float));
    put_plugin(f, tag, "hparams", &content, &tensor);
}

void event_file_session_start(struct event_file *f, double start_s)
{
    put_double(&f->hparams, 5, start_s);
    put_session(f, "_hparams_/session_start_info", 3, &f->hparams);
}

void event_file_session_end(struct event_file *f, bool completed, double end_s)
{
    enum { STATUS_SUCCESS = 1, STATUS_FAILURE = 2 };
    struct event_bytes info = {0};
    put_integer(&info, 1, completed ? STATUS_SUCCESS : STATUS_FAILURE);
    put_double(&info, 2, end_s);
    put_session(f, "_hparams_/session_end_info", 4, &info);
}

/* ---- the end ---- */

enum status event_file_end(struct event_file *f, struct message *m)
{
    end_event(f);
    if (f->file.out_of_memory || f->summary.out_of_memory || f->hparams.out_of_memory)
        return status_no_memory(m, "a file of events");
    return STATUS_OK;
}

void event_file_clear(struct event_file *f)
{
    f->file.used = f->summary.used = f->hparams.used = 0;
}

void event_file_free(struct event_file *f)
{
    free_bytes(&f->file);
    free_bytes(&f->summary);
    free_bytes(&f->hparams);
}
