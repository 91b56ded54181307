#include "sweep/report/report_shift.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/report/trained.h"

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
    return status == STATUS_OK && options.out_of_memory
               ? status_no_memory(m, "the shifted test sets")
               : status;
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
    enum { SETTING, SET, HEADS, UNIT, VALUE, LESS };
    struct rows rows = rows_open(
        s, m,
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
    bool memory = true;
    while (memory && rows_next(&rows)) {
        const char *setting = rows_given(&rows, SETTING), *set = rows_given(&rows, SET);
        int64_t heads = rows_integer(&rows, HEADS), unit = rows_integer(&rows, UNIT);
        if (!is_newest(shift, setting, set, heads))
            memory = begin_row(shift, setting, set, heads);
        struct report_shift_row *row = memory ? &shift->row[shift->rows - 1] : NULL;
        memory = row && sample_add(&row->value, unit, rows_real(&rows, VALUE)) &&
                 sample_add(&row->less, unit, rows_real(&rows, LESS));
    }
    for (int i = 0; i < shift->rows && memory; i++)
        memory = sample_finish(&shift->row[i].value, shift->loss ? STATS_LOSS : STATS_ACCURACY) &&
                 sample_finish(&shift->row[i].less, STATS_ANY);
    enum status status = rows_close(&rows);
    return status == STATUS_OK && !memory ? status_no_memory(m, "the shifted test sets") : status;
}

enum status report_shift_read(struct store *s, int64_t sweep_id, struct report_shift **out,
                              struct message *m)
{
    struct report_shift *shift = calloc(1, sizeof *shift);
    *out = NULL;
    if (!shift)
        return status_no_memory(m, "the shifted test sets");
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
        sample_free(&shift->row[i].value);
        sample_free(&shift->row[i].less);
    }
    free(shift->set);
    free(shift->options);
    free(shift->row);
    free(shift);
}
