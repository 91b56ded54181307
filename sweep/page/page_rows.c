#include "sweep/page/page_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/base/text.h"
#include "sweep/page/page_paths.h"

bool page_text(const char *text, const char *beside, FILE *out)
{
    struct text_buffer names = {0};
    FILE *cut = text_stream(&names);
    bool whole = cut != NULL;
    if (cut) {
        page_names_only(text, beside, cut);
        whole = fclose(cut) == 0 && !names.out_of_memory;
    }
    text_json(out, names.text ? names.text : "");
    free(names.text);
    return whole;
}

void page_cell(struct rows *r, int i, int digits, FILE *out)
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
        if (!page_text(rows_text(r, i), store_folder(r->store), out))
            r->status = status_fail(r->message, STATUS_NO_MEMORY, "no memory for a page");
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
