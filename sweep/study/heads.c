#include "sweep/study/heads.h"

#include <string.h>

#include "engine/encoder_cost.h"
#include "engine/measures/measure.h"
#include "sweep/study/model.h"

/* The row of the whole model among those of pruned ones: what they are held against, and what one
 * inference costs. */
static enum status add_whole(struct arena *a, const struct study_model *model,
                             struct json_writer *w, struct message *m)
{
    const struct encoder *e = model->encoder;
    double infer_ms;
    enum status s = study_infer_ms(a, e, data_test(model->data), &infer_ms, m);
    if (s != STATUS_OK)
        return s;
    json_begin_list(w, "pruning");
    json_begin_object(w, NULL);
    json_add_text(w, "method", "none");
    json_add_integer(w, "kept", e->config.layers * e->config.heads);
    json_add_integer(w, "finetuned_steps", 0);
    json_begin_list(w, "removed");
    json_end_list(w);
    json_add_digits(w, "val_acc", model->val_acc, 17);
    json_add_digits(w, "test_acc", model->test_acc, 17);
    json_add_digits(w, "test_loss", model->test_loss, 17);
    json_add_integer(w, "n_params", e->nn.size);
    json_add_digits(w, "flops_per_example", encoder_flops(e), 17);
    json_add_digits(w, "infer_ms", infer_ms, 6);
    json_end_object(w);
    json_end_list(w);
    return STATUS_OK;
}

static enum status answer(struct arena *a, const struct study_job *job, struct study_answer *out,
                          struct message *m)
{
    bool on_test = strcmp(job->options, HEADS_ON_TEST) == 0;
    struct study_model *model;
    struct measured measured;
    enum status s =
        study_model_load(a, job->folder, job->data, job->trial, MODEL_GRADIENTS, &model, m);
    if (s != STATUS_OK)
        return s;
    const struct examples *set = on_test ? data_test(model->data) : data_val(model->data);
    s = measures_take(a, model->encoder, set, data_sources(a, model->data, set), false, &measured,
                      m);
    if (s != STATUS_OK)
        return s;
    struct json_writer w = {.text = &out->json};
    json_begin_object(&w, NULL);
    json_add_text(&w, "split", on_test ? "test" : "val");
    measured_json(&measured, &w);
    s = add_whole(a, model, &w, m);
    json_end_object(&w);
    return s;
}

const struct study study_heads = {.name = "heads", .doing = "measuring", .answer = answer};
