/* Words for sbatch, as users of `headcount submit` give them. */
#ifndef SWEEP_CLI_SBATCH_WORDS_H
#define SWEEP_CLI_SBATCH_WORDS_H

#include <stdbool.h>

#include "engine/base/status.h"

/* Starts as {0}; freed by sbatch_words_free. */
struct sbatch_words {
    char **word;
    int count;
    char *dependency; /* of --dependency, which submit adds to; or NULL */
    bool wait;        /* --wait */
};

enum status sbatch_words_add(struct sbatch_words *w, const char *word, struct message *m);

/* Adds the words that the shell would read in a text: with quotes and backslashes, without
 * variables, commands and patterns. BAD_INPUT where it has any of these, or a quote without its
 * end. */
enum status sbatch_words_split(struct sbatch_words *w, const char *text, struct message *m);

/* Takes out of the words what submit itself sees to: --dependency and --wait. BAD_INPUT for
 * --array, --job-name and --comment, with what to do instead. */
enum status sbatch_words_settle(struct sbatch_words *w, struct message *m);

void sbatch_words_free(struct sbatch_words *w);

#endif
