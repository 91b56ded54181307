/* A report in every format. */
#include "sweep/report/report.h"

#include <stdlib.h>

#include "sweep/report/report_compare.h"
#include "sweep/report/report_parts.h"

/* ---- as CSV ---- */

static void add_row(const struct report_data *r, unsigned conditions,
                    const struct report_setting *set, long row, struct table *t)
{
    int64_t heads = (int64_t)table_number(r->by_heads, row, "heads");
    table_copy_row(t, r->by_heads, row);
    report_csv_cells(r, conditions, set, row, t);
    report_shift_cells(r->shift, set->setting, heads, t);
    report_labels_cells(r->labels, set->setting, heads, t);
}

static int compare_rows(const void *a, const void *b)
{
    const struct report_setting *x = *(const struct report_setting *const *)a;
    const struct report_setting *y = *(const struct report_setting *const *)b;
    return (x->first_row > y->first_row) - (x->first_row < y->first_row);
}

/* In the order of the view; those of a drawn sweep as its settings stand in reports. */
static void add_rows(const struct report_data *r, unsigned conditions, struct table *t)
{
    const struct report_setting **set =
        arena_alloc(&r->scope->arena, (size_t)r->settings, sizeof(struct report_setting *));
    for (int i = 0; i < r->settings; i++)
        set[i] = &r->setting[i];
    if (!r->evidence->drawn)
        qsort(set, (size_t)r->settings, sizeof(struct report_setting *), compare_rows);
    for (int i = 0; i < r->settings; i++)
        for (long row = 0; row < set[i]->rows; row++)
            add_row(r, conditions, set[i], set[i]->first_row + row, t);
}

static void report_csv(const struct report_data *r, FILE *out)
{
    struct table *t = table_like(r->scope, r->by_heads);
    unsigned conditions = report_csv_columns(r, t);
    report_shift_columns(r->shift, t);
    report_labels_columns(r->labels, t);
    add_rows(r, conditions, t);
    table_write(t, TABLE_CSV, false, out);
}

/* ---- in every format ---- */

void report_write_data(const struct report_data *r, enum report_format f, bool explain,
                       struct text_page page, FILE *out)
{
    if (f == REPORT_CSV) {
        report_csv(r, out);
        return;
    }
    const struct report_map *map = report_map_new(r);
    struct document d = document_new(r->scope, out, f == REPORT_MARKDOWN, page);
    d.explain = explain;
    if (f == REPORT_JSON)
        report_json(r, map, out);
    else
        report_people(r, map, &d);
    scope_check(r->scope, text_check(out, r->scope->message));
}

enum status report_write(struct store *s, int64_t sweep_id, enum report_format f, bool explain,
                         struct text_page page, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "the report", m);
    if (scope_enter(x))
        report_write_data(report_data_read(x, sweep_id, f == REPORT_CSV || f == REPORT_JSON), f,
                          explain, page, out);
    return scope_end(x);
}

static void write_between(struct scope *x, int64_t sweep_id, enum report_format f,
                          struct text_page page, FILE *out)
{
    struct report_data *r = report_data_read(x, sweep_id, false);
    struct document d = document_new(x, out, f == REPORT_MARKDOWN, page);
    struct json_writer w = {.out = out};
    if (f == REPORT_CSV) {
        report_between_csv(r->between, x, out);
    } else if (f == REPORT_JSON) {
        json_begin_object(&w, NULL);
        json_add_text(&w, "sweep", r->name);
        report_between_json(r->between, &w);
        json_end_object(&w);
        fputc('\n', out);
    } else {
        document_title(&d, r->name, r->question);
        report_between_all(r->between, &d);
    }
    scope_check(x, text_check(out, x->message));
}

enum status report_write_between(struct store *s, int64_t sweep_id, enum report_format f,
                                 struct text_page page, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "the comparison of settings", m);
    if (scope_enter(x))
        write_between(x, sweep_id, f, page, out);
    return scope_end(x);
}

enum status report_write_several(struct store *s, const int64_t *sweep_id, int sweeps,
                                 enum report_format f, struct text_page page, FILE *out,
                                 struct message *m)
{
    struct scope *x = scope_new(s, "the comparison", m);
    if (scope_enter(x)) {
        const struct report_compare *c = report_compare_new(x, sweep_id, sweeps, false);
        struct document d = document_new(x, out, f == REPORT_MARKDOWN, page);
        if (f == REPORT_JSON)
            report_compare_json(c, out);
        else if (f == REPORT_CSV)
            report_compare_csv(c, out);
        else
            report_compare_people(c, &d);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}
