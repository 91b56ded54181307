/* Where a command may write. */
#ifndef SWEEP_CLI_COMMAND_TARGET_H
#define SWEEP_CLI_COMMAND_TARGET_H

#include "sweep/trials/trials.h"

/* A folder: BAD_INPUT where it is the one with the weights and checkpoints of the results file.
 * name: what the user called the target, for the message. */
enum status command_check_folder(struct store *s, const char *db, const char *folder,
                                 const char *name, struct message *m);

/* A file is made beside its name and renamed, which would put it in the place of anything:
 * BAD_INPUT where that is the results file, one of its folder, or no regular file. */
enum status command_check_target(struct store *s, const char *db, const char *path,
                                 struct message *m);

/* Checks it, and says where to write, so that a symbolic link stays and its file is replaced; what
 * writers of it left who were killed is removed. The caller frees *target, which is NULL on
 * failure. */
enum status command_find_target(struct store *s, const char *db, const char *path, char **target,
                                struct message *m);

#endif
