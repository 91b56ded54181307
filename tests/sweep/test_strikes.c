/* What comes to nothing: who pays for it (the table faults.def), and the strikes of trials. */
#include <stdint.h>
#include <string.h>

#include "sweep/run/strikes.h"

#include "tests/test.h"

enum { OTHERS, NONE };

static bool costs_a_retry(enum fault f)
{
    return f == FAULT_TRIAL || f == FAULT_EARLY;
}

/* A trial and a machine that both came out free would be tried for ever. */
TEST(somebody_pays_for_each_fault)
{
    for (int f = 0; f < FAULTS; f++)
        for (int i = OTHERS; i <= NONE; i++) {
            const struct fault_rule *k = fault_rule((enum fault)f);
            bool free = k->trial[i] == TRIAL_NOTHING && k->machine[i] == MACHINE_NOTHING;
            assert_int_equal(free, f == FAULT_NONE);
        }
}

TEST(only_a_trial_that_fails_spends_a_retry)
{
    for (int f = 0; f < FAULTS; f++) {
        const struct fault_rule *k = fault_rule((enum fault)f);
        assert_int_equal(k->trial[OTHERS] == TRIAL_RETRY, costs_a_retry((enum fault)f));
        assert_int_equal(k->trial[NONE] == TRIAL_RETRY,
                         costs_a_retry((enum fault)f) || f == FAULT_EARLY_AGAIN);
    }
}

/* While another machine is sound, one that is not stops nothing: only what fails here, too. */
TEST(the_run_stops_where_nothing_else_is_left)
{
    for (int f = 0; f < FAULTS; f++) {
        const struct fault_rule *k = fault_rule((enum fault)f);
        bool may_stop =
            k->machine[NONE] == MACHINE_STOPS || f == FAULT_EARLY || f == FAULT_EARLY_AGAIN;
        assert_int_equal(k->machine[OTHERS] == MACHINE_STOPS,
                         f == FAULT_FOLDER || f == FAULT_DISK_FULL);
        assert_int_equal(k->status != STATUS_OK, may_stop);
        assert_true(k->machine[OTHERS] != MACHINE_STOPS || may_stop);
    }
    assert_int_equal(fault_rule(FAULT_DISK_FULL)->status, STATUS_DISK_FULL);
}

/* A limit may be another on another machine; without one the trial fails, without a retry. */
TEST(limits_of_a_machine_are_not_those_of_all)
{
    static const enum fault limit[] = {FAULT_CPU_LIMIT, FAULT_TOO_LARGE};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fault_rule(limit[i])->trial[OTHERS], TRIAL_STRIKE);
        assert_int_equal(fault_rule(limit[i])->trial[NONE], TRIAL_FAILS);
    }
    assert_int_equal(fault_rule(FAULT_LIMIT)->trial[OTHERS], TRIAL_FAILS);
    assert_int_equal(fault_rule(FAULT_LIMIT)->trial[NONE], TRIAL_FAILS);
}

TEST(words_have_what_was_said)
{
    char text[MESSAGE_SIZE];
    for (int f = 0; f < FAULTS; f++) {
        const struct fault_rule *k = fault_rule((enum fault)f);
        fault_words(k->stops, "a disk failed", text);
        assert_non_null(strstr(text, "a disk failed"));
        fault_words(k->why, "a disk failed", text);
        assert_int_equal(strstr(text, "a disk failed") == NULL, f == FAULT_CROWDED);
        assert_null(strchr(text, '{'));
    }
    fault_words("A: {said} (B)", "x", text);
    assert_string_equal(text, "A: x (B)");
}

TEST(strikes_count_until_it_gets_further)
{
    struct strikes s = {0};
    assert_int_equal(strikes_of(&s, 7, 0), 0);
    assert_int_equal(strikes_add(&s, 7, 100, 0)->count, 1);
    assert_int_equal(strikes_add(&s, 7, 95, 0)->count, 2);
    assert_int_equal(strikes_of(&s, 7, 90), 2);
    assert_int_equal(strikes_of(&s, 7, 100), 2);
    assert_int_equal(strikes_of(&s, 7, 101), 0);
    assert_int_equal(strikes_add(&s, 7, 101, 0)->count, 1);
    assert_int_equal(strikes_of(&s, 7, 100), 1);
    strikes_forget(&s, 7);
    assert_int_equal(strikes_of(&s, 7, 0), 0);
    strikes_free(&s);
}

TEST(machines_are_told_apart)
{
    struct strikes s = {0};
    for (int i = 0; i < 7; i++)
        assert_false(strikes_add(&s, 1, 0, 3)->on_machines);
    assert_true(strikes_add(&s, 1, 0, 4)->on_machines);
    assert_true(strikes_add(&s, 1, 0, 3)->on_machines);
    assert_false(strikes_add(&s, 1, 1, 4)->on_machines); /* it got further: a new count */
    strikes_free(&s);
}

TEST(many_are_remembered)
{
    enum { TRIALS = 500 };
    struct strikes s = {0};
    for (int round = 1; round <= 3; round++)
        for (int64_t trial = 1; trial <= TRIALS; trial++)
            assert_int_equal(strikes_add(&s, trial, 0, 0)->count, round);
    for (int64_t trial = 2; trial <= TRIALS; trial += 2)
        strikes_forget(&s, trial);
    for (int64_t trial = 1; trial <= TRIALS; trial++)
        assert_int_equal(strikes_of(&s, trial, 0), trial % 2 ? 3 : 0);
    strikes_free(&s);
}
