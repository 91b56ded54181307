#include "sweep/export/export_csv.h"

#include <unistd.h>

#include "engine/base/file.h"
#include "sweep/db/scope.h"
#include "sweep/report/table.h"
#include "sweep/worker/stop.h"

/* An option's name without its section, and its value: "lr=0.01". */
#define AXES                                                                                       \
    "(SELECT group_concat(substr(key, instr(key, '.') + 1) || '=' || atom, ', ') FROM json_each("

static const char *const sql[] = {
    /* Along the tables (+sweep_id, CROSS JOIN), so that no row waits to be sorted. */
    [EXPORT_CSV_CURVES] =
        "SELECT trial_id AS trial, heads, setting_label AS setting, seed," AXES "tuning))"
        "  AS tuning, is_tuning, state, step, train_loss, c.train_acc, c.val_loss, c.val_acc,"
        "  grad_norm, c.lr, elapsed_s, c.cpu_s"
        " FROM trial CROSS JOIN config USING (config_id) CROSS JOIN curve AS c USING (trial_id)"
        " WHERE +sweep_id = ?1 AND +in_plan = 1 ORDER BY trial_id, step",
    /* By their values alone, so that the same results are the same bytes. */
    [EXPORT_CSV_TRIALS] =
        "SELECT setting_label AS setting, heads, " AXES "tuning)) AS tuning, " AXES "replicate))"
        "  AS replicate, seed, iif(is_tuning, 'tuning', iif(confirms, 'confirming', 'judged'))"
        "  AS role, state, val_acc, val_loss, test_acc, test_exact, test_loss, best_step, lr,"
        "  t.chance, (SELECT nullif(json_group_array(loss), '[]') FROM (SELECT loss"
        "    FROM block_loss AS b WHERE b.trial_id = t.trial_id ORDER BY block)) AS block_loss"
        " FROM trial AS t JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 1"
        "  AND (is_tuning = 1 OR (choice <> 'eliminated' AND state <> 'not_needed'))"
        " ORDER BY t.setting, heads, is_tuning DESC, confirms, lr, t.tuning, t.replicate, seed",
};

static void write_field(const struct rows *r, int i, bool plain, FILE *out)
{
    switch (rows_kind(r, i)) {
    case ROWS_NULL:
        break;
    case ROWS_INTEGER:
        fprintf(out, "%lld", (long long)rows_integer(r, i));
        break;
    case ROWS_REAL:
        text_json_real(out, rows_real(r, i));
        break;
    case ROWS_TEXT:
        table_csv_field(rows_text(r, i), plain, out);
    }
}

/* The rows of a query as CSV, each written when it is read. */
static void rows_write(struct scope *x, struct rows *r, FILE *out)
{
    const bool plain = isatty(fileno(out));
    for (int i = 0; i < rows_columns(r); i++)
        fprintf(out, "%s%s", i ? "," : "", rows_name(r, i));
    putc('\n', out);
    while (!ferror(out) && scope_next(x, r)) {
        for (int i = 0; i < rows_columns(r); i++) {
            fputs(i ? "," : "", out);
            write_field(r, i, plain, out);
        }
        putc('\n', out);
        if (stop_requests() > 0)
            scope_fail(x, STATUS_INTERRUPTED,
                       "stopped before the last trial; the same command starts over");
    }
}

static enum status put_csv(struct store *s, enum export_csv what, int64_t sweep_id, FILE *out,
                           struct message *m)
{
    struct scope *x = scope_new(s, "the export", m);
    if (scope_enter(x)) {
        rows_write(x, scope_rows(x, sql[what], VALUES(INTEGER(sweep_id))), out);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
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
