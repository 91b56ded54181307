/* What the tables of a results file promise each other, beyond what the schema can. */
#ifndef SWEEP_TRIALS_STORE_CHECK_H
#define SWEEP_TRIALS_STORE_CHECK_H

#include "sweep/trials/trials.h"

/* Called for every promise that is broken: which one, and by what ("trial 3"). */
typedef void store_breach(void *context, const char *broken, const char *what);

/* Whether that promise is about what a trial's result says, so that it is broken too where the
 * trial's rows are not what its result says. */
bool store_breach_of_result(const char *broken);

/* Looks at all of them. */
enum status store_check(struct store *s, store_breach *breach, void *context, struct message *m);

/* What of a trial's rows is not what its result (sweep/worker/result.h) says: names of columns and
 * tables with commas between them, "" where nothing differs. */
enum status store_compare_result(struct store *s, int64_t trial_id, const char *result,
                                 char *differ, size_t size, struct message *m);

/* A value that is not the same in a trial's row, in its result and by its weights; NaN where there
 * is none. */
struct store_retested {
    const char *name; /* "test_acc", "block_loss 3" */
    double row, result, again;
    bool row_off, result_off; /* further from what the weights gave than other kernels make it */
};
typedef void store_retest(void *context, const struct store_retested *v);

/* Holds what a trial's weights gave when they were tested again against its row and its result:
 *
 *   {"result":<the trial JSON of its result>,"again":<the same, as far as weights have it>,
 *    "cases":{"val_acc":<of how many it is a mean>,"test_acc":,"test_exact":,
 *             "test_acc_by_slot":[...]}}
 *
 * Two cases make no difference to an accuracy, and none is made by 1e-4 of a loss, nor by 1e-6. */
enum status store_compare_retest(struct store *s, int64_t trial_id, const char *answer,
                                 store_retest *tell, void *context, struct message *m);

/* Called for every view and trigger that the program did not make. */
typedef void store_foreign(void *context, const char *type, const char *name);
enum status store_find_foreign(struct store *s, store_foreign *found, void *context,
                               struct message *m);

/* Looks at those that a run relies on and that cost little: numbers that are counted up to, and
 * that configurations are what their SHA-256 says. CORRUPT names the first that is broken. */
enum status store_check_numbers(struct store *s, struct message *m);

/* The same of one trial, but for its configuration. */
enum status store_check_trial(struct store *s, int64_t trial_id, struct message *m);

#endif
