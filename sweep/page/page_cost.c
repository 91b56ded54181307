#include "sweep/page/page_cost.h"

#include <inttypes.h>
#include <math.h>

#include "engine/base/text.h"
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

static void put_integer(int64_t x, FILE *out)
{
    fprintf(out, ",%" PRId64, x);
}

static void put_real(double x, FILE *out)
{
    fputc(',', out);
    text_json_real(out, x);
}

static void put_ratio(double a, double b, FILE *out)
{
    put_real(b != 0 ? a / b : NAN, out);
}

static bool put_row(const char *sweep, const struct evidence_row *r, FILE *out)
{
    const char *const texts[] = {sweep, r->setting, r->label, r->task};
    bool room = true;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fputs(i ? "," : "", out);
        room = page_text(texts[i], NULL, out) && room;
    }
    put_integer(r->heads, out);
    put_integer(r->d_model, out);
    put_integer(r->n, out);
    put_real(r->mean_acc, out);
    put_integer(r->n_params, out);
    put_real(r->flops, out);
    put_real(r->cpu_s, out);
    if (r->rss_kib < 0)
        fputs(",null", out);
    else
        put_integer(r->rss_kib, out);
    put_real(r->infer_ms, out);
    put_integer(r->n_infer, out);
    put_ratio(1e6 * r->mean_acc, (double)r->n_params, out);
    put_ratio(1e6 * r->mean_acc, r->flops, out);
    put_ratio(r->mean_acc, r->cpu_s, out);
    put_ratio(1024 * r->mean_acc, r->rss_kib < 0 ? NAN : (double)r->rss_kib, out);
    put_ratio(r->mean_acc, r->infer_ms, out);
    return room;
}

bool page_cost(const char *sweep, const struct evidence *e, FILE *out)
{
    bool room = true;
    fputs("{\"columns\":[", out);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", columns[i]);
    fputs("],\"rows\":[", out);
    const char *before = "[";
    for (int i = 0; i < e->rows; i++) {
        if (!e->row[i].spent)
            continue;
        fputs(before, out);
        before = ",[";
        room = put_row(sweep, &e->row[i], out) && room;
        fputc(']', out);
    }
    fputs("]}", out);
    return room;
}
