/* Attention maps, as bytes. */
#include "sweep/page/page.h"

#include <inttypes.h>
#include <math.h>

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

static void put_inputs(const struct shown *shown, struct json_writer *w)
{
    long fields = data_io(shown->maps->model->data)->fields;
    const int64_t *inputs = shown->maps->inputs;
    json_begin_list(w, "inputs");
    for (long n = 0; n < shown->N; n++) {
        json_begin_list(w, NULL);
        for (long t = 0; t < shown->T; t++) {
            json_begin_list(w, NULL);
            for (long k = 0; k < fields; k++)
                json_add_integer(w, NULL, inputs[(n * shown->maps->T + t) * fields + k]);
            json_end_list(w);
        }
        json_end_list(w);
    }
    json_end_list(w);
}

static void put_weights(const struct shown *shown, uint8_t *bytes, struct json_writer *w)
{
    const struct attention_maps *a = shown->maps;
    long N = shown->N, T = shown->T;
    size_t used = 0;
    for (long h = 0; h < a->L * a->H; h++)
        for (long n = 0; n < N; n++)
            for (long i = 0; i < T; i++)
                for (long k = 0; k < T; k++)
                    bytes[used++] =
                        (uint8_t)lrintf(255 * a->weights[((h * a->N + n) * a->T + i) * a->T + k]);
    json_add_key(w, "weights");
    fputc('"', w->out);
    base64_write(bytes, used, w->out);
    fputc('"', w->out);
}

enum status page_attention(struct store *s, int64_t trial_id, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "a page", m);
    if (scope_enter(x)) {
        const struct attention_maps *maps = attention_maps_new(x, trial_id, SEQUENCES, true);
        struct shown shown = choose(maps);
        uint8_t *bytes = arena_alloc(
            &x->arena, (size_t)(maps->L * maps->H * shown.N * shown.T * shown.T), sizeof *bytes);
        struct json_writer w = {.out = out};
        json_begin_object(&w, NULL);
        json_add_integer(&w, "trial", trial_id);
        json_add_integer(&w, "step", maps->model->trial->best_step);
        json_add_integer(&w, "layers", maps->L);
        json_add_integer(&w, "heads", maps->H);
        json_add_integer(&w, "sequences", shown.N);
        json_add_integer(&w, "length", shown.T);
        json_add_integer(&w, "of_length", maps->T);
        put_inputs(&shown, &w);
        put_weights(&shown, bytes, &w);
        json_end_object(&w);
        fputc('\n', out);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
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
