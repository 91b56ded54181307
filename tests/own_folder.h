/* A folder of this process's own, and files in it. */
#ifndef TESTS_OWN_FOLDER_H
#define TESTS_OWN_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/folder.h"
#include "tests/test.h"

static char folder[256], path[300]; /* path: of a file in it */

/* Set-up and teardown of a group; the latter fails where anything is left. */
static inline int make_folder(void **state)
{
    (void)state;
    return folder_make(folder, sizeof folder, "headcount-own");
}

static inline int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* The same, which removes whatever is left. */
static inline int remove_whole_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

static inline void name_file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

/* Makes the file at `path`, which is the caller's to unlink. */
static inline void write_file(const char *name, const void *bytes, size_t size)
{
    name_file(name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

#endif
