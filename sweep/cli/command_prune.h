/* What commands that remove heads share: their options. */
#ifndef SWEEP_CLI_COMMAND_PRUNE_H
#define SWEEP_CLI_COMMAND_PRUNE_H

#include "sweep/cli/command.h"
#include "sweep/study/prune.h"

/* As they stand on the command line; NULL and 0 where they are not given. */
struct prune_words {
    const char *by, *keep, *lr;
    long finetune;
};
#define COMMAND_PRUNE_OPTIONS(type, member)                                                        \
    {"by",                                                                                         \
     0,                                                                                            \
     COMMAND_TEXT,                                                                                 \
     offsetof(type, member.by),                                                                    \
     "METHOD",                                                                                     \
     "importance (the default): the head with the smallest gradient of the loss with respect to "  \
     "its gate goes first; ablation: the one without which the loss is lowest; random: by the "    \
     "trial's seed"},                                                                              \
        {"finetune",   0,                                                                          \
         COMMAND_LONG, offsetof(type, member.finetune),                                            \
         "STEPS",      "train the smaller model on for so many steps"},                            \
    {                                                                                              \
        "lr", 0, COMMAND_TEXT, offsetof(type, member.lr), "LR",                                    \
            "learning rate of --finetune (a tenth of the trial's)"                                 \
    }

/* Reads them. False: what is wrong was printed as the command of that name; return *exit_status. */
bool command_prune_read(const char *name, const struct prune_words *w, struct prune_options *o,
                        int *exit_status);

#endif
