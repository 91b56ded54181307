#include "sweep/cli/head_slices.h"

#include <stdio.h>
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
    int32_t *seen; /* (L,H,width); NULL where every head sees all */
    bool alike;    /* all layers see the same */
};

static struct sliced sliced_of(struct scope *x, const struct encoder_config *c, int64_t heads,
                               uint32_t seed)
{
    struct sliced s = {.config = *c, .alike = true};
    s.config.heads = heads;
    scope_check(x, encoder_shapes(&s.config, &s.shapes, x->message));
    if (s.shapes.width == 0)
        return s;
    const size_t layer = (size_t)(s.shapes.heads * s.shapes.width);
    s.seen = arena_alloc(&x->arena, layer * (size_t)c->layers, sizeof *s.seen);
    for (long l = 0; l < c->layers; l++) {
        int32_t *seen = s.seen + (size_t)l * layer;
        form_columns(&s.config, seed, l, s.shapes.width, seen);
        s.alike = s.alike && memcmp(seen, s.seen, layer * sizeof *seen) == 0;
    }
    return s;
}

static void add_slice(struct table *t, long first, long count)
{
    table_printf(t, "%ld:%ld", first, first + count);
}

/* "0:3,5,8:10": runs of neighbours as slices. */
static void add_seen(struct scope *x, struct table *t, const int32_t *seen, long width)
{
    struct text_buffer text = scope_text(x);
    for (long i = 0, end; i < width; i = end) {
        for (end = i + 1; end < width && seen[end] == seen[i] + (end - i);)
            end++;
        text_add(&text, "%s%d", i ? "," : "", (int)seen[i]);
        if (end > i + 1)
            text_add(&text, ":%ld", seen[i] + (end - i));
    }
    table_text(t, text.text);
}

static void add_head(struct scope *x, struct table *t, const struct sliced *s, long layer, long h,
                     bool people)
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
        add_seen(x, t, s->seen + (layer * e->heads + h) * e->width, e->width);
    else
        add_slice(t, 0, (long)s->config.d_model);
}

static void add_model(struct scope *x, struct table *t, const struct sliced *s, bool people)
{
    const long layers = people && s->alike ? 1 : (long)s->config.layers;
    for (long l = 0; l < layers; l++)
        for (long h = 0; h < s->shapes.heads; h++)
            add_head(x, t, s, l, h, people);
}

static void print_weights(const struct sliced *s, bool first)
{
    const struct encoder_shapes *e = &s->shapes;
    const char *plural = text_plural(e->heads);
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

static void print_model(struct scope *x, const struct sliced *s, bool first)
{
    struct table *t = table_new(x, columns);
    add_model(x, t, s, true);
    print_weights(s, first);
    table_write(t, TABLE_TEXT, text_color(stdout), stdout);
}

enum status head_slices_print(const struct encoder_config *c, const int64_t *heads, int count,
                              uint32_t seed, enum table_format f, struct message *m)
{
    struct scope *x = scope_new(NULL, "a table", m);
    if (scope_enter(x)) {
        struct table *all = table_new(x, columns); /* of programs */
        struct sliced *s = arena_alloc(&x->arena, (size_t)count, sizeof *s);
        for (int i = 0; i < count; i++) /* refuses before anything is printed */
            s[i] = sliced_of(x, c, heads[i], seed);
        for (int i = 0; i < count; i++) {
            if (f == TABLE_TEXT)
                print_model(x, &s[i], i == 0);
            else
                add_model(x, all, &s[i], false);
        }
        if (f != TABLE_TEXT)
            table_write(all, f, false, stdout);
    }
    return scope_end(x);
}
