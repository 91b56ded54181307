/* What reading (safetensors.c) and writing (safetensors_write.c) share. */
#ifndef ENGINE_BASE_SAFETENSORS_INTERNAL_H
#define ENGINE_BASE_SAFETENSORS_INTERNAL_H

#include <stdbool.h>

#include "engine/base/safetensors.h"

enum { LENGTH_SIZE = 8, HEADER_MAX = 100000000, SAFETENSORS_DTYPES = DTYPE_U8 + 1 };

extern const struct safetensors_dtype_form {
    const char *name;
    size_t size; /* bytes of one number */
} safetensors_dtypes[SAFETENSORS_DTYPES];

/* Bytes that the shape and dtype come to; false where they go beyond 64 bits. */
bool safetensors_bytes(const struct safetensor *t, uint64_t *bytes);

#endif
