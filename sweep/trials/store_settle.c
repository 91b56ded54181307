/* Which trials are needed: under `tune` those of the chosen values, and of values beyond them that
 * tune.extend asks for; under `looks` those of looks that are open. Trials that are not queued keep
 * their state. Results of values that were eliminated since stay, but by_heads and paired look at
 * chosen ones only. */
#include "sweep/trials/trials_internal.h"

#include <string.h>

/* ---- what a sweep asks for ---- */

struct asked {
    bool tune, extend, looks;
};

static enum status read_asked(struct store *s, int64_t sweep_id, struct asked *asked,
                              struct message *m)
{
    *asked = (struct asked){0};
    struct rows r = store_rows(s, "settling",
                               "SELECT tune <> '[]', looks <> '[]', extend > 0 FROM sweep"
                               " WHERE sweep_id = ?",
                               VALUES(INTEGER(sweep_id)), m);
    if (rows_next(&r)) {
        asked->tune = rows_integer(&r, 0) != 0;
        asked->looks = rows_integer(&r, 1) != 0;
        asked->extend = rows_integer(&r, 2) != 0;
    }
    return rows_close(&r);
}

/* ---- choices ---- */

/* Of all settings, or of one. */
static enum status choose(struct store *s, int64_t sweep_id, const char *setting, struct message *m)
{
    /* IN, not JOIN: SQLite looks up in the former and scans `best` for every row in the latter. */
    static const char sql[] =
        "WITH best AS MATERIALIZED ("
        " SELECT setting, heads, tuning FROM chosen WHERE sweep_id = ?1), "
        "judged AS MATERIALIZED (SELECT setting, max(look) AS look, max(decided) AS decided"
        " FROM look WHERE sweep_id = ?1 GROUP BY setting), "
        "asked AS MATERIALIZED (SELECT t.trial_id, CASE"
        "   WHEN t.tuning = '{}' OR (t.setting, f.heads, t.tuning) IN"
        "    (SELECT setting, heads, tuning FROM best) THEN 'chosen'"
        "   WHEN (t.setting, f.heads) IN (SELECT setting, heads FROM best)"
        "   THEN 'eliminated' ELSE 'waiting' END AS choice,"
        "  t.look - coalesce(judged.look, 0) AS ahead, coalesce(decided, 0) AS decided"
        " FROM trial AS t JOIN config AS f USING (config_id) LEFT JOIN judged USING (setting)"
        " WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0"
        "  AND (t.tuning <> '{}' OR t.look > 1) AND (?2 IS NULL OR t.setting = ?2)), "
        "verdict AS MATERIALIZED (SELECT trial_id, CASE"
        "   WHEN choice = 'eliminated' OR (decided AND ahead > 0) THEN 'eliminated'"
        "   WHEN ahead > 1 THEN 'waiting' ELSE choice END AS choice FROM asked) "
        "UPDATE trial SET choice = v.choice, state = CASE"
        "   WHEN state = 'queued' AND v.choice = 'eliminated' THEN 'not_needed'"
        "   WHEN state = 'not_needed' AND v.choice <> 'eliminated' THEN 'queued' ELSE state END "
        "FROM verdict AS v WHERE trial.trial_id = v.trial_id AND (trial.choice <> v.choice"
        "   OR state = CASE v.choice WHEN 'eliminated' THEN 'queued' ELSE 'not_needed' END)";
    return store_execute(s, "settling the choice under tune", sql,
                         VALUES(INTEGER(sweep_id), TEXT(setting)), NULL, m);
}

/* Where trials of a look are open again, as after --retry-failed, it was not judged yet; nor were
 * those behind it. */
static enum status forget_looks(struct store *s, int64_t sweep_id, long *forgotten,
                                struct message *m)
{
    return store_execute(
        s, "settling the looks",
        "DELETE FROM look WHERE sweep_id = ?1 AND look >= (SELECT min(t.look) FROM trial AS t"
        " WHERE t.sweep_id = ?1 AND t.setting = look.setting AND t.in_plan = 1"
        "  AND t.is_tuning = 0 AND t.confirms = 0 AND (t.choice = 'waiting' OR (t.choice = 'chosen'"
        "   AND t.state IN ('queued', 'running'))))",
        VALUES(INTEGER(sweep_id)), forgotten, m);
}

enum status store_settle(struct store *s, int64_t sweep_id, struct message *m)
{
    struct asked asked;
    long forgotten = 0;
    enum status status = read_asked(s, sweep_id, &asked, m);
    if (status == STATUS_OK && asked.tune)
        status = store_settle_rungs(s, sweep_id, NULL, 0, m);
    if (status == STATUS_OK && asked.tune)
        status = store_settle_extensions(s, sweep_id, NULL, 0, m);
    if (status == STATUS_OK && (asked.tune || asked.looks))
        status = choose(s, sweep_id, NULL, m);
    if (status == STATUS_OK && asked.looks)
        status = forget_looks(s, sweep_id, &forgotten, m);
    if (status == STATUS_OK && forgotten > 0)
        status = choose(s, sweep_id, NULL, m);
    return status == STATUS_OK ? store_settle_confirm(s, sweep_id, NULL, m) : status;
}

/* Without looks, of one head count. */
static enum status choose_one(struct store *s, int64_t sweep_id, const char *setting, int64_t heads,
                              const char *best, struct message *m)
{
    static const char sql[] =
        "UPDATE trial SET choice = CASE WHEN tuning = ?4 THEN 'chosen' ELSE 'eliminated' END,"
        " state = CASE WHEN state = 'queued' AND tuning <> ?4 THEN 'not_needed'"
        "   WHEN state = 'not_needed' AND tuning = ?4 THEN 'queued' ELSE state END"
        " WHERE sweep_id = ?1 AND setting = ?2 AND tuning <> '{}' AND is_tuning = 0"
        "   AND confirms = 0 AND (SELECT heads FROM config AS c WHERE c.config_id = "
        "trial.config_id) = ?3";
    return store_execute(s, "settling the choice under tune", sql,
                         VALUES(INTEGER(sweep_id), TEXT(setting), INTEGER(heads), TEXT(best)), NULL,
                         m);
}

/* If it was the last tuning trial of its head count, that has its choice now. */
static enum status settle_heads(struct store *s, int64_t sweep_id, const char *setting,
                                int64_t heads, struct message *m)
{
    static const char choice[] =
        "SELECT tuning FROM chosen WHERE sweep_id = ? AND setting = ? AND heads = ?";
    struct asked asked;
    enum status status = read_asked(s, sweep_id, &asked, m);
    if (status == STATUS_OK)
        status = store_settle_rungs(s, sweep_id, setting, heads, m);
    if (status != STATUS_OK)
        return status;
    struct rows best = store_rows(s, "settling the choice under tune", choice,
                                  VALUES(INTEGER(sweep_id), TEXT(setting), INTEGER(heads)), m);
    bool chosen = rows_next(&best);
    if (chosen && asked.extend) { /* it may not be the last word */
        best.status = store_settle_extensions(s, sweep_id, setting, heads, m);
        rows_rebind(&best, VALUES(INTEGER(sweep_id), TEXT(setting), INTEGER(heads)));
        chosen = rows_next(&best);
    }
    if (chosen)
        best.status = asked.looks
                          ? choose(s, sweep_id, setting, m)
                          : choose_one(s, sweep_id, setting, heads, rows_given(&best, 0), m);
    if (chosen && best.status == STATUS_OK) /* a claim may hold by that, or hold no more */
        best.status = store_settle_confirm(s, sweep_id, setting, m);
    return rows_close(&best);
}

enum status store_settle_after(struct store *s, int64_t trial_id, struct message *m)
{
    static const char group[] = "SELECT sweep_id, setting, heads FROM trial JOIN config USING"
                                " (config_id) WHERE trial_id = ? AND is_tuning = 1 AND in_plan = 1";
    struct rows ended =
        store_rows(s, "settling the choice under tune", group, VALUES(INTEGER(trial_id)), m);
    if (rows_next(&ended)) {
        int64_t sweep_id = rows_integer(&ended, 0), heads = rows_integer(&ended, 2);
        const char *setting = rows_given(&ended, 1);
        if (ended.status == STATUS_OK)
            ended.status = settle_heads(s, sweep_id, setting, heads, m);
    }
    return rows_close(&ended);
}

/* ---- looks ---- */

enum status store_look_due(struct store *s, int64_t sweep_id, struct look_due *due,
                           struct message *m)
{
    static const char sql[] =
        "WITH judged AS MATERIALIZED (SELECT setting, max(look) AS look, max(decided) AS decided"
        " FROM look WHERE sweep_id = ?1 GROUP BY setting) "
        "SELECT t.setting, coalesce(judged.look, 0) + 1 AS open FROM trial AS t"
        " LEFT JOIN judged USING (setting)"
        " WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0"
        "  AND NOT coalesce(decided, 0)"
        " GROUP BY t.setting HAVING max(t.look) >= open AND 0 = sum(t.look <= open AND"
        "  (t.choice = 'waiting' OR (t.choice = 'chosen' AND t.state IN ('queued', 'running'))))"
        " ORDER BY min(t.plan_order) LIMIT 1";
    struct asked asked;
    *due = (struct look_due){0};
    enum status status = read_asked(s, sweep_id, &asked, m);
    if (status != STATUS_OK || !asked.looks)
        return status;
    struct rows r =
        store_rows(s, "looking for a look that is due", sql, VALUES(INTEGER(sweep_id)), m);
    if (rows_next(&r)) {
        rows_copy(&r, 0, due->setting, sizeof due->setting);
        due->look = (int)rows_integer(&r, 1);
    }
    return rows_close(&r);
}

enum status store_look_judged(struct store *s, int64_t sweep_id, const struct look_due *due,
                              const char *kind, bool decided, struct message *m)
{
    struct look_due now;
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = store_look_due(s, sweep_id, &now, m);
    if (status == STATUS_OK && now.look == due->look && strcmp(now.setting, due->setting) == 0) {
        status = store_execute(s, "recording a look",
                               "INSERT INTO look (sweep_id, setting, look, judged, kind, decided)"
                               " VALUES (?, ?, ?, " NOW ", ?, ?)",
                               VALUES(INTEGER(sweep_id), TEXT(due->setting), INTEGER(due->look),
                                      TEXT(kind), INTEGER(decided)),
                               NULL, m);
        if (status == STATUS_OK)
            status = choose(s, sweep_id, due->setting, m);
    }
    return store_leave(s, status, m);
}
