/* What becomes of a file that changes while trials learn from it. That no example has other bytes:
 * unit/test_corpus.c, unit/test_text_task.c, crash/data.sh. */
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

static void assert_says(const struct fixture *x, const char *what)
{
    if (!strstr(x->m.text, what) || !strstr(x->m.text, x->place.path))
        fail_msg("'%s' does not say '%s' of %s", x->m.text, what, x->place.path);
}

FIXTURE(setup, teardown)

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
