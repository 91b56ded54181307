#include "sweep/page/page_rows.h"

#include <zlib.h>

#include "sweep/page/base64.h"
#include "sweep/page/page_paths.h"

void page_cell(struct json_writer *w, const char *key, const struct rows *r, int i, int digits,
               struct text_buffer *names)
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
        names->used = 0;
        page_names_only(rows_text(r, i), store_folder(r->store), names);
        json_add_text(w, key, names->text);
        break;
    default:
        json_add_null(w, key);
    }
}

void page_rows(struct scope *x, struct rows *r, int digits, FILE *out)
{
    struct json_writer w = {.out = out};
    struct text_buffer names = scope_text(x);
    json_begin_object(&w, NULL);
    json_begin_list(&w, "columns");
    for (int i = 0; r->status == STATUS_OK && i < rows_columns(r); i++)
        json_add_text(&w, NULL, rows_name(r, i));
    json_end_list(&w);
    json_begin_list(&w, "rows");
    while (scope_next(x, r)) {
        json_begin_list(&w, NULL);
        for (int i = 0; i < rows_columns(r); i++)
            page_cell(&w, NULL, r, i, digits, &names);
        json_end_list(&w);
    }
    json_end_list(&w);
    json_end_object(&w);
}

void page_packed_rows(struct scope *x, struct rows *r, struct json_writer *w, const char *key)
{
    struct text_buffer *json;
    FILE *out = scope_text_stream(x, &json);
    page_rows(x, r, PAGE_ALL_DIGITS, out);
    if (fflush(out) != 0 || json->out_of_memory)
        scope_check(x, status_no_memory(x->message, x->what));
    uLongf size = compressBound(json->used);
    uint8_t *packed = arena_alloc(&x->arena, size, 1);
    if (compress(packed, &size, (const uint8_t *)json->text, json->used) != Z_OK)
        scope_check(x, status_no_memory(x->message, x->what));
    json_add_key(w, key);
    fputc('"', w->out);
    base64_write(packed, size, w->out);
    fputc('"', w->out);
}
