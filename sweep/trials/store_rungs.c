/* Rungs: successive halving among the tuning trials of one head count (Jamieson and Talwalkar
 * 2016). What it comes to is a function of what the trials have done, whenever it is asked for: at
 * each rung, once all trials of the candidates that are still in it have come as far or ended, the
 * best ceil(C / eta) of C go on. Values that were added later (store_extend.c) train to their end.
 */
#include "sweep/trials/trials_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
struct rung_trial {
    int64_t trial_id;
    enum trial_state state;
    enum trial_choice choice;
    int64_t until, resume_step, bad_step; /* 0: none */
    int candidate;
    double chance;
};

struct candidate {
    char tuning[PLAN_TEXT_MAX];
    bool in;      /* not eliminated */
    bool out_now; /* at the rung at hand */
    double score; /* higher is better; NaN: none */
    int bad;
};

struct rungs {
    struct store *s;
    struct message *m;
    bool loss;   /* of the sweep's metric */
    int64_t eta; /* 0: no rungs */
    int64_t least, every;
    int64_t step[PLAN_RUNGS_MAX];
    int steps;
    int trials, candidates;
    struct rung_trial *trial;    /* in the order of the plan */
    struct candidate *candidate; /* likewise */
    struct rows best;            /* the best metric of a trial up to a step, and of how many */
};

/* ---- reading ---- */

static enum status out_of_memory(const struct rungs *g)
{
    return status_fail(g->m, STATUS_NO_MEMORY, "%s: no memory for tuning trials", g->s->path);
}

static int candidate_of(struct rungs *g, const char *tuning)
{
    for (int i = 0; i < g->candidates; i++)
        if (strcmp(g->candidate[i].tuning, tuning) == 0)
            return i;
    struct candidate *grown = array_grow(g->candidate, (size_t)g->candidates, sizeof *grown);
    if (!grown)
        return -1;
    g->candidate = grown;
    struct candidate *added = &grown[g->candidates];
    *added = (struct candidate){.in = true};
    snprintf(added->tuning, sizeof added->tuning, "%s", tuning);
    return g->candidates++;
}

enum { TRIAL_ID, STATE, CHOICE, UNTIL, RESUME_STEP, BAD_STEP, TUNING, CHANCE, STEPS, EVERY };

static enum status add_trial(struct rungs *g, struct rows *r)
{
    struct rung_trial *grown = array_grow(g->trial, (size_t)g->trials, sizeof *grown);
    if (!grown)
        return out_of_memory(g);
    g->trial = grown;
    int candidate = candidate_of(g, rows_given(r, TUNING));
    if (candidate < 0)
        return out_of_memory(g);
    if (g->trials == 0) {
        g->every = rows_integer(r, EVERY);
        if (g->eta && g->every > 0)
            g->steps = plan_rung_steps(g->eta, g->least, rows_integer(r, STEPS), g->every, g->step);
    }
    grown[g->trials++] = (struct rung_trial){rows_integer(r, TRIAL_ID),
                                             rows_state(r, STATE),
                                             rows_choice(r, CHOICE),
                                             rows_integer(r, UNTIL),
                                             rows_integer(r, RESUME_STEP),
                                             rows_integer(r, BAD_STEP),
                                             candidate,
                                             rows_real(r, CHANCE)};
    return STATUS_OK;
}

/* The sign before in_plan keeps SQLite from an index of it, which finds all trials of the sweep. */
static enum status read_group(struct rungs *g, int64_t sweep_id, const char *setting, int64_t heads)
{
    struct rows r = store_rows(
        g->s, "settling rungs",
        "SELECT trial_id, state, choice, until, resume_step, bad_step, tuning, t.chance, steps,"
        " eval_every FROM trial AS t JOIN config USING (config_id) WHERE sweep_id = ? AND"
        " setting = ? AND heads = ? AND is_tuning = 1 AND +in_plan = 1 AND tuning <> '{}'"
        " AND added = 0 ORDER BY plan_order",
        VALUES(INTEGER(sweep_id), TEXT(setting), INTEGER(heads)), g->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = add_trial(g, &r);
    return rows_close_after(&r, status);
}

/* ---- judging ---- */

/* Whether a trial has nothing more to do up to a rung: it has ended, or has paused there with every
 * evaluation up to it recorded. */
static bool reached(struct rungs *g, const struct rung_trial *t, int64_t step)
{
    if (trial_state_ended(t->state))
        return true;
    if (t->resume_step < step)
        return false;
    rows_rebind(&g->best, VALUES(INTEGER(t->trial_id), INTEGER(step)));
    return rows_next(&g->best) && rows_integer(&g->best, 1) >= step / g->every;
}

/* Diverged or failed on the way to a rung, as far as one can tell. */
static bool bad_by(const struct rung_trial *t, int64_t step)
{
    return (t->state == TRIAL_DIVERGED && t->bad_step <= step) ||
           (t->state == TRIAL_FAILED && t->resume_step < step);
}

/* The mean over a candidate's trials of the best metric up to a step, turned so that higher is
 * better. As in the view tuning: bad trials count as a guess or, for a loss, are counted. */
static void score(struct rungs *g, int candidate, int64_t step)
{
    struct candidate *c = &g->candidate[candidate];
    double sum = 0;
    int n = 0;
    c->bad = 0;
    for (int i = 0; i < g->trials; i++) {
        const struct rung_trial *t = &g->trial[i];
        if (t->candidate != candidate)
            continue;
        bool bad = bad_by(t, step);
        c->bad += bad && g->loss;
        if (bad && g->loss)
            continue;
        double value = t->chance;
        if (!bad) {
            rows_rebind(&g->best, VALUES(INTEGER(t->trial_id), INTEGER(step)));
            value = rows_next(&g->best) ? rows_real(&g->best, 0) : NAN;
        }
        sum += value;
        n++;
    }
    c->score = n ? sum / n : NAN;
}

static bool better(const struct candidate *a, const struct candidate *b)
{
    if (a->bad != b->bad)
        return a->bad < b->bad;
    if (isnan(a->score) || isnan(b->score))
        return !isnan(a->score) && isnan(b->score);
    return a->score > b->score;
}

/* The best ceil(C / eta) stay in; of equal ones those that come first in the plan. */
static enum status halve(struct rungs *g, int64_t step)
{
    int in = 0;
    for (int i = 0; i < g->candidates; i++)
        if (g->candidate[i].in) {
            score(g, i, step);
            in++;
        }
    int64_t keep = (in + g->eta - 1) / g->eta;
    bool *kept = calloc((size_t)g->candidates, sizeof *kept);
    if (!kept)
        return out_of_memory(g);
    for (; keep > 0; keep--) {
        int best = -1;
        for (int i = 0; i < g->candidates; i++)
            if (g->candidate[i].in && !kept[i] &&
                (best < 0 || better(&g->candidate[i], &g->candidate[best])))
                best = i;
        if (best >= 0)
            kept[best] = true;
    }
    for (int i = 0; i < g->candidates; i++) {
        g->candidate[i].out_now = g->candidate[i].in && !kept[i];
        g->candidate[i].in = kept[i];
    }
    free(kept);
    return g->best.status;
}

static bool more_than_one_in(const struct rungs *g)
{
    int in = 0;
    for (int i = 0; i < g->candidates; i++)
        in += g->candidate[i].in;
    return in > 1;
}

/* ---- writing ---- */

static enum status put(struct rungs *g, struct rung_trial *t, int64_t until,
                       enum trial_choice choice)
{
    bool ended = trial_state_ended(t->state);
    if (ended) /* it pauses no more */
        until = 0;
    bool as_it_is = t->until == until && t->choice == choice &&
                    (t->state != TRIAL_QUEUED || choice != CHOICE_ELIMINATED) &&
                    (t->state != TRIAL_NOT_NEEDED || choice == CHOICE_ELIMINATED);
    if (as_it_is)
        return STATUS_OK;
    t->until = until;
    t->choice = choice;
    return store_execute(
        g->s, "settling rungs",
        "UPDATE trial SET until = nullif(?2, 0), choice = ?3, state = CASE"
        "   WHEN state = 'queued' AND ?3 = 'eliminated' THEN 'not_needed'"
        "   WHEN state = 'not_needed' AND ?3 <> 'eliminated' THEN 'queued' ELSE state END"
        " WHERE trial_id = ?1",
        VALUES(INTEGER(t->trial_id), INTEGER(until), TEXT(trial_choice_name(choice))), NULL, g->m);
}

/* Trials of candidates that are in: to `step`, or (0) to their end. */
static enum status send(struct rungs *g, int64_t step)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < g->trials && status == STATUS_OK; i++) {
        struct rung_trial *t = &g->trial[i];
        if (!g->candidate[t->candidate].in)
            continue;
        bool waits = step && !trial_state_ended(t->state) && t->state != TRIAL_RUNNING &&
                     reached(g, t, step);
        status = put(g, t, step, waits ? CHOICE_WAITING : CHOICE_CHOSEN);
    }
    return status;
}

/* Those of the candidates that the rung at hand has taken out. */
static enum status eliminate(struct rungs *g, int64_t step)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < g->trials && status == STATUS_OK; i++) {
        struct rung_trial *t = &g->trial[i];
        if (g->candidate[t->candidate].out_now)
            status = put(g, t, step, CHOICE_ELIMINATED);
    }
    return status;
}

static bool all_reached(struct rungs *g, int64_t step)
{
    for (int i = 0; i < g->trials; i++)
        if (g->candidate[g->trial[i].candidate].in && !reached(g, &g->trial[i], step))
            return false;
    return true;
}

static enum status climb(struct rungs *g)
{
    enum status status = STATUS_OK;
    int64_t open = 0;
    for (int k = 0; k < g->steps && status == STATUS_OK && more_than_one_in(g); k++) {
        if (!all_reached(g, g->step[k])) {
            open = g->step[k];
            break;
        }
        status = halve(g, g->step[k]);
        if (status == STATUS_OK)
            status = eliminate(g, g->step[k]);
    }
    if (status == STATUS_OK)
        status = g->best.status;
    return status == STATUS_OK ? send(g, open) : status;
}

static enum status settle_group(struct rungs *g, int64_t sweep_id, const char *setting,
                                int64_t heads)
{
    enum status status = read_group(g, sweep_id, setting, heads);
    if (status == STATUS_OK && g->trials > 0)
        status = climb(g);
    free(g->candidate);
    free(g->trial);
    g->candidate = NULL;
    g->trial = NULL;
    g->candidates = g->trials = g->steps = 0;
    return status;
}

/* ---- the whole ---- */

static enum status read_rules(struct rungs *g, int64_t sweep_id)
{
    struct rows r = store_rows(g->s, "settling rungs",
                               "SELECT rungs ->> '$.eta', rungs ->> '$.min_steps',"
                               " metric = 'val_loss' FROM sweep WHERE sweep_id = ?",
                               VALUES(INTEGER(sweep_id)), g->m);
    if (rows_next(&r)) {
        g->eta = rows_integer(&r, 0);
        g->least = rows_integer(&r, 1);
        g->loss = rows_integer(&r, 2) != 0;
        if (g->eta < 2 || g->least < 1)
            g->eta = 0;
    }
    return rows_close(&r);
}

static enum status settle_groups(struct rungs *g, int64_t sweep_id)
{
    struct rows r = store_rows(g->s, "settling rungs",
                               "SELECT DISTINCT setting, heads FROM trial JOIN config USING"
                               " (config_id) WHERE sweep_id = ? AND is_tuning = 1 AND in_plan = 1"
                               " AND tuning <> '{}'",
                               VALUES(INTEGER(sweep_id)), g->m);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = settle_group(g, sweep_id, rows_given(&r, 0), rows_integer(&r, 1));
    return rows_close_after(&r, status);
}

enum status store_settle_rungs(struct store *s, int64_t sweep_id, const char *setting,
                               int64_t heads, struct message *m)
{
    struct rungs g = {.s = s, .m = m};
    enum status status = read_rules(&g, sweep_id);
    if (status != STATUS_OK || (!g.eta && heads > 0))
        return status;
    g.best = store_rows(s, "settling rungs",
                        g.loss ? "SELECT -min(val_loss), count(*) FROM curve"
                                 " WHERE trial_id = ? AND step <= ?"
                               : "SELECT max(val_acc), count(*) FROM curve"
                                 " WHERE trial_id = ? AND step <= ?",
                        NO_VALUES, m);
    status = heads > 0 ? settle_group(&g, sweep_id, setting, heads) : settle_groups(&g, sweep_id);
    return rows_close_after(&g.best, status);
}
