#include "sweep/report/report.h"

#include "sweep/report/report_compare.h"
#include "sweep/report/report_parts.h"

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
