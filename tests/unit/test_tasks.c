/* What every task keeps to: shapes, examples, oracles, chance, instances, and the options that it
 * refuses. */
#include <math.h>

#include "tests/test.h"
#include "tests/unit/task_help.h"

/* Option sets that reach every branch of every task. Each task must be here. */
static const char *const cases[][2] = {
    {"gather", ""},
    {"gather", "length=1 slots=1"},
    {"gather", "length=7 vocab=3 slots=1"},
    {"gather", "length=32 slots=8"},
    {"gather", "length=9 slots=3 offsets=0,-8,13"},
    {"gather", "length=12 slots=11 instance=5"},
    {"gather", "length=32 slots=4 instance=4294967295"},
    {"recall", ""},
    {"recall", "length=2 vocab=2 slots=1"},
    {"recall", "length=9 vocab=5 slots=3"},
    {"recall", "length=20 vocab=8 slots=8"},
    {"pointers", ""},
    {"pointers", "length=1 slots=1"},
    {"pointers", "length=11 vocab=3 slots=8"},
    {"nearest", ""},
    {"nearest", "find=farthest"},
    {"nearest", "length=2 dims=1"},
    {"nearest", "length=4 dims=1 find=farthest"},
    {"nearest", "length=9 dims=5 vocab=3"},
    {"nearest", "length=40 dims=9 vocab=4 find=farthest"},
    {"reverse", ""},
    {"reverse", "length=1"},
    {"reverse", "length=9 vocab=70"},
    {"sort", ""},
    {"sort", "length=1"},
    {"sort", "length=50 vocab=2"},
    {"sort", "length=8 vocab=65536"},
    {"hist", ""},
    {"hist", "bos=true"},
    {"hist", "length=1"},
    {"hist", "length=2 bos=true"},
    {"hist", "length=20 vocab=2"},
    {"hist", "length=20 vocab=65536 bos=true"},
    {"copy", ""},
    {"copy", "length=1 vocab=2"},
    {"induction", ""},
    {"induction", "length=4 vocab=2"},
    {"induction", "length=64 vocab=17"},
    {"induction", "length=64 vocab=64"},
    {"mqar", ""},
    {"mqar", "length=4 vocab=2 pairs=1"},
    {"mqar", "length=33 vocab=17 pairs=8 gaps=uniform"},
    {"mqar", "length=32 vocab=16 pairs=8 noise=1"},
    {"mqar", "length=40 vocab=40 pairs=4 noise=.5 gaps=uniform"},
    {"memorize", ""},
    {"memorize", "examples=100 classes=3 length=9 vocab=9"},
    {"memorize", "examples=2 classes=2 length=12 vocab=2 instance=7"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void file_task_is_complete(const struct task *task)
{
    const struct task_file *f = task->file;
    assert_each(f->survey, f->open, f->close, f->check, f->draw, f->read, f->label);
    assert_each(!task->instance, !task->example, !task->oracle, !task->sources);
    static const char *const common[] = {"length", "instance", "file", "sha256", "size"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        assert_non_null(option_find(task->options, common[i]));
}

TEST(every_task_is_complete)
{
    for (const struct task *const *t = task_table; *t; t++) {
        const struct task *task = *t;
        assert_ptr_equal(task_find(task->name), task);
        assert_true(task->version >= 1);
        assert_non_null(task->summary);
        assert_null(strchr(task->summary, '\n'));
        assert_true(strlen(task->details) > 100);
        assert_true(task->options_size <= OPTIONS_MAX);
        assert_non_null(task->shape);
        if (task->file) {
            file_task_is_complete(task);
            continue;
        }
        assert_non_null(task->instance);
        assert_non_null(task->example);
        if (!task->oracle)
            fail_msg("task %s has no oracle", task->name);
        static const char *const common[] = {"length", "vocab", "instance"};
        for (size_t i = 0; i < 3; i++) {
            const struct option_entry *o = option_find(task->options, common[i]);
            assert_non_null(o);
            assert_int_equal(o->type, OPTION_INT);
            assert_int_equal(o->offset, i * sizeof(int64_t));
        }
        for (const struct option_entry *o = task->options; o->name; o++) {
            assert_non_null(o->help);
            assert_non_null(o->default_value);
            assert_true(o->offset < task->options_size);
        }
        size_t found = 0;
        for (size_t i = 0; i < CASES; i++)
            found += strcmp(cases[i][0], task->name) == 0;
        if (found == 0)
            fail_msg("task %s has no case in this test", task->name);
    }
    assert_null(task_find("gather "));
    assert_null(task_find(""));
}

TEST(shapes_are_sound)
{
    for (size_t c = 0; c < CASES; c++) {
        struct setup s;
        setup_task(&s, cases[c][0], cases[c][1]);
        assert_each(s.shape.length >= 1, s.shape.classes >= 1);
        assert_in_range(s.shape.fields, 1, TASK_MAX_FIELDS);
        assert_in_range(s.shape.slots, 1, TASK_MAX_SLOTS);
        assert_each(s.shape.chance > 0, s.shape.chance <= 1);
        for (int f = 0; f < s.shape.fields; f++) {
            assert_true(s.shape.vocab[f] >= 1);
            for (int g = 0; g < f; g++)
                assert_string_not_equal(s.shape.field[f], s.shape.field[g]);
        }
        setup_free(&s);
    }
}

/* Every number of an example is written, in range, the same each time, and what the oracle says. */
TEST(examples_are_sound)
{
    for (size_t c = 0; c < CASES; c++) {
        struct setup s;
        setup_task(&s, cases[c][0], cases[c][1]);
        int32_t *x = numbers(s.inputs), *y = numbers(s.targets);
        int32_t *x2 = numbers(s.inputs), *y2 = numbers(s.targets), *solved = numbers(s.targets);
        for (uint32_t i = 0; i < 200; i++) {
            memset(x, 0x11, (s.inputs + 1) * sizeof *x);
            memset(y, 0x11, (s.targets + 1) * sizeof *y);
            memset(x2, 0x22, (s.inputs + 1) * sizeof *x);
            memset(y2, 0x22, (s.targets + 1) * sizeof *y);
            memset(solved, 0x33, (s.targets + 1) * sizeof *y);
            draw(&s, 3, RNG_DATA, 8, i, x, y);
            draw(&s, 3, RNG_DATA, 8, i, x2, y2);
            s.task->oracle(s.options, s.instance, x, solved);
            assert_memory_equal(x, x2, s.inputs * sizeof *x);
            assert_memory_equal(y, y2, s.targets * sizeof *y);
            assert_memory_equal(y, solved, s.targets * sizeof *y);
            assert_int_equal(x[s.inputs], 0x11111111);
            assert_int_equal(y[s.targets], 0x11111111);
            assert_int_equal(solved[s.targets], 0x33333333);
            for (size_t k = 0; k < s.inputs; k++)
                assert_each(x[k] >= 0, x[k] < s.shape.vocab[k % (size_t)s.shape.fields]);
            size_t unmasked = 0;
            for (size_t k = 0; k < s.targets; k++) {
                assert_true(y[k] == TASK_MASKED || (y[k] >= 0 && y[k] < s.shape.classes));
                unmasked += y[k] != TASK_MASKED;
            }
            assert_true(unmasked > 0);
        }
        free(x), free(y), free(x2), free(y2), free(solved);
        setup_free(&s);
    }
}

/* Whether column f of every example holds each target at its source, and nothing else has one. The
 * column after the last is the position itself. */
static bool column_holds(const struct setup *s, size_t f)
{
    int32_t *x = numbers(s->inputs), *y = numbers(s->targets), *source = numbers(s->targets);
    bool holds = true;
    for (uint32_t i = 0; i < 200; i++) {
        memset(source, 0x33, (s->targets + 1) * sizeof *source);
        draw(s, 3, RNG_DATA, 8, i, x, y);
        s->task->sources(s->options, s->instance, x, source);
        assert_int_equal(source[s->targets], 0x33333333);
        for (size_t k = 0; k < s->targets; k++) {
            if (y[k] == TASK_MASKED) {
                assert_int_equal(source[k], -1);
                continue;
            }
            assert_in_range(source[k], 0, s->shape.length - 1);
            bool place = f == (size_t)s->shape.fields;
            holds &= (place ? source[k] : x[(size_t)(source[k] * s->shape.fields) + f]) == y[k];
        }
    }
    free(x), free(y), free(source);
    return holds;
}

TEST(sources_hold_the_targets)
{
    for (size_t c = 0; c < CASES; c++) {
        struct setup s;
        setup_task(&s, cases[c][0], cases[c][1]);
        size_t f = 0, columns = s.task->sources ? (size_t)s.shape.fields + 1 : 0;
        while (f < columns && !column_holds(&s, f))
            f++;
        if (columns && f == columns)
            fail_msg("%s %s: no column holds the targets", cases[c][0], cases[c][1]);
        setup_free(&s);
    }
}

TEST(every_coordinate_changes_the_example)
{
    static const struct {
        uint32_t seed;
        enum rng_stream stream;
        uint64_t step;
        uint32_t element;
    } at[] = {{0, RNG_DATA, 0, 0}, {1, RNG_DATA, 0, 0}, {0, RNG_VAL, 0, 0},
              {0, RNG_TEST, 0, 0}, {0, RNG_DATA, 1, 0}, {0, RNG_DATA, 0, 1}};
    enum { PLACES = sizeof at / sizeof *at };
    for (const struct task *const *t = task_table; *t; t++) {
        struct setup s;
        if ((*t)->file)
            continue;
        setup_task(&s, (*t)->name, "");
        int32_t *x[PLACES], *y = numbers(s.targets);
        for (size_t i = 0; i < PLACES; i++) {
            x[i] = numbers(s.inputs);
            draw(&s, at[i].seed, at[i].stream, at[i].step, at[i].element, x[i], y);
            for (size_t j = 0; j < i; j++)
                assert_memory_not_equal(x[i], x[j], s.inputs * sizeof **x);
        }
        for (size_t i = 0; i < PLACES; i++)
            free(x[i]);
        free(y);
        setup_free(&s);
    }
}

/* Chance is the accuracy of the best constant for each target: learned from some examples, it must
 * score as stated on others, within three standard errors. */
static void check_chance(const struct setup *s)
{
    enum { LEARN = 10000, JUDGE = 5000 };
    size_t V = (size_t)s->shape.classes;
    int32_t *x = numbers(s->inputs), *y = numbers(s->targets);
    uint16_t *count = calloc(s->targets * V, sizeof *count);
    int32_t *best = numbers(s->targets);
    assert_non_null(count);
    for (uint32_t i = 0; i < LEARN; i++) {
        draw(s, 1, RNG_DATA, 0, i, x, y);
        for (size_t k = 0; k < s->targets; k++)
            if (y[k] != TASK_MASKED)
                count[k * V + (size_t)y[k]]++;
    }
    for (size_t k = 0; k < s->targets; k++) {
        best[k] = 0;
        for (size_t v = 1; v < V; v++)
            if (count[k * V + v] > count[k * V + (size_t)best[k]])
                best[k] = (int32_t)v;
    }
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < JUDGE; i++) {
        double right = 0, all = 0;
        draw(s, 2, RNG_DATA, 0, i, x, y);
        for (size_t k = 0; k < s->targets; k++)
            if (y[k] != TASK_MASKED) {
                right += y[k] == best[k];
                all++;
            }
        sum += right / all;
        squares += right / all * (right / all);
    }
    double mean = sum / JUDGE, variance = squares / JUDGE - mean * mean;
    double error = sqrt(fmax(variance, 0) / JUDGE);
    if (fabs(mean - s->shape.chance) > 3 * error + 1e-12)
        fail_msg("%s: chance is said to be %.5f, but measured %.5f +- %.5f", s->task->name,
                 s->shape.chance, mean, error);
    free(x), free(y), free(count), free(best);
}

TEST(chance_is_as_stated)
{
    for (size_t c = 0; c < CASES; c++) {
        struct setup s;
        setup_task(&s, cases[c][0], cases[c][1]);
        if (s.shape.classes < 1000)
            check_chance(&s);
        setup_free(&s);
    }
}

/* The same random numbers make other examples in another instance, and the same in the same one. */
TEST(instances_differ)
{
    for (const struct task *const *t = task_table; *t; t++) {
        bool drawn = option_find((*t)->options, "instance")->max > 0;
        assert_true(drawn || (*t)->instance_size == 0);
        if (!drawn || (*t)->file)
            continue;
        static const char *const settings[] = {"", "instance=1", "instance=2", "instance=1"};
        struct setup s[4];
        int32_t *example[4]; /* inputs, then targets */
        for (int i = 0; i < 4; i++) {
            setup_task(&s[i], (*t)->name, settings[i]);
            example[i] = numbers(s[i].inputs + s[i].targets);
            draw(&s[i], 0, RNG_TEST, 0, 0, example[i], example[i] + s[i].inputs);
        }
        size_t size = (s[0].inputs + s[0].targets) * sizeof **example;
        assert_memory_not_equal(example[0], example[1], size);
        assert_memory_not_equal(example[0], example[2], size);
        assert_memory_not_equal(example[1], example[2], size);
        assert_memory_equal(example[1], example[3], size);
        for (int i = 0; i < 4; i++) {
            free(example[i]);
            setup_free(&s[i]);
        }
    }
}

TEST(options_that_contradict_are_refused)
{
    static const char *const refused[][3] = {
        {"gather", "slots=3 offsets=1,2",
         "task.offsets has 2 items and task.slots is 3; make task.slots 2"},
        {"gather", "slots=2 offsets=1,-31",
         "task.offsets 1 and -31 are the same place when task.length is 32; give other offsets, "
         "fewer task.slots or more task.length"},
        {"gather", "length=2 slots=2",
         "task.offsets 1 and -1 are the same place when task.length is 2; give other offsets, "
         "fewer task.slots or more task.length"},
        {"gather", "slots=1 offsets=1 instance=2",
         "task.offsets gives the offsets, but task.instance 2 would draw them; leave one of them "
         "out"},
        {"gather", "length=4 slots=4 instance=1",
         "task.slots is 4, but task.length 4 leaves only 3 other places to draw; make task.slots "
         "smaller or task.length larger"},
        {"nearest", "dims=2",
         "task.dims is 2, too small: fewer than 10 % of 16 points have a single nearest point; "
         "make task.dims larger or task.length smaller"},
        {"nearest", "length=64 dims=4 find=farthest",
         "task.dims is 4, too small: fewer than 10 % of 64 points have a single farthest point; "
         "make task.dims larger or task.length smaller"},
        {"nearest", "vocab=4096",
         "task.vocab is 4096, too large: fewer than 10 % of 16 points with 16 coordinates have a "
         "single nearest point; make task.vocab smaller"},
        {"nearest", "length=64 dims=8 vocab=8 find=farthest",
         "task.vocab is 8, too large: fewer than 10 % of 64 points with 8 coordinates have a "
         "single farthest point; make task.vocab smaller"},
        {"nearest", "length=1024 dims=2 vocab=8",
         "task.dims is 2, too small: fewer than 10 % of 1024 points have a single nearest point; "
         "make task.dims larger or task.length smaller"},
        {"induction", "length=30",
         "task.length is 30, but two tokens that both occur twice take four positions; make it 32"},
        {"induction", "length=64",
         "task.vocab is 16, but the 16 pairs of task.length 64 begin with different tokens and end "
         "with others; make it at least 17"},
        {"mqar", "pairs=17",
         "task.pairs is 17: with a query each they need a task.length of at least 68, and it "
         "is 64; raise it, or lower task.pairs"},
        {"mqar", "vocab=15", "task.pairs is 8, but task.vocab 15 has 7 keys; make it at least 16"},
        {"memorize", "length=2 vocab=512",
         "task.examples is 1024, too many for task.length 2 and task.vocab 512: two sequences "
         "could be the same; make task.length or task.vocab larger"},
        {"memorize", "examples=8", "task.classes is 16, more than task.examples 8"},
        {"hist", "length=1 bos=true",
         "task.length is 1 and task.bos takes that position; allowed: 2 or more"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct setup s;
        struct message m = {""};
        setup_options(&s, refused[i][0], refused[i][1]);
        assert_int_equal(s.task->shape(s.options, &s.shape, &m), STATUS_BAD_INPUT);
        assert_string_equal(m.text, refused[i][2]);
    }
}

/* So the most dims are never told to be larger. */
TEST(most_dims_are_enough_of_two_values)
{
    for (int length = 2; length <= TASK_MAX_LENGTH; length++)
        for (int farthest = 0; farthest < 2; farthest++) {
            struct setup s;
            struct message m = {""};
            char settings[64];
            snprintf(settings, sizeof settings, "dims=16 length=%d find=%s", length,
                     farthest ? "farthest" : "nearest");
            setup_options(&s, "nearest", settings);
            if (s.task->shape(s.options, &s.shape, &m) != STATUS_OK)
                fail_msg("%s: %s", settings, m.text);
        }
}

TEST(ranges_are_kept)
{
    static const char *const refused[][2] = {
        {"length", "0"},    {"length", "4097"}, {"length", "-1"},          {"vocab", "1"},
        {"vocab", "65537"}, {"instance", "-1"}, {"instance", "4294967296"}};
    for (const struct task *const *t = task_table; *t; t++)
        for (size_t i = 0; !(*t)->file && i < sizeof refused / sizeof *refused; i++) {
            struct setup s;
            setup_options(&s, (*t)->name, "");
            const struct option_entry *o = option_find((*t)->options, refused[i][0]);
            assert_int_equal(option_parse(o, "task", refused[i][1], false, s.options, NULL),
                             STATUS_BAD_INPUT);
        }
}
