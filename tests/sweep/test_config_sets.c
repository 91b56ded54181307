/* --set KEY=VALUE: what it replaces, adds and takes away, and what it refuses. */
#include "tests/sweep/config_help.h"

static enum status set(const char *text, const char *const *sets, int count, struct config **c,
                       struct message *m)
{
    return config_parse("s.yaml", text, strlen(text), sets, count, c, m);
}

TEST(test_sets)
{
    static const char text[] = "task: {name: gather}\nmodel:\n  heads: 4\n  d_ff: 64\nseeds: 5\n";
    struct config *c;
    struct message m;
    const char *good[] = {"model.heads=[1, 2]", "train.schedule.warmup=7", "seeds=2",
                          "task.name=sort", "model.heads=[1,2,4]"};
    if (set(text, good, 5, &c, &m))
        fail_msg("%s", m.text);
    const struct axis *heads = axis_of(c, "model.heads");
    assert_int_equal(heads->values, 3); /* the later one wins */
    assert_int_equal(heads->place.line, 0);
    assert_int_equal(heads->place.column, 5);
    assert_string_equal(axis_of(c, "train.schedule.warmup")->value[0].scalar[0], "7");
    assert_string_equal(axis_of(c, "task.name")->value[0].scalar[0], "sort");
    assert_string_equal(c->axis[1].path, "model.heads"); /* at its place in the file's order */
    assert_int_equal(c->seeds, 2);
    config_free(c);

    static const struct {
        const char *set, *message;
    } list[] = {
        {"model.heads=[1, 0]", "--set model.heads: model.heads is 0; allowed: 1 to 65536"},
        {"model.heads=[1, 2", "--set model.heads: did not find expected ',' or ']' while parsing "
                              "a flow sequence"},
        {"model.heads", "--set model.heads: write path=value, as in train.steps=100"},
        {"=4", "--set =4: write path=value, as in train.steps=100"},
        {"model.head=4", "--set model.head: unknown key 'head' under model (did you mean heads?)"},
        {"steps=3", "--set steps: unknown key 'steps' (did you mean train.steps?)"},
        {"slots=3", "--set slots: unknown key 'slots' (did you mean task.slots?)"},
        {"lr=3", "--set lr: unknown key 'lr' (did you mean train.lr?)"},
        {"train.lrr=3", "--set train.lrr: unknown key 'lrr' under train (did you mean lr?)"},
        {"droput=0", "--set droput: unknown key 'droput' (did you mean model.dropout?)"},
        {"jobs=3", "--set jobs: unknown key 'jobs' (did you mean workers?)"},
        {"epochs=3", "--set epochs: unknown key 'epochs' (did you mean train.steps?)"},
        {"rnu=3", "--set rnu: unknown key 'rnu'"},
        {"rnu=null", "--set rnu: unknown key 'rnu'"},
        {"model.rnu=null", "--set model.rnu: unknown key 'rnu' under model"},
        {"task=null", "s.yaml:1:1: missing key 'task': what to learn"},
        {"metric=test_acc", "--set metric: metric must be a mapping, not a single value; write "
                            "{name: X} with one of: val_acc, val_loss"},
        {"task=gathr", "--set task: task must be a mapping, not a single value; write {name: X} "
                       "with one of: gather, recall, pointers, nearest, reverse, sort, hist, "
                       "copy, induction, mqar, memorize, text"},
        {"seeds.n=4", "--set seeds.n: 'seeds' is a single value in the file, not a mapping"},
        {"model.heads=", "--set model.heads: no value after '='"},
        {"model.heads=&a 4", "--set model.heads: the anchor &a; anchors and aliases are not "
                             "supported; write the value out"},
        {"model.heads=3", "--set model.heads: this is impossible: model.heads is 3, which does not "
                          "divide model.d_model 64; choose 2 or 4, or give model.d_head a number; "
                          "or add constraints: [\"model.d_model % model.heads == 0\"]"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct plan *p = NULL;
        enum status s = set(text, &list[i].set, 1, &c, &m);
        if (s == STATUS_OK) {
            s = plan_new(c, NULL, 0, &p, &m);
            config_free(c);
        }
        assert_int_equal(s, STATUS_BAD_INPUT);
        assert_string_equal(m.text, list[i].message);
    }
}

/* null takes away what the file says; where it says nothing, nothing is to be done. */
TEST(test_set_null)
{
    static const char text[] = "task: {name: gather}\nmodel: {heads: [1, 4], d_ff: 64}\n"
                               "claim: {best: 4, over: [1]}\nseeds: 2\n";
    static const char *const sets[] = {"claim=null", "model.d_ff=~", "model.dropout=Null",
                                       "limits=NULL", "seeds=null"};
    struct config *c;
    struct message m;
    if (set(text, sets, 5, &c, &m))
        fail_msg("%s", m.text);
    assert_false(c->has_claim);
    assert_int_equal(c->axes, 2); /* task.name, model.heads */
    assert_int_equal(c->seeds, 8);
    assert_int_equal(c->sets, 5); /* remembered as given */
    config_free(c);
    static const char *const twice[] = {"claim=null", "claim.best=1"};
    assert_int_equal(set(text, twice, 2, &c, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "--set claim.best: missing key 'over' under claim");
    static const char *const word[] = {"name='null'"};
    assert_int_equal(set(text, word, 1, &c, &m), STATUS_OK);
    assert_string_equal(c->name, "null");
    config_free(c);
}
