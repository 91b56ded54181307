#include "sweep/trials/trials_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/option.h"

/* The metric of a trial of a sweep. */
#define METRIC_VALUE "iif(sweep.metric = 'val_loss', trial.val_loss, trial.val_acc)"

enum status store_build(struct store *s, const struct build_info *b, int64_t *build_id,
                        struct message *m)
{
    const char *doing = "recording the build";
    const struct value values[] = {TEXT(b->version), TEXT(b->commit),   TEXT(b->compiler),
                                   TEXT(b->flags),   TEXT(b->openblas), TEXT(b->core_type),
                                   TEXT(b->kernels), TEXT(b->cpu)};
    int count = (int)(sizeof values / sizeof *values);
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = store_execute(s, doing,
                           "INSERT INTO build (version, git_commit, compiler, flags, openblas,"
                           " core_type, kernels, cpu) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                           " ON CONFLICT DO NOTHING",
                           values, count, NULL, m);
    if (status == STATUS_OK)
        status = store_integer(s, doing,
                               "SELECT build_id FROM build WHERE (version, git_commit, compiler,"
                               " flags, openblas, core_type, kernels, cpu) ="
                               " (?, ?, ?, ?, ?, ?, ?, ?)",
                               values, count, 0, build_id, m);
    return store_leave(s, status, m);
}

enum status store_counts(struct store *s, int64_t sweep_id, struct counts *c, struct message *m)
{
    *c = (struct counts){0};
    struct rows r = store_rows(s, "counting trials",
                               "SELECT queued, running, completed, diverged, failed, not_needed,"
                               "  planned, elsewhere, half_done FROM progress WHERE sweep_id = ?1",
                               VALUES(INTEGER(sweep_id)), m);
    if (rows_next(&r)) {
        for (int i = 0; i < TRIAL_STATES; i++) {
            c->trials[i] = (long)rows_integer(&r, i); /* in the order of enum trial_state */
            c->ended += trial_state_ended((enum trial_state)i) ? c->trials[i] : 0;
        }
        c->planned = (long)rows_integer(&r, TRIAL_STATES);
        c->elsewhere = (long)rows_integer(&r, TRIAL_STATES + 1);
        c->half_done = (long)rows_integer(&r, TRIAL_STATES + 2);
    }
    enum status status = rows_close(&r);
    if (status != STATUS_OK ||
        c->planned == c->ended + c->trials[TRIAL_QUEUED] + c->trials[TRIAL_RUNNING])
        return status;
    r = store_rows(s, "counting trials", /* one has a state that is none: rows_state names it */
                   "SELECT DISTINCT state FROM trial WHERE sweep_id = ? AND in_plan = 1",
                   VALUES(INTEGER(sweep_id)), m);
    while (rows_next(&r))
        rows_state(&r, 0);
    return rows_close(&r);
}

enum status store_head_counts(struct store *s, int64_t sweep_id, struct head_counts **list,
                              int *count, struct message *m)
{
    *list = NULL;
    *count = 0;
    struct rows r = store_rows(
        s, "counting trials by heads",
        "WITH candidate AS ("
        " SELECT setting, heads, is_tuning, goal,"
        "   sum(state <> 'not_needed') AS planned,"
        "   sum(state NOT IN ('queued', 'running', 'not_needed')) AS ended,"
        "   count(" METRIC_VALUE ") FILTER (WHERE state = 'completed' AND NOT confirms) AS n,"
        "   avg(" METRIC_VALUE ") FILTER (WHERE state = 'completed' AND NOT confirms) AS mean"
        "  FROM trial JOIN config USING (config_id) JOIN sweep USING (sweep_id)"
        "  WHERE sweep_id = ?1 AND in_plan = 1 AND (in_shard OR state <> 'queued')"
        "  GROUP BY setting, heads, is_tuning, tuning), "
        "spare AS (SELECT heads, sum(surplus) AS n FROM undecided"
        "  WHERE sweep_id = ?1 AND in_shard GROUP BY heads), "
        "tuned AS ("
        " SELECT heads, avg(best) AS mean FROM"
        "  (SELECT heads, iif(goal = 'minimize', min(mean), max(mean)) AS best"
        "   FROM candidate WHERE is_tuning GROUP BY setting, heads) GROUP BY heads) "
        "SELECT heads, sum(planned) - coalesce(max(spare.n), 0), sum(ended), coalesce("
        "  sum(candidate.mean * candidate.n) FILTER (WHERE NOT is_tuning)"
        "    / sum(candidate.n) FILTER (WHERE NOT is_tuning), tuned.mean)"
        " FROM candidate LEFT JOIN tuned USING (heads) LEFT JOIN spare USING (heads)"
        " GROUP BY heads ORDER BY heads",
        VALUES(INTEGER(sweep_id)), m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r)) {
        struct head_counts *longer = realloc(*list, ((size_t)*count + 1) * sizeof *longer);
        if (!longer) {
            status = status_fail(m, STATUS_NO_MEMORY, "no memory for %d head counts", *count + 1);
            break;
        }
        *list = longer;
        longer[(*count)++] = (struct head_counts){rows_integer(&r, 0), (long)rows_integer(&r, 1),
                                                  (long)rows_integer(&r, 2), rows_real(&r, 3)};
    }
    status = rows_close_after(&r, status);
    if (status != STATUS_OK) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return status;
}

enum status store_best(struct store *s, int64_t sweep_id, struct best_trial *best,
                       struct message *m)
{
    *best = (struct best_trial){.value = NAN};
    struct rows r = store_rows(
        s, "looking for the best trial",
        "SELECT trial_id, heads, seed, " METRIC_VALUE " AS value,"
        "  setting_label, tuning"
        " FROM trial JOIN config USING (config_id)"
        " JOIN sweep USING (sweep_id)"
        " WHERE sweep_id = ? AND in_plan = 1 AND confirms = 0"
        "  AND state = 'completed' ORDER BY iif(goal = 'minimize', -value, value) DESC, plan_order"
        " LIMIT 1",
        VALUES(INTEGER(sweep_id)), m);
    if (rows_next(&r)) {
        best->trial_id = rows_integer(&r, 0);
        best->heads = rows_integer(&r, 1);
        best->seed = (uint32_t)rows_integer(&r, 2);
        best->value = rows_real(&r, 3);
        plan_full_label(rows_given(&r, 4), rows_given(&r, 5), best->label, sizeof best->label);
    }
    return rows_close(&r);
}

enum status store_losers(struct store *s, int64_t sweep_id, int64_t trial_id, struct loser **list,
                         int *count, struct message *m)
{
    *list = NULL;
    *count = 0;
    struct rows r = store_rows(
        s, "looking for trials that were eliminated",
        "SELECT t.trial_id, t.attempt FROM trial AS t JOIN config AS c USING (config_id)"
        " WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.is_tuning = 1 AND t.state = 'not_needed'"
        " AND t.attempt > 0 AND (?2 = 0 OR (t.setting, c.heads) = (SELECT setting, heads"
        "   FROM trial JOIN config USING (config_id) WHERE trial_id = ?2))",
        VALUES(INTEGER(sweep_id), INTEGER(trial_id)), m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r)) {
        struct loser *longer = realloc(*list, ((size_t)*count + 1) * sizeof *longer);
        if (longer) {
            *list = longer;
            longer[(*count)++] = (struct loser){rows_integer(&r, 0), rows_integer(&r, 1)};
        } else {
            status = status_fail(m, STATUS_NO_MEMORY, "no memory for %d trials", *count + 1);
        }
    }
    status = rows_close_after(&r, status);
    if (status != STATUS_OK) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return status;
}

static enum status no_such_sweep(struct store *s, const char *name, struct message *m)
{
    enum { LISTED = 20 };
    char names[512] = "", near[STORE_NAME_SIZE] = "";
    size_t used = 0;
    struct rows r = store_rows(s, "listing sweeps",
                               "SELECT name FROM sweep ORDER BY last_run DESC, name", NO_VALUES, m);
    for (int i = 0; rows_next(&r); i++) {
        const char *row = rows_given(&r, 0);
        const char *both[] = {near[0] ? near : row, row, NULL};
        if (name && nearest_name(name, both) == row)
            snprintf(near, sizeof near, "%s", row);
        if (i < LISTED && used < sizeof names)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", row);
    }
    enum status status = rows_close(&r);
    if (status != STATUS_OK)
        return status;
    if (!names[0])
        return status_fail(m, STATUS_BAD_INPUT, "%s holds no sweep yet", s->path);
    if (near[0])
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s holds no sweep \"%s\"; did you mean \"%s\"? It holds: %s", s->path,
                           name, near, names);
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

enum status store_sweep_name(struct store *s, int64_t sweep_id, char name[STORE_NAME_SIZE],
                             struct message *m)
{
    *name = '\0';
    struct rows r =
        store_rows(s, "looking for a sweep", "SELECT name FROM sweep WHERE sweep_id = ?",
                   VALUES(INTEGER(sweep_id)), m);
    if (rows_next(&r))
        rows_copy(&r, 0, name, STORE_NAME_SIZE);
    return rows_close(&r);
}

enum status store_trial(struct store *s, const char *text, int64_t *trial_id, struct message *m)
{
    char *end;
    errno = 0;
    long long wanted = strtoll(text, &end, 10);
    if (end == text || *end || errno || wanted < 1 || *text < '0')
        return status_fail(m, STATUS_BAD_INPUT,
                           "\"%s\" is not a trial's number; `headcount show --db %s` lists them",
                           text, s->path);
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
    return store_integer(
        s, "comparing the metric",
        "SELECT count(*) FROM trial JOIN sweep USING (sweep_id)"
        " WHERE name = ?1 AND metric <> ?2 AND attempt > 0 AND state <> 'not_needed'",
        VALUES(TEXT(sweep), TEXT(metric_name(metric))), 0, trials, m);
}
