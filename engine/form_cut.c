/* The residual stream is cut into as many slices as there are heads, and each sees its own: the
 * projections of queries, keys and values are block-diagonal. */
#include "engine/form.h"

static enum status check(const struct encoder_config *c, long *width, struct encoder_fault *fault,
                         struct message *m)
{
    enum status s = form_divides(c, "use model.form segments with a model.segment_width", fault, m);
    if (s == STATUS_OK)
        *width = (long)(c->d_model / c->heads);
    return s;
}

static void draw(const struct encoder_config *c, long layer, long width, struct rng *r,
                 int32_t *columns)
{
    (void)layer, (void)r;
    for (long i = 0; i < (long)c->heads * width; i++)
        columns[i] = (int32_t)i;
}

const struct form form_cut = {.check = check, .draw = draw};
