#include "engine/form.h"

const struct form *const form_table[] = {
#define FORM(name, what) &form_##name,
#include "engine/forms.def"
#undef FORM
    NULL,
};

const char *const form_names[] = {
#define FORM(name, what) #name,
#include "engine/forms.def"
#undef FORM
    NULL,
};

/* Largest divisor of n that is <= most. */
static long divisor_below(long n, long most)
{
    while (n % most != 0)
        most--;
    return most;
}

enum status form_divides(const struct encoder_config *c, const char *remedy,
                         struct encoder_fault *fault, struct message *m)
{
    static const char *const options[] = {"model.heads", "model.d_model", "model.d_head",
                                          "model.segment_width", NULL};
    long d_model = (long)c->d_model, heads = (long)c->heads;
    if (d_model % heads == 0)
        return STATUS_OK;
    *fault = (struct encoder_fault){.option = options};
    if (heads > d_model)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.heads is %ld, more than model.d_model %ld; choose at most %ld, or %s", heads,
            d_model, d_model, remedy);
    fault->rule = "model.d_model % model.heads == 0";
    long below = divisor_below(d_model, heads), above = heads;
    while (d_model % above != 0)
        above++;
    return status_fail(
        m, STATUS_BAD_INPUT,
        "model.heads is %ld, which does not divide model.d_model %ld; choose %ld or %ld, or %s",
        heads, d_model, below, above, remedy);
}

void form_columns(const struct encoder_config *c, uint32_t seed, long layer, long width,
                  int32_t *columns)
{
    struct rng r = rng_at(seed, RNG_FORM, rng_name(form_names[c->form]), (uint32_t)layer);
    form_table[c->form]->draw(c, layer, width, &r, columns);
}

long form_segment_width(const struct encoder_config *c)
{
    if (c->segment_width > 0)
        return (long)c->segment_width;
    return c->d_model % c->heads == 0 ? (long)(c->d_model / c->heads) : 0;
}
