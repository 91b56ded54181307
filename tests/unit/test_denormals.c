/* Numbers below 2^-126: flushed in the thread that computes, from its first pass on, and in no
 * other. */
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <string.h>

#include "engine/graph.h"
#include "engine/kernels/denormals.h"

#include "tests/test.h"

/* Whether a product that is too small, and an operand that is, count. */
static bool results_count(void)
{
    volatile float small = 1e-30f, factor = 1e-10f, product = small * factor;
    return product > 0;
}

static bool operands_count(void)
{
    volatile uint32_t bits = 1000; /* 1.4e-42 */
    float tiny;
    memcpy(&tiny, (const void *)&bits, sizeof tiny);
    volatile float factor = 1e30f, product = tiny * factor;
    return product > 0;
}

static void run_in_thread(void *(*work)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, work, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

struct seen {
    bool before, results, operands;
};

static void *flush(void *argument)
{
    struct seen *s = argument;
    s->before = results_count() && operands_count();
    denormals_flush();
    s->results = results_count();
    s->operands = operands_count();
    return NULL;
}

TEST(flushed_in_one_thread)
{
    struct seen s;
    run_in_thread(flush, &s);
    assert_true(s.before);
    assert_int_equal(s.results, !denormals_flushed());
    assert_int_equal(s.operands, !denormals_flushed());
    assert_each(results_count(), operands_count());
}

/* relu of two numbers: the smallest tape there is. */
static void *forward(void *argument)
{
    struct arena a;
    struct message m;
    real numbers[2] = {1, -1};
    struct tensor x = {.shape = {2, {1, 2}}, .node = TENSOR_OUTSIDE, .data = numbers};
    arena_init(&a, NULL);
    struct graph *g = graph_new(&a, 1, true);
    graph_relu(g, &x, NULL);
    struct seen *s = argument;
    s->before = graph_finish(g, &m) == STATUS_OK;
    graph_forward(g, &(struct pass){.batch = 1});
    s->results = results_count();
    s->operands = operands_count();
    arena_free(&a);
    return NULL;
}

TEST(a_pass_flushes)
{
    struct seen s;
    run_in_thread(forward, &s);
    assert_true(s.before);
    assert_int_equal(s.results, !denormals_flushed());
    assert_int_equal(s.operands, !denormals_flushed());
}

/* It is part of what makes two builds comparable. */
TEST(the_build_tells_whether_denormals_are_flushed)
{
    const char *mark = strstr(kernels_build(), "-ftz");
    assert_int_equal(mark != NULL, denormals_flushed());
    assert_memory_equal(kernels_build(), kernels_best()->name, strlen(kernels_best()->name));
}
