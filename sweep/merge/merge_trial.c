/* Trials: which of two is taken over, and what comes with it. */
#include "sweep/merge/merge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/db/tables.h"

/* ---- how far a trial has come ---- */

static bool has_result(const struct standing *s)
{
    return s->state == TRIAL_COMPLETED || s->state == TRIAL_DIVERGED;
}

static int rank(const struct standing *s)
{
    return !s->trial_id ? 0 : has_result(s) ? 3 : s->state == TRIAL_FAILED ? 2 : 1;
}

struct standing merge_standing(struct rows *r)
{
    enum { TRIAL_ID, STATE, RESUME_STEP, ATTEMPTS, WEIGHTS, SHA256 };
    struct standing s = {.trial_id = rows_integer(r, TRIAL_ID),
                         .state = rows_state(r, STATE),
                         .resume_step = rows_integer(r, RESUME_STEP),
                         .attempts = rows_integer(r, ATTEMPTS)};
    rows_copy(r, WEIGHTS, s.weights, sizeof s.weights);
    rows_copy(r, SHA256, s.sha256, sizeof s.sha256);
    return s;
}

/* The same trial in `into`. */
static enum status find_ours(struct merging *g, const struct merge_sweep *sweep, int64_t config_id,
                             int64_t seed, struct standing *ours)
{
    struct rows r =
        store_rows(g->into, MERGING,
                   STANDING " FROM trial WHERE sweep_id = ?1 AND config_id ="
                            " (SELECT new FROM merge_config WHERE old = ?2)"
                            " AND seed = ?3",
                   VALUES(INTEGER(sweep->into_id), INTEGER(config_id), INTEGER(seed)), g->m);
    *ours = (struct standing){0};
    if (rows_next(&r))
        *ours = merge_standing(&r);
    return rows_close(&r);
}

/* ---- rows of `trial` ---- */

/* `from` is not at work on any, and weights are named once they have come along. */
#define AS_IT_IS                                                                                   \
    "state", "CASE @state WHEN 'running' THEN 'queued' ELSE @state END", "checkpoint", "NULL",     \
        "checkpoint_sha256", "NULL"
#define SAME_TRIAL                                                                                 \
    "WHERE sweep_id = (SELECT new FROM merge_sweep WHERE old = @sweep_id) AND config_id ="         \
    " (SELECT new FROM merge_config WHERE old = @config_id) AND seed = @seed"

static const struct merge_table new_trial = {
    .name = "trial",
    .where = "WHERE trial_id = ?1",
    .columns = "[\"in_shard\"]",
    .values = (const char *const[]){"trial_id", (MERGE_NEXT_NUMBER), "attempt",
                                    "@attempt - (@state = 'running')", AS_IT_IS, NULL},
};

#define OF_PLAN                                                                                    \
    "\"in_plan\", \"plan_order\", \"setting\", \"setting_label\", \"tuning\", \"is_tuning\","      \
    "\"replicate\", \"look\", \"choice\", \"until\", \"added\", \"confirms\""

/* What a sweep file says of a trial. */
static const struct merge_table plan_of_trial = {.name = "trial",
                                                 .where = "WHERE trial_id = ?1",
                                                 .columns = "[" OF_PLAN "]",
                                                 .only = true,
                                                 .update = true,
                                                 .tail = SAME_TRIAL};

/* What it has come to. */
static const struct merge_table result_of_trial = {
    .name = "trial",
    .where = "WHERE trial_id = ?1",
    .columns = "[" OF_PLAN ", \"sweep_id\", \"config_id\", \"seed\", \"attempt\", \"remark\","
               " \"in_shard\"]",
    .values = (const char *const[]){AS_IT_IS, NULL},
    .update = true,
    .tail = SAME_TRIAL,
};

/* Of a trial that both have, what came of the one that does not stay may have been seen before the
 * other began. */
#define WAS_SEEN                                                                                   \
    "SELECT trial_id, min(started) AS began FROM attempt AS a WHERE trial_id = ?1"                 \
    " AND EXISTS (SELECT 1 FROM curve AS c WHERE c.trial_id = a.trial_id) GROUP BY trial_id"

static const struct merge_table left_trial = {
    .name = "(" WAS_SEEN ")",
    .where = "WHERE trial_id = ?1",
    .write = "INSERT INTO merge_left (trial, theirs, began) SELECT new, 1, @began FROM merge_trial"
             " WHERE old = @trial_id AND @began <"
             "  (SELECT min(started) FROM attempt WHERE trial_id = new)"};

/* Not where theirs is the same trial some time later. */
static enum status leave_ours(struct merging *g, const struct standing *theirs,
                              const struct standing *ours)
{
    char *last = NULL;
    int64_t known = 0;
    if (ours->attempts == 0)
        return STATUS_OK;
    enum status status =
        store_text(g->into, MERGING, "SELECT max(started) FROM attempt WHERE trial_id = ?",
                   VALUES(INTEGER(ours->trial_id)), &last, g->m);
    if (status == STATUS_OK)
        status = store_integer(g->from, MERGING,
                               "SELECT 1 FROM attempt WHERE trial_id = ? AND started = ?",
                               VALUES(INTEGER(theirs->trial_id), TEXT(last)), 0, &known, g->m);
    if (status == STATUS_OK && !known)
        status = store_execute(g->into, MERGING,
                               "INSERT INTO merge_left (trial, theirs, began)"
                               " SELECT trial_id, 0, began FROM (" WAS_SEEN ")",
                               VALUES(INTEGER(ours->trial_id)), NULL, g->m);
    free(last);
    return status;
}

/* The ledger remembers it, for claims made in between. */
static enum status remember_left(struct merging *g)
{
    static const char once[] =
        "DELETE FROM merge_left WHERE EXISTS (SELECT 1 FROM deleted AS d JOIN trial AS t"
        "  USING (config_id, seed) WHERE t.trial_id = merge_left.trial AND d.ended = began)";
    static const char number[] = "UPDATE merge_left SET number = number - 1 + " MERGE_NEXT_NUMBER;
    static const char write[] =
        "INSERT INTO deleted (trial_id, config_id, seed, sweep, ended, deleted, seen)"
        " SELECT l.number, config_id, seed, name, began, " NOW ", 1"
        " FROM merge_left AS l JOIN trial ON trial_id = trial JOIN sweep USING (sweep_id)";
    static const char here[] =
        "INSERT INTO merge_here SELECT number FROM merge_left WHERE NOT theirs";
    const char *const statements[] = {once, number, write, here};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof statements / sizeof *statements; i++)
        status = store_execute(g->into, MERGING, statements[i], NO_VALUES, NULL, g->m);
    return status;
}

/* What the trial is called in both files, and what becomes of its rows: "kept", those of `into`
 * stay; "same", those of `from` are true of it as well; "taken", they come in the place of those of
 * `into`; "added", `into` had none. */
static enum status note_trial(struct merging *g, int64_t from_id, int64_t into_id, const char *fate)
{
    return store_execute(g->into, MERGING,
                         "INSERT INTO merge_trial (old, new, fate) VALUES (?, ?, ?)",
                         VALUES(INTEGER(from_id), INTEGER(into_id), TEXT(fate)), NULL, g->m);
}

/* ---- taking over ---- */

/* Where the attempt is among those of the trial already, from a merge before; 0: it is not. */
static enum status find_attempt(struct merging *g, int64_t into_id, const struct rows *attempt,
                                int64_t *number)
{
    enum { STARTED = 1, HOST, PID };
    struct value pid = rows_null(attempt, PID) ? TEXT(NULL) : INTEGER(rows_integer(attempt, PID));
    return store_integer(g->into, MERGING,
                         "SELECT attempt FROM attempt WHERE trial_id = ? AND started = ?"
                         " AND host IS ? AND pid IS ?",
                         VALUES(INTEGER(into_id), TEXT(rows_text(attempt, STARTED)),
                                TEXT(rows_text(attempt, HOST)), pid),
                         0, number, g->m);
}

enum status merge_is_further(struct merging *g, const struct standing *theirs,
                             const struct standing *ours, bool *further)
{
    int64_t known = 0;
    if (theirs->cut_off)
        *further = rank(ours) == 1 && ours->resume_step == 0;
    else
        *further = rank(theirs) != rank(ours)
                       ? rank(theirs) > rank(ours)
                       : rank(theirs) == 1 && theirs->resume_step > ours->resume_step;
    if (!*further || !(theirs->cut_off || theirs->state == TRIAL_FAILED))
        return STATUS_OK;
    struct rows last =
        store_rows(g->from, MERGING,
                   "SELECT attempt, started, host, pid FROM attempt"
                   " WHERE trial_id = ? AND attempt = ?",
                   VALUES(INTEGER(theirs->trial_id), INTEGER(theirs->attempts)), g->m);
    enum status status =
        rows_next(&last) ? find_attempt(g, ours->trial_id, &last, &known) : STATUS_OK;
    *further = !known;
    return rows_close_after(&last, status);
}

static enum status note_attempt(struct merging *g, int64_t from_id, int64_t attempt,
                                int64_t into_id, int64_t number)
{
    return store_execute(
        g->into, MERGING,
        "INSERT INTO merge_attempt (old_trial, old, trial, new)"
        " VALUES (?, ?, ?, ?)",
        VALUES(INTEGER(from_id), INTEGER(attempt), INTEGER(into_id), INTEGER(number)), NULL, g->m);
}

/* Asks for a file of an attempt; weights: those of the trial, which are then named in its row. */
static enum status move_file(struct merging *g, const struct standing *theirs, int64_t attempt,
                             int64_t into_id, int64_t number, bool weights)
{
    struct merge_move move = {.from = g->from,
                              .trial = theirs->trial_id,
                              .attempt = attempt,
                              .to_trial = into_id,
                              .to_attempt = number,
                              .weights = weights ? theirs->weights : NULL,
                              .sha256 = theirs->sha256,
                              .cut_off = theirs->cut_off && attempt == theirs->attempts};
    enum status status = g->mover(g->context, &move, g->m);
    if (status != STATUS_OK || !weights)
        return status;
    g->counts->weightless += !move.name[0];
    return store_execute(g->into, MERGING,
                         "UPDATE trial SET checkpoint = nullif(?2, ''), checkpoint_sha256 ="
                         " CASE ?2 WHEN '' THEN NULL ELSE ?3 END WHERE trial_id = ?1",
                         VALUES(INTEGER(into_id), TEXT(move.name), TEXT(theirs->sha256)), NULL,
                         g->m);
}

/* The attempts of `from` follow those that there are; the last one is that of the result. */
static enum status take_attempts(struct merging *g, const struct standing *theirs, int64_t into_id,
                                 int64_t *attempts)
{
    struct rows r = store_rows(g->from, MERGING,
                               "SELECT attempt, started, host, pid FROM attempt"
                               " WHERE trial_id = ? AND attempt <= ? ORDER BY attempt",
                               VALUES(INTEGER(theirs->trial_id), INTEGER(theirs->attempts)), g->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r)) {
        int64_t old = rows_integer(&r, 0), number = 0;
        bool last = old == theirs->attempts && trial_state_ended(theirs->state);
        if (!last)
            status = find_attempt(g, into_id, &r, &number);
        bool known = number != 0;
        if (!known)
            number = ++*attempts;
        if (status == STATUS_OK && !known)
            status = note_attempt(g, theirs->trial_id, old, into_id, number);
        bool files = has_result(theirs) ? last && theirs->weights[0] : !known;
        if (status == STATUS_OK && files)
            status = move_file(g, theirs, old, into_id, number, has_result(theirs));
    }
    return rows_close_after(&r, status);
}

static void count_taken(struct merging *g, const struct standing *theirs)
{
    g->counts->taken++;
    g->counts->results += trial_state_ended(theirs->state);
}

enum status merge_take_over(struct merging *g, const struct standing *theirs,
                            const struct standing *ours)
{
    int64_t attempts = ours->attempts;
    enum status status = note_trial(g, theirs->trial_id, ours->trial_id, "taken");
    if (status == STATUS_OK)
        status = leave_ours(g, theirs, ours);
    if (status == STATUS_OK)
        status = merge_copy_run(&g->result_of_trial, theirs->trial_id);
    if (status == STATUS_OK)
        status = take_attempts(g, theirs, ours->trial_id, &attempts);
    if (status == STATUS_OK)
        status = store_execute(
            g->into, MERGING,
            "UPDATE trial SET attempt = ?2, state = iif(?3, 'running', state) WHERE trial_id = ?1",
            VALUES(INTEGER(ours->trial_id), INTEGER(attempts), INTEGER(theirs->cut_off)), NULL,
            g->m);
    count_taken(g, theirs);
    return status;
}

/* ---- a trial that both have ---- */

/* The same result; weights that only `from` has still are come along. */
static enum status keep_same(struct merging *g, const struct standing *theirs,
                             const struct standing *ours)
{
    bool weights = !ours->weights[0] && theirs->weights[0];
    enum status status = STATUS_OK;
    if (weights)
        status = move_file(g, theirs, theirs->attempts, ours->trial_id, ours->attempts, true);
    bool same = weights || strcmp(ours->sha256, theirs->sha256) == 0;
    return status == STATUS_OK
               ? note_trial(g, theirs->trial_id, ours->trial_id, same ? "same" : "kept")
               : status;
}

static enum status keep_ours(struct merging *g, const struct standing *theirs,
                             const struct standing *ours)
{
    bool same = false;
    enum status status = STATUS_OK;
    if (has_result(theirs) && has_result(ours)) {
        status = merge_compare(g, theirs->trial_id, ours->trial_id, &same);
        g->counts->other += !same;
    }
    if (status == STATUS_OK && same)
        status = keep_same(g, theirs, ours);
    else if (status == STATUS_OK)
        status = note_trial(g, theirs->trial_id, ours->trial_id, "kept");
    return status == STATUS_OK && theirs->attempts > 0
               ? merge_copy_run(&g->left_trial, theirs->trial_id)
               : status;
}

/* ---- a trial that `into` has not ---- */

static enum status add_trial(struct merging *g, const struct merge_sweep *sweep,
                             const struct standing *theirs)
{
    bool takes = theirs->attempts > 0;
    int64_t attempts = 0;
    enum status status = merge_copy_run(&g->new_trial, theirs->trial_id);
    int64_t number = sqlite3_last_insert_rowid(g->into->db);
    if (status == STATUS_OK)
        status = note_trial(g, theirs->trial_id, number, takes ? "added" : "kept");
    if (status == STATUS_OK && sweep->plan == MERGE_OURS)
        status = store_execute(g->into, MERGING, "UPDATE trial SET in_plan = 0 WHERE trial_id = ?",
                               VALUES(INTEGER(number)), NULL, g->m);
    if (status != STATUS_OK || !takes)
        return status;
    count_taken(g, theirs);
    return take_attempts(g, theirs, number, &attempts);
}

static enum status join_trial(struct merging *g, const struct merge_sweep *sweep,
                              const struct standing *theirs, const struct standing *ours)
{
    bool takes = false;
    enum status status = merge_is_further(g, theirs, ours, &takes);
    if (status == STATUS_OK && sweep->plan == MERGE_THEIRS)
        status = merge_copy_run(&g->plan_of_trial, theirs->trial_id);
    if (status != STATUS_OK)
        return status;
    return takes ? merge_take_over(g, theirs, ours) : keep_ours(g, theirs, ours);
}

static enum status merge_trial(struct merging *g, const struct merge_sweep *sweep, struct rows *r)
{
    struct standing theirs = merge_standing(r), ours;
    enum status status = find_ours(g, sweep, rows_integer(r, STANDING_CONFIG),
                                   rows_integer(r, STANDING_SEED), &ours);
    g->counts->trials += theirs.state != TRIAL_NOT_NEEDED;
    if (status != STATUS_OK)
        return status;
    return ours.trial_id ? join_trial(g, sweep, &theirs, &ours) : add_trial(g, sweep, &theirs);
}

enum status merge_trials_open(struct merging *g)
{
    enum status status = merge_copy_open(g, &new_trial, &g->new_trial);
    if (status == STATUS_OK)
        status = merge_copy_open(g, &plan_of_trial, &g->plan_of_trial);
    if (status == STATUS_OK)
        status = merge_copy_open(g, &result_of_trial, &g->result_of_trial);
    return status == STATUS_OK ? merge_copy_open(g, &left_trial, &g->left_trial) : status;
}

void merge_trials_close(struct merging *g)
{
    merge_copy_close(&g->new_trial);
    merge_copy_close(&g->plan_of_trial);
    merge_copy_close(&g->result_of_trial);
    merge_copy_close(&g->left_trial);
}

enum status merge_trials(struct merging *g, const struct merge_sweep *sweep)
{
    struct rows r =
        store_rows(g->from, MERGING, STANDING " FROM trial WHERE sweep_id = ? ORDER BY trial_id",
                   VALUES(INTEGER(sweep->from_id)), g->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && r.status == STATUS_OK && rows_next(&r))
        status = merge_trial(g, sweep, &r);
    return rows_close_after(&r, status);
}

/* ---- rows that hang on trials ---- */

/* The members of an ensemble are called by their numbers. */
#define MEMBERS                                                                                    \
    "CASE @name WHEN 'ensemble' THEN json_object('members', json((SELECT json_group_array(new)"    \
    " FROM (SELECT new FROM json_each(@options, '$.members') JOIN merge_trial ON old = value"      \
    "  ORDER BY new)))) ELSE @options END"

/* Rows that are not just copied: attempts are numbered behind those that there are; the options of
 * an ensemble's study are JSON with the numbers of its members, which may not all be among the few
 * trials that are taken over. */
static const struct merge_table attempts = {
    .name = "attempt",
    .where = "WHERE trial_id = ?1",
    .values = (const char *const[]){"trial_id", "a.trial", "attempt", "a.new", NULL},
    .tail = "FROM merge_attempt AS a WHERE a.old_trial = @trial_id AND a.old = @attempt"};
static const struct merge_table studies = {
    .name = "study",
    .where = "WHERE trial_id = ?1 AND name <> 'ensemble'",
    .values = (const char *const[]){"trial_id", "t.new", "options", (MEMBERS), NULL}};

/* What comes with a result: of trials that are the same it was compared, or is of no account. */
static bool is_result(const char *table)
{
    return strcmp(table, "curve") == 0 || strcmp(table, "block_loss") == 0 ||
           strcmp(table, "label_acc") == 0;
}

/* Of all trials, or of some, one by one. */
static enum status copy_rows(struct merging *g, const struct merge_table *t)
{
    struct merge_table all = *t;
    struct merge_copy copy;
    bool result = is_result(t->name);
    if (!g->own && !result) {
        all.where = NULL;
        return merge_rows(g, &all, 0);
    }
    enum status status = merge_copy_open(g, t, &copy);
    struct rows r = store_rows(g->into, MERGING,
                               "SELECT old FROM merge_trial"
                               " WHERE fate IN ('added', 'taken') OR NOT ?",
                               VALUES(INTEGER(result)), g->m);
    while (status == STATUS_OK && rows_next(&r))
        status = merge_copy_run(&copy, rows_integer(&r, 0));
    enum status closed = rows_close(&r);
    merge_copy_close(&copy);
    return status == STATUS_OK ? closed : status;
}

static enum status merge_table_of_trials(struct merging *g, const char *name, const char *column)
{
    char room[160], where[80], tail[160];
    snprintf(room, sizeof room,
             "DELETE FROM %s WHERE %s IN (SELECT new FROM merge_trial WHERE fate = 'taken')", name,
             column);
    snprintf(where, sizeof where, "WHERE %s = ?1", column);
    snprintf(tail, sizeof tail,
             "FROM merge_trial AS t WHERE t.old = @%s AND t.fate <> 'kept' ON CONFLICT DO NOTHING",
             column);
    const char *const values[] = {column, "t.new", NULL};
    struct merge_table t = {.name = name, .where = where, .values = values};
    if (strcmp(name, attempts.name) == 0)
        return copy_rows(g, &attempts);
    if (strcmp(name, studies.name) == 0)
        t = studies;
    t.tail = tail;
    enum status status = store_execute(g->into, MERGING, room, NO_VALUES, NULL, g->m);
    return status == STATUS_OK ? copy_rows(g, &t) : status;
}

enum status merge_trial_rows(struct merging *g)
{
    enum status status = remember_left(g);
    struct rows r = tables_of(g->into, "trial", g->m);
    while (status == STATUS_OK && rows_next(&r))
        status = merge_table_of_trials(g, rows_given(&r, 0), rows_given(&r, 1));
    return rows_close_after(&r, status);
}
