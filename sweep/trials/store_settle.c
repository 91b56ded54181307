/* Which trials are needed: under `tune` those of the chosen values, and of values beyond them that
 * tune.extend asks for; under `looks` those of looks that are open. Trials that are not queued keep
 * their state. Results of values that were eliminated since stay, but by_heads and paired look at
 * chosen ones only. */
#include <string.h>

#include "sweep/trials/trials_internal.h"

static const char CHOOSING[] = "settling the choice under tune";

/* ---- what a sweep asks for ---- */

struct asked {
    bool tune, extend, looks;
};

static struct asked read_asked(struct scope *x, int64_t sweep_id)
{
    struct asked asked = {0};
    struct rows *r = scope_query(x, "settling",
                                 "SELECT tune <> '[]', looks <> '[]', extend > 0 FROM sweep"
                                 " WHERE sweep_id = ?",
                                 VALUES(INTEGER(sweep_id)));
    if (scope_next(x, r)) {
        asked.tune = rows_integer(r, 0) != 0;
        asked.looks = rows_integer(r, 1) != 0;
        asked.extend = rows_integer(r, 2) != 0;
    }
    scope_close(x, r);
    return asked;
}

/* ---- choices ---- */

/* Of all settings, or of one. */
static void choose(struct scope *x, int64_t sweep_id, const char *setting)
{
    scope_run(x, CHOOSING, sql_choose, VALUES(INTEGER(sweep_id), TEXT(setting)));
}

void store_settle(struct scope *x, int64_t sweep_id)
{
    struct asked asked = read_asked(x, sweep_id);
    if (asked.tune) {
        store_settle_rungs(x, sweep_id, NULL, 0);
        store_settle_extensions(x, sweep_id, NULL, 0);
    }
    if (asked.tune || asked.looks)
        choose(x, sweep_id, NULL);
    if (asked.looks &&
        scope_run(x, "settling the looks", sql_forget_looks, VALUES(INTEGER(sweep_id))) > 0)
        choose(x, sweep_id, NULL);
    store_settle_confirm(x, sweep_id, NULL);
}

/* If it was the last tuning trial of its head count, that has its choice now. */
static void settle_heads(struct scope *x, int64_t sweep_id, const char *setting, int64_t heads)
{
    const struct value group[] = {INTEGER(sweep_id), TEXT(setting), INTEGER(heads)};
    struct asked asked = read_asked(x, sweep_id);
    store_settle_rungs(x, sweep_id, setting, heads);
    struct rows *best = scope_query(x, CHOOSING,
                                    "SELECT tuning FROM chosen WHERE sweep_id = ? AND setting = ?"
                                    " AND heads = ?",
                                    group, 3);
    bool chosen = scope_find(x, best, group, 3);
    if (chosen && asked.extend) { /* it may not be the last word */
        store_settle_extensions(x, sweep_id, setting, heads);
        chosen = scope_find(x, best, group, 3);
    }
    if (chosen && asked.looks)
        choose(x, sweep_id, setting);
    else if (chosen)
        scope_run(x, CHOOSING, sql_choose_one,
                  VALUES(INTEGER(sweep_id), TEXT(setting), INTEGER(heads),
                         TEXT(scope_given(x, best, 0))));
    if (chosen) /* a claim may hold by that, or hold no more */
        store_settle_confirm(x, sweep_id, setting);
    scope_close(x, best);
}

void store_settle_after(struct scope *x, int64_t trial_id)
{
    struct rows *ended = scope_query(x, CHOOSING,
                                     "SELECT sweep_id, setting, heads FROM trial JOIN config"
                                     " USING (config_id) WHERE trial_id = ? AND is_tuning = 1"
                                     " AND in_plan = 1",
                                     VALUES(INTEGER(trial_id)));
    if (scope_next(x, ended))
        settle_heads(x, rows_integer(ended, 0), scope_given(x, ended, 1), rows_integer(ended, 2));
    scope_close(x, ended);
}

/* ---- looks ---- */

static struct look_due find_due(struct scope *x, int64_t sweep_id)
{
    struct look_due due = {0};
    if (!read_asked(x, sweep_id).looks)
        return due;
    struct rows *r =
        scope_query(x, "looking for a look that is due", sql_look_due, VALUES(INTEGER(sweep_id)));
    if (scope_next(x, r)) {
        rows_copy(r, 0, due.setting, sizeof due.setting);
        due.look = (int)rows_integer(r, 1);
    }
    scope_close(x, r);
    return due;
}

enum status store_look_due(struct store *s, int64_t sweep_id, struct look_due *due,
                           struct message *m)
{
    struct scope *x = scope_of(s, m);
    *due = (struct look_due){0};
    if (scope_enter(x))
        *due = find_due(x, sweep_id);
    return scope_end(x);
}

static void judge_look(struct scope *x, int64_t sweep_id, const struct look_due *due,
                       const char *kind, bool decided)
{
    struct look_due now = find_due(x, sweep_id);
    if (now.look != due->look || strcmp(now.setting, due->setting) != 0)
        return;
    scope_run(x, "recording a look",
              "INSERT INTO look (sweep_id, setting, look, judged, kind, decided)"
              " VALUES (?, ?, ?, " NOW ", ?, ?)",
              VALUES(INTEGER(sweep_id), TEXT(due->setting), INTEGER(due->look), TEXT(kind),
                     INTEGER(decided)));
    choose(x, sweep_id, due->setting);
}

enum status store_look_judged(struct store *s, int64_t sweep_id, const struct look_due *due,
                              const char *kind, bool decided, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_change(x);
        judge_look(x, sweep_id, due, kind, decided);
    }
    return scope_commit(x);
}
