#include "sweep/study/ensemble.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/base/heartbeat.h"
#include "engine/encoder_cost.h"
#include "engine/measures/probe.h"
#include "sweep/study/model.h"

/* The members' outputs for a slice of the test set. */
struct vote {
    int members;
    struct probe **member; /* (members) */
    const struct examples *test;
    long targets, classes; /* targets of one sequence */
    double *sum;           /* (n,targets,V): softmax outputs, added up */
    double loss;           /* of all slices so far */
    long right, counted;
};

static void add_softmax(const real *logits /* (rows,V) */, long rows, long V, double *sum)
{
    for (long r = 0; r < rows; r++, logits += V, sum += V) {
        double top = logits[0], total = 0;
        for (long v = 1; v < V; v++)
            top = fmax(top, (double)logits[v]);
        for (long v = 0; v < V; v++)
            total += exp((double)logits[v] - top);
        for (long v = 0; v < V; v++)
            sum[v] += exp((double)logits[v] - top) / total;
    }
}

/* Judges the sums of one slice; the first of equally likely classes counts. */
static void count_slice(struct vote *v, const int32_t *targets, long rows)
{
    long V = v->classes;
    for (long r = 0; r < rows; r++) {
        const double *p = v->sum + r * V;
        long best = 0;
        if (targets[r] < 0)
            continue;
        for (long c = 1; c < V; c++)
            if (p[c] > p[best])
                best = c;
        v->right += best == targets[r];
        v->loss -= log(fmax(p[targets[r]] / v->members, DBL_MIN)); /* finite, whatever they say */
        v->counted++;
    }
}

static void run_vote(struct vote *v)
{
    for (long first = 0, n = 0; first < v->test->n; first += n) {
        for (int i = 0; i < v->members; i++) {
            struct probe *p = v->member[i];
            probe_forward(p, first);
            n = p->pass.batch;
            if (i == 0)
                memset(v->sum, 0, (size_t)(n * v->targets * v->classes) * sizeof *v->sum);
            add_softmax(p->logits->data, n * v->targets, v->classes, v->sum);
            heartbeat();
        }
        count_slice(v, v->test->targets + first * v->targets, n * v->targets);
    }
}

/* Of all members together. */
struct cost {
    long params;
    double flops;
    double acc; /* the members' test accuracies, added up */
};

static enum status load_members(struct arena *a, const struct study_job *job, struct vote *v,
                                struct cost *cost, struct message *m)
{
    v->members = job->trials;
    v->member = arena_alloc(a, (size_t)job->trials, sizeof(struct probe *));
    for (int i = 0; i < job->trials; i++) {
        const struct study_trial *trial = &job->trial[i];
        struct study_model *model;
        if (strcmp(trial->config_sha256, job->trial[0].config_sha256) != 0) {
            status_fail(m, STATUS_INTERNAL,
                        "trials %" PRId64 " and %" PRId64 " are not of one configuration",
                        job->trial[0].trial_id, trial->trial_id);
            return STATUS_INTERNAL;
        }
        enum status s =
            study_model_load(a, job->folder, job->data, trial, MODEL_FORWARD, &model, m);
        if (s == STATUS_OK)
            s = probe_new(a, model->encoder, data_test(model->data), false, &v->member[i], m);
        if (s != STATUS_OK)
            return s;
        cost->params += model->encoder->nn.size;
        cost->flops += encoder_flops(model->encoder);
        cost->acc += model->test_acc;
    }
    const struct probe *first = v->member[0];
    v->test = first->set;
    v->targets = first->targets_each;
    v->classes = first->encoder->io.classes;
    v->sum = arena_alloc(a, (size_t)(first->slice * v->targets * v->classes), sizeof *v->sum);
    return STATUS_OK;
}

void ensemble_add_trials(struct json_writer *w, const char *key, const struct study_trial *trial,
                         int count)
{
    json_begin_list(w, key);
    for (int i = 0; i < count; i++)
        json_add_integer(w, NULL, trial[i].trial_id);
    json_end_list(w);
}

static enum status answer(struct arena *a, const struct study_job *job, struct study_answer *out,
                          struct message *m)
{
    struct vote v = {0};
    struct cost cost = {0};
    struct json_writer w = {.text = &out->json};
    enum status s = load_members(a, job, &v, &cost, m);
    if (s != STATUS_OK)
        return s;
    run_vote(&v);
    json_begin_object(&w, NULL);
    json_begin_list(&w, "ensemble");
    json_begin_object(&w, NULL);
    json_add_integer(&w, "members", job->trials);
    ensemble_add_trials(&w, "trials", job->trial, job->trials);
    json_add_integer(&w, "n_params", cost.params);
    json_add_real(&w, "mean_member_acc", cost.acc / job->trials);
    json_add_real(&w, "test_acc", v.counted ? (double)v.right / (double)v.counted : 0);
    json_add_real(&w, "test_loss", v.counted ? v.loss / (double)v.counted : 0);
    json_add_real(&w, "flops_per_example", cost.flops);
    json_end_object(&w);
    json_end_list(&w);
    json_end_object(&w);
    return STATUS_OK;
}

const struct study study_ensemble = {"ensemble", "combining", answer};
