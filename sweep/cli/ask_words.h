/* What `ask` says, on standard output, until it begins and when it has ended. */
#ifndef SWEEP_CLI_ASK_WORDS_H
#define SWEEP_CLI_ASK_WORDS_H

#include "sweep/ask/ask_file.h"
#include "sweep/ask/fit.h"
#include "sweep/run/forecast.h"

/* What it is taken for, and what would correct that. */
void ask_words_look(const struct look *l);

/* Why a sweep file that is there is written anew; nothing for one that is not there. */
void ask_words_other(enum ask_file_state state, const char *path);

/* What more minutes do, from the sweep file as it was and as it would be, what is set included.
 * Returns whether they change anything. */
bool ask_words_more(enum fit_more more, bool confirmed, const struct config *was,
                    const struct config *is, double minutes);

/* What will be done, and how long it takes. */
void ask_words_plan(const struct design *d, const struct config *c, const struct forecast *f,
                    long workers, double minutes);

/* The answer: each of its lines a paragraph. */
void ask_words_answer(const char *lines);

#endif
