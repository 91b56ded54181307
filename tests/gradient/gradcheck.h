/* Analytic gradients against central differences, in double (compiled with -DREAL_DOUBLE). */
#ifndef TESTS_GRADIENT_GRADCHECK_H
#define TESTS_GRADIENT_GRADCHECK_H

#include "engine/ops/op.h"

enum { GRADCHECK_TEXT = 256 };

/* Numbers drawn for one check: a function of its seed alone. */
struct draws {
    uint64_t count;
    uint32_t seed;
};
double draw_normal(struct draws *d);
int32_t draw_below(struct draws *d, long n);

/* |a - n| <= 1e-8 + 1e-6 max(|a|,|n|) */
bool gradcheck_agree(double analytic, double numeric);

/* Compares t->grad with central differences (eps 1e-6) of loss(context) in every element of
 * t->data. False and the first disagreement in text. */
bool gradcheck_tensor(struct tensor *t, const char *name, double (*loss)(void *context),
                      void *context, char text[GRADCHECK_TEXT]);

/* Checks one case of op: the gradients of all inputs, and that a second backward adds the same
 * again. */
bool gradcheck_op(const struct op *op, const struct gradcheck_case *c, char text[GRADCHECK_TEXT]);

#endif
