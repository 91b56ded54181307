#include "sweep/report/report.h"

#include "sweep/report/report_parts.h"
#include "sweep/report/rows_table.h"

static enum status write_csv(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    struct table_column *columns;
    enum status status = report_columns(s, &columns, m);
    if (status == STATUS_OK) {
        struct table *t = table_new(columns);
        struct rows rows = rows_open(s, m,
                                     "SELECT * FROM by_heads"
                                     " WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1)",
                                     VALUES(INTEGER(sweep_id)));
        rows_to_table(&rows, t);
        status = rows_close(&rows);
        if (status == STATUS_OK)
            status = table_write(t, TABLE_CSV, false, out, m);
        table_free(t);
    }
    report_columns_free(columns);
    return status;
}

static enum status write_people(const struct report_data *r, bool markdown, struct text_page page,
                                FILE *out, struct message *m)
{
    struct document d = document_new(out, markdown, page);
    enum status status = report_people(r, &d, m);
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
    if (f == REPORT_JSON)
        status = report_json(r, out, m);
    else
        status = write_people(r, f == REPORT_MARKDOWN, page, out, m);
    report_data_free(r);
    return status;
}
