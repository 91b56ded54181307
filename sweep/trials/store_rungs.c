/* Rungs: successive halving among the tuning trials of one head count (Jamieson and Talwalkar
 * 2016). What it comes to is a function of what the trials have done, whenever it is asked for: at
 * each rung, once all trials of the candidates that are still in it have come as far or ended, the
 * best ceil(C / eta) of C go on. Values that were added later (store_extend.c) train to their end.
 */
#include <math.h>
#include <string.h>

#include "sweep/trials/trials_internal.h"

static const char DOING[] = "settling rungs";

struct rung_trial {
    int64_t trial_id;
    enum trial_state state;
    enum trial_choice choice;
    int64_t until, resume_step, bad_step; /* 0: none */
    int candidate;
    double chance;
};

struct candidate {
    const char *tuning;
    bool in;      /* not eliminated */
    bool out_now; /* at the rung at hand */
    double score; /* higher is better; NaN: none */
    int bad;
};

struct rungs {
    struct scope *x;
    bool loss;   /* of the sweep's metric */
    int64_t eta; /* 0: no rungs */
    int64_t least, every;
    int64_t step[PLAN_RUNGS_MAX];
    int steps;
    int trials, candidates;
    struct rung_trial *trial;    /* in the order of the plan */
    struct candidate *candidate; /* likewise */
    struct rows *best;           /* the best metric of a trial up to a step, and of how many */
};

/* ---- reading ---- */

static int candidate_of(struct rungs *g, const char *tuning)
{
    for (int i = 0; i < g->candidates; i++)
        if (strcmp(g->candidate[i].tuning, tuning) == 0)
            return i;
    g->candidate =
        arena_grow(&g->x->arena, g->candidate, (size_t)g->candidates, sizeof *g->candidate);
    g->candidate[g->candidates] =
        (struct candidate){.tuning = arena_string(&g->x->arena, tuning), .in = true};
    return g->candidates++;
}

enum { TRIAL_ID, STATE, CHOICE, UNTIL, RESUME_STEP, BAD_STEP, TUNING, CHANCE, STEPS, EVERY };

static void add_trial(struct rungs *g, struct rows *r)
{
    if (g->trials == 0) {
        g->every = rows_integer(r, EVERY);
        if (g->eta && g->every > 0)
            g->steps = plan_rung_steps(g->eta, g->least, rows_integer(r, STEPS), g->every, g->step);
    }
    g->trial = arena_grow(&g->x->arena, g->trial, (size_t)g->trials, sizeof *g->trial);
    g->trial[g->trials++] = (struct rung_trial){rows_integer(r, TRIAL_ID),
                                                rows_state(r, STATE),
                                                rows_choice(r, CHOICE),
                                                rows_integer(r, UNTIL),
                                                rows_integer(r, RESUME_STEP),
                                                rows_integer(r, BAD_STEP),
                                                candidate_of(g, rows_given(r, TUNING)),
                                                rows_real(r, CHANCE)};
}

/* ---- judging ---- */

/* Whether a trial has nothing more to do up to a rung: it has ended, or has paused there with every
 * evaluation up to it recorded. */
static bool reached(struct rungs *g, const struct rung_trial *t, int64_t step)
{
    if (trial_state_ended(t->state))
        return true;
    return t->resume_step >= step &&
           scope_find(g->x, g->best, VALUES(INTEGER(t->trial_id), INTEGER(step))) &&
           rows_integer(g->best, 1) >= step / g->every;
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
        sum += bad ? t->chance
               : scope_find(g->x, g->best, VALUES(INTEGER(t->trial_id), INTEGER(step)))
                   ? rows_real(g->best, 0)
                   : NAN;
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
static void halve(struct rungs *g, int64_t step)
{
    int64_t in = 0;
    for (int i = 0; i < g->candidates; i++) {
        struct candidate *c = &g->candidate[i];
        c->out_now = c->in;
        if (c->in)
            score(g, i, step);
        in += c->in;
        c->in = false;
    }
    for (int64_t keep = (in + g->eta - 1) / g->eta; keep > 0; keep--) {
        struct candidate *best = NULL;
        for (int i = 0; i < g->candidates; i++)
            if (g->candidate[i].out_now && (!best || better(&g->candidate[i], best)))
                best = &g->candidate[i];
        if (!best)
            break;
        best->in = true;
        best->out_now = false;
    }
}

static bool more_than_one_in(const struct rungs *g)
{
    int in = 0;
    for (int i = 0; i < g->candidates; i++)
        in += g->candidate[i].in;
    return in > 1;
}

/* ---- writing ---- */

static void put(struct rungs *g, struct rung_trial *t, int64_t until, enum trial_choice choice)
{
    bool ended = trial_state_ended(t->state);
    if (ended) /* it pauses no more */
        until = 0;
    bool as_it_is = t->until == until && t->choice == choice &&
                    (t->state != TRIAL_QUEUED || choice != CHOICE_ELIMINATED) &&
                    (t->state != TRIAL_NOT_NEEDED || choice == CHOICE_ELIMINATED);
    if (as_it_is)
        return;
    t->until = until;
    t->choice = choice;
    scope_run(g->x, DOING, sql_put_rung,
              VALUES(INTEGER(t->trial_id), INTEGER(until), TEXT(trial_choice_name(choice))));
}

/* Trials of candidates that are in: to `step`, or (0) to their end. */
static void send(struct rungs *g, int64_t step)
{
    for (int i = 0; i < g->trials; i++) {
        struct rung_trial *t = &g->trial[i];
        if (!g->candidate[t->candidate].in)
            continue;
        bool waits = step && !trial_state_ended(t->state) && t->state != TRIAL_RUNNING &&
                     reached(g, t, step);
        put(g, t, step, waits ? CHOICE_WAITING : CHOICE_CHOSEN);
    }
}

/* Those of the candidates that the rung at hand has taken out. */
static void eliminate(struct rungs *g, int64_t step)
{
    for (int i = 0; i < g->trials; i++)
        if (g->candidate[g->trial[i].candidate].out_now)
            put(g, &g->trial[i], step, CHOICE_ELIMINATED);
}

static bool all_reached(struct rungs *g, int64_t step)
{
    for (int i = 0; i < g->trials; i++)
        if (g->candidate[g->trial[i].candidate].in && !reached(g, &g->trial[i], step))
            return false;
    return true;
}

static void climb(struct rungs *g)
{
    int64_t open = 0;
    for (int k = 0; k < g->steps && more_than_one_in(g); k++) {
        if (!all_reached(g, g->step[k])) {
            open = g->step[k];
            break;
        }
        halve(g, g->step[k]);
        eliminate(g, g->step[k]);
    }
    send(g, open);
}

static void settle_group(struct rungs *g, int64_t sweep_id, const char *setting, int64_t heads)
{
    struct rows *r = scope_query(g->x, DOING, sql_rung_trials,
                                 VALUES(INTEGER(sweep_id), TEXT(setting), INTEGER(heads)));
    g->candidates = g->trials = g->steps = 0;
    g->candidate = NULL;
    g->trial = NULL;
    while (scope_next(g->x, r))
        add_trial(g, r);
    if (g->trials > 0)
        climb(g);
}

/* ---- the whole ---- */

static void read_rules(struct rungs *g, int64_t sweep_id)
{
    struct rows *r = scope_query(g->x, DOING,
                                 "SELECT rungs ->> '$.eta', rungs ->> '$.min_steps',"
                                 " metric = 'val_loss' FROM sweep WHERE sweep_id = ?",
                                 VALUES(INTEGER(sweep_id)));
    if (scope_next(g->x, r)) {
        g->eta = rows_integer(r, 0);
        g->least = rows_integer(r, 1);
        g->loss = rows_integer(r, 2) != 0;
        if (g->eta < 2 || g->least < 1)
            g->eta = 0;
    }
    scope_close(g->x, r);
}

void store_settle_rungs(struct scope *x, int64_t sweep_id, const char *setting, int64_t heads)
{
    struct rungs g = {.x = x};
    read_rules(&g, sweep_id);
    if (!g.eta && heads > 0)
        return;
    g.best = scope_query(x, DOING,
                         g.loss ? "SELECT -min(val_loss), count(*) FROM curve"
                                  " WHERE trial_id = ? AND step <= ?"
                                : "SELECT max(val_acc), count(*) FROM curve"
                                  " WHERE trial_id = ? AND step <= ?",
                         NO_VALUES);
    if (heads > 0) {
        settle_group(&g, sweep_id, setting, heads);
    } else {
        struct rows *r = scope_query(x, DOING, sql_rung_groups, VALUES(INTEGER(sweep_id)));
        while (scope_next(x, r))
            settle_group(&g, sweep_id, scope_given(x, r, 0), rows_integer(r, 1));
    }
    scope_close(x, g.best);
}
