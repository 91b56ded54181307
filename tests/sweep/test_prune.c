/* Fine-tuning of models that were made smaller, and the options of `prune` as text and back. That
 * smaller ones compute what the whole one does without those heads: unit/test_forms.c. */
#include "engine/kernels/blas.h"
#include "sweep/study/prune.h"
#include "trial_help.h"

enum { LAYERS = 2, HEADS = 4, ALL = LAYERS * HEADS, SEED = 5 };

static const struct study_trial TRIAL = {.trial_id = 7, .seed = SEED};

static struct point pruned_point(void)
{
    struct point p = sample_point("gather");
    p.model.heads = HEADS;
    p.model.layers = LAYERS;
    p.train.steps = 40;
    p.train.eval_every = 5;
    p.train.val_examples = p.train.test_examples = 300;
    return p;
}

/* A model as its seed draws it. */
static struct study_model *new_model(struct arena *a, const struct point *p)
{
    struct message m;
    struct study_model *model = arena_alloc(a, 1, sizeof *model);
    model->trial = &TRIAL;
    model->point = *p;
    if (blas_start(1, &m) != STATUS_OK ||
        data_new(a, p, SEED, NULL, &model->data, &m) != STATUS_OK ||
        encoder_new(a, &p->model, data_io(model->data), true, &model->encoder, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    encoder_init(model->encoder, SEED);
    assert_int_equal(data_draw(model->data, &m), STATUS_OK);
    return model;
}

static struct trainer *new_smaller(struct arena *a, const struct study_model *model,
                                   const bool *keep, const struct prune_options *o)
{
    struct trainer *t;
    struct message m;
    if (prune_smaller(a, model, keep, o, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return t;
}

/* It begins with the heads that are kept. */
TEST(fine_tuning_is_deterministic)
{
    static const bool keep[ALL] = {true, false, true, true, true, true};
    struct point p = pruned_point();
    const struct prune_options none = {.lr = NAN}, some = {.lr = NAN, .finetune = 20};
    struct arena a;
    arena_init(&a, NULL);
    struct study_model *model = new_model(&a, &p);
    struct metrics before = {0}, after = {0};
    struct trainer *start = new_smaller(&a, model, keep, &none);
    struct trainer *one = new_smaller(&a, model, keep, &some);
    struct trainer *two = new_smaller(&a, model, keep, &some);
    const struct nn *nn = &one->encoder->nn;
    struct encoder *kept;
    assert_int_equal(encoder_keep_heads(&a, model->encoder, keep, true, &kept, NULL), STATUS_OK);
    assert_int_equal(kept->nn.size, nn->size);
    assert_memory_equal(kept->nn.data, start->encoder->nn.data,
                        (size_t)nn->size * sizeof *nn->data);
    assert_memory_equal(nn->data, two->encoder->nn.data, (size_t)nn->size * sizeof *nn->data);
    assert_memory_not_equal(nn->data, start->encoder->nn.data, (size_t)nn->size * sizeof *nn->data);
    assert_true(one->config.lr == p.train.lr / 10);
    assert_int_equal(one->config.steps, 20);
    trainer_evaluate(start, data_val(model->data), &before);
    trainer_evaluate(one, data_val(model->data), &after);
    assert_true(after.acc >= before.acc);
    arena_free(&a);
}

/* Batches that the model was not trained on. */
TEST(fine_tuning_goes_on_behind_training)
{
    static const bool keep[ALL] = {true};
    struct point p = pruned_point();
    const struct prune_options o = {.lr = NAN};
    struct arena a;
    arena_init(&a, NULL);
    struct study_model *model = new_model(&a, &p);
    struct trainer *t = new_smaller(&a, model, keep, &o);
    size_t tokens = (size_t)(t->batch.n * t->encoder->io.length);
    int32_t *given = arena_alloc(&a, tokens, sizeof *given);
    assert_int_equal(t->fill(t->context, 3, &t->batch, NULL), STATUS_OK);
    memcpy(given, t->batch.tokens, tokens * sizeof *given);
    assert_int_equal(data_fill(model->data, p.train.steps + 3, &t->batch, NULL), STATUS_OK);
    assert_memory_equal(given, t->batch.tokens, tokens * sizeof *given);
    assert_int_equal(data_fill(model->data, 3, &t->batch, NULL), STATUS_OK);
    assert_memory_not_equal(given, t->batch.tokens, tokens * sizeof *given);
    arena_free(&a);
}

/* What a rate destroys is not kept: the start is among what validation chooses from. */
TEST(fine_tuning_keeps_the_best)
{
    static const bool keep[ALL] = {true, true, true, true, true, true, true};
    struct point p = pruned_point();
    const struct prune_options none = {.lr = NAN},
                               wild = {.lr = 1e30, .finetune = 20, .metric = METRIC_VAL_LOSS};
    struct arena a;
    arena_init(&a, NULL);
    struct study_model *model = new_model(&a, &p);
    struct trainer *start = new_smaller(&a, model, keep, &none);
    struct trainer *t = new_smaller(&a, model, keep, &wild);
    const struct nn *nn = &t->encoder->nn;
    assert_true(t->config.lr == 1e30);
    assert_memory_equal(nn->data, start->encoder->nn.data, (size_t)nn->size * sizeof *nn->data);
    arena_free(&a);
}

TEST(a_model_without_so_many_heads)
{
    struct point p = pruned_point();
    struct arena a;
    struct pruner *pruner;
    struct message m;
    arena_init(&a, NULL);
    struct study_model *model = new_model(&a, &p);
    struct prune_options o = {.keeps = 1, .keep = {ALL + 1}, .lr = NAN};
    assert_int_equal(prune_to(&a, model, &o, &pruner, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "--keep 9: trial 7 has only 8 heads; keep fewer");
    o.keep[0] = 3;
    assert_int_equal(prune_to(&a, model, &o, &pruner, &m), STATUS_OK);
    assert_int_equal(pruner->heads - pruner->removed, 3);
    arena_free(&a);
}

static void assert_json(const struct prune_options *o, const char *expected)
{
    struct text_buffer text = {0};
    struct prune_options read;
    struct message m;
    prune_options_json(o, &text);
    assert_string_equal(text.text, expected);
    assert_int_equal(prune_options_parse(text.text, &read, &m), STATUS_OK);
    assert_int_equal(read.by, o->by);
    assert_int_equal(read.keeps, o->keeps);
    assert_memory_equal(read.keep, o->keep, (size_t)o->keeps * sizeof *o->keep);
    assert_int_equal(read.finetune, o->finetune);
    assert_true(read.lr == o->lr || (isnan(read.lr) && isnan(o->lr)));
    assert_int_equal(read.metric, o->metric);
    free(text.text);
}

TEST(options_come_back)
{
    assert_json(&(struct prune_options){.lr = NAN}, "{\"by\":\"importance\",\"keep\":null}");
    assert_json(&(struct prune_options){.by = PRUNE_RANDOM, .keeps = 2, .keep = {8, 1}, .lr = NAN},
                "{\"by\":\"random\",\"keep\":[8,1]}");
    assert_json(
        &(struct prune_options){
            .by = PRUNE_ABLATION, .finetune = 50, .lr = .003, .metric = METRIC_VAL_LOSS},
        "{\"by\":\"ablation\",\"finetune\":50,\"keep\":null,\"lr\":0.003,"
        "\"metric\":\"val_loss\"}");
    assert_json(&(struct prune_options){.finetune = 50, .lr = NAN},
                "{\"by\":\"importance\",\"finetune\":50,\"keep\":null,\"lr\":null,"
                "\"metric\":\"val_acc\"}");
    static const char *const wrong[] = {"",
                                        "{}",
                                        "{\"by\":\"size\",\"keep\":null}",
                                        "{\"by\":\"random\"}",
                                        "{\"by\":\"random\",\"keep\":[1,}",
                                        "{\"by\":\"random\",\"keep\":null,\"finetune\":5}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct prune_options o;
        struct message m;
        assert_int_equal(prune_options_parse(wrong[i], &o, &m), STATUS_INTERNAL);
    }
}

TEST(keep_is_read_strictly)
{
    struct prune_options o = {0};
    struct message m;
    assert_int_equal(prune_keep_parse("1,8,3", &o, &m), STATUS_OK);
    assert_int_equal(o.keeps, 3);
    assert_int_equal(o.keep[0], 8);
    assert_int_equal(o.keep[1], 3);
    assert_int_equal(o.keep[2], 1);
    static const char *const wrong[] = {
        "", "0", "8,", ",8", "-1", "1.5", "x", "8,,1", "8 1", "11111111111111111111111111111111"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(prune_keep_parse(wrong[i], &o, &m), STATUS_BAD_INPUT);
        assert_non_null(strstr(m.text, "is not a number of heads to keep"));
    }
    assert_int_equal(prune_keep_parse("8,1,8", &o, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "--keep names 8 twice");
    char many[512] = "1";
    for (int i = 2; i <= PRUNE_KEEP_MAX + 1; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",%d", i);
    assert_int_equal(prune_keep_parse(many, &o, &m), STATUS_BAD_INPUT);
}
