#include "sweep/cli/command_target.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum status command_check_target(struct store *s, const char *db, const char *path,
                                 struct message *m)
{
    struct stat target, there, folder;
    const char *slash = strrchr(path, '/');
    char above[4096];
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (stat(above, &there) == 0 && stat(store_folder(s), &folder) == 0 &&
        there.st_dev == folder.st_dev && there.st_ino == folder.st_ino)
        return status_fail(m, STATUS_BAD_INPUT, "%s is among the files of %s; choose another place",
                           path, db);
    if (stat(path, &target) != 0)
        return STATUS_OK; /* a new one, or its folder will tell what is wrong */
    if (!S_ISREG(target.st_mode))
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s exists and is not a regular file; choose another", path);
    if (stat(db, &there) == 0 && there.st_dev == target.st_dev && there.st_ino == target.st_ino)
        return status_fail(m, STATUS_BAD_INPUT, "%s is the results file itself; choose another",
                           path);
    return STATUS_OK;
}
