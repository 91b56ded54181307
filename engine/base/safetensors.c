#include "engine/base/safetensors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "data is written as it lies in memory");

enum { LENGTH_SIZE = 8, HEADER_MAX = 100000000 };
/* The shortest text of a tensor and of a metadata pair: they bound how many a header can hold. */
enum {
    SHORTEST_TENSOR = sizeof "\"\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,0]}" - 1,
    SHORTEST_META = sizeof "\"\":\"\"" - 1
};

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [DTYPE_F32] = {"F32", 4}, [DTYPE_F64] = {"F64", 8}, [DTYPE_I32] = {"I32", 4},
    [DTYPE_I64] = {"I64", 8}, [DTYPE_U8] = {"U8", 1},
};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

struct reader {
    struct json json;
    const unsigned char *data;
    size_t data_size;
    struct safetensors *out;
    size_t tensor_limit, meta_limit;
    bool has_meta;
    struct message *m;
};

/* A list of up to `limit` integers. */
static bool read_integers(struct json *j, int64_t *list, int limit, int *count)
{
    *count = 0;
    if (!json_take(j, '['))
        return json_refuse_value(j, "a list");
    bool more = !json_take(j, ']');
    while (more) {
        if (*count == limit)
            return json_refuse(j, "too many numbers in the list");
        if (!json_integer(j, &list[(*count)++]) || !json_more(j, ']', &more))
            return false;
    }
    return true;
}

static bool read_metadata(struct reader *r)
{
    struct json *j = &r->json;
    if (r->has_meta)
        return json_refuse(j, "__metadata__ occurs twice");
    r->has_meta = true;
    if (!json_take(j, '{'))
        return json_refuse_value(j, "an object of strings");
    bool more = !json_take(j, '}');
    while (more) {
        if ((size_t)r->out->meta_count == r->meta_limit)
            return json_refuse(j, "more metadata than the header can hold");
        struct safetensors_meta *meta = &r->out->meta[r->out->meta_count++];
        if (!json_string(j, &meta->key) || !json_expect(j, ':') || !json_string(j, &meta->value) ||
            !json_more(j, '}', &more))
            return false;
    }
    return true;
}

static bool read_dtype(struct json *j, enum safetensors_dtype *dtype)
{
    const char *word;
    char *text = j->text;
    if (!json_string(j, &word))
        return false;
    j->text = text; /* compared, not kept */
    for (int i = 0; i < DTYPES; i++)
        if (strcmp(word, dtypes[i].name) == 0) {
            *dtype = (enum safetensors_dtype)i;
            return true;
        }
    return json_refuse(j, "unknown dtype; known: F32, F64, I32, I64, U8");
}

enum { HAS_DTYPE = 1, HAS_SHAPE = 2, HAS_OFFSETS = 4, HAS_ALL = 7 };

static bool read_field(struct json *j, struct safetensor *t, int64_t offsets[2], int *has)
{
    const char *key;
    char *text = j->text;
    if (!json_string(j, &key))
        return false;
    j->text = text;
    int field = strcmp(key, "dtype") == 0          ? HAS_DTYPE
                : strcmp(key, "shape") == 0        ? HAS_SHAPE
                : strcmp(key, "data_offsets") == 0 ? HAS_OFFSETS
                                                   : 0;
    if (field == 0)
        return json_refuse(j, "unknown key; a tensor has dtype, shape and data_offsets");
    if (*has & field)
        return json_refuse(j, "key given twice");
    *has |= field;
    if (!json_expect(j, ':'))
        return false;
    if (field == HAS_DTYPE)
        return read_dtype(j, &t->dtype);
    if (field == HAS_SHAPE)
        return read_integers(j, t->shape, SAFETENSORS_MAX_RANK, &t->rank);
    int count;
    return read_integers(j, offsets, 2, &count) &&
           (count == 2 || json_refuse(j, "data_offsets needs two numbers"));
}

/* Bytes that the shape and dtype come to; false where they go beyond 64 bits. */
static bool tensor_bytes(const struct safetensor *t, uint64_t *bytes)
{
    *bytes = dtypes[t->dtype].size;
    for (int i = 0; i < t->rank; i++)
        if (__builtin_mul_overflow(*bytes, (uint64_t)t->shape[i], bytes))
            return false;
    return true;
}

static bool check_tensor(struct reader *r, struct safetensor *t, const int64_t offsets[2])
{
    uint64_t bytes;
    enum status s = STATUS_OK;
    if (!tensor_bytes(t, &bytes))
        s = status_fail(r->m, STATUS_CORRUPT, "tensor %.200s: its shape is beyond 64 bits",
                        t->name);
    else if (offsets[0] > offsets[1])
        s = status_fail(r->m, STATUS_CORRUPT, "tensor %.200s: ends at %jd, before it begins at %jd",
                        t->name, (intmax_t)offsets[1], (intmax_t)offsets[0]);
    else if ((uint64_t)offsets[1] > r->data_size)
        s = status_fail(r->m, STATUS_CORRUPT,
                        "tensor %.200s: ends at %jd, but there are %zu data bytes", t->name,
                        (intmax_t)offsets[1], r->data_size);
    else if ((uint64_t)(offsets[1] - offsets[0]) != bytes)
        s = status_fail(r->m, STATUS_CORRUPT,
                        "tensor %.200s: has %jd bytes, but its shape and dtype need %ju", t->name,
                        (intmax_t)(offsets[1] - offsets[0]), (uintmax_t)bytes);
    if (s != STATUS_OK)
        return false;
    t->data = r->data + offsets[0];
    t->size = (size_t)bytes;
    return true;
}

static bool read_tensor(struct reader *r, const char *name)
{
    struct json *j = &r->json;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) /* names go to people's terminals */
            return json_refuse(j, "control character in a tensor's name");
    if ((size_t)r->out->count == r->tensor_limit)
        return json_refuse(j, "more tensors than the header can hold");
    struct safetensor *t = &r->out->tensor[r->out->count++];
    *t = (struct safetensor){.name = name};
    if (!json_take(j, '{'))
        return json_refuse_value(j, "an object with dtype, shape and data_offsets");
    int64_t offsets[2];
    int has = 0;
    bool more = !json_take(j, '}');
    while (more)
        if (!read_field(j, t, offsets, &has) || !json_more(j, '}', &more))
            return false;
    if (has != HAS_ALL)
        return json_refuse(j, "a tensor needs dtype, shape and data_offsets");
    return check_tensor(r, t, offsets);
}

static bool read_header(struct reader *r)
{
    struct json *j = &r->json;
    if (j->next == j->end || *j->next != '{')
        return json_refuse(j, "must start with {");
    j->next++;
    bool more = !json_take(j, '}');
    while (more) {
        const char *key;
        if (!json_string(j, &key) || !json_expect(j, ':'))
            return false;
        if (strcmp(key, "__metadata__") == 0 ? !read_metadata(r) : !read_tensor(r, key))
            return false;
        if (!json_more(j, '}', &more))
            return false;
    }
    for (; j->next < j->end; j->next++)
        if (*j->next != ' ')
            return json_refuse(j, "only spaces may follow the object");
    return true;
}

static int compare_names(const void *a, const void *b, void *tensors)
{
    const struct safetensor *t = tensors;
    return strcmp(t[*(const uint32_t *)a].name, t[*(const uint32_t *)b].name);
}

static int compare_keys(const void *a, const void *b, void *metas)
{
    const struct safetensors_meta *meta = metas;
    return strcmp(meta[*(const uint32_t *)a].key, meta[*(const uint32_t *)b].key);
}

static int compare_places(const void *a, const void *b, void *tensors)
{
    const struct safetensor *x = (const struct safetensor *)tensors + *(const uint32_t *)a;
    const struct safetensor *y = (const struct safetensor *)tensors + *(const uint32_t *)b;
    const char *p = x->data, *q = y->data;
    return p != q ? (p > q) - (p < q) : (x->size > y->size) - (x->size < y->size);
}

/* Sorted, because a comparison of all with all would take hours on a header made for that. */
static void sort(uint32_t *order, int n, int (*compare)(const void *, const void *, void *),
                 void *list)
{
    for (int i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, (size_t)n, sizeof *order, compare, list);
}

static bool check_names(struct reader *r, uint32_t *order)
{
    struct safetensors *f = r->out;
    sort(order, f->count, compare_names, f->tensor);
    for (int i = 1; i < f->count; i++)
        if (compare_names(&order[i - 1], &order[i], f->tensor) == 0) {
            status_fail(r->m, STATUS_CORRUPT, "tensor %.200s occurs twice",
                        f->tensor[order[i]].name);
            return false;
        }
    sort(order, f->meta_count, compare_keys, f->meta);
    for (int i = 1; i < f->meta_count; i++)
        if (compare_keys(&order[i - 1], &order[i], f->meta) == 0) {
            status_fail(r->m, STATUS_CORRUPT, "a key of __metadata__ occurs twice");
            return false;
        }
    return true;
}

/* The tensors must cover the data exactly: no gap in which bytes could hide, no overlap. */
static bool check_cover(struct reader *r, uint32_t *order)
{
    struct safetensors *f = r->out;
    sort(order, f->count, compare_places, f->tensor);
    size_t covered = 0;
    for (int i = 0; i < f->count; i++) {
        const struct safetensor *t = &f->tensor[order[i]];
        size_t begin = (size_t)((const unsigned char *)t->data - r->data);
        if (begin != covered) {
            status_fail(r->m, STATUS_CORRUPT, "tensor %.200s begins at %zu, %s that ends at %zu",
                        t->name, begin,
                        begin < covered ? "within another tensor" : "after a gap behind one",
                        covered);
            return false;
        }
        covered += t->size;
    }
    if (covered != r->data_size)
        status_fail(r->m, STATUS_CORRUPT, "%zu bytes behind the last tensor",
                    r->data_size - covered);
    return covered == r->data_size;
}

static size_t count_byte(const unsigned char *p, const unsigned char *end, char c)
{
    size_t n = 0;
    for (; p < end; p++)
        n += *p == (unsigned char)c;
    return n;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One block for the tables, an order for sorting, and the strings: at most some seven times the
 * header, which is there in full. The order's place; NULL where there is no memory. */
static uint32_t *reader_allocate(struct reader *r)
{
    size_t header = (size_t)(r->json.end - r->json.start);
    r->tensor_limit =
        smaller(count_byte(r->json.start, r->json.end, '{'), header / SHORTEST_TENSOR + 1);
    r->meta_limit =
        smaller(count_byte(r->json.start, r->json.end, ':'), header / SHORTEST_META + 1);
    size_t entries = r->tensor_limit > r->meta_limit ? r->tensor_limit : r->meta_limit;
    size_t size = r->tensor_limit * sizeof *r->out->tensor + r->meta_limit * sizeof *r->out->meta +
                  entries * sizeof(uint32_t) + header;
    r->out->memory = malloc(size + 1);
    if (!r->out->memory)
        return NULL;
    r->out->tensor = r->out->memory;
    r->out->meta = (struct safetensors_meta *)(r->out->tensor + r->tensor_limit);
    uint32_t *order = (uint32_t *)(r->out->meta + r->meta_limit);
    r->json.text = (char *)(order + entries);
    return order;
}

enum status safetensors_parse(const void *bytes, size_t size, struct safetensors *out,
                              struct message *m)
{
    *out = (struct safetensors){0};
    if (size < LENGTH_SIZE)
        return status_fail(m, STATUS_CORRUPT, "%zu bytes are too few for a safetensors file", size);
    uint64_t header = 0;
    memcpy(&header, bytes, LENGTH_SIZE);
    if (header > HEADER_MAX)
        return status_fail(m, STATUS_CORRUPT, "header of %ju bytes; allowed: up to %d",
                           (uintmax_t)header, HEADER_MAX);
    if (header > size - LENGTH_SIZE)
        return status_fail(m, STATUS_CORRUPT, "header of %ju bytes in a file of %zu: truncated",
                           (uintmax_t)header, size);
    const unsigned char *start = (const unsigned char *)bytes + LENGTH_SIZE;
    struct reader r = {
        .json = {start, start, start + header, LENGTH_SIZE, "header", NULL, m},
        .data = start + header,
        .data_size = size - LENGTH_SIZE - (size_t)header,
        .out = out,
        .m = m,
    };
    uint32_t *order = reader_allocate(&r);
    if (!order)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to read a header of %ju bytes",
                           (uintmax_t)header);
    if (read_header(&r) && check_names(&r, order) && check_cover(&r, order))
        return STATUS_OK;
    safetensors_free(out);
    return STATUS_CORRUPT;
}

void safetensors_free(struct safetensors *s)
{
    free(s->memory);
    *s = (struct safetensors){0};
}

const struct safetensor *safetensors_find(const struct safetensors *s, const char *name)
{
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->tensor[i].name, name) == 0)
            return &s->tensor[i];
    return NULL;
}

const char *safetensors_meta(const struct safetensors *s, const char *key)
{
    for (int i = 0; i < s->meta_count; i++)
        if (strcmp(s->meta[i].key, key) == 0)
            return s->meta[i].value;
    return NULL;
}

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
    if (!tensor_bytes(t, &bytes) || bytes != t->size || !put_string(w, t->name))
        return false;
    put_text(w, ":{\"dtype\":\"");
    put_text(w, dtypes[t->dtype].name);
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
