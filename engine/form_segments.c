/* Each head sees segment_width columns of the residual stream. With segment_overlap its columns are
 * drawn without regard to the other heads'; without, no column is seen by two, and where heads *
 * segment_width is less than d_model some are seen by none. */
#include "engine/form.h"

#include <stdlib.h>

#include "engine/base/text.h"

static enum status check(const struct encoder_config *c, long *width, struct encoder_fault *fault,
                         struct message *m)
{
    static const char *const options[] = {"model.segment_width",   "model.heads", "model.d_model",
                                          "model.segment_overlap", "model.form",  NULL};
    long C = (long)c->d_model, H = (long)c->heads;
    if (c->segment_width == 0) {
        enum status s = form_divides(c, "give model.segment_width a number", fault, m);
        if (s != STATUS_OK)
            return s;
    }
    *width = form_segment_width(c);
    if (*width > C) {
        *fault = (struct encoder_fault){options, "model.segment_width <= model.d_model"};
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.segment_width is %ld, more than model.d_model %ld; choose at most %ld", *width,
            C, C);
    }
    if (c->segment_overlap || H * *width <= C)
        return STATUS_OK;
    *fault = (struct encoder_fault){options, "model.heads * model.segment_width <= model.d_model"};
    if (H > C)
        return status_fail(m, STATUS_BAD_INPUT,
                           "model.heads is %ld, more than the %s of model.d_model; choose "
                           "at most %ld, or set model.segment_overlap to true",
                           H, text_counted(C, "column").text, C);
    return status_fail(m, STATUS_BAD_INPUT,
                       "model.segment_width is %ld: %ld heads that share no column would need %ld "
                       "of model.d_model's %ld; choose at most %ld, or set model.segment_overlap "
                       "to true",
                       *width, H, H * *width, C, C / H);
}

/* A random set of n of the C columns, in rising order: column c is taken with probability (those
 * still wanted) / (those still to come) (Knuth, The Art of Computer Programming 2, 3.4.2, S). */
static void choose(long C, long n, struct rng *r, int32_t *columns)
{
    for (long c = 0, taken = 0; taken < n; c++)
        if (rng_below(r, (uint32_t)(C - c)) < (uint32_t)(n - taken))
            columns[taken++] = (int32_t)c;
}

static int rising(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static void draw(const struct encoder_config *c, long layer, long width, struct rng *r,
                 int32_t *columns)
{
    (void)layer;
    long C = (long)c->d_model, H = (long)c->heads;
    if (c->segment_overlap) {
        for (long h = 0; h < H; h++)
            choose(C, width, r, columns + h * width);
        return;
    }
    choose(C, H * width, r, columns);
    for (long i = H * width; i > 1; i--) {
        long other = rng_below(r, (uint32_t)i);
        int32_t column = columns[i - 1];
        columns[i - 1] = columns[other];
        columns[other] = column;
    }
    for (long h = 0; h < H; h++)
        qsort(columns + h * width, (size_t)width, sizeof *columns, rising);
}

const struct form form_segments = {.check = check, .draw = draw, .segmented = true};
