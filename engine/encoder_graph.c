/* The encoder as a tape. */
#include "engine/encoder.h"

/* Numbers of a layer's dropout sites: in layer l, l*SITES is added. The embedding's site counts to
 * layer 0. Stored results depend on these numbers. */
enum {
    SITE_EMBEDDING,
    SITE_ATTENTION,
    SITE_PROJECTION,
    SITE_ACTIVATION,
    SITE_FEED_FORWARD,
    SITES = 8
};

struct builder {
    struct graph *graph;
    const struct encoder *encoder;
    struct encoder_probe *probe; /* NULL: none */
    double dropout;              /* 0 in inference */
    long layer;
};

static struct dropout_site site_at(const struct builder *b, uint32_t site)
{
    return (struct dropout_site){b->dropout, (uint32_t)b->layer * SITES + site};
}

static struct tensor *dropout(const struct builder *b, uint32_t site, struct tensor *x)
{
    return b->dropout > 0 ? graph_residual(b->graph, x, NULL, NULL, site_at(b, site)) : x;
}

static struct tensor *embed(const struct builder *b)
{
    const struct encoder *e = b->encoder;
    struct tensor *x = graph_embedding(b->graph, e->io.length, e->io.fields, e->embed, e->pos);
    return dropout(b, SITE_EMBEDDING, x);
}

/* o (B,T,H*d_v) times the layer's gates, a factor of 1 for each head; all that a probe shows is
 * kept. */
static struct tensor *gated(const struct builder *b, struct tensor *x, struct tensor *qkv,
                            struct tensor *o)
{
    struct graph *g = b->graph;
    long heads = b->encoder->layer[b->layer].heads.heads;
    struct tensor *gate = tensor_new(g->arena, NULL, SHAPE(g->capacity, heads), !g->inference);
    for (long i = 0; i < tensor_size(gate); i++)
        gate->data[i] = 1;
    b->probe->gate[b->layer] = gate;
    graph_keep(g, x);
    graph_keep(g, qkv);
    graph_keep(g, o);
    return graph_gate(g, o, gate);
}

/* Queries, keys and values of y's columns that each head sees. */
static struct tensor *in_projection(const struct builder *b, struct tensor *y)
{
    const struct encoder_layer *l = &b->encoder->layer[b->layer];
    const struct encoder_heads *h = &l->heads;
    if (h->width == 0)
        return graph_linear(b->graph, y, l->in_proj_weight, l->in_proj_bias);
    struct linear_heads_options heads = {
        .heads = h->heads, .d_k = h->d_k, .d_v = h->d_v, .columns = h->columns};
    return graph_linear_heads(b->graph, y, l->in_proj_weight, l->in_proj_bias, heads);
}

/* The queries and keys of qkv, turned with their positions where positions are rotary. */
static struct tensor *turned(const struct builder *b, struct tensor *qkv)
{
    const struct encoder *e = b->encoder;
    const struct encoder_heads *h = &e->layer[b->layer].heads;
    if (!e->turns)
        return qkv;
    struct rotary_options rotary = {
        .d_k = h->d_k, .heads = h->heads + h->kv_heads, .turns = e->turns->data};
    return graph_rotary(b->graph, qkv, rotary);
}

/* x, which is what attention takes or what it gives, with the term of that place. */
static struct tensor *disagreeing(const struct builder *b, struct tensor *x,
                                  const struct attention_options *heads, bool outputs)
{
    const struct encoder *e = b->encoder;
    bool here = (e->disagreement.kind == SIMILARITY_OUTPUT) == outputs;
    if (e->disagreement.weight == 0 || !here || b->graph->inference || b->probe)
        return x;
    struct disagreement_options options = {*heads, e->disagreement.kind, e->disagreement.weight};
    return graph_disagreement(b->graph, x, options);
}

/* x + dropout(W_o attention(W_qkv y)); without heads x + the bias, of which nothing is dropped. */
static struct tensor *attention_block(const struct builder *b, struct tensor *x, struct tensor *y)
{
    struct graph *g = b->graph;
    const struct encoder_layer *l = &b->encoder->layer[b->layer];
    const struct encoder_heads *h = &l->heads;
    if (h->heads == 0)
        return graph_residual(g, x, l->out_proj_bias, NULL, (struct dropout_site){0});
    struct attention_options heads = {.heads = h->heads,
                                      .kv_heads = h->kv_heads,
                                      .d_k = h->d_k,
                                      .d_v = h->d_v,
                                      .kv_of = h->kv_of,
                                      .causal = b->encoder->config.mask == MASK_CAUSAL,
                                      .dropout = site_at(b, SITE_ATTENTION)};
    struct tensor *qkv = disagreeing(b, turned(b, in_projection(b, y)), &heads, false);
    struct tensor *o = disagreeing(b, graph_attention(g, qkv, heads), &heads, true);
    if (b->probe)
        o = gated(b, x, qkv, o);
    struct tensor *z = graph_linear(g, o, l->out_proj_weight, NULL);
    return graph_residual(g, z, l->out_proj_bias, x, site_at(b, SITE_PROJECTION));
}

/* x + dropout(W_2 dropout(activation(W_1 y))). The biases are added by the operation that follows
 * each product, which saves a pass over memory. */
static struct tensor *feed_forward_block(const struct builder *b, struct tensor *x,
                                         struct tensor *y)
{
    struct graph *g = b->graph;
    const struct encoder_layer *l = &b->encoder->layer[b->layer];
    bool relu = b->encoder->config.activation == ACTIVATION_RELU;
    struct tensor *f = graph_linear(g, y, l->linear1_weight, NULL);
    f = relu ? graph_relu(g, f, l->linear1_bias) : graph_gelu(g, f, l->linear1_bias);
    f = dropout(b, SITE_ACTIVATION, f);
    struct tensor *z = graph_linear(g, f, l->linear2_weight, NULL);
    return graph_residual(g, z, l->linear2_bias, x, site_at(b, SITE_FEED_FORWARD));
}

static struct tensor *layer(const struct builder *b, struct tensor *x)
{
    struct graph *g = b->graph;
    const struct encoder_layer *l = &b->encoder->layer[b->layer];
    if (b->encoder->config.norm == NORM_PRE) {
        struct tensor *y =
            l->heads.heads > 0 ? graph_layernorm(g, x, l->norm1_weight, l->norm1_bias) : NULL;
        x = attention_block(b, x, y);
        return feed_forward_block(b, x, graph_layernorm(g, x, l->norm2_weight, l->norm2_bias));
    }
    x = graph_layernorm(g, attention_block(b, x, x), l->norm1_weight, l->norm1_bias);
    return graph_layernorm(g, feed_forward_block(b, x, x), l->norm2_weight, l->norm2_bias);
}

/* The nodes of a finished tape do not move any more. */
static void find_attention(struct arena *a, const struct graph *g, const struct encoder *e,
                           struct encoder_probe *probe)
{
    probe->attention = arena_alloc(a, (size_t)e->config.layers, sizeof *probe->attention);
    for (int i = 0; i < g->count; i++)
        for (long l = 0; l < e->config.layers && g->node[i].op == &op_gate; l++)
            if (probe->gate[l] == g->node[i].in[1])
                probe->attention[l] = &g->node[i - 1];
}

enum status encoder_graph(struct arena *a, const struct encoder *e, long capacity, bool inference,
                          struct encoder_probe *probe, const struct graph *packs,
                          struct graph **out, struct tensor **logits, struct message *m)
{
    struct graph *g = *out = graph_new(a, capacity, inference);
    graph_share_packs(g, packs);
    struct builder b = {g, e, probe, .dropout = inference ? 0 : e->config.dropout};
    if (probe)
        probe->gate = arena_alloc(a, (size_t)e->config.layers, sizeof(struct tensor *));
    struct tensor *x = embed(&b);
    for (; b.layer < e->config.layers; b.layer++)
        x = layer(&b, x);
    if (e->config.norm == NORM_PRE)
        x = graph_layernorm(g, x, e->norm_weight, e->norm_bias);
    if (e->config.pool != POOL_NONE)
        x = graph_pool(g, x, e->config.pool == POOL_FIRST ? POOLING_FIRST : POOLING_MEAN);
    *logits = graph_linear(g, x, e->out_weight, e->out_bias);
    graph_cross_entropy(g, *logits, e->io.slots);
    enum status s = graph_finish(g, m);
    if (s == STATUS_OK && probe)
        find_attention(a, g, e, probe);
    return s;
}
