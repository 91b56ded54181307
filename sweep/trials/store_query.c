#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/option.h"
#include "sweep/trials/trials_internal.h"

enum status store_build(struct store *s, const struct build_info *b, int64_t *build_id,
                        struct message *m)
{
    static const char doing[] = "recording the build";
    const struct value values[] = {TEXT(b->version), TEXT(b->commit),   TEXT(b->compiler),
                                   TEXT(b->flags),   TEXT(b->openblas), TEXT(b->core_type),
                                   TEXT(b->kernels), TEXT(b->cpu)};
    const int count = (int)(sizeof values / sizeof *values);
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_change(x);
        scope_run(x, doing,
                  "INSERT INTO build (version, git_commit, compiler, flags, openblas, core_type,"
                  " kernels, cpu) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                  values, count);
        *build_id = scope_number(x, doing, sql_find_build, values, count);
    }
    return scope_commit(x);
}

static void count_trials(struct scope *x, int64_t sweep_id, struct counts *c)
{
    static const char doing[] = "counting trials";
    struct rows *r =
        scope_query(x, doing,
                    "SELECT queued, running, completed, diverged, failed, not_needed,"
                    "  planned, elsewhere, half_done FROM progress WHERE sweep_id = ?1",
                    VALUES(INTEGER(sweep_id)));
    if (scope_next(x, r)) {
        for (int i = 0; i < TRIAL_STATES; i++) {
            c->trials[i] = (long)rows_integer(r, i); /* in the order of enum trial_state */
            c->ended += trial_state_ended((enum trial_state)i) ? c->trials[i] : 0;
        }
        c->planned = (long)rows_integer(r, TRIAL_STATES);
        c->elsewhere = (long)rows_integer(r, TRIAL_STATES + 1);
        c->half_done = (long)rows_integer(r, TRIAL_STATES + 2);
    }
    scope_close(x, r);
    if (c->planned == c->ended + c->trials[TRIAL_QUEUED] + c->trials[TRIAL_RUNNING])
        return;
    r = scope_query(x, doing, /* one has a state that is none: rows_state names it */
                    "SELECT DISTINCT state FROM trial WHERE sweep_id = ? AND in_plan = 1",
                    VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r))
        rows_state(r, 0);
}

enum status store_counts(struct store *s, int64_t sweep_id, struct counts *c, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *c = (struct counts){0};
    if (scope_enter(x))
        count_trials(x, sweep_id, c);
    return scope_end(x);
}

/* Room for one more in a list that the caller will free. */
static void *grow_list(struct scope *x, void *item, int count, size_t size)
{
    void *longer = array_grow(item, (size_t)count, size);
    if (!longer)
        scope_leave(x, status_no_memory(x->message, "a list of trials"));
    return longer;
}

enum status store_losers(struct store *s, int64_t sweep_id, int64_t trial_id, struct loser **list,
                         int *count, struct message *m)
{
    struct scope *x = scope_of(s, m);
    *list = NULL;
    *count = 0;
    if (scope_enter(x)) {
        struct rows *r = scope_query(x, "looking for trials that were eliminated", sql_losers,
                                     VALUES(INTEGER(sweep_id), INTEGER(trial_id)));
        while (scope_next(x, r)) {
            *list = grow_list(x, *list, *count, sizeof **list);
            (*list)[(*count)++] = (struct loser){rows_integer(r, 0), rows_integer(r, 1)};
        }
    }
    enum status status = scope_end(x);
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
