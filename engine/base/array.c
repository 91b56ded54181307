#include "engine/base/array.h"

#include <stdbool.h>
#include <stdlib.h>

enum { LEAST = 4 };

void *array_grow(void *array, size_t count, size_t size)
{
    bool full = count == 0 || (count >= LEAST && (count & (count - 1)) == 0);
    return full ? realloc(array, (count < LEAST ? LEAST : 2 * count) * size) : array;
}
