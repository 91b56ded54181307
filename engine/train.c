#include "engine/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/encoder_cost.h"
#include "engine/slices.h"

static void init_optimizer(struct arena *a, struct trainer *t)
{
    t->optim = (struct optim){
        .name = (enum optim_name)t->config.optimizer,
        .beta1 = t->config.beta1,
        .beta2 = t->config.beta2,
        .epsilon = t->config.epsilon,
        .weight_decay = t->config.weight_decay,
        .clip = t->config.clip,
    };
    optim_init(a, &t->optim, &t->encoder->nn);
}

enum status trainer_of(struct arena *a, struct encoder *e, const struct train_config *train,
                       uint32_t seed, train_fill fill, void *context, struct trainer **out,
                       struct message *m)
{
    const struct encoder_config *model = &e->config;
    const struct encoder_io *io = &e->io;
    struct trainer *t = arena_alloc(a, 1, sizeof *t);
    t->encoder = e;
    t->arena = a;
    t->config = *train;
    e->disagreement.kind = (enum similarity_kind)train->disagreement;
    e->disagreement.weight = train->disagreement_weight;
    t->kernels = kernels_best();
    t->seed = seed;
    t->fill = fill;
    t->context = context;

    long most = (long)(train->val_examples > train->test_examples ? train->val_examples
                                                                  : train->test_examples);
    t->slice = encoder_slice(model, io, (long)train->batch);
    t->eval_slice = encoder_slice(model, io, most);
    enum status s = slices_init(a, t, m);
    if (s != STATUS_OK)
        return s;

    size_t batch = (size_t)train->batch, targets = (size_t)targets_per_sequence(t);
    t->batch.n = (long)train->batch;
    t->batch.tokens =
        arena_alloc(a, batch * (size_t)io->length * (size_t)io->fields, sizeof(int32_t));
    t->batch.targets = arena_alloc(a, batch * targets, sizeof(int32_t));
    init_optimizer(a, t);
    *out = t;
    return STATUS_OK;
}

enum status trainer_new(struct arena *a, const struct encoder_config *model,
                        const struct encoder_io *io, const struct train_config *train,
                        uint32_t seed, train_fill fill, void *context, struct trainer **t,
                        struct message *m)
{
    struct encoder *e;
    enum status s = encoder_new(a, model, io, true, &e, m);
    if (s == STATUS_OK)
        s = trainer_of(a, e, train, seed, fill, context, t, m);
    if (s == STATUS_OK)
        encoder_init(e, seed); /* last: no page is touched where the memory does not suffice */
    return s;
}

long targets_unmasked(const int32_t *targets, long n)
{
    long count = 0;
    for (long i = 0; i < n; i++)
        count += targets[i] >= 0;
    return count;
}

static long count_right(const uint8_t *correct, long n)
{
    long count = 0;
    for (long i = 0; i < n; i++)
        count += correct[i] == 1;
    return count;
}

static void train_slice(const struct slices *all, struct trainer_member *by, struct pass *p,
                        struct slice *s)
{
    graph_forward(by->graph, p);
    graph_backward(by->graph, p);
    s->loss = p->loss_sum;
    s->right = count_right(by->correct, p->batch * targets_per_sequence(all->trainer));
}

/* Says where this step's NaN or Inf comes from: a weight that has one already, else the first place
 * on the tape. */
static enum status diverged(struct trainer *t, struct pass *p, double loss, double norm,
                            struct message *m)
{
    char where[256] = "";
    const struct nn *nn = &t->encoder->nn;
    for (int i = 0; i < nn->count && !where[0]; i++) {
        const struct tensor *w = nn->list[i].tensor;
        if (!isfinite(t->kernels->square_sum(tensor_size(w), w->data)))
            snprintf(where, sizeof where, "the weights of %s", w->name);
    }
    for (long first = 0; first < t->batch.n && !where[0]; first += t->slice) {
        slice_bind(t, 0, &t->batch, first, t->slice, p);
        graph_locate_bad(t->member[0]->graph, p, where, sizeof where);
    }
    return status_fail(m, STATUS_DIVERGED,
                       "step %lld: loss %g, gradient norm %g; first NaN or Inf in %s",
                       (long long)t->step + 1, loss, norm, where[0] ? where : "a sum over slices");
}

enum status trainer_step(struct trainer *t, struct message *m)
{
    struct nn *nn = &t->encoder->nn;
    t->batch.padding = NULL;
    enum status s = t->fill(t->context, t->step, &t->batch, m);
    if (s != STATUS_OK)
        return s;
    long per_sequence = targets_per_sequence(t);
    long targets = targets_unmasked(t->batch.targets, t->batch.n * per_sequence);
    struct slices all = {.trainer = t,
                         .set = &t->batch,
                         .size = t->slice,
                         .run = train_slice,
                         .pass = {
                             .kernels = t->kernels,
                             .training = true,
                             .seed = t->seed,
                             .step = (uint64_t)t->step,
                             .loss_scale = (real)(targets ? 1 / (double)targets : 0),
                             .sequences = t->batch.n,
                         }};
    nn_zero_grad(nn);
    slices_run(&all);
    double loss = targets ? all.loss / (double)targets : 0;
    double norm = optim_grad_norm(&t->optim, nn, t->kernels);
    if (!isfinite(loss) || !isfinite(norm))
        return diverged(t, &all.pass, loss, norm, m);

    t->grad_norm = norm;
    t->lr = t->config.lr * schedule_factor((enum schedule_name)t->config.schedule, t->config.warmup,
                                           t->config.steps, t->step);
    optim_step(&t->optim, nn, t->kernels, t->lr, norm);
    t->step++;
    t->loss_sum += loss;
    t->loss_count++;
    t->correct_sum += all.right;
    t->target_sum += targets;
    return STATUS_OK;
}

void trainer_take_means(struct trainer *t, double *loss, double *acc)
{
    *loss = t->loss_count ? t->loss_sum / (double)t->loss_count : 0;
    *acc = t->target_sum ? (double)t->correct_sum / (double)t->target_sum : 0;
    t->loss_sum = 0;
    t->loss_count = t->correct_sum = t->target_sum = 0;
}

static struct slices evaluation(struct trainer *t, const struct examples *set)
{
    return (struct slices){.trainer = t,
                           .set = set,
                           .size = t->eval_slice,
                           .pass = {.kernels = t->kernels, .loss_scale = 1}};
}

/* Adds what the kernel said of one slice's targets to the counts. */
static void evaluate_slice(const struct slices *all, struct trainer_member *by, struct pass *p,
                           struct slice *s)
{
    graph_forward(by->eval_graph, p);
    s->loss = p->loss_sum;
    long S = all->trainer->encoder->io.slots, per_sequence = targets_per_sequence(all->trainer);
    for (long b = 0; b < p->batch; b++) {
        const uint8_t *correct = by->correct + b * per_sequence;
        bool exact = true;
        for (long i = 0; i < per_sequence; i++) {
            if (correct[i] == 2)
                continue;
            by->slot_targets[i % S]++;
            by->slot_right[i % S] += correct[i];
            exact = exact && correct[i];
        }
        s->right += exact;
    }
}

void trainer_evaluate(struct trainer *t, const struct examples *set, struct metrics *out)
{
    struct slices all = evaluation(t, set);
    int64_t right = 0, targets = 0;
    size_t counts = (size_t)t->encoder->io.slots * sizeof(int64_t);
    for (int i = 0; i < t->members; i++) {
        memset(t->member[i]->slot_targets, 0, counts);
        memset(t->member[i]->slot_right, 0, counts);
    }
    all.run = evaluate_slice;
    slices_run(&all);
    for (long s = 0; s < t->encoder->io.slots; s++) {
        int64_t slot_right = 0, slot_targets = 0;
        for (int i = 0; i < t->members; i++) {
            slot_right += t->member[i]->slot_right[s];
            slot_targets += t->member[i]->slot_targets[s];
        }
        if (out->acc_by_slot)
            out->acc_by_slot[s] = slot_targets ? (double)slot_right / (double)slot_targets : 0;
        right += slot_right;
        targets += slot_targets;
    }
    out->loss = targets ? all.loss / (double)targets : 0;
    out->acc = targets ? (double)right / (double)targets : 0;
    out->exact = set->n ? (double)all.right / (double)set->n : 0;
}

const real *trainer_logits(struct trainer *t, const struct examples *set, long first, long *n)
{
    struct slices all = evaluation(t, set);
    struct examples inputs = *set;
    inputs.targets = NULL;
    slice_bind(t, 0, &inputs, first, t->eval_slice, &all.pass);
    graph_forward(t->member[0]->eval_graph, &all.pass);
    *n = all.pass.batch;
    return t->member[0]->eval_logits->data;
}

static void predict_slice(const struct slices *all, struct trainer_member *by, struct pass *p,
                          struct slice *s)
{
    (void)s;
    graph_forward(by->eval_graph, p);
    long V = all->trainer->encoder->io.classes, per_sequence = targets_per_sequence(all->trainer);
    const real *logits = by->eval_logits->data;
    int32_t *classes = all->classes + p->first * per_sequence;
    for (long r = 0; r < p->batch * per_sequence; r++, logits += V) {
        long best = 0;
        for (long v = 1; v < V; v++)
            if (logits[v] > logits[best])
                best = v;
        classes[r] = (int32_t)best;
    }
}

void trainer_predict(struct trainer *t, const struct examples *set, int32_t *classes)
{
    struct examples inputs = *set;
    inputs.targets = NULL;
    struct slices all = evaluation(t, &inputs);
    all.run = predict_slice;
    all.classes = classes;
    slices_run(&all);
}
