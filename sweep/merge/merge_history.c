/* How the plans and claims of two files came to be, in one order. */
#include "sweep/merge/merge_parts.h"

/* A row of which the one before of its kind says the same is none: every shard was planned by
 * itself. The one before remembers the last such row (`again`), as a third file may have changed
 * the plan in between. One whose pairs are those of the row before, in another file, has added
 * none. What rules it changes hangs on the row before, too; one of an earlier development version
 * says no more than that. */
#define KIND  "by, coalesce(what -> '$.configs', setting)"
#define SAYS  "json_array(pairs_sha256, pairs, claim)"
#define PLACE "ORDER BY changed, pairs_sha256, claim, asks, theirs IS NULL, plan_change_id"
#define IN_ORDER                                                                                   \
    "WITH told AS (SELECT *, " SAYS " AS says, what -> '$.asks' AS asks, what -> '$.rules' AS"     \
    "  rules FROM merge_change),"                                                                  \
    " ordered AS (SELECT *, lag(says) OVER each AS said, lag(asks) OVER each AS asked,"            \
    "  lag(rules) OVER each AS ruled, row_number() OVER (" PLACE ") AS place FROM told"            \
    "  WINDOW each AS (PARTITION BY " KIND " " PLACE ")),"                                         \
    " judged AS MATERIALIZED (SELECT *, says IS NOT said"                                          \
    "  OR iif(asks IS NULL OR asked IS NULL, rules IS NOT ruled, asks <> asked) AS fresh"          \
    "  FROM ordered), "                                                                            \
    "kept AS (SELECT * FROM judged WHERE fresh) "

/* The last row of the sweep file that says the same as the row k of `kept`; and such rows, put back
 * in their place. */
#define AGAIN                                                                                      \
    "(SELECT json_object('changed', changed, 'added', added, 'removed', removed, 'seen', seen,"    \
    "  'seen_outside', seen_outside, 'trials_ended', trials_ended, 'similar', similar,"            \
    "  'similar_differ', json(similar_differ)) FROM judged AS j WHERE by = 'file' AND"             \
    "  k.by = 'file' AND NOT fresh AND changed > k.changed AND NOT EXISTS (SELECT 1 FROM kept AS"  \
    "   n WHERE n.by = 'file' AND n.place > k.place AND n.place < j.place)"                        \
    "  ORDER BY place DESC LIMIT 1)"
static const char PUT_BACK[] =
    "INSERT INTO merge_change SELECT plan_change_id, sweep_id, g ->> 'changed', pairs_sha256, "
    "pairs,"
    " g ->> 'added', g ->> 'removed', json_remove(what, '$.again'), claim, max(seen, g ->> 'seen'),"
    " g ->> 'seen_outside', g ->> 'trials_ended', g ->> 'similar', g -> 'similar_differ', by,"
    " setting, theirs FROM (SELECT *, what -> '$.again' AS g FROM merge_change)"
    " WHERE g IS NOT NULL AND (theirs OR NOT ?);";
static const char WITHOUT[] = "UPDATE merge_change SET what = json_remove(what, '$.again')";

/* Ours have a mark, theirs have NULL in its place. */
static enum status list_changes(struct merging *g, const struct merge_sweep *sweep)
{
    const struct merge_table theirs = {
        .name = "plan_change",
        .to = "merge_change",
        .where = "WHERE sweep_id = ?1 ORDER BY plan_change_id",
        .tail = g->own ? "WHERE @by = 'file'"
                         " AND @changed < (SELECT max(changed) FROM merge_change WHERE theirs)"
                       : NULL};
    enum status status = store_script(g->into, MERGING, "DELETE FROM merge_change", g->m);
    if (status == STATUS_OK)
        status = store_execute(
            g->into, MERGING,
            "INSERT INTO merge_change SELECT *, 1 FROM plan_change WHERE sweep_id = ?",
            VALUES(INTEGER(sweep->into_id)), NULL, g->m);
    if (status == STATUS_OK)
        status = merge_rows(g, &theirs, sweep->from_id);
    if (status == STATUS_OK)
        status = store_execute(g->into, MERGING, PUT_BACK, VALUES(INTEGER(g->own)), NULL, g->m);
    return status == STATUS_OK ? store_execute(g->into, MERGING, WITHOUT, NO_VALUES, NULL, g->m)
                               : status;
}

/* Their claims and ours are told apart by the rows that were here before. */
enum status merge_note_theirs(struct merging *g, int64_t sweep_id)
{
    return store_execute(g->into, MERGING,
                         "INSERT INTO merge_theirs SELECT plan_change_id FROM plan_change AS p"
                         " WHERE sweep_id = ? AND NOT EXISTS (SELECT 1 FROM merge_change AS c"
                         "  WHERE c.theirs = 1 AND c.sweep_id = p.sweep_id"
                         "   AND c.changed = p.changed AND c.pairs_sha256 = p.pairs_sha256"
                         "   AND c.claim IS p.claim AND c.by = p.by AND c.setting IS p.setting)",
                         VALUES(INTEGER(sweep_id)), NULL, g->m);
}

/* Those that a row `asks` for otherwise than the row before it `asked`. */
#define RULES "(SELECT json_group_array(key) FROM json_each(asks) WHERE value IS NOT asked ->> key)"

enum status merge_history(struct merging *g, const struct merge_sweep *sweep, bool *theirs_newer)
{
    static const char insert[] =
        "INSERT INTO plan_change (sweep_id, changed, pairs_sha256, pairs, added, removed, what,"
        " claim, seen, seen_outside, trials_ended, similar, similar_differ, by, setting) " IN_ORDER
        "SELECT sweep_id, changed, pairs_sha256, pairs, iif(same, 0, added),"
        " iif(same, 0, removed), json_patch(CASE WHEN asks = asked THEN json_remove(what,"
        "  '$.rules') WHEN asks <> asked THEN json_set(what, '$.rules', json(" RULES ")) ELSE what"
        "  END, iif(again IS NULL, '{}', json_object('again', json(again)))),"
        " claim, seen, seen_outside, trials_ended, similar, similar_differ, by, setting FROM"
        " (SELECT sweep_id, changed, pairs_sha256, pairs, added, removed, what, claim, seen,"
        "   seen_outside, trials_ended, similar, similar_differ, place, asks, by, setting,"
        "   " AGAIN " AS again,"
        "   lag(asks) OVER each AS asked, pairs_sha256 IS lag(pairs_sha256) OVER each AND"
        "   by = 'file' AS same"
        "   FROM kept AS k WINDOW each AS (PARTITION BY " KIND " ORDER BY place)) ORDER BY place";
    int64_t more = 0, newer = 0;
    enum status status = list_changes(g, sweep);
    if (status == STATUS_OK)
        status = store_integer(g->into, MERGING,
                               IN_ORDER "SELECT count(*) FROM judged WHERE theirs IS NULL"
                                        " AND (fresh OR (by = 'file' AND changed >"
                                        "  (SELECT max(changed) FROM judged WHERE theirs)))",
                               NO_VALUES, 0, &more, g->m);
    if (status == STATUS_OK)
        status = store_integer(g->into, MERGING,
                               IN_ORDER "SELECT theirs IS NULL FROM kept WHERE by = 'file'"
                                        " ORDER BY place DESC LIMIT 1",
                               NO_VALUES, 0, &newer, g->m);
    *theirs_newer = newer != 0;
    if (status != STATUS_OK || !more)
        return status;
    status = store_execute(g->into, MERGING, "DELETE FROM plan_change WHERE sweep_id = ?",
                           VALUES(INTEGER(sweep->into_id)), NULL, g->m);
    if (status == STATUS_OK)
        status = store_execute(g->into, MERGING, insert, NO_VALUES, NULL, g->m);
    return status == STATUS_OK ? merge_note_theirs(g, sweep->into_id) : status;
}

/* Whether the row ?2 of plan_change is theirs; whether an attempt is. */
#define THEIRS  "(?2 IN (SELECT plan_change_id FROM merge_theirs))"
#define BROUGHT "((a.trial_id, a.attempt) IN (SELECT trial, new FROM merge_attempt))"

/* That its file has had a checkpoint of it from behind its first evaluation. */
#define EVALUATED                                                                                  \
    "((SELECT n.resumed_from_step FROM attempt AS n WHERE n.trial_id = a.trial_id"                 \
    "   AND n.attempt = a.attempt + 1) >= eval_every"                                              \
    "  OR (a.attempt = t.attempt AND t.resume_step >= eval_every))"

/* An attempt of another file than the claim's may have been at work when that was made. Of one that
 * came to nothing, only a checkpoint that was made as it stopped says for sure that it had not been
 * evaluated. Of its own trials, and those that it had deleted, the file of the claim has counted
 * what was to be seen: they count again where they had ended, not by what was heard later. */
#define RESULTS                                                                                    \
    "SELECT config_id, seed, sweep_id, state FROM newest, trial AS t JOIN config"                  \
    "  USING (config_id) WHERE t.attempt > 0 AND (state IN ('completed', 'diverged', 'failed')"    \
    "   OR EXISTS (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id))"                       \
    "  AND EXISTS (SELECT 1 FROM attempt AS a WHERE a.trial_id = t.trial_id"                       \
    "   AND a.started < changed AND iif(" BROUGHT " <> " THEIRS ", a.outcome IS NOT 'requeued'"    \
    "    OR a.ended > changed OR a.cause IN ('lost', 'coordinator') OR " EVALUATED ","             \
    "    a.ended < changed AND (a.outcome <> 'requeued' OR " EVALUATED ")))"                       \
    " UNION ALL SELECT config_id, seed, NULL, '' FROM newest, deleted AS d WHERE seen = 1"         \
    "  AND coalesce(ended, deleted) < changed AND (d.trial_id IN (SELECT number FROM"              \
    "   merge_here)) = " THEIRS

static void see(struct scope *x, int64_t sweep_id)
{
    static const char sql[] =
        "WITH newest AS MATERIALIZED (SELECT plan_change_id, changed FROM plan_change"
        "  WHERE plan_change_id = ?2),"
        " known AS (" RESULTS "),"
        " result AS (SELECT * FROM known UNION ALL SELECT other, seed, NULL, state FROM known"
        "  JOIN alike USING (config_id)),"
        " planned AS (SELECT result.*, EXISTS (SELECT 1 FROM trial AS p WHERE p.sweep_id = ?1"
        "  AND p.config_id = result.config_id AND p.seed = result.seed AND p.in_plan = 1"
        "  AND p.confirms = 0) AS planned FROM result),"
        " pair AS (SELECT max(planned) AS planned,"
        "  max(sweep_id IS ?1 AND state IN ('completed', 'diverged', 'failed')) AS ended"
        "  FROM planned WHERE planned OR sweep_id = ?1 GROUP BY config_id, seed),"
        " total AS (SELECT count(*) AS seen, count(*) FILTER (WHERE NOT planned) AS outside,"
        "  count(*) FILTER (WHERE ended) AS ended FROM pair) "
        "UPDATE plan_change SET seen = max(plan_change.seen, total.seen),"
        " seen_outside = max(seen_outside, outside),"
        " trials_ended = max(trials_ended, total.ended)"
        " FROM total WHERE plan_change_id = (SELECT plan_change_id FROM newest)";
    int64_t row = scope_number(x, MERGING,
                               "SELECT max(plan_change_id) FROM plan_change WHERE sweep_id = ?"
                               " AND by = 'file'",
                               VALUES(INTEGER(sweep_id)));
    store_note_alike(x);
    scope_run(x, MERGING, sql, VALUES(INTEGER(sweep_id), INTEGER(row)));
    store_note_similar(x, sweep_id, row, RESULTS);
    store_confirm_seen(x, sweep_id, RESULTS);
}

enum status merge_seen(struct merging *g, int64_t sweep_id)
{
    return merge_in_scope(g, see, sweep_id);
}
