/* What `ask` says, on standard output, until it begins and when it has ended. */
#ifndef SWEEP_ASK_WORDS_H
#define SWEEP_ASK_WORDS_H

#include "sweep/ask/decide.h"
#include "sweep/plan/config.h"
#include "sweep/run/forecast.h"

/* What it is taken for, and what would correct that. */
void ask_words_look(const struct look *l);

/* What becomes of a sweep file that is there, and of the results that there are; nothing where both
 * stay and no more is asked. */
void ask_words_decision(const struct decision *x, const char *path, double minutes);

/* What will be done, and how long it takes. */
void ask_words_plan(const struct decision *x, const struct look *l, const struct config *c,
                    const struct forecast *f, long workers, double minutes);

/* The answer: each of its lines a paragraph. */
void ask_words_answer(const char *lines);

#endif
