/* Which trials of a sweep the run at hand may claim. */
#include "sweep/db/lock.h"
#include "sweep/trials/store_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/ranges.h"

static const char DOING[] = "recording the shard";

/* Shards that the file has had of the same plan stay here. ?1 sweep, ?2 number, ?3 of, ?4 whether
 * the plan is the one that was stored before */
static enum status write_shards(struct planning *g, struct plan_shard shard)
{
    static const char sql[] =
        "UPDATE sweep SET shards = CASE WHEN ?3 = 0 THEN NULL ELSE json_object('of', ?3, 'here',"
        " (SELECT json_group_array(value) FROM (SELECT value FROM json_each(shards, '$.here')"
        "   WHERE ?4 AND shards ->> 'of' = ?3 UNION SELECT ?2 ORDER BY 1))) END"
        " WHERE sweep_id = ?1";
    return store_execute(g->s, DOING, sql,
                         VALUES(INTEGER(g->changes->sweep_id), INTEGER(shard.number),
                                INTEGER(shard.of), INTEGER(g->same_plan)),
                         NULL, g->m);
}

static enum status list_trials(struct planning *g)
{
    struct rows insert =
        store_rows(g->s, DOING, "INSERT INTO own_trial VALUES (?)", NO_VALUES, g->m);
    for (long k = 0; insert.status == STATUS_OK && k < plan_trials(g->p); k++)
        if (plan_in_shard(g->p, k))
            store_repeat(&insert, VALUES(INTEGER(k)));
    return rows_close(&insert);
}

static enum status mark_trials(struct planning *g)
{
    static const char sql[] =
        "UPDATE trial SET in_shard = NOT in_shard WHERE sweep_id = ? AND in_shard <>"
        " (in_plan = 0 OR plan_order IN (SELECT plan_order FROM own_trial))";
    enum status status = store_script(
        g->s, DOING, "CREATE TEMP TABLE own_trial (plan_order INTEGER PRIMARY KEY)", g->m);
    if (status == STATUS_OK)
        status = list_trials(g);
    if (status == STATUS_OK)
        status = store_execute(g->s, DOING, sql, VALUES(INTEGER(g->changes->sweep_id)), NULL, g->m);
    if (status == STATUS_OK)
        status = store_script(g->s, DOING, "DROP TABLE own_trial", g->m);
    return status;
}

enum status plan_write_shard(struct planning *g)
{
    struct plan_shard shard = plan_shard(g->p);
    enum status status = write_shards(g, shard);
    if (status != STATUS_OK)
        return status;
    if (shard.of > 0)
        return mark_trials(g);
    return store_execute(g->s, DOING,
                         "UPDATE trial SET in_shard = 1 WHERE sweep_id = ? AND"
                         " in_shard = 0",
                         VALUES(INTEGER(g->changes->sweep_id)), NULL, g->m);
}

/* ---- what is missing, and what is left ---- */

static const char LOOKING[] = "looking for shards";
/* *here: how many shards the file has. */
static enum status read_missing(struct store *s, int64_t sweep_id, struct shards *shards,
                                int64_t *here, struct message *m)
{
    struct ranges missing = {.count = 0};
    int64_t next = 1;
    struct rows r = store_rows(s, LOOKING,
                               "SELECT shards ->> 'of', h.value FROM sweep,"
                               " json_each(shards, '$.here') AS h WHERE sweep_id = ? AND"
                               " h.value BETWEEN 1 AND 1000000 ORDER BY h.value",
                               VALUES(INTEGER(sweep_id)), m);
    for (*here = 0; rows_next(&r); ++*here) {
        shards->of = rows_integer(&r, 0);
        ranges_add(&missing, next, rows_integer(&r, 1) - 1);
        next = rows_integer(&r, 1) + 1;
    }
    ranges_add(&missing, next, shards->of);
    ranges_words(&missing, shards->missing, sizeof shards->missing);
    return rows_close(&r);
}

/* Its trials that have not ended, by the shard of each, as plan_in_shard deals them out. ?1 sweep,
 * ?2 of, ?3 whether the shard that was run last is at work, ?4 round (without tune) */
#define LEFT                                                                                       \
    " SELECT 1 + shard % ?2 AS number, count(*) FROM dealt"                                        \
    " WHERE state IN ('queued', 'running') AND number IN"                                          \
    "  (SELECT h.value FROM sweep, json_each(shards, '$.here') AS h WHERE sweep_id = ?1)"          \
    "   AND NOT (in_shard AND ?3) GROUP BY number ORDER BY number"
static const char LEFT_PLAIN[] =
    "WITH dealt AS (SELECT plan_order + plan_order / ?4 AS shard, state, in_shard FROM trial"
    "  WHERE sweep_id = ?1 AND in_plan = 1)" LEFT;
static const char LEFT_TUNED[] =
    "WITH planned AS MATERIALIZED (SELECT setting, heads, plan_order, state, in_shard FROM trial"
    "  JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 1),"
    " part AS (SELECT setting, heads, dense_rank() OVER (ORDER BY min(plan_order)) - 1 AS shard"
    "  FROM planned GROUP BY setting, heads),"
    " dealt AS (SELECT shard, state, in_shard FROM planned JOIN part USING (setting, heads))" LEFT;

/* "shards 2 (5 trials left) and 4 (1 trial left)" */
static void word_left(struct shards *shards, const int64_t *shard, const int64_t *trials)
{
    char *text = shards->unfinished;
    const size_t size = sizeof shards->unfinished;
    int n = shards->lefts > RANGES_SHOWN ? RANGES_SHOWN + 1 : (int)shards->lefts;
    size_t used = 0;
    if (n > 0)
        used = (size_t)snprintf(text, size, "shard%s ", text_plural(n));
    for (int i = 0; i < n && used < size; i++)
        if (i == RANGES_SHOWN)
            snprintf(text + used, size - used, " and others");
        else
            used += (size_t)snprintf(
                text + used, size - used, "%s%" PRId64 " (%" PRId64 " trial%s left)",
                ranges_separator(i, n), shard[i], trials[i], text_plural(trials[i]));
}

static enum status read_unfinished(struct store *s, int64_t sweep_id, struct shards *shards,
                                   bool tuned, bool at_work, int64_t round, struct message *m)
{
    const struct value values[] = {INTEGER(sweep_id), INTEGER(shards->of), INTEGER(at_work),
                                   INTEGER(round)};
    int64_t shard[RANGES_SHOWN] = {0}, trials[RANGES_SHOWN] = {0};
    struct rows r =
        store_rows(s, LOOKING, tuned ? LEFT_TUNED : LEFT_PLAIN, values, tuned ? 3 : 4, m);
    text_add(&shards->json, "[");
    for (; rows_next(&r); shards->lefts++) {
        int64_t number = rows_integer(&r, 0), left = rows_integer(&r, 1);
        text_add(&shards->json, "%s{\"shard\":%" PRId64 ",\"trials\":%" PRId64 "}",
                 shards->lefts ? "," : "", number, left);
        if (shards->lefts < RANGES_SHOWN) {
            shard[shards->lefts] = number;
            trials[shards->lefts] = left;
        }
    }
    text_add(&shards->json, "]");
    word_left(shards, shard, trials);
    shards->first_left = shard[0];
    enum status status = rows_close(&r);
    if (status == STATUS_OK && shards->json.out_of_memory)
        status = status_no_memory(m, LOOKING);
    return status;
}

/* The lock is looked at only where trials run: one who looks holds it for a moment. */
static enum status read_at_work(struct store *s, int64_t sweep_id, bool *at_work, struct message *m)
{
    int64_t running = 0;
    enum status status = store_integer(s, LOOKING,
                                       "SELECT EXISTS (SELECT 1 FROM trial WHERE sweep_id = ?"
                                       " AND in_plan = 1 AND state = 'running')",
                                       VALUES(INTEGER(sweep_id)), 0, &running, m);
    *at_work = running && lock_is_taken(s->path);
    return status;
}

enum status store_shards(struct store *s, int64_t sweep_id, bool own, struct shards *shards,
                         struct message *m)
{
    int64_t here, points = 0, tuned = 0;
    bool at_work = false;
    *shards = (struct shards){0};
    enum status status = read_missing(s, sweep_id, shards, &here, m);
    if (status != STATUS_OK || here < 2 || shards->of < 1 || shards->of > PLAN_SHARDS_MAX)
        return status;
    status = store_integer(s, LOOKING,
                           "SELECT count(DISTINCT config_id) FROM trial WHERE sweep_id = ?"
                           " AND in_plan = 1",
                           VALUES(INTEGER(sweep_id)), 0, &points, m);
    if (status == STATUS_OK)
        status = store_integer(s, LOOKING, "SELECT tune <> '[]' FROM sweep WHERE sweep_id = ?",
                               VALUES(INTEGER(sweep_id)), 0, &tuned, m);
    if (status == STATUS_OK && !own)
        status = read_at_work(s, sweep_id, &at_work, m);
    if (status != STATUS_OK || points == 0)
        return status;
    return read_unfinished(s, sweep_id, shards, tuned != 0, at_work,
                           plan_shard_round((long)points, (int)shards->of), m);
}

void shards_free(struct shards *shards)
{
    free(shards->json.text);
    shards->json = (struct text_buffer){0};
}

static void release(void *shards)
{
    shards_free(shards);
}

void scope_shards(struct scope *x, int64_t sweep_id, struct shards *shards)
{
    *shards = (struct shards){0};
    arena_on_free(&x->arena, release, shards);
    scope_check(x, store_shards(x->store, sweep_id, false, shards, x->message));
}
