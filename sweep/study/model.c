#include "sweep/study/model.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/heartbeat.h"
#include "engine/base/json.h"
#include "engine/encoder_cost.h"
#include "sweep/worker/trial_files.h"

/* A number of the trial that is not null; false where there is none. */
static bool read_number(const struct json *trial, const char *key, double *x)
{
    struct json value;
    const char *text;
    bool quoted;
    if (!json_member(trial, key, &value) || !json_scalar(&value, &text, &quoted) || quoted)
        return false;
    char *end;
    *x = strtod(text, &end);
    return end > text && *end == '\0';
}

/* What the trial came to, from its result. */
static enum status read_values(struct arena *a, const char *trial_json, struct study_model *model,
                               struct message *m)
{
    size_t size = strlen(trial_json);
    char *kept = arena_alloc(a, size + 1, 1);
    memcpy(kept, trial_json, size + 1);
    model->result = kept;
    const unsigned char *bytes = (const unsigned char *)kept;
    struct json trial = {.start = bytes,
                         .next = bytes,
                         .end = bytes + size,
                         .place = "trial",
                         .text = arena_alloc(a, size + 1, 1),
                         .m = m};
    if (read_number(&trial, "val_acc", &model->val_acc) &&
        read_number(&trial, "test_acc", &model->test_acc) &&
        read_number(&trial, "test_loss", &model->test_loss))
        return STATUS_OK;
    return status_fail(m, STATUS_CORRUPT, "the result lacks its accuracies");
}

static enum status blame_weights(enum status s, const char *folder, struct message *m)
{
    if (s != STATUS_IO && s != STATUS_CORRUPT)
        return s;
    return status_fail_within(
        m, s, "its weights are missing or damaged; copy them back into %s: ", folder);
}

enum status study_weights_open(const char *folder, const struct study_trial *trial,
                               struct result_file *f, struct message *m)
{
    struct result_owner owner = {trial->config_sha256, trial->seed, trial->n_params};
    char path[TRIAL_PATH_MAX];
    enum status s = trial_weights_path(folder, trial->trial_id, trial->file, path, sizeof path, m);
    if (s != STATUS_OK)
        return s;
    s = result_open(path, &owner, f, m);
    if (s == STATUS_OK && strcmp(trial->sha256, f->sha256) != 0) {
        s = status_fail(m, STATUS_CORRUPT,
                        "%s: not the file that the results file recorded: SHA-256 is %s, not %s",
                        path, f->sha256, trial->sha256);
        result_close(f);
    }
    return blame_weights(s, folder, m);
}

/* The model and room for its examples, before any weight or example is read. */
static enum status build(struct arena *a, const struct result_file *f,
                         const struct data_place *data, enum study_model_use use,
                         struct study_model *model, struct message *m)
{
    enum status s = point_parse(f->config, &model->point, m);
    if (s == STATUS_OK)
        s = data_new(a, &model->point, model->trial->seed, data, &model->data, m);
    if (s == STATUS_OK)
        s = encoder_new(a, &model->point.model, data_io(model->data), use != MODEL_FORWARD,
                        &model->encoder, m);
    return s;
}

static enum status read_weights(struct arena *a, const struct result_file *f,
                                struct study_model *model, struct message *m)
{
    /* What the seed draws beside weights (which columns a head sees) is in no file. */
    encoder_init(model->encoder, model->trial->seed);
    enum status s = result_weights(f, &model->encoder->nn, m);
    return s == STATUS_OK ? read_values(a, f->trial_json, model, m) : s;
}

enum status study_model_load(struct arena *a, const char *folder, const struct data_place *data,
                             const struct study_trial *trial, enum study_model_use use,
                             struct study_model **out, struct message *m)
{
    struct study_model *model = arena_alloc(a, 1, sizeof *model);
    struct result_file f;
    *out = model;
    model->trial = trial;
    enum status s = study_weights_open(folder, trial, &f, m);
    if (s != STATUS_OK)
        return s;
    s = build(a, &f, data, use, model, m);
    if (s == STATUS_OK)
        s = blame_weights(read_weights(a, &f, model, m), folder, m);
    result_close(&f);
    if (s == STATUS_OK)
        s = data_draw(model->data, m);
    if (s != STATUS_OK || use != MODEL_TRAINING)
        data_close(model->data);
    return s;
}

/* CPU seconds of running the encoder over n sequences of the set, from `first` on. */
static double forward_s(struct graph *g, const struct encoder *e, const struct examples *set,
                        long first, long n, long slice)
{
    struct pass p = {.kernels = kernels_best(), .loss_scale = 1};
    double began_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    graph_prepare(g, &p);
    for (long at = first; at < first + n; at += slice) {
        p.batch = first + n - at < slice ? first + n - at : slice;
        p.tokens = set->tokens + at * e->io.length * e->io.fields;
        p.padding = set->padding ? set->padding + at * e->io.length : NULL;
        graph_forward(g, &p);
    }
    return clock_s(CLOCK_PROCESS_CPUTIME_ID) - began_s;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum status study_infer_ms(struct arena *a, const struct encoder *e, const struct examples *set,
                           double *ms, struct message *m)
{
    enum { BATCH = 64, LEAST = 5, MOST = 1000 };
    static const double enough_s = 0.02;
    double took[MOST], sum_s = 0;
    struct graph *g;
    struct tensor *logits;
    long n = set->n < BATCH ? set->n : BATCH, slice = encoder_slice(&e->config, &e->io, n);
    enum status s = encoder_graph(a, e, slice, true, NULL, NULL, &g, &logits, m);
    if (s != STATUS_OK)
        return s;
    forward_s(g, e, set, 0, n, slice); /* pages and caches are warm from here on */
    int count = 0;
    for (long first = 0; count < MOST && (count < LEAST || sum_s < enough_s); count++) {
        heartbeat();
        sum_s += took[count] = forward_s(g, e, set, first, n, slice);
        first = first + 2 * n <= set->n ? first + n : 0;
    }
    qsort(took, (size_t)count, sizeof *took, by_size);
    *ms = 1e3 * took[count / 2] / (double)n;
    return STATUS_OK;
}
