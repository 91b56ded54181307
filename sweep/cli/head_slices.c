#include "sweep/cli/head_slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/form.h"
#include "engine/kernels/attention.h"

static const struct table_column columns[] = {{.name = "heads", .right = true},
                                              {.name = "layer", .title = "layer", .right = true},
                                              {.name = "head", .title = "head", .right = true},
                                              {.name = "q_rows", .title = "q rows"},
                                              {.name = "k_rows", .title = "k rows"},
                                              {.name = "v_rows", .title = "v rows"},
                                              {.name = "out_columns", .title = "out columns"},
                                              {.name = "sees", .title = "sees"},
                                              {0}};

/* A model with one of the head counts. */
struct sliced {
    struct encoder_config config;
    struct encoder_shapes shapes;
    int32_t *seen; /* (L,H,width), malloc; NULL where every head sees all */
    bool alike;    /* all layers see the same */
};

static enum status sliced_new(struct sliced *s, const struct encoder_config *c, int64_t heads,
                              uint32_t seed, struct message *m)
{
    *s = (struct sliced){.config = *c, .alike = true};
    s->config.heads = heads;
    enum status status = encoder_shapes(&s->config, &s->shapes, m);
    if (status != STATUS_OK || s->shapes.width == 0)
        return status;
    const size_t layer = (size_t)(s->shapes.heads * s->shapes.width);
    s->seen = calloc(layer * (size_t)c->layers, sizeof *s->seen);
    if (!s->seen)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the columns of %ld heads",
                           s->shapes.heads);
    for (long l = 0; l < c->layers; l++) {
        int32_t *seen = s->seen + (size_t)l * layer;
        form_columns(&s->config, seed, l, s->shapes.width, seen);
        s->alike = s->alike && memcmp(seen, s->seen, layer * sizeof *seen) == 0;
    }
    return STATUS_OK;
}

static void add_slice(struct table *t, long first, long count)
{
    table_printf(t, "%ld:%ld", first, first + count);
}

/* "0:3,5,8:10": runs of neighbours as slices. */
static void add_seen(struct table *t, const int32_t *seen, long width)
{
    struct text_buffer text = {0};
    for (long i = 0, end; i < width; i = end) {
        for (end = i + 1; end < width && seen[end] == seen[i] + (end - i);)
            end++;
        text_add(&text, "%s%d", i ? "," : "", (int)seen[i]);
        if (end > i + 1)
            text_add(&text, ":%ld", seen[i] + (end - i));
    }
    table_buffer(t, &text);
}

static void add_head(struct table *t, const struct sliced *s, long layer, long h, bool people)
{
    const struct encoder_shapes *e = &s->shapes;
    const struct attention a = {.H = e->heads, .G = e->kv_heads, .d_k = e->d_k, .d_v = e->d_v};
    const long g = attention_kv(&a, h);
    table_integer(t, e->heads);
    if (people && s->alike)
        table_text(t, "all");
    else
        table_integer(t, layer);
    table_integer(t, h);
    add_slice(t, h * e->d_k, e->d_k);
    add_slice(t, attention_key_column(&a, g), e->d_k);
    add_slice(t, attention_value_column(&a, g), e->d_v);
    add_slice(t, h * e->d_v, e->d_v);
    if (s->seen)
        add_seen(t, s->seen + (layer * e->heads + h) * e->width, e->width);
    else
        add_slice(t, 0, (long)s->config.d_model);
}

static void add_model(struct table *t, const struct sliced *s, bool people)
{
    const long layers = people && s->alike ? 1 : (long)s->config.layers;
    for (long l = 0; l < layers; l++)
        for (long h = 0; h < s->shapes.heads; h++)
            add_head(t, s, l, h, people);
}

static void print_weights(const struct sliced *s, bool first)
{
    const struct encoder_shapes *e = &s->shapes;
    const char *plural = e->heads == 1 ? "" : "s";
    printf("%s%ld head%s, d_k %ld, d_v %ld", first ? "" : "\n", e->heads, plural, e->d_k, e->d_v);
    if (e->kv_heads != e->heads)
        printf(", keys and values of %ld", e->kv_heads);
    printf("; in encoder.layers.{layer}.self_attn:\n"
           "  in_proj_weight (%ld,%ld), in_proj_bias (%ld): q, k and v rows\n"
           "  out_proj.weight (%lld,%ld): out columns\n",
           e->qkv_width, e->inputs, e->qkv_width, (long long)s->config.d_model, e->o_width);
    if (e->width > 0)
        printf(
            "  column i of a head's rows of in_proj_weight meets the i-th column that it sees\n");
    putchar('\n');
}

static enum status print_model(const struct sliced *s, bool first, struct message *m)
{
    struct table *t = table_new(columns);
    add_model(t, s, true);
    print_weights(s, first);
    enum status status = table_write(t, TABLE_TEXT, text_color(stdout), stdout, m);
    table_free(t);
    return status;
}

/* Refuses before anything is printed. */
static enum status check_all(const struct encoder_config *c, const int64_t *heads, int count,
                             struct message *m)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        struct encoder_shapes shapes;
        struct encoder_config one = *c;
        one.heads = heads[i];
        status = encoder_shapes(&one, &shapes, m);
    }
    return status;
}

enum status head_slices_print(const struct encoder_config *c, const int64_t *heads, int count,
                              uint32_t seed, enum table_format f, struct message *m)
{
    enum status status = check_all(c, heads, count, m);
    if (status != STATUS_OK)
        return status;
    struct table *all = table_new(columns); /* of programs */
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        struct sliced s;
        status = sliced_new(&s, c, heads[i], seed, m);
        if (status == STATUS_OK && f == TABLE_TEXT)
            status = print_model(&s, i == 0, m);
        else if (status == STATUS_OK)
            add_model(all, &s, false);
        free(s.seen);
    }
    if (status == STATUS_OK && f != TABLE_TEXT)
        status = table_write(all, f, false, stdout, m);
    table_free(all);
    return status;
}
