#include "sweep/store/evidence_parts.h"

#include <stdlib.h>
#include <string.h>

enum status evidence_no_memory(struct message *m)
{
    return status_fail(m, STATUS_NO_MEMORY, "no memory for the results of a sweep");
}

void *evidence_grow(void *array, int count, size_t size)
{
    bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    return full ? realloc(array, (size_t)(count < 4 ? 4 : 2 * count) * size) : array;
}

char *evidence_copy(const char *text)
{
    return strdup(text ? text : "");
}
