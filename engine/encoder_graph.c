/* The encoder as a tape. */
#include "engine/encoder.h"

/* Dropout sites of a layer; layer l's are l*SITES + these. The embedding's is in layer 0. Stored
 * results depend on the numbers. */
enum {
    SITE_EMBEDDING,
    SITE_ATTENTION,
    SITE_PROJECTION,
    SITE_ACTIVATION,
    SITE_FEED_FORWARD,
    SITES = 8
};

/* A tape in the making. After a refusal `failed` is set and everything else is skipped. */
struct builder {
    struct graph *graph;
    const struct encoder *encoder;
    double dropout; /* 0 in inference */
    long layer;
    bool failed;
    struct message *message;
};

static struct tensor *apply(struct builder *b, const struct op *op, struct attributes at,
                            struct tensor *x, struct tensor *second, struct tensor *third)
{
    if (b->failed)
        return NULL;
    struct tensor *y =
        graph_apply(b->graph, op, at, 3, (struct tensor *[]){x, second, third}, b->message);
    b->failed = y == NULL;
    return y;
}

static struct attributes dropout_at(const struct builder *b, uint32_t site)
{
    return (struct attributes){.dropout = b->dropout, .site = (uint32_t)b->layer * SITES + site};
}

static struct tensor *dropout(struct builder *b, uint32_t site, struct tensor *x)
{
    return b->dropout > 0 ? apply(b, &op_residual, dropout_at(b, site), x, NULL, NULL) : x;
}

static struct tensor *linear(struct builder *b, struct tensor *x, struct tensor *weight,
                             struct tensor *bias)
{
    return apply(b, &op_linear, (struct attributes){0}, x, weight, bias);
}

static struct tensor *norm(struct builder *b, struct tensor *x, struct tensor *gain,
                           struct tensor *bias)
{
    return apply(b, &op_layernorm, (struct attributes){0}, x, gain, bias);
}

static struct tensor *embed(struct builder *b)
{
    const struct encoder *e = b->encoder;
    struct tensor *in[ENCODER_MAX_FIELDS + 1];
    for (int f = 0; f < e->io.fields; f++)
        in[f] = e->embed[f];
    in[e->io.fields] = e->pos;
    struct attributes at = {.fields = e->io.fields, .length = e->io.length};
    struct tensor *x = graph_apply(b->graph, &op_embedding, at, e->io.fields + 1, in, b->message);
    b->failed = x == NULL;
    return dropout(b, SITE_EMBEDDING, x);
}

/* x + dropout(W_o attention(W_qkv y)) */
static struct tensor *attention_block(struct builder *b, struct tensor *x, struct tensor *y)
{
    const struct encoder_layer *l = &b->encoder->layer[b->layer];
    const struct encoder_shapes *s = &b->encoder->shapes;
    struct attributes at = dropout_at(b, SITE_ATTENTION);
    at.heads = s->heads;
    at.d_k = s->d_k;
    at.d_v = s->d_v;
    struct tensor *qkv = linear(b, y, l->in_proj_weight, l->in_proj_bias);
    struct tensor *o = apply(b, &op_attention, at, qkv, NULL, NULL);
    struct tensor *z = linear(b, o, l->out_proj_weight, NULL);
    return apply(b, &op_residual, dropout_at(b, SITE_PROJECTION), z, l->out_proj_bias, x);
}

/* x + dropout(W_2 dropout(activation(W_1 y))). The biases are added by the operation that follows
 * each product, which saves a pass over memory. */
static struct tensor *feed_forward_block(struct builder *b, struct tensor *x, struct tensor *y)
{
    const struct encoder_layer *l = &b->encoder->layer[b->layer];
    const struct op *activation =
        b->encoder->config.activation == ACTIVATION_RELU ? &op_relu : &op_gelu;
    struct tensor *f = linear(b, y, l->linear1_weight, NULL);
    f = apply(b, activation, (struct attributes){0}, f, l->linear1_bias, NULL);
    f = dropout(b, SITE_ACTIVATION, f);
    struct tensor *z = linear(b, f, l->linear2_weight, NULL);
    return apply(b, &op_residual, dropout_at(b, SITE_FEED_FORWARD), z, l->linear2_bias, x);
}

static struct tensor *layer(struct builder *b, struct tensor *x)
{
    const struct encoder_layer *l = &b->encoder->layer[b->layer];
    if (b->encoder->config.norm == NORM_PRE) {
        x = attention_block(b, x, norm(b, x, l->norm1_weight, l->norm1_bias));
        return feed_forward_block(b, x, norm(b, x, l->norm2_weight, l->norm2_bias));
    }
    x = norm(b, attention_block(b, x, x), l->norm1_weight, l->norm1_bias);
    return norm(b, feed_forward_block(b, x, x), l->norm2_weight, l->norm2_bias);
}

enum status encoder_graph(struct arena *a, struct encoder *e, long capacity, bool inference,
                          struct graph **g, struct tensor **logits, struct message *m)
{
    struct builder b = {
        .graph = graph_new(a, capacity, inference),
        .encoder = e,
        .dropout = inference ? 0 : e->config.dropout,
        .message = m,
    };
    struct tensor *x = embed(&b);
    for (; b.layer < e->config.layers; b.layer++)
        x = layer(&b, x);
    if (e->config.norm == NORM_PRE)
        x = norm(&b, x, e->norm_weight, e->norm_bias);
    if (e->config.pool != POOL_NONE)
        x = apply(&b, &op_pool, (struct attributes){.first = e->config.pool == POOL_FIRST}, x, NULL,
                  NULL);
    *logits = linear(&b, x, e->out_weight, e->out_bias);
    apply(&b, &op_cross_entropy, (struct attributes){.slots = e->io.slots}, *logits, NULL, NULL);
    if (b.failed)
        return STATUS_BAD_INPUT;
    graph_finish(b.graph);
    *g = b.graph;
    return STATUS_OK;
}
