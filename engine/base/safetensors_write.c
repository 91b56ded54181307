#include "engine/base/safetensors_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"

/* The header is laid out twice: counted without a buffer, then written into one of that size. */
struct writer {
    char *to; /* NULL: only count */
    size_t used;
};

static void put(struct writer *w, const void *bytes, size_t n)
{
    if (w->to)
        memcpy(w->to + w->used, bytes, n);
    w->used += n;
}

static void put_text(struct writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static void put_number(struct writer *w, const char *before, uint64_t n)
{
    char text[32];
    put(w, text, (size_t)snprintf(text, sizeof text, "%s%ju", before, (uintmax_t)n));
}

/* False where the text is not clean UTF-8: no reader would take it back. */
static bool put_string(struct writer *w, const char *text)
{
    static const char letters[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    put_text(w, "\"");
    for (int n; p < end; p += n) {
        const char *found = strchr(meanings, *p);
        char escape[8] = {'\\', found ? letters[found - meanings] : 'u'};
        n = utf8_length(p, end);
        if (n == 0)
            return false;
        if (!found && *p < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", *p);
        if (found || *p < 0x20)
            put_text(w, escape);
        else
            put(w, p, (size_t)n);
    }
    put_text(w, "\"");
    return true;
}

static bool put_tensor(struct writer *w, const struct safetensor *t, uint64_t *offset)
{
    uint64_t bytes;
    if (!safetensors_bytes(t, &bytes) || bytes != t->size || !put_string(w, t->name))
        return false;
    put_text(w, ":{\"dtype\":\"");
    put_text(w, safetensors_dtypes[t->dtype].name);
    put_text(w, "\",\"shape\":[");
    for (int i = 0; i < t->rank; i++)
        put_number(w, i ? "," : "", (uint64_t)t->shape[i]);
    put_number(w, "],\"data_offsets\":[", *offset);
    put_number(w, ",", *offset += bytes);
    put_text(w, "]}");
    return true;
}

static bool put_header(struct writer *w, const struct safetensors *s)
{
    const char length[LENGTH_SIZE] = {0}; /* filled in once it is known */
    const char *separator = "";
    put(w, length, LENGTH_SIZE);
    put_text(w, "{");
    for (int i = 0; i < s->meta_count; i++, separator = ",") {
        put_text(w, i ? "," : "\"__metadata__\":{");
        if (!put_string(w, s->meta[i].key))
            return false;
        put_text(w, ":");
        if (!put_string(w, s->meta[i].value))
            return false;
    }
    put_text(w, s->meta_count ? "}" : "");
    uint64_t offset = 0;
    for (int i = 0; i < s->count; i++, separator = ",") {
        put_text(w, separator);
        if (!put_tensor(w, &s->tensor[i], &offset))
            return false;
    }
    put_text(w, "}");
    while (w->used % 8)
        put_text(w, " ");
    return true;
}

enum status safetensors_header(const struct safetensors *s, char **bytes, size_t *size,
                               struct message *m)
{
    *bytes = NULL;
    *size = 0;
    struct writer w = {0};
    if (!put_header(&w, s))
        return status_fail(m, STATUS_INTERNAL,
                           "a tensor's size or a text is not fit to be written");
    uint64_t length = w.used - LENGTH_SIZE;
    if (length > HEADER_MAX)
        return status_fail(m, STATUS_INTERNAL, "header of %ju bytes; allowed: up to %d",
                           (uintmax_t)length, HEADER_MAX);
    w.to = malloc(w.used);
    if (!w.to)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to write a header of %zu bytes", w.used);
    w.used = 0;
    put_header(&w, s);
    memcpy(w.to, &length, LENGTH_SIZE);
    *bytes = w.to;
    *size = w.used;
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
