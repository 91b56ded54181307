/* What becomes of what is asked: by the sweep file that is there, by what its sweep has run, and by
 * the time that there is. */
#ifndef SWEEP_CLI_ASK_DECIDE_H
#define SWEEP_CLI_ASK_DECIDE_H

#include "engine/base/text.h"
#include "sweep/ask/ask_file.h"
#include "sweep/ask/begun.h"
#include "sweep/ask/fit.h"

struct question {
    const struct look *look;
    const char *path;        /* of the sweep file */
    const char *const *sets; /* (count) */
    int count;
    double minutes;
    long workers;          /* 0: as many as there are cores */
    struct store *results; /* NULL: there is no results file */
};

struct decision {
    enum ask_file_state state; /* of the sweep file */
    struct design design;
    bool write;         /* the sweep file is to be written; else it stays */
    struct begun begun; /* of the sweep of the design; its name is that of the sweep */
    bool more;          /* more minutes are asked for, or other keys are set, than the file has */
    enum fit_more fit;  /* more: what comes of the minutes, */
    struct text_buffer changes; /* ... and how the file changes by it (ask_words_changes) */
    bool ever;                  /* more minutes than these would change something */
    bool cheapest;              /* in less time nothing would show */
    struct message larger;      /* why larger nets are left out; "": they are not */
};

/* Decides. changes are the caller's to free, on failure too. BAD_INPUT for a file that a person has
 * changed, for what no sweep can have, and for another number of fresh seeds, or other head counts
 * alone, than the sweep has that would go on: the message says which, and the remedy. */
enum status ask_decide(const struct question *q, struct decision *x, struct message *m);

#endif
