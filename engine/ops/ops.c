#include <stdio.h>

#include "engine/ops/op.h"

const struct op *const op_table[] = {
#define OP(name) &op_##name,
#include "engine/ops/ops.def"
#undef OP
    NULL,
};

struct dropout op_dropout(const struct node *n, const struct pass *p, long elements)
{
    return (struct dropout){
        .probability = p->training ? n->attributes.dropout : 0,
        .seed = p->seed,
        .site = n->attributes.site,
        .step = p->step,
        .first = (uint64_t)p->first * (uint64_t)elements,
    };
}

bool op_is_bias(const struct tensor *t, long n)
{
    return !t || (t->shape.rank == 1 && t->shape.dim[0] == n);
}

/* Appends to text like snprintf, at *used, and never past size. */
#define APPEND(...)                                                                                \
    do {                                                                                           \
        int wrote = snprintf(text + used, sizeof text - used, __VA_ARGS__);                        \
        used += (size_t)wrote < sizeof text - used ? (size_t)wrote : sizeof text - used - 1;       \
    } while (0)

enum status op_mismatch(const struct node *n, struct message *m, const char *what)
{
    char text[512];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < n->inputs; i++) {
        const struct tensor *t = n->in[i];
        APPEND("%s%s", i ? ", " : "", t ? "(" : "none");
        for (int k = 0; t && k < t->shape.rank; k++)
            APPEND("%s%ld", k ? "," : "", t->shape.dim[k]);
        APPEND("%s", t ? ")" : "");
    }
    return status_fail(m, STATUS_BAD_INPUT, "%s of %s: %s", n->op->name, text, what);
}
