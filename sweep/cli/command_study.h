/* What commands that ask a study share. */
#ifndef SWEEP_CLI_COMMAND_STUDY_H
#define SWEEP_CLI_COMMAND_STUDY_H

#include "sweep/cli/command.h"
#include "sweep/study/study.h"

/* Asks the study, and says on stderr what went wrong, as the command of that name. Returns the exit
 * status: EXIT_DONE or EXIT_SOME_FAILED where what there is can be shown. */
int command_study(const char *name, const struct study_request *q, struct study_result *r);

/* The same for what study_open, study_run and study_close came to, s. */
int command_study_ended(const char *name, enum status s, const struct study_result *r,
                        const struct message *m);

#endif
