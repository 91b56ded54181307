/* A folder of its own for each test of a file: `folder`, and `path` for a file in it. */
#ifndef TESTS_UNIT_FILE_FOLDER_H
#define TESTS_UNIT_FILE_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char folder[200], path[240];

static int set_up(void **state)
{
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/headcount-file-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

#endif
