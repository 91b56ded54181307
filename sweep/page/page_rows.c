#include "sweep/page/page_rows.h"

#include <inttypes.h>
#include <math.h>

#include "engine/base/text.h"

void page_cell(const struct rows *r, int i, int digits, FILE *out)
{
    switch (rows_kind(r, i)) {
    case ROWS_INTEGER:
        fprintf(out, "%" PRId64, rows_integer(r, i));
        break;
    case ROWS_REAL:
        if (digits == PAGE_ALL_DIGITS || !isfinite(rows_real(r, i)))
            text_json_real(out, rows_real(r, i));
        else
            fprintf(out, "%.*g", digits, rows_real(r, i));
        break;
    case ROWS_TEXT:
        text_json(out, rows_text(r, i));
        break;
    default:
        fputs("null", out);
    }
}

enum status page_rows(struct rows *r, int digits, FILE *out)
{
    fputs("{\"columns\":[", out);
    for (int i = 0; r->status == STATUS_OK && i < rows_columns(r); i++) {
        fputs(i ? "," : "", out);
        text_json(out, rows_name(r, i));
    }
    fputs("],\"rows\":[", out);
    for (const char *before = "["; rows_next(r); before = ",[") {
        for (int i = 0; i < rows_columns(r); i++) {
            fputs(i ? "," : before, out);
            page_cell(r, i, digits, out);
        }
        fputc(']', out);
    }
    fputs("]}", out);
    return rows_close(r);
}
