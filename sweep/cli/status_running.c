#include "sweep/cli/status_running.h"

#include <math.h>

#include "sweep/db/rows.h"
#include "sweep/report/table.h"

enum { VALUES_MAX = 512, CELLS = 16 };

#define TRIALS(number, shard, more)                                                                \
    "SELECT t.trial_id, s.name, heads, setting_label, seed, c.steps, s.metric = 'val_loss',"       \
    " " number ", " shard " FROM trial AS t JOIN sweep AS s USING (sweep_id)"                      \
    "  JOIN config AS c USING (config_id) " more " WHERE state = 'running' AND in_plan = 1"        \
    "   AND s.name NOT IN (SELECT value FROM json_each(?2)) ORDER BY t.trial_id LIMIT ?1"
static const char OF_FILE[] = TRIALS("t.trial_id", "NULL", "");
static const char OF_SHARDS[] = TRIALS("r.its_id", "iif(r.number, r.number || '/' || r.of, '')",
                                       "LEFT JOIN shard_running AS r USING (trial_id)");
static const char CURVE[] =
    "SELECT * FROM (SELECT step, iif(?2, val_loss, val_acc) FROM curve WHERE trial_id = ?1"
    "                ORDER BY step DESC LIMIT ?3) ORDER BY step";
enum { TRIAL, SWEEP, HEADS, SETTING, SEED, STEPS, LOSS, NUMBER, SHARD };

/* "▁▃▆ acc 0.913", from 0 to 1, or from the smallest to the largest loss; "acc 0.913" where that
 * cannot be shown. */
static void add_curve(struct table *t, const double *x, int n, bool loss)
{
    char line[SPARKLINE_SIZE];
    text_sparkline(x, n, loss ? NAN : 0, loss ? NAN : 1, text_utf8() ? CELLS : 0, line);
    if (n == 0 || !isfinite(x[n - 1]))
        table_text(t, line);
    else
        table_printf(t, "%s%s%s %.3f", line, *line ? " " : "", loss ? "loss" : "acc", x[n - 1]);
}

static enum status add_trial(struct rows *r, struct rows *curve, bool shards, struct table *t)
{
    double x[VALUES_MAX];
    int n = 0;
    int64_t step = 0;
    rows_rebind(curve, VALUES(INTEGER(rows_integer(r, TRIAL)), INTEGER(rows_integer(r, LOSS)),
                              INTEGER(VALUES_MAX)));
    for (; n < VALUES_MAX && rows_next(curve); n++) {
        step = rows_integer(curve, 0);
        x[n] = rows_real(curve, 1);
    }
    table_integer(t, rows_integer(r, NUMBER));
    if (shards)
        table_text(t, rows_text(r, SHARD));
    table_text(t, rows_given(r, SWEEP));
    table_integer(t, rows_integer(r, HEADS));
    table_text(t, rows_given(r, SETTING));
    table_integer(t, rows_integer(r, SEED));
    table_printf(t, "%lld/%lld", (long long)step, (long long)rows_integer(r, STEPS));
    add_curve(t, x, n, rows_integer(r, LOSS));
    return curve->status;
}

enum { SHARDED = 1 };
static const struct table_column columns[] = {{.title = "running", .right = true},
                                              {.title = "of shard", .when = SHARDED},
                                              {.title = "sweep", .leave_out = 1},
                                              {.title = "heads", .right = true},
                                              {.title = "setting", .leave_out = 2},
                                              {.title = "seed", .right = true, .leave_out = 3},
                                              {.title = "step", .right = true},
                                              {.title = "validation so far"},
                                              {0}};

static enum status write_running(struct store *s, const char *sql, bool shards,
                                 const struct value values[2], struct text_page page, FILE *out,
                                 struct message *m)
{
    struct table *t = table_when(columns, shards ? SHARDED : 0);
    struct rows r = rows_open(s, m, sql, values, 2);
    struct rows curve = rows_open(s, m, CURVE, NO_VALUES);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = add_trial(&r, &curve, shards, t);
    if (status == STATUS_OK)
        status = r.status;
    if (status == STATUS_OK && !table_is_empty(t)) {
        putc('\n', out);
        status = table_write_page(t, page, out, m);
    }
    rows_close(&curve);
    rows_close(&r);
    table_free(t);
    return status;
}

enum status status_running(struct store *s, const char *without, int most, struct text_page page,
                           FILE *out, struct message *m)
{
    const struct value values[] = {INTEGER(most), TEXT(without)};
    return write_running(s, OF_FILE, false, values, page, out, m);
}

enum status status_running_shards(struct store *sum, const char *without, int most,
                                  struct text_page page, FILE *out, struct message *m)
{
    const struct value values[] = {INTEGER(most), TEXT(without)};
    return write_running(sum, OF_SHARDS, true, values, page, out, m);
}
