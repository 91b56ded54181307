#include "sweep/study/evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/train.h"
#include "sweep/plan/shift.h"
#include "sweep/study/model.h"
#include "sweep/worker/worker_ends.h"

/* A test set as the job names it; both texts are the arena's. */
struct shift {
    const char *name, *options;
};

static enum status read_shift(struct arena *a, const char *json, struct shift *s, struct message *m)
{
    size_t size = strlen(json);
    const unsigned char *bytes = (const unsigned char *)json;
    struct json root = {.start = bytes,
                        .next = bytes,
                        .end = bytes + size,
                        .place = "options of the study evaluation",
                        .text = arena_alloc(a, 2 * (size + 1), 1),
                        .m = m},
                whole = root, name, options;
    if (!json_skip(&whole) || !json_end(&whole))
        return STATUS_BAD_INPUT;
    if (!json_member(&root, "name", &name) || !json_member(&root, "options", &options))
        return status_fail(m, STATUS_BAD_INPUT, "the study evaluation was given no test set: %s",
                           json);
    if (!json_string(&name, &s->name))
        return STATUS_BAD_INPUT;
    struct json end = options;
    end.text = name.text; /* behind the name */
    if (!json_skip(&end))
        return STATUS_BAD_INPUT;
    size_t length = (size_t)(end.next - options.next);
    char *text = arena_alloc(a, length + 1, 1);
    memcpy(text, options.next, length);
    s->options = text;
    return STATUS_OK;
}

/* The model's weights in an encoder for the shifted sequences. */
static enum status shifted_encoder(struct arena *a, const struct study_model *model,
                                   const struct encoder_io *io, struct encoder **e,
                                   struct message *m)
{
    const struct nn *from = &model->encoder->nn;
    enum status s = encoder_new(a, &model->point.model, io, true, e, m);
    if (s != STATUS_OK)
        return s;
    encoder_init(*e, model->trial->seed);
    struct nn *to = &(*e)->nn;
    if (to->size != from->size)
        return status_fail(m, STATUS_INTERNAL, "a shifted test set needs another model");
    memcpy(to->data, from->data, (size_t)from->size * sizeof *from->data);
    return STATUS_OK;
}

/* Of a toy a stream of its own, and numbers of its own for each name: never the examples of the
 * test set. */
static enum status draw_set(struct arena *a, const struct point *p, const struct task_shape *shape,
                            const struct data_place *data, const char *name, struct examples *set,
                            struct message *m)
{
    struct example_source source;
    enum status s = example_source_open(a, p, shape, data, &source, m);
    if (s != STATUS_OK)
        return s;
    *set =
        examples_new(a, &source, example_source_count(&source, TASK_TEST, p->train.test_examples));
    s = examples_draw(&source, data_eval_seed(p), RNG_EVAL, (int64_t)rng_name(name), set, m);
    example_source_close(&source);
    return s;
}

static enum status answer(struct arena *a, const struct study_job *job, struct study_answer *out,
                          struct message *m)
{
    struct shift shift = {0};
    struct study_model *model = NULL;
    struct point *p = arena_alloc(a, 1, sizeof *p);
    struct task_shape shape;
    struct encoder_io io;
    struct encoder *e;
    struct trainer *t;
    const char *fault;
    enum status s = read_shift(a, job->options, &shift, m);
    if (s == STATUS_OK)
        s = study_model_load(a, job->folder, job->data, job->trial, MODEL_FORWARD, &model, m);
    if (s == STATUS_OK)
        s = point_shift(&model->point, shift.options, p, &fault, m);
    if (s == STATUS_OK)
        s = point_check(p, &io, &shape, NULL, m);
    if (s == STATUS_OK)
        s = shifted_encoder(a, model, &io, &e, m);
    if (s == STATUS_OK)
        s = trainer_of(a, e, &p->train, model->trial->seed, NULL, NULL, &t, m);
    struct examples set;
    if (s == STATUS_OK)
        s = draw_set(a, p, &shape, job->data, shift.name, &set, m);
    if (s != STATUS_OK)
        return s;
    struct metrics metrics = {0};
    t->threads_now = worker_threads;
    trainer_evaluate(t, &set, &metrics);
    struct json_writer w = {.text = &out->json};
    json_begin_object(&w, NULL);
    json_begin_list(&w, "evaluation");
    json_begin_object(&w, NULL);
    json_add_text(&w, "name", shift.name);
    json_add_json(&w, "options", shift.options);
    json_add_real(&w, "acc", metrics.acc);
    json_add_real(&w, "exact", metrics.exact);
    json_add_real(&w, "loss", metrics.loss);
    json_end_object(&w);
    json_end_list(&w);
    json_end_object(&w);
    return s;
}

const struct study study_evaluation = {
    .name = "evaluation", .doing = "testing on shifted sets", .answer = answer};

enum status evaluation_ask(const struct config *c, const char *db,
                           const struct study_run_options *o, struct study_result *r,
                           struct message *m)
{
    enum status s = STATUS_OK;
    *r = (struct study_result){0};
    for (int i = 0; i < c->evals && s == STATUS_OK; i++) {
        struct text_buffer options = {0};
        struct study_result one = {0};
        struct json_writer w = {.text = &options};
        json_begin_object(&w, NULL);
        json_add_text(&w, "name", c->eval[i].name);
        json_add_json(&w, "options", c->eval[i].json);
        json_end_object(&w);
        const struct study_request q = {.db = db,
                                        .what = c->name,
                                        .options = options.text,
                                        .study = &study_evaluation,
                                        .run = *o,
                                        .may_find_none = true};
        s = options.out_of_memory ? status_no_memory(m, "a test set") : study_ask(&q, &one, m);
        free(options.text);
        r->answered += one.answered;
        r->failed += one.failed;
    }
    return s;
}
