#include "sweep/report/report_shift.h"

#include <string.h>

#include "sweep/report/trained.h"

static void read_sets(struct scope *x, int64_t sweep_id, struct report_shift *shift)
{
    struct text_buffer options = scope_text(x);
    struct rows *rows = scope_rows(
        x,
        "SELECT key, (SELECT group_concat(o.key || '=' || o.value, ', ') FROM json_each(e.value) AS"
        " o), metric = 'val_loss' FROM sweep, json_each(eval) AS e WHERE sweep_id = ?1 ORDER BY "
        "key",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, rows)) {
        char *name = scope_given(x, rows, 0);
        shift->set = arena_grow(&x->arena, shift->set, (size_t)shift->sets, sizeof name);
        shift->set[shift->sets++] = name;
        shift->loss = rows_integer(rows, 2);
        text_add(&options, "%s%s: %s", options.used ? "; " : "", name,
                 rows_null(rows, 1) ? "no option differs" : rows_text(rows, 1));
    }
    shift->options = options.text;
}

static long count_missing(struct scope *x, int64_t sweep_id, int sets)
{
    return (long)scope_ask(
        x,
        "SELECT (SELECT count(*) FROM trial WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0"
        " AND confirms = 0"
        " AND choice = 'chosen' AND state = 'completed' AND checkpoint IS NOT NULL) * ?2"
        " - (SELECT count(*) FROM evaluations AS e JOIN trial USING (trial_id)"
        "     WHERE sweep_id = ?1 AND state = 'completed' AND checkpoint IS NOT NULL)",
        VALUES(INTEGER(sweep_id), INTEGER(sets)));
}

static bool is_newest(const struct report_shift *shift, const char *setting, const char *set,
                      int64_t heads)
{
    if (shift->rows == 0)
        return false;
    const struct report_shift_row *row = &shift->row[shift->rows - 1];
    return row->heads == heads && strcmp(row->set, set) == 0 && strcmp(row->setting, setting) == 0;
}

static void read_rows(struct scope *x, int64_t sweep_id, struct report_shift *shift)
{
    enum { SETTING, SET, HEADS, UNIT, VALUE, LESS };
    struct rows *rows = scope_rows(
        x,
        TRAINED_JUDGED
        ", measured AS ("
        "  SELECT setting, '' AS name, heads, unit, train_acc AS x, train_acc - test_acc AS less"
        "    FROM judged WHERE NOT ?2"
        "  UNION ALL"
        "  SELECT j.setting, e.name, j.heads, unit, iif(?2, e.loss, e.acc),"
        "         iif(?2, e.loss - j.test_loss, e.acc - j.test_acc)"
        "    FROM judged AS j JOIN evaluations AS e USING (trial_id))"
        " SELECT setting, name, heads, unit, avg(x), avg(less) FROM measured WHERE x IS NOT NULL"
        "  GROUP BY setting, name, heads, unit ORDER BY setting, name, heads, unit",
        VALUES(INTEGER(sweep_id), INTEGER(shift->loss)));
    while (scope_next(x, rows)) {
        const char *setting = rows_given(rows, SETTING), *set = rows_given(rows, SET);
        int64_t heads = rows_integer(rows, HEADS), unit = rows_integer(rows, UNIT);
        if (!is_newest(shift, setting, set, heads)) {
            shift->row = arena_grow(&x->arena, shift->row, (size_t)shift->rows, sizeof *shift->row);
            shift->row[shift->rows++] =
                (struct report_shift_row){.setting = arena_string(&x->arena, setting),
                                          .set = arena_string(&x->arena, set),
                                          .heads = heads};
        }
        struct report_shift_row *row = &shift->row[shift->rows - 1];
        sample_add(x, &row->value, unit, rows_real(rows, VALUE));
        sample_add(x, &row->less, unit, rows_real(rows, LESS));
    }
    for (int i = 0; i < shift->rows; i++) {
        sample_finish(x, &shift->row[i].value, shift->loss ? STATS_LOSS : STATS_ACCURACY);
        sample_finish(x, &shift->row[i].less, STATS_ANY);
    }
}

struct report_shift *report_shift_read(struct scope *x, int64_t sweep_id)
{
    struct report_shift *shift = arena_alloc(&x->arena, 1, sizeof *shift);
    shift->scope = x;
    read_sets(x, sweep_id, shift);
    if (shift->sets == 0)
        return NULL;
    shift->missing = count_missing(x, sweep_id, shift->sets);
    read_rows(x, sweep_id, shift);
    return shift;
}
