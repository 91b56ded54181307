/* A folder of its own for each test of a file: `folder`, and `path` for a file in it. */
#ifndef TESTS_UNIT_FILE_FOLDER_H
#define TESTS_UNIT_FILE_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"

#include "tests/folder.h"
#include "tests/test.h"

static char folder[200], path[240];

static int set_up(void **state)
{
    (void)state;
    int made = folder_make(folder, sizeof folder, "headcount-file");
    snprintf(path, sizeof path, "%s/file", folder);
    return made;
}

static inline int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails where anything else is left */
}

static inline enum status write_text(const char *text, struct message *m)
{
    struct iovec part = {(char *)(uintptr_t)text, strlen(text)};
    return file_write(path, &part, 1, m);
}

static inline int names_in_folder(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2; /* . and .. */
}

#endif
