#include "engine/base/safetensors_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/json_write.h"
#include "engine/base/sha256.h"
#include "engine/base/utf8.h"

/* A reader takes back as it was only what is clean UTF-8. */
static bool is_clean(const char *text)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    for (int n; p < end; p += n)
        if ((n = utf8_decode(p, end, NULL)) == 0)
            return false;
    return true;
}

static bool add_tensor(struct json_writer *w, const struct safetensor *t, uint64_t *offset)
{
    uint64_t bytes;
    if (!safetensors_bytes(t, &bytes) || bytes != t->size || !is_clean(t->name))
        return false;
    json_begin_object(w, t->name);
    json_add_text(w, "dtype", safetensors_dtypes[t->dtype].name);
    json_begin_list(w, "shape");
    for (int i = 0; i < t->rank; i++)
        json_add_integer(w, NULL, t->shape[i]);
    json_end_list(w);
    json_begin_list(w, "data_offsets");
    json_add_integer(w, NULL, (int64_t)*offset);
    json_add_integer(w, NULL, (int64_t)(*offset + bytes));
    json_end_list(w);
    json_end_object(w);
    *offset += bytes;
    return true;
}

static bool put_header(struct text_buffer *b, const struct safetensors *s)
{
    struct json_writer w = {.text = b};
    uint64_t offset = 0;
    text_add(b, "%*s", LENGTH_SIZE, ""); /* room for the length, until it is known */
    json_begin_object(&w, NULL);
    if (s->meta_count)
        json_begin_object(&w, "__metadata__");
    for (int i = 0; i < s->meta_count; i++) {
        if (!is_clean(s->meta[i].key) || !is_clean(s->meta[i].value))
            return false;
        json_add_text(&w, s->meta[i].key, s->meta[i].value);
    }
    if (s->meta_count)
        json_end_object(&w);
    for (int i = 0; i < s->count; i++)
        if (!add_tensor(&w, &s->tensor[i], &offset))
            return false;
    json_end_object(&w);
    while (b->used % 8 && !b->out_of_memory)
        text_add(b, " ");
    return true;
}

enum status safetensors_header(const struct safetensors *s, char **bytes, size_t *size,
                               struct message *m)
{
    *bytes = NULL;
    *size = 0;
    struct text_buffer b = {0};
    enum status status = STATUS_OK;
    if (!put_header(&b, s))
        status = status_fail(m, STATUS_INTERNAL, "a tensor's size or a text cannot be written");
    else if (b.out_of_memory)
        status = status_fail(m, STATUS_NO_MEMORY, "no memory to write a header");
    else if (b.used - LENGTH_SIZE > HEADER_MAX)
        status = status_fail(m, STATUS_INTERNAL, "header of %zu bytes; allowed: up to %d",
                             b.used - LENGTH_SIZE, HEADER_MAX);
    if (status != STATUS_OK) {
        free(b.text);
        return status;
    }
    uint64_t length = b.used - LENGTH_SIZE;
    memcpy(b.text, &length, LENGTH_SIZE);
    *bytes = b.text;
    *size = b.used;
    return STATUS_OK;
}

enum status safetensors_write(const char *path, const struct safetensors *s, char *sha256,
                              struct message *m)
{
    char *header;
    size_t size;
    enum status status = safetensors_header(s, &header, &size, m);
    if (status != STATUS_OK)
        return status;
    struct iovec *parts = calloc((size_t)s->count + 1, sizeof *parts);
    if (!parts) {
        status = status_fail(m, STATUS_NO_MEMORY, "%s: no memory to write", path);
        goto done;
    }
    parts[0] = (struct iovec){header, size};
    for (int i = 0; i < s->count; i++)
        parts[i + 1] = (struct iovec){(void *)(uintptr_t)s->tensor[i].data, s->tensor[i].size};
    if (sha256) {
        struct sha256 digest;
        sha256_init(&digest);
        for (int i = 0; i <= s->count; i++)
            sha256_update(&digest, parts[i].iov_base, parts[i].iov_len);
        sha256_final(&digest, sha256);
    }
    status = file_write(path, parts, s->count + 1, m);
done:
    free(parts);
    free(header);
    return status;
}
