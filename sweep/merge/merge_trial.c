/* Trials: which of two is taken over, what comes with it, and whether two results of one trial are
 * the same. */
#include "sweep/merge/merge_parts.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/number.h"

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
static struct standing find_ours(struct merging *g, const struct merge_sweep *sweep,
                                 int64_t config_id, int64_t seed)
{
    struct rows *r =
        scope_query(g->x, MERGING,
                    STANDING " FROM trial WHERE sweep_id = ?1 AND config_id ="
                             " (SELECT new FROM merge_config WHERE old = ?2) AND seed = ?3",
                    VALUES(INTEGER(sweep->into_id), INTEGER(config_id), INTEGER(seed)));
    struct standing ours = {0};
    if (rows_next(r))
        ours = merge_standing(r);
    scope_close(g->x, r);
    return ours;
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
    .values = (const char *const[]){"trial_id", "(SELECT number FROM merge_next)", "attempt",
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
static void leave_ours(struct merging *g, const struct standing *theirs,
                       const struct standing *ours)
{
    if (ours->attempts == 0)
        return;
    struct rows *last =
        scope_query(g->x, MERGING, "SELECT max(started) FROM attempt WHERE trial_id = ?",
                    VALUES(INTEGER(ours->trial_id)));
    bool known =
        rows_next(last) &&
        scope_number(g->there, MERGING, "SELECT 1 FROM attempt WHERE trial_id = ? AND started = ?",
                     VALUES(INTEGER(theirs->trial_id), TEXT(rows_given(last, 0))));
    scope_close(g->x, last);
    if (!known)
        scope_run(g->x, MERGING,
                  "INSERT INTO merge_left (trial, theirs, began)"
                  " SELECT trial_id, 0, began FROM (" WAS_SEEN ")",
                  VALUES(INTEGER(ours->trial_id)));
}

/* What the trial is called in both files, and what becomes of its rows: "kept", those of `into`
 * stay; "same", those of `from` are true of it as well; "taken", they come in the place of those of
 * `into`; "added", `into` had none. */
static void note_trial(struct merging *g, int64_t from_id, int64_t into_id, const char *fate)
{
    scope_run(g->x, MERGING, "INSERT INTO merge_trial (old, new, fate) VALUES (?, ?, ?)",
              VALUES(INTEGER(from_id), INTEGER(into_id), TEXT(fate)));
}

/* ---- taking over ---- */

/* Where the attempt is among those of the trial already, from a merge before; 0: it is not. */
static int64_t find_attempt(struct merging *g, int64_t into_id, const struct rows *attempt)
{
    enum { STARTED = 1, HOST, PID };
    struct value pid = rows_null(attempt, PID) ? TEXT(NULL) : INTEGER(rows_integer(attempt, PID));
    return scope_number(g->x, MERGING,
                        "SELECT attempt FROM attempt WHERE trial_id = ? AND started = ?"
                        " AND host IS ? AND pid IS ?",
                        VALUES(INTEGER(into_id), TEXT(rows_text(attempt, STARTED)),
                               TEXT(rows_text(attempt, HOST)), pid));
}

static bool is_known(struct merging *g, const struct standing *theirs, const struct standing *ours)
{
    struct rows *last = scope_query(g->there, MERGING,
                                    "SELECT attempt, started, host, pid FROM attempt"
                                    " WHERE trial_id = ? AND attempt = ?",
                                    VALUES(INTEGER(theirs->trial_id), INTEGER(theirs->attempts)));
    bool known = rows_next(last) && find_attempt(g, ours->trial_id, last);
    scope_close(g->there, last);
    return known;
}

bool merge_is_further(struct merging *g, const struct standing *theirs, const struct standing *ours)
{
    bool further = theirs->cut_off ? rank(ours) == 1 && ours->resume_step == 0
                   : rank(theirs) != rank(ours)
                       ? rank(theirs) > rank(ours)
                       : rank(theirs) == 1 && theirs->resume_step > ours->resume_step;
    bool came_to_nothing = theirs->cut_off || theirs->state == TRIAL_FAILED;
    return further && !(came_to_nothing && is_known(g, theirs, ours));
}

/* Asks for a file of an attempt; weights: those of the trial, which are then named in its row. */
static void move_file(struct merging *g, const struct standing *theirs, int64_t attempt,
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
    scope_check(g->x, g->mover(g->context, &move, g->x->message));
    if (!weights)
        return;
    g->counts->weightless += !move.name[0];
    scope_run(g->x, MERGING,
              "UPDATE trial SET checkpoint = nullif(?2, ''), checkpoint_sha256 ="
              " CASE ?2 WHEN '' THEN NULL ELSE ?3 END WHERE trial_id = ?1",
              VALUES(INTEGER(into_id), TEXT(move.name), TEXT(theirs->sha256)));
}

/* The attempts of `from` follow the `attempts` that there are; the last one is that of the result.
 * Returns how many there are then. */
static int64_t take_attempts(struct merging *g, const struct standing *theirs, int64_t into_id,
                             int64_t attempts)
{
    struct rows *r = scope_query(g->there, MERGING,
                                 "SELECT attempt, started, host, pid FROM attempt"
                                 " WHERE trial_id = ? AND attempt <= ? ORDER BY attempt",
                                 VALUES(INTEGER(theirs->trial_id), INTEGER(theirs->attempts)));
    while (scope_next(g->there, r)) {
        int64_t old = rows_integer(r, 0);
        bool last = old == theirs->attempts && trial_state_ended(theirs->state);
        int64_t number = last ? 0 : find_attempt(g, into_id, r);
        bool known = number != 0;
        if (!known) {
            number = ++attempts;
            scope_run(
                g->x, MERGING,
                "INSERT INTO merge_attempt (old_trial, old, trial, new) VALUES (?, ?, ?, ?)",
                VALUES(INTEGER(theirs->trial_id), INTEGER(old), INTEGER(into_id), INTEGER(number)));
        }
        if (has_result(theirs) ? last && theirs->weights[0] : !known)
            move_file(g, theirs, old, into_id, number, has_result(theirs));
    }
    return attempts;
}

static void count_taken(struct merging *g, const struct standing *theirs)
{
    g->counts->taken++;
    g->counts->results += trial_state_ended(theirs->state);
}

void merge_take_over(struct merging *g, const struct standing *theirs, const struct standing *ours)
{
    note_trial(g, theirs->trial_id, ours->trial_id, "taken");
    leave_ours(g, theirs, ours);
    merge_copy_run(g, &g->result_of_trial, theirs->trial_id);
    int64_t attempts = take_attempts(g, theirs, ours->trial_id, ours->attempts);
    scope_run(g->x, MERGING,
              "UPDATE trial SET attempt = ?2, state = iif(?3, 'running', state)"
              " WHERE trial_id = ?1",
              VALUES(INTEGER(ours->trial_id), INTEGER(attempts), INTEGER(theirs->cut_off)));
    count_taken(g, theirs);
}

/* ---- whether two results are the same ---- */

struct difference {
    bool found;
    char what[64], theirs[64], ours[64];
};

/* A value as people read it, exact. */
static void word_value(const struct rows *r, bool row, int i, char *text, size_t size)
{
    char number[32];
    if (!row || rows_null(r, i)) {
        snprintf(text, size, "none");
    } else if (rows_kind(r, i) == ROWS_REAL) {
        number_format(rows_real(r, i), number, sizeof number);
        snprintf(text, size, "%s", number);
    } else {
        rows_copy(r, i, text, size);
    }
}

static bool same_value(const struct rows *a, const struct rows *b, int i)
{
    if (rows_kind(a, i) != rows_kind(b, i))
        return false;
    switch (rows_kind(a, i)) {
    case ROWS_INTEGER:
        return rows_integer(a, i) == rows_integer(b, i);
    case ROWS_REAL:
        return rows_real(a, i) == rows_real(b, i);
    case ROWS_TEXT:
        return strcmp(rows_text(a, i), rows_text(b, i)) == 0;
    case ROWS_NULL:
        break;
    }
    return true;
}

/* Where rows that stand for each other differ first. by_step: rows have the step in front. */
static void find_difference(struct rows *theirs, struct rows *ours, bool by_step,
                            struct difference *d)
{
    bool a = rows_next(theirs), b = rows_next(ours);
    for (; a && b && !d->found; a = rows_next(theirs), b = rows_next(ours))
        for (int i = 0; i < rows_columns(theirs) && !d->found; i++) {
            if (same_value(theirs, ours, i))
                continue;
            d->found = true;
            if (by_step && i > 0)
                snprintf(d->what, sizeof d->what, "%s at step %lld", rows_name(theirs, i),
                         (long long)rows_integer(theirs, 0));
            else
                snprintf(d->what, sizeof d->what, "%s", rows_name(theirs, i));
            word_value(theirs, true, i, d->theirs, sizeof d->theirs);
            word_value(ours, true, i, d->ours, sizeof d->ours);
        }
    if (a == b || d->found)
        return;
    d->found = true;
    snprintf(d->what, sizeof d->what, "another step in its curve");
    word_value(theirs, a, 0, d->theirs, sizeof d->theirs);
    word_value(ours, b, 0, d->ours, sizeof d->ours);
}

static void compare(struct merging *g, const char *sql, bool by_step, int64_t from_id,
                    int64_t into_id, struct difference *d)
{
    struct rows *theirs = scope_query(g->there, MERGING, sql, VALUES(INTEGER(from_id)));
    struct rows *ours = scope_query(g->x, MERGING, sql, VALUES(INTEGER(into_id)));
    find_difference(theirs, ours, by_step, d);
    scope_close(g->there, theirs);
    scope_close(g->x, ours);
}

/* "heads=4, slots=4, lr=0.01, seed 3 of sweep gather" */
static const char *name_trial(struct merging *g, int64_t into_id)
{
    char label[256];
    const char *name = "";
    struct rows *r = scope_query(g->x, MERGING,
                                 "SELECT heads, setting_label, tuning, seed, name FROM trial JOIN"
                                 " config USING (config_id) JOIN sweep USING (sweep_id)"
                                 " WHERE trial_id = ?",
                                 VALUES(INTEGER(into_id)));
    while (scope_next(g->x, r)) {
        plan_full_label(rows_given(r, 1), rows_given(r, 2), label, sizeof label);
        name = scope_print(g->x, "heads=%lld%s%s, seed %lld of sweep %s",
                           (long long)rows_integer(r, 0), label[0] ? ", " : "", label,
                           (long long)rows_integer(r, 3), rows_given(r, 4));
    }
    return name;
}

/* BAD_INPUT where all attempts of both were built alike. */
static void refuse_contradiction(struct merging *g, const struct difference *d, int64_t from_id,
                                 int64_t into_id)
{
    const char *theirs = scope_string(g->there, MERGING, sql_build_of, VALUES(INTEGER(from_id)));
    const char *ours = scope_string(g->x, MERGING, sql_build_of, VALUES(INTEGER(into_id)));
    if (theirs && ours && strcmp(ours, theirs) == 0)
        scope_fail(g->x, STATUS_BAD_INPUT,
                   "%s contradicts what is merged so far, so nothing was merged: the trial %s "
                   "has %s %s there (trial %lld), but %s in %s (trial %lld), though %s trained "
                   "both. One of the files was changed or is faulty; leave it out",
                   g->from->path, name_trial(g, into_id), d->what, d->theirs, (long long)from_id,
                   d->ours, g->into->path, (long long)into_id, ours);
}

static bool same_result(struct merging *g, int64_t from_id, int64_t into_id)
{
    struct difference d = {.found = false};
    compare(g, sql_result_of, false, from_id, into_id, &d);
    if (!d.found)
        compare(g, sql_curve_of, true, from_id, into_id, &d);
    if (d.found)
        refuse_contradiction(g, &d, from_id, into_id);
    return !d.found;
}

/* ---- a trial that both have ---- */

/* The same result; weights that only `from` has still are come along. */
static void keep_same(struct merging *g, const struct standing *theirs, const struct standing *ours)
{
    bool weights = !ours->weights[0] && theirs->weights[0];
    if (weights)
        move_file(g, theirs, theirs->attempts, ours->trial_id, ours->attempts, true);
    bool same = weights || strcmp(ours->sha256, theirs->sha256) == 0;
    note_trial(g, theirs->trial_id, ours->trial_id, same ? "same" : "kept");
}

static void keep_ours(struct merging *g, const struct standing *theirs, const struct standing *ours)
{
    bool both = has_result(theirs) && has_result(ours);
    bool same = both && same_result(g, theirs->trial_id, ours->trial_id);
    g->counts->other += both && !same;
    if (same)
        keep_same(g, theirs, ours);
    else
        note_trial(g, theirs->trial_id, ours->trial_id, "kept");
    if (theirs->attempts > 0)
        merge_copy_run(g, &g->left_trial, theirs->trial_id);
}

static void join_trial(struct merging *g, const struct merge_sweep *sweep,
                       const struct standing *theirs, const struct standing *ours)
{
    bool takes = merge_is_further(g, theirs, ours);
    if (sweep->plan == MERGE_THEIRS)
        merge_copy_run(g, &g->plan_of_trial, theirs->trial_id);
    if (takes)
        merge_take_over(g, theirs, ours);
    else
        keep_ours(g, theirs, ours);
}

/* ---- a trial that `into` has not ---- */

static void add_trial(struct merging *g, const struct merge_sweep *sweep,
                      const struct standing *theirs)
{
    bool takes = theirs->attempts > 0;
    merge_copy_run(g, &g->new_trial, theirs->trial_id);
    int64_t number = sqlite3_last_insert_rowid(g->into->db);
    note_trial(g, theirs->trial_id, number, takes ? "added" : "kept");
    if (sweep->plan == MERGE_OURS)
        scope_run(g->x, MERGING, "UPDATE trial SET in_plan = 0 WHERE trial_id = ?",
                  VALUES(INTEGER(number)));
    if (!takes)
        return;
    count_taken(g, theirs);
    take_attempts(g, theirs, number, 0);
}

void merge_trials_open(struct merging *g)
{
    g->new_trial = merge_copy_open(g, &new_trial);
    g->plan_of_trial = merge_copy_open(g, &plan_of_trial);
    g->result_of_trial = merge_copy_open(g, &result_of_trial);
    g->left_trial = merge_copy_open(g, &left_trial);
}

void merge_trials_close(struct merging *g)
{
    merge_copy_close(g, &g->new_trial);
    merge_copy_close(g, &g->plan_of_trial);
    merge_copy_close(g, &g->result_of_trial);
    merge_copy_close(g, &g->left_trial);
}

void merge_trials(struct merging *g, const struct merge_sweep *sweep)
{
    struct rows *r =
        scope_query(g->there, MERGING, STANDING " FROM trial WHERE sweep_id = ? ORDER BY trial_id",
                    VALUES(INTEGER(sweep->from_id)));
    while (scope_next(g->there, r)) {
        struct standing theirs = merge_standing(r);
        scope_check(g->there, r->status);
        struct standing ours =
            find_ours(g, sweep, rows_integer(r, STANDING_CONFIG), rows_integer(r, STANDING_SEED));
        g->counts->trials += theirs.state != TRIAL_NOT_NEEDED;
        if (ours.trial_id)
            join_trial(g, sweep, &theirs, &ours);
        else
            add_trial(g, sweep, &theirs);
    }
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
static void copy_rows(struct merging *g, const struct merge_table *t)
{
    struct merge_table all = *t;
    bool result = is_result(t->name);
    if (!g->own && !result) {
        all.where = NULL;
        merge_rows(g, &all, 0);
        return;
    }
    struct merge_copy copy = merge_copy_open(g, t);
    struct rows *r = scope_query(g->x, MERGING,
                                 "SELECT old FROM merge_trial"
                                 " WHERE fate IN ('added', 'taken') OR NOT ?",
                                 VALUES(INTEGER(result)));
    while (scope_next(g->x, r))
        merge_copy_run(g, &copy, rows_integer(r, 0));
    merge_copy_close(g, &copy);
}

static void merge_table_of_trials(struct merging *g, const char *name, const char *column)
{
    const char *const values[] = {column, "t.new", NULL};
    struct merge_table t = {
        .name = name, .where = scope_print(g->x, "WHERE %s = ?1", column), .values = values};
    if (strcmp(name, attempts.name) == 0) {
        copy_rows(g, &attempts);
        return;
    }
    if (strcmp(name, studies.name) == 0)
        t = studies;
    t.tail = scope_print(g->x,
                         "FROM merge_trial AS t WHERE t.old = @%s AND t.fate <> 'kept'"
                         " ON CONFLICT DO NOTHING",
                         column);
    scope_run(g->x, MERGING,
              scope_print(g->x,
                          "DELETE FROM %s WHERE %s IN"
                          " (SELECT new FROM merge_trial WHERE fate = 'taken')",
                          name, column),
              NO_VALUES);
    copy_rows(g, &t);
}

void merge_trial_rows(struct merging *g)
{
    scope_script(g->x, MERGING, sql_remember_left);
    struct rows *r = tables_of(g->x, "trial");
    while (scope_next(g->x, r))
        merge_table_of_trials(g, rows_given(r, 0), rows_given(r, 1));
}
