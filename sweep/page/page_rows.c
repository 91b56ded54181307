#include "sweep/page/page_rows.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sweep/page/page_paths.h"

bool page_text(struct json_writer *w, const char *key, const char *text, const char *beside)
{
    struct text_buffer names = {0};
    FILE *cut = text_stream(&names);
    bool whole = cut != NULL;
    if (cut) {
        page_names_only(text, beside, cut);
        whole = fclose(cut) == 0 && !names.out_of_memory;
    }
    json_add_text(w, key, names.text ? names.text : "");
    free(names.text);
    return whole;
}

void page_cell(struct json_writer *w, const char *key, struct rows *r, int i, int digits)
{
    switch (rows_kind(r, i)) {
    case ROWS_INTEGER:
        json_add_integer(w, key, rows_integer(r, i));
        break;
    case ROWS_REAL:
        if (digits == PAGE_ALL_DIGITS)
            json_add_real(w, key, rows_real(r, i));
        else
            json_add_digits(w, key, rows_real(r, i), digits);
        break;
    case ROWS_TEXT:
        if (!page_text(w, key, rows_text(r, i), store_folder(r->store)))
            r->status = status_no_memory(r->message, "a page");
        break;
    default:
        json_add_null(w, key);
    }
}

enum status page_rows(struct rows *r, int digits, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_begin_list(&w, "columns");
    for (int i = 0; r->status == STATUS_OK && i < rows_columns(r); i++)
        json_add_text(&w, NULL, rows_name(r, i));
    json_end_list(&w);
    json_begin_list(&w, "rows");
    while (rows_next(r)) {
        json_begin_list(&w, NULL);
        for (int i = 0; i < rows_columns(r); i++)
            page_cell(&w, NULL, r, i, digits);
        json_end_list(&w);
    }
    json_end_list(&w);
    json_end_object(&w);
    return rows_close(r);
}
