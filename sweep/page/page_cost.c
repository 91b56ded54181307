#include "sweep/page/page_cost.h"

#include <math.h>

#include "sweep/page/page_rows.h"

static const char *const columns[] = {"sweep",
                                      "setting",
                                      "setting_label",
                                      "task",
                                      "heads",
                                      "d_model",
                                      "n",
                                      "mean_acc",
                                      "n_params",
                                      "flops_per_example",
                                      "mean_cpu_s",
                                      "max_rss_kib",
                                      "infer_ms",
                                      "n_infer",
                                      "acc_per_mparam",
                                      "acc_per_mflop",
                                      "acc_per_cpu_s",
                                      "acc_per_mib",
                                      "acc_per_infer_ms"};

static void add_ratio(struct json_writer *w, double a, double b)
{
    json_add_real(w, NULL, b != 0 ? a / b : NAN);
}

static bool add_row(struct json_writer *w, const char *sweep, const struct evidence_row *r)
{
    const char *const texts[] = {sweep, r->setting, r->label, r->task};
    bool ok = true;
    json_begin_list(w, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ok = page_text(w, NULL, texts[i], NULL) && ok;
    json_add_integer(w, NULL, r->heads);
    json_add_integer(w, NULL, r->d_model);
    json_add_integer(w, NULL, r->n);
    json_add_real(w, NULL, r->mean_acc);
    json_add_integer(w, NULL, r->n_params);
    json_add_real(w, NULL, r->flops);
    json_add_real(w, NULL, r->cpu_s);
    json_add_real(w, NULL, r->rss_kib < 0 ? NAN : (double)r->rss_kib);
    json_add_real(w, NULL, r->infer_ms);
    json_add_integer(w, NULL, r->n_infer);
    add_ratio(w, 1e6 * r->mean_acc, (double)r->n_params);
    add_ratio(w, 1e6 * r->mean_acc, r->flops);
    add_ratio(w, r->mean_acc, r->cpu_s);
    add_ratio(w, 1024 * r->mean_acc, r->rss_kib < 0 ? NAN : (double)r->rss_kib);
    add_ratio(w, r->mean_acc, r->infer_ms);
    json_end_list(w);
    return ok;
}

bool page_cost(const char *sweep, const struct evidence *e, FILE *out)
{
    struct json_writer w = {.out = out};
    bool ok = true;
    json_begin_object(&w, NULL);
    json_begin_list(&w, "columns");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        json_add_text(&w, NULL, columns[i]);
    json_end_list(&w);
    json_begin_list(&w, "rows");
    for (int i = 0; i < e->rows; i++)
        if (e->row[i].spent)
            ok = add_row(&w, sweep, &e->row[i]) && ok;
    json_end_list(&w);
    json_end_object(&w);
    return ok;
}
