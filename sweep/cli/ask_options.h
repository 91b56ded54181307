/* The options of `ask`, those of the task that it is asked about among them. */
#ifndef SWEEP_CLI_ASK_OPTIONS_H
#define SWEEP_CLI_ASK_OPTIONS_H

#include "sweep/cli/command.h"

struct ask_options {
    const char *db, *task, *mode, *text_column, *label_column, *model;
    struct command_texts set; /* in the order of the command line, options of the task too */
    double minutes;
    long workers;
    bool yes, write;
};

extern const struct command_syntax ask_syntax;

/* Words that are made: "task.slots=3". The items are malloced, the caller's to free. */
struct ask_made {
    int count;
    char *item[COMMAND_TEXTS_MAX];
};

/* The words with options of the task as sets; what follows "--" as it is. words: (argc + 1). */
int ask_replace_words(int argc, char **argv, char **words, struct ask_made *made);

/* Options of ask's own that are options of the task too, as sets. False: there are too many, or
 * no memory. */
bool ask_add_given(struct ask_options *o, struct ask_made *made);

/* What --model names, as sets before all others, which so count for more. */
enum status ask_add_model(struct ask_options *o, struct ask_made *made, struct message *m);

#endif
