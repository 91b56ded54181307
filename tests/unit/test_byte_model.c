/* Byte models against a reference that counts in the text itself, and what must hold of any. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "datasets/byte_model.h"
#include "engine/base/rng.h"

#include "tests/test.h"

enum { SIZE = 600, ORDERS = BYTE_MODEL_ORDERS };

/* Texts one after the other: byte i is the first of another one where begins[i]. */
struct texts {
    uint8_t byte[SIZE];
    bool begins[SIZE];
};

/* Whether the k bytes before i and those before j are of one text each, and the same. */
static bool same_before(const struct texts *t, int i, int j, int k)
{
    for (int n = 0; n < k; n++)
        if (j - n == 0 || t->begins[j - n] || t->begins[i - n] ||
            t->byte[j - n - 1] != t->byte[i - n - 1])
            return false;
    return true;
}

static double reference(const struct texts *t, int i, int order, uint8_t byte)
{
    double p = 1. / 256;
    for (int k = 0; k <= order; k++) {
        double followed = 0, followers = 0, seen = 0;
        bool different[256] = {false};
        for (int j = 0; j < i; j++) {
            if (!same_before(t, i, j, k))
                continue;
            followed++;
            followers += !different[t->byte[j]];
            different[t->byte[j]] = true;
            seen += t->byte[j] == byte;
        }
        if (followed > 0)
            p = (seen + followers * p) / (followed + followers);
    }
    return p;
}

/* A few letters, so that contexts come again; seldom any byte. */
static void draw_texts(struct texts *t)
{
    struct rng r = rng_at(4, RNG_DATA, 0, 0);
    for (int i = 0; i < SIZE; i++) {
        t->byte[i] = (uint8_t)(rng_below(&r, 16) ? 'a' + rng_below(&r, 3) : rng_below(&r, 256));
        t->begins[i] = i == 0 || rng_below(&r, 50) == 0;
    }
}

TEST(models_count_as_the_reference)
{
    static struct texts t;
    struct byte_model *m = byte_model_new();
    assert_non_null(m);
    draw_texts(&t);
    for (int i = 0; i < SIZE; i++) {
        double bits[ORDERS];
        if (t.begins[i])
            byte_model_restart(m);
        byte_model_bits(m, t.byte[i], bits);
        for (int k = 0; k < ORDERS; k++)
            if (fabs(bits[k] + log2(reference(&t, i, k, t.byte[i]))) > 1e-9)
                fail_msg("byte %d, order %d: %.12g bits", i, k, bits[k]);
        assert_true(byte_model_learn(m, t.byte[i]));
    }
    byte_model_free(m);
}

TEST(probabilities_add_up_to_one)
{
    static struct texts t;
    struct byte_model *m = byte_model_new();
    assert_non_null(m);
    draw_texts(&t);
    for (int i = 0; i < SIZE; i++) {
        double sum[ORDERS] = {0}, bits[ORDERS];
        if (t.begins[i])
            byte_model_restart(m);
        for (int byte = 0; byte < 256; byte++) {
            byte_model_bits(m, (uint8_t)byte, bits);
            for (int k = 0; k < ORDERS; k++)
                sum[k] += exp2(-bits[k]);
        }
        for (int k = 0; k < ORDERS; k++)
            assert_float_equal(sum[k], 1, 1e-9);
        assert_true(byte_model_learn(m, t.byte[i]));
    }
    byte_model_free(m);
}

/* Four letters at random, each twice in a row: two bits a pair, of which each order sees more. */
TEST(orders_find_what_they_can_see)
{
    enum { N = 60000 };
    struct byte_model *m = byte_model_new();
    struct rng r = rng_at(4, RNG_DATA, 1, 0);
    double sum[ORDERS] = {0}, bits[ORDERS];
    assert_non_null(m);
    byte_model_bits(m, 0, bits);
    for (int k = 0; k < ORDERS; k++)
        assert_float_equal(bits[k], 8, 1e-12);
    for (int i = 0, byte = 0; i < N; i++) {
        byte = i % 2 ? byte : 'a' + (int)rng_below(&r, 4);
        byte_model_bits(m, (uint8_t)byte, bits);
        for (int k = 0; k < ORDERS; k++)
            sum[k] += bits[k] / N;
        assert_true(byte_model_learn(m, (uint8_t)byte));
    }
    /* Order 1 knows a byte, but not whether it was its first: 5/8 and three times 1/8. */
    assert_float_equal(sum[0], 2, .01);
    assert_true(fabs(sum[1] - (9 - 5 * log2(5) + 15) / 8) < .01);
    assert_each(sum[2] < sum[1], sum[3]<sum[2], sum[3]> 1);
    byte_model_free(m);
}

/* A bit at random, then the one `lag` bytes ago, one time in ten the other one: whoever knows fewer
 * bytes has one bit to write, whoever knows as many the entropy of one in ten. */
TEST(an_order_knows_as_many_bytes_as_it_says)
{
    enum { N = 40000 };
    const double known = -(.1 * log2(.1) + .9 * log2(.9));
    for (int lag = 1; lag < ORDERS; lag++) {
        static uint8_t text[N];
        struct byte_model *m = byte_model_new();
        struct rng r = rng_at(4, RNG_DATA, 2, (uint32_t)lag);
        double sum[ORDERS] = {0}, bits[ORDERS];
        assert_non_null(m);
        for (int i = 0; i < N; i++) {
            bool flip = i < lag ? rng_below(&r, 2) : !rng_below(&r, 10);
            text[i] = (i < lag ? 0 : text[i - lag]) ^ flip;
            byte_model_bits(m, text[i], bits);
            for (int k = 0; k < ORDERS; k++)
                sum[k] += bits[k] / N;
            assert_true(byte_model_learn(m, text[i]));
        }
        for (int k = 0; k < ORDERS; k++)
            if (fabs(sum[k] - (k < lag ? 1 : known)) > .02)
                fail_msg("lag %d, order %d: %.4f bits", lag, k, sum[k]);
        byte_model_free(m);
    }
}
