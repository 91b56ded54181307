/* A trial's life: paired data, exact resume, damaged checkpoints, results that come back. */
#include "config_help.h"
#include "trial_help.h"

static void assert_same(const struct trial *a, const struct trial *b)
{
    assert_int_equal(a->result.rows, b->result.rows);
    for (int i = 0; i < a->result.rows; i++) {
        struct curve_row x = a->curve[i], y = b->curve[i];
        x.elapsed_s = y.elapsed_s = x.cpu_s = y.cpu_s = 0;
        assert_memory_equal(&x, &y, sizeof x);
    }
    const struct nn *n = &a->trainer->encoder->nn;
    size_t bytes = (size_t)n->size * sizeof(real);
    assert_memory_equal(n->data, b->trainer->encoder->nn.data, bytes);
    assert_memory_equal(a->best, b->best, bytes);
    assert_memory_equal(a->trainer->optim.m, b->trainer->optim.m, bytes);
    assert_memory_equal(a->trainer->optim.v, b->trainer->optim.v, bytes);
    assert_int_equal(a->result.best_step, b->result.best_step);
    assert_true(a->result.test_acc == b->result.test_acc);
    assert_true(a->result.test_loss == b->result.test_loss);
}

static void check_resumes_exactly(struct point p)
{
    static const int64_t stops[] = {1, 10, 24, 25, 26, 49, 59};
    struct arena a, b, c;
    struct message m;
    name_file("x.ckpt");
    struct trial *whole = new_trial(&a, &p, 3);
    advance(whole, 60);
    trial_test(whole);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        bool other;
        struct trial *first = new_trial(&b, &p, 3), *second = new_trial(&c, &p, 3);
        advance(first, stops[i]);
        assert_int_equal(trial_save(first, path, "this build", &m), STATUS_OK);
        assert_int_equal(checkpoint_step(path), stops[i]);
        assert_int_equal(trial_resume(second, path, i % 2 ? "another" : "this build", &other, &m),
                         STATUS_OK);
        assert_int_equal(other, i % 2);
        assert_int_equal(second->result.resumed_from_step, stops[i]);
        advance(second, 60);
        trial_test(second);
        assert_same(whole, second);
        arena_free(&b);
        arena_free(&c);
    }
    arena_free(&a);
}

TEST(resumes_exactly)
{
    check_resumes_exactly(sample_point("gather"));
}

/* The options of heads: what is not in the checkpoint (columns of segments) comes back from the
 * seed. */
TEST(every_form_resumes_exactly)
{
    static const char *const options[][3][2] = {
        {{"form", "cut"}, {"mask", "causal"}},
        {{"form", "segments"}, {"segment_width", "5"}},
        {{"form", "segments"}, {"segment_width", "12"}, {"segment_overlap", "true"}},
        {{"heads", "4"}, {"kv_heads", "2"}, {"init", "orthogonal_per_head"}},
        {{"heads", "4"}, {"kv_heads", "1"}, {"mask", "causal"}},
        {{"positions", "rotary"}, {"kv_heads", "1"}, {"mask", "causal"}},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct point p = sample_point("gather");
        for (int k = 0; k < 3 && options[i][k][0]; k++)
            set_model(&p, options[i][k][0], options[i][k][1]);
        check_resumes_exactly(p);
    }
}

/* Stored weights answer as their trial did, where the encoder was made from its seed. */
TEST(stored_weights_of_segments)
{
    struct point p = sample_point("gather");
    struct arena a, b;
    struct message m;
    struct result_file f;
    struct written_result w;
    set_model(&p, "form", "segments");
    set_model(&p, "segment_width", "6");
    struct trial *t = new_trial(&a, &p, 1);
    advance(t, 60);
    trial_test(t);
    write_result(&w, t, &p, 1);
    for (uint32_t seed = 1; seed <= 2; seed++) {
        struct metrics test = {0};
        assert_int_equal(result_open(path, &w.owner, &f, &m), STATUS_OK);
        struct trial *other = new_trial(&b, &p, seed);
        assert_int_equal(result_weights(&f, &other->trainer->encoder->nn, &m), STATUS_OK);
        trainer_evaluate(other->trainer, data_test(other->data), &test);
        assert_int_equal(test.loss == t->result.test_loss, seed == 1);
        result_close(&f);
        arena_free(&b);
    }
    arena_free(&a);
}

TEST(damaged_checkpoint_is_refused)
{
    struct point p = sample_point("copy");
    struct arena a, b;
    struct message m;
    bool other;
    name_file("x.ckpt");
    struct trial *t = new_trial(&a, &p, 1);
    advance(t, 30);
    assert_int_equal(trial_save(t, path, "b", &m), STATUS_OK);
    FILE *f = fopen(path, "r+b");
    fseek(f, -100, SEEK_END);
    int byte = fgetc(f);
    fseek(f, -100, SEEK_END);
    fputc(byte ^ 4, f);
    fclose(f);
    struct trial *again = new_trial(&b, &p, 1);
    assert_int_equal(trial_resume(again, path, "b", &other, &m), STATUS_CORRUPT);
    assert_int_equal(checkpoint_step("/nonexistent/file"), -1);
    arena_free(&a);
    arena_free(&b);
}

TEST(data_is_paired)
{
    struct point p = sample_point("gather"), q = p;
    q.model.heads = 8;
    struct arena a, b;
    struct trial *x = new_trial(&a, &p, 5), *y = new_trial(&b, &q, 5);
    const struct nn *n = &x->trainer->encoder->nn;
    assert_memory_equal(n->data, y->trainer->encoder->nn.data, (size_t)n->size * sizeof(real));
    for (int64_t step = 0; step < 5; step++) {
        assert_int_equal(data_fill(x->data, step, &x->trainer->batch, NULL), STATUS_OK);
        assert_int_equal(data_fill(y->data, step, &y->trainer->batch, NULL), STATUS_OK);
        assert_memory_equal(x->trainer->batch.tokens, y->trainer->batch.tokens, 12 * 8 * 4);
        assert_memory_equal(x->trainer->batch.targets, y->trainer->batch.targets, 12 * 8 * 4);
    }
    arena_free(&b);
    /* Another seed: other weights and batches, the same validation and test sets. */
    struct trial *z = new_trial(&b, &p, 6);
    assert_int_equal(data_fill(z->data, 0, &z->trainer->batch, NULL), STATUS_OK);
    assert_int_equal(data_fill(x->data, 0, &x->trainer->batch, NULL), STATUS_OK);
    assert_memory_not_equal(x->trainer->batch.tokens, z->trainer->batch.tokens, 12 * 8 * 4);
    assert_memory_not_equal(n->data, z->trainer->encoder->nn.data, (size_t)n->size * sizeof(real));
    assert_memory_equal(data_val(x->data)->tokens, data_val(z->data)->tokens, 40 * 8 * 4);
    assert_memory_equal(data_test(x->data)->targets, data_test(z->data)->targets, 40 * 8 * 4);
    assert_memory_not_equal(data_val(x->data)->tokens, data_test(x->data)->tokens, 40 * 8 * 4);
    arena_free(&a);
    arena_free(&b);
}

/* Seven examples in batches of three: every seven positions in a row from an epoch's start hold
 * each example once, and an epoch's order is its own. */
TEST(finite_set_has_epochs)
{
    struct point p = sample_point("copy");
    p.train.examples = 7;
    p.train.batch = 3;
    struct arena a;
    struct trial *t = new_trial(&a, &p, 2);
    int32_t seen[42][8];
    for (int64_t step = 0; step < 14; step++) {
        assert_int_equal(data_fill(t->data, step, &t->trainer->batch, NULL), STATUS_OK);
        memcpy(seen[3 * step], t->trainer->batch.tokens, sizeof seen[0] * 3);
    }
    int moved = 0;
    for (int epoch = 1; epoch < 6; epoch++)
        for (int i = 0; i < 7; i++) {
            int found = 0;
            for (int k = 0; k < 7; k++)
                found += memcmp(seen[i], seen[7 * epoch + k], sizeof seen[0]) == 0;
            assert_int_equal(found, 1);
            moved += memcmp(seen[i], seen[7 * epoch + i], sizeof seen[0]) != 0;
        }
    assert_true(moved > 0);
    arena_free(&a);
}

TEST(result_comes_back)
{
    struct point p = sample_point("reverse");
    struct arena a, b;
    struct message m;
    struct result_file f;
    struct written_result w;
    struct trial *t = new_trial(&a, &p, 1);
    advance(t, 60);
    trial_test(t);
    write_result(&w, t, &p, 1);
    assert_int_equal(result_open(path, &w.owner, &f, &m), STATUS_OK);
    assert_string_equal(f.config, w.json);
    char *expected = result_json(&t->result);
    assert_string_equal(f.trial_json, expected);
    free(expected);
    assert_int_equal(f.state, TRIAL_COMPLETED);
    struct trial *other = new_trial(&b, &p, 9);
    assert_int_equal(result_weights(&f, &other->trainer->encoder->nn, &m), STATUS_OK);
    assert_memory_equal(t->best, other->trainer->encoder->nn.data,
                        (size_t)t->trainer->encoder->nn.size * sizeof(real));
    result_close(&f);
    /* Any flipped bit is noticed. */
    FILE *file = fopen(path, "r+b");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    for (long at = 0; at < size; at += at < 4000 ? 1 : 97) {
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ (1 << at % 8), file);
        fflush(file);
        assert_int_equal(result_open(path, &w.owner, &f, &m), STATUS_CORRUPT);
        fseek(file, at, SEEK_SET);
        fputc(byte, file);
        fflush(file);
    }
    fclose(file);
    assert_int_equal(result_open(path, &w.owner, &f, &m), STATUS_OK);
    result_close(&f);
    arena_free(&a);
    arena_free(&b);
}

/* The state is read from the JSON, wherever in it it stands. */
TEST(a_result_says_what_became_of_its_trial)
{
    struct arena a;
    struct message m;
    struct result_file f;
    struct written_result w;
    struct point p = sample_point("copy");
    struct trial *t = new_trial(&a, &p, 1);
    t->result.diverged = true;
    t->result.error = "the word \"completed\" in a text";
    write_result(&w, t, &p, 1);
    assert_int_equal(result_open(path, &w.owner, &f, &m), STATUS_OK);
    assert_int_equal(f.state, TRIAL_DIVERGED);
    result_close(&f);
    arena_free(&a);
}

static void assert_result_refused(const struct result_owner *owner, const char *why)
{
    struct result_file f;
    struct message m;
    assert_int_equal(result_open(path, owner, &f, &m), STATUS_CORRUPT);
    if (!strstr(m.text, why) || !strstr(m.text, path))
        fail_msg("\"%s\", should say \"%s\"", m.text, why);
}

/* Whose result it is and how large it must be is known from the header: of a file that has grown,
 * also with a header that agrees, nothing else is read. */
TEST(a_result_is_of_one_trial_and_its_size)
{
    struct point p = sample_point("copy");
    struct arena a;
    struct message m;
    struct written_result w;
    struct trial *t = new_trial(&a, &p, 1);
    advance(t, 60);
    trial_test(t);
    write_result(&w, t, &p, 1);
    struct result_owner other = w.owner;
    other.seed = 2;
    assert_result_refused(&other, "the result of another configuration or seed");
    other = w.owner;
    other.config_sha256 = "0";
    assert_result_refused(&other, "the result of another configuration or seed");
    other = w.owner;
    other.n_params++;
    assert_result_refused(&other, "bytes of weights");

    struct result_file f;
    assert_int_equal(result_open(path, &w.owner, &f, &m), STATUS_OK);
    struct safetensors grown = f.file.list;
    grown.tensor[0].rank = 1;
    grown.tensor[0].shape[0] = ((int64_t)1 << 35) / (int64_t)sizeof(real);
    grown.tensor[0].size = (size_t)1 << 35;
    char *header;
    size_t size;
    assert_int_equal(safetensors_header(&grown, &header, &size, &m), STATUS_OK);
    FILE *file = fopen(path, "wb");
    fwrite(header, 1, size, file);
    fclose(file);
    off_t data = 0;
    for (int i = 0; i < grown.count; i++)
        data += (off_t)grown.tensor[i].size;
    assert_int_equal(truncate(path, (off_t)size + data), 0);
    assert_result_refused(&w.owner, "bytes of weights");
    free(header);
    result_close(&f);
    arena_free(&a);
}

TEST(divergence_is_a_result)
{
    struct point p = sample_point("copy");
    struct arena a;
    struct message m;
    bool evaluated;
    struct trial *t = new_trial(&a, &p, 1);
    advance(t, 30);
    nn_find(&t->trainer->encoder->nn, "encoder.layers.0.linear1.weight")->data[5] = NAN;
    assert_int_equal(trial_step(t, &evaluated, &m), STATUS_DIVERGED);
    assert_int_equal(t->result.bad_step, 31);
    assert_int_equal(t->result.best_step, 25);
    assert_non_null(strstr(m.text, "linear1"));
    char *json = result_json(&t->result);
    assert_non_null(strstr(json, "\"state\":\"diverged\""));
    assert_non_null(strstr(json, "\"bad_step\":31"));
    assert_non_null(strstr(json, "\"test_acc\":null"));
    free(json);
    arena_free(&a);
}

/* Found by the evaluation after it: the step that would have met it is the next one. */
TEST(weights_overflow_in_the_last_step)
{
    struct point p = sample_point("copy");
    struct arena a;
    struct message m;
    bool evaluated;
    struct trial *t = new_trial(&a, &p, 1);
    advance(t, p.train.steps - 1);
    t->trainer->config.lr = 1e38;
    assert_int_equal(trial_step(t, &evaluated, &m), STATUS_DIVERGED);
    assert_int_equal(t->result.steps_done, p.train.steps);
    assert_int_equal(t->result.bad_step, p.train.steps + 1);
    arena_free(&a);
}

GROUP(make_folder, remove_whole_folder)
