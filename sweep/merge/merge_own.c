/* What another file has of the trials that a sweep is to run. */
#include "sweep/merge/merge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
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

static enum status add_pair(struct pairs *list, const struct pair *pair, struct message *m)
{
    struct pair *longer = array_grow(list->item, list->count, sizeof *longer);
    if (!longer)
        return status_no_memory(m, "a list of trials");
    list->item = longer;
    longer[list->count++] = *pair;
    return STATUS_OK;
}

/* The trial of `into` at hand, where it has come further in `from`. */
static enum status look_up(struct merging *g, struct rows *ours, struct rows *theirs,
                           struct pairs *list)
{
    struct pair pair = {.ours = merge_standing(ours),
                        .into_config = rows_integer(ours, STANDING_CONFIG)};
    rows_rebind(theirs, VALUES(TEXT(rows_text(ours, STANDING_COLUMNS)),
                               INTEGER(rows_integer(ours, STANDING_SEED))));
    if (!rows_next(theirs))
        return theirs->status;
    pair.theirs = merge_standing(theirs);
    pair.from_config = rows_integer(theirs, STANDING_CONFIG);
    if (!g->unfinished && !trial_state_ended(pair.theirs.state))
        return STATUS_OK;
    bool further = false, runs = pair.theirs.state == TRIAL_RUNNING;
    pair.theirs.cut_off = runs;
    pair.theirs.attempts += runs;
    enum status status = merge_is_further(g, &pair.theirs, &pair.ours, &further);
    if (status == STATUS_OK && runs && !further) { /* by what it had saved before */
        pair.theirs.cut_off = false;
        pair.theirs.attempts--;
        status = merge_is_further(g, &pair.theirs, &pair.ours, &further);
    }
    return further ? add_pair(list, &pair, g->m) : status;
}

static enum status find_pairs(struct merging *g, const struct merge_sweep *sweep,
                              struct pairs *list)
{
    static const char wanted[] =
        STANDING ", config_sha256 FROM trial JOIN config USING (config_id) WHERE sweep_id = ?"
                 " AND in_plan = 1 AND in_shard = 1 AND confirms = 0 AND state NOT IN "
                 "('completed', 'diverged')"
                 " ORDER BY plan_order";
    static const char same[] =
        STANDING " FROM trial WHERE sweep_id = ?3 AND seed = ?2 AND config_id ="
                 " (SELECT config_id FROM config WHERE config_sha256 = ?1)";
    struct rows ours = store_rows(g->into, MERGING, wanted, VALUES(INTEGER(sweep->into_id)), g->m);
    struct rows theirs = store_rows(g->from, MERGING, same,
                                    VALUES(TEXT(NULL), TEXT(NULL), INTEGER(sweep->from_id)), g->m);
    enum status status = STATUS_OK;
    for (; status == STATUS_OK && rows_next(&ours); g->counts->trials++)
        status = look_up(g, &ours, &theirs, list);
    enum status closed = rows_close(&ours);
    rows_close(&theirs);
    return status == STATUS_OK ? closed : status;
}

/* ---- taking them over ---- */

/* The metric chose the best step of each, and with it what was tested. */
static enum status refuse_other_metric(struct merging *g, const struct merge_sweep *sweep)
{
    static const char sql[] = "SELECT metric FROM sweep WHERE sweep_id = ?";
    struct rows theirs = store_rows(g->from, MERGING, sql, VALUES(INTEGER(sweep->from_id)), g->m);
    struct rows ours = store_rows(g->into, MERGING, sql, VALUES(INTEGER(sweep->into_id)), g->m);
    bool both = rows_next(&theirs) && rows_next(&ours);
    if (both && strcmp(rows_given(&theirs, 0), rows_given(&ours, 0)) != 0)
        ours.status =
            status_fail(g->m, STATUS_BAD_INPUT,
                        "%s: the best steps of sweep %s were chosen by %s there, and the metric is "
                        "%s now; put the metric back, or give the sweep another `name`",
                        g->from->path, sweep->name, rows_given(&theirs, 0), rows_given(&ours, 0));
    enum status status = rows_close(&theirs), closed = rows_close(&ours);
    return status == STATUS_OK ? closed : status;
}

static enum status take_pair(struct merging *g, const struct pair *p)
{
    enum status status = store_check_trial(g->from, p->theirs.trial_id, g->m);
    if (status == STATUS_OK)
        status = store_execute(
            g->into, MERGING, "INSERT OR IGNORE INTO merge_config (old, new) VALUES (?, ?)",
            VALUES(INTEGER(p->from_config), INTEGER(p->into_config)), NULL, g->m);
    return status == STATUS_OK ? merge_take_over(g, &p->theirs, &p->ours) : status;
}

static enum status take_pairs(struct merging *g, const struct pairs *list)
{
    enum status status = merge_trials_open(g);
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++)
        status = take_pair(g, &list->item[i]);
    merge_trials_close(g);
    if (status == STATUS_OK)
        status = merge_trial_rows(g);
    return status == STATUS_OK ? merge_trial_remarks(g) : status;
}

/* Looks were judged by what trials had come to before. */
static enum status settle_anew(struct merging *g)
{
    enum status status = store_execute(g->into, MERGING, "DELETE FROM look WHERE sweep_id = ?",
                                       VALUES(INTEGER(g->own)), NULL, g->m);
    if (status == STATUS_OK)
        status = merge_in_scope(g, store_confirm_forget, g->own);
    return status == STATUS_OK ? merge_settle(g, g->own) : status;
}

static enum status take_all(struct merging *g, const struct merge_sweep *sweep,
                            const struct pairs *list)
{
    bool newer = false;
    enum status status = refuse_other_metric(g, sweep);
    if (status == STATUS_OK)
        status = merge_begin(g);
    if (status == STATUS_OK)
        status = merge_note_sweep(g, sweep);
    if (status == STATUS_OK)
        status = merge_history(g, sweep, &newer);
    if (status == STATUS_OK)
        status = take_pairs(g, list);
    if (status == STATUS_OK)
        status = settle_anew(g);
    if (status == STATUS_OK)
        status = merge_seen(g, sweep->into_id);
    return status == STATUS_OK ? merge_end(g) : status;
}

/* What was taken over may add values to the plan (tune.extend), whose trials are there as well. */
static enum status take_added(struct merging *g, const struct merge_sweep *sweep,
                              struct pairs *list)
{
    const long trials = g->counts->trials;
    int64_t extend = 0;
    enum status status =
        store_integer(g->into, MERGING, "SELECT extend FROM sweep WHERE sweep_id = ?",
                      VALUES(INTEGER(g->own)), 0, &extend, g->m);
    while (status == STATUS_OK && extend && list->count > 0) {
        list->count = 0;
        status = find_pairs(g, sweep, list);
        if (status == STATUS_OK && list->count > 0)
            status = take_all(g, sweep, list);
    }
    g->counts->trials = trials;
    return status;
}

static enum status take_own(struct merging *g)
{
    struct merge_sweep sweep = {.into_id = g->own};
    struct pairs list = {.count = 0};
    enum status status = store_sweep_name(g->into, g->own, sweep.name, g->m);
    if (status == STATUS_OK)
        status = store_integer(g->from, MERGING, "SELECT sweep_id FROM sweep WHERE name = ?",
                               VALUES(TEXT(sweep.name)), 0, &sweep.from_id, g->m);
    if (status == STATUS_OK && sweep.from_id)
        status = find_pairs(g, &sweep, &list);
    if (status == STATUS_OK && list.count > 0)
        status = take_all(g, &sweep, &list);
    if (status == STATUS_OK)
        status = take_added(g, &sweep, &list);
    free(list.item);
    return status;
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
                        .m = m,
                        .own = sweep_id,
                        .unfinished = unfinished};
    return merge_within(&g, take_own);
}
