/* Folders for the files of tests. */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A new one whose name begins with this; 0, or -1. */
static inline int folder_make(char *folder, size_t size, const char *name)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, size, "%s/%s-XXXXXX", base && *base ? base : "/tmp", name);
    return mkdtemp(folder) ? 0 : -1;
}

static inline int folder_remove_one(const char *path, const struct stat *st, int type,
                                    struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

/* With all that is in it; not 0 where that cannot be. */
static inline int folder_remove(const char *folder)
{
    return nftw(folder, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
