/* The heads of an encoder's layers, and an encoder with fewer of them. */
#include "engine/encoder_heads.h"

#include <string.h>

struct encoder_heads encoder_heads_all(struct arena *a, const struct encoder_shapes *s)
{
    struct encoder_heads h = {.heads = s->heads,
                              .kv_heads = s->kv_heads,
                              .d_k = s->d_k,
                              .d_v = s->d_v,
                              .width = s->width,
                              .inputs = s->inputs,
                              .qkv_width = s->qkv_width,
                              .o_width = s->o_width};
    h.origin = arena_alloc(a, (size_t)h.heads, sizeof *h.origin);
    for (long i = 0; i < h.heads; i++)
        h.origin[i] = (int)i;
    if (h.width > 0)
        h.columns = arena_alloc(a, (size_t)(h.heads * h.width), sizeof *h.columns);
    return h;
}

/* Whose keys and values head i of a layer uses. */
static long kv_of(const struct encoder_heads *h, long i)
{
    return h->kv_of ? h->kv_of[i] : i * h->kv_heads / h->heads;
}

/* Which heads of a layer stay, in their order. */
struct kept {
    struct encoder_heads heads;
    long *head; /* (heads): index among the heads before */
    long *kv;   /* (kv_heads): likewise */
};

/* keep (H): by the heads' numbers in the whole model. */
static struct kept kept_of(struct arena *a, const struct encoder_heads *all, const bool *keep)
{
    struct kept k = {.heads = *all};
    struct encoder_heads *h = &k.heads;
    size_t most = (size_t)(all->heads > 0 ? all->heads : 1);
    int32_t *of = arena_alloc(a, most, sizeof *of);
    h->origin = arena_alloc(a, most, sizeof *h->origin);
    k.head = arena_alloc(a, most, sizeof *k.head);
    k.kv = arena_alloc(a, most, sizeof *k.kv);
    h->heads = h->kv_heads = 0;
    for (long i = 0; i < all->heads; i++) {
        if (!keep[all->origin[i]])
            continue;
        long kv = kv_of(all, i); /* rises with i */
        if (h->kv_heads == 0 || k.kv[h->kv_heads - 1] != kv)
            k.kv[h->kv_heads++] = kv;
        of[h->heads] = (int32_t)(h->kv_heads - 1);
        k.head[h->heads] = i;
        h->origin[h->heads++] = all->origin[i];
    }
    h->kv_of = h->kv_heads == h->heads ? NULL : of;
    if (h->width > 0) {
        size_t bytes = (size_t)h->width * sizeof *h->columns;
        h->columns = arena_alloc(a, most, bytes);
        for (long i = 0; i < h->heads; i++)
            memcpy(h->columns + i * h->width, all->columns + k.head[i] * h->width, bytes);
    }
    h->qkv_width = h->heads * h->d_k + h->kv_heads * (h->d_k + h->d_v);
    h->o_width = h->heads * h->d_v;
    return k;
}

/* Copies `count` rows of a matrix, or numbers of a vector. */
static void copy_rows(const struct tensor *from, long first, struct tensor *to, long at, long count)
{
    long width = from->shape.rank == 1 ? 1 : tensor_width(from);
    memcpy(to->data + at * width, from->data + first * width,
           (size_t)(count * width) * sizeof(real));
}

/* Copies what kept heads have of in_proj_weight or in_proj_bias. */
static void copy_in_projection(const struct encoder_heads *all, const struct kept *k,
                               const struct tensor *from, struct tensor *to)
{
    const struct encoder_heads *h = &k->heads;
    const long d_k = h->d_k, d_v = h->d_v;
    for (long i = 0; i < h->heads; i++)
        copy_rows(from, k->head[i] * d_k, to, i * d_k, d_k);
    for (long g = 0; g < h->kv_heads; g++) {
        copy_rows(from, (all->heads + k->kv[g]) * d_k, to, (h->heads + g) * d_k, d_k);
        copy_rows(from, (all->heads + all->kv_heads) * d_k + k->kv[g] * d_v, to,
                  (h->heads + h->kv_heads) * d_k + g * d_v, d_v);
    }
}

/* Copies the kept heads' columns of out_proj_weight. */
static void copy_out_projection(const struct kept *k, const struct tensor *from, struct tensor *to)
{
    const long d_v = k->heads.d_v, before = tensor_width(from), after = tensor_width(to);
    for (long c = 0; c < tensor_rows(from); c++)
        for (long i = 0; i < k->heads.heads; i++)
            memcpy(to->data + c * after + i * d_v, from->data + c * before + k->head[i] * d_v,
                   (size_t)d_v * sizeof(real));
}

/* Copies the parameters whose size does not depend on how many heads there are. */
static void copy_others(const struct encoder *e, struct encoder *to)
{
    for (int i = 0; i < to->nn.count; i++) {
        struct tensor *t = to->nn.list[i].tensor;
        const struct tensor *from = nn_find(&e->nn, t->name);
        if (tensor_size(from) == tensor_size(t))
            memcpy(t->data, from->data, (size_t)tensor_size(t) * sizeof(real));
    }
}

static enum status check_kept(const struct encoder *e, const bool *keep, struct message *m)
{
    const long H = e->shapes.heads;
    for (long l = 0; l < e->config.layers; l++) {
        const struct encoder_heads *h = &e->layer[l].heads;
        for (long head = 0, i = 0; head < H; head++) {
            bool there = i < h->heads && h->origin[i] == head;
            if (keep[l * H + head] && !there)
                return status_fail(m, STATUS_BAD_INPUT,
                                   "layer %ld cannot keep head %ld: it was taken away before", l,
                                   head);
            i += there;
        }
    }
    return STATUS_OK;
}

enum status encoder_keep_heads(struct arena *a, const struct encoder *e, const bool *keep,
                               bool wants_grad, struct encoder **out, struct message *m)
{
    enum status s = check_kept(e, keep, m);
    if (s != STATUS_OK)
        return s;
    const long L = (long)e->config.layers;
    struct encoder *to = arena_alloc(a, 1, sizeof *to);
    struct kept *kept = arena_alloc(a, (size_t)L, sizeof *kept);
    to->config = e->config;
    to->io = e->io;
    to->shapes = e->shapes;
    to->layer = arena_alloc(a, (size_t)L, sizeof *to->layer);
    for (long l = 0; l < L; l++) {
        kept[l] = kept_of(a, &e->layer[l].heads, keep + l * e->shapes.heads);
        to->layer[l].heads = kept[l].heads;
    }
    encoder_declare(a, to, wants_grad);
    copy_others(e, to);
    for (long l = 0; l < L; l++) {
        const struct encoder_layer *from = &e->layer[l];
        struct encoder_layer *layer = &to->layer[l];
        if (layer->heads.heads == 0)
            continue;
        copy_in_projection(&from->heads, &kept[l], from->in_proj_weight, layer->in_proj_weight);
        copy_in_projection(&from->heads, &kept[l], from->in_proj_bias, layer->in_proj_bias);
        copy_out_projection(&kept[l], from->out_proj_weight, layer->out_proj_weight);
    }
    *out = to;
    return STATUS_OK;
}
