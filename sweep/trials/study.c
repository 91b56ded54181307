#include "sweep/trials/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/trials/trials_internal.h"

/* ---- who is to be asked ---- */

/* Columns of sql_study_due and sql_all_completed. */
enum {
    TRIAL_ID,
    SWEEP_ID,
    BEST_STEP,
    WEIGHTS,
    WEIGHTS_SHA256,
    CONFIG_SHA256,
    SEED,
    PARAMS,
    HEADS,
    LAYERS,
    VAL_ACC,
    TEST_ACC,
    SETTING,
    LABEL,
    TUNING,
    ANSWERED
};

static void read_trial(struct rows *r, struct study_trial *t)
{
    *t = (struct study_trial){.trial_id = rows_integer(r, TRIAL_ID),
                              .sweep_id = rows_integer(r, SWEEP_ID),
                              .best_step = rows_integer(r, BEST_STEP),
                              .seed = (uint32_t)rows_integer(r, SEED),
                              .n_params = rows_integer(r, PARAMS),
                              .heads = rows_integer(r, HEADS),
                              .layers = rows_integer(r, LAYERS),
                              .val_acc = rows_real(r, VAL_ACC),
                              .test_acc = rows_real(r, TEST_ACC)};
    rows_copy(r, WEIGHTS, t->file, sizeof t->file);
    rows_copy(r, WEIGHTS_SHA256, t->sha256, sizeof t->sha256);
    rows_copy(r, CONFIG_SHA256, t->config_sha256, sizeof t->config_sha256);
    rows_copy(r, SETTING, t->setting, sizeof t->setting);
    plan_full_label(rows_given(r, LABEL), rows_given(r, TUNING), t->label, sizeof t->label);
}

/* Why this trial has no weights to be asked. */
static _Noreturn void refuse_trial(struct scope *x, int64_t trial_id)
{
    struct rows *r =
        scope_query(x, "looking for a trial to ask", "SELECT state FROM trial WHERE trial_id = ?",
                    VALUES(INTEGER(trial_id)));
    if (!scope_next(x, r))
        scope_fail(x, STATUS_BAD_INPUT, "%s holds no trial %lld", x->store->path,
                   (long long)trial_id);
    enum trial_state state = rows_state(r, 0);
    scope_close(x, r);
    if (state == TRIAL_COMPLETED)
        scope_fail(x, STATUS_BAD_INPUT,
                   "the weights of trial %lld were removed by gc --out-of-plan",
                   (long long)trial_id);
    scope_fail(x, STATUS_BAD_INPUT,
               "trial %lld is %s; only the weights of completed trials can be studied",
               (long long)trial_id, trial_state_name(state));
}

static void read_trials(struct scope *x, struct rows *r, struct study_due *due)
{
    while (scope_next(x, r)) {
        if (rows_integer(r, ANSWERED)) {
            due->done++;
            continue;
        }
        struct study_trial *longer = array_grow(due->list, (size_t)due->count, sizeof *longer);
        if (!longer)
            scope_leave(x, status_no_memory(x->message, "a list of trials"));
        due->list = longer;
        read_trial(r, &longer[due->count++]);
    }
}

static enum status end_list(struct scope *x, struct study_due *due)
{
    enum status status = scope_end(x);
    if (status != STATUS_OK) {
        free(due->list);
        *due = (struct study_due){0};
    }
    return status;
}

enum status store_study_due(struct store *s, int64_t sweep_id, int64_t trial_id, const char *study,
                            const char *options, struct study_due *due, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *due = (struct study_due){0};
    if (scope_enter(x)) {
        read_trials(
            x,
            scope_query(x, "looking for trials to ask", sql_study_due,
                        VALUES(INTEGER(sweep_id), INTEGER(trial_id), TEXT(study), TEXT(options))),
            due);
        if (trial_id > 0 && due->count + due->done == 0)
            refuse_trial(x, trial_id);
    }
    return end_list(x, due);
}

enum status store_completed(struct store *s, struct study_due *all, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *all = (struct study_due){0};
    if (scope_enter(x))
        read_trials(x, scope_query(x, "looking for completed trials", sql_all_completed, NO_VALUES),
                    all);
    return end_list(x, all);
}

enum status store_study_answered(struct store *s, const struct study_trial *trials, int count,
                                 const char *study, const char *options, bool *answered,
                                 struct message *m)
{
    struct scope *x = scope_of(s, m);
    *answered = true;
    if (scope_enter(x)) {
        struct rows *r = scope_query(x, "looking for an answer", sql_study_answered, NO_VALUES);
        for (int i = 0; *answered && i < count; i++)
            *answered =
                scope_find(x, r, VALUES(INTEGER(trials[i].trial_id), TEXT(study), TEXT(options)));
    }
    return scope_end(x);
}

/* ---- rows of one table ---- */

/* Rows come as JSON, and are written by statements that SQLite makes of the table's own columns: a
 * measure that is new to the program needs no line here. */
static const char DOING[] = "keeping an answer";

static void refuse_strange_keys(struct scope *x, const char *table, const char *json)
{
    const char *key = scope_string(x, DOING, sql_strange_key, VALUES(TEXT(table), TEXT(json)));
    if (key)
        scope_fail(x, STATUS_INTERNAL, "%s: table %s has no column \"%s\"", x->store->path, table,
                   key);
}

/* Writes the rows {table: [{column: value},...]} in json. What a row does not say, the object
 * `fill` does. Rows with the same primary key get the new values of the columns that are named.
 * INTERNAL for a key that is no column. */
static void keep_rows(struct scope *x, const char *table, const char *json, const char *fill)
{
    refuse_strange_keys(x, table, json);
    const char *insert =
        scope_string(x, DOING, sql_make_insert, VALUES(TEXT(table), TEXT(json), TEXT(fill)));
    scope_run(x, DOING, insert, VALUES(TEXT(json), TEXT(fill)));
}

/* Those that answers are written to; the first ones also what trials measured on the way. */
static const char *const tables[] = {"head_metric", "layer_metric", "head_slot",
                                     "pruning",     "ensemble",     "evaluation"};
enum { MEASURED = 3, TABLES = sizeof tables / sizeof *tables };

/* The first `count` tables, those of them that json has. */
static void keep_tables(struct scope *x, int count, const char *json, const char *fill)
{
    for (int i = 0; i < count; i++)
        if (scope_number(x, DOING, "SELECT json_type(?1, '$.' || ?2) = 'array'",
                         VALUES(TEXT(json), TEXT(tables[i]))))
            keep_rows(x, tables[i], json, fill);
}

void store_keep_measures(struct scope *x, int64_t trial_id, const char *result)
{
    char fill[64];
    snprintf(fill, sizeof fill, "{\"trial_id\":%lld,\"split\":\"val\"}", (long long)trial_id);
    keep_tables(x, MEASURED, result, fill);
}

/* ---- keeping answers ---- */

static bool is_table(const char *name)
{
    int i = 0;
    while (i < TABLES && strcmp(name, tables[i]) != 0)
        i++;
    return i < TABLES;
}

static void refuse_strange_tables(struct scope *x, const char *answer)
{
    struct rows *r = scope_query(x, DOING,
                                 "SELECT key, type FROM json_each(?)"
                                 " WHERE type IN ('array', 'object')",
                                 VALUES(TEXT(answer)));
    while (scope_next(x, r)) {
        const char *name = scope_given(x, r, 0);
        if (strcmp(scope_given(x, r, 1), "array") != 0 || !is_table(name))
            scope_fail(x, STATUS_INTERNAL,
                       "%s: \"%s\" is no array of rows of a table that studies write",
                       x->store->path, name);
    }
}

void store_forget_answers(struct scope *x, int64_t trial_id, const char *but_from)
{
    static const char doing[] = "removing answers from other weights";
    if (!scope_number(x, doing,
                      "SELECT 1 FROM study WHERE trial_id = ? AND checkpoint_sha256 IS NOT ?"
                      " LIMIT 1",
                      VALUES(INTEGER(trial_id), TEXT(but_from))))
        return;
    for (int i = 0; i <= TABLES; i++) {
        const char *table = i < TABLES ? tables[i] : "study";
        bool of_several = strcmp(table, "ensemble") == 0;
        char sql[120];
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE ? %s", table,
                 of_several ? "IN (SELECT value FROM json_each(trials))" : "= trial_id");
        scope_run(x, doing, sql, VALUES(INTEGER(trial_id)));
    }
}

/* Not json_valid(), to which want of memory is malformed JSON too. */
static void check_answer(struct scope *x, const struct study_filing *f)
{
    int64_t object = 0;
    enum status status =
        store_integer(x->store, "reading an answer", "SELECT json_type(?) = 'object'",
                      VALUES(TEXT(f->answer)), 0, &object, x->message);
    if (status == STATUS_OK ? !object : sqlite3_errcode(x->store->db) == SQLITE_ERROR)
        scope_fail(x, STATUS_BAD_INPUT,
                   "what study %s answered about trial %lld is no answer: %.60s", f->study,
                   (long long)f->trials[0].trial_id, f->answer);
    scope_check(x, status);
}

/* The weights of the trial are still those that were asked. */
static void check_weights(struct scope *x, const struct study_trial *t)
{
    if (!scope_number(x, DOING,
                      "SELECT 1 FROM trial WHERE trial_id = ? AND state = 'completed'"
                      " AND checkpoint_sha256 = ?",
                      VALUES(INTEGER(t->trial_id), TEXT(t->sha256))))
        scope_fail(x, STATUS_BAD_INPUT,
                   "the weights of trial %lld have changed since they were studied, so "
                   "the answer was dropped; give the same command again",
                   (long long)t->trial_id);
}

static void keep_answer(struct scope *x, const struct study_filing *f)
{
    const struct study_trial *t = &f->trials[0];
    check_answer(x, f);
    for (int i = 0; i < f->count; i++) {
        check_weights(x, &f->trials[i]);
        store_forget_answers(x, f->trials[i].trial_id, f->trials[i].sha256);
    }
    const char *fill =
        scope_string(x, DOING, sql_make_fill,
                     VALUES(TEXT(f->answer), INTEGER(t->trial_id), INTEGER(t->sweep_id),
                            INTEGER(t->best_step), TEXT(t->setting), INTEGER(t->heads)));
    refuse_strange_tables(x, f->answer);
    keep_tables(x, TABLES, f->answer, fill);
    for (int i = 0; i < f->count; i++)
        scope_run(x, DOING, sql_note_study,
                  VALUES(INTEGER(f->trials[i].trial_id), TEXT(f->study), TEXT(f->options),
                         f->cpu_s > 0 ? REAL(f->cpu_s) : TEXT(NULL), INTEGER(f->build_id),
                         TEXT(f->trials[i].sha256)));
}

enum status store_study_file(struct store *s, const struct study_filing *f, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_change(x);
        keep_answer(x, f);
    } else if (x && (sqlite3_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT) {
        x->status =
            status_fail_within(m, STATUS_BAD_INPUT,
                               "what study %s answered about trial %lld is impossible: ", f->study,
                               (long long)f->trials[0].trial_id);
    }
    return scope_commit(x);
}
