/* Looks: whether more seeds are needed. When all trials up to the open look of a setting have
 * ended, its verdict is taken; a verdict that decides closes the later looks, any other opens the
 * next. */
#ifndef SWEEP_RUN_LOOKS_H
#define SWEEP_RUN_LOOKS_H

#include "engine/base/text.h"
#include "sweep/judge/verdict.h"
#include "sweep/trials/trials.h"

/* Judges every look of the sweep that is due, also those that become so by that, between
 * store_begin and store_commit. Adds what each came to, a line for people, to `said`: to be said
 * once it is committed. */
enum status looks_judge(struct store *s, const struct plan *p, int64_t sweep_id,
                        struct text_buffer *said, struct message *m);

/* How far the looks of a sweep are. */
struct looks_state {
    int looks;          /* how many; 0: the sweep has none */
    int settings;       /* of the plan, and of them ... */
    int decided;        /* ... those that a look has decided */
    int undecided;      /* ... and those that the last one has not */
    int open;           /* the first look that is open in one of the others; 0: none is */
    int64_t open_seeds; /* seeds of each head count by then */
    char seeds[256];    /* of all looks, as JSON: [5,10,20] */
};
enum status looks_read(struct store *s, int64_t sweep_id, struct looks_state *l, struct message *m);

/* "not decided yet; look 2 of 3 (10 seeds) is open"; "" without looks. */
void looks_words(const struct looks_state *l, char *text, size_t size);

/* What a look came to. */
struct look_outcome {
    int look, looks;
    int64_t seeds;     /* of each head count by then */
    int64_t more;      /* seeds that the next look adds; 0: it was the last */
    long trials;       /* ... and its trials; where it is decided, those that are not needed */
    const char *label; /* of the setting; "" */
    enum verdict_kind kind;
    bool decided;
};

/* "look 1 of 3 (5 seeds): not decided; 5 more seeds for each head count, 30 trials" */
void look_line(const struct look_outcome *o, char *text, size_t size);

#endif
