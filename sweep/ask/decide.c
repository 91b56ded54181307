#include "sweep/ask/decide.h"

#include <stdio.h>
#include <string.h>

#include "sweep/ask/sets.h"
#include "sweep/db/rows.h"

static void name_sweep(struct scope *x, const struct question *q, const struct design *d,
                       char name[DESIGN_NAME_SIZE])
{
    char digits[DIGITS_SIZE];
    scope_check(x, digits_of(d, q->look, q->path, q->sets, q->count, digits, x->message));
    design_name(q->look, digits, name);
}

static void free_config(void *config)
{
    config_free(config);
}

/* The name in the sweep file that is there. */
static void read_name(struct scope *x, const struct question *q, char name[DESIGN_NAME_SIZE])
{
    struct config *c = NULL;
    scope_check(x, config_read(q->path, NULL, 0, &c, x->message));
    arena_on_free(&x->arena, free_config, c);
    snprintf(name, DESIGN_NAME_SIZE, "%s", c->name);
}

/* Whether the results file has a sweep of that name. *claimed: the fresh seeds that were written
 * down with what it found, as others would be a second try; 0: none were yet. */
static bool find_sweep(struct scope *x, const struct question *q, const char *name, int *claimed)
{
    *claimed = 0;
    if (!q->results)
        return false;
    struct rows r = rows_open(q->results, x->message,
                              "SELECT (SELECT what ->> '$.confirm.seeds' FROM confirmations AS c"
                              "  WHERE c.sweep_id = s.sweep_id AND c.claim IS NOT NULL LIMIT 1)"
                              " FROM sweep AS s WHERE name = ?1",
                              VALUES(TEXT(name)));
    bool there = rows_next(&r);
    if (there)
        *claimed = (int)rows_integer(&r, 0);
    scope_check(x, rows_close(&r));
    return there;
}

static void check_measured(struct scope *x, const struct fit *f)
{
    const struct estimate *e = f->context;
    if (e->status != STATUS_OK)
        scope_fail(x, e->status, "%s", e->message.text);
}

static void begin(struct scope *x, const struct question *q, const struct design *d,
                  enum ask_action action, struct decision *k)
{
    int claimed;
    k->action = action;
    k->design = *d;
    name_sweep(x, q, d, k->name);
    k->begun = find_sweep(x, q, k->name, &claimed);
    if (claimed)
        k->design.confirm = claimed;
}

/* Whether d trains otherwise than the file that is there: all that would do so may be set. */
static bool trains_otherwise(struct scope *x, const struct question *q, const struct design *was,
                             const struct design *d)
{
    char before[DESIGN_NAME_SIZE], now[DESIGN_NAME_SIZE];
    name_sweep(x, q, was, before);
    name_sweep(x, q, d, now);
    return strcmp(before, now) != 0;
}

/* What the minutes make of the sweep file that is there. */
static void go_on(struct scope *x, const struct question *q, const struct fit *f,
                  struct decision *k)
{
    struct design more;
    int claimed;
    read_name(x, q, k->name);
    k->begun = find_sweep(x, q, k->name, &claimed);
    if (q->minutes <= k->design.minutes)
        return;
    if (fit_larger(f, &k->design, q->minutes, &more) && trains_otherwise(x, q, &k->design, &more)) {
        begin(x, q, &more, ASK_LARGER, k);
    } else if (fit_more_seeds(f, &k->design, claimed, q->minutes, &more)) {
        k->action = ASK_MORE_SEEDS;
        k->design = more;
    }
    check_measured(x, f);
}

static void free_estimate(void *estimate)
{
    estimate_free(estimate);
}

struct decision *ask_decide(struct scope *x, const struct question *q)
{
    struct decision *k = arena_alloc(&x->arena, 1, sizeof *k);
    struct estimate *e = arena_alloc(&x->arena, 1, sizeof *e);
    enum ask_file_state state;
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
    scope_check(x,
                ask_file_read(q->path, q->look, q->sets, q->count, &state, &k->design, x->message));
    if (state == ASK_FILE_CHANGED)
        scope_check(x, ask_file_refuse_changed(q->path, x->message));
    if (state == ASK_FILE_SAME) {
        go_on(x, q, &f, k);
    } else {
        const struct design d = fit_design(&f, q->minutes);
        check_measured(x, &f);
        begin(x, q, &d, state == ASK_FILE_NONE ? ASK_WRITE : ASK_WRITE_AGAIN, k);
    }
    if (k->action != ASK_GO_ON) { /* what cannot run takes no place of a file that can */
        f.seconds(e, &k->design);
        check_measured(x, &f);
    }
    if (e->refused_size > k->design.size)
        k->larger = e->refused;
    return k;
}
