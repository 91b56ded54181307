/* The in-projection where each head sees its own columns of the residual stream: op_linear, head by
 * head, on strided memory. Columns that lie side by side are read and written in place; others are
 * gathered first, and their gradients scattered. */
#include <string.h>

#include "engine/kernels/blas.h"
#include "engine/ops/op.h"

enum { X, W, BIAS }; /* x (..,C), w (N,K), bias (N) or absent; y (..,N), N = H*(2*d_k + d_v) */

struct tensor *graph_linear_heads(struct graph *g, struct tensor *x, struct tensor *weight,
                                  struct tensor *bias, struct linear_heads_options options)
{
    return op_apply(g, &op_linear_heads, &options, 3,
                    (struct tensor *[]){[X] = x, [W] = weight, [BIAS] = bias});
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[X], *w = n->in[W];
    const struct linear_heads_options *o = n->options;
    if (!x || !w || x->shape.rank < 2 || w->shape.rank != 2 || o->heads < 1 || o->d_k < 1 ||
        o->d_v < 1 || w->shape.dim[0] != o->heads * (2 * o->d_k + o->d_v) ||
        w->shape.dim[1] > tensor_width(x))
        return op_mismatch(n, m, "needs x (..,C) and a weight (H*(2*d_k + d_v),K), K <= C");
    if (!op_is_bias(n->in[BIAS], w->shape.dim[0]))
        return op_mismatch(n, m, "a bias has one number per row of the weight");
    *out = x->shape;
    out->dim[out->rank - 1] = w->shape.dim[0];
    return blas_start(1, m);
}

/* One head's columns, gathered, and their gradient. */
static size_t scratch(const struct node *n)
{
    return (size_t)(2 * tensor_rows(n->in[X]) * n->in[W]->shape.dim[1]) * sizeof(real);
}

/* Rows of the weight, which are columns of y. */
struct block {
    long first, count;
};

/* Head h's queries, keys and values. */
static void blocks_of(const struct linear_heads_options *o, long h, struct block block[3])
{
    block[0] = (struct block){h * o->d_k, o->d_k};
    block[1] = (struct block){(o->heads + h) * o->d_k, o->d_k};
    block[2] = (struct block){2 * o->heads * o->d_k + h * o->d_v, o->d_v};
}

static bool side_by_side(const int32_t *columns, long K)
{
    for (long k = 1; k < K; k++)
        if (columns[k] != columns[0] + k)
            return false;
    return true;
}

/* A matrix (M,K) in wider memory. */
struct view {
    real *data;
    long stride;
};

/* A head's columns of x (M,C), in place or in room (M,K). */
static struct view seen(real *x, long M, long C, const int32_t *columns, long K, real *room)
{
    if (side_by_side(columns, K))
        return (struct view){x + columns[0], C};
    for (long i = 0; i < M; i++)
        for (long k = 0; k < K; k++)
            room[i * K + k] = x[i * C + columns[k]];
    return (struct view){room, K};
}

static void forward(struct node *n, struct pass *p)
{
    const struct linear_heads_options *o = n->options;
    const struct tensor *x = n->in[X], *w = n->in[W], *bias = n->in[BIAS];
    const long M = pass_rows(x, p), C = tensor_width(x), N = w->shape.dim[0], K = w->shape.dim[1];
    if (bias)
        p->kernels->fill_rows(M, N, bias->data, n->out->data);
    for (long h = 0; h < o->heads; h++) {
        struct view v = seen(x->data, M, C, o->columns + h * K, K, p->scratch);
        struct block block[3];
        blocks_of(o, h, block);
        for (int i = 0; i < 3; i++)
            blas_gemm(0, 1, M, block[i].count, K, 1, v.data, v.stride, w->data + block[i].first * K,
                      K, bias ? 1 : 0, n->out->data + block[i].first, N);
    }
}

/* dx (M,C) += the gradient of a head's columns: dy's blocks times the head's rows of w. */
static void backward_input(const struct node *n, long M, long h, real *room)
{
    const struct linear_heads_options *o = n->options;
    const struct tensor *x = n->in[X], *w = n->in[W];
    const long C = tensor_width(x), N = w->shape.dim[0], K = w->shape.dim[1];
    const int32_t *columns = o->columns + h * K;
    bool in_place = side_by_side(columns, K);
    real *dx = in_place ? x->grad + columns[0] : room;
    struct block block[3];
    blocks_of(o, h, block);
    for (int i = 0; i < 3; i++)
        blas_gemm(0, 0, M, K, block[i].count, 1, n->out->grad + block[i].first, N,
                  w->data + block[i].first * K, K, in_place || i > 0 ? 1 : 0, dx, in_place ? C : K);
    if (in_place)
        return;
    for (long r = 0; r < M; r++)
        for (long k = 0; k < K; k++)
            x->grad[r * C + columns[k]] += room[r * K + k];
}

static void backward(struct node *n, struct pass *p)
{
    const struct linear_heads_options *o = n->options;
    struct tensor *x = n->in[X], *w = n->in[W];
    const real *dy = n->out->grad; /* (M,N) */
    const long M = pass_rows(x, p), C = tensor_width(x), N = w->shape.dim[0], K = w->shape.dim[1];
    real *room = p->scratch, *dx_room = room + M * K;
    real beta = w->grad ? tensor_grad_beta(w) : 0;
    if (x->grad && tensor_grad_beta(x) == 0)
        memset(x->grad, 0, (size_t)(M * C) * sizeof(real));
    for (long h = 0; h < o->heads; h++) {
        struct view v = seen(x->data, M, C, o->columns + h * K, K, room);
        struct block block[3];
        blocks_of(o, h, block);
        for (int i = 0; i < 3 && w->grad; i++)
            blas_gemm(1, 0, block[i].count, K, M, 1, dy + block[i].first, N, v.data, v.stride, beta,
                      w->grad + block[i].first * K, K);
        if (x->grad)
            backward_input(n, M, h, dx_room);
    }
    real *dbias = tensor_grad_sum(n->in[BIAS]);
    if (dbias)
        p->kernels->column_sums(M, N, dy, dbias);
}

static const int32_t slices[] = {0, 1, 2, 3}, scattered[] = {0, 2, 4, 1, 2, 4},
                     gaps[] = {4, 5, 0, 2};

static const struct gradcheck_case cases[] = {
    {.name = "slices",
     .options = &(const struct linear_heads_options){2, 2, 3, slices},
     .in = {SHAPE(3, 4, 4), SHAPE(14, 2), SHAPE(14)}},
    {.name = "overlapping columns, one seen by nobody",
     .options = &(const struct linear_heads_options){2, 1, 2, scattered},
     .in = {SHAPE(3, 2, 5), SHAPE(8, 3), SHAPE(8)}},
    {.name = "no bias",
     .options = &(const struct linear_heads_options){2, 1, 1, gaps},
     .in = {SHAPE(3, 6), SHAPE(6, 2)}},
    {.name = "constant input",
     .options = &(const struct linear_heads_options){2, 1, 1, gaps},
     .in = {SHAPE(3, 6), SHAPE(6, 2), SHAPE(6)},
     .constant = 1u << 0},
    {0},
};

const struct op op_linear_heads = {
    .name = "linear_heads",
    .options_size = sizeof(struct linear_heads_options),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .scratch = scratch,
    .backward_reads = 1u << X | 1u << W,
    .constant = 1u << X | 1u << W | 1u << BIAS,
    .cases = cases,
};
