/* Every head projects the whole residual stream (Vaswani et al. 2017, 3.2.2). */
#include "engine/form.h"

static enum status check(const struct encoder_config *c, long *width, struct encoder_fault *fault,
                         struct message *m)
{
    bool splits = c->d_head == WIDTH_WORD && (c->d_k == WIDTH_WORD || c->d_v == WIDTH_WORD);
    *width = 0;
    return splits ? form_divides(c, "give model.d_head a number", fault, m) : STATUS_OK;
}

const struct form form_project = {.check = check};
