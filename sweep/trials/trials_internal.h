/* What the files of this floor share; else only sweep/merge and tests include this. What is called
 * from outside opens a scope (sweep/db/scope.h); all below is done within one.
 *
 *   trials.sql       the longer statements, as sql_NAME
 *   store_plan.c     planning: points, trials, the sweep's row, its history
 *   store_preview.c  what planning would come to
 *   store_shard.c    which trials are of the plan's shard, and what is missing of the others
 *   store_trial.c    claiming and ending
 *   store_result.c   a result's values in the tables, and whether they still are
 *   store_settle.c   which trials are needed: the choice under `tune`, looks
 *   store_rungs.c    successive halving among tuning trials
 *   store_extend.c   values beyond those listed, where the outermost was chosen
 *   store_confirm.c  claims that exploring trials have led to, and their trials on fresh seeds
 *   store_alike.c    configurations that compute the same; trials like those of a claim
 *   store_query.c    small queries
 *   store_edit.c     names, remarks, deleting
 *   store_check.c    what the tables promise (store_check.h)
 *   study.c          what was asked of trained models, and the answers (study.h)
 *   data_file.c      files of the user's own (data_file.h) */
#ifndef SWEEP_TRIALS_TRIALS_INTERNAL_H
#define SWEEP_TRIALS_TRIALS_INTERNAL_H

#include "sweep/db/store_internal.h"
#include "sweep/trials/study.h"

#define STATEMENT(name, sql) extern const char sql_##name[];
#include "trials_sql.h"
#undef STATEMENT

/* All of them, in the order of the file; ends with NULL. */
extern const char *const trials_statements[];

/* ---- store_plan.c ---- */

/* store_plan, which keeps a history: whether table plan_change gets a row. */
enum status store_plan_as(struct store *s, const struct plan *p, bool replace, bool history,
                          struct plan_changes *changes, struct message *m);

/* ---- store_shard.c ---- */

/* Which trials can be claimed, and which shards the file has; after trials and sweep are written.
 * same_plan: it is the one that was stored before. */
void store_write_shard(struct scope *x, const struct plan *p, int64_t sweep_id, bool same_plan);

/* ---- data_file.c ---- */

/* What the plan's files were found to be. */
void store_write_data(struct scope *x, const struct plan *p);

/* ---- store_result.c ---- */

/* Everything a result says, where the fence lets it through: then *accepted is true. */
void result_take(struct scope *x, int64_t trial_id, int64_t attempt, const char *result,
                 const char *checkpoint, const char *sha256, bool *accepted);

/* Rows of a curve: the array at `path` in json. */
void result_insert_curve(struct scope *x, int64_t trial_id, const char *json, const char *path);

/* ---- store_settle.c ---- */

/* Takes all choices of a sweep anew, from what its trials have come to: at rungs, under `tune`, by
 * looks. Looks whose trials have not ended any more are forgotten. */
void store_settle(struct scope *x, int64_t sweep_id);

/* The same where a trial has just ended or paused: of its head count. */
void store_settle_after(struct scope *x, int64_t trial_id);

/* ---- store_alike.c ---- */

/* Fills the temporary table alike: config_id and each `other` that computes the same, by this or by
 * another sweep. */
void store_note_alike(struct scope *x);

/* Where that row of plan_change of a sweep has a claim: notes there how many trials like those that
 * decide about it had results then, and what they differ in. `results` is a query of all trials
 * that had, such as sql_results: config_id, seed and more; it may use ?1, the sweep, and `newest`,
 * which has that row's changed. After store_note_alike. More trials than are noted already take
 * their place, fewer do not. */
void store_note_similar(struct scope *x, int64_t sweep_id, int64_t plan_change_id,
                        const char *results);

/* The statement with results in the place of its %s. */
const char *store_with_results(struct scope *x, const char *sql, const char *results);

/* ---- store_confirm.c ---- */

/* Calls each claim of a sweep by the setting in which it holds; says which confirming trials of one
 * setting, or of all (NULL), are in the plan, and which of these are needed. After choices. */
void store_settle_confirm(struct scope *x, int64_t sweep_id, const char *setting);

/* Where nothing was found to confirm, it is asked again. */
void store_confirm_forget(struct scope *x, int64_t sweep_id);

/* How many trials decide about each claim, how many of these had results when it was written, and
 * how many trials like them; `results` as in store_note_similar. */
void store_confirm_seen(struct scope *x, int64_t sweep_id, const char *results);

/* BAD_INPUT where all claims that hold in the plan, which is settled, were written down on other
 * fresh seeds or instances than the sweep file c asks for. */
void store_refuse_confirm(struct scope *x, int64_t sweep_id, const struct config *c);

/* ---- store_rungs.c ---- */

/* Where the tuning trials of a sweep pause, which of them wait, go on or are eliminated: of all
 * head counts, or of one in one setting (heads > 0). */
void store_settle_rungs(struct scope *x, int64_t sweep_id, const char *setting, int64_t heads);

/* ---- store_extend.c ---- */

/* Puts values that tune.extend asks for into the plan, of all head counts (those that it does not
 * ask for any more leave it), or of one in one setting (heads > 0). After rungs, before choices. */
void store_settle_extensions(struct scope *x, int64_t sweep_id, const char *setting, int64_t heads);

/* A configuration with the numbers of config_id; its id, also where it is there. */
int64_t store_add_config(struct scope *x, int64_t config_id, const char *sha256, const char *json);

/* ---- study.c ---- */

/* The rows that a trial measured as it was trained, out of its result (sweep/worker/result.h). */
void store_keep_measures(struct scope *x, int64_t trial_id, const char *result);

/* Removes all that studies found out about a trial if any of it is from other weights than these.
 * NULL: whatever it is from. */
void store_forget_answers(struct scope *x, int64_t trial_id, const char *but_from);

#endif
