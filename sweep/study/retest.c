/* The study `retest`: what a trial's best weights come to on its validation and test set, computed
 * once more as its worker did. Its answer (sweep/trials/store_check.h) is kept nowhere. */
#include "sweep/study/study.h"

#include <stdlib.h>

#include "engine/train.h"
#include "sweep/study/model.h"
#include "sweep/worker/trial.h"
#include "sweep/worker/worker_ends.h"

/* Of how many cases each accuracy is a mean. */
static void add_cases(struct arena *a, const struct data *d, struct json_writer *w)
{
    const struct examples *val = data_val(d), *test = data_test(d);
    const struct task_shape *shape = data_shape(d);
    long each = shape->slots * (shape->per_sequence ? 1 : shape->length);
    int64_t *of_slot = arena_alloc(a, (size_t)shape->slots, sizeof *of_slot);
    for (long i = 0; i < test->n * each; i++)
        of_slot[i % shape->slots] += targets_unmasked(test->targets + i, 1);
    json_begin_object(w, "cases");
    json_add_integer(w, "val_acc", targets_unmasked(val->targets, val->n * each));
    json_add_integer(w, "test_acc", targets_unmasked(test->targets, test->n * each));
    json_add_integer(w, "test_exact", test->n);
    json_begin_list(w, "test_acc_by_slot");
    for (long s = 0; s < shape->slots; s++)
        json_add_integer(w, NULL, of_slot[s]);
    json_end_list(w);
    json_end_object(w);
}

/* As much of a result as weights have. */
static enum status test_again(struct trainer *t, const struct data *d, const struct test_room *room,
                              char **json, struct message *m)
{
    struct metrics val = {0};
    trainer_evaluate(t, data_val(d), &val);
    const struct curve_row row = {.val_loss = val.loss, .val_acc = val.acc};
    struct result again = {.has_best = true, .val_acc = val.acc, .rows = 1, .curve = &row};
    trial_test_values(t, d, room, &again);
    *json = result_json(&again);
    return *json ? STATUS_OK : status_no_memory(m, "what it came to");
}

static enum status answer_of(struct arena *a, const struct study_model *model,
                             struct study_answer *out, struct message *m)
{
    const struct data *d = model->data;
    struct trainer *t;
    char *again;
    const struct test_room room = test_room_new(a, d);
    enum status s =
        trainer_of(a, model->encoder, &model->point.train, model->trial->seed, NULL, NULL, &t, m);
    if (s != STATUS_OK)
        return s;
    t->threads_now = worker_threads;
    s = test_again(t, d, &room, &again, m);
    if (s != STATUS_OK)
        return s;
    struct json_writer w = {.text = &out->json};
    json_begin_object(&w, NULL);
    json_add_json(&w, "result", model->result);
    json_add_json(&w, "again", again);
    add_cases(a, d, &w);
    json_end_object(&w);
    free(again);
    return STATUS_OK;
}

static enum status answer(struct arena *a, const struct study_job *job, struct study_answer *out,
                          struct message *m)
{
    struct study_model *model;
    enum status s =
        study_model_load(a, job->folder, job->data, job->trial, MODEL_TRAINING, &model, m);
    if (s != STATUS_OK)
        return s;
    s = answer_of(a, model, out, m);
    data_close(model->data);
    return s;
}

const struct study study_retest = {.name = "retest", .doing = "testing again", .answer = answer};
