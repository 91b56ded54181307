#include "sweep/report/export_results.h"

#include <string.h>

#include "engine/base/text.h"
#include "sweep/store/rows.h"

static const char TRIALS[] =
    "SELECT trial_id, json_quote(s.name), config_sha256, seed, in_plan, setting, tuning, is_tuning,"
    " CASE state WHEN 'running' THEN 'queued' ELSE state END,"
    " state IN ('completed', 'diverged'), config_json, steps_done, best_step, bad_step, train_acc,"
    " val_acc, val_loss, test_acc, test_exact, test_loss, t.chance"
    " FROM trial AS t JOIN sweep AS s USING (sweep_id) JOIN config USING (config_id)"
    " WHERE sweep_id = ?1 OR ?1 = 0 ORDER BY s.name, config_sha256, seed";
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

struct export
{
    struct rows trials, slots, curve;
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

static enum status put_slots(struct export *e, int64_t trial_id)
{
    fputs(",\"test_acc_by_slot\":[", e->out);
    rows_rebind(&e->slots, VALUES(INTEGER(trial_id)));
    for (const char *separator = ""; rows_next(&e->slots); separator = ",") {
        fputs(separator, e->out);
        put_number(e->out, &e->slots, 0);
    }
    putc(']', e->out);
    return e->slots.status;
}

static enum status put_curve(struct export *e, int64_t trial_id)
{
    fputs(",\"curve\":[", e->out);
    rows_rebind(&e->curve, VALUES(INTEGER(trial_id)));
    for (const char *separator = ""; rows_next(&e->curve); separator = ",") {
        fputs(separator, e->out);
        for (int i = 0; i < rows_columns(&e->curve); i++) {
            fprintf(e->out, "%c\"%s\":", i ? ',' : '{', rows_name(&e->curve, i));
            put_number(e->out, &e->curve, i);
        }
        putc('}', e->out);
    }
    putc(']', e->out);
    return e->curve.status;
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
                status = put_slots(e, trial_id);
        }
        if (status == STATUS_OK)
            status = put_curve(e, trial_id);
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
                       .out = out};
    status = put_trials(&e, m);
    rows_close(&e.trials);
    rows_close(&e.slots);
    rows_close(&e.curve);
    store_snapshot_end(s);
    return status;
}
