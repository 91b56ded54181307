#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/arena.h"

#include "tests/test.h"

static void fill_an_arena(void)
{
    struct arena a;
    arena_init(&a, NULL);
    static const size_t sizes[] = {1, 0, 63, 64, 65, 4096, 300000, 5 << 20, 7, 262144, 262145, 1};
    enum { ROUNDS = 40, SIZES = sizeof sizes / sizeof *sizes };
    static unsigned char *block[ROUNDS][SIZES];

    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < SIZES; i++) {
            unsigned char *p = block[round][i] = arena_alloc(&a, sizes[i], 1);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % ARENA_ALIGNMENT, 0);
            for (size_t k = 0; k<sizes[i]; k += sizes[i]> 9999 ? 997 : 1)
                assert_int_equal(p[k], 0);
            memset(p, round + 1, sizes[i]);
        }
        for (size_t i = 1; i < SIZES; i++) /* also those of no bytes */
            assert_ptr_not_equal(block[round][i], block[round][i - 1]);
    }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < SIZES; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                if (block[round][i][k] != round + 1)
                    fail_msg("block %d.%zu was written over at byte %zu", round, i, k);
    arena_free(&a);
}

/* The second arena gets memory that the first has written to, when the C library keeps it. */
TEST(memory_is_zeroed_aligned_and_apart)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    fill_an_arena();
    fill_an_arena();
}

TEST(used_counts_what_was_handed_out)
{
    struct arena a;
    arena_init(&a, NULL);
    assert_int_equal(a.used, 0);
    arena_alloc(&a, 1, 1);
    assert_int_equal(a.used, 64);
    arena_alloc(&a, 3, 32);
    assert_int_equal(a.used, 64 + 128);
    arena_alloc(&a, 1, 1 << 20);
    assert_int_equal(a.used, 64 + 128 + (1 << 20));
    arena_free(&a);
    assert_int_equal(a.used, 0);
    memset(arena_alloc(&a, 10, 10), 1, 100); /* usable again */
    arena_free(&a);
}

TEST(a_large_request_leaves_the_newest_chunk_in_use)
{
    struct arena a;
    arena_init(&a, NULL);
    unsigned char *before = arena_alloc(&a, 1, 64);
    arena_alloc(&a, 1, 8 << 20);
    unsigned char *after = arena_alloc(&a, 1, 64);
    assert_ptr_equal(after, before + 64);
    arena_free(&a);
}

TEST(arrays_grow)
{
    struct arena a;
    int *array = NULL;
    arena_init(&a, NULL);
    for (int i = 0; i < 1000; i++) {
        const int *before = array;
        array = arena_grow(&a, array, (size_t)i, sizeof *array);
        assert_int_equal(array != before, i == 0 || (i >= 4 && (i & (i - 1)) == 0));
        array[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    arena_free(&a);
}

/* What a large array left behind when it grew is not kept: in all less than its size once more. */
TEST(large_arrays_leave_nothing_behind)
{
    enum { COUNT = 1 << 20 };
    struct arena a;
    int *array = NULL;
    arena_init(&a, NULL);
    const int *other = arena_alloc(&a, 1, sizeof *other);
    for (int i = 0; i < COUNT; i++) {
        array = arena_grow(&a, array, (size_t)i, sizeof *array);
        array[i] = i;
    }
    assert_in_range(a.used, COUNT * sizeof *array, COUNT * sizeof *array + (1 << 20));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(array[i], i);
    assert_int_equal(*other, 0);
    arena_free(&a);
}

TEST(text_is_copied)
{
    struct arena a;
    arena_init(&a, NULL);
    char text[] = "encoder.layers.0";
    char *copy = arena_string(&a, text);
    text[0] = 'X';
    assert_string_equal(copy, "encoder.layers.0");
    assert_string_equal(arena_string(&a, ""), "");
    arena_free(&a);
}

/* Each request is one that no machine can serve; the arena stays usable and freeable after. */
TEST(running_out_goes_to_the_handler)
{
    static const size_t requests[][2] = {
        {SIZE_MAX, 1},         {SIZE_MAX - 70, 1},
        {SIZE_MAX / 2 + 1, 2}, {(size_t)1 << 33, (size_t)1 << 33},
        {PTRDIFF_MAX, 1},
    };
    for (volatile size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        jmp_buf exhausted;
        struct arena a;
        arena_init(&a, &exhausted);
        memset(arena_alloc(&a, 1, 100), 1, 100);
        volatile int jumped = 0;
        if (setjmp(exhausted) == 0)
            arena_alloc(&a, requests[i][0], requests[i][1]);
        else
            jumped = 1;
        assert_true(jumped);
        memset(arena_alloc(&a, 1, 100), 1, 100);
        arena_free(&a);
    }
}

/* Before anything is taken, so that what does not fit is never touched. */
TEST(a_limit_is_not_passed)
{
    static struct arena a;
    jmp_buf exhausted;
    arena_init(&a, &exhausted);
    a.limit = 1000 * ARENA_ALIGNMENT;
    if (setjmp(exhausted) == 0) {
        arena_alloc(&a, 999, ARENA_ALIGNMENT);
        assert_false(a.over_limit);
        arena_alloc(&a, 1, ARENA_ALIGNMENT);
        assert_false(a.over_limit);
        arena_alloc(&a, 1, 1);
        fail();
    }
    assert_true(a.over_limit);
    assert_int_equal(a.used, 1000 * ARENA_ALIGNMENT);
    if (setjmp(exhausted) == 0) {
        arena_alloc(&a, SIZE_MAX / 2, 1);
        fail();
    }
    arena_free(&a);
    assert_int_equal(a.limit, 1000 * ARENA_ALIGNMENT);
    assert_non_null(arena_alloc(&a, 1000, ARENA_ALIGNMENT));
    arena_free(&a);
}

struct released {
    int *count, *alive; /* alive is the arena's */
    int turn;
};

static void release(void *what)
{
    const struct released *r = what;
    assert_int_equal(*r->alive, 7);
    assert_int_equal((*r->count)++, r->turn);
}

/* While its memory is there, the last one first, and once. */
TEST(what_is_no_memory_is_released)
{
    struct arena a;
    int count = 0;
    arena_init(&a, NULL);
    for (int i = 2; i >= 0; i--) {
        struct released *r = arena_alloc(&a, 1, sizeof *r);
        *r = (struct released){&count, arena_alloc(&a, 1, sizeof *r->alive), i};
        *r->alive = 7;
        arena_on_free(&a, release, r);
        memset(arena_alloc(&a, 1, 1 << 20), 1, 1 << 20);
    }
    assert_int_equal(count, 0);
    arena_free(&a);
    arena_free(&a);
    assert_int_equal(count, 3);
}
