#include "sweep/export/export_results.h"

#include <string.h>

#include "engine/base/text.h"
#include "sweep/db/rows.h"

/* CROSS JOIN keeps this order of loops: each table is read by the index of a unique key, so that
 * the rows come in the order that is asked for and none waits to be sorted. */
static const char TRIALS[] =
    "SELECT trial_id, json_quote(s.name), config_sha256, seed, in_plan, setting, tuning, is_tuning,"
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

static void put_number(FILE *out, const struct rows *r, int column)
{
    switch (rows_kind(r, column)) {
    case ROWS_INTEGER:
        fprintf(out, "%lld", (long long)rows_integer(r, column));
        break;
    case ROWS_REAL:
        fprintf(out, "%.9g", rows_real(r, column));
        break;
    case ROWS_NULL:
    case ROWS_TEXT:
        fputs("null", out);
    }
}

static const char *text(const struct rows *r, int column)
{
    const char *t = rows_text(r, column);
    return t ? t : "null";
}

static const char *boolean(const struct rows *r, int column)
{
    return rows_integer(r, column) ? "true" : "false";
}

/* A row of one column as its number, others as an object. */
static void put_row(FILE *out, const struct rows *r)
{
    int columns = rows_columns(r);
    if (columns == 1) {
        put_number(out, r, 0);
        return;
    }
    for (int i = 0; i < columns; i++) {
        fprintf(out, "%c\"%s\":", i ? ',' : '{', rows_name(r, i));
        if (rows_kind(r, i) == ROWS_TEXT)
            text_json(out, rows_text(r, i));
        else
            put_number(out, r, i);
    }
    putc('}', out);
}

/* A trial's rows as a further member; `always`: also where there are none. */
static enum status put_list(FILE *out, const char *key, struct rows *r, int64_t trial_id,
                            bool always)
{
    rows_rebind(r, VALUES(INTEGER(trial_id)));
    bool row = rows_next(r);
    if (!row && !always)
        return r->status;
    fprintf(out, ",\"%s\":[", key);
    for (const char *separator = ""; row; row = rows_next(r), separator = ",") {
        fputs(separator, out);
        put_row(out, r);
    }
    putc(']', out);
    return r->status;
}

/* Lists that no trial over toys has are left out of their exports, which keep their bytes. */
static enum status put_parts(struct export *e, int64_t trial_id)
{
    enum status status = put_list(e->out, "curve", &e->curve, trial_id, true);
    if (status == STATUS_OK)
        status = put_list(e->out, "block_loss", &e->blocks, trial_id, false);
    if (status == STATUS_OK)
        status = put_list(e->out, "label_acc", &e->labels, trial_id, false);
    return status;
}

static void put_json(FILE *out, const char *key, const char *json)
{
    fputs(key, out);
    text_json_as_is(out, json);
}

static enum status put_trial(struct export *e)
{
    const struct rows *t = &e->trials;
    int64_t trial_id = rows_integer(t, TRIAL_ID);
    enum status status = STATUS_OK;
    put_json(e->out, "{\"sweep\":", text(t, SWEEP));
    fputs(",\"config_sha256\":", e->out);
    text_json(e->out, text(t, CONFIG_SHA256));
    fprintf(e->out, ",\"seed\":%lld,\"in_plan\":%s", (long long)rows_integer(t, SEED),
            boolean(t, IN_PLAN));
    put_json(e->out, ",\"setting\":", text(t, SETTING));
    put_json(e->out, ",\"tuning\":", text(t, TUNING));
    fprintf(e->out, ",\"is_tuning\":%s,\"state\":", boolean(t, IS_TUNING));
    text_json(e->out, text(t, STATE));
    if (rows_integer(t, HAS_RESULT)) {
        for (int i = 0; number_names[i]; i++) {
            fprintf(e->out, ",\"%s\":", number_names[i]);
            put_number(e->out, t, NUMBERS + i);
            if (status == STATUS_OK && strcmp(number_names[i], "test_acc") == 0)
                status = put_list(e->out, "test_acc_by_slot", &e->slots, trial_id, true);
        }
        if (status == STATUS_OK)
            status = put_parts(e, trial_id);
    }
    put_json(e->out, ",\"config\":", text(t, CONFIG));
    fputs("}\n", e->out);
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
