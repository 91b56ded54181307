/* The key `confirm`: what it means where it is good, and that every bad one is refused at its
 * place. */
#include "tests/sweep/config_help.h"

#define TASK  "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
#define MODEL "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"
#define MANY  "task: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2, 3]}\n"
#define OVER  "replicate: [task.instance]\n"
#define FRESH "confirm: {instances: [9, 10, 11, 12, 13, 14]}\n"

TEST(confirm_says_how_many_seeds_are_fresh)
{
    struct config *c = config_of(TASK MODEL "confirm: 6\n");
    assert_int_equal(c->confirm, 6);
    assert_int_equal(config_fresh_seeds(c), 6);
    assert_null(c->confirm_instance);
    config_free(c);
    c = config_of(TASK MODEL "seeds: [0, 1999, 2008]\nconfirm: 8\n"); /* beside the fresh ones */
    assert_int_equal(c->confirm, 8);
    config_free(c);
    c = config_of(TASK MODEL);
    assert_int_equal(c->confirm, 0);
    assert_int_equal(config_fresh_seeds(c), 0);
    config_free(c);
}

TEST(confirm_lists_fresh_instances)
{
    struct config *c = config_of(MANY MODEL OVER "seeds: 3\n" FRESH);
    assert_int_equal(c->confirm, 6);
    assert_int_equal(c->confirm_instance[0], 9);
    assert_int_equal(c->confirm_instance[5], 14);
    assert_int_equal(config_fresh_seeds(c), 3);
    config_free(c);
}

TEST(wrong_uses_of_confirm_are_refused)
{
    static const struct refusal list[] = {
        {TASK MODEL "confirm: 5\n", "s.yaml:3:10: confirm is 5; allowed: 6 to 1000"},
        {TASK MODEL "confirm: many\n",
         "s.yaml:3:10: confirm is many, which is not a number; allowed: 6 to 1000"},
        {TASK MODEL "confirm: [6]\n", "s.yaml:3:10: confirm must be a single value, not a list"},
        {TASK "model: {d_model: 32, heads: 4, layers: 1, d_ff: 32}\nconfirm: 8\n",
         "s.yaml:3:1: confirm compares head counts, but model.heads has only one value; list more, "
         "or leave confirm out"},
        {TASK MODEL "claim: {best: 2, over: [1]}\nconfirm: 8\n",
         "s.yaml:4:1: confirm makes its own claim after the other trials have ended, so it cannot "
         "be used with claim; remove one of them"},
        {TASK MODEL "seeds: [0, 2007]\nconfirm: 8\n",
         "s.yaml:4:10: confirm keeps the seeds 2000 to 2007 "
         "fresh; take 2007 out of seeds"},
        {TASK MODEL "confirm: {}\n", "s.yaml:3:10: missing key 'instances' under confirm"},
        {TASK MODEL FRESH,
         "s.yaml:3:10: confirm.instances needs replicate: [task.instance]; without it, write how "
         "many fresh seeds there are, as in confirm: 8"},
        {MANY MODEL OVER "confirm: 8\n",
         "s.yaml:4:10: with replicate, confirm takes fresh instances, not seeds; list them, as in "
         "confirm: {instances: [9, 10, 11, 12, 13, 14]}"},
        {MANY MODEL OVER "confirm: {instances: [9, 10, 11, 12, 13]}\n",
         "s.yaml:4:22: confirm.instances lists 5 instances; allowed: 6 to 1000"},
        {MANY MODEL OVER "confirm: {instances: [9, 10, 2, 12, 13, 14]}\n",
         "s.yaml:4:30: instance 2 is explored by task.instance, so it is not fresh; list others"},
        {MANY MODEL OVER "confirm: {instances: [9, 10, 11, 12, 13, 9]}\n",
         "s.yaml:4:42: instance 9 is in the list twice"},
        {MANY MODEL OVER "confirm: {instances: [9, 10, 11, 12, 13, x]}\n",
         "s.yaml:4:42: confirm.instances is x, which is not a number; allowed: 0 to 2147483647"},
        {"task: {name: gather, length: 8, vocab: 8, slots: 1, instance: [1, 2, 3]}\n" MODEL OVER
         "confirm: {instances: [9, 10, 11, 12, 13, 14]}\n",
         "s.yaml:4:10: instance 9 draws the same task as instance 2, which is explored, so it is "
         "not fresh; list another, such as 4"},
        {"task: {name: gather, length: 128, vocab: 8, slots: [2, 1], instance: [1, 2, 3]}\n" MODEL
             OVER "confirm: {instances: [4, 5, 6, 10, 12, 13]}\n",
         "s.yaml:4:10: with slots=1, instance 13 draws the same task as instance 10, which is in "
         "the "
         "list too, so it is not fresh; list another, such as 7"},
        {"task: {name: gather, length: 4, vocab: 8, slots: 1, instance: [1, 2, 3]}\n" MODEL OVER
         "confirm: {instances: [9, 10, 11, 12, 13, 14]}\n",
         "s.yaml:4:10: instance 9 draws the same task as instance 2, which is explored, so it is "
         "not fresh; the task has too few to draw: make task.length larger, or explore fewer "
         "instances"},
        {TASK MODEL "train: {batch: [8, 16]}\nreplicate: [train.batch]\n" FRESH,
         "s.yaml:5:10: confirm cannot draw fresh values of train.batch, which is replicated; leave "
         "confirm out, or replicate task.instance only"},
        {"task: {name: text, mode: classify, file: x.csv, instance: [1, 2]}\n" MODEL OVER FRESH,
         "s.yaml:4:10: confirm and replicate cannot be used together for the task text: splits of "
         "a file share rows, so none of them is fresh; remove one of the two"},
        {"task: {name: text, file: [a.txt, b.txt]}\n" MODEL "replicate: [task.file]\n"
         "confirm: 8\n",
         "s.yaml:4:10: confirm cannot draw fresh values of task.file, which is replicated; leave "
         "confirm out, or replicate task.instance only"},
    };
    ASSERT_ALL_REFUSED(list);
}

TEST(a_sweep_with_confirm_cannot_be_cut_into_shards)
{
    struct config *c = config_of(TASK MODEL "confirm: 8\n");
    struct plan *p;
    struct message m = {{0}};
    assert_int_equal(plan_new(c, NULL, 0, &p, &m), STATUS_OK);
    assert_int_equal(plan_set_shard(p, (struct plan_shard){1, 2}, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text,
                        "s.yaml: a sweep with `confirm` cannot be cut into shards, because the "
                        "trials of all of them pick what is confirmed; remove it (--set "
                        "confirm=null), or run the sweep as a whole");
    assert_int_equal(plan_set_shard(p, (struct plan_shard){0, 0}, &m), STATUS_OK);
    plan_free(p);
    config_free(c);
}

/* A claim and the identity of the plan do not hang on it. */
TEST(confirm_does_not_change_the_identity_of_a_plan)
{
    struct config *with = config_of(TASK MODEL "confirm: 8\n"), *without = config_of(TASK MODEL);
    struct plan *p, *q;
    struct message m;
    char one[65], other[65];
    assert_int_equal(plan_new(with, NULL, 0, &p, &m), STATUS_OK);
    assert_int_equal(plan_new(without, NULL, 0, &q, &m), STATUS_OK);
    assert_int_equal(plan_trials(p), plan_trials(q));
    assert_int_equal(plan_pairs_sha256(p, one, &m), STATUS_OK);
    assert_int_equal(plan_pairs_sha256(q, other, &m), STATUS_OK);
    assert_string_equal(one, other);
    assert_true(plan_setting_hash(p, 0) == plan_setting_hash(p, 1));
    plan_free(p);
    plan_free(q);
    config_free(with);
    config_free(without);
}
