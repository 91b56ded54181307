/* Any bytes are either refused with a message, or a file whose tensors lie inside it, whose names
 * are told apart, and whose header can be written and read again with the same meaning. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(int kept)
{
    if (!kept)
        abort();
}

static void check_inside(const struct safetensors *f, const uint8_t *data, size_t size)
{
    size_t covered = 0;
    for (int i = 0; i < f->count; i++) {
        const struct safetensor *t = &f->tensor[i];
        const uint8_t *begin = t->data;
        promise(begin >= data && begin <= data + size && t->size <= (size_t)(data + size - begin));
        promise(safetensors_find(f, t->name) == t);
        covered += t->size;
    }
    promise(covered <= size);
    for (int i = 0; i < f->meta_count; i++)
        promise(safetensors_meta(f, f->meta[i].key) == f->meta[i].value);
}

/* header is what the writer makes of f: it must describe the same tensors. */
static void check_again(const struct safetensors *f, const char *header, size_t header_size)
{
    size_t data_size = 0;
    for (int i = 0; i < f->count; i++)
        data_size += f->tensor[i].size;
    char *bytes = malloc(header_size + data_size), *to = bytes + header_size;
    if (!bytes)
        return;
    memcpy(bytes, header, header_size);
    for (int i = 0; i < f->count; to += f->tensor[i++].size)
        memcpy(to, f->tensor[i].data, f->tensor[i].size);
    struct safetensors again;
    promise(safetensors_parse(bytes, header_size + data_size, &again, NULL) == STATUS_OK);
    promise(again.count == f->count && again.meta_count == f->meta_count);
    for (int i = 0; i < f->count; i++) {
        const struct safetensor *a = &f->tensor[i], *b = &again.tensor[i];
        promise(strcmp(a->name, b->name) == 0 && a->dtype == b->dtype && a->rank == b->rank);
        promise(memcmp(a->shape, b->shape, sizeof a->shape) == 0 && a->size == b->size);
        promise(memcmp(a->data, b->data, a->size) == 0);
    }
    for (int i = 0; i < f->meta_count; i++)
        promise(strcmp(f->meta[i].key, again.meta[i].key) == 0 &&
                strcmp(f->meta[i].value, again.meta[i].value) == 0);
    safetensors_free(&again);
    free(bytes);
}

/* The header alone says the same, with not one byte of the data there. */
static void check_header_alone(const struct safetensors *f, const uint8_t *data, size_t size)
{
    uint64_t length;
    memcpy(&length, data, sizeof length);
    size_t given = sizeof length + (size_t)length;
    uint8_t *header = malloc(given);
    if (!header)
        return;
    memcpy(header, data, given);
    struct safetensors alone;
    promise(safetensors_parse_header(header, given, size, &alone, NULL) == STATUS_OK);
    promise(alone.count == f->count && alone.meta_count == f->meta_count);
    for (int i = 0; i < f->count; i++)
        promise(!alone.tensor[i].data && alone.tensor[i].size == f->tensor[i].size &&
                data + given + alone.tensor[i].offset == (const uint8_t *)f->tensor[i].data);
    safetensors_free(&alone);
    free(header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct safetensors f;
    struct message m = {""};
    enum status s = safetensors_parse(data, size, &f, &m);
    if (s != STATUS_OK) {
        promise((s == STATUS_CORRUPT || s == STATUS_NO_MEMORY) && m.text[0] != '\0');
        return 0;
    }
    check_inside(&f, data, size);
    check_header_alone(&f, data, size);
    char *header;
    size_t header_size;
    if (safetensors_header(&f, &header, &header_size, NULL) == STATUS_OK) {
        check_again(&f, header, header_size);
        free(header);
    }
    safetensors_free(&f);
    return 0;
}
