/* The study `prune`: its options, a smaller model, its rows. */
#include "sweep/study/prune.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/number.h"
#include "engine/encoder_cost.h"
#include "sweep/worker/worker_ends.h"

/* ---- options ---- */

static int by_falling_count(const void *left, const void *right)
{
    long a = *(const long *)left, b = *(const long *)right;
    return (a < b) - (a > b);
}

enum status prune_keep_parse(const char *text, struct prune_options *o, struct message *m)
{
    o->keeps = 0;
    for (const char *at = text;; at++) {
        char item[24], shown[64];
        size_t length = strcspn(at, ",");
        double value = 0;
        bool integral = false;
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1),
                 at);
        if (!number_parse(item, &value, &integral) || !integral || value < 1 || value > 1e9)
            return status_fail(
                m, STATUS_BAD_INPUT,
                "'%s' is not a number of heads to keep; give 1 or more, as in --keep 8,4,2,1",
                text_shown(item, shown, sizeof shown));
        for (int i = 0; i < o->keeps; i++)
            if (o->keep[i] == (long)value)
                return status_fail(m, STATUS_BAD_INPUT, "--keep names %s twice", item);
        if (o->keeps == PRUNE_KEEP_MAX)
            return status_fail(m, STATUS_BAD_INPUT,
                               "--keep takes at most %d head counts; without it, all are kept in "
                               "turn",
                               PRUNE_KEEP_MAX);
        o->keep[o->keeps++] = (long)value;
        at += length;
        if (!*at)
            break;
    }
    qsort(o->keep, (size_t)o->keeps, sizeof *o->keep, by_falling_count);
    return STATUS_OK;
}

void prune_options_json(const struct prune_options *o, struct text_buffer *text)
{
    struct json_writer w = {.text = text};
    json_begin_object(&w, NULL);
    json_add_text(&w, "by", prune_by_name(o->by));
    if (o->finetune)
        json_add_integer(&w, "finetune", o->finetune);
    if (o->keeps) {
        json_begin_list(&w, "keep");
        for (int i = 0; i < o->keeps; i++)
            json_add_integer(&w, NULL, o->keep[i]);
        json_end_list(&w);
    } else {
        json_add_null(&w, "keep");
    }
    if (o->finetune) {
        json_add_real(&w, "lr", o->lr);
        json_add_text(&w, "metric", metric_name(o->metric));
    }
    json_end_object(&w);
}

/* The word or number at a key of an object that was checked; false where there is none. */
static bool find(const struct json *object, const char *key, const char **text)
{
    struct json j;
    bool quoted;
    return json_member(object, key, &j) && json_scalar(&j, text, &quoted);
}

static bool read_keep(const struct json *object, struct prune_options *o)
{
    struct json j;
    bool more = true;
    int64_t keep;
    if (!json_member(object, "keep", &j))
        return false;
    if (!json_take(&j, '['))
        return true; /* null: all */
    while (more) {
        if (o->keeps == PRUNE_KEEP_MAX || !json_integer(&j, &keep) || !json_more(&j, ']', &more))
            return false;
        o->keep[o->keeps++] = (long)keep;
    }
    return true;
}

static bool read_finetune(const struct json *object, struct prune_options *o)
{
    const char *text;
    double steps;
    bool integral;
    if (!find(object, "finetune", &text))
        return true; /* none */
    if (!number_parse(text, &steps, &integral) || !integral || !find(object, "lr", &text))
        return false;
    o->finetune = (long)steps;
    if (strcmp(text, "null") != 0 && !number_parse(text, &o->lr, &integral))
        return false;
    return find(object, "metric", &text) && metric_find(text, &o->metric);
}

enum status prune_options_parse(const char *json, struct prune_options *o, struct message *m)
{
    char scratch[1024];
    const char *by;
    const unsigned char *start = (const unsigned char *)json;
    struct json object = {.start = start,
                          .next = start,
                          .end = start + strlen(json),
                          .place = "options",
                          .text = scratch,
                          .m = m};
    struct json whole = object;
    *o = (struct prune_options){.lr = NAN};
    if (strlen(json) >= sizeof scratch || !json_skip(&whole) || !json_end(&whole) ||
        !find(&object, "by", &by) || !prune_by_find(by, &o->by) || !read_keep(&object, o) ||
        !read_finetune(&object, o))
        return status_fail(m, STATUS_INTERNAL, "these are no options of prune: %s", json);
    return STATUS_OK;
}

/* ---- a smaller model ---- */

/* Batches from a later step on. */
struct later {
    struct data *data;
    int64_t from;
};

static enum status fill_later(void *context, int64_t step, struct examples *e, struct message *m)
{
    const struct later *l = context;
    return data_fill(l->data, l->from + step, e, m);
}

/* The training of the fine-tuning: the trial's own, but for its length and its rate. */
static struct train_config finetuning(const struct train_config *train,
                                      const struct prune_options *o)
{
    struct train_config c = *train;
    if (o->finetune == 0)
        return c;
    c.steps = o->finetune;
    c.lr = isnan(o->lr) ? train->lr / 10 : o->lr;
    c.warmup = train->warmup * o->finetune / train->steps;
    return c;
}

/* Trains t, evaluates it as often as its trial was, and leaves the best weights in place. A step
 * that overflows ends it. */
static enum status finetune(struct arena *a, struct trainer *t, const struct examples *val,
                            enum metric metric, struct message *m)
{
    struct nn *nn = &t->encoder->nn;
    size_t size = (size_t)nn->size * sizeof *nn->data;
    real *best = arena_alloc(a, 1, size);
    double least = INFINITY;
    memcpy(best, nn->data, size);
    enum status s = STATUS_OK;
    for (bool going = true; going;) {
        bool last = t->step == t->config.steps;
        if (last || t->step % t->config.eval_every == 0) {
            struct metrics v = {0};
            trainer_evaluate(t, val, &v);
            double cost = metric_cost(metric, v.acc, v.loss);
            if (cost < least) { /* strictly: the earliest of the best stays */
                least = cost;
                memcpy(best, nn->data, size);
            }
        }
        if (!last)
            s = trainer_step(t, m);
        going = !last && s == STATUS_OK;
    }
    memcpy(nn->data, best, size);
    return s == STATUS_DIVERGED ? STATUS_OK : s;
}

enum status prune_smaller(struct arena *a, const struct study_model *model, const bool *keep,
                          const struct prune_options *o, struct trainer **t, struct message *m)
{
    struct encoder *smaller;
    struct train_config train = finetuning(&model->point.train, o);
    struct later *later = arena_alloc(a, 1, sizeof *later);
    *later = (struct later){model->data, model->point.train.steps};
    enum status s = encoder_keep_heads(a, model->encoder, keep, true, &smaller, m);
    if (s == STATUS_OK)
        s = trainer_of(a, smaller, &train, model->trial->seed, fill_later, later, t, m);
    if (s == STATUS_OK)
        (*t)->threads_now = worker_threads;
    if (s == STATUS_OK && o->finetune)
        s = finetune(a, *t, data_val(model->data), o->metric, m);
    return s == STATUS_OK && o->finetune ? data_check(model->data, true, m) : s;
}

enum status prune_to(struct arena *a, const struct study_model *model,
                     const struct prune_options *o, struct pruner **p, struct message *m)
{
    enum status s =
        pruner_new(a, model->encoder, data_val(model->data), o->by, model->trial->seed, p, m);
    if (s == STATUS_OK && (*p)->heads < o->keep[0])
        s = status_fail(m, STATUS_BAD_INPUT,
                        "--keep %ld: trial %" PRId64 " has only %d head%s; keep fewer", o->keep[0],
                        model->trial->trial_id, (*p)->heads, text_plural((*p)->heads));
    while (s == STATUS_OK && (*p)->heads - (*p)->removed > o->keep[0])
        pruner_remove(*p);
    return s;
}

/* ---- the study ---- */

static bool is_asked(const struct prune_options *o, int heads)
{
    bool asked = o->keeps == 0;
    for (int i = 0; i < o->keeps; i++)
        asked = asked || o->keep[i] == heads;
    return asked;
}

/* What the model can do with the heads that p has left. */
static enum status add_row(struct arena *a, const struct study_model *model, const struct pruner *p,
                           const struct prune_options *o, struct json_writer *w, struct message *m)
{
    struct trainer *t;
    struct metrics val = {0}, test = {0};
    double infer_ms;
    enum status s = prune_smaller(a, model, p->keep, o, &t, m);
    if (s == STATUS_OK)
        s = study_infer_ms(a, t->encoder, data_test(model->data), &infer_ms, m);
    if (s != STATUS_OK)
        return s;
    trainer_evaluate(t, data_val(model->data), &val);
    trainer_evaluate(t, data_test(model->data), &test);
    json_begin_object(w, NULL);
    json_add_text(w, "method", p->removed ? prune_by_name(p->by) : "none");
    json_add_integer(w, "kept", p->heads - p->removed);
    json_add_integer(w, "finetuned_steps", o->finetune);
    json_begin_list(w, "removed");
    for (int i = 0; i < p->removed; i++) {
        json_begin_list(w, NULL);
        json_add_integer(w, NULL, p->order[i].layer);
        json_add_integer(w, NULL, p->order[i].head);
        json_end_list(w);
    }
    json_end_list(w);
    json_add_integer(w, "n_params", t->encoder->nn.size);
    json_add_real(w, "lr", o->finetune ? t->config.lr : 0);
    json_add_real(w, "val_acc", val.acc);
    json_add_real(w, "test_acc", test.acc);
    json_add_real(w, "test_loss", test.loss);
    json_add_real(w, "flops_per_example", encoder_flops(t->encoder));
    json_add_real(w, "infer_ms", infer_ms);
    json_end_object(w);
    return STATUS_OK;
}

static enum status add_rows(struct arena *a, const struct study_model *model,
                            const struct prune_options *o, struct text_buffer *b, struct message *m)
{
    struct json_writer w = {.text = b};
    struct pruner *p;
    enum status s =
        pruner_new(a, model->encoder, data_val(model->data), o->by, model->trial->seed, &p, m);
    if (s != STATUS_OK)
        return s;
    int least = o->keeps ? (int)o->keep[o->keeps - 1] : 1;
    json_begin_object(&w, NULL);
    json_begin_list(&w, "pruning");
    for (int left = p->heads; left >= least && s == STATUS_OK; left--) {
        if (left < p->heads)
            pruner_remove(p);
        if (!is_asked(o, left))
            continue;
        struct arena own; /* of this one smaller model */
        arena_init(&own, a->exhausted);
        s = add_row(&own, model, p, o, &w, m);
        arena_free(&own);
    }
    json_end_list(&w);
    json_end_object(&w);
    return s;
}

static enum status answer(struct arena *a, const struct study_job *job, struct study_answer *out,
                          struct message *m)
{
    struct prune_options o;
    struct study_model *model;
    enum status s = prune_options_parse(job->options, &o, m);
    if (s == STATUS_OK)
        s = study_model_load(a, job->folder, job->data, job->trial, MODEL_TRAINING, &model, m);
    if (s != STATUS_OK)
        return s;
    s = add_rows(a, model, &o, &out->json, m);
    data_close(model->data);
    return s;
}

const struct study study_prune = {"prune", "pruning", answer};
