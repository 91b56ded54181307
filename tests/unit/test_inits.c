/* Initialisations that know of heads, and what becomes of heads that start the same. */
#include "engine/base/sha256.h"
#include "engine/form.h"
#include "engine/train.h"
#include "tests/test.h"
#include "tests/unit/encoder_model.h"

static struct encoder_config with_init(const char *word)
{
    struct message m;
    struct encoder_config c = defaults();
    if (option_parse(option_find(encoder_options, "init"), "model", word, false, &c, &m))
        fail_msg("%s", m.text);
    return c;
}

/* The i-th block of one of the first layer's attention matrices. */
static bool block_of(const struct encoder *e, enum init_kind kind, long i, struct init_block *b,
                     long *of_kind)
{
    const struct encoder_layer *l = &e->layer[0];
    const struct encoder_heads *h = &l->heads;
    struct init_role role = {.kind = kind, .heads = {h->heads, h->kv_heads, h->d_k, h->d_v}};
    return init_block(kind == INIT_ATTENTION_OUTPUT ? l->out_proj_weight : l->in_proj_weight, &role,
                      i, b, of_kind);
}

static double at(const struct init_block *b, long row, long column)
{
    return (double)b->data[row * b->stride + column];
}

/* Every number that stored trials began with; normal numbers depend on the C library's cos and log
 * and are left out. */
TEST(earlier_initialisations_are_what_they_were)
{
    static const char *const sha256[][2] = {
        {"pytorch", "e1adea95f84f4709429ea1ba08942ae686e833ff8d2f99ffddaf6610db3c5cb1"},
        {"xavier", "480edb408da258439711fedbb3aa850b4add623c388fae815ee4cb9573d31253"},
    };
    for (int k = 0; k < 2; k++) {
        static struct model m;
        struct sha256 digest;
        char hex[65];
        struct encoder_config c = with_init(sha256[k][0]);
        c.d_k = 3;
        model_new(&m, &c);
        const struct encoder_layer *l = &m.encoder->layer[0];
        const struct tensor *const list[] = {l->in_proj_weight, l->out_proj_weight,
                                             l->out_proj_bias,  l->linear1_weight,
                                             l->linear1_bias,   m.encoder->out_weight};
        sha256_init(&digest);
        for (int i = 0; i < 6; i++)
            sha256_update(&digest, list[i]->data, (size_t)tensor_size(list[i]) * sizeof(real));
        sha256_final(&digest, hex);
        assert_string_equal(hex, sha256[k][1]);
        assert_each(l->in_proj_bias->data[5] == 0, l->norm1_weight->data[3] == 1,
                    l->norm2_weight->data[3] == 1, l->norm2_bias->data[3] == 0,
                    m.encoder->norm_weight->data[3] == 1);
        arena_free(&m.arena);
    }
}

/* The blocks of queries, keys and values of 4 heads, 2 of keys and values, cover the matrix once.
 */
TEST(blocks_cover_the_matrices)
{
    static struct model m;
    struct encoder_config c = with_init("pytorch");
    struct init_block b;
    long of_kind, i;
    c.kv_heads = 2;
    c.d_v = 7;
    model_new(&m, &c);
    struct tensor *const matrix[] = {m.encoder->layer[0].in_proj_weight,
                                     m.encoder->layer[0].out_proj_weight};
    static const long first[][9] = {{0, 0, 0, 0, 4, 4, 6, 6, -1}, {0, 0, 0, 0, -1}};
    for (int k = 0; k < 2; k++) {
        enum init_kind kind = k ? INIT_ATTENTION_OUTPUT : INIT_ATTENTION_WEIGHT;
        for (long n = 0; n < tensor_size(matrix[k]); n++)
            matrix[k]->data[n] = 0;
        for (i = 0; block_of(m.encoder, kind, i, &b, &of_kind); i++) {
            assert_int_equal(of_kind, first[k][i]);
            for (long n = 0; n < b.rows * b.columns; n++)
                b.data[n / b.columns * b.stride + n % b.columns] += 1;
        }
        assert_int_equal(first[k][i], -1);
        for (long n = 0; n < tensor_size(matrix[k]); n++)
            assert_true(matrix[k]->data[n] == 1);
    }
    arena_free(&m.arena);
}

TEST(xavier_by_each_heads_own_size)
{
    static struct model m;
    struct encoder_config c = with_init("xavier_per_head");
    c.d_k = 8;
    c.d_v = 40;
    model_new(&m, &c);
    for (int k = 0; k < 2; k++) {
        struct init_block b;
        long of_kind;
        enum init_kind kind = k ? INIT_ATTENTION_OUTPUT : INIT_ATTENTION_WEIGHT;
        for (long i = 0; block_of(m.encoder, kind, i, &b, &of_kind); i++) {
            double most = 0, bound = sqrt(6.0 / (16 + (k || i >= 8 ? 40 : 8)));
            for (long n = 0; n < b.rows * b.columns; n++)
                most = fmax(most, fabs(at(&b, n / b.columns, n % b.columns)));
            assert_each(most <= 1.000001 * bound, most > 0.9 * bound);
        }
    }
    assert_true(m.encoder->layer[0].linear1_bias->data[0] == 0);
    arena_free(&m.arena);
}

TEST(orthonormal_by_head)
{
    static struct model m;
    for (int wide = 0; wide < 2; wide++) {
        struct encoder_config c = with_init("orthogonal_per_head");
        c.d_v = wide ? 20 : 16; /* wider than the model's 16: columns where it would be rows */
        model_new(&m, &c);
        for (int k = 0; k < 2; k++) {
            struct init_block b;
            long of_kind;
            enum init_kind kind = k ? INIT_ATTENTION_OUTPUT : INIT_ATTENTION_WEIGHT;
            for (long i = 0; block_of(m.encoder, kind, i, &b, &of_kind); i++) {
                bool rows = b.rows <= b.columns;
                long n = rows ? b.rows : b.columns, length = rows ? b.columns : b.rows;
                for (long x = 0; x < n; x++)
                    for (long y = 0; y < n; y++) {
                        double sum = 0;
                        for (long j = 0; j < length; j++)
                            sum += rows ? at(&b, x, j) * at(&b, y, j) : at(&b, j, x) * at(&b, j, y);
                        assert_true(fabs(sum - (x == y)) < 1e-5);
                    }
            }
        }
        assert_true(m.encoder->layer[0].in_proj_bias->data[0] == 0);
        arena_free(&m.arena);
    }
}

/* Whether all heads of the first layer have the numbers of the first of their kind, to the bit. */
static bool heads_are_identical(const struct encoder *e)
{
    for (int k = 0; k < 2; k++) {
        struct init_block b, first;
        long of_kind, unused;
        enum init_kind kind = k ? INIT_ATTENTION_OUTPUT : INIT_ATTENTION_WEIGHT;
        for (long i = 0; block_of(e, kind, i, &b, &of_kind); i++) {
            block_of(e, kind, of_kind, &first, &unused);
            for (long row = 0; row < b.rows; row++)
                if (memcmp(b.data + row * b.stride, first.data + row * first.stride,
                           (size_t)b.columns * sizeof(real)) != 0)
                    return false;
        }
    }
    return true;
}

/* Each target is a token some places on. */
static enum status shift_task(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)context, (void)m;
    struct rng r = rng_at(7, RNG_DATA, (uint64_t)step, 0);
    for (long i = 0; i < e->n * T * 2; i++)
        e->tokens[i] = (int32_t)rng_below(&r, (uint32_t)io.vocab[i % 2]);
    for (long i = 0; i < e->n * T * S; i++)
        e->targets[i] = e->tokens[i / (T * S) * T * 2 + (i / S + 1 + i % S) % T * 2] % OUT;
    return STATUS_OK;
}

/* Trains the first 60 steps on a table of kernels. */
static bool identical_after_training(struct encoder_config c, const struct kernels *kernels)
{
    struct arena a;
    struct trainer *t;
    struct message m;
    struct train_config train;
    option_defaults(train_options, &train);
    train.batch = 24;
    train.lr = 1e-2;
    arena_init(&a, NULL);
    if (trainer_new(&a, &c, &io, &train, 1, shift_task, NULL, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    t->kernels = kernels;
    bool before = heads_are_identical(t->encoder);
    double first = (double)t->encoder->layer[0].in_proj_weight->data[0];
    for (int i = 0; i < 60; i++)
        assert_int_equal(trainer_step(t, &m), STATUS_OK);
    assert_true((double)t->encoder->layer[0].in_proj_weight->data[0] != first);
    bool after = heads_are_identical(t->encoder);
    assert_true(before || !after);
    arena_free(&a);
    return after;
}

/* Where the products of the attention block are this program's own, the sums of every head are
 * taken in the same order, and symmetry is kept to the bit: heads that start the same stay one
 * head, until dropout tells them apart. (OpenBLAS has CPUs for which it takes the sums at a
 * matrix's edge in another order; there rounding tells them apart after some steps.) */
TEST(identical_heads_stay_identical)
{
    const struct kernels *k;
    for (int i = 0; (k = kernels_available(i)); i++) {
        for (int which = 0; which < 9; which++) {
            struct encoder_config c = with_init("identical");
            struct encoder_shapes s;
            c.heads = 2 << which % 3;
            c.d_head = which / 3 ? 8 : WIDTH_WORD;
            c.kv_heads = which / 6 ? 2 : WIDTH_WORD;
            assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_OK);
            if (k->linear_suits(s.qkv_width, 16) && k->linear_suits(16, s.o_width))
                assert_true(identical_after_training(c, k));
        }
    }
    struct encoder_config c = with_init("identical");
    c.dropout = 0.1;
    assert_false(identical_after_training(c, kernels_best()));
    c = with_init("pytorch");
    assert_false(identical_after_training(c, kernels_best()));
}
