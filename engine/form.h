/* Forms of heads: which columns of the residual stream the queries, keys and values of each head
 * are computed from. The projection of the heads' outputs is full in all of them. One is a file,
 * form_<name>.c, and a line in forms.def, which declares `extern const struct form form_<name>;`
 * here, lists it in forms.c and offers it as a value of the option model.form.
 *
 * Stored results depend on every column that is drawn. */
#ifndef ENGINE_FORM_H
#define ENGINE_FORM_H

#include "engine/base/rng.h"
#include "engine/encoder_config.h"

struct form {
    /* Says how many columns each head sees; 0: all, and nothing is drawn. BAD_INPUT, with fault,
     * where head count and widths do not allow it: the message names option, value and remedy. */
    enum status (*check)(const struct encoder_config *c, long *width, struct encoder_fault *fault,
                         struct message *m);
    /* Draws the columns of a layer's heads, rising in each. r belongs to this layer alone. NULL
     * where width is always 0. */
    void (*draw)(const struct encoder_config *c, long layer, long width, struct rng *r,
                 int32_t *columns /* (H,width), 0..C-1 */);
    bool segmented; /* the options segment_width and segment_overlap mean something */
};

#define FORM(name, what) extern const struct form form_##name;
#include "engine/forms.def"
#undef FORM

extern const struct form *const form_table[]; /* in the order of forms.def; ends with NULL */
extern const char *const form_names[];        /* likewise */

/* BAD_INPUT unless heads divide d_model. The remedy ends the message: "model.heads is 12, which
 * does not divide model.d_model 32; choose 8 or 16, or <remedy>". */
enum status form_divides(const struct encoder_config *c, const char *remedy,
                         struct encoder_fault *fault, struct message *m);

/* Draws the columns that a layer's heads see, a function of (seed, RNG_FORM, form, layer). width:
 * what check said, at least 1. */
void form_columns(const struct encoder_config *c, uint32_t seed, long layer, long width,
                  int32_t *columns /* (H,width) */);

/* segment_width, d_model / heads where it is 0 and that divides; else 0. */
long form_segment_width(const struct encoder_config *c);

#endif
