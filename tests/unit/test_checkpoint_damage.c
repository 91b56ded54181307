#include <math.h>

#include "engine/base/sha256.h"
#include "tests/test.h"
#include "tests/unit/checkpoint_fixture.h"

/* Writes the file again with one metadata value (NULL: left out) or one tensor changed, its digests
 * as they should be: what is left to notice is the content. */
static void rewrite(const struct bench *b, const char *key, const char *value, int tensor,
                    const struct safetensor *other, int count)
{
    struct safetensors f, out;
    struct safetensors_meta meta[32];
    struct safetensor tensors[256];
    char data_digest[65], meta_digest[65];
    struct message m = {""};
    assert_int_equal(safetensors_parse(b->bytes, b->size, &f, &m), STATUS_OK);
    assert_each(f.count <= 256, f.meta_count <= 32);
    memcpy(tensors, f.tensor, (size_t)f.count * sizeof *tensors);
    if (other)
        tensors[tensor] = *other;
    out = (struct safetensors){count ? count : f.count, tensors, 0, meta, NULL};

    struct sha256 s;
    sha256_init(&s);
    for (int i = 0; i < out.count; i++)
        sha256_update(&s, tensors[i].data, tensors[i].size);
    sha256_final(&s, data_digest);
    sha256_init(&s);
    for (int i = 0; i < f.meta_count; i++) {
        struct safetensors_meta e = f.meta[i];
        if (strcmp(e.key, "sha256") == 0)
            e.value = data_digest;
        if (key && strcmp(e.key, key) == 0)
            e.value = value;
        if (!e.value)
            continue;
        if (strcmp(e.key, "header") == 0)
            e.value = meta_digest;
        else {
            sha256_update(&s, e.key, strlen(e.key) + 1);
            sha256_update(&s, e.value, strlen(e.value) + 1);
        }
        meta[out.meta_count++] = e;
    }
    sha256_final(&s, meta_digest);
    assert_int_equal(safetensors_write(b->path, &out, NULL, &m), STATUS_OK);
    safetensors_free(&f);
}

GROUP(make_folder, remove_folder)

TEST(truncation_is_noticed_at_every_length)
{
    struct bench b;
    bench_open(&b);
    for (size_t n = b.size; n-- > 0;) {
        assert_int_equal(truncate(b.path, (off_t)n), 0);
        assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "");
    }
    bench_close(&b);
}

TEST(every_flipped_bit_is_noticed)
{
    struct bench b;
    bench_open(&b);
    int fd = open(b.path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    for (size_t i = 0; i < b.size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            unsigned char flipped = (unsigned char)(b.bytes[i] ^ 1 << bit);
            bool has_best;
            char *text, *origin;
            assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
            if (checkpoint_read(b.path, b.t, b.best, &has_best, &text, &origin, NULL) !=
                STATUS_CORRUPT)
                fail_msg("bit %d of byte %zu of %zu went unnoticed", bit, i, b.size);
        }
        assert_int_equal(pwrite(fd, &b.bytes[i], 1, (off_t)i), 1);
    }
    snapshot_assert(&b.before, b.t, b.best);
    close(fd);
    bench_close(&b);
}

TEST(appended_bytes_are_noticed)
{
    struct bench b;
    bench_open(&b);
    assert_int_equal(truncate(b.path, (off_t)b.size + 1), 0);
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "1 byte behind the last tensor");
    bench_close(&b);
}

TEST(metadata_is_checked)
{
    static const char *const refused[][3] = {
        {"format", "headcount.checkpoint.2",
         "is not a checkpoint of format headcount.checkpoint.1"},
        {"format", NULL, "is not a checkpoint of format headcount.checkpoint.1"},
        {"state", NULL, "has no state"},
        {"sha256", NULL, "the digest of its tensors does not match"},
        {"sha256", "00", "the digest of its tensors does not match"},
        {"header", NULL, "the digest of its metadata does not match"},
        {"step", NULL, "has no step"},
        {"step", "-1", "step is -1"},
        {"step", "05", "step is 05"},
        {"step", "5 ", "step is 5 "},
        {"step", "", "step is "},
        {"step", "99999999999999999999", "step is 99999999999999999999"},
        {"step", "61", "is of step 61 in a training of 60"},
        {"t", "x", "t is x"},
        {"loss_sum", "nan", "loss_sum is nan"},
        {"loss_sum", "inf", "loss_sum is inf"},
        {"loss_sum", "1.50", "loss_sum is 1.50"},
        {"lr", NULL, "has no lr"},
    };
    struct bench b;
    bench_open(&b);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        rewrite(&b, refused[i][0], refused[i][1], 0, NULL, 0);
        assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, refused[i][2]);
    }
    bench_close(&b);
}

TEST(tensors_are_checked)
{
    struct bench b;
    bench_open(&b);
    struct safetensors f;
    assert_int_equal(safetensors_parse(b.bytes, b.size, &f, NULL), STATUS_OK);
    int parameters = b.t->encoder->nn.count;
    assert_int_equal(f.count, 4 * parameters);

    struct safetensor other = f.tensor[0];
    other.name = "param.embed.nothing.weight";
    rewrite(&b, NULL, NULL, 0, &other, 0);
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT,
                   "has tensor param.embed.nothing.weight where this model needs "
                   "param.embed.token.weight");
    other = f.tensor[0];
    other.shape[0] = f.tensor[0].shape[1];
    other.shape[1] = f.tensor[0].shape[0];
    rewrite(&b, NULL, NULL, 0, &other, 0);
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "has another shape or dtype");
    other = f.tensor[0];
    other.dtype = DTYPE_I32;
    rewrite(&b, NULL, NULL, 0, &other, 0);
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "has another shape or dtype");
    rewrite(&b, NULL, NULL, 0, NULL, 4 * parameters - 1);
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "tensors; this model needs");

    real numbers[64];
    static const real bad[] = {(real)NAN, (real)INFINITY, (real)-INFINITY};
    for (int kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < 3; i++) {
            other = f.tensor[kind * parameters];
            assert_true(other.size <= sizeof numbers);
            memcpy(numbers, other.data, other.size);
            numbers[other.size / sizeof(real) - 1] = bad[i];
            other.data = numbers;
            rewrite(&b, NULL, NULL, kind * parameters, &other, 0);
            bool moment = kind == 1 || kind == 2;
            if (!moment || i == 0)
                assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT, "holds NaN or Inf");
        }
    safetensors_free(&f);
    bench_close(&b);
}

TEST(a_header_written_otherwise_is_refused)
{
    struct bench b;
    bench_open(&b);
    uint64_t length;
    memcpy(&length, b.bytes, 8);
    struct iovec parts[] = {{&(uint64_t){length + 8}, 8},
                            {b.bytes + 8, length},
                            {(char[]){"        "}, 8},
                            {b.bytes + 8 + length, b.size - 8 - length}};
    assert_int_equal(file_write(b.path, parts, 4, NULL), STATUS_OK);
    assert_refused(b.path, b.t, b.best, &b.before, STATUS_CORRUPT,
                   "its header is not as it was written");
    bench_close(&b);
}
