#include "sweep/export/export_csv.h"

#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"
#include "sweep/report/table.h"
#include "sweep/worker/stop.h"

/* An option's name without its section, and its value: "lr=0.01". */
#define AXES(column)                                                                               \
    "(SELECT group_concat(substr(key, instr(key, '.') + 1) || '=' || atom, ', ')"                  \
    "   FROM json_each(" column "))"

static const char OF_CURVES[] =
    "SELECT trial_id AS trial, heads, setting_label AS setting, seed," AXES(
        "tuning") " AS tuning,"
                  " is_tuning, state FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 "
                  "AND in_plan = 1"
                  " ORDER BY trial_id";
static const char CURVE[] = "SELECT step, train_loss, train_acc, val_loss, val_acc, grad_norm, lr, "
                            "elapsed_s, cpu_s FROM curve"
                            " WHERE trial_id = ? ORDER BY step";
/* By their values alone, so that the same results are the same bytes. */
static const char OF_TRIALS[] = "SELECT setting_label AS setting, heads, " AXES(
    "tuning") " AS tuning,"
              " " AXES(
                  "replicate") " AS replicate, seed, iif(is_tuning, 'tuning',"
                               "  iif(confirms, 'confirming', 'judged')) AS role,"
                               " state, val_acc, val_loss, test_acc, test_exact, test_loss, "
                               "best_step, lr, t.chance,"
                               " (SELECT nullif(json_group_array(loss), '[]') FROM (SELECT loss "
                               "FROM block_loss AS b"
                               "   WHERE b.trial_id = t.trial_id ORDER BY block)) AS block_loss"
                               " FROM trial AS t JOIN config USING (config_id) WHERE sweep_id = ?1 "
                               "AND in_plan = 1"
                               " AND (is_tuning = 1 OR (choice <> 'eliminated' AND state <> "
                               "'not_needed'))"
                               " ORDER BY t.setting, heads, is_tuning DESC, confirms, lr, "
                               "t.tuning, "
                               "t.replicate, seed";

struct export
{
    struct rows trials, curve; /* curve: where each trial has a line per evaluation */
    bool curves, plain;        /* plain: for a terminal */
    FILE *out;
};

static void put_names(struct export *e, const struct rows *r, const char *separator)
{
    for (int i = 0; i < rows_columns(r); i++, separator = ",")
        fprintf(e->out, "%s%s", separator, rows_name(r, i));
}

static void put_fields(struct export *e, const struct rows *r, const char *separator)
{
    for (int i = 0; i < rows_columns(r); i++, separator = ",") {
        fputs(separator, e->out);
        switch (rows_kind(r, i)) {
        case ROWS_NULL:
            break;
        case ROWS_INTEGER:
            fprintf(e->out, "%lld", (long long)rows_integer(r, i));
            break;
        case ROWS_REAL:
            text_json_real(e->out, rows_real(r, i));
            break;
        case ROWS_TEXT:
            table_csv_field(rows_text(r, i), e->plain, e->out);
        }
    }
}

/* The lines of a trial. */
static enum status put_trial(struct export *e)
{
    if (!e->curves) {
        put_fields(e, &e->trials, "");
        putc('\n', e->out);
        return STATUS_OK;
    }
    rows_rebind(&e->curve, VALUES(INTEGER(rows_integer(&e->trials, 0))));
    while (rows_next(&e->curve)) {
        put_fields(e, &e->trials, "");
        put_fields(e, &e->curve, ",");
        putc('\n', e->out);
    }
    return e->curve.status;
}

static enum status put_trials(struct export *e, struct message *m)
{
    enum status status = STATUS_OK;
    put_names(e, &e->trials, "");
    if (e->curves)
        put_names(e, &e->curve, ",");
    putc('\n', e->out);
    while (status == STATUS_OK && !ferror(e->out) && rows_next(&e->trials)) {
        status = put_trial(e);
        if (status == STATUS_OK)
            status = text_check(e->out, m);
        if (status == STATUS_OK && stop_requests() > 0)
            status = status_fail(m, STATUS_INTERRUPTED,
                                 "stopped before the last trial; the same command starts over");
    }
    return status == STATUS_OK ? e->trials.status : status;
}

static enum status put_csv(struct store *s, enum export_csv what, int64_t sweep_id, FILE *out,
                           struct message *m)
{
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    bool curves = what == EXPORT_CSV_CURVES;
    struct export e = {
        .trials = rows_open(s, m, curves ? OF_CURVES : OF_TRIALS, VALUES(INTEGER(sweep_id))),
        .curve = rows_open(s, m, CURVE, NO_VALUES),
        .curves = curves,
        .plain = isatty(fileno(out)),
        .out = out};
    status = put_trials(&e, m);
    rows_close(&e.trials);
    rows_close(&e.curve);
    store_snapshot_end(s);
    return status;
}

enum status export_csv(struct store *s, enum export_csv what, int64_t sweep_id, const char *path,
                       struct message *m)
{
    struct file_draft draft;
    if (!path)
        return put_csv(s, what, sweep_id, stdout, m);
    enum status status = file_draft_new(path, &draft, m);
    if (status != STATUS_OK)
        return status;
    status = put_csv(s, what, sweep_id, draft.out, m);
    if (status == STATUS_OK)
        return file_draft_keep(&draft, m);
    file_draft_drop(&draft);
    return status;
}
