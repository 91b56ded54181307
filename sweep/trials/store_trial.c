#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/db/lock.h"
#include "sweep/trials/trials_internal.h"

/* ---- claiming ---- */

/* Columns of sql_claim_first. */
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

/* Of those that are not left to machines other than this one; NULL: of all. False: none. */
static bool first_queued(struct scope *x, int64_t sweep_id, const char *host, struct claimed *c)
{
    struct rows *r = scope_query(x, "looking for a queued trial", sql_claim_first,
                                 VALUES(INTEGER(sweep_id), TEXT(host)));
    if (!scope_next(x, r))
        return false;
    c->trial_id = rows_integer(r, TRIAL_ID);
    c->attempt = rows_integer(r, ATTEMPT);
    c->seed = (uint32_t)rows_integer(r, SEED);
    c->resumed_from_step = (long)rows_integer(r, RESUME_STEP);
    c->tuning = rows_integer(r, IS_TUNING) != 0;
    rows_copy(r, CONFIG_JSON, c->config_json, sizeof c->config_json);
    rows_copy(r, CONFIG_SHA256, c->config_sha256, sizeof c->config_sha256);
    const char *label = rows_text(r, LABEL), *tuning = rows_text(r, TUNING);
    plan_full_label(label ? label : "", tuning ? tuning : "", c->label, sizeof c->label);
    rows_copy(r, TASK, c->task, sizeof c->task);
    c->heads = rows_integer(r, HEADS);
    c->steps = rows_integer(r, STEPS);
    c->n_params = rows_integer(r, N_PARAMS);
    c->until = rows_integer(r, UNTIL);
    scope_close(x, r);
    return true;
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

static void claim(struct scope *x, int64_t sweep_id, int64_t build_id, const char *host,
                  bool others, struct claimed *c)
{
    char job[JOB_SIZE], here[256] = "";
    const char *doing = "claiming a trial";
    if (!host) {
        gethostname(here, sizeof here - 1);
        host = here;
    }
    if (!first_queued(x, sweep_id, others ? host : NULL, c)) {
        c->left = others && first_queued(x, sweep_id, NULL, c);
        c->trial_id = 0;
        return;
    }
    scope_run(x, doing, "UPDATE trial SET state = 'running', attempt = ? WHERE trial_id = ?",
              VALUES(INTEGER(c->attempt), INTEGER(c->trial_id)));
    scope_run(x, doing, sql_begin_attempt,
              VALUES(INTEGER(c->trial_id), INTEGER(c->attempt), INTEGER(build_id), TEXT(host),
                     INTEGER(c->resumed_from_step), TEXT(slurm_job(job))));
}

enum status store_claim(struct store *s, int64_t sweep_id, int64_t build_id, const char *host,
                        bool others, struct claimed *c, struct message *m)
{
    struct scope *x = scope_of(s, m);
    c->trial_id = 0;
    c->left = false;
    if (scope_enter(x)) {
        scope_change(x);
        claim(x, sweep_id, build_id, host, others, c);
    }
    enum status status = scope_commit(x);
    if (status != STATUS_OK)
        c->trial_id = 0;
    return status;
}

enum status store_spawned(struct store *s, int64_t trial_id, int64_t attempt, int64_t pid,
                          struct message *m)
{
    return store_change(s, "recording a worker",
                        "UPDATE attempt SET pid = ? WHERE trial_id = ? AND attempt = ?"
                        " AND ended IS NULL",
                        VALUES(INTEGER(pid), INTEGER(trial_id), INTEGER(attempt)), m);
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
static const char *bounded_error(struct scope *x, const char *error)
{
    struct store *s = x->store;
    size_t size = error ? strlen(error) : 0;
    if (size <= STORE_ERROR_END)
        return error;
    if (s->errors_size == 0)
        s->errors_size = scope_number(
            x, "closing an attempt",
            "SELECT 1 + coalesce(sum(length(CAST(error AS BLOB))), 0) FROM attempt", NO_VALUES);
    s->errors_size += (int64_t)size; /* and if this change is undone, a little is kept too few */
    if (s->errors_size > STORE_ERRORS_MAX) {
        error += size - STORE_ERROR_END;
        while ((*error & 0xc0) == 0x80) /* the middle of a character */
            ++error;
    }
    return error;
}

static void end_attempt(struct scope *x, int64_t trial_id, int64_t attempt,
                        enum attempt_outcome outcome, const char *cause,
                        const struct attempt_end *end)
{
    struct value code = end->signal || end->unseen ? TEXT(NULL) : INTEGER(end->exit_code);
    struct value by_signal = end->signal ? INTEGER(end->signal) : TEXT(NULL);
    struct value cpu_s = end->cpu_s > 0 ? REAL(end->cpu_s) : TEXT(NULL);
    struct value memory = end->max_rss_kib > 0 ? INTEGER(end->max_rss_kib) : TEXT(NULL);
    scope_run(x, "closing an attempt", sql_end_attempt,
              VALUES(TEXT(attempt_outcome_name(outcome)), code, by_signal, cpu_s, memory,
                     TEXT(bounded_error(x, end->error)), TEXT(cause), INTEGER(trial_id),
                     INTEGER(attempt)));
}

static enum attempt_outcome read_outcome(struct scope *x, int64_t trial_id, const char *result)
{
    int64_t state = 0; /* 1: completed, 2: diverged */
    /* Not json_valid(), to which want of memory is malformed JSON too. */
    enum status status = store_integer(x->store, "reading a result",
                                       "SELECT CASE json_extract(?1, '$.state')"
                                       " WHEN 'completed' THEN 1 WHEN 'diverged' THEN 2 END",
                                       VALUES(TEXT(result)), 0, &state, x->message);
    if (status == STATUS_OK ? state == 0 : sqlite3_errcode(x->store->db) == SQLITE_ERROR)
        scope_fail(x, STATUS_CORRUPT, "the result of trial %lld is not a result: %.60s",
                   (long long)trial_id, result);
    scope_check(x, status);
    return state == 2 ? OUTCOME_DIVERGED : OUTCOME_COMPLETED;
}

static bool was_refused(const struct store *s, int code)
{
    return (sqlite3_errcode(s->db) & 0xff) == code;
}

static void finish(struct scope *x, int64_t trial_id, int64_t attempt, const char *result,
                   const char *checkpoint, const char *sha256, const struct attempt_end *end,
                   bool *accepted)
{
    enum attempt_outcome outcome = read_outcome(x, trial_id, result);
    result_take(x, trial_id, attempt, result, checkpoint, sha256, accepted);
    if (!*accepted)
        return;
    end_attempt(x, trial_id, attempt, outcome, NULL, end);
    store_settle_after(x, trial_id);
}

enum status store_finish(struct store *s, int64_t trial_id, int64_t attempt, const char *result,
                         const char *checkpoint, const char *sha256, const struct attempt_end *end,
                         bool *accepted, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *accepted = false;
    if (scope_enter(x)) {
        scope_change(x);
        finish(x, trial_id, attempt, result, checkpoint, sha256, end, accepted);
    } else if (x && was_refused(s, SQLITE_CONSTRAINT)) {
        x->status = status_fail_within(
            m, STATUS_CORRUPT, "the result of trial %lld is impossible: ", (long long)trial_id);
    }
    enum status status = scope_commit(x);
    *accepted = *accepted && status == STATUS_OK;
    return status;
}

static void fail(struct scope *x, int64_t trial_id, int64_t attempt, int64_t retries,
                 const struct attempt_end *end, bool *failed, bool *accepted)
{
    const char *doing = "recording a failure";
    *accepted = scope_run(x, doing, sql_fail_trial,
                          VALUES(INTEGER(retries), INTEGER(trial_id), INTEGER(attempt),
                                 INTEGER(end->step), INTEGER(end->limit_hit))) == 1;
    if (!*accepted)
        return;
    end_attempt(x, trial_id, attempt, OUTCOME_FAILED, NULL, end);
    *failed = scope_number(x, doing, "SELECT state = 'failed' FROM trial WHERE trial_id = ?",
                           VALUES(INTEGER(trial_id))) != 0;
    if (*failed)
        store_settle_after(x, trial_id);
}

enum status store_fail(struct store *s, int64_t trial_id, int64_t attempt, int64_t retries,
                       const struct attempt_end *end, bool *failed, bool *accepted,
                       struct message *m)
{
    struct scope *x = scope_of(s, m);
    *failed = *accepted = false;
    if (scope_enter(x)) {
        scope_change(x);
        fail(x, trial_id, attempt, retries, end, failed, accepted);
    }
    enum status status = scope_commit(x);
    *accepted = *accepted && status == STATUS_OK;
    *failed = *failed && *accepted;
    return status;
}

/* At a rung the choice under tune may hang on it. */
static enum status put_back(struct store *s, int64_t trial_id, int64_t attempt,
                            const struct attempt_end *end, enum attempt_cause cause, bool *accepted,
                            struct message *m)
{
    struct scope *x = scope_of(s, m);
    const bool pauses = cause == CAUSE_PAUSED;
    *accepted = false;
    if (scope_enter(x)) {
        scope_change(x);
        *accepted =
            scope_run(
                x, pauses ? "pausing a trial" : "queueing a trial again",
                "UPDATE trial SET state = 'queued', resume_step = ?, steps_done = ?" STORE_FENCE,
                VALUES(INTEGER(end->step), INTEGER(end->step), INTEGER(trial_id),
                       INTEGER(attempt))) == 1;
        if (*accepted)
            end_attempt(x, trial_id, attempt, OUTCOME_REQUEUED, attempt_cause_name(cause), end);
        if (*accepted && pauses)
            store_settle_after(x, trial_id);
    }
    enum status status = scope_commit(x);
    *accepted = *accepted && status == STATUS_OK;
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
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_change(x);
        if (scope_number(x, "recording a curve", "SELECT 1 FROM trial" STORE_FENCE,
                         VALUES(INTEGER(trial_id), INTEGER(attempt))))
            result_insert_curve(x, trial_id, rows, "$");
    } else if (x && (was_refused(s, SQLITE_ERROR) || was_refused(s, SQLITE_CONSTRAINT))) {
        x->status = status_fail_within(m, STATUS_CORRUPT, "trial %lld: ", (long long)trial_id);
    }
    return scope_commit(x);
}

enum status store_retry_failed(struct store *s, int64_t sweep_id, long *count, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *count = 0;
    if (scope_enter(x)) {
        scope_change(x);
        *count = scope_run(x, "queueing failed trials again",
                           "UPDATE trial SET state = 'queued', retries_used = 0, limit_hit = 0"
                           " WHERE sweep_id = ? AND state = 'failed' AND in_plan = 1"
                           " AND in_shard = 1",
                           VALUES(INTEGER(sweep_id)));
        if (*count > 0)
            store_settle(x, sweep_id);
    }
    return scope_commit(x);
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
