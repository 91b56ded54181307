#include "sweep/report/export_results.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "sweep/store/store_internal.h"

static const char TRIALS[] =
    "SELECT trial_id, json_quote(s.name), config_sha256, seed, in_plan, setting, tuning, is_tuning,"
    " CASE state WHEN 'running' THEN 'queued' ELSE state END,"
    " state IN ('completed', 'diverged'), config_json, steps_done, best_step, bad_step, train_acc,"
    " val_acc, val_loss, test_acc, test_exact, test_loss, t.chance"
    " FROM trial AS t JOIN sweep AS s USING (sweep_id) JOIN config USING (config_id)"
    " WHERE sweep_id = ?1 OR ?1 = 0 ORDER BY s.name, config_sha256, seed";
enum { AT_ENDED = 9, AT_CONFIG, AT_NUMBERS };
static const char *const NUMBERS[] = {"steps_done", "best_step", "bad_step", "train_acc",
                                      "val_acc",    "val_loss",  "test_acc", "test_exact",
                                      "test_loss",  "chance",    NULL};
static const char SLOTS[] =
    "SELECT value FROM trial, json_each(test_acc_by_slot) WHERE trial_id = ? ORDER BY key";
static const char CURVE[] =
    "SELECT step, train_loss, train_acc, val_loss, val_acc, grad_norm, lr FROM curve"
    " WHERE trial_id = ? ORDER BY step";

struct export
{
    struct store *s;
    sqlite3_stmt *trials, *slots, *curve;
    FILE *out;
    struct message *m;
};

static void put_number(FILE *out, sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(row, column));
        break;
    case SQLITE_FLOAT:
        fprintf(out, "%.9g", sqlite3_column_double(row, column));
        break;
    default:
        fputs("null", out);
    }
}

static const char *text(sqlite3_stmt *row, int column)
{
    const char *t = (const char *)sqlite3_column_text(row, column);
    return t ? t : "null";
}

static enum status put_slots(struct export *e, int64_t trial_id)
{
    bool row;
    const char *separator = "";
    fputs(",\"test_acc_by_slot\":[", e->out);
    sqlite3_reset(e->slots);
    enum status status =
        store_step(e->s, "exporting", e->slots, VALUES(INTEGER(trial_id)), &row, e->m);
    while (status == STATUS_OK && row) {
        fputs(separator, e->out);
        put_number(e->out, e->slots, 0);
        separator = ",";
        status = store_step(e->s, "exporting", e->slots, NO_VALUES, &row, e->m);
    }
    putc(']', e->out);
    return status;
}

static enum status put_curve(struct export *e, int64_t trial_id)
{
    bool row;
    const char *separator = "";
    fputs(",\"curve\":[", e->out);
    sqlite3_reset(e->curve);
    enum status status =
        store_step(e->s, "exporting", e->curve, VALUES(INTEGER(trial_id)), &row, e->m);
    while (status == STATUS_OK && row) {
        fputs(separator, e->out);
        for (int i = 0; i < sqlite3_column_count(e->curve); i++) {
            fprintf(e->out, "%c\"%s\":", i ? ',' : '{', sqlite3_column_name(e->curve, i));
            put_number(e->out, e->curve, i);
        }
        putc('}', e->out);
        separator = ",";
        status = store_step(e->s, "exporting", e->curve, NO_VALUES, &row, e->m);
    }
    putc(']', e->out);
    return status;
}

static enum status put_trial(struct export *e)
{
    sqlite3_stmt *t = e->trials;
    int64_t trial_id = sqlite3_column_int64(t, 0);
    enum status status = STATUS_OK;
    fprintf(e->out, "{\"sweep\":%s,\"config_sha256\":\"%s\",\"seed\":%lld,\"in_plan\":%s,",
            text(t, 1), text(t, 2), (long long)sqlite3_column_int64(t, 3),
            sqlite3_column_int(t, 4) ? "true" : "false");
    fprintf(e->out, "\"setting\":%s,\"tuning\":%s,\"is_tuning\":%s,\"state\":\"%s\"", text(t, 5),
            text(t, 6), sqlite3_column_int(t, 7) ? "true" : "false", text(t, 8));
    if (sqlite3_column_int(t, AT_ENDED)) {
        for (int i = 0; NUMBERS[i]; i++) {
            fprintf(e->out, ",\"%s\":", NUMBERS[i]);
            put_number(e->out, t, AT_NUMBERS + i);
            if (status == STATUS_OK && strcmp(NUMBERS[i], "test_acc") == 0)
                status = put_slots(e, trial_id);
        }
        if (status == STATUS_OK)
            status = put_curve(e, trial_id);
    }
    fprintf(e->out, ",\"config\":%s}\n", text(t, AT_CONFIG));
    return status;
}

static enum status put_trials(struct export *e, int64_t sweep_id)
{
    bool row = false;
    int reason = 0;
    enum status status =
        store_step(e->s, "exporting", e->trials, VALUES(INTEGER(sweep_id)), &row, e->m);
    while (status == STATUS_OK && row && !reason) {
        errno = 0;
        status = put_trial(e);
        if (ferror(e->out))
            reason = errno ? errno : EIO;
        if (status == STATUS_OK)
            status = store_step(e->s, "exporting", e->trials, NO_VALUES, &row, e->m);
    }
    if (!reason && fflush(e->out) != 0)
        reason = errno;
    if (status == STATUS_OK && reason)
        return status_fail(e->m, status_of_errno(reason), "writing the export: %s",
                           strerror(reason));
    return status;
}

enum status export_results(struct store *s, const char *sweep, FILE *out, struct message *m)
{
    struct export e = {.s = s, .out = out, .m = m};
    int64_t sweep_id = 0;
    enum status status = sweep ? store_sweep(s, sweep, &sweep_id, m) : STATUS_OK;
    if (status == STATUS_OK) /* all of it from one state of the file */
        status = store_script(s, "reading", "SAVEPOINT export", m);
    if (status != STATUS_OK)
        return status;
    status = store_prepare(s, "exporting", TRIALS, &e.trials, m);
    if (status == STATUS_OK)
        status = store_prepare(s, "exporting", SLOTS, &e.slots, m);
    if (status == STATUS_OK)
        status = store_prepare(s, "exporting", CURVE, &e.curve, m);
    if (status == STATUS_OK)
        status = put_trials(&e, sweep_id);
    sqlite3_finalize(e.trials);
    sqlite3_finalize(e.slots);
    sqlite3_finalize(e.curve);
    sqlite3_exec(s->db, "RELEASE export", NULL, NULL, NULL);
    return status;
}
