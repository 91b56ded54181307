#include "sweep/export/export_results.h"

#include <string.h>

#include "engine/base/json_write.h"
#include "sweep/db/rows.h"

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
    struct rows trials, slots, curve, blocks, labels;
    FILE *out;
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

/* A trial's rows as a further member; `always`: also where there are none. */
static enum status put_list(struct json_writer *w, const char *key, struct rows *r,
                            int64_t trial_id, bool always)
{
    rows_rebind(r, VALUES(INTEGER(trial_id)));
    bool row = rows_next(r);
    if (!row && !always)
        return r->status;
    json_begin_list(w, key);
    for (; row; row = rows_next(r))
        put_row(w, r);
    json_end_list(w);
    return r->status;
}

/* Lists that no trial over toys has are left out of their exports, which keep their bytes. */
static enum status put_parts(struct export *e, struct json_writer *w, int64_t trial_id)
{
    enum status status = put_list(w, "curve", &e->curve, trial_id, true);
    if (status == STATUS_OK)
        status = put_list(w, "block_loss", &e->blocks, trial_id, false);
    if (status == STATUS_OK)
        status = put_list(w, "label_acc", &e->labels, trial_id, false);
    return status;
}

static enum status put_trial(struct export *e)
{
    const struct rows *t = &e->trials;
    struct json_writer w = {.out = e->out};
    int64_t trial_id = rows_integer(t, TRIAL_ID);
    enum status status = STATUS_OK;
    json_begin_object(&w, NULL);
    json_add_text(&w, "sweep", rows_text(t, SWEEP));
    json_add_text(&w, "config_sha256", rows_text(t, CONFIG_SHA256));
    json_add_integer(&w, "seed", rows_integer(t, SEED));
    json_add_bool(&w, "in_plan", rows_integer(t, IN_PLAN));
    json_add_json(&w, "setting", rows_text(t, SETTING));
    json_add_json(&w, "tuning", rows_text(t, TUNING));
    json_add_bool(&w, "is_tuning", rows_integer(t, IS_TUNING));
    if (rows_integer(t, CONFIRMS))
        json_add_bool(&w, "confirms", true);
    json_add_text(&w, "state", rows_text(t, STATE));
    if (rows_integer(t, HAS_RESULT)) {
        for (int i = 0; number_names[i]; i++) {
            put_number(&w, number_names[i], t, NUMBERS + i);
            if (status == STATUS_OK && strcmp(number_names[i], "test_acc") == 0)
                status = put_list(&w, "test_acc_by_slot", &e->slots, trial_id, true);
        }
        if (status == STATUS_OK)
            status = put_parts(e, &w, trial_id);
    }
    json_add_json(&w, "config", rows_text(t, CONFIG));
    json_end_object(&w);
    fputc('\n', e->out);
    return status;
}

static enum status put_trials(struct export *e, struct message *m)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !ferror(e->out) && rows_next(&e->trials))
        status = put_trial(e);
    if (status == STATUS_OK)
        status = e->trials.status;
    return status == STATUS_OK ? text_check(e->out, m) : status;
}

enum status export_results(struct store *s, const char *sweep, FILE *out, struct message *m)
{
    int64_t sweep_id = 0; /* 0: all */
    enum status status = sweep ? store_sweep(s, sweep, &sweep_id, m) : STATUS_OK;
    if (status == STATUS_OK)
        status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    struct export e = {.trials = rows_open(s, m, TRIALS, VALUES(INTEGER(sweep_id))),
                       .slots = rows_open(s, m, SLOTS, NO_VALUES),
                       .curve = rows_open(s, m, CURVE, NO_VALUES),
                       .blocks = rows_open(s, m, BLOCKS, NO_VALUES),
                       .labels = rows_open(s, m, LABELS, NO_VALUES),
                       .out = out};
    status = put_trials(&e, m);
    rows_close(&e.trials);
    rows_close(&e.slots);
    rows_close(&e.curve);
    rows_close(&e.blocks);
    rows_close(&e.labels);
    store_snapshot_end(s);
    return status;
}
