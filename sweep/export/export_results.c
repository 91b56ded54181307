#include "sweep/export/export_results.h"

#include <string.h>

#include "engine/base/json_write.h"
#include "sweep/db/scope.h"

/* CROSS JOIN keeps this order of loops: each table is read by the index of a unique key, so that
 * the rows come in the order that is asked for and none waits to be sorted. */
static const char TRIALS[] =
    "SELECT trial_id, s.name, config_sha256, seed, in_plan, setting, tuning, is_tuning, confirms,"
    " CASE state WHEN 'running' THEN 'queued' ELSE state END,"
    " state IN ('completed', 'diverged'), config_json, steps_done, best_step, bad_step, train_acc,"
    " val_acc, val_loss, test_acc, test_exact, test_loss, t.chance"
    " FROM sweep AS s CROSS JOIN config AS c CROSS JOIN trial AS t"
    " ON t.sweep_id = s.sweep_id AND t.config_id = c.config_id"
    " WHERE ?1 IN (0, s.sweep_id) ORDER BY s.name, config_sha256, seed";
enum {
    TRIAL_ID,
    SWEEP,
    CONFIG_SHA256,
    SEED,
    IN_PLAN,
    SETTING,
    TUNING,
    IS_TUNING,
    CONFIRMS,
    STATE,
    HAS_RESULT,
    CONFIG,
    NUMBERS /* the first of them */
};
static const char *const number_names[] = {"steps_done", "best_step", "bad_step", "train_acc",
                                           "val_acc",    "val_loss",  "test_acc", "test_exact",
                                           "test_loss",  "chance",    NULL};
static const char SLOTS[] =
    "SELECT value FROM trial, json_each(test_acc_by_slot) WHERE trial_id = ? ORDER BY key";
static const char CURVE[] =
    "SELECT step, train_loss, train_acc, val_loss, val_acc, grad_norm, lr FROM curve"
    " WHERE trial_id = ? ORDER BY step";
static const char BLOCKS[] = "SELECT loss FROM block_loss WHERE trial_id = ? ORDER BY block";
static const char LABELS[] =
    "SELECT label, n, acc FROM label_acc WHERE trial_id = ? ORDER BY label";

struct export
{
    struct scope *scope;
    struct rows *trials, *slots, *curve, *blocks, *labels;
    struct json_writer w; /* of a line */
};

static void put_number(struct json_writer *w, const char *key, const struct rows *r, int column)
{
    if (rows_kind(r, column) == ROWS_INTEGER)
        json_add_integer(w, key, rows_integer(r, column));
    else if (rows_kind(r, column) == ROWS_REAL)
        json_add_digits(w, key, rows_real(r, column), 9);
    else
        json_add_null(w, key);
}

/* A row of one column as its number, others as an object. */
static void put_row(struct json_writer *w, const struct rows *r)
{
    int columns = rows_columns(r);
    if (columns == 1) {
        put_number(w, NULL, r, 0);
        return;
    }
    json_begin_object(w, NULL);
    for (int i = 0; i < columns; i++)
        if (rows_kind(r, i) == ROWS_TEXT)
            json_add_text(w, rows_name(r, i), rows_text(r, i));
        else
            put_number(w, rows_name(r, i), r, i);
    json_end_object(w);
}

/* The present trial's rows as a further member; `always`: also where there are none. */
static void put_list(struct export *e, const char *key, struct rows *r, bool always)
{
    rows_rebind(r, VALUES(INTEGER(rows_integer(e->trials, TRIAL_ID))));
    bool row = rows_next(r);
    if (row || always) {
        json_begin_list(&e->w, key);
        for (; row; row = rows_next(r))
            put_row(&e->w, r);
        json_end_list(&e->w);
    }
    scope_check(e->scope, r->status);
}

static void put_result(struct export *e)
{
    for (int i = 0; number_names[i]; i++) {
        put_number(&e->w, number_names[i], e->trials, NUMBERS + i);
        if (strcmp(number_names[i], "test_acc") == 0)
            put_list(e, "test_acc_by_slot", e->slots, true);
    }
    put_list(e, "curve", e->curve, true);
    /* Lists that no trial over toys has are left out of their exports, which keep their bytes. */
    put_list(e, "block_loss", e->blocks, false);
    put_list(e, "label_acc", e->labels, false);
}

static void put_trial(struct export *e)
{
    const struct rows *t = e->trials;
    struct json_writer *w = &e->w;
    json_begin_object(w, NULL);
    json_add_text(w, "sweep", rows_text(t, SWEEP));
    json_add_text(w, "config_sha256", rows_text(t, CONFIG_SHA256));
    json_add_integer(w, "seed", rows_integer(t, SEED));
    json_add_bool(w, "in_plan", rows_integer(t, IN_PLAN));
    json_add_json(w, "setting", rows_text(t, SETTING));
    json_add_json(w, "tuning", rows_text(t, TUNING));
    json_add_bool(w, "is_tuning", rows_integer(t, IS_TUNING));
    if (rows_integer(t, CONFIRMS))
        json_add_bool(w, "confirms", true);
    json_add_text(w, "state", rows_text(t, STATE));
    if (rows_integer(t, HAS_RESULT))
        put_result(e);
    json_add_json(w, "config", rows_text(t, CONFIG));
    json_end_object(w);
    fputc('\n', w->out);
}

static void put_trials(struct scope *x, int64_t sweep_id, FILE *out)
{
    struct export e = {.scope = x,
                       .trials = scope_rows(x, TRIALS, VALUES(INTEGER(sweep_id))),
                       .slots = scope_rows(x, SLOTS, NO_VALUES),
                       .curve = scope_rows(x, CURVE, NO_VALUES),
                       .blocks = scope_rows(x, BLOCKS, NO_VALUES),
                       .labels = scope_rows(x, LABELS, NO_VALUES)};
    while (!ferror(out) && scope_next(x, e.trials)) {
        e.w = (struct json_writer){.out = out};
        put_trial(&e);
    }
}

enum status export_results(struct store *s, const char *sweep, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "the export", m);
    if (scope_enter(x)) {
        int64_t sweep_id = 0; /* 0: all */
        if (sweep)
            scope_check(x, store_sweep(s, sweep, &sweep_id, m));
        scope_read_begin(x);
        put_trials(x, sweep_id, out);
        scope_read_end(x);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}
