#include "sweep/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_compare.h"
#include "sweep/report/report_parts.h"
#include "sweep/report/rows_table.h"

/* The columns of by_heads, then those of the shifted test sets; the names of the latter are all in
 * *names, malloced. */
static struct table_column *all_columns(const struct table_column *by_heads,
                                        const struct report_shift *shift, char **names)
{
    enum { NAME = 96 };
    int n = 0, sets = shift ? shift->sets + 1 : 0;
    while (by_heads[n].name)
        n++;
    size_t more = (size_t)sets * REPORT_SHIFT_COLUMNS;
    struct table_column *all = calloc((size_t)n + more + 1, sizeof *all);
    char *name = *names = malloc(more * NAME + 1);
    if (!all || !name)
        return all;
    memcpy(all, by_heads, (size_t)n * sizeof *all);
    for (int i = 0; i < sets; i++)
        for (int k = 0; k < REPORT_SHIFT_COLUMNS; k++, name += NAME) {
            snprintf(name, NAME, "%s%s%s", i ? "eval_" : "training", i ? shift->set[i - 1] : "",
                     report_shift_columns[k]);
            all[n++].name = name;
        }
    return all;
}

static enum status write_rows(struct store *s, int64_t sweep_id, const struct report_shift *shift,
                              const struct table_column *columns, FILE *out, struct message *m)
{
    struct table *t = table_new(columns);
    struct rows rows = rows_open(s, m,
                                 "SELECT *, setting, heads FROM by_heads"
                                 " WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1)",
                                 VALUES(INTEGER(sweep_id)));
    while (rows_next(&rows)) {
        int n = rows_columns(&rows) - 2;
        for (int i = 0; i < n; i++)
            rows_cell(&rows, i, t);
        for (int i = 0; shift && i <= shift->sets; i++)
            report_shift_cells(shift, rows_given(&rows, n), i ? shift->set[i - 1] : "",
                               rows_integer(&rows, n + 1), t);
    }
    enum status status = rows_close(&rows);
    if (status == STATUS_OK)
        status = table_write(t, TABLE_CSV, false, out, m);
    table_free(t);
    return status;
}

static enum status write_csv(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    struct table_column *by_heads = NULL, *all = NULL;
    struct report_shift *shift = NULL;
    char *names = NULL;
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    status = report_columns(s, &by_heads, m);
    if (status == STATUS_OK)
        status = report_shift_read(s, sweep_id, &shift, m);
    if (status == STATUS_OK) {
        all = all_columns(by_heads, shift, &names);
        status = all && names ? write_rows(s, sweep_id, shift, all, out, m)
                              : status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    }
    store_snapshot_end(s);
    free(all);
    free(names);
    report_shift_free(shift);
    report_columns_free(by_heads);
    return status;
}

static enum status write_people(const struct report_data *r, const struct report_map *map,
                                bool markdown, struct text_page page, FILE *out, struct message *m)
{
    struct document d = document_new(out, markdown, page);
    enum status status = report_people(r, map, &d, m);
    enum status ended = document_end(&d, m);
    return status == STATUS_OK ? ended : status;
}

enum status report_write(struct store *s, int64_t sweep_id, enum report_format f,
                         struct text_page page, FILE *out, struct message *m)
{
    if (f == REPORT_CSV)
        return write_csv(s, sweep_id, out, m);
    struct report_data *r;
    enum status status = report_data_read(s, sweep_id, f == REPORT_JSON, &r, m);
    if (status != STATUS_OK)
        return status;
    struct report_map *map;
    status = report_map_new(r, &map, m);
    if (status == STATUS_OK) {
        status = f == REPORT_JSON ? report_json(r, map, out, m)
                                  : write_people(r, map, f == REPORT_MARKDOWN, page, out, m);
        report_map_free(map);
    }
    report_data_free(r);
    return status;
}

enum status report_write_several(struct store *s, const int64_t *sweep_id, int sweeps,
                                 enum report_format f, struct text_page page, FILE *out,
                                 struct message *m)
{
    struct report_compare *c;
    enum status status = report_compare_new(s, sweep_id, sweeps, &c, m);
    if (status != STATUS_OK)
        return status;
    if (f == REPORT_JSON) {
        status = report_compare_json(c, out, m);
    } else if (f == REPORT_CSV) {
        status = report_compare_csv(c, out, m);
    } else {
        struct document d = document_new(out, f == REPORT_MARKDOWN, page);
        status = report_compare_people(c, &d, m);
        enum status ended = document_end(&d, m);
        status = status == STATUS_OK ? ended : status;
    }
    report_compare_free(c);
    return status;
}
