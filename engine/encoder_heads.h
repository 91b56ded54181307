/* Parts of an encoder that its files share. */
#ifndef ENGINE_ENCODER_HEADS_H
#define ENGINE_ENCODER_HEADS_H

#include "engine/encoder.h"

/* All heads that the options give a layer; columns are still to be drawn. */
struct encoder_heads encoder_heads_all(struct arena *a, const struct encoder_shapes *s);

/* Declares and lays out the parameters of an encoder whose options, inputs and outputs, shapes and
 * heads of the layers are set. */
void encoder_declare(struct arena *a, struct encoder *e, bool wants_grad);

#endif
