/* How many trials at once there is memory for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/plan/machine.h"
#include "sweep/worker/memory_budget.h"

#include "tests/sweep/config_help.h"

/* Four seeds of a small point and of a large one. */
static const char file[] = "name: room\n"
                           "task: {name: gather, length: 8, vocab: 8}\n"
                           "model: {d_model: 16, heads: 2}\n"
                           "train: {steps: 10, batch: 4, val_examples: [64, 1000000]}\n"
                           "seeds: 4\n";

static double point_bytes(const struct plan *p, long i)
{
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    plan_point(p, i, &point);
    assert_int_equal(point_check(&point, &io, &shape, NULL, NULL), STATUS_OK);
    return point_memory(&point, &io, &shape);
}

static struct plan *plan_of(struct config *c)
{
    struct plan *p;
    struct message m;
    if (plan_new(c, NULL, 0, &p, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return p;
}

TEST(the_largest_must_fit_together)
{
    struct config *c = config_of(file);
    struct plan *p = plan_of(c);
    double small = point_bytes(p, 0) + MEMORY_BUDGET_WORKER,
           large = point_bytes(p, 1) + MEMORY_BUDGET_WORKER, most;
    struct memory_budget memory;
    memory_budget_init(&memory, p);
    assert_true(large > 2 * small);
    assert_int_equal(memory_budget_trials(&memory, 8, 0, &most), 1);
    assert_true(most == large);
    assert_int_equal(memory_budget_trials(&memory, 8, 2 * large - 1, &most), 1);
    assert_int_equal(memory_budget_trials(&memory, 8, 2 * large, &most), 2);
    assert_int_equal(memory_budget_trials(&memory, 8, 4 * large, &most), 4);
    assert_int_equal(memory_budget_trials(&memory, 8, 4 * large + 2 * small, &most), 6);
    assert_int_equal(memory_budget_trials(&memory, 8, 4 * large + 4 * small, &most), 8);
    assert_int_equal(memory_budget_trials(&memory, 3, 100 * large, &most), 3);
    assert_int_equal(memory_budget_trials(&memory, 1, 0, &most), 1);
    assert_int_equal(memory_budget_trials(&memory, 100, 100 * large, &most),
                     8); /* there are no more */
    memory_budget_clear(&memory);
    assert_int_equal(memory_budget_trials(&memory, 5, 0, &most), 5);
    assert_true(most == 0);
    plan_free(p);
    config_free(c);
}

/* Further threads fit beside the largest trials; a number of them is part of each trial. */
TEST(threads_must_fit_too)
{
    char text[512];
    snprintf(text, sizeof text, "%sthreads: 3\n", file);
    struct config *c = config_of(file), *three = config_of(text);
    struct plan *p = plan_of(c), *p3 = plan_of(three);
    double large = point_bytes(p, 1) + MEMORY_BUDGET_WORKER, most;
    struct memory_budget memory;
    memory_budget_init(&memory, p);
    double thread = memory.thread;
    assert_true(thread > 16e6);
    assert_int_equal(memory_budget_threads(&memory, 1, large - 1), 0);
    assert_int_equal(memory_budget_threads(&memory, 1, large + 2.5 * thread), 2);
    assert_int_equal(memory_budget_threads(&memory, 2, 2 * large + 3.5 * thread), 3);
    assert_int_equal(memory_budget_threads(&memory, 2, INFINITY), TEAM_MAX);
    memory_budget_clear(&memory);
    assert_int_equal(memory_budget_threads(&memory, 2, INFINITY), 0); /* nothing is known */
    memory_budget_init(&memory, p3);
    memory_budget_trials(&memory, 8, 0, &most);
    assert_true(fabs(most - large - 2 * thread) < 1);
    memory_budget_clear(&memory);
    plan_free(p);
    plan_free(p3);
    config_free(c);
    config_free(three);
}

/* A trial is ended at its limit, so it cannot take more. */
TEST(a_limit_is_the_most_that_a_trial_takes)
{
    char text[512];
    snprintf(text, sizeof text, "%slimits: {memory: 32MiB}\n", file);
    struct config *c = config_of(text);
    struct plan *p = plan_of(c);
    double most;
    struct memory_budget memory;
    memory_budget_init(&memory, p);
    assert_true(point_bytes(p, 1) > 32 << 20);
    assert_int_equal(memory_budget_trials(&memory, 8, 3.5 * (32 << 20), &most), 3);
    assert_true(most == 32 << 20);
    memory_budget_clear(&memory);
    plan_free(p);
    config_free(c);
}

/* In MiB; 0 is all that the node has. */
TEST(a_job_has_what_it_asked_for)
{
    const double mib = 1 << 20;
    unsetenv("HEADCOUNT_FREE_MIB");
    assert_true(isinf(memory_budget_of_job(4)));
    setenv("SLURM_MEM_PER_CPU", "2", 1);
    setenv("SLURM_CPUS_ON_NODE", "3", 1);
    assert_true(memory_budget_of_job(4) == 8 * mib);
    assert_true(memory_budget_available() == 6 * mib);
    setenv("SLURM_MEM_PER_NODE", "5", 1);
    assert_true(memory_budget_of_job(4) == 5 * mib);
    assert_true(memory_budget_available() == 5 * mib);
    unsetenv("SLURM_MEM_PER_CPU");
    setenv("SLURM_MEM_PER_NODE", "100000000", 1);
    assert_true(memory_budget_available() <= machine_memory().bytes);
    setenv("SLURM_MEM_PER_NODE", "0", 1);
    assert_true(isinf(memory_budget_of_job(4)));
    unsetenv("SLURM_MEM_PER_NODE");
    unsetenv("SLURM_CPUS_ON_NODE");
}

TEST(free_memory_is_some_of_it)
{
    unsetenv("HEADCOUNT_FREE_MIB");
    assert_true(memory_budget_available() > 1 << 20);
    assert_true(machine_memory_free() <= machine_memory().bytes);
    setenv("HEADCOUNT_FREE_MIB", "3", 1);
    assert_true(memory_budget_available() == 3 << 20);
}
