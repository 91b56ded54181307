#include "sweep/ask/decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "sweep/ask/fit.h"
#include "sweep/ask/sets.h"
#include "sweep/ask/sheet.h"
#include "sweep/ask/words.h"
#include "sweep/db/rows.h"
#include "sweep/plan/plan.h"

/* ---- which sweeps share their trials ---- */

/* More than any net has: no other option of the model is made equal to it, or divided by it. */
enum { NO_HEADS = 1 << 20 };

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_update(hash, text, strlen(text) + 1);
}

/* The axis that comes after `before` by its path, NULL for the first; NULL: there is none. */
static const struct axis *next_axis(const struct config *c, const struct axis *before)
{
    const struct axis *found = NULL;
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        if ((!before || strcmp(axis->path, before->path) > 0) &&
            (!found || strcmp(axis->path, found->path) < 0))
            found = axis;
    }
    return found;
}

static enum status set_value(struct point *p, const char *path, const struct config_value *v,
                             struct sha256 *several, struct message *m)
{
    struct point_section section;
    char json[OPTION_TEXT_MAX];
    const struct option_entry *o = point_option(p, path, &section);
    enum status s = STATUS_OK;
    if (!o || o->local) /* task.name, and where the file lies */
        return STATUS_OK;
    memset((char *)section.values + o->offset, 0, option_used(o, section.values));
    for (int i = 0; i < v->scalars && s == STATUS_OK; i++)
        s = option_parse(o, section.name, v->scalar[i], v->quoted[i], section.values, m);
    if (s == STATUS_OK && several && option_format(o, section.values, json, sizeof json) >= 0)
        add_text(several, json);
    return s;
}

/* Into the point; of an axis that has several values, which one point cannot hold, they are hashed.
 */
static enum status set_axis(struct point *p, const struct axis *axis, struct sha256 *hash,
                            struct message *m)
{
    struct sha256 *several = axis->values > 1 ? hash : NULL;
    enum status s = STATUS_OK;
    if (several)
        add_text(hash, axis->path);
    for (int i = 0; i < axis->values && s == STATUS_OK; i++)
        s = set_value(p, axis->path, &axis->value[i], several, m);
    return s;
}

/* What the file itself tells is in the look's point, and what was guessed. */
static enum status hash_trials(const struct config *c, const struct look *l, struct sha256 *hash,
                               struct message *m)
{
    struct point p = l->point;
    char json[POINT_JSON_MAX];
    enum status s = STATUS_OK;
    const struct axis *axis = NULL;
    while (s == STATUS_OK && (axis = next_axis(c, axis)) != NULL)
        if (strcmp(axis->path, "model.heads") != 0 && !config_is_tuned(c, axis->path))
            s = set_axis(&p, axis, hash, m);
    p.model.heads = NO_HEADS;
    point_json(&p, json);
    add_text(hash, json);
    add_text(hash, metric_name(c->metric));
    return s;
}

enum status digits_of(const struct design *d, const struct look *l, const char *path,
                      const char *const *sets, int count, char digits[DIGITS_SIZE],
                      struct message *m)
{
    struct config *c = NULL;
    struct sha256 hash;
    char hex[65];
    sha256_init(&hash);
    enum status s = sheet_parse(d, l, path, sets, count, &c, m);
    if (s == STATUS_OK)
        s = hash_trials(c, l, &hash, m);
    sha256_final(&hash, hex);
    snprintf(digits, DIGITS_SIZE, "%.12s", hex);
    config_free(c);
    return s;
}

/* ---- what a results file has ---- */

/* *sweep_id: 0 where there is none. A person may have given a file of ask's another name and other
 * values, so of other names only what ask wrote itself counts. */
static enum status find_sweep(struct store *s, const char *name, int64_t *sweep_id, struct begun *b,
                              struct message *m)
{
    struct rows r =
        rows_open(s, m,
                  "SELECT sweep_id, name, yaml, overrides,"
                  " (SELECT what ->> '$.confirm.seeds' FROM confirmations AS c"
                  "   WHERE c.sweep_id = s.sweep_id AND c.claim IS NOT NULL LIMIT 1)"
                  " FROM sweep AS s WHERE name LIKE '%' || ?2 ORDER BY name <> ?1, sweep_id",
                  VALUES(TEXT(name), TEXT(strrchr(name, '-'))));
    *sweep_id = 0;
    while (*sweep_id == 0 && rows_next(&r)) {
        const char *yaml = rows_text(&r, 2);
        if (strcmp(rows_text(&r, 1), name) != 0 &&
            (strcmp(rows_text(&r, 3), "[]") != 0 || !ask_file_is_own(yaml, strlen(yaml))))
            continue;
        *sweep_id = rows_integer(&r, 0);
        rows_copy(&r, 1, b->name, sizeof b->name);
        b->claimed = (int)rows_integer(&r, 4);
        b->there = true;
    }
    return rows_close(&r);
}

/* On how many seeds every head count has ended a trial. */
static enum status count_seeds(struct store *s, int64_t sweep_id, bool tuning, int *seeds,
                               struct message *m)
{
    int64_t fewest = 0;
    enum status status =
        rows_ask(s, m,
                 "SELECT min(n) FROM (SELECT count(DISTINCT CASE WHEN state IN"
                 "   ('completed', 'diverged', 'failed') THEN seed END) AS n"
                 "  FROM trial JOIN config USING (config_id)"
                 "  WHERE sweep_id = ?1 AND is_tuning = ?2 AND confirms = 0 GROUP BY heads)",
                 VALUES(INTEGER(sweep_id), INTEGER(tuning)), &fewest);
    *seeds = (int)fewest;
    return status;
}

enum status begun_find(struct store *s, const char *name, struct begun *b, struct message *m)
{
    int64_t sweep_id;
    *b = (struct begun){0};
    snprintf(b->name, sizeof b->name, "%s", name);
    if (!s)
        return STATUS_OK;
    enum status status = find_sweep(s, name, &sweep_id, b, m);
    if (status == STATUS_OK && sweep_id)
        status = count_seeds(s, sweep_id, false, &b->seeds, m);
    if (status == STATUS_OK && sweep_id)
        status = count_seeds(s, sweep_id, true, &b->tune_seeds, m);
    return status;
}

void begun_keep(const struct begun *b, struct design *d)
{
    struct design higher = *d;
    while (higher.level + 1 < design_levels()) {
        design_set_level(&higher, higher.level + 1);
        /* without tuning trials all of a level is its seeds */
        bool tuned = b->tune_seeds == 0 || design_level(&higher)->tune_seeds <= b->tune_seeds;
        if (!tuned || higher.seeds > b->seeds)
            break;
        d->level = higher.level;
        d->seeds = d->seeds > higher.seeds ? d->seeds : higher.seeds;
    }
    d->seeds = d->seeds > b->seeds ? d->seeds : b->seeds;
    d->confirm = b->claimed > 0 ? b->claimed : d->confirm;
}

/* ---- deciding ---- */

static struct begun find_begun(struct scope *x, const struct question *q, const struct design *d)
{
    char digits[DIGITS_SIZE], name[DESIGN_NAME_SIZE];
    struct begun b;
    scope_check(x, digits_of(d, q->look, q->path, q->sets, q->count, digits, x->message));
    design_name(q->look, digits, name);
    scope_check(x, begun_find(q->results, name, &b, x->message));
    return b;
}

static void check_measured(struct scope *x, const struct fit *f)
{
    const struct estimate *e = f->context;
    if (e->status != STATUS_OK)
        scope_fail(x, e->status, "%s", e->message.text);
}

static void free_config(void *config)
{
    config_free(config);
}

/* The sweep file of a design. */
static struct config *parse(struct scope *x, const struct question *q, const struct design *d)
{
    struct config *c = NULL;
    scope_check(x, sheet_parse(d, q->look, q->path, q->sets, q->count, &c, x->message));
    arena_on_free(&x->arena, free_config, c);
    return c;
}

/* What the sweep file of `now` has otherwise than that of `was`; NULL: the one that is there. */
static struct text_buffer find_changes(struct scope *x, const struct question *q,
                                       const struct design *was, const struct design *now,
                                       bool anew)
{
    struct text_buffer changes = scope_text(x);
    struct config *before = NULL;
    if (was) {
        before = parse(x, q, was);
    } else {
        scope_check(x, config_read(q->path, NULL, 0, &before, x->message));
        arena_on_free(&x->arena, free_config, before);
    }
    ask_words_changes(anew, before, parse(x, q, now), &changes);
    return changes;
}

/* The same where more time has made `now` of the design `kept`, of whose sweep b tells. Where all
 * that would be another net is set, there is time for seeds. */
static struct text_buffer find_gains(struct scope *x, const struct question *q,
                                     const struct design *was, const struct design *kept,
                                     const struct begun *b, enum fit_more *fit, struct design *now)
{
    struct text_buffer changes = find_changes(x, q, was, now, *fit == FIT_ANEW);
    if (*fit != FIT_ANEW || changes.used > 0)
        return changes;
    *fit = FIT_SEEDS;
    now->size = kept->size;
    now->steps = kept->steps;
    now->steps_minutes = kept->steps_minutes;
    begun_keep(b, now);
    return find_changes(x, q, was, now, false);
}

/* What the minutes and the keys make of the design of the file that is there. */
static void decide_more(struct scope *x, const struct question *q, const struct fit *f,
                        struct decision *k)
{
    struct design kept = k->design, now;
    k->begun = find_begun(x, q, &kept);
    begun_keep(&k->begun, &kept);
    now = kept;
    if (q->minutes > kept.minutes) {
        k->fit = fit_more(f, &kept, k->begun.claimed, q->minutes, &now);
        check_measured(x, f);
    }
    k->changes = find_gains(x, q, NULL, &kept, &k->begun, &k->fit, &now);
    if (k->fit == FIT_ANEW) { /* which may have been begun before */
        k->begun = find_begun(x, q, &now);
        begun_keep(&k->begun, &now);
    }
    k->write = k->state == ASK_FILE_KEYS || k->changes.used > 0;
    if (k->write)
        k->design = now;
}

static void decide_anew(struct scope *x, const struct question *q, const struct fit *f,
                        struct decision *k)
{
    k->write = true;
    k->design = fit_design(f, q->minutes);
    check_measured(x, f);
    k->begun = find_begun(x, q, &k->design);
    begun_keep(&k->begun, &k->design);
}

/* What a sweep found is confirmed on as many fresh seeds as were written down with it: others would
 * be a second try. */
static void check_fresh(struct scope *x, const struct question *q, const struct begun *b)
{
    const long fresh = sets_number(q->sets, q->count, "confirm");
    if (b->claimed != 0 && fresh != 0 && fresh != b->claimed)
        scope_fail(x, STATUS_BAD_INPUT,
                   "--set confirm=%ld: the confirmation of sweep %s was fixed with %d fresh seeds, "
                   "which cannot change; set confirm=%d, or leave it out",
                   fresh, b->name, b->claimed, b->claimed);
}

static void free_plan(void *plan)
{
    plan_free(plan);
}

/* A sweep that goes on keeps a head count, with a value of what is tuned, at least. */
static void check_joined(struct scope *x, const struct question *q, struct decision *k)
{
    struct plan *p = NULL;
    bool stranger = false;
    if (!k->begun.there)
        return;
    struct config *c = parse(x, q, &k->design);
    c->name = k->begun.name;
    scope_check(x, plan_new(c, NULL, 0, &p, x->message));
    arena_on_free(&x->arena, free_plan, p);
    scope_check(x, store_stranger(q->results, p, &stranger, x->message));
    if (stranger)
        scope_fail(x, STATUS_BAD_INPUT,
                   "these settings continue sweep %s, but keep none of its head counts with their "
                   "tuned values; keep at least one, or give another results file with --db",
                   k->begun.name);
}

/* Whether more minutes would change something. */
static bool find_ever(struct scope *x, const struct question *q, const struct fit *f,
                      const struct decision *k)
{
    struct design beyond;
    enum fit_more fit = fit_beyond(f, &k->design, k->begun.claimed, &beyond);
    return find_gains(x, q, &k->design, &k->design, &k->begun, &fit, &beyond).used > 0;
}

/* Whether it is the design that takes least time, and nothing is set that takes more. */
static bool is_cheapest(const struct question *q, const struct design *d)
{
    for (int i = 0; i < q->count; i++) {
        bool task = strncmp(q->sets[i], "task.", 5) == 0;
        if (!task || (d->kind != LOOK_TOY && strncmp(q->sets[i], "task.length=", 12) == 0))
            return false;
    }
    return d->size == 0 && d->level == 0 && d->seeds == design_level(d)->seeds &&
           d->steps <= design_steps_min(d, q->look);
}

static void decide(struct scope *x, const struct question *q, const struct fit *f,
                   struct decision *k)
{
    const bool known = k->state == ASK_FILE_KEYS || k->state == ASK_FILE_SAME;
    k->more = known && (k->state == ASK_FILE_KEYS || q->minutes > k->design.minutes);
    if (!known)
        decide_anew(x, q, f, k);
    else if (k->more)
        decide_more(x, q, f, k);
    else
        k->begun = find_begun(x, q, &k->design);
    if (k->write) { /* what cannot run is refused before it takes the place of a file that can */
        check_fresh(x, q, &k->begun);
        f->seconds(f->context, &k->design);
        check_measured(x, f);
        check_joined(x, q, k);
    }
    k->ever = find_ever(x, q, f, k);
    k->cheapest = is_cheapest(q, &k->design);
}

static void free_estimate(void *estimate)
{
    estimate_free(estimate);
}

struct decision *ask_decide(struct scope *x, const struct question *q)
{
    struct decision *k = arena_alloc(&x->arena, 1, sizeof *k);
    struct estimate *e = arena_alloc(&x->arena, 1, sizeof *e);
    *e = (struct estimate){.look = q->look,
                           .path = q->path,
                           .sets = q->sets,
                           .count = q->count,
                           .workers = q->workers};
    arena_on_free(&x->arena, free_estimate, e);
    const struct fit f = {.look = q->look,
                          .steps = sets_number(q->sets, q->count, "train.steps"),
                          .seconds = estimate_seconds,
                          .context = e};
    scope_check(
        x, ask_file_read(q->path, q->look, q->sets, q->count, &k->state, &k->design, x->message));
    if (k->state == ASK_FILE_CHANGED)
        scope_check(x, ask_file_refuse_changed(q->path, x->message));
    decide(x, q, &f, k);
    if (e->refused_size > k->design.size)
        k->larger = e->refused;
    return k;
}
