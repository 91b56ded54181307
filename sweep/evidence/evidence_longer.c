/* Trials like those of the sweep but for their steps, which are at least twice as many: of other
 * settings where the steps are an axis, else of other sweeps in the file. */
#include <math.h>
#include <string.h>

#include "sweep/evidence/evidence_parts.h"

/* A trial of the sweep, and a longer one of the same seed. */
struct match {
    int64_t trial_id;
    bool foreign; /* of another sweep, this one: */
    int64_t sweep_id, steps;
    char *sweep, *setting;
    struct verdict_trial longer;
};

struct matches {
    size_t count;
    struct match *match; /* by rising trial_id */
};

/* Configurations are alike when nothing differs but the steps and what each head count chooses for
 * itself, which must be the same axes. ?1: sweep, ?2: by loss, ?3: steps at least. */
static const char MATCHES[] =
    "WITH RECURSIVE axis (i, path) AS ("
    "  SELECT key, '$.' || iif(value LIKE 'task.%', 'task.options' || substr(value, 5), value)"
    "    FROM sweep, json_each(tune) WHERE sweep_id = ?1),"
    " patch (i, json) AS (SELECT 0, '{\"train\":{\"steps\":null}}' UNION ALL"
    "  SELECT patch.i + 1, json_set(json, path, NULL) FROM patch JOIN axis USING (i)),"
    " varies (json) AS MATERIALIZED (SELECT json FROM patch ORDER BY i DESC LIMIT 1),"
    " short AS MATERIALIZED (SELECT config_id, steps, json_patch(config_json, json) AS rest"
    "   FROM varies, config WHERE config_id IN (SELECT config_id FROM trial WHERE sweep_id = ?1"
    "    AND in_plan = 1 AND is_tuning = 0 AND confirms = 0 AND choice = 'chosen')),"
    " long AS MATERIALIZED (SELECT config_id, steps, json_patch(config_json, json) AS rest"
    "   FROM varies, config WHERE steps >= ?3)"
    "SELECT a.trial_id, o.sweep_id <> ?1, o.sweep_id, long.steps, o.name, b.setting, b.trial_id, "
    "a.seed,"
    "  b.state = 'completed', b.limit_hit, iif(?2, b.test_loss, b.test_acc)"
    " FROM short CROSS JOIN long ON long.rest = short.rest AND long.steps >= 2 * short.steps"
    " CROSS JOIN sweep AS s ON s.sweep_id = ?1"
    " CROSS JOIN trial AS a ON a.sweep_id = ?1 AND a.config_id = short.config_id"
    " CROSS JOIN sweep AS o ON (o.tune, o.metric) = (s.tune, s.metric)"
    " CROSS JOIN trial AS b ON b.sweep_id = o.sweep_id AND b.config_id = long.config_id"
    "   AND b.seed = a.seed"
    " WHERE a.in_plan = 1 AND a.is_tuning = 0 AND a.confirms = 0 AND a.choice = 'chosen'"
    "   AND b.in_plan = 1 AND b.is_tuning = 0 AND b.confirms = 0 AND b.choice = 'chosen'"
    "   AND b.state IN ('completed', 'diverged', 'failed')"
    " ORDER BY a.trial_id, b.trial_id";

static void read_matches(struct scope *x, const struct evidence *e, int64_t least,
                         struct matches *m)
{
    enum {
        SHORT,
        FOREIGN,
        SWEEP_ID,
        STEPS,
        SWEEP,
        SETTING,
        TRIAL_ID,
        SEED,
        COMPLETED,
        LIMIT_HIT,
        TEST
    };
    struct rows *r =
        scope_rows(x, MATCHES, VALUES(INTEGER(e->sweep_id), INTEGER(e->base.loss), INTEGER(least)));
    while (scope_next(x, r)) {
        bool limited = rows_integer(r, LIMIT_HIT) != 0;
        m->match = arena_grow(&x->arena, m->match, m->count, sizeof *m->match);
        m->match[m->count++] = (struct match){rows_integer(r, SHORT),
                                              rows_integer(r, FOREIGN) != 0,
                                              rows_integer(r, SWEEP_ID),
                                              rows_integer(r, STEPS),
                                              scope_given(x, r, SWEEP),
                                              scope_given(x, r, SETTING),
                                              {.seed = rows_integer(r, SEED),
                                               .trial_id = rows_integer(r, TRIAL_ID),
                                               .test = rows_real(r, TEST),
                                               .val = NAN,
                                               .exact = NAN,
                                               .late_slope = NAN,
                                               .bad = !rows_integer(r, COMPLETED) && !limited,
                                               .limited = limited}};
    }
}

/* Index of a trial's first match, or of that of the next trial that has one. */
static size_t first_match(const struct matches *m, int64_t trial_id)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->match[middle].trial_id < trial_id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where a setting is compared with one run: this sweep's own, then that of the fewest steps. */
static bool is_nearer(const struct match *a, const struct match *b)
{
    if (a->foreign != b->foreign)
        return b->foreign;
    return a->steps != b->steps ? a->steps < b->steps : a->sweep_id < b->sweep_id;
}

/* The match of a trial that is of the same run as `run`, or the nearest (run NULL); NULL: none. */
static const struct match *match_of(const struct matches *m, int64_t trial_id,
                                    const struct match *run)
{
    const struct match *found = NULL;
    for (size_t i = first_match(m, trial_id); i < m->count && m->match[i].trial_id == trial_id; i++)
        if (run ? !is_nearer(&m->match[i], run) && !is_nearer(run, &m->match[i])
                : !found || is_nearer(&m->match[i], found))
            found = &m->match[i];
    return found;
}

static const struct match *nearest_run(const struct evidence *e, const struct evidence_setting *set,
                                       const struct matches *m)
{
    const struct match *run = NULL;
    for (int k = 0; k < set->count; k++)
        for (int i = set->first[k]; i < set->first[k] + set->heads[k].n; i++) {
            const struct match *found = match_of(m, e->trial[i].trial_id, NULL);
            if (found && (!run || is_nearer(found, run)))
                run = found;
        }
    return run;
}

/* What head counts chose there. */
static void take_choices(struct scope *x, struct evidence *e, const struct match *run,
                         struct verdict_longer *longer)
{
    struct evidence_setting there = {.setting = run->setting};
    struct evidence other = {.sweep_id = run->sweep_id, .settings = 1, .setting = &there};
    const struct evidence_setting *set = evidence_find(e, run->setting);
    if (run->foreign) {
        evidence_read_tune(x, &other);
        set = &there;
    }
    longer->choices = set ? set->input.choices : 0;
    longer->choice = set ? set->choice : NULL;
}

static void take_longer(struct scope *x, struct evidence *e, struct evidence_setting *set,
                        const struct matches *m)
{
    struct arena *a = &x->arena;
    const struct match *run = nearest_run(e, set, m);
    if (!run)
        return;
    size_t count = (size_t)set->count;
    struct verdict_longer *longer = arena_alloc(a, 1, sizeof *longer);
    set->longer = arena_alloc(a, count, sizeof *set->longer);
    set->first_longer = arena_alloc(a, count, sizeof *set->first_longer);
    for (int k = 0; k < set->count; k++) {
        set->first_longer[k] = e->trials;
        set->longer[k] = (struct verdict_heads){.heads = set->heads[k].heads};
        for (int i = set->first[k]; i < set->first[k] + set->heads[k].n; i++) {
            const struct match *found = match_of(m, e->trial[i].trial_id, run);
            if (!found)
                continue;
            e->trial[e->trials] = found->longer;
            e->trial[e->trials++].unit = e->trial[i].unit;
            set->longer[k].n++;
        }
    }
    *longer = (struct verdict_longer){
        .steps = run->steps, .sweep = run->foreign ? run->sweep : NULL, .heads = set->longer};
    if (set->input.choices > 0)
        take_choices(x, e, run, longer);
    set->input.longer = longer;
}

void evidence_read_longer(struct scope *x, struct evidence *e)
{
    int64_t least = INT64_MAX / 2;
    struct matches m = {0};
    for (int i = 0; i < e->settings; i++) {
        int64_t steps = e->setting[i].input.steps;
        least = steps > 0 && steps < least ? steps : least;
    }
    if (e->trials == 0 || !scope_ask(x, "SELECT EXISTS (SELECT 1 FROM config WHERE steps >= ?)",
                                     VALUES(INTEGER(2 * least))))
        return;
    read_matches(x, e, 2 * least, &m);
    size_t trials = (size_t)e->trials;
    struct verdict_trial *all = arena_alloc(&x->arena, trials + m.count, sizeof *all);
    memcpy(all, e->trial, trials * sizeof *all);
    e->trial = all;
    for (int i = 0; i < e->settings; i++)
        take_longer(x, e, &e->setting[i], &m);
}
