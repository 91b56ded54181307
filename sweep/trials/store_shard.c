/* Which trials of a sweep the run at hand may claim. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/ranges.h"
#include "sweep/db/lock.h"
#include "sweep/trials/trials_internal.h"

static const char DOING[] = "recording the shard";

static void mark_trials(struct scope *x, const struct plan *p, int64_t sweep_id)
{
    scope_script(x, DOING, sql_shard_table);
    struct rows *insert = scope_query(x, DOING, "INSERT INTO own_trial VALUES (?)", NO_VALUES);
    for (long k = 0; k < plan_trials(p); k++)
        if (plan_in_shard(p, k))
            scope_repeat(x, insert, VALUES(INTEGER(k)));
    scope_close(x, insert);
    scope_run(x, DOING, sql_mark_shard, VALUES(INTEGER(sweep_id)));
    scope_script(x, DOING, "DROP TABLE own_trial");
}

void store_write_shard(struct scope *x, const struct plan *p, int64_t sweep_id, bool same_plan)
{
    struct plan_shard shard = plan_shard(p);
    scope_run(
        x, DOING, sql_write_shards,
        VALUES(INTEGER(sweep_id), INTEGER(shard.number), INTEGER(shard.of), INTEGER(same_plan)));
    if (shard.of > 0)
        mark_trials(x, p, sweep_id);
    else
        scope_run(x, DOING, "UPDATE trial SET in_shard = 1 WHERE sweep_id = ? AND in_shard = 0",
                  VALUES(INTEGER(sweep_id)));
}

/* ---- what is missing, and what is left ---- */

static const char LOOKING[] = "looking for shards";

/* Returns how many shards the file has. */
static int64_t read_missing(struct scope *x, int64_t sweep_id, struct shards *shards)
{
    struct ranges missing = {.count = 0};
    int64_t next = 1, here = 0;
    struct rows *r = scope_query(x, LOOKING, sql_shards_here, VALUES(INTEGER(sweep_id)));
    for (; scope_next(x, r); here++) {
        shards->of = rows_integer(r, 0);
        ranges_add(&missing, next, rows_integer(r, 1) - 1);
        next = rows_integer(r, 1) + 1;
    }
    ranges_add(&missing, next, shards->of);
    ranges_words(&missing, shards->missing, sizeof shards->missing);
    return here;
}

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

static void read_unfinished(struct scope *x, int64_t sweep_id, struct shards *shards, bool tuned,
                            bool at_work, int64_t round)
{
    const struct value values[] = {INTEGER(sweep_id), INTEGER(shards->of), INTEGER(at_work),
                                   INTEGER(round)};
    int64_t shard[RANGES_SHOWN] = {0}, trials[RANGES_SHOWN] = {0};
    struct rows *r =
        scope_query(x, LOOKING, tuned ? sql_left_tuned : sql_left_plain, values, tuned ? 3 : 4);
    text_add(&shards->json, "[");
    for (; scope_next(x, r); shards->lefts++) {
        int64_t number = rows_integer(r, 0), left = rows_integer(r, 1);
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
    if (shards->json.out_of_memory)
        scope_leave(x, status_no_memory(x->message, LOOKING));
}

/* The lock is looked at only where trials run: one who looks holds it for a moment. */
static bool is_at_work(struct scope *x, int64_t sweep_id)
{
    return scope_number(x, LOOKING,
                        "SELECT EXISTS (SELECT 1 FROM trial WHERE sweep_id = ? AND in_plan = 1"
                        " AND state = 'running')",
                        VALUES(INTEGER(sweep_id))) &&
           lock_is_taken(x->store->path);
}

static void read_shards(struct scope *x, int64_t sweep_id, bool own, struct shards *shards)
{
    const struct value sweep[] = {INTEGER(sweep_id)};
    int64_t here = read_missing(x, sweep_id, shards);
    if (here < 2 || shards->of < 1 || shards->of > PLAN_SHARDS_MAX)
        return;
    int64_t points = scope_number(
        x, LOOKING,
        "SELECT count(DISTINCT config_id) FROM trial WHERE sweep_id = ? AND in_plan = 1", sweep, 1);
    bool tuned = scope_number(x, LOOKING, "SELECT tune <> '[]' FROM sweep WHERE sweep_id = ?",
                              sweep, 1) != 0;
    bool at_work = !own && is_at_work(x, sweep_id);
    if (points)
        read_unfinished(x, sweep_id, shards, tuned, at_work,
                        plan_shard_round((long)points, (int)shards->of));
}

enum status store_shards(struct store *s, int64_t sweep_id, bool own, struct shards *shards,
                         struct message *m)
{
    struct scope *x = scope_of(s, m);
    *shards = (struct shards){0};
    if (scope_enter(x))
        read_shards(x, sweep_id, own, shards);
    return scope_end(x);
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
    read_shards(x, sweep_id, false, shards);
}
