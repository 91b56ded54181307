#include "sweep/trials/study.h"

#include <stdlib.h>

#include "engine/base/array.h"
#include "sweep/trials/study_rows.h"

/* ---- who is to be asked ---- */

#define ASKED                                                                                      \
    "SELECT trial_id, sweep_id, best_step, checkpoint, checkpoint_sha256, config_sha256, seed,"    \
    " n_params, heads, layers, val_acc, test_acc, setting, setting_label, tuning,"
/* ?1 sweep (0: any), ?2 trial (0: all), ?3 study, ?4 options */
static const char DUE[] =
    ASKED " EXISTS (SELECT 1 FROM study AS a WHERE a.trial_id = t.trial_id AND a.name = ?3"
          "          AND a.options = ?4 AND a.checkpoint_sha256 = t.checkpoint_sha256)"
          " FROM trial AS t JOIN config USING (config_id)"
          " WHERE state = 'completed' AND checkpoint IS NOT NULL AND checkpoint_sha256 IS NOT NULL"
          " AND CASE WHEN ?2 > 0 THEN trial_id = ?2 ELSE in_plan = 1 AND is_tuning = 0"
          "      AND confirms = 0 AND choice = 'chosen' AND ?1 IN (0, sweep_id) END"
          " ORDER BY sweep_id, plan_order";
static const char COMPLETED[] = ASKED " 0 FROM trial AS t JOIN config USING (config_id)"
                                      " WHERE state = 'completed'"
                                      " ORDER BY sweep_id, config_id, seed";
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
static enum status refuse_trial(struct store *s, int64_t trial_id, struct message *m)
{
    struct rows r =
        store_rows(s, "looking for a trial to ask", "SELECT state FROM trial WHERE trial_id = ?",
                   VALUES(INTEGER(trial_id)), m);
    bool found = rows_next(&r);
    enum trial_state state = found ? rows_state(&r, 0) : TRIAL_QUEUED;
    enum status status = rows_close(&r);
    if (status != STATUS_OK)
        return status;
    if (!found)
        return status_fail(m, STATUS_BAD_INPUT, "%s holds no trial %lld", s->path,
                           (long long)trial_id);
    if (state == TRIAL_COMPLETED)
        return status_fail(m, STATUS_BAD_INPUT,
                           "the weights of trial %lld were removed by gc --out-of-plan",
                           (long long)trial_id);
    return status_fail(m, STATUS_BAD_INPUT,
                       "trial %lld is %s; only the weights of completed trials can be studied",
                       (long long)trial_id, trial_state_name(state));
}

static enum status read_trials(struct rows *r, struct study_due *due, struct message *m)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(r)) {
        if (rows_integer(r, ANSWERED)) {
            due->done++;
            continue;
        }
        struct study_trial *longer = array_grow(due->list, (size_t)due->count, sizeof *longer);
        if (longer) {
            due->list = longer;
            read_trial(r, &longer[due->count++]);
        } else {
            status = status_fail(m, STATUS_NO_MEMORY, "no memory for %d trials", due->count + 1);
        }
    }
    return rows_close_after(r, status);
}

static enum status forget_list(struct study_due *due, enum status status)
{
    free(due->list);
    *due = (struct study_due){0};
    return status;
}

enum status store_study_due(struct store *s, int64_t sweep_id, int64_t trial_id, const char *study,
                            const char *options, struct study_due *due, struct message *m)
{
    *due = (struct study_due){0};
    struct rows r =
        store_rows(s, "looking for trials to ask", DUE,
                   VALUES(INTEGER(sweep_id), INTEGER(trial_id), TEXT(study), TEXT(options)), m);
    enum status status = read_trials(&r, due, m);
    if (status == STATUS_OK && trial_id > 0 && due->count + due->done == 0)
        status = refuse_trial(s, trial_id, m);
    return status == STATUS_OK ? status : forget_list(due, status);
}

enum status store_completed(struct store *s, struct study_due *all, struct message *m)
{
    *all = (struct study_due){0};
    struct rows r = store_rows(s, "looking for completed trials", COMPLETED, NO_VALUES, m);
    enum status status = read_trials(&r, all, m);
    return status == STATUS_OK ? status : forget_list(all, status);
}

enum status store_study_answered(struct store *s, const struct study_trial *trials, int count,
                                 const char *study, const char *options, bool *answered,
                                 struct message *m)
{
    struct rows r = store_rows(s, "looking for an answer",
                               "SELECT 1 FROM study JOIN trial AS t USING (trial_id)"
                               " WHERE trial_id = ? AND name = ? AND options = ?"
                               " AND study.checkpoint_sha256 = t.checkpoint_sha256",
                               NO_VALUES, m);
    *answered = true;
    for (int i = 0; r.status == STATUS_OK && *answered && i < count; i++) {
        rows_rebind(&r, VALUES(INTEGER(trials[i].trial_id), TEXT(study), TEXT(options)));
        *answered = rows_next(&r);
    }
    return rows_close(&r);
}

/* ---- keeping answers ---- */

/* Not json_valid(), to which want of memory is malformed JSON too. */
static enum status check_answer(struct store *s, const struct study_filing *f, struct message *m)
{
    int64_t object = 0;
    enum status status = store_integer(s, "reading an answer", "SELECT json_type(?) = 'object'",
                                       VALUES(TEXT(f->answer)), 0, &object, m);
    if (status == STATUS_OK ? !object : sqlite3_errcode(s->db) == SQLITE_ERROR)
        return status_fail(m, STATUS_BAD_INPUT,
                           "what study %s answered about trial %lld is no answer: %.60s", f->study,
                           (long long)f->trials[0].trial_id, f->answer);
    return status;
}

/* The weights of the trial are still those that were asked. */
static enum status check_weights(struct store *s, const struct study_trial *t, struct message *m)
{
    int64_t same = 0;
    enum status status = store_integer(s, "keeping an answer",
                                       "SELECT 1 FROM trial WHERE trial_id = ? AND state ="
                                       " 'completed' AND checkpoint_sha256 = ?",
                                       VALUES(INTEGER(t->trial_id), TEXT(t->sha256)), 0, &same, m);
    if (status == STATUS_OK && !same)
        status = status_fail(m, STATUS_BAD_INPUT,
                             "the weights of trial %lld have changed since they were studied, so "
                             "the answer was dropped; give the same command again",
                             (long long)t->trial_id);
    return status;
}

static enum status note_study(struct store *s, const struct study_filing *f,
                              const struct study_trial *t, struct message *m)
{
    return store_execute(s, "keeping an answer",
                         "INSERT OR REPLACE INTO study (trial_id, name, options, answered, cpu_s,"
                         " build_id, checkpoint_sha256) VALUES (?, ?, ?, " NOW ", ?, ?, ?)",
                         VALUES(INTEGER(t->trial_id), TEXT(f->study), TEXT(f->options),
                                f->cpu_s > 0 ? REAL(f->cpu_s) : TEXT(NULL), INTEGER(f->build_id),
                                TEXT(t->sha256)),
                         NULL, m);
}

static enum status keep_answer(struct store *s, const struct study_filing *f, struct message *m)
{
    enum status status = check_answer(s, f, m);
    for (int i = 0; status == STATUS_OK && i < f->count; i++) {
        status = check_weights(s, &f->trials[i], m);
        if (status == STATUS_OK)
            status = store_forget_answers(s, f->trials[i].trial_id, f->trials[i].sha256, m);
    }
    if (status == STATUS_OK) {
        status = store_keep_answer(s, f->answer, &f->trials[0], m);
        if (status != STATUS_OK && (sqlite3_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT)
            status = status_fail_within(m, STATUS_BAD_INPUT,
                                        "what study %s answered about trial %lld is impossible: ",
                                        f->study, (long long)f->trials[0].trial_id);
    }
    for (int i = 0; status == STATUS_OK && i < f->count; i++)
        status = note_study(s, f, &f->trials[i], m);
    return status;
}

enum status store_study_file(struct store *s, const struct study_filing *f, struct message *m)
{
    enum status status = store_enter(s, m);
    return status == STATUS_OK ? store_leave(s, keep_answer(s, f, m), m) : status;
}
