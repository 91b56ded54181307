#include "sweep/store/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status store_build(struct store *s, const struct build_info *b, int64_t *build_id,
                        struct message *m)
{
    const char *doing = "recording the build";
    const struct value values[] = {TEXT(b->version), TEXT(b->commit),     TEXT(b->compiler),
                                   TEXT(b->flags),   TEXT(b->openblas),   TEXT(b->core_type),
                                   TEXT(b->kernels), INTEGER(b->threads), TEXT(b->cpu)};
    int count = (int)(sizeof values / sizeof *values);
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = store_execute(s, doing,
                           "INSERT INTO build (version, git_commit, compiler, flags, openblas,"
                           " core_type, kernels, threads, cpu) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
                           " ON CONFLICT DO NOTHING",
                           values, count, NULL, m);
    if (status == STATUS_OK)
        status = store_integer(s, doing,
                               "SELECT build_id FROM build WHERE (version, git_commit, compiler,"
                               " flags, openblas, core_type, kernels, threads, cpu) ="
                               " (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                               values, count, 0, build_id, m);
    return store_leave(s, status, m);
}

enum status store_counts(struct store *s, int64_t sweep_id, struct counts *c, struct message *m)
{
    const char *doing = "counting trials";
    sqlite3_stmt *rows;
    bool row = false;
    *c = (struct counts){0};
    enum status status = store_prepare(s, doing,
                                       "SELECT state, count(*), avg(train_s) FROM trial"
                                       " WHERE sweep_id = ? AND in_plan = 1 GROUP BY state",
                                       &rows, m);
    if (status == STATUS_OK)
        status = store_step(s, doing, rows, VALUES(INTEGER(sweep_id)), &row, m);
    while (status == STATUS_OK && row) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        enum trial_state state;
        if (name && trial_state_find(name, &state)) {
            c->trials[state] = (long)sqlite3_column_int64(rows, 1);
            if (state == TRIAL_COMPLETED)
                c->mean_train_s = sqlite3_column_double(rows, 2);
        }
        status = store_step(s, doing, rows, NO_VALUES, &row, m);
    }
    sqlite3_finalize(rows);
    return status;
}

enum status store_work_left(struct store *s, int64_t sweep_id, double *flops, struct message *m)
{
    const char *doing = "summing the work left";
    sqlite3_stmt *rows;
    enum status status =
        store_prepare(s, doing,
                      "SELECT total(flops_per_step * (steps - resume_step)) FROM trial"
                      " JOIN config USING (config_id) WHERE sweep_id = ? AND in_plan = 1"
                      " AND state IN ('queued', 'running')",
                      &rows, m);
    if (status == STATUS_OK)
        status = store_step(s, doing, rows, VALUES(INTEGER(sweep_id)), NULL, m);
    if (status == STATUS_OK)
        *flops = sqlite3_column_double(rows, 0);
    sqlite3_finalize(rows);
    return status;
}

static enum status no_such_sweep(struct store *s, const char *name, struct message *m)
{
    const char *doing = "listing sweeps";
    char names[512] = "";
    sqlite3_stmt *rows;
    bool row = false;
    enum status status = store_prepare(
        s, doing, "SELECT name FROM sweep ORDER BY last_run DESC, name LIMIT 20", &rows, m);
    if (status == STATUS_OK)
        status = store_step(s, doing, rows, NO_VALUES, &row, m);
    for (size_t used = 0; status == STATUS_OK && row;) {
        int n = snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                         (const char *)sqlite3_column_text(rows, 0));
        used += n > 0 ? (size_t)n : 0;
        if (used >= sizeof names)
            break;
        status = store_step(s, doing, rows, NO_VALUES, &row, m);
    }
    sqlite3_finalize(rows);
    if (status != STATUS_OK)
        return status;
    if (!names[0])
        return status_fail(m, STATUS_BAD_INPUT, "%s holds no sweep yet", s->path);
    return status_fail(m, STATUS_BAD_INPUT, "%s holds no sweep \"%s\"; it holds: %s", s->path, name,
                       names);
}

enum status store_sweep(struct store *s, const char *name, int64_t *sweep_id, struct message *m)
{
    enum status status =
        name ? store_integer(s, "looking for a sweep", "SELECT sweep_id FROM sweep WHERE name = ?",
                             VALUES(TEXT(name)), 0, sweep_id, m)
             : store_integer(s, "looking for a sweep",
                             "SELECT sweep_id FROM sweep ORDER BY last_run DESC, sweep_id DESC",
                             NO_VALUES, 0, sweep_id, m);
    if (status == STATUS_OK && *sweep_id == 0)
        return no_such_sweep(s, name, m);
    return status;
}

enum status store_trial(struct store *s, const char *text, int64_t *trial_id, struct message *m)
{
    char *end;
    errno = 0;
    long long wanted = strtoll(text, &end, 10);
    if (end == text || *end || errno || wanted < 1 || *text < '0')
        return status_fail(m, STATUS_BAD_INPUT,
                           "\"%s\" is not a trial's number; the view trials lists them", text);
    enum status status =
        store_integer(s, "looking for a trial", "SELECT trial_id FROM trial WHERE trial_id = ?",
                      VALUES(INTEGER(wanted)), 0, trial_id, m);
    if (status == STATUS_OK && *trial_id == 0)
        return status_fail(m, STATUS_BAD_INPUT, "%s holds no trial %lld", s->path, wanted);
    return status;
}

enum status store_other_metric(struct store *s, const char *sweep, enum metric metric,
                               int64_t *trials, struct message *m)
{
    return store_integer(s, "comparing the metric",
                         "SELECT count(*) FROM trial JOIN sweep USING (sweep_id)"
                         " WHERE name = ?1 AND metric <> ?2 AND attempt > 0 AND state <> 'pruned'",
                         VALUES(TEXT(sweep), TEXT(metric_name(metric))), 0, trials, m);
}
