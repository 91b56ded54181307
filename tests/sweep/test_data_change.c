/* What becomes of a file that changes while trials learn from it. */
#include "data_text_help.h"

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

static enum status try_open(struct fixture *x)
{
    struct data *d;
    enum status s = data_new(&x->arena, &x->point, 1, &x->place, &d, &x->m);
    if (s == STATUS_OK)
        data_close(d);
    return s;
}

static void assert_says(const struct fixture *x, const char *what)
{
    if (!strstr(x->m.text, what) || !strstr(x->m.text, x->place.path))
        fail_msg("'%s' does not say '%s' of %s", x->m.text, what, x->place.path);
}

FIXTURE(setup, teardown)

/* Its bytes are compared, whatever its time says. */
TEST(bytes_are_compared_when_it_is_opened)
{
    use_text(x);
    assert_int_equal(try_open(x), STATUS_OK);
    set_time(x->place.path, 1000);
    assert_int_equal(try_open(x), STATUS_OK);
    change_unseen(x, 5);
    assert_int_equal(try_open(x), STATUS_CORRUPT);
    assert_says(x, "has changed since it was first read (SHA-256");
    change_unseen(x, 5);
    assert_int_equal(try_open(x), STATUS_OK);
    assert_int_equal(truncate(x->place.path, 999), 0);
    assert_int_equal(try_open(x), STATUS_CORRUPT);
    assert_says(x, "999");
    assert_int_equal(truncate(x->place.path, 0), 0);
    assert_int_equal(try_open(x), STATUS_CORRUPT);
    unlink(x->place.path);
    assert_int_equal(try_open(x), STATUS_CORRUPT);
    assert_says(x, "No such file");
}

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
    assert_says(x, "has changed since");
    set_time(x->place.path, 2000);
    assert_int_equal(data_check(d, false, &x->m), STATUS_CORRUPT);
    assert_says(x, "has changed since");
    change_unseen(x, 5);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    assert_int_equal(truncate(x->place.path, 500), 0);
    assert_int_equal(data_check(d, false, &x->m), STATUS_CORRUPT);
    assert_says(x, "500 bytes, not 1000");
    data_close(d);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK); /* of no concern any more */
}

enum { LARGE = 20 << 20 }; /* more than stays in memory, which is 8 MiB */

/* Bytes of which no two pieces are equal. */
static void use_large_text(struct fixture *x)
{
    unsigned char *text = malloc(LARGE);
    assert_non_null(text);
    for (size_t i = 0; i < LARGE; i++)
        text[i] = (unsigned char)(i >> (i % 3 * 8));
    write_file(x->place.path, (const char *)text, LARGE);
    free(text);
    options(x)->mode = TEXT_LM;
    x->point.model.mask = MASK_CAUSAL;
    survey(x);
}

/* An example has the file's bytes or there is none, however briefly they were others: of the draws
 * from a file whose bytes change and come back under the reader, each is that of an undisturbed
 * one, or refused. */
static void check_examples(struct fixture *x, enum text_split split)
{
    use_large_text(x);
    options(x)->split = split;
    struct data *calm = open_data(x, 1), *d = open_data(x, 1);
    struct examples a = new_batch(x), b = new_batch(x);
    size_t size = (size_t)a.n * T * sizeof *a.tokens;
    int refused = 0;
    for (off_t at = 100; at < LARGE; at += 4096)
        change_unseen(x, at); /* one byte of each piece */
    for (int64_t step = 0; step < 50; step++) {
        enum status s = data_fill(d, step, &a, &x->m);
        assert_int_equal(s, STATUS_CORRUPT);
        assert_says(x, "has changed near byte");
        refused++;
    }
    for (off_t at = 100; at < LARGE; at += 2 * 4096)
        change_unseen(x, at); /* every other one is as it was */
    for (int64_t step = 50; step < 100; step++)
        refused += data_fill(d, step, &a, &x->m) == STATUS_CORRUPT;
    assert_true(refused > 60);
    for (off_t at = 100 + 4096; at < LARGE; at += 2 * 4096)
        change_unseen(x, at);
    for (int64_t step = 0; step < 50; step++) {
        fill(d, step, &a);
        fill(calm, step, &b);
        assert_memory_equal(a.tokens, b.tokens, size);
        assert_memory_equal(a.targets, b.targets, size);
    }
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    data_close(calm), data_close(d);
}

TEST(no_example_has_other_bytes)
{
    check_examples(x, TEXT_CONTIGUOUS);
}

TEST(no_example_of_a_stretch_has_other_bytes)
{
    check_examples(x, TEXT_INTERLEAVED);
}

/* A new file of that name leaves the opened one as it was. */
TEST(the_opened_file_counts)
{
    char other[80];
    use_text(x);
    struct data *d = open_data(x, 1);
    snprintf(other, sizeof other, "%s/other", x->folder);
    write_file(other, "another text", 12);
    assert_int_equal(rename(other, x->place.path), 0);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    struct examples e = new_batch(x);
    fill(d, 0, &e);
    assert_from(&e, 'a', 'p');
    unlink(x->place.path);
    assert_int_equal(data_check(d, true, &x->m), STATUS_OK);
    data_close(d);
}

/* A step that meets the end says that the file changed; nothing of the trial can be kept. */
TEST(a_trial_over_a_cut_file_ends)
{
    char checkpoint[80];
    bool evaluated;
    use_large_text(x);
    struct trial *t = open_trial(x);
    advance(t, 3);
    assert_int_equal(truncate(x->place.path, 10), 0);
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint", x->folder);
    assert_int_equal(trial_save(t, checkpoint, "build", &x->m), STATUS_CORRUPT);
    assert_int_equal(access(checkpoint, F_OK), -1);
    assert_int_equal(trial_step(t, &evaluated, &x->m), STATUS_CORRUPT);
    assert_says(x, "10 bytes, not 20971520");
    assert_int_equal(t->trainer->step, 3);
    trial_close(t);
}
