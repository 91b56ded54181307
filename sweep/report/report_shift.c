#include "sweep/report/report_shift.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/store/rows.h"

static enum status out_of_memory(struct message *m)
{
    return status_fail(m, STATUS_NO_MEMORY, "no memory for the shifted test sets");
}

static enum status read_sets(struct store *s, int64_t sweep_id, struct report_shift *shift,
                             struct message *m)
{
    struct text_buffer options = {0};
    struct rows rows = rows_open(
        s, m,
        "SELECT key, (SELECT group_concat(o.key || '=' || o.value, ', ') FROM json_each(e.value) AS"
        " o), metric = 'val_loss' FROM sweep, json_each(eval) AS e WHERE sweep_id = ?1 ORDER BY "
        "key",
        VALUES(INTEGER(sweep_id)));
    while (rows_next(&rows)) {
        char **grown = array_grow(shift->set, (size_t)shift->sets, sizeof *grown);
        char *name = text_copy(rows_given(&rows, 0));
        if (grown)
            shift->set = grown;
        if (!grown || !name) {
            free(name);
            options.out_of_memory = true;
            break;
        }
        shift->set[shift->sets++] = name;
        shift->loss = rows_integer(&rows, 2);
        text_add(&options, "%s%s: %s", options.used ? "; " : "", name,
                 rows_null(&rows, 1) ? "no option differs" : rows_text(&rows, 1));
    }
    enum status status = rows_close(&rows);
    shift->options = options.text;
    return status == STATUS_OK && options.out_of_memory ? out_of_memory(m) : status;
}

static enum status count_missing(struct store *s, int64_t sweep_id, struct report_shift *shift,
                                 struct message *m)
{
    struct rows rows = rows_open(
        s, m,
        "SELECT (SELECT count(*) FROM trial WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0"
        " AND choice = 'chosen' AND state = 'completed' AND checkpoint IS NOT NULL) * ?2"
        " - (SELECT count(*) FROM evaluations AS e JOIN trial USING (trial_id)"
        "     WHERE sweep_id = ?1 AND state = 'completed' AND checkpoint IS NOT NULL)",
        VALUES(INTEGER(sweep_id), INTEGER(shift->sets)));
    if (rows_next(&rows))
        shift->missing = (long)rows_integer(&rows, 0);
    return rows_close(&rows);
}

/* The units of one row, while they are read. */
struct unit_values {
    size_t n;
    double *value, *less;
};

static bool add_unit(struct unit_values *units, double value, double less)
{
    double *values = array_grow(units->value, units->n, sizeof *values);
    if (values)
        units->value = values;
    double *differences = array_grow(units->less, units->n, sizeof *differences);
    if (differences)
        units->less = differences;
    if (!values || !differences)
        return false;
    units->value[units->n] = value;
    units->less[units->n++] = less;
    return true;
}

/* The newest row's units are all there. The arrays start anew: array_grow goes by the count. */
static void end_row(struct report_shift *shift, struct unit_values *units)
{
    if (shift->rows > 0) {
        struct report_shift_row *row = &shift->row[shift->rows - 1];
        row->value = stats_summarize(units->value, (int)units->n);
        row->less = stats_summarize(units->less, (int)units->n);
    }
    free(units->value);
    free(units->less);
    *units = (struct unit_values){0};
}

static bool begin_row(struct report_shift *shift, const char *setting, const char *set,
                      int64_t heads)
{
    struct report_shift_row *grown = array_grow(shift->row, (size_t)shift->rows, sizeof *grown);
    if (!grown)
        return false;
    shift->row = grown;
    struct report_shift_row *row = &grown[shift->rows++];
    *row = (struct report_shift_row){text_copy(setting), text_copy(set), heads, {0}, {0}};
    return row->setting && row->set;
}

static bool is_newest(const struct report_shift *shift, const char *setting, const char *set,
                      int64_t heads)
{
    if (shift->rows == 0)
        return false;
    const struct report_shift_row *row = &shift->row[shift->rows - 1];
    return row->heads == heads && strcmp(row->set, set) == 0 && strcmp(row->setting, setting) == 0;
}

static enum status read_rows(struct store *s, int64_t sweep_id, struct report_shift *shift,
                             struct message *m)
{
    struct rows rows = rows_open(
        s, m,
        "WITH judged AS ("
        "  SELECT trial_id, setting, heads, iif(replicate = '{}', seed, replicate) AS unit,"
        "         test_acc, test_loss, train_acc FROM trial JOIN config USING (config_id)"
        "   WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND choice = 'chosen'"
        "     AND state = 'completed'),"
        " measured AS ("
        "  SELECT setting, '' AS name, heads, unit, train_acc AS x, train_acc - test_acc AS less"
        "    FROM judged WHERE NOT ?2"
        "  UNION ALL"
        "  SELECT j.setting, e.name, j.heads, unit, iif(?2, e.loss, e.acc),"
        "         iif(?2, e.loss - j.test_loss, e.acc - j.test_acc)"
        "    FROM judged AS j JOIN evaluations AS e USING (trial_id))"
        " SELECT setting, name, heads, avg(x), avg(less) FROM measured WHERE x IS NOT NULL"
        "  GROUP BY setting, name, heads, unit ORDER BY setting, name, heads, unit",
        VALUES(INTEGER(sweep_id), INTEGER(shift->loss)));
    struct unit_values units = {0};
    bool memory = true;
    while (memory && rows_next(&rows)) {
        const char *setting = rows_given(&rows, 0), *set = rows_given(&rows, 1);
        int64_t heads = rows_integer(&rows, 2);
        if (!is_newest(shift, setting, set, heads)) {
            end_row(shift, &units);
            memory = begin_row(shift, setting, set, heads);
        }
        memory = memory && add_unit(&units, rows_real(&rows, 3), rows_real(&rows, 4));
    }
    end_row(shift, &units);
    enum status status = rows_close(&rows);
    return status == STATUS_OK && !memory ? out_of_memory(m) : status;
}

enum status report_shift_read(struct store *s, int64_t sweep_id, struct report_shift **out,
                              struct message *m)
{
    struct report_shift *shift = calloc(1, sizeof *shift);
    *out = NULL;
    if (!shift)
        return out_of_memory(m);
    enum status status = read_sets(s, sweep_id, shift, m);
    if (status == STATUS_OK && shift->sets > 0)
        status = count_missing(s, sweep_id, shift, m);
    if (status == STATUS_OK && shift->sets > 0)
        status = read_rows(s, sweep_id, shift, m);
    if (status != STATUS_OK || shift->sets == 0) {
        report_shift_free(shift);
        return status;
    }
    *out = shift;
    return STATUS_OK;
}

void report_shift_free(struct report_shift *shift)
{
    if (!shift)
        return;
    for (int i = 0; i < shift->sets; i++)
        free(shift->set[i]);
    for (int i = 0; i < shift->rows; i++) {
        free(shift->row[i].setting);
        free(shift->row[i].set);
    }
    free(shift->set);
    free(shift->options);
    free(shift->row);
    free(shift);
}
