#include "sweep/cli/status_running.h"

#include <math.h>

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

static void add_trial(struct rows *r, struct rows *curve, bool shards, struct table *t)
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

static void write_running(struct scope *x, const char *sql, bool shards, const struct value *values,
                          int count, struct text_page page, FILE *out)
{
    struct table *t = table_when(x, columns, shards ? SHARDED : 0);
    struct rows *r = scope_rows(x, sql, values, count), *curve = scope_rows(x, CURVE, NO_VALUES);
    while (curve->status == STATUS_OK && scope_next(x, r))
        add_trial(r, curve, shards, t);
    scope_close(x, curve);
    if (table_rows(t) == 0)
        return;
    putc('\n', out);
    table_write_page(t, page, out);
}

void status_running(struct scope *x, const char *without, int most, struct text_page page,
                    FILE *out)
{
    write_running(x, OF_FILE, false, VALUES(INTEGER(most), TEXT(without)), page, out);
}

void status_running_shards(struct scope *x, const char *without, int most, struct text_page page,
                           FILE *out)
{
    write_running(x, OF_SHARDS, true, VALUES(INTEGER(most), TEXT(without)), page, out);
}
