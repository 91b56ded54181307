#include "sweep/report/report.h"

#include "sweep/report/report_compare.h"
#include "sweep/report/report_parts.h"

static enum status write_people(const struct report_data *r, const struct report_map *map,
                                bool markdown, struct text_page page, FILE *out, struct message *m)
{
    struct document d = document_new(out, markdown, page);
    enum status status = report_people(r, map, &d, m);
    enum status ended = document_end(&d, m);
    return status == STATUS_OK ? ended : status;
}

enum status report_write_data(const struct report_data *r, enum report_format f,
                              struct text_page page, FILE *out, struct message *m)
{
    if (f == REPORT_CSV)
        return report_csv(r, out, m);
    struct report_map *map;
    enum status status = report_map_new(r, &map, m);
    if (status != STATUS_OK)
        return status;
    status = f == REPORT_JSON ? report_json(r, map, out, m)
                              : write_people(r, map, f == REPORT_MARKDOWN, page, out, m);
    report_map_free(map);
    return status;
}

enum status report_write(struct store *s, int64_t sweep_id, enum report_format f,
                         struct text_page page, FILE *out, struct message *m)
{
    struct report_data *r;
    enum status status = report_data_read(s, sweep_id, f == REPORT_CSV || f == REPORT_JSON, &r, m);
    if (status != STATUS_OK)
        return status;
    status = report_write_data(r, f, page, out, m);
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
