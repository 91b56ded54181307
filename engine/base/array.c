#include "engine/base/array.h"

#include <stdlib.h>

enum { LEAST = 4 };

size_t array_room(size_t count)
{
    if (count < LEAST)
        return count == 0 ? LEAST : 0;
    return (count & (count - 1)) == 0 ? 2 * count : 0;
}

void *array_grow(void *array, size_t count, size_t size)
{
    size_t room = array_room(count);
    return room ? realloc(array, room * size) : array;
}
