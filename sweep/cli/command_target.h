/* Where a command may write a file. */
#ifndef SWEEP_CLI_COMMAND_TARGET_H
#define SWEEP_CLI_COMMAND_TARGET_H

#include "sweep/store/store.h"

/* A file is made beside its name and renamed, which would put it in the place of anything:
 * BAD_INPUT where that is the results file, one of its folder, or no regular file. */
enum status command_check_target(struct store *s, const char *db, const char *path,
                                 struct message *m);

#endif
