#include "sweep/study/heads.h"

#include <inttypes.h>
#include <string.h>

#include "engine/encoder_cost.h"
#include "engine/measures/measure.h"
#include "sweep/study/model.h"

/* The row of the whole model among those of pruned ones: what they are held against, and what one
 * inference costs. */
static enum status add_whole(struct arena *a, const struct study_model *model,
                             struct text_buffer *json, struct message *m)
{
    const struct encoder *e = model->encoder;
    double infer_ms;
    enum status s = study_infer_ms(a, e, data_test(model->data), &infer_ms, m);
    if (s != STATUS_OK)
        return s;
    text_add(json,
             ",\"pruning\":[{\"method\":\"none\",\"kept\":%" PRId64
             ",\"finetuned_steps\":0,\"removed\":[],"
             "\"val_acc\":%.17g,\"test_acc\":%.17g,\"test_loss\":%.17g,\"n_params\":%ld,"
             "\"flops_per_example\":%.17g,\"infer_ms\":%.6g}]",
             e->config.layers * e->config.heads, model->val_acc, model->test_acc, model->test_loss,
             e->nn.size, encoder_flops(e), infer_ms);
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
    text_add(&out->json, "{\"split\":\"%s\",", on_test ? "test" : "val");
    measured_json(&measured, &out->json);
    s = add_whole(a, model, &out->json, m);
    text_add(&out->json, "}");
    return s;
}

const struct study study_heads = {.name = "heads", .doing = "measuring", .answer = answer};
