/* y = the sum of the fields' embedding rows, and of the position's row where there is one. */
#include <string.h>

#include "engine/ops/op.h"

/* in[0..fields-1]: tables (V_f,C); in[fields]: positions (T,C), learned or constant, or absent;
 * out (B,T,C) */

struct options {
    long length; /* T */
    int fields;
};

struct tensor *graph_embedding(struct graph *g, long length, int fields,
                               struct tensor *const table[], struct tensor *positions)
{
    struct tensor *in[OP_MAX_INPUTS] = {0};
    if (fields > 0 && fields < OP_MAX_INPUTS) {
        memcpy(in, table, (size_t)fields * sizeof *in);
        in[fields] = positions;
    }
    return op_apply(g, &op_embedding, &(struct options){length, fields}, fields + 1, in);
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct options *o = n->options;
    long fields = o->fields, T = o->length;
    if (fields < 1 || fields >= OP_MAX_INPUTS || T < 1 || !n->in[0])
        return op_mismatch(n, m, "needs one table (V,C) per field, and positions or none");
    long C = tensor_width(n->in[0]);
    for (int f = 0; f < fields; f++)
        if (!n->in[f] || n->in[f]->shape.rank != 2 || tensor_width(n->in[f]) != C)
            return op_mismatch(n, m, "tables must be (V,C) with one C");
    const struct tensor *pos = n->in[fields];
    if (pos && (tensor_rows(pos) != T || tensor_width(pos) != C))
        return op_mismatch(n, m, "positions must be (T,C)");
    *out = SHAPE(0, T, C);
    return STATUS_OK;
}

static void forward(struct node *n, struct pass *p)
{
    const struct options *o = n->options;
    const int fields = o->fields;
    const long T = o->length, C = tensor_width(n->out);
    const struct tensor *pos = n->in[fields];
    for (int f = 0; f < fields; f++)
        p->kernels->rows_gather(p->batch * T, C, n->in[f]->data, p->tokens + f, fields,
                                pos && f == fields - 1 ? pos->data : NULL, T, f > 0, n->out->data);
}

static void backward(struct node *n, struct pass *p)
{
    const struct options *o = n->options;
    const int fields = o->fields;
    const long T = o->length, C = tensor_width(n->out);
    const real *dy = n->out->grad;
    for (int f = 0; f < fields; f++) {
        real *dtable = tensor_grad_sum(n->in[f]);
        if (dtable)
            p->kernels->rows_scatter(p->batch * T, C, dy, p->tokens + f, fields, dtable);
    }
    real *dpos = tensor_grad_sum(n->in[fields]);
    if (dpos)
        p->kernels->column_sums(p->batch, T * C, dy, dpos);
}

static const struct gradcheck_case cases[] = {
    {.name = "learned positions",
     .options = &(const struct options){.length = 4, .fields = 1},
     .fields = 1,
     .length = 4,
     .in = {SHAPE(5, 6), SHAPE(4, 6)}},
    {.name = "constant positions",
     .options = &(const struct options){.length = 4, .fields = 1},
     .fields = 1,
     .length = 4,
     .in = {SHAPE(5, 6), SHAPE(4, 6)},
     .constant = 1u << 1},
    {.name = "constant table",
     .options = &(const struct options){.length = 4, .fields = 1},
     .fields = 1,
     .length = 4,
     .in = {SHAPE(5, 6), SHAPE(4, 6)},
     .constant = 1u << 0},
    {.name = "three fields, no positions",
     .options = &(const struct options){.length = 2, .fields = 3},
     .fields = 3,
     .length = 2,
     .in = {SHAPE(5, 3), SHAPE(2, 3), SHAPE(9, 3)}},
    {0},
};

const struct op op_embedding = {
    .name = "embedding",
    .options_size = sizeof(struct options),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .constant = ~0u,
    .cases = cases,
};
