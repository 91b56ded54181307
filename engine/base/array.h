/* Arrays that grow one element at a time. */
#ifndef ENGINE_BASE_ARRAY_H
#define ENGINE_BASE_ARRAY_H

#include <stddef.h>

/* The elements that a full array of `count` gets room for; 0: it is not full. */
size_t array_room(size_t count);

/* The array of `count` elements with room for one more: reallocated when it is full, to twice its
 * size, so that the count alone says how large it is. It must have grown by this function from
 * NULL. NULL where there is no memory; the array then stays as it was. */
void *array_grow(void *array, size_t count, size_t size);

#endif
