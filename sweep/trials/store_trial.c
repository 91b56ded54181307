#include "sweep/db/lock.h"
#include "sweep/trials/study_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- claiming ---- */

/* Columns of the query in first_queued. */
enum {
    TRIAL_ID,
    ATTEMPT,
    SEED,
    RESUME_STEP,
    IS_TUNING,
    CONFIG_JSON,
    CONFIG_SHA256,
    LABEL,
    TUNING,
    TASK,
    HEADS,
    STEPS,
    N_PARAMS,
    UNTIL
};

static enum status first_queued(struct store *s, int64_t sweep_id,
                                const int64_t excluded[STORE_EXCLUDED_MAX], struct claimed *c,
                                struct message *m)
{
    static const int64_t none[STORE_EXCLUDED_MAX];
    const int64_t *t = excluded ? excluded : none;
    _Static_assert(STORE_EXCLUDED_MAX == 8, "as many are in the query");
    /* The WHERE repeats that of the index trial_claim word by word. */
    static const char sql[] =
        "SELECT trial_id, attempt + 1, seed, resume_step, is_tuning, config_json, "
        "config_sha256, setting_label, tuning, task, heads, steps, n_params, until"
        " FROM trial JOIN config USING (config_id) WHERE sweep_id = ? "
        "AND state = 'queued' "
        "AND in_plan = 1 AND choice = 'chosen' AND in_shard = 1 "
        "AND trial_id NOT IN (?, ?, ?, ?, ?, ?, ?, ?) "
        "ORDER BY plan_order LIMIT 1";
    struct rows r = store_rows(s, "looking for a queued trial", sql,
                               VALUES(INTEGER(sweep_id), INTEGER(t[0]), INTEGER(t[1]),
                                      INTEGER(t[2]), INTEGER(t[3]), INTEGER(t[4]), INTEGER(t[5]),
                                      INTEGER(t[6]), INTEGER(t[7])),
                               m);
    if (rows_next(&r)) {
        c->trial_id = rows_integer(&r, TRIAL_ID);
        c->attempt = rows_integer(&r, ATTEMPT);
        c->seed = (uint32_t)rows_integer(&r, SEED);
        c->resumed_from_step = (long)rows_integer(&r, RESUME_STEP);
        c->tuning = rows_integer(&r, IS_TUNING) != 0;
        rows_copy(&r, CONFIG_JSON, c->config_json, sizeof c->config_json);
        rows_copy(&r, CONFIG_SHA256, c->config_sha256, sizeof c->config_sha256);
        const char *label = rows_text(&r, LABEL), *tuning = rows_text(&r, TUNING);
        plan_full_label(label ? label : "", tuning ? tuning : "", c->label, sizeof c->label);
        rows_copy(&r, TASK, c->task, sizeof c->task);
        c->heads = rows_integer(&r, HEADS);
        c->steps = rows_integer(&r, STEPS);
        c->n_params = rows_integer(&r, N_PARAMS);
        c->until = rows_integer(&r, UNTIL);
    }
    return rows_close(&r);
}

enum { JOB_SIZE = 48 };

/* The job of Slurm that this process runs in, as squeue and the log's name have it: "17", of an
 * array "17_2"; "": none. Returns job. */
static const char *slurm_job(char job[JOB_SIZE])
{
    const char *array = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
    bool of_array = array && task;
    long id = lock_slurm_number(of_array ? array : getenv("SLURM_JOB_ID"), "");
    long part = of_array ? lock_slurm_number(task, "") : -1;
    job[0] = '\0';
    if (id >= 0 && part >= 0)
        snprintf(job, JOB_SIZE, "%ld_%ld", id, part);
    else if (id >= 0 && !of_array)
        snprintf(job, JOB_SIZE, "%ld", id);
    return job;
}

enum status store_claim(struct store *s, int64_t sweep_id, int64_t build_id,
                        const int64_t excluded[STORE_EXCLUDED_MAX], struct claimed *c,
                        struct message *m)
{
    char job[JOB_SIZE];
    const char *doing = "claiming a trial";
    c->trial_id = 0;
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = first_queued(s, sweep_id, excluded, c, m);
    if (status == STATUS_OK && c->trial_id)
        status = store_execute(s, doing,
                               "UPDATE trial SET state = 'running', attempt = ? WHERE trial_id = ?",
                               VALUES(INTEGER(c->attempt), INTEGER(c->trial_id)), NULL, m);
    if (status == STATUS_OK && c->trial_id)
        status =
            store_execute(s, doing,
                          "INSERT INTO attempt (trial_id, attempt, build_id, started, "
                          "resumed_from_step, job) VALUES (?, ?, ?, " NOW ", ?, nullif(?, ''))",
                          VALUES(INTEGER(c->trial_id), INTEGER(c->attempt), INTEGER(build_id),
                                 INTEGER(c->resumed_from_step), TEXT(slurm_job(job))),
                          NULL, m);
    status = store_leave(s, status, m);
    if (status != STATUS_OK)
        c->trial_id = 0;
    return status;
}

enum status store_spawned(struct store *s, int64_t trial_id, int64_t attempt, int64_t pid,
                          const char *host, struct message *m)
{
    char here[256] = "";
    if (!host)
        gethostname(here, sizeof here - 1);
    return store_change(
        s, "recording a worker",
        "UPDATE attempt SET pid = ?, host = ? WHERE trial_id = ? AND attempt = ?"
        " AND ended IS NULL",
        VALUES(INTEGER(pid), TEXT(host ? host : here), INTEGER(trial_id), INTEGER(attempt)), m);
}

enum status store_add_warning(struct store *s, int64_t trial_id, int64_t attempt, const char *text,
                              struct message *m)
{
    return store_change(s, "recording a note",
                        "UPDATE attempt SET note = coalesce(note || char(10), '') || ?"
                        " WHERE trial_id = ? AND attempt = ?",
                        VALUES(TEXT(text), INTEGER(trial_id), INTEGER(attempt)), m);
}

/* ---- ending ---- */

/* Trials that fail by the thousand do not fill the file with what they said: beyond
 * STORE_ERRORS_MAX bytes of all attempts, of each only the end is kept. */
static enum status bound_error(struct store *s, const char **error, struct message *m)
{
    size_t size = *error ? strlen(*error) : 0;
    if (size <= STORE_ERROR_END)
        return STATUS_OK;
    if (s->errors_size == 0) {
        enum status status =
            store_integer(s, "closing an attempt",
                          "SELECT 1 + coalesce(sum(length(CAST(error AS BLOB))), 0) FROM attempt",
                          NO_VALUES, 1, &s->errors_size, m);
        if (status != STATUS_OK)
            return status;
    }
    s->errors_size += (int64_t)size; /* and if this change is undone, a little is kept too few */
    if (s->errors_size > STORE_ERRORS_MAX) {
        *error += size - STORE_ERROR_END;
        while ((**error & 0xc0) == 0x80) /* the middle of a character */
            ++*error;
    }
    return STATUS_OK;
}

static enum status end_attempt(struct store *s, int64_t trial_id, int64_t attempt,
                               enum attempt_outcome outcome, const char *cause,
                               const struct attempt_end *end, struct message *m)
{
    struct value code = end->signal || end->unseen ? TEXT(NULL) : INTEGER(end->exit_code);
    struct value by_signal = end->signal ? INTEGER(end->signal) : TEXT(NULL);
    struct value cpu_s = end->cpu_s > 0 ? REAL(end->cpu_s) : TEXT(NULL);
    struct value memory = end->max_rss_kib > 0 ? INTEGER(end->max_rss_kib) : TEXT(NULL);
    const char *error = end->error;
    enum status status = bound_error(s, &error, m);
    if (status != STATUS_OK)
        return status;
    return store_execute(s, "closing an attempt",
                         "UPDATE attempt SET ended = " NOW ", outcome = ?, exit_code = ?,"
                         " signal = ?, cpu_s = ?, max_rss_kib = ?, error = coalesce(error, ?),"
                         " cause = ?"
                         " WHERE trial_id = ? AND attempt = ?",
                         VALUES(TEXT(attempt_outcome_name(outcome)), code, by_signal, cpu_s, memory,
                                TEXT(error), TEXT(cause), INTEGER(trial_id), INTEGER(attempt)),
                         NULL, m);
}

static enum status read_outcome(struct store *s, int64_t trial_id, const char *result,
                                enum attempt_outcome *outcome, struct message *m)
{
    int64_t state = 0; /* 1: completed, 2: diverged */
    /* Not json_valid(), to which want of memory is malformed JSON too. */
    enum status status = store_integer(s, "reading a result",
                                       "SELECT CASE json_extract(?1, '$.state')"
                                       " WHEN 'completed' THEN 1 WHEN 'diverged' THEN 2 END",
                                       VALUES(TEXT(result)), 0, &state, m);
    if (status == STATUS_OK ? state == 0 : sqlite3_errcode(s->db) == SQLITE_ERROR)
        return status_fail(m, STATUS_CORRUPT, "the result of trial %lld is not a result: %.60s",
                           (long long)trial_id, result);
    *outcome = state == 2 ? OUTCOME_DIVERGED : OUTCOME_COMPLETED;
    return status;
}

enum status store_finish(struct store *s, int64_t trial_id, int64_t attempt, const char *result,
                         const char *checkpoint, const char *sha256, const struct attempt_end *end,
                         bool *accepted, struct message *m)
{
    enum attempt_outcome outcome = OUTCOME_COMPLETED;
    *accepted = false;
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = read_outcome(s, trial_id, result, &outcome, m);
    if (status == STATUS_OK) {
        status = result_take(s, trial_id, attempt, result, checkpoint, sha256, accepted, m);
        if (status != STATUS_OK && (sqlite3_errcode(s->db) & 0xff) == SQLITE_CONSTRAINT)
            status = status_fail_within(
                m, STATUS_CORRUPT, "the result of trial %lld is impossible: ", (long long)trial_id);
    }
    if (status == STATUS_OK && *accepted)
        status = end_attempt(s, trial_id, attempt, outcome, NULL, end, m);
    if (status == STATUS_OK && *accepted)
        status = store_settle_after(s, trial_id, m);
    status = store_leave(s, status, m);
    *accepted = *accepted && status == STATUS_OK;
    return status;
}

enum status store_fail(struct store *s, int64_t trial_id, int64_t attempt, int64_t retries,
                       const struct attempt_end *end, bool *failed, bool *accepted,
                       struct message *m)
{
    long changed = 0;
    int64_t for_good = 0;
    enum status status = store_enter(s, m);
    *failed = *accepted = false;
    if (status != STATUS_OK)
        return status;
    status = store_execute(
        s, "recording a failure",
        "UPDATE trial SET state = CASE WHEN retries_used < ?1 THEN 'queued' ELSE 'failed' END,"
        " retries_used = retries_used + (retries_used < ?1), resume_step = max(resume_step, ?4),"
        " limit_hit = ?5 AND retries_used >= ?1"
        " WHERE trial_id = ?2 AND state = 'running' AND attempt = ?3",
        VALUES(INTEGER(retries), INTEGER(trial_id), INTEGER(attempt), INTEGER(end->step),
               INTEGER(end->limit_hit)),
        &changed, m);
    if (status == STATUS_OK && changed == 1) {
        *accepted = true;
        status = end_attempt(s, trial_id, attempt, OUTCOME_FAILED, NULL, end, m);
        if (status == STATUS_OK)
            status = store_integer(s, "recording a failure",
                                   "SELECT state = 'failed' FROM trial WHERE trial_id = ?",
                                   VALUES(INTEGER(trial_id)), 0, &for_good, m);
        if (status == STATUS_OK && for_good)
            status = store_settle_after(s, trial_id, m);
    }
    status = store_leave(s, status, m);
    *accepted = *accepted && status == STATUS_OK;
    *failed = *accepted && for_good;
    return status;
}

/* At a rung the choice under tune may hang on it. */
static enum status put_back(struct store *s, int64_t trial_id, int64_t attempt,
                            const struct attempt_end *end, enum attempt_cause cause, bool *accepted,
                            struct message *m)
{
    long changed = 0;
    enum status status = store_enter(s, m);
    *accepted = false;
    if (status != STATUS_OK)
        return status;
    status = store_execute(
        s, cause == CAUSE_PAUSED ? "pausing a trial" : "queueing a trial again",
        "UPDATE trial SET state = 'queued', resume_step = ?, steps_done = ?" STORE_FENCE,
        VALUES(INTEGER(end->step), INTEGER(end->step), INTEGER(trial_id), INTEGER(attempt)),
        &changed, m);
    if (status == STATUS_OK && changed == 1)
        status =
            end_attempt(s, trial_id, attempt, OUTCOME_REQUEUED, attempt_cause_name(cause), end, m);
    if (status == STATUS_OK && changed == 1 && cause == CAUSE_PAUSED)
        status = store_settle_after(s, trial_id, m);
    status = store_leave(s, status, m);
    *accepted = changed == 1 && status == STATUS_OK;
    return status;
}

enum status store_requeue(struct store *s, int64_t trial_id, int64_t attempt,
                          const struct attempt_end *end, bool *accepted, struct message *m)
{
    return put_back(s, trial_id, attempt, end, end->cause, accepted, m);
}

enum status store_pause(struct store *s, int64_t trial_id, int64_t attempt,
                        const struct attempt_end *end, bool *accepted, struct message *m)
{
    return put_back(s, trial_id, attempt, end, CAUSE_PAUSED, accepted, m);
}

enum status store_curve(struct store *s, int64_t trial_id, int64_t attempt, const char *rows,
                        struct message *m)
{
    int64_t running = 0;
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = store_integer(s, "recording a curve", "SELECT 1 FROM trial" STORE_FENCE,
                           VALUES(INTEGER(trial_id), INTEGER(attempt)), 0, &running, m);
    if (status == STATUS_OK && running) {
        status = result_insert_curve(s, trial_id, rows, "$", m);
        int error = sqlite3_errcode(s->db) & 0xff;
        if (status != STATUS_OK && (error == SQLITE_ERROR || error == SQLITE_CONSTRAINT))
            status = status_fail_within(m, STATUS_CORRUPT, "trial %lld: ", (long long)trial_id);
    }
    return store_leave(s, status, m);
}

enum status store_retry_failed(struct store *s, int64_t sweep_id, long *count, struct message *m)
{
    enum status status = store_enter(s, m);
    *count = 0;
    if (status != STATUS_OK)
        return status;
    status = store_execute(s, "queueing failed trials again",
                           "UPDATE trial SET state = 'queued', retries_used = 0, limit_hit = 0"
                           " WHERE sweep_id = ? AND state = 'failed' AND in_plan = 1"
                           " AND in_shard = 1",
                           VALUES(INTEGER(sweep_id)), count, m);
    if (status == STATUS_OK && *count > 0)
        status = store_settle(s, sweep_id, m);
    return store_leave(s, status, m);
}

enum status store_forget_weights(struct store *s, struct message *m)
{
    return store_change(s, "forgetting weights",
                        "UPDATE trial SET checkpoint = NULL, checkpoint_sha256 = NULL"
                        " WHERE in_plan = 0 AND checkpoint IS NOT NULL",
                        NO_VALUES, m);
}

enum status store_running(struct store *s, struct running *list, int max, int *n, struct message *m)
{
    struct rows r =
        store_rows(s, "looking for running trials",
                   "SELECT trial_id, attempt, seed, config_sha256, n_params FROM trial JOIN"
                   " config USING (config_id) WHERE state = 'running' ORDER BY trial_id LIMIT ?",
                   VALUES(INTEGER(max)), m);
    for (*n = 0; rows_next(&r); ++*n) {
        list[*n].trial_id = rows_integer(&r, 0);
        list[*n].attempt = rows_integer(&r, 1);
        list[*n].seed = (uint32_t)rows_integer(&r, 2);
        rows_copy(&r, 3, list[*n].config_sha256, sizeof list[*n].config_sha256);
        list[*n].n_params = rows_integer(&r, 4);
    }
    return rows_close(&r);
}
