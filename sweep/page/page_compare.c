/* The piece that is about several sweeps side by side. */
#include "sweep/page/page_parts.h"

#include "sweep/page/page_paths.h"

/* What put(c) writes, with names for paths. */
static void put_named(const struct report_compare *c,
                      void (*put)(const struct report_compare *c, FILE *out), FILE *out)
{
    struct text_buffer *text, names = scope_text(c->scope);
    FILE *stream = scope_text_stream(c->scope, &text);
    put(c, stream);
    fflush(stream);
    page_names_only(text->text, store_folder(c->scope->store), &names);
    fwrite(names.text, 1, names.used, out);
}

static void put_words(const struct report_compare *c, FILE *out)
{
    struct document d = document_new(c->scope, out, false, (struct text_page){.columns = 100});
    report_compare_people(c, &d);
}

void page_put_comparison_words(const struct report_compare *c, FILE *out)
{
    put_named(c, put_words, out);
}

void page_put_comparison(const struct report_compare *c, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_key(&w, "comparison");
    put_named(c, report_compare_json, out);
    json_begin_list(&w, "reports");
    for (int i = 0; i < c->sweeps; i++) {
        json_add_key(&w, NULL);
        page_put_report(c->sweep[i], REPORT_JSON, out);
    }
    json_end_list(&w);
    page_put_written(c->scope, &w);
    json_end_object(&w);
    fputc('\n', out);
}

void page_comparison(struct scope *x, const int64_t *sweep_id, int sweeps, FILE *out)
{
    scope_read_begin(x);
    page_put_comparison(report_compare_new(x, sweep_id, sweeps, true), out);
    scope_read_end(x);
}
