#include "sweep/export/export_curves.h"

#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"
#include "sweep/report/table.h"
#include "sweep/worker/stop.h"

static const char TRIALS[] =
    "SELECT trial_id AS trial, heads, setting_label AS setting, seed,"
    "       (SELECT group_concat(substr(key, instr(key, '.') + 1) || '=' || atom, ', ')"
    "          FROM json_each(tuning)) AS tuning, is_tuning, state"
    "  FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 1"
    " ORDER BY trial_id";
static const char CURVE[] = "SELECT step, train_loss, train_acc, val_loss, val_acc, grad_norm, lr, "
                            "elapsed_s, cpu_s FROM curve"
                            " WHERE trial_id = ? ORDER BY step";

struct export
{
    struct rows trials, curve;
    bool plain; /* for a terminal */
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

static enum status put_trials(struct export *e, struct message *m)
{
    enum status status = STATUS_OK;
    put_names(e, &e->trials, "");
    put_names(e, &e->curve, ",");
    putc('\n', e->out);
    while (status == STATUS_OK && !ferror(e->out) && rows_next(&e->trials)) {
        rows_rebind(&e->curve, VALUES(INTEGER(rows_integer(&e->trials, 0))));
        while (rows_next(&e->curve)) {
            put_fields(e, &e->trials, "");
            put_fields(e, &e->curve, ",");
            putc('\n', e->out);
        }
        status = e->curve.status;
        if (status == STATUS_OK)
            status = text_check(e->out, m);
        if (status == STATUS_OK && stop_requests() > 0)
            status = status_fail(m, STATUS_INTERRUPTED, "stopped before the last trial");
    }
    return status == STATUS_OK ? e->trials.status : status;
}

static enum status put_curves(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    struct export e = {.trials = rows_open(s, m, TRIALS, VALUES(INTEGER(sweep_id))),
                       .curve = rows_open(s, m, CURVE, NO_VALUES),
                       .plain = isatty(fileno(out)),
                       .out = out};
    status = put_trials(&e, m);
    rows_close(&e.trials);
    rows_close(&e.curve);
    store_snapshot_end(s);
    return status;
}

enum status export_curves(struct store *s, int64_t sweep_id, const char *path, struct message *m)
{
    struct file_draft draft;
    if (!path)
        return put_curves(s, sweep_id, stdout, m);
    enum status status = file_draft_new(path, &draft, m);
    if (status != STATUS_OK)
        return status;
    status = put_curves(s, sweep_id, draft.out, m);
    if (status == STATUS_OK)
        return file_draft_keep(&draft, m);
    file_draft_drop(&draft);
    return status;
}
