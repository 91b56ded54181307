/* Trials that learn from a file: which examples they get, what stands in padding, what the result
 * says of a test in its parts, and what becomes of a file that is another one. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/task_text.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/worker/trial.h"

#include "tests/folder.h"
#include "tests/test.h"

enum { T = 8, SET = 40 };

struct fixture {
    char folder[64];
    struct data_place place;
    struct point point;
    struct arena arena;
    struct message m;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *x

static struct text_options *options(struct fixture *x)
{
    return (struct text_options *)(void *)x->point.task_options;
}

/* ---- files ---- */

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* The file becomes the point's. */
static void survey(struct fixture *x)
{
    struct text_buffer facts = {0};
    memcpy(options(x)->file, x->place.path, strlen(x->place.path) + 1);
    memcpy(x->place.name, options(x)->file, sizeof x->place.name);
    if (task_text.file->survey(x->point.task_options, &facts, &x->m) != STATUS_OK)
        fail_msg("%s", x->m.text);
    free(facts.text);
    options(x)->file[0] = '\0'; /* as point_parse leaves it */
}

/* 800 letters a to p, then 100 of q to t, then 100 of u to x: each tells its part. */
static void use_text(struct fixture *x)
{
    char text[1000];
    struct rng r = rng_at(1, RNG_DATA, 0, 0);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i < 800   ? 'a' + (int)rng_below(&r, 16)
                         : i < 900 ? 'q' + (int)rng_below(&r, 4)
                                   : 'u' + (int)rng_below(&r, 4));
    write_file(x->place.path, text, sizeof text);
    options(x)->mode = TEXT_LM;
    x->point.model.mask = MASK_CAUSAL;
    survey(x);
}

static int setup(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    assert_int_equal(folder_make(x->folder, sizeof x->folder, "headcount-text"), 0);
    snprintf(x->place.path, sizeof x->place.path, "%s/text.txt", x->folder);
    point_init(&x->point, &task_text);
    options(x)->length = T;
    x->point.model.d_model = 16;
    x->point.model.heads = 2;
    x->point.model.d_ff = 24;
    x->point.model.dropout = 0.1;
    x->point.train.steps = 20;
    x->point.train.batch = 12;
    x->point.train.eval_every = 10;
    x->point.train.lr = 1e-2;
    x->point.train.val_examples = x->point.train.test_examples = SET;
    arena_init(&x->arena, NULL);
    *state = x;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *x = *state;
    int left = folder_remove(x->folder);
    arena_free(&x->arena);
    free(x);
    return left;
}

static struct data *open_data(struct fixture *x, uint32_t seed)
{
    struct data *d;
    if (data_new(&x->arena, &x->point, seed, &x->place, &d, &x->m) != STATUS_OK ||
        data_draw(d, &x->m) != STATUS_OK)
        fail_msg("%s", x->m.text);
    return d;
}

static struct trial *open_trial(struct fixture *x)
{
    struct trial *t;
    if (trial_new(&x->arena, &x->point, 3, METRIC_VAL_LOSS, &x->place, &t, &x->m) != STATUS_OK)
        fail_msg("%s", x->m.text);
    return t;
}

static void advance(struct trial *t, int64_t step)
{
    struct message m;
    bool evaluated;
    while (t->trainer->step < step)
        if (trial_step(t, &evaluated, &m) != STATUS_OK)
            fail_msg("%s", m.text);
}

static struct examples new_batch(struct fixture *x)
{
    struct examples e = {.n = x->point.train.batch};
    e.tokens = arena_alloc(&x->arena, (size_t)e.n * T, sizeof *e.tokens);
    e.targets = arena_alloc(&x->arena, (size_t)e.n * T, sizeof *e.targets);
    return e;
}

static void fill(struct data *d, int64_t step, struct examples *e)
{
    struct message m;
    e->padding = NULL;
    if (data_fill(d, step, e, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

static void assert_from(const struct examples *e, int first, int last)
{
    for (long i = 0; i < e->n * T; i++) {
        assert_in_range(e->tokens[i], first, last);
        assert_in_range(e->targets[i], first, last);
        if (i % T)
            assert_int_equal(e->tokens[i], e->targets[i - 1]);
    }
}

/* Rows of 1 to 12 bytes, so that some are padded and some are cut; the label is the first byte. */
static void use_rows(struct fixture *x)
{
    struct text_buffer rows = {0};
    struct rng r = rng_at(2, RNG_DATA, 0, 0);
    for (int i = 0; i < 120; i++) {
        unsigned first = rng_below(&r, 3), size = 1 + rng_below(&r, 12);
        text_add(&rows, "{\"label\":\"%s\",\"text\":\"%c", first == 1 ? "it's \\\"b\\\"" : "plain",
                 (int)('a' + first));
        for (unsigned k = 1; k < size; k++)
            text_add(&rows, "%c", (int)('a' + rng_below(&r, 20)));
        text_add(&rows, "\"}\n");
    }
    snprintf(x->place.path, sizeof x->place.path, "%s/rows.jsonl", x->folder);
    write_file(x->place.path, rows.text, rows.used);
    free(rows.text);
    options(x)->mode = TEXT_CLASSIFY;
    survey(x);
}

/* ---- examples ---- */

FIXTURE(setup, teardown)

/* Sets are no larger than their part, and the same for all seeds; batches are not. */
TEST(each_part_gives_its_set)
{
    use_text(x);
    x->point.train.val_examples = 7;
    struct data *d = open_data(x, 1), *other = open_data(x, 2);
    assert_int_equal(data_val(d)->n, 7);
    assert_int_equal(data_test(d)->n, 99 / T);
    assert_from(data_val(d), 'q', 't');
    assert_from(data_test(d), 'u', 'x');
    assert_memory_equal(data_val(d)->tokens, data_val(other)->tokens, sizeof(int32_t[7 * T]));
    struct examples a = new_batch(x), b = new_batch(x), again = new_batch(x);
    size_t size = (size_t)a.n * T * sizeof *a.tokens;
    fill(d, 5, &a);
    fill(d, 6, &b);
    assert_from(&a, 'a', 'p');
    assert_memory_not_equal(a.tokens, b.tokens, size);
    fill(other, 5, &b);
    assert_memory_not_equal(a.tokens, b.tokens, size);
    fill(d, 5, &again);
    assert_memory_equal(a.tokens, again.tokens, size);
    assert_memory_equal(a.targets, again.targets, size);
    assert_null(a.padding);
    data_close(d), data_close(other);
}

static int count_in(const struct examples *set, const int32_t *tokens)
{
    int n = 0;
    for (long i = 0; i < set->n; i++)
        n += memcmp(set->tokens + i * T, tokens, sizeof(int32_t[T])) == 0;
    return n;
}

/* One of each stretch of the training part: no window twice, and another set for another seed. With
 * as many as there are, an epoch is the whole part. */
TEST(finite_sets_have_no_example_twice)
{
    use_text(x);
    static const int64_t asked[] = {10, 60, 1000000};
    for (int i = 0; i < 3; i++) {
        long n = asked[i] < 99 ? (long)asked[i] : 99;
        x->point.train.examples = asked[i];
        x->point.train.batch = n;
        struct data *one = open_data(x, 1), *two = open_data(x, 2);
        struct examples a = new_batch(x), b = new_batch(x);
        fill(one, 0, &a);
        fill(two, 0, &b);
        int shared = 0;
        for (long k = 0; k < n; k++) {
            assert_int_equal(count_in(&a, a.tokens + k * T), 1);
            shared += count_in(&b, a.tokens + k * T);
        }
        assert_true(n == 99 ? shared == n : shared < n);
        assert_from(&a, 'a', 'p');
        data_close(one), data_close(two);
    }
}

/* ---- what the result says of a test in its parts ---- */

TEST(blocks_make_up_the_test_loss)
{
    char text[20000];
    struct rng r = rng_at(1, RNG_DATA, 0, 0);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + rng_below(&r, 9));
    write_file(x->place.path, text, sizeof text);
    x->point.model.mask = MASK_CAUSAL;
    survey(x);
    static const int64_t sizes[] = {1, 31, 32, 100};
    for (int i = 0; i < 4; i++) {
        x->point.train.test_examples = sizes[i];
        struct trial *t = open_trial(x);
        advance(t, 20);
        trial_test(t);
        const struct result *res = &t->result;
        assert_int_equal(res->blocks, sizes[i] < 32 ? sizes[i] : 32);
        double sum = 0;
        for (long k = 0; k < res->blocks; k++)
            sum += res->block_loss[k] *
                   (double)((k + 1) * sizes[i] / res->blocks - k * sizes[i] / res->blocks);
        /* In single precision, whose last bits depend on how many examples go together. */
        assert_true(fabs(sum / (double)sizes[i] - res->test_loss) < 1e-6);
        char *json = result_json(res), shown[64];
        snprintf(shown, sizeof shown, ",\"block_loss\":[%.17g", res->block_loss[0]);
        assert_non_null(strstr(json, shown));
        assert_null(strstr(json, "label_acc"));
        free(json);
        trial_close(t);
    }
}

TEST(labels_make_up_the_test_accuracy)
{
    use_rows(x);
    x->point.model.pool = POOL_MEAN;
    x->point.train.steps = 60;
    struct trial *t = open_trial(x);
    advance(t, 60);
    trial_test(t);
    const struct result *r = &t->result;
    assert_int_equal(r->labels, 2);
    assert_int_equal(r->blocks, 0);
    assert_int_equal(r->label[0].n + r->label[1].n, data_test(t->data)->n);
    double right = (double)(r->label[0].right + r->label[1].right);
    assert_true(fabs(right / (double)data_test(t->data)->n - r->test_acc) < 1e-12);
    assert_each(r->test_acc > .5, r->label[0].right <= r->label[0].n);
    char *json = result_json(r), shown[160];
    snprintf(shown, sizeof shown,
             ",\"label_acc\":[{\"label\":\"it's \\\"b\\\"\",\"n\":%d,\"acc\":", (int)r->label[0].n);
    assert_non_null(strstr(json, shown));
    assert_null(strstr(json, "block_loss"));
    free(json);
    trial_close(t);
}

/* ---- padding ---- */

/* Other bytes where there is padding. */
static long scramble(struct examples *e)
{
    long padded = 0;
    for (long i = 0; i < e->n * T; i++)
        if (e->padding[i]) {
            e->tokens[i] = (e->tokens[i] + 77) % TEXT_VOCAB;
            padded++;
        }
    return padded;
}

static enum status fill_scrambled(void *context, int64_t step, struct examples *e,
                                  struct message *m)
{
    enum status s = data_fill(context, step, e, m);
    assert_true(scramble(e) > 0);
    return s;
}

/* What stands in a row's padding changes neither its logits nor what is learned from it. */
TEST(padding_is_not_seen)
{
    use_rows(x);
    static const int64_t pools[] = {POOL_MEAN, POOL_FIRST};
    for (int i = 0; i < 4; i++) {
        x->point.model.pool = pools[i % 2];
        x->point.train.examples = i < 2 ? 0 : 30; /* fresh rows, and a finite set of them */
        struct trial *a = open_trial(x), *b = open_trial(x);
        b->trainer->fill = fill_scrambled;
        advance(a, 20);
        advance(b, 20);
        const struct nn *n = &a->trainer->encoder->nn;
        assert_memory_equal(n->data, b->trainer->encoder->nn.data, (size_t)n->size * sizeof(real));
        long count;
        struct examples set = *data_test(a->data);
        size_t size = (size_t)data_shape(a->data)->classes * sizeof(real);
        const real *logits = trainer_logits(a->trainer, &set, 0, &count);
        assert_int_equal(count, set.n);
        real *before = arena_alloc(&x->arena, (size_t)count, size);
        memcpy(before, logits, (size_t)count * size);
        assert_true(scramble(&set) > 0);
        logits = trainer_logits(a->trainer, &set, 0, &count);
        assert_memory_equal(logits, before, (size_t)count * size);
        set.tokens[0] = (set.tokens[0] + 77) % TEXT_VOCAB; /* no padding: seen */
        logits = trainer_logits(a->trainer, &set, 0, &count);
        assert_memory_not_equal(logits, before, size);
        trial_close(a), trial_close(b);
    }
}

/* ---- a file that is another one ---- */

static void set_time(const char *path, int64_t ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    struct timespec times[2] = {t, t};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Another byte at its place, without another time; a second time the old one. */
static void change_unseen(const struct fixture *x, off_t at)
{
    struct stat st;
    char byte;
    int fd = open(x->place.path, O_RDWR | O_CLOEXEC);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 0x40;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    assert_int_equal(close(fd), 0);
    set_time(x->place.path, file_mtime_ns(&st));
}

static void assert_says(const struct fixture *x, const char *what)
{
    if (!strstr(x->m.text, what) || !strstr(x->m.text, x->place.path))
        fail_msg("'%s' does not say '%s' of %s", x->m.text, what, x->place.path);
}

/* Of a file without a copy changes are noticed, but not of one that took its name. */
TEST(changes_are_noticed)
{
    use_text(x);
    struct data *d = open_data(x, 1);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    set_time(x->place.path, 1000);
    assert_int_equal(data_check(d, false, &x->m), STATUS_OK); /* only touched */
    change_unseen(x, 5);
    assert_int_equal(data_check(d, false, &x->m), STATUS_OK); /* at a glance */
    assert_int_equal(data_check(d, true, &x->m), STATUS_CORRUPT);
    assert_says(x, "has changed since it was first read (SHA-256 ");
    assert_says(x, ": put the old file back");
    set_time(x->place.path, 2000);
    assert_int_equal(data_check(d, false, &x->m), STATUS_CORRUPT);
    change_unseen(x, 5);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    unlink(x->place.path);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    use_text(x);
    struct trial *t = open_trial(x);
    char checkpoint[80];
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", x->folder);
    advance(t, 3);
    assert_int_equal(truncate(x->place.path, 500), 0);
    assert_int_equal(trial_save(t, checkpoint, "build", &x->m), STATUS_CORRUPT);
    assert_says(x, "(500 bytes, not 1000)");
    assert_int_equal(access(checkpoint, F_OK), -1);
    trial_close(t), data_close(d);
}

/* Once it is open, a copy is not read again; a damaged one is not opened. */
TEST(a_copy_is_read_when_it_is_opened)
{
    struct data *d;
    use_text(x);
    x->place.copied = true;
    memcpy(x->place.name, "/not/there.txt", 15);
    d = open_data(x, 1);
    memcpy(x->place.good, data_hashed(d), sizeof x->place.good);
    assert_true(x->place.good[0] != '\0');
    change_unseen(x, 5);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    data_close(d);
    assert_int_equal(data_new(&x->arena, &x->point, 1, &x->place, &d, &x->m), STATUS_CORRUPT);
    assert_says(x, "has changed since it was first read (SHA-256 ");
    assert_says(x, ": remove this copy, and the next `headcount run` makes it again");
    data_stamp(x->place.path, x->place.good); /* whoever says that it is good is believed */
    d = open_data(x, 1);
    assert_string_equal(data_hashed(d), "");
    data_close(d);
    unlink(x->place.path); /* what cannot be opened is not damaged */
    assert_int_equal(data_new(&x->arena, &x->point, 1, &x->place, &d, &x->m), STATUS_IO);
    assert_says(x, "No such file or directory");
    assert_null(strstr(x->m.text, "remove"));
}
