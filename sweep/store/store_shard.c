/* Which trials of a sweep the run at hand may claim. */
#include "sweep/store/store_plan.h"

#include <inttypes.h>
#include <stdio.h>

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

/* ---- what is missing ---- */

enum { RANGES_SHOWN = 6 };

struct ranges {
    int64_t first[RANGES_SHOWN + 1], last[RANGES_SHOWN + 1];
    int count; /* stays at RANGES_SHOWN + 1 where there are more */
};

static void add_range(struct ranges *r, int64_t first, int64_t last)
{
    if (last == first + 1) { /* "3 and 4" */
        add_range(r, first, first);
        first = last;
    }
    if (first > last || r->count > RANGES_SHOWN)
        return;
    r->first[r->count] = first;
    r->last[r->count++] = last;
}

/* "1, 3 to 5 and 8" */
static void word_ranges(const struct ranges *r, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < r->count && used < size; i++) {
        const char *before = i == 0 ? "" : i == r->count - 1 ? " and " : ", ";
        if (i == RANGES_SHOWN)
            used += (size_t)snprintf(text + used, size - used, " and others");
        else if (r->first[i] == r->last[i])
            used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, before, r->first[i]);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%" PRId64 " to %" PRId64, before,
                                     r->first[i], r->last[i]);
    }
}

enum status store_shards(struct store *s, int64_t sweep_id, struct shards *shards,
                         struct message *m)
{
    struct ranges missing = {.count = 0};
    int64_t next = 1;
    *shards = (struct shards){0};
    struct rows r = store_rows(s, "looking for shards",
                               "SELECT shards ->> 'of', h.value FROM sweep,"
                               " json_each(shards, '$.here') AS h WHERE sweep_id = ? AND"
                               " h.value BETWEEN 1 AND 1000000 ORDER BY h.value",
                               VALUES(INTEGER(sweep_id)), m);
    while (rows_next(&r)) {
        shards->of = rows_integer(&r, 0);
        add_range(&missing, next, rows_integer(&r, 1) - 1);
        next = rows_integer(&r, 1) + 1;
    }
    add_range(&missing, next, shards->of);
    if (missing.count == 0)
        shards->of = 0;
    word_ranges(&missing, shards->missing, sizeof shards->missing);
    return rows_close(&r);
}
