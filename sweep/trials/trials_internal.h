/* What the files of this floor share; else only sweep/merge and tests include this.
 *
 *   store_plan.c     planning, with store_sweep.c, store_shard.c and store_history.c
 *                    (store_plan.h)
 *   store_trial.c    claiming and ending
 *   store_result.c   a result's values in the tables, and whether they still are
 *   store_settle.c   which trials are needed: the choice under `tune`, looks
 *   store_rungs.c    successive halving among tuning trials
 *   store_extend.c   values beyond those listed, where the outermost was chosen
 *   store_confirm.c  claims that exploring trials have led to, and their trials on fresh seeds
 *   store_query.c    small queries
 *   store_edit.c     names, remarks, deleting
 *   store_alike.c    configurations that compute the same
 *   store_similar.c  trials like those that a claim is about
 *   study.c          what was asked of trained models (study.h); study_rows.c writes the answers
 *   data_file.c      files of the user's own (data_file.h) */
#ifndef SWEEP_TRIALS_TRIALS_INTERNAL_H
#define SWEEP_TRIALS_TRIALS_INTERNAL_H

#include "sweep/db/store_internal.h"
#include "sweep/trials/trials.h"

/* ---- store_result.c ---- */

/* How a change of `trial` is fenced: its last two values are trial and attempt. */
#define STORE_FENCE " WHERE trial_id = ? AND state = 'running' AND attempt = ?"

/* Everything a result says, where the fence lets it through: then *accepted is true. */
enum status result_take(struct store *s, int64_t trial_id, int64_t attempt, const char *result,
                        const char *checkpoint, const char *sha256, bool *accepted,
                        struct message *m);

/* Rows of a curve: the array at `path` in json. */
enum status result_insert_curve(struct store *s, int64_t trial_id, const char *json,
                                const char *path, struct message *m);

/* ---- store_settle.c ---- */

/* Takes all choices of a sweep anew, from what its trials have come to: at rungs, under `tune`, by
 * looks. Looks whose trials have not ended any more are forgotten. */
enum status store_settle(struct store *s, int64_t sweep_id, struct message *m);

/* The same where a trial has just ended or paused: of its head count. */
enum status store_settle_after(struct store *s, int64_t trial_id, struct message *m);

/* ---- store_alike.c ---- */

/* Fills the temporary table alike: config_id and each `other` that computes the same, by this or by
 * another sweep. */
enum status store_note_alike(struct store *s, struct message *m);

/* The query `results` (config_id, seed, sweep_id and more) and the same of each configuration that
 * computes the same: of no sweep. After store_note_alike. */
#define STORE_WITH_ALIKE(results, more)                                                            \
    results " UNION ALL SELECT other, seed, NULL" more " FROM (" results                           \
            ") JOIN alike USING (config_id)"

/* ---- store_history.c ---- */

/* Results that are there to be seen: of trials that have ended, or have been evaluated on the way,
 * or had been before they were deleted. */
#define STORE_RESULTS                                                                              \
    "SELECT config_id, seed, sweep_id FROM trial AS t"                                             \
    "  WHERE state IN ('completed', 'diverged', 'failed') OR (attempt > 0 AND EXISTS"              \
    "   (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id))"                                 \
    " UNION ALL SELECT config_id, seed, NULL FROM deleted WHERE seen = 1"

/* ---- store_similar.c ---- */

/* Where that row of plan_change of a sweep has a claim: notes there how many trials like those that
 * decide about it had results then, and what they differ in. `results` is a query of all trials
 * that had: config_id, seed and more; it may use ?1, the sweep, and `newest`, which has that row's
 * changed. After store_note_alike. More trials than are noted already take their place, fewer do
 * not. */
enum status store_note_similar(struct store *s, int64_t sweep_id, int64_t plan_change_id,
                               const char *results, struct message *m);

/* ---- store_confirm.c ---- */

/* Calls each claim of a sweep by the setting in which it holds; says which confirming trials of one
 * setting, or of all (NULL), are in the plan, and which of these are needed. After choices. */
enum status store_settle_confirm(struct store *s, int64_t sweep_id, const char *setting,
                                 struct message *m);

/* Where nothing was found to confirm, it is asked again. */
enum status store_confirm_forget(struct store *s, int64_t sweep_id, struct message *m);

/* How many trials decide about each claim, how many of these had results when it was written, and
 * how many trials like them; `results` as in store_note_similar. */
enum status store_confirm_seen(struct store *s, int64_t sweep_id, const char *results,
                               struct message *m);

/* BAD_INPUT where all claims that hold in the plan, which is settled, were written down on other
 * fresh seeds or instances than the sweep file c asks for. */
enum status store_refuse_confirm(struct store *s, int64_t sweep_id, const struct config *c,
                                 struct message *m);

/* ---- store_rungs.c ---- */

/* Where the tuning trials of a sweep pause, which of them wait, go on or are eliminated: of all
 * head counts, or of one in one setting (heads > 0). */
enum status store_settle_rungs(struct store *s, int64_t sweep_id, const char *setting,
                               int64_t heads, struct message *m);

/* ---- store_extend.c ---- */

/* Puts values that tune.extend asks for into the plan, of all head counts (those that it does not
 * ask for any more leave it), or of one in one setting (heads > 0). After rungs, before choices. */
enum status store_settle_extensions(struct store *s, int64_t sweep_id, const char *setting,
                                    int64_t heads, struct message *m);

#endif
