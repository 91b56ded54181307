/* What another file has of the trials that a sweep is to run. */
#include "sweep/merge/merge_parts.h"

#include <string.h>

#include "sweep/trials/store_check.h"

struct pair {
    struct standing theirs, ours;
    int64_t from_config, into_config;
};

struct pairs {
    size_t count;
    struct pair *item;
};

/* ---- which ---- */

/* Whether the trial of `into` at hand has come further in `from`. */
static bool look_up(struct merging *g, struct rows *ours, struct rows *theirs, struct pair *pair)
{
    *pair = (struct pair){.ours = merge_standing(ours),
                          .into_config = rows_integer(ours, STANDING_CONFIG)};
    if (!scope_find(g->there, theirs,
                    VALUES(TEXT(rows_text(ours, STANDING_COLUMNS)),
                           INTEGER(rows_integer(ours, STANDING_SEED)))))
        return false;
    pair->theirs = merge_standing(theirs);
    pair->from_config = rows_integer(theirs, STANDING_CONFIG);
    if (!g->unfinished && !trial_state_ended(pair->theirs.state))
        return false;
    bool runs = pair->theirs.state == TRIAL_RUNNING;
    pair->theirs.cut_off = runs;
    pair->theirs.attempts += runs;
    if (merge_is_further(g, &pair->theirs, &pair->ours))
        return true;
    if (!runs)
        return false;
    pair->theirs.cut_off = false; /* by what it had saved before */
    pair->theirs.attempts--;
    return merge_is_further(g, &pair->theirs, &pair->ours);
}

static struct pairs find_pairs(struct merging *g, const struct merge_sweep *sweep)
{
    static const char wanted[] =
        STANDING ", config_sha256 FROM trial JOIN config USING (config_id) WHERE sweep_id = ?"
                 " AND in_plan = 1 AND in_shard = 1 AND confirms = 0 AND state NOT IN "
                 "('completed', 'diverged')"
                 " ORDER BY plan_order";
    static const char same[] =
        STANDING " FROM trial WHERE sweep_id = ?3 AND seed = ?2 AND config_id ="
                 " (SELECT config_id FROM config WHERE config_sha256 = ?1)";
    struct rows *ours = scope_query(g->x, MERGING, wanted, VALUES(INTEGER(sweep->into_id)));
    struct rows *theirs = scope_query(g->there, MERGING, same,
                                      VALUES(TEXT(NULL), TEXT(NULL), INTEGER(sweep->from_id)));
    struct pairs list = {.count = 0};
    struct pair pair;
    for (; scope_next(g->x, ours); g->counts->trials++)
        if (look_up(g, ours, theirs, &pair)) {
            list.item = arena_grow(&g->x->arena, list.item, list.count, sizeof pair);
            list.item[list.count++] = pair;
        }
    scope_close(g->there, theirs);
    return list;
}

/* ---- taking them over ---- */

/* The metric chose the best step of each, and with it what was tested. */
static void refuse_other_metric(struct merging *g, const struct merge_sweep *sweep)
{
    static const char sql[] = "SELECT metric FROM sweep WHERE sweep_id = ?";
    const char *theirs = scope_string(g->there, MERGING, sql, VALUES(INTEGER(sweep->from_id)));
    const char *ours = scope_string(g->x, MERGING, sql, VALUES(INTEGER(sweep->into_id)));
    if (theirs && ours && strcmp(theirs, ours) != 0)
        scope_fail(g->x, STATUS_BAD_INPUT,
                   "%s: the best steps of sweep %s were chosen by %s there, and the metric is "
                   "%s now; put the metric back, or give the sweep another `name`",
                   g->from->path, sweep->name, theirs, ours);
}

static void take_pairs(struct merging *g, const struct pairs *list)
{
    merge_trials_open(g);
    for (size_t i = 0; i < list->count; i++) {
        const struct pair *p = &list->item[i];
        scope_check(g->there, store_check_trial(g->from, p->theirs.trial_id, g->x->message));
        scope_run(g->x, MERGING, "INSERT OR IGNORE INTO merge_config (old, new) VALUES (?, ?)",
                  VALUES(INTEGER(p->from_config), INTEGER(p->into_config)));
        merge_take_over(g, &p->theirs, &p->ours);
    }
    merge_trials_close(g);
    merge_trial_rows(g);
    merge_trial_remarks(g);
}

static void take_all(struct merging *g, const struct merge_sweep *sweep, const struct pairs *list)
{
    refuse_other_metric(g, sweep);
    merge_begin(g);
    merge_note_sweep(g, sweep);
    merge_history(g, sweep);
    take_pairs(g, list);
    merge_forget_looks(g, g->own);
    merge_settle(g, g->own);
    merge_seen(g, sweep->into_id);
    merge_end(g);
}

/* What was taken over may add values to the plan (tune.extend), whose trials are there as well. */
static void take_own(struct merging *g)
{
    struct merge_sweep sweep = {.into_id = g->own};
    scope_check(g->x, store_sweep_name(g->into, g->own, sweep.name, g->x->message));
    sweep.from_id = scope_number(g->there, MERGING, "SELECT sweep_id FROM sweep WHERE name = ?",
                                 VALUES(TEXT(sweep.name)));
    if (!sweep.from_id)
        return;
    struct pairs list = find_pairs(g, &sweep);
    const long trials = g->counts->trials;
    bool extend = scope_number(g->x, MERGING, "SELECT extend FROM sweep WHERE sweep_id = ?",
                               VALUES(INTEGER(g->own)));
    while (list.count > 0) {
        take_all(g, &sweep, &list);
        list = extend ? find_pairs(g, &sweep) : (struct pairs){.count = 0};
    }
    g->counts->trials = trials;
}

enum status store_take_over(struct store *into, int64_t sweep_id, struct store *from,
                            bool unfinished, merge_mover *mover, void *context,
                            struct merge_counts *counts, struct message *m)
{
    struct merging g = {.into = into,
                        .from = from,
                        .mover = mover,
                        .context = context,
                        .counts = counts,
                        .own = sweep_id,
                        .unfinished = unfinished};
    *counts = (struct merge_counts){0};
    return scope_end(merge_within(&g, take_own, m));
}
