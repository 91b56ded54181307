#include <math.h>

#include "engine/base/clock.h"
#include "tests/test.h"
#include "tests/unit/checkpoint_fixture.h"
#include "tests/unit/faults.h"

static void assert_same_file(const char *a, const char *b)
{
    size_t size_a, size_b;
    void *bytes_a = read_file(a, &size_a), *bytes_b = read_file(b, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

GROUP(make_folder, remove_folder)

TEST(resumed_training_is_the_same_bit_for_bit)
{
    struct arena a, b;
    struct trainer *whole = new_trainer(&a, 4, 7);
    real *best = new_best(whole), *best_back = calloc(1, weights_size(whole));
    assert_non_null(best_back);
    char half[512];
    snprintf(half, sizeof half, "%s", path_of("half"));
    train_to(whole, 30);
    write_ok(half, whole, best);
    train_to(whole, STEPS);
    write_ok(path_of("whole"), whole, best);

    struct trainer *resumed = new_trainer(&b, 4, 7);
    bool has_best;
    char *text, *origin;
    struct message m = {""};
    if (checkpoint_read(half, resumed, best_back, &has_best, &text, &origin, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    assert_true(has_best);
    assert_memory_equal(best, best_back, weights_size(whole));
    assert_string_equal(text, state_text);
    assert_string_equal(origin, "0.1.0 gcc \"12\"");
    assert_int_equal(resumed->step, 30);
    assert_int_equal(resumed->optim.t, 30);
    assert_each(resumed->grad_norm > 0, resumed->lr > 0, resumed->loss_count > 0);
    write_ok(path_of("again"), resumed, best_back);
    assert_same_file(half, path_of("again"));

    train_to(resumed, STEPS);
    write_ok(path_of("resumed"), resumed, best_back);
    assert_same_file(path_of("whole"), path_of("resumed"));
    double loss[2], acc[2];
    trainer_take_means(whole, &loss[0], &acc[0]);
    trainer_take_means(resumed, &loss[1], &acc[1]);
    assert_memory_equal(&loss[0], &loss[1], sizeof loss[0]);
    assert_memory_equal(&acc[0], &acc[1], sizeof acc[0]);

    free(text), free(origin), free(best), free(best_back);
    arena_free(&a);
    arena_free(&b);
}

TEST(a_fresh_trainer_has_no_best)
{
    struct arena a, b;
    struct trainer *t = new_trainer(&a, 4, 7), *other = new_trainer(&b, 4, 8);
    real *best = new_best(t), *kept = new_best(t);
    struct message m = {""};
    const char *path = path_of("fresh");
    assert_int_equal(checkpoint_write(path, t, NULL, "", NULL, &m), STATUS_OK);
    bool has_best = true;
    char *text, *origin;
    assert_int_equal(checkpoint_read(path, other, best, &has_best, &text, &origin, &m), STATUS_OK);
    assert_false(has_best);
    assert_null(origin);
    assert_string_equal(text, "");
    assert_int_equal(other->step, 0);
    assert_memory_equal(best, kept, weights_size(t));
    assert_memory_equal(other->encoder->nn.data, t->encoder->nn.data, weights_size(t));
    free(text), free(best), free(kept);
    arena_free(&a);
    arena_free(&b);
}

/* A gradient too large to square makes v infinite, and training goes on: so must its resume. */
TEST(infinite_moments_come_back)
{
    struct bench b;
    bench_open(&b);
    b.written->optim.v[1] = (real)INFINITY;
    write_ok(b.path, b.written, NULL);
    bool has_best;
    char *text, *origin;
    assert_int_equal(checkpoint_read(b.path, b.t, b.best, &has_best, &text, &origin, NULL),
                     STATUS_OK);
    assert_true(isinf(b.t->optim.v[1]));
    free(text), free(origin);
    bench_close(&b);
}

TEST(another_model_is_refused)
{
    struct bench b;
    bench_open(&b);
    struct arena a;
    struct trainer *wider = new_trainer(&a, 8, 7);
    real *best = new_best(wider);
    struct snapshot before = snapshot_take(wider, best);
    assert_refused(b.path, wider, best, &before, STATUS_CORRUPT, "has another shape or dtype");
    free(before.numbers);
    free(best);
    arena_free(&a);
    bench_close(&b);
}

TEST(unreadable_files_are_refused)
{
    struct bench b;
    bench_open(&b);
    assert_refused(path_of("missing"), b.t, b.best, &b.before, STATUS_IO,
                   "No such file or directory");
    assert_refused(folder, b.t, b.best, &b.before, STATUS_CORRUPT, "is a folder");
    assert_int_equal(truncate(b.path, (off_t)1 << 40), 0);
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "bytes behind the last tensor");
    bench_close(&b);
}

/* A header of its own kind, whose first tensor is 1 TiB: nothing of that is read, or taken as
 * memory. */
TEST(a_grown_file_costs_its_header)
{
    struct bench b;
    bench_open(&b);
    assert_int_equal(checkpoint_step(b.path), 5);
    struct safetensors f;
    assert_int_equal(safetensors_parse(b.bytes, b.size, &f, NULL), STATUS_OK);
    char *header;
    size_t size, data = 0;
    f.tensor[0].rank = 1;
    f.tensor[0].shape[0] = ((int64_t)1 << 40) / (int64_t)sizeof(real);
    f.tensor[0].size = (size_t)1 << 40;
    for (int i = 0; i < f.count; i++)
        data += f.tensor[i].size;
    assert_int_equal(safetensors_header(&f, &header, &size, NULL), STATUS_OK);
    struct iovec part = {header, size};
    assert_int_equal(file_write(b.path, &part, 1, NULL), STATUS_OK);
    assert_int_equal(truncate(b.path, (off_t)(size + data)), 0);
    double began = clock_now_s();
    assert_int_equal(checkpoint_step(b.path), 5); /* which is all that it says */
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "has another shape or dtype");
    assert_true(clock_now_s() - began < 60);
    free(header);
    safetensors_free(&f);
    bench_close(&b);
}

TEST(steps_of_what_is_no_checkpoint)
{
    struct bench b;
    bench_open(&b);
    assert_int_equal(checkpoint_step(path_of("missing")), -1);
    assert_int_equal(checkpoint_step(folder), -1);
    for (size_t n = b.size; n-- > 0;) {
        assert_int_equal(truncate(b.path, (off_t)n), 0);
        assert_int_equal(checkpoint_step(b.path), -1);
    }
    write_ok(b.path, b.written, b.best);
    int fd = open(b.path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    const char *step = memmem(b.bytes, b.size, "\"step\":\"5\"", 10);
    assert_non_null(step);
    assert_int_equal(pwrite(fd, "6", 1, step + 8 - (const char *)b.bytes), 1);
    assert_int_equal(checkpoint_step(b.path), -1); /* the digest of the metadata tells */
    close(fd);
    bench_close(&b);
}

TEST(keys_cannot_be_given_twice)
{
    struct bench b;
    bench_open(&b);
    static const char *const keys[] = {"step", "header", "sha256", "state"};
    for (size_t i = 0; i < 4; i++) {
        const struct safetensors_meta again[] = {{keys[i], ""}, {NULL, NULL}};
        struct message m = {""};
        assert_int_equal(checkpoint_write(b.path, b.t, NULL, "", again, &m), STATUS_INTERNAL);
        assert_non_null(strstr(m.text, keys[i]));
    }
    bench_close(&b);
}

TEST(a_failed_write_leaves_the_old_checkpoint)
{
    struct bench b;
    size_t size;
    bench_open(&b);
    fault_arm(FAULT_WRITEV, 1, ENOSPC);
    assert_int_equal(checkpoint_write(b.path, b.t, b.best, "", NULL, NULL), STATUS_DISK_FULL);
    assert_true(fault_disarm());
    void *bytes = read_file(b.path, &size);
    assert_int_equal(size, b.size);
    assert_memory_equal(bytes, b.bytes, size);
    free(bytes);
    bench_close(&b);
}

TEST(running_out_of_memory_is_reported)
{
    if (!FAULTS_IN_MALLOC)
        skip();
    struct bench b;
    bench_open(&b);
    for (int nth = 1, fired = 1; fired; nth++) {
        fault_arm(FAULT_MALLOC, nth, ENOMEM);
        enum status s = checkpoint_write(path_of("other"), b.t, b.best, "", NULL, NULL);
        fired = fault_disarm();
        assert_true(s == STATUS_OK || (fired && s == STATUS_NO_MEMORY));
    }
    for (int nth = 1, fired = 1; fired; nth++) {
        bool has_best;
        char *text, *origin;
        fault_arm(FAULT_MALLOC, nth, ENOMEM);
        enum status s = checkpoint_read(b.path, b.t, b.best, &has_best, &text, &origin, NULL);
        fired = fault_disarm();
        if (fired) {
            assert_int_equal(s, STATUS_NO_MEMORY);
            assert_null(text);
            assert_null(origin);
            snapshot_assert(&b.before, b.t, b.best);
        } else
            assert_int_equal(s, STATUS_OK);
        free(text), free(origin);
    }
    bench_close(&b);
}
