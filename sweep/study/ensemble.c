/* The study `ensemble`: which trials answer together, asking them, and what they answer. */
#include "sweep/study/ensemble.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/heartbeat.h"
#include "engine/encoder_cost.h"
#include "engine/measures/probe.h"
#include "sweep/study/model.h"

/* {"members":[3,4]}: the group is part of what it is asked, as other seeds make other groups. */
static void add_options(struct text_buffer *b, const struct study_trial *group, int members)
{
    struct json_writer w = {.text = b};
    json_begin_object(&w, NULL);
    ensemble_add_trials(&w, "members", group, members);
    json_end_object(&w);
}

/* A trial, and which configuration of the plan it has: 0, 1, ... */
struct candidate {
    const struct study_trial *trial;
    int config;
};

static int by_config_and_seed(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->config != b->config)
        return a->config < b->config ? -1 : 1;
    return (a->trial->seed > b->trial->seed) - (a->trial->seed < b->trial->seed);
}

/* The trials with that head count, those of one configuration in a row; returns how many. */
static int find_candidates(const struct study_due *due, long heads, struct candidate *candidate)
{
    int n = 0, configs = 0;
    for (int i = 0; i < due->count; i++) {
        const struct study_trial *t = &due->list[i];
        int same = 0;
        if (t->heads != heads)
            continue;
        while (same < n && strcmp(candidate[same].trial->config_sha256, t->config_sha256) != 0)
            same++;
        int config = same < n ? candidate[same].config : configs++;
        candidate[n++] = (struct candidate){t, config};
    }
    qsort(candidate, (size_t)n, sizeof *candidate, by_config_and_seed);
    return n;
}

/* Cuts a row of trials of one configuration into groups; what is left over is in none. */
static void cut_groups(struct ensemble_groups *g, const struct candidate *candidate, int n)
{
    int groups = n / g->members;
    for (int i = 0; i < groups * g->members; i++)
        g->trial[g->count * g->members + i] = *candidate[i].trial;
    g->count += groups;
    if (groups == 0)
        text_add(&g->too_few, "%s%d%s%s", g->too_few.used ? ", " : "", n,
                 candidate[0].trial->label[0] ? " of " : "", candidate[0].trial->label);
    if (n > g->most)
        g->most = n;
}

static enum status cut_all(struct ensemble_groups *g, const struct candidate *candidate, int n,
                           struct message *m)
{
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && candidate[to].config == candidate[from].config;)
            to++;
        cut_groups(g, candidate + from, to - from);
    }
    const char *head = g->heads == 1 ? "head" : "heads";
    if (g->too_few.out_of_memory)
        return status_no_memory(m, "the ensembles");
    if (g->count > 0)
        return STATUS_OK;
    if (n == 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "no trial with %ld %s has completed in this sweep: nothing to combine",
                           g->heads, head);
    return status_fail(m, STATUS_BAD_INPUT,
                       "%d members need %d completed trials of one configuration, with different "
                       "seeds; with %ld %s there are %s, so %d more are needed: make `seeds` "
                       "larger in the sweep file and run it again",
                       g->members, g->members, g->heads, head, g->too_few.text,
                       g->members - g->most);
}

enum status ensemble_groups(struct store *s, int64_t sweep_id, long heads, int members,
                            struct ensemble_groups *g, struct message *m)
{
    struct study_due due = {0};
    *g = (struct ensemble_groups){.heads = heads, .members = members};
    enum status status = store_study_due(s, sweep_id, 0, study_ensemble.name, NULL, &due, m);
    if (status != STATUS_OK)
        return status;
    struct candidate *candidate = calloc((size_t)due.count + 1, sizeof *candidate);
    g->trial = calloc((size_t)due.count + 1, sizeof *g->trial);
    if (candidate && g->trial)
        status = cut_all(g, candidate, find_candidates(&due, heads, candidate), m);
    else
        status = status_no_memory(m, "the ensembles");
    free(candidate);
    free(due.list);
    return status;
}

void ensemble_groups_free(struct ensemble_groups *g)
{
    free(g->trial);
    free(g->too_few.text);
    *g = (struct ensemble_groups){0};
}

/* ---- asking ---- */

/* The groups that have not answered, as jobs. */
struct asking {
    struct ensemble_groups groups;
    struct text_buffer *options; /* (groups.count) */
    struct study_job *job;       /* (due) */
    int due;
};

static enum status find_due(struct store *s, const struct ensemble_request *q, struct asking *a,
                            struct study_result *r, struct message *m)
{
    enum status status = store_sweep(s, q->sweep, &r->sweep_id, m);
    if (status == STATUS_OK)
        status = ensemble_groups(s, r->sweep_id, q->heads, q->members, &a->groups, m);
    if (status != STATUS_OK)
        return status;
    a->options = calloc((size_t)a->groups.count + 1, sizeof *a->options);
    a->job = calloc((size_t)a->groups.count + 1, sizeof *a->job);
    bool ok = a->options && a->job;
    for (int i = 0; i < a->groups.count && ok && status == STATUS_OK; i++) {
        const struct study_trial *group = ensemble_group(&a->groups, i);
        bool answered = false;
        add_options(&a->options[i], group, q->members);
        ok = !a->options[i].out_of_memory;
        if (ok)
            status = store_study_answered(s, group, q->members, study_ensemble.name,
                                          a->options[i].text, &answered, m);
        if (!answered)
            a->job[a->due++] = (struct study_job){.folder = store_folder(s),
                                                  .trials = q->members,
                                                  .trial = group,
                                                  .options = a->options[i].text};
    }
    r->before = a->groups.count - a->due;
    return ok ? status : status_no_memory(m, "the ensembles");
}

static void asking_free(struct asking *a)
{
    for (int i = 0; a->options && i < a->groups.count; i++)
        free(a->options[i].text);
    free(a->options);
    free(a->job);
    ensemble_groups_free(&a->groups);
}

/* Looks first whether anybody is to be asked: only then the file is opened for writing. */
static enum status look(const struct ensemble_request *q, struct study_result *r, int *due,
                        struct message *m)
{
    struct asking a = {0};
    struct store *s;
    enum status status = store_open(q->db, STORE_READ, &s, m);
    if (status != STATUS_OK)
        return status;
    status = find_due(s, q, &a, r, m);
    *due = a.due;
    asking_free(&a);
    return store_close_after(s, status, m);
}

enum status ensemble_ask(const struct ensemble_request *q, struct study_result *r,
                         struct message *m)
{
    struct study_session *session = NULL;
    struct asking a = {0};
    int due = 0;
    *r = (struct study_result){0};
    enum status status = look(q, r, &due, m);
    if (status != STATUS_OK || due == 0)
        return status;
    status = study_open(q->db, &q->run, &session, m);
    if (status != STATUS_OK)
        return status;
    status = find_due(study_store(session), q, &a, r, m);
    if (status == STATUS_OK)
        status = study_run(session, &study_ensemble, a.job, a.due, r, m);
    asking_free(&a);
    enum status closed = study_close(session, status == STATUS_OK ? m : NULL);
    return status == STATUS_OK ? closed : status;
}

/* ---- the study ---- */

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
