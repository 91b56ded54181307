#include "engine/base/safetensors_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "data is written as it lies in memory");

/* The shortest text of a tensor and of a metadata pair: they bound how many a header can hold. */
enum {
    SHORTEST_TENSOR = sizeof "\"\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,0]}" - 1,
    SHORTEST_META = sizeof "\"\":\"\"" - 1
};

const struct safetensors_dtype_form safetensors_dtypes[SAFETENSORS_DTYPES] = {
    [DTYPE_F32] = {"F32", 4}, [DTYPE_F64] = {"F64", 8}, [DTYPE_I32] = {"I32", 4},
    [DTYPE_I64] = {"I64", 8}, [DTYPE_U8] = {"U8", 1},
};

struct reader {
    struct json json;
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
    for (int i = 0; i < SAFETENSORS_DTYPES; i++)
        if (strcmp(word, safetensors_dtypes[i].name) == 0) {
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

bool safetensors_bytes(const struct safetensor *t, uint64_t *bytes)
{
    *bytes = safetensors_dtypes[t->dtype].size;
    for (int i = 0; i < t->rank; i++)
        if (__builtin_mul_overflow(*bytes, (uint64_t)t->shape[i], bytes))
            return false;
    return true;
}

static bool check_tensor(struct reader *r, struct safetensor *t, const int64_t offsets[2])
{
    uint64_t bytes;
    enum status s = STATUS_OK;
    if (!safetensors_bytes(t, &bytes))
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
    t->offset = (size_t)offsets[0];
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
    return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                  : (x->size > y->size) - (x->size < y->size);
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
        if (t->offset != covered) {
            status_fail(r->m, STATUS_CORRUPT, "tensor %.200s begins at %zu, %s that ends at %zu",
                        t->name, t->offset,
                        t->offset < covered ? "within another tensor" : "after a gap behind one",
                        covered);
            return false;
        }
        covered += t->size;
    }
    if (covered != r->data_size)
        status_fail(r->m, STATUS_CORRUPT, "%s behind the last tensor",
                    text_counted((long long)(r->data_size - covered), "byte").text);
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

/* The header's size from the 8 bytes before it. */
static enum status read_length(const void *bytes, size_t size, size_t *length, struct message *m)
{
    uint64_t header = 0;
    if (size < LENGTH_SIZE)
        return status_fail(m, STATUS_CORRUPT, "too short for a safetensors file, with %s",
                           text_counted((long long)size, "byte").text);
    memcpy(&header, bytes, LENGTH_SIZE);
    if (header > HEADER_MAX)
        return status_fail(m, STATUS_CORRUPT, "header of %ju bytes; allowed: up to %d",
                           (uintmax_t)header, HEADER_MAX);
    if (header > size - LENGTH_SIZE)
        return status_fail(m, STATUS_CORRUPT, "header of %ju bytes in a file of %zu: truncated",
                           (uintmax_t)header, size);
    *length = (size_t)header;
    return STATUS_OK;
}

enum status safetensors_parse_header(const void *bytes, size_t given, size_t size,
                                     struct safetensors *out, struct message *m)
{
    *out = (struct safetensors){0};
    size_t header = 0;
    enum status s = read_length(bytes, given, &header, m);
    if (s != STATUS_OK)
        return s;
    const unsigned char *start = (const unsigned char *)bytes + LENGTH_SIZE;
    struct reader r = {
        .json = {.start = start,
                 .next = start,
                 .end = start + header,
                 .place = "header",
                 .offset = LENGTH_SIZE,
                 .m = m},
        .data_size = size - LENGTH_SIZE - header,
        .out = out,
        .m = m,
    };
    uint32_t *order = reader_allocate(&r);
    if (!order)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to read a header of %zu bytes", header);
    if (read_header(&r) && check_names(&r, order) && check_cover(&r, order))
        return STATUS_OK;
    safetensors_free(out);
    return STATUS_CORRUPT;
}

static void point_into(struct safetensors *s, const unsigned char *data)
{
    for (int i = 0; i < s->count; i++)
        s->tensor[i].data = data + s->tensor[i].offset;
}

enum status safetensors_parse(const void *bytes, size_t size, struct safetensors *out,
                              struct message *m)
{
    enum status s = safetensors_parse_header(bytes, size, size, out, m);
    if (s == STATUS_OK) {
        uint64_t header;
        memcpy(&header, bytes, LENGTH_SIZE);
        point_into(out, (const unsigned char *)bytes + LENGTH_SIZE + header);
    }
    return s;
}

/* The length, then the header that it announces. */
static enum status read_start(struct safetensors_file *f, size_t size, struct message *m)
{
    unsigned char length[LENGTH_SIZE] = {0};
    size_t header = 0;
    enum status s = file_take(f->fd, f->path, length, size < LENGTH_SIZE ? size : LENGTH_SIZE, m);
    if (s != STATUS_OK)
        return s;
    s = read_length(length, size, &header, m);
    if (s != STATUS_OK)
        return status_fail_within(m, s, "%s: ", f->path);
    f->header_size = LENGTH_SIZE + header;
    f->data_size = size - f->header_size;
    f->header = malloc(f->header_size);
    if (!f->header)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for its header of %zu bytes",
                           f->path, header);
    memcpy(f->header, length, LENGTH_SIZE);
    return file_take(f->fd, f->path, f->header + LENGTH_SIZE, header, m);
}

static enum status open_sized(struct safetensors_file *f, size_t size, struct message *m)
{
    enum status s = read_start(f, size, m);
    if (s != STATUS_OK)
        return s;
    s = safetensors_parse_header(f->header, f->header_size, size, &f->list, m);
    return s == STATUS_OK ? s : status_fail_within(m, s, "%s: ", f->path);
}

enum status safetensors_open(const char *path, struct safetensors_file *f, struct message *m)
{
    size_t size;
    *f = (struct safetensors_file){.path = path, .fd = -1};
    enum status s = file_open(path, &f->fd, &size, m);
    if (s != STATUS_OK)
        return s == STATUS_BAD_INPUT ? STATUS_CORRUPT : s;
    return open_sized(f, size, m);
}

enum status safetensors_open_fd(int fd, const char *path, struct safetensors_file *f,
                                struct message *m)
{
    size_t size;
    *f = (struct safetensors_file){.path = path, .fd = fd};
    enum status s = file_size(fd, path, &size, m);
    if (s != STATUS_OK)
        return s == STATUS_BAD_INPUT ? STATUS_CORRUPT : s;
    return open_sized(f, size, m);
}

enum status safetensors_load(struct safetensors_file *f, struct message *m)
{
    f->data = malloc(f->data_size + 1); /* a file of nothing has an address too */
    if (!f->data)
        return status_fail(m, STATUS_NO_MEMORY, "%s: no memory for its %zu bytes", f->path,
                           f->data_size);
    enum status s = file_take(f->fd, f->path, f->data, f->data_size, m);
    if (s == STATUS_OK)
        point_into(&f->list, f->data);
    return s;
}

void safetensors_close(struct safetensors_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->header);
    free(f->data);
    safetensors_free(&f->list);
    *f = (struct safetensors_file){.path = f->path, .fd = -1};
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
