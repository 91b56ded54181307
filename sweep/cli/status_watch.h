/* `status --watch`: the same view of a results file again and again. */
#ifndef SWEEP_CLI_STATUS_WATCH_H
#define SWEEP_CLI_STATUS_WATCH_H

#include <stdio.h>

#include "engine/base/text.h"
#include "sweep/trials/trials.h"

/* Every second until a signal asks to stop or the reader of standard output has gone; less often
 * where looking takes long. On a terminal it shows what `page` writes, in place, the last of it
 * staying there; elsewhere each line of what `lines` writes that was not there before, with the
 * time. The first failure of theirs ends it; later ones (the file is being replaced, was removed,
 * is locked) are shown, and it goes on. Returns the exit status: 0 when it was stopped. */
int status_watch(enum status (*page)(void *context, struct text_page page, FILE *out,
                                     struct message *m),
                 enum status (*lines)(void *context, FILE *out, struct message *m), void *context);

#endif
