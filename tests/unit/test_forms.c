/* Forms of heads, shared keys and values, masks, and heads that are taken away: what each head
 * sees, and what the model computes then. */
#include "engine/encoder_cost.h"
#include "engine/form.h"
#include "tests/test.h"
#include "tests/unit/encoder_model.h"

static void set(struct encoder_config *c, const char *option, const char *word)
{
    struct message m;
    if (option_parse(option_find(encoder_options, option), "model", word, false, c, &m))
        fail_msg("%s", m.text);
}

/* The models of these tests: 2 layers, 4 heads unless the form lets there be 5. */
static const struct variant {
    const char *name, *option[4][2];
} variants[] = {
    {"project", {{"form", "project"}}},
    {"post-norm", {{"norm", "post"}}},
    {"wide", {{"heads", "5"}, {"d_k", "2"}, {"d_v", "7"}}},
    {"two for all", {{"kv_heads", "2"}}},
    {"one for all, causal", {{"kv_heads", "1"}, {"mask", "causal"}}},
    {"cut", {{"form", "cut"}}},
    {"segments", {{"form", "segments"}, {"segment_width", "3"}}},
    {"rotary", {{"positions", "rotary"}}},
    {"rotary, two for all", {{"positions", "rotary"}, {"kv_heads", "2"}, {"d_k", "6"}}},
    {"rotary, cut", {{"positions", "rotary"}, {"form", "cut"}, {"mask", "causal"}}},
    {"overlap",
     {{"form", "segments"}, {"heads", "5"}, {"segment_overlap", "true"}, {"segment_width", "6"}}},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static struct encoder_config config_of(const struct variant *v)
{
    struct encoder_config c = defaults();
    c.layers = 2;
    for (int i = 0; i < 4 && v->option[i][0]; i++)
        set(&c, v->option[i][0], v->option[i][1]);
    return c;
}

/* Biases away from 0, so that a wrong place shows. */
static void stir(struct encoder *e)
{
    struct rng r = rng_at(3, RNG_INIT, 0, 0);
    for (long i = 0; i < e->nn.size; i++)
        e->nn.data[i] += (real)(0.2 * rng_normal(&r));
}

TEST(linear_heads_is_what_it_says)
{
    enum { M = 7, C = 9, H = 3, DK = 2, DV = 5, K = 4, N = H * (2 * DK + DV) };
    static const int32_t columns[H * K] = {0, 1, 2, 3, 8, 2, 5, 0, 5, 6, 7, 8};
    struct arena a;
    struct message m;
    arena_init(&a, NULL);
    struct tensor *x = tensor_new(&a, "x", SHAPE(M, C), false);
    struct tensor *w = tensor_new(&a, "w", SHAPE(N, K), false);
    struct tensor *bias = tensor_new(&a, "bias", SHAPE(N), false);
    struct tensor *const drawn[] = {x, w, bias};
    struct rng r = rng_at(1, RNG_DATA, 0, 0);
    for (int k = 0; k < 3; k++)
        for (long i = 0; i < tensor_size(drawn[k]); i++)
            drawn[k]->data[i] = (real)rng_normal(&r);
    for (int with_bias = 0; with_bias < 2; with_bias++) {
        struct graph *g = graph_new(&a, M, true);
        struct linear_heads_options o = {.heads = H, .d_k = DK, .d_v = DV, .columns = columns};
        struct tensor *y = graph_linear_heads(g, x, w, with_bias ? bias : NULL, o);
        assert_int_equal(graph_finish(g, &m), STATUS_OK);
        graph_forward(g, &(struct pass){0});
        for (long i = 0; i < M; i++)
            for (long n = 0; n < N; n++) {
                long h = n < 2 * H * DK ? n / DK % H : (n - 2 * H * DK) / DV;
                double sum = with_bias ? (double)bias->data[n] : 0;
                for (long k = 0; k < K; k++)
                    sum += (double)w->data[n * K + k] * (double)x->data[i * C + columns[h * K + k]];
                assert_true(fabs((double)y->data[i * N + n] - sum) <= 1e-5 + 1e-5 * fabs(sum));
            }
    }
    arena_free(&a);
}

/* How many heads of a layer see each column; checks that columns rise within a head. */
static void count_columns(const struct encoder_heads *h, int *seen, long C)
{
    memset(seen, 0, (size_t)C * sizeof *seen);
    for (long i = 0; i < h->heads * h->width; i++) {
        assert_in_range(h->columns[i], 0, C - 1);
        assert_true(i % h->width == 0 || h->columns[i] > h->columns[i - 1]);
        seen[h->columns[i]]++;
    }
}

TEST(columns_of_forms)
{
    static struct model m, other;
    int seen[16];
    struct encoder_config c = defaults();
    c.layers = 2;
    model_new(&m, &c);
    assert_null(m.encoder->layer[0].heads.columns);
    arena_free(&m.arena);
    set(&c, "form", "cut");
    model_new(&m, &c);
    for (int i = 0; i < 16; i++)
        assert_int_equal(m.encoder->layer[1].heads.columns[i], i);
    arena_free(&m.arena);

    set(&c, "form", "segments");
    c.heads = 5;
    c.segment_width = 3;
    model_new(&m, &c);
    model_new(&other, &c);
    size_t bytes = 15 * sizeof(int32_t);
    for (int l = 0; l < 2; l++) {
        int sum = 0;
        count_columns(&m.encoder->layer[l].heads, seen, 16);
        for (int i = 0; i < 16; i++) {
            assert_in_range(seen[i], 0, 1);
            sum += seen[i];
        }
        assert_int_equal(sum, 15);
        assert_memory_equal(m.encoder->layer[l].heads.columns,
                            other.encoder->layer[l].heads.columns, bytes);
    }
    assert_memory_not_equal(m.encoder->layer[0].heads.columns, m.encoder->layer[1].heads.columns,
                            bytes);
    encoder_init(other.encoder, 2);
    assert_memory_not_equal(m.encoder->layer[0].heads.columns,
                            other.encoder->layer[0].heads.columns, bytes);
    arena_free(&m.arena);
    arena_free(&other.arena);

    c.segment_overlap = 1;
    c.segment_width = 12;
    model_new(&m, &c);
    count_columns(&m.encoder->layer[0].heads, seen, 16);
    assert_memory_not_equal(m.encoder->layer[0].heads.columns,
                            m.encoder->layer[0].heads.columns + 12, 12 * sizeof(int32_t));
    arena_free(&m.arena);
}

/* Overlapping segments favour no column: how often each is seen has mean n*w/C and, as choices are
 * independent, a standard deviation below sqrt(n*w/C). Disjoint ones: every column once. */
TEST(segments_favour_no_column)
{
    enum { C = 16, H = 5, W = 3, LAYERS = 2000 };
    struct encoder_config c = defaults();
    c.heads = H;
    for (c.segment_overlap = 0; c.segment_overlap < 2; c.segment_overlap++) {
        int of_first[C] = {0};
        int32_t columns[H * W];
        for (uint32_t l = 0; l < LAYERS; l++) {
            struct rng r = rng_at(1, RNG_FORM, 0, l);
            form_segments.draw(&c, (long)l, W, &r, columns);
            for (int k = 0; k < W; k++)
                of_first[columns[k]]++;
        }
        double mean = LAYERS * W / (double)C;
        for (int i = 0; i < C; i++)
            assert_true(fabs(of_first[i] - mean) < 4 * sqrt(mean));
    }
}

TEST(shapes_of_forms)
{
    struct encoder_shapes s;
    struct encoder_config c = config_of(&variants[3]);
    assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_OK);
    assert_each(s.kv_heads == 2, s.width == 0, s.inputs == 16, s.qkv_width == 4 * 4 + 2 * 8);
    c = config_of(&variants[5]);
    assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_OK);
    assert_each(s.kv_heads == 4, s.width == 4, s.inputs == 4, s.d_k == 4, s.o_width == 16);
    c = config_of(&variants[10]);
    assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_OK);
    assert_each(s.width == 6, s.d_v == 6, s.qkv_width == 90, s.o_width == 30);
    c.d_v = 2; /* widths may still be given */
    assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_OK);
    assert_each(s.width == 6, s.d_k == 6, s.d_v == 2);
}

/* A position changes only those from itself on. */
TEST(causal_models_do_not_look_ahead)
{
    static struct model m;
    enum { ROW = S * OUT };
    real before[B * T * ROW];
    struct encoder_config c = config_of(&variants[4]);
    model_new(&m, &c);
    memcpy(before, model_run(&m), sizeof before);
    const long at = T + 3;
    m.tokens[at * 2] = (m.tokens[at * 2] + 1) % V;
    const real *after = model_run(&m);
    for (long r = 0; r < B * T; r++) {
        bool changed = memcmp(before + r * ROW, after + r * ROW, ROW * sizeof(real)) != 0;
        assert_int_equal(changed, r >= at && r < 2 * T);
    }
    arena_free(&m.arena);
}

/* Sets a head's columns of out_proj_weight to 0. */
static void silence(struct encoder *e, long layer, long head)
{
    struct tensor *w = e->layer[layer].out_proj_weight;
    const long d_v = e->shapes.d_v;
    for (long c = 0; c < tensor_rows(w); c++)
        memset(w->data + c * tensor_width(w) + head * d_v, 0, (size_t)d_v * sizeof(real));
}

/* The same predictions, and each logit within 1e-5 of its row's largest. */
static void check_equal(const real *a, const real *b, const char *name)
{
    for (long r = 0; r < B * T * S; r++) {
        const real *x = a + r * OUT, *y = b + r * OUT;
        double largest = 0;
        int best_x = 0, best_y = 0;
        for (int v = 0; v < OUT; v++) {
            largest = fmax(largest, fabs((double)x[v]));
            best_x = x[v] > x[best_x] ? v : best_x;
            best_y = y[v] > y[best_y] ? v : best_y;
        }
        for (int v = 0; v < OUT; v++)
            if (!(fabs((double)x[v] - (double)y[v]) <= 1e-5 * largest))
                fail_msg("%s: %.9g and %.9g in row %ld", name, (double)x[v], (double)y[v], r);
        assert_int_equal(best_x, best_y);
    }
}

static const real *run_tape(struct model *m, const struct encoder *e)
{
    struct graph *g;
    struct tensor *logits;
    struct message why;
    if (encoder_graph(&m->arena, e, B, true, NULL, NULL, &g, &logits, &why) != STATUS_OK)
        fail_msg("%s", why.text);
    struct pass p = {.batch = B, .tokens = m->tokens, .padding = m->padding};
    graph_forward(g, &p);
    return logits->data;
}

/* Multiply-adds x 2 of a tape's products, from the shapes of its nodes. */
static long count_products(const struct encoder *e)
{
    long sum = 0;
    for (long l = 0; l < e->config.layers; l++) {
        const struct encoder_layer *layer = &e->layer[l];
        const struct encoder_heads *h = &layer->heads;
        long pairs = e->config.mask == MASK_CAUSAL ? T * (T + 1) / 2 : T * T;
        sum += T * (tensor_size(layer->linear1_weight) + tensor_size(layer->linear2_weight));
        if (h->heads > 0)
            sum += T * (tensor_size(layer->in_proj_weight) + tensor_size(layer->out_proj_weight)) +
                   h->heads * pairs * (h->d_k + h->d_v);
    }
    return 2 * (sum + T * tensor_size(e->out_weight));
}

/* For every model: with half of the heads, with one head in all, with none, and from half of them
 * one after the other. */
TEST(fewer_heads_are_the_others_silenced)
{
    static struct model m;
    struct message why;
    for (int v = 0; v < VARIANTS; v++) {
        struct encoder_config c = config_of(&variants[v]);
        const long H = (long)c.heads;
        for (int which = 0; which < 4; which++) {
            bool keep[2 * 5] = {0}, first[2 * 5] = {0};
            struct encoder *smaller, *half;
            model_new(&m, &c);
            stir(m.encoder);
            m.padding[4] = 1;
            for (long i = 0; i < 2 * H; i++) {
                first[i] = i % 3 != 1;
                keep[i] = which == 0   ? first[i]
                          : which == 1 ? i == H + 2
                                       : which == 3 && i % 3 == 2;
            }
            const struct encoder *from = m.encoder;
            if (which == 3) {
                assert_int_equal(encoder_keep_heads(&m.arena, from, first, false, &half, &why),
                                 STATUS_OK);
                from = half;
            }
            assert_int_equal(encoder_keep_heads(&m.arena, from, keep, true, &smaller, &why),
                             STATUS_OK);
            for (long i = 0; i < 2 * H; i++)
                if (!keep[i])
                    silence(m.encoder, i / H, i % H);
            check_equal(model_run(&m), run_tape(&m, smaller), variants[v].name);
            assert_true(smaller->nn.size < m.encoder->nn.size);
            assert_true(encoder_flops(smaller) == (double)count_products(smaller));
            assert_true(3 * B * encoder_flops(m.encoder) == encoder_step_flops(&c, &io, B));
            if (which == 2)
                assert_null(nn_find(&smaller->nn, "encoder.layers.1.self_attn.in_proj_weight"));
            if (which == 3) {
                first[1] = true;
                assert_int_equal(encoder_keep_heads(&m.arena, half, first, false, &smaller, &why),
                                 STATUS_BAD_INPUT);
                assert_string_equal(why.text,
                                    "layer 0 cannot keep head 1: it was taken away before");
            }
            arena_free(&m.arena);
        }
    }
}

/* Of 4 heads that use 2 heads of keys and values, 1 and 2 stay: one of each; 2 and 3: only the
 * second. */
TEST(keys_and_values_go_with_their_last_head)
{
    static struct model m;
    struct message why;
    struct encoder *smaller;
    struct encoder_config c = config_of(&variants[3]);
    const bool keep[] = {false, true, true, false, false, false, true, true};
    model_new(&m, &c);
    assert_int_equal(encoder_keep_heads(&m.arena, m.encoder, keep, false, &smaller, &why),
                     STATUS_OK);
    const struct encoder_heads *a = &smaller->layer[0].heads, *b = &smaller->layer[1].heads;
    assert_each(a->heads == 2, a->kv_heads == 2, a->kv_of == NULL, a->origin[0] == 1);
    assert_each(b->heads == 2, b->kv_heads == 1, b->kv_of[0] == 0, b->kv_of[1] == 0);
    assert_int_equal(b->origin[1], 3);
    assert_int_equal(tensor_rows(smaller->layer[1].in_proj_weight), 2 * 4 + 1 * 8);
    arena_free(&m.arena);
}

/* order (H): which head comes to stand at each place, such that heads which shared keys and values
 * still do: groups change places, and heads within their group. */
static void draw_order(const struct encoder_heads *h, struct rng *r, uint32_t *order)
{
    uint32_t groups[8], within[8];
    const uint32_t G = (uint32_t)h->kv_heads, each = (uint32_t)(h->heads / h->kv_heads);
    rng_permutation(r, groups, G);
    for (uint32_t g = 0; g < G; g++) {
        rng_permutation(r, within, each);
        for (uint32_t i = 0; i < each; i++)
            order[g * each + i] = groups[g] * each + within[i];
    }
}

/* Puts the heads of a layer of `from` into `to` in another order: their rows of in_proj_weight and
 * in_proj_bias, their columns of out_proj_weight, and the columns that they see. */
static void permute_layer(const struct encoder_layer *from, struct encoder_layer *to,
                          const uint32_t *order)
{
    const struct encoder_heads *h = &from->heads;
    const struct init_role in = {.kind = INIT_ATTENTION_WEIGHT,
                                 .heads = {h->heads, h->kv_heads, h->d_k, h->d_v}};
    const struct init_role out = {.kind = INIT_ATTENTION_OUTPUT, .heads = in.heads};
    const long each = h->heads / h->kv_heads;
    struct tensor *const list[][2] = {{from->in_proj_weight, to->in_proj_weight},
                                      {from->in_proj_bias, to->in_proj_bias},
                                      {from->out_proj_weight, to->out_proj_weight}};
    for (int k = 0; k < 3; k++) {
        struct init_block x, y;
        long kind, unused;
        struct tensor source = *list[k][0], target = *list[k][1];
        if (k == 1) /* a bias is a matrix of one column */
            source.shape = target.shape = SHAPE(tensor_size(&source), 1);
        const struct init_role *role = k < 2 ? &in : &out;
        for (long i = 0; init_block(&target, role, i, &y, &kind); i++) {
            long place = i - kind;
            long head = kind == 0 ? order[place] : order[place * each] / each;
            init_block(&source, role, kind + head, &x, &unused);
            for (long row = 0; row < y.rows; row++)
                memcpy(y.data + row * y.stride, x.data + row * x.stride,
                       (size_t)y.columns * sizeof(real));
        }
    }
    for (long i = 0; i < h->heads && h->width > 0; i++)
        memcpy(to->heads.columns + i * h->width, h->columns + order[i] * h->width,
               (size_t)h->width * sizeof *h->columns);
}

/* Which head is called which is nothing that the model knows. The heads' shares of the projection
 * behind them are added in another order, so logits may differ by rounding: 1e-5 of the largest of
 * their row, some hundred times the precision of a float. Heads permuted without their columns of
 * out_proj_weight are others. */
TEST(the_order_of_heads_means_nothing)
{
    static struct model m, other;
    for (int v = 0; v < VARIANTS; v++) {
        struct encoder_config c = config_of(&variants[v]);
        struct rng r = rng_at(5, RNG_DATA, (uint64_t)v, 0);
        model_new(&m, &c);
        stir(m.encoder);
        m.padding[T + 1] = 1;
        model_new(&other, &c);
        memcpy(other.padding, m.padding, sizeof m.padding);
        memcpy(other.encoder->nn.data, m.encoder->nn.data,
               (size_t)m.encoder->nn.size * sizeof(real));
        for (long l = 0; l < c.layers; l++) {
            uint32_t order[8];
            draw_order(&m.encoder->layer[l].heads, &r, order);
            permute_layer(&m.encoder->layer[l], &other.encoder->layer[l], order);
        }
        assert_memory_not_equal(m.encoder->nn.data, other.encoder->nn.data,
                                (size_t)m.encoder->nn.size * sizeof(real));
        check_equal(model_run(&m), model_run(&other), variants[v].name);
        for (long l = 0; l < c.layers; l++)
            memcpy(other.encoder->layer[l].out_proj_weight->data,
                   m.encoder->layer[l].out_proj_weight->data,
                   (size_t)tensor_size(m.encoder->layer[l].out_proj_weight) * sizeof(real));
        assert_memory_not_equal(m.logits->data, model_run(&other), 100);
        arena_free(&m.arena);
        arena_free(&other.arena);
    }
}
