/* Attention maps, as bytes. */
#include "sweep/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "sweep/export/attention_maps.h"
#include "sweep/page/base64.h"

enum { SEQUENCES = 2, LENGTH_MAX = 128, CELLS_MAX = 300000 };

/* The part of the maps that is shown. */
struct shown {
    const struct attention_maps *maps;
    long N, T;
};

/* The first sequence is shown whole or, where it is long, its beginning; further ones as far
 * as CELLS_MAX goes. */
static struct shown choose(const struct attention_maps *a)
{
    long heads = a->L * a->H, T = a->T < LENGTH_MAX ? a->T : LENGTH_MAX;
    while (T > 1 && heads * T * T > CELLS_MAX)
        T--;
    long n = CELLS_MAX / (heads * T * T);
    return (struct shown){a, a->N < n ? a->N : n > 1 ? n : 1, T};
}

static void put_inputs(const struct shown *w, FILE *out)
{
    long fields = data_io(w->maps->model->data)->fields;
    const int64_t *inputs = w->maps->inputs;
    fputs(",\"inputs\":[", out);
    for (long n = 0; n < w->N; n++) {
        fputs(n ? ",[" : "[", out);
        for (long t = 0; t < w->T; t++) {
            fputs(t ? ",[" : "[", out);
            for (long k = 0; k < fields; k++)
                fprintf(out, "%s%" PRId64, k ? "," : "", inputs[(n * w->maps->T + t) * fields + k]);
            fputc(']', out);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

static void put_weights(const struct shown *w, uint8_t *bytes, FILE *out)
{
    const struct attention_maps *a = w->maps;
    size_t used = 0;
    for (long h = 0; h < a->L * a->H; h++)
        for (long n = 0; n < w->N; n++)
            for (long i = 0; i < w->T; i++)
                for (long k = 0; k < w->T; k++)
                    bytes[used++] =
                        (uint8_t)lrintf(255 * a->weights[((h * a->N + n) * a->T + i) * a->T + k]);
    fputs(",\"weights\":\"", out);
    base64_write(bytes, used, out);
    fputc('"', out);
}

enum status page_attention(struct store *s, int64_t trial_id, FILE *out, struct message *m)
{
    struct attention_maps *maps;
    enum status status = attention_maps_new(s, trial_id, SEQUENCES, true, &maps, m);
    if (status != STATUS_OK)
        return status;
    struct shown w = choose(maps);
    uint8_t *bytes = malloc((size_t)(maps->L * maps->H * w.N * w.T * w.T));
    if (bytes) {
        fprintf(out,
                "{\"trial\":%" PRId64 ",\"step\":%" PRId64 ",\"layers\":%ld,\"heads\":%ld,"
                "\"sequences\":%ld,\"length\":%ld,\"of_length\":%ld",
                trial_id, maps->model->trial->best_step, maps->L, maps->H, w.N, w.T, maps->T);
        put_inputs(&w, out);
        put_weights(&w, bytes, out);
        fputs("}\n", out);
        status = text_check(out, m);
    } else {
        status = status_fail(m, STATUS_NO_MEMORY, "no memory for a page");
    }
    free(bytes);
    attention_maps_free(maps);
    return status;
}

enum status page_attention_or_missing(struct store *s, int64_t trial_id, FILE *out,
                                      struct message *m)
{
    struct message why = {0};
    enum status status = trial_id ? page_attention(s, trial_id, out, &why) : STATUS_BAD_INPUT;
    if (status == STATUS_NO_MEMORY || status == STATUS_BUSY)
        return status_fail(m, status, "%s", why.text);
    if (status != STATUS_OK)
        fprintf(out, "{\"missing\":%" PRId64 "}", trial_id);
    return text_check(out, m);
}
