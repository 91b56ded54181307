#include "sweep/cli/command_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"

enum status command_check_folder(struct store *s, const char *db, const char *folder,
                                 const char *name, struct message *m)
{
    struct stat there, own;
    if (stat(folder, &there) == 0 && stat(store_folder(s), &own) == 0 &&
        there.st_dev == own.st_dev && there.st_ino == own.st_ino)
        return status_fail(m, STATUS_BAD_INPUT, "%s is among the files of %s; choose another place",
                           name, db);
    return STATUS_OK;
}

enum status command_check_target(struct store *s, const char *db, const char *path,
                                 struct message *m)
{
    struct stat target, there;
    const char *slash = strrchr(path, '/');
    char above[4096];
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    enum status status = command_check_folder(s, db, above, path, m);
    if (status != STATUS_OK)
        return status;
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

enum status command_find_target(struct store *s, const char *db, const char *path, char **target,
                                struct message *m)
{
    *target = NULL;
    enum status status = command_check_target(s, db, path, m);
    if (status == STATUS_OK && !(*target = realpath(path, NULL)) && !(*target = strdup(path)))
        status = status_no_memory(m, "a file's name");
    if (status == STATUS_OK)
        file_remove_unfinished(*target); /* of an export that was killed */
    return status;
}
