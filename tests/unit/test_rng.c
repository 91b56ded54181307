#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/rng.h"

#include "tests/test.h"

/* kat_vectors of Random123 1.14, philox4x32 10. */
TEST(philox_gives_the_published_answers)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        struct rng_block b = rng_philox(vectors[i].key, vectors[i].counter);
        assert_memory_equal(b.word, vectors[i].answer, sizeof b.word);
    }
}

/* The layout that the header promises: every stored result depends on it. */
TEST(a_reader_walks_its_own_counter)
{
    struct rng r = rng_at(7, RNG_TEST, 0x123456789abcdef0u, 42);
    for (uint32_t block = 0; block < 5; block++) {
        uint32_t key[2] = {7, RNG_TEST};
        uint32_t counter[4] = {block, 42, 0x9abcdef0, 0x12345678};
        struct rng_block b = rng_philox(key, counter);
        for (int i = 0; i < 4; i++)
            assert_int_equal(rng_u32(&r), b.word[i]);
    }
    assert_int_equal(RNG_INIT, 1);
    assert_int_equal(RNG_SAMPLER, 8);
}

TEST(a_reader_is_a_value)
{
    struct rng a = rng_at(1, RNG_DATA, 2, 3);
    rng_u32(&a);
    struct rng b = a;
    for (int i = 0; i < 10; i++)
        assert_int_equal(rng_u32(&a), rng_u32(&b));
}

TEST(every_coordinate_changes_the_words)
{
    struct rng base = rng_at(1, RNG_DATA, 2, 3);
    struct rng other[] = {rng_at(2, RNG_DATA, 2, 3), rng_at(1, RNG_ORDER, 2, 3),
                          rng_at(1, RNG_DATA, 3, 3), rng_at(1, RNG_DATA, 2, 4),
                          rng_at(1, RNG_DATA, 2 + (1ull << 32), 3)};
    uint64_t first = (uint64_t)rng_u32(&base) << 32 | rng_u32(&base);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_true(first != ((uint64_t)rng_u32(&other[i]) << 32 | rng_u32(&other[i])));
}

/* Pearson's statistic of the counts against equal shares. */
static double chi_square(const int *count, int n, double draws)
{
    double expected = draws / n, sum = 0;
    for (int i = 0; i < n; i++)
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    return sum;
}

TEST(below_is_uniform)
{
    /* n and the .9999 quantile of chi-square with n-1 degrees of freedom */
    static const struct {
        uint32_t n;
        double limit;
    } cases[] = {{2, 15.14}, {3, 18.43}, {7, 27.86}, {16, 44.27}, {100, 161.33}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int count[100] = {0};
        struct rng r = rng_at(5, RNG_DATA, cases[c].n, 0);
        for (int i = 0; i < 100000; i++) {
            uint32_t x = rng_below(&r, cases[c].n);
            assert_true(x < cases[c].n);
            count[x]++;
        }
        assert_true(chi_square(count, (int)cases[c].n, 100000) < cases[c].limit);
    }
    struct rng r = rng_at(5, RNG_DATA, 0, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rng_below(&r, 1), 0);
}

TEST(below_64_is_uniform)
{
    static const struct {
        uint64_t n;
        int groups;
        double limit; /* .9999 quantile of chi-square, groups - 1 degrees */
    } cases[] = {{2, 2, 15.14}, {5, 5, 23.51}, {100, 100, 161.3}, {(uint64_t)3 << 62, 3, 18.43}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int count[100] = {0};
        struct rng r = rng_at(5, RNG_DATA, cases[c].n, 0);
        for (int i = 0; i < 30000; i++) {
            uint64_t x = rng_below_64(&r, cases[c].n);
            assert_true(x < cases[c].n);
            count[x / (cases[c].n / (uint64_t)cases[c].groups)]++;
        }
        assert_true(chi_square(count, cases[c].groups, 30000) < cases[c].limit);
    }
    struct rng r = rng_at(5, RNG_DATA, 0, 0);
    for (int i = 0; i < 100; i++)
        assert_true(rng_below_64(&r, 1) == 0);
}

/* With n = 3 * 2^30 a multiply without rejection would give every third value twice as often. */
TEST(below_has_no_bias_at_large_n)
{
    int count[3] = {0};
    struct rng r = rng_at(5, RNG_DATA, 1, 1);
    for (int i = 0; i < 30000; i++)
        count[rng_below(&r, 3u << 30) % 3]++;
    assert_true(chi_square(count, 3, 30000) < 18.43);
}

TEST(uniform_has_the_right_moments)
{
    enum { N = 100000 };
    struct rng r = rng_at(9, RNG_INIT, 0, 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        double u = rng_uniform(&r);
        assert_each(u >= 0, u < 1);
        sum += u;
        squares += u * u;
    }
    assert_true(fabs(sum / N - 0.5) < 4 * sqrt(1. / 12 / N));
    assert_true(fabs(squares / N - 1. / 3) < 4 * sqrt(4. / 45 / N));
}

TEST(normal_has_the_right_moments)
{
    enum { N = 100000 };
    struct rng r = rng_at(9, RNG_INIT, 1, 0);
    double moment[5] = {0}, product = 0, last = 0;
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&r), power = 1;
        assert_true(isfinite(x));
        for (int k = 1; k <= 4; k++)
            moment[k] += (power *= x) / N;
        product += x * last / N;
        last = x;
    }
    assert_true(fabs(moment[1]) < 4 * sqrt(1. / N));
    assert_true(fabs(moment[2] - 1) < 4 * sqrt(2. / N));
    assert_true(fabs(moment[3]) < 4 * sqrt(15. / N));
    assert_true(fabs(moment[4] - 3) < 4 * sqrt(96. / N));
    assert_true(fabs(product) < 4 * sqrt(1. / N));
}

TEST(permutations_are_complete_and_equally_likely)
{
    int count[24] = {0};
    struct rng r = rng_at(3, RNG_ORDER, 0, 0);
    for (int i = 0; i < 48000; i++) {
        uint32_t order[4];
        rng_permutation(&r, order, 4);
        unsigned seen = 0;
        int rank = 0;
        for (int k = 0; k < 4; k++) {
            assert_true(order[k] < 4);
            seen |= 1u << order[k];
            int smaller_later = 0;
            for (int j = k + 1; j < 4; j++)
                smaller_later += order[j] < order[k];
            rank = rank * (4 - k) + smaller_later;
        }
        assert_int_equal(seen, 15);
        count[rank]++;
    }
    assert_true(chi_square(count, 24, 48000) < 57.6); /* .9999 quantile, 23 degrees */

    uint32_t one[1] = {99};
    rng_permutation(&r, one, 1);
    assert_int_equal(one[0], 0);
    rng_permutation(&r, one, 0);
}

TEST(names_hash_as_fnv_1a)
{
    assert_true(rng_name("") == 0xcbf29ce484222325u);
    assert_true(rng_name("a") == 0xaf63dc4c8601ec8cu);
    assert_true(rng_name("foobar") == 0x85944171f73967e8u);
}
