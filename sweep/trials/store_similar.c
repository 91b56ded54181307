/* Trials like those that a claim is about, but of another configuration: what came of them may have
 * been seen, and says much of what is claimed. */
#include "sweep/trials/trials_internal.h"

#include <stdlib.h>

#include "engine/base/text.h"

static const char DOING[] = "looking for similar trials";

/* Configurations of one `kind` mean the same task and, but for dropout, the same model. Similar
 * dropouts differ by NEAR at most. `options` are those that similar ones may differ in. */
#define NEAR ".001"
static const char TABLES[] =
    "CREATE TEMP TABLE IF NOT EXISTS similar_seen (config_id INTEGER, seed INTEGER,"
    " PRIMARY KEY (config_id, seed)) WITHOUT ROWID;"
    "CREATE TEMP TABLE IF NOT EXISTS similar_point (config_id INTEGER PRIMARY KEY, kind INTEGER,"
    " dropout REAL, options TEXT);"
    "CREATE TEMP TABLE IF NOT EXISTS similar_wanted (kind INTEGER, seed INTEGER, dropout REAL,"
    " PRIMARY KEY (kind, seed, dropout)) WITHOUT ROWID";
/* They stay: no table can be dropped while rows are read, as those of a merge are. */
static const char NO_ROWS[] =
    "DELETE FROM similar_seen; DELETE FROM similar_point; DELETE FROM similar_wanted";

/* Of the row ?2 of plan_change: by confirm it is about trials on fresh seeds. */
#define JUDGED                                                                                     \
    "sweep_id = ?1 AND iif((SELECT by = 'confirm' FROM plan_change WHERE plan_change_id = ?2),"    \
    " " ITS_TRIAL ", in_plan = 1 AND is_tuning = 0 AND confirms = 0)"

static const char POINTS[] =
    "WITH judged AS MATERIALIZED (SELECT config_id FROM trial WHERE " JUDGED "),"
    " known AS MATERIALIZED (SELECT config_id, dropout, " CONFIG_MEANING " AS meaning FROM config"
    "  WHERE (config_id IN (SELECT config_id FROM similar_seen) AND (task, heads, n_params) IN"
    "   (SELECT task, heads, n_params FROM config WHERE config_id IN judged))"
    "  OR config_id IN judged) "
    "INSERT INTO similar_point SELECT config_id, min(config_id) OVER (PARTITION BY"
    "  meaning -> '$.task', json_remove(meaning, '$.model.dropout') -> '$.model'), dropout,"
    " json_object('model', json_object('dropout', dropout), 'train', json(meaning -> '$.train'))"
    " FROM known";
static const char WANTED[] = "INSERT OR IGNORE INTO similar_wanted SELECT kind, seed, dropout"
                             " FROM trial CROSS JOIN similar_point USING (config_id) WHERE " JUDGED;
static const char OTHERS[] =
    "DELETE FROM similar_seen AS s WHERE NOT EXISTS (SELECT 1 FROM similar_point AS p"
    "  JOIN similar_wanted AS w USING (kind) WHERE p.config_id = s.config_id AND w.seed = s.seed"
    "   AND abs(w.dropout - p.dropout) <= " NEAR ")"
    " OR EXISTS (SELECT 1 FROM trial AS t WHERE t.sweep_id = ?1 AND t.seed = s.seed AND in_plan = 1"
    "  AND t.config_id IN (SELECT s.config_id UNION ALL SELECT other FROM alike AS a"
    "   WHERE a.config_id = s.config_id)) OR ?2 IS NULL";

/* Each option stands at a path in `options`; one that is left out at its default has the
 * value ''. A similar trial differs in the options whose values no judged trial has or, where it
 * combines their values otherwise, in those in which the judged ones differ. (NOT IN would look for
 * a NULL among all values, each time.) */
static const char NOTE[] =
    "WITH theirs AS MATERIALIZED (SELECT DISTINCT kind, options FROM similar_point"
    "  WHERE config_id IN (SELECT config_id FROM similar_seen)),"
    " ours AS MATERIALIZED (SELECT DISTINCT options FROM similar_point"
    "  WHERE kind IN (SELECT kind FROM theirs)"
    "   AND config_id IN (SELECT config_id FROM trial WHERE " JUDGED ")),"
    " place AS MATERIALIZED (SELECT DISTINCT fullkey FROM"
    "  (SELECT options FROM ours UNION SELECT options FROM theirs), json_tree(options)"
    "  WHERE type <> 'object'),"
    " our AS MATERIALIZED (SELECT DISTINCT fullkey, ifnull(options -> fullkey, '') AS value"
    "  FROM ours, place),"
    " other AS MATERIALIZED (SELECT DISTINCT options, fullkey FROM theirs, place"
    "  WHERE iif((fullkey, ifnull(options -> fullkey, '')) IN (SELECT * FROM our), 0, 1)),"
    " differ AS (SELECT fullkey FROM other UNION SELECT fullkey FROM our WHERE EXISTS"
    "  (SELECT 1 FROM theirs WHERE options NOT IN (SELECT options FROM other))"
    "  GROUP BY fullkey HAVING count(*) > 1) "
    "UPDATE plan_change SET similar = n, similar_differ = options FROM (SELECT (SELECT count(*)"
    "  FROM similar_seen) AS n, (SELECT json_group_array(name) FROM (SELECT DISTINCT"
    "   replace(substr(fullkey, 3), '\"', '') AS name FROM differ ORDER BY name))"
    "  AS options) WHERE n > similar AND plan_change_id = ?2";

static enum status note(struct store *s, int64_t sweep_id, int64_t plan_change_id, const char *seen,
                        struct message *m)
{
    const char *const statements[] = {seen, POINTS, WANTED, OTHERS, NOTE};
    enum status status = store_script(s, DOING, TABLES, m);
    for (size_t i = 0; status == STATUS_OK && i < sizeof statements / sizeof *statements; i++)
        status = store_execute(s, DOING, statements[i],
                               VALUES(INTEGER(sweep_id), INTEGER(plan_change_id)), NULL, m);
    return status == STATUS_OK ? store_script(s, DOING, NO_ROWS, m) : status;
}

enum status store_note_similar(struct store *s, int64_t sweep_id, int64_t plan_change_id,
                               const char *results, struct message *m)
{
    struct text_buffer seen = {0};
    int64_t claimed = 0;
    enum status status = store_integer(
        s, DOING, "SELECT claim IS NOT NULL FROM plan_change WHERE plan_change_id = ?",
        VALUES(INTEGER(plan_change_id)), 0, &claimed, m);
    if (status != STATUS_OK || !claimed)
        return status;
    text_add(&seen,
             "WITH newest AS MATERIALIZED (SELECT changed FROM plan_change"
             "  WHERE plan_change_id = ?2), result AS (%s) "
             "INSERT OR IGNORE INTO similar_seen SELECT config_id, seed FROM result"
             " WHERE ?1 IS NOT NULL",
             results);
    status = seen.out_of_memory ? status_no_memory(m, store_path(s))
                                : note(s, sweep_id, plan_change_id, seen.text, m);
    free(seen.text);
    return status;
}
