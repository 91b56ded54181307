/* What `ask` says, on standard output, until it begins and when it has ended. */
#ifndef SWEEP_CLI_ASK_WORDS_H
#define SWEEP_CLI_ASK_WORDS_H

#include "engine/base/text.h"
#include "sweep/ask/ask_file.h"
#include "sweep/ask/fit.h"
#include "sweep/plan/config.h"
#include "sweep/run/forecast.h"

/* What it is taken for, and what would correct that. */
void ask_words_look(const struct look *l);

/* Why a sweep file that is there is written anew; nothing for one that is not there. */
void ask_words_other(enum ask_file_state state, const char *path);

/* What becomes of a sweep that has been begun. */
struct ask_more {
    bool keys;                  /* other keys are set than were, so that its file is written anew */
    double minutes;             /* that are asked for now */
    int confirmed;              /* as in fit_more, */
    enum fit_more fit;          /* ... of which this came, */
    struct text_buffer changes; /* ... and these (ask_words_changes); empty: none */
    bool ever;                  /* where there are none: more minutes would bring some */
};

/* Adds what differs between the sweep file as it was and as it would be, what is set included: in
 * its seeds, "24 seeds (before: 5)"; or, if it begins anew, in its nets, "steps 800 (before: 200)".
 */
void ask_words_changes(bool anew, const struct config *was, const struct config *is,
                       struct text_buffer *text);

void ask_words_more(const struct ask_more *more);

/* What will be done, and how long it takes. */
void ask_words_plan(const struct design *d, const struct look *l, const struct config *c,
                    const struct forecast *f, long workers, double minutes);

/* The answer: each of its lines a paragraph. */
void ask_words_answer(const char *lines);

#endif
