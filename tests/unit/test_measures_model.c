/* Measures of a whole model: against naive loops over one sequence at a time, and against what
 * training and evaluation say. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/measures/measure.h"
#include "engine/measures/probe.h"

#include "tests/test.h"

static void check_near(double is, double should, double tolerance, const char *what)
{
    if (!(fabs(is - should) <= tolerance * fmax(1, fabs(should))))
        fail_msg("%s is %.9g, should be %.9g", what, is, should);
}

/* A model and a set of more than one slice. */
enum { LENGTH = 6, COUNT = 150, HEADS = 3, LAYERS = 2, CLASSES = 4, SLOTS = 2 };

struct whole {
    struct arena arena;
    struct encoder *encoder;
    struct examples set;
    int32_t tokens[COUNT * LENGTH], targets[COUNT * LENGTH * SLOTS],
        sources[COUNT * LENGTH * SLOTS];
    uint8_t padding[COUNT * LENGTH];
    struct measured measured;
};

enum { PADDED = 1, CAUSAL = 2, SHARED = 4, ROTARY = 8 };

static struct whole *whole_new(unsigned how)
{
    static struct whole w;
    struct message m;
    struct encoder_config c;
    const struct encoder_io io = {.length = LENGTH,
                                  .fields = 1,
                                  .field = {"token"},
                                  .vocab = {6},
                                  .slots = SLOTS,
                                  .classes = CLASSES};
    option_defaults(encoder_options, &c);
    c.d_model = 8;
    c.heads = HEADS;
    c.d_head = 4;
    c.layers = LAYERS;
    c.d_ff = 16;
    c.dropout = 0.3; /* is off */
    c.mask = how & CAUSAL ? MASK_CAUSAL : MASK_NONE;
    c.kv_heads = how & SHARED ? 1 : WIDTH_WORD;
    c.positions = how & ROTARY ? POSITIONS_ROTARY : POSITIONS_LEARNED;
    memset(&w, 0, sizeof w);
    arena_init(&w.arena, NULL);
    if (encoder_new(&w.arena, &c, &io, true, &w.encoder, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    encoder_init(w.encoder, 1);
    struct rng r = rng_at(4, RNG_DATA, 0, 0);
    for (int i = 0; i < COUNT * LENGTH; i++) {
        w.tokens[i] = (int32_t)rng_below(&r, 6);
        w.padding[i] = rng_below(&r, 4) == 0;
    }
    for (int i = 0; i < COUNT * LENGTH * SLOTS; i++) {
        w.targets[i] = rng_below(&r, 3) ? (int32_t)rng_below(&r, CLASSES) : -100;
        w.sources[i] = (int32_t)rng_below(&r, LENGTH + 1) - 1;
    }
    w.set = (struct examples){.n = COUNT,
                              .tokens = w.tokens,
                              .targets = w.targets,
                              .padding = how & PADDED ? w.padding : NULL};
    if (measures_take(&w.arena, w.encoder, &w.set, w.sources, false, &w.measured, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return &w;
}

/* The weights of one head in one sequence, straight from qkv. */
static void naive_weights(const struct node *n, const uint8_t *padding, long h, double *w)
{
    const struct attention_options *o = n->options;
    long row = tensor_width(n->in[0]);
    for (long i = 0; i < LENGTH; i++) {
        double sum = 0;
        for (long j = 0; j < LENGTH; j++) {
            const real *q = n->in[0]->data + i * row + h * o->d_k;
            const real *k =
                n->in[0]->data + j * row + (HEADS + (o->kv_heads == 1 ? 0 : h)) * o->d_k;
            double score = 0;
            for (long d = 0; d < o->d_k; d++)
                score += (double)q[d] * (double)k[d];
            bool seen = !(padding && padding[j]) && !(o->causal && j > i);
            w[i * LENGTH + j] = seen ? exp(score / sqrt((double)o->d_k)) : 0;
            sum += w[i * LENGTH + j];
        }
        for (long j = 0; j < LENGTH; j++)
            w[i * LENGTH + j] /= sum;
    }
}

/* Sums of one head in one layer over all sequences, one at a time. */
struct naive {
    double importance, confidence, entropy, distance, mass[SLOTS];
    double rows, choices, sourced[SLOTS];
};

static void naive_rows(const struct whole *w, long b, const double *weight, struct naive *n)
{
    const uint8_t *padding = w->set.padding ? w->padding + b * LENGTH : NULL;
    for (int i = 0; i < LENGTH; i++, weight += LENGTH) {
        bool causal = w->encoder->config.mask == MASK_CAUSAL;
        int keys = 0;
        for (int j = 0; j < (causal ? i + 1 : LENGTH); j++)
            keys += !padding || !padding[j];
        if (padding && padding[i])
            continue;
        double most = 0, entropy = 0;
        for (int j = 0; j < LENGTH; j++) {
            most = fmax(most, weight[j]);
            entropy -= weight[j] > 0 ? weight[j] * log(weight[j]) : 0;
            n->distance += weight[j] * abs(i - j);
        }
        n->confidence += most;
        n->rows++;
        if (keys > 1)
            n->entropy += entropy / log(keys);
        n->choices += keys > 1;
        for (int s = 0; s < SLOTS; s++) {
            int32_t j = w->sources[(b * LENGTH + i) * SLOTS + s];
            n->mass[s] += j >= 0 ? weight[j] : 0;
            n->sourced[s] += j >= 0;
        }
    }
}

static struct naive naive(struct whole *w, long layer, long head)
{
    struct naive n = {0};
    struct arena a;
    struct message m;
    struct probe *p;
    double gradient[LAYERS][HEADS], weight[LENGTH * LENGTH];
    arena_init(&a, NULL);
    struct examples one = {.n = 1};
    assert_int_equal(probe_new(&a, w->encoder, &one, true, &p, &m), STATUS_OK);
    for (long b = 0; b < COUNT; b++) {
        one.tokens = w->tokens + b * LENGTH;
        one.targets = w->targets + b * LENGTH * SLOTS;
        one.padding = w->set.padding ? w->padding + b * LENGTH : NULL;
        probe_forward(p, 0);
        naive_weights(p->heads.attention[layer], one.padding, head, weight);
        naive_rows(w, b, weight, &n);
        probe_backward(p, (double *const[]){gradient[0], gradient[1]});
        n.importance += fabs(gradient[layer][head]) / COUNT;
    }
    arena_free(&a);
    return n;
}

TEST(measures_equal_those_of_naive_loops)
{
    static const unsigned hows[] = {
        0, PADDED, CAUSAL, SHARED, PADDED | CAUSAL | SHARED, ROTARY, ROTARY | CAUSAL | SHARED};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        struct whole *w = whole_new(hows[i]);
        const struct measured *d = &w->measured;
        for (long l = 0; l < LAYERS; l++) {
            struct naive n[HEADS];
            double squares = 0;
            for (long h = 0; h < HEADS; h++) {
                n[h] = naive(w, l, h);
                squares += n[h].importance * n[h].importance;
            }
            for (long h = 0; h < HEADS; h++) {
                check_near(measured_at(d, "importance", l, h, 0) / n[h].importance, 1, 1e-5,
                           "importance");
                check_near(measured_at(d, "importance_norm", l, h, 0),
                           n[h].importance / sqrt(squares), 1e-5, "importance_norm");
                check_near(measured_at(d, "confidence", l, h, 0), n[h].confidence / n[h].rows, 1e-5,
                           "confidence");
                check_near(measured_at(d, "entropy", l, h, 0), n[h].entropy / n[h].choices, 1e-5,
                           "entropy");
                check_near(measured_at(d, "distance", l, h, 0), n[h].distance / n[h].rows, 1e-5,
                           "distance");
                for (int s = 0; s < SLOTS; s++)
                    check_near(measured_at(d, "mass", l, h, s), n[h].mass[s] / n[h].sourced[s],
                               1e-5, "mass");
            }
        }
        arena_free(&w->arena);
    }
}

/* Without a head: what an evaluation says of the model whose block of W_O is 0. */
TEST(ablation)
{
    struct whole *w = whole_new(PADDED);
    struct train_config train;
    struct trainer *t;
    struct message m;
    option_defaults(train_options, &train);
    train.val_examples = train.test_examples = COUNT;
    assert_int_equal(trainer_of(&w->arena, w->encoder, &train, 1, NULL, NULL, &t, &m), STATUS_OK);
    for (long l = 0; l < LAYERS; l++) {
        struct tensor *wo = w->encoder->layer[l].out_proj_weight; /* (C,H*d_v) */
        double all = 0;
        for (long i = 0; i < tensor_size(wo); i++)
            all += (double)(wo->data[i] * wo->data[i]);
        for (long h = 0; h < HEADS; h++) {
            real kept[8 * HEADS * 4];
            double share = 0;
            struct metrics metrics = {0};
            assert_int_equal(tensor_size(wo), 8 * HEADS * 4);
            memcpy(kept, wo->data, sizeof kept);
            for (int i = 0; i < 8 * 4; i++) {
                real *x = wo->data + i / 4 * HEADS * 4 + h * 4 + i % 4;
                share += (double)(*x * *x);
                *x = 0;
            }
            trainer_evaluate(t, &w->set, &metrics);
            assert_true(measured_at(&w->measured, "ablation_loss", l, h, 0) == metrics.loss);
            assert_true(measured_at(&w->measured, "ablation_acc", l, h, 0) == metrics.acc);
            check_near(measured_at(&w->measured, "wo_share", l, h, 0), share / all, 1e-6,
                       "wo_share");
            memcpy(wo->data, kept, sizeof kept);
        }
    }
    arena_free(&w->arena);
}

/* Taken again they are the same, and the cheap ones are the same without the others. */
TEST(cheap_measures_are_the_same_without_the_others)
{
    struct whole *w = whole_new(PADDED);
    struct message m;
    struct measurer *r;
    struct measured cheap, again;
    assert_int_equal(measurer_new(&w->arena, w->encoder, &w->set, NULL, true, &r, &m), STATUS_OK);
    measured_new(&w->arena, r, &cheap);
    measured_new(&w->arena, r, &again);
    measurer_take(r, &cheap);
    measurer_take(r, &again);
    assert_memory_equal(cheap.value, again.value, cheap.count * sizeof *cheap.value);
    assert_true(isnan(measured_at(&cheap, "importance", 0, 0, 0)));
    assert_true(isnan(measured_at(&cheap, "ablation_loss", 1, 2, 0)));
    assert_true(isnan(measured_at(&cheap, "mass", 0, 0, 0)));
    assert_true(isnan(measured_at(&cheap, "no such column", 0, 0, 0)));
    for (long l = 0; l < LAYERS; l++) {
        assert_true(measured_at(&cheap, "entropy", l, 1, 0) ==
                    measured_at(&w->measured, "entropy", l, 1, 0));
        assert_true(measured_at(&cheap, "effective_rank", l, 0, 0) ==
                    measured_at(&w->measured, "effective_rank", l, 0, 0));
    }
    arena_free(&w->arena);
}

/* Heads that were taken away leave no rows, the others keep their numbers; a layer without any has
 * none at all. */
TEST(fewer_heads)
{
    struct whole *w = whole_new(0);
    const bool keep[LAYERS * HEADS] = {true, false, true, false, false, false};
    struct encoder *fewer;
    struct measured d;
    struct message m;
    struct text_buffer rows = {0};
    struct json_writer json = {.text = &rows};
    assert_int_equal(encoder_keep_heads(&w->arena, w->encoder, keep, true, &fewer, &m), STATUS_OK);
    assert_int_equal(measures_take(&w->arena, fewer, &w->set, w->sources, false, &d, &m),
                     STATUS_OK);
    measured_rows(&d, MEASURE_HEAD, -1, &json);
    assert_non_null(strstr(rows.text, "{\"layer\":0,\"head\":0,"));
    assert_non_null(strstr(rows.text, "},{\"layer\":0,\"head\":2,"));
    assert_null(strstr(rows.text, "\"head\":1"));
    assert_null(strstr(rows.text, "\"layer\":1"));
    assert_true(measured_at(&d, "ablation_loss", 0, 1, 0) > 0);
    assert_true(isnan(measured_at(&d, "ablation_loss", 1, 0, 0)));
    rows.used = 0;
    measured_rows(&d, MEASURE_LAYER, -1, &json);
    assert_null(strstr(rows.text, "\"layer\":1"));
    free(rows.text);
    arena_free(&w->arena);
}

TEST(as_json)
{
    struct whole *w = whole_new(0);
    struct text_buffer all = {0}, rows = {0};
    const char *start = "\"head_metric\":[{\"layer\":0,\"head\":0,\"importance\":";
    char *after;
    measured_json(&w->measured, &(struct json_writer){.text = &all});
    assert_memory_equal(all.text, start, strlen(start));
    assert_true(strtod(all.text + strlen(start), &after) ==
                measured_at(&w->measured, "importance", 0, 0, 0));
    assert_int_equal(*after, ',');
    assert_non_null(
        strstr(all.text, "],\"layer_metric\":[{\"layer\":0,\"disagreement_subspace\":"));
    assert_non_null(
        strstr(all.text, "],\"head_slot\":[{\"layer\":0,\"head\":0,\"slot\":0,\"mass\":"));
    assert_non_null(strstr(all.text, "{\"layer\":1,\"head\":2,\"slot\":1,\"mass\":"));
    w->measured.value[w->measured.count - 1] = NAN;
    measured_rows(&w->measured, MEASURE_SLOT, 40, &(struct json_writer){.text = &rows});
    const char *row = "{\"step\":40,\"layer\":0,\"head\":0,\"slot\":0,\"mass\":0.";
    assert_memory_equal(rows.text, row, strlen(row));
    assert_string_equal(rows.text + rows.used - 13, ",\"mass\":null}");
    free(all.text);
    free(rows.text);
    arena_free(&w->arena);
}

static enum status fill(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)m;
    const struct whole *w = context;
    for (long i = 0; i < e->n; i++) {
        long k = (step * e->n + i) % COUNT;
        memcpy(e->tokens + i * LENGTH, w->tokens + k * LENGTH, LENGTH * sizeof *e->tokens);
        memcpy(e->targets + i * LENGTH * SLOTS, w->targets + k * LENGTH * SLOTS,
               LENGTH * SLOTS * sizeof *e->targets);
    }
    return STATUS_OK;
}

/* Training for a kind of disagreement gives more of it than training without. */
TEST(heads_are_driven_apart)
{
    static const char *const column[] = {[SIMILARITY_SUBSPACE] = "disagreement_subspace",
                                         [SIMILARITY_POSITION] = "disagreement_position",
                                         [SIMILARITY_OUTPUT] = "disagreement_output"};
    for (int kind = 0; kind < 3; kind++) {
        double reached[2];
        for (int with = 0; with < 2; with++) {
            struct whole *w = whole_new(0);
            struct train_config train;
            struct trainer *t;
            struct measured d;
            struct message m;
            option_defaults(train_options, &train);
            train.lr = 0.01;
            train.disagreement = kind;
            train.disagreement_weight = with;
            assert_int_equal(trainer_of(&w->arena, w->encoder, &train, 1, fill, w, &t, &m),
                             STATUS_OK);
            for (int i = 0; i < 50; i++)
                assert_int_equal(trainer_step(t, &m), STATUS_OK);
            assert_int_equal(measures_take(&w->arena, w->encoder, &w->set, NULL, true, &d, &m),
                             STATUS_OK);
            reached[with] = measured_at(&d, column[kind], 0, 0, 0);
            arena_free(&w->arena);
        }
        if (!(reached[1] > reached[0] + 0.02))
            fail_msg("%s: %g without, %g with it", column[kind], reached[0], reached[1]);
    }
}
