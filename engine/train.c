#include "engine/train.h"

#include <math.h>
#include <stdio.h>

#include "engine/encoder_cost.h"

/* Targets per sequence: T*S, or S when pooled. */
static long targets_per_sequence(const struct trainer *t)
{
    const struct encoder *e = t->encoder;
    return e->io.slots * (e->config.pool == POOL_NONE ? e->io.length : 1);
}

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
    enum status s = encoder_graph(a, e, t->slice, false, NULL, &t->graph, &t->logits, m);
    if (s == STATUS_OK)
        s = encoder_graph(a, e, t->eval_slice, true, NULL, &t->eval_graph, &t->eval_logits, m);
    if (s != STATUS_OK)
        return s;

    size_t batch = (size_t)train->batch, targets = (size_t)targets_per_sequence(t);
    t->batch.n = (long)train->batch;
    t->batch.tokens =
        arena_alloc(a, batch * (size_t)io->length * (size_t)io->fields, sizeof(int32_t));
    t->batch.targets = arena_alloc(a, batch * targets, sizeof(int32_t));
    long widest = t->slice > t->eval_slice ? t->slice : t->eval_slice;
    t->correct = arena_alloc(a, (size_t)widest * targets, 1);
    t->slot_targets = arena_alloc(a, (size_t)io->slots, sizeof *t->slot_targets);
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

/* Points p at the slice of `set` that starts at sequence `first`; its length is p->batch. */
static void bind_slice(const struct trainer *t, const struct examples *set, long first, long slice,
                       struct pass *p)
{
    const struct encoder_io *io = &t->encoder->io;
    p->first = first;
    p->batch = set->n - first < slice ? set->n - first : slice;
    p->tokens = set->tokens + first * io->length * io->fields;
    p->targets = set->targets ? set->targets + first * targets_per_sequence(t) : NULL;
    p->padding = set->padding ? set->padding + first * io->length : NULL;
    p->correct = t->correct;
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
        bind_slice(t, &t->batch, first, t->slice, p);
        graph_locate_bad(t->graph, p, where, sizeof where);
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
    struct pass p = {
        .kernels = t->kernels,
        .training = true,
        .seed = t->seed,
        .step = (uint64_t)t->step,
        .loss_scale = (real)(targets ? 1 / (double)targets : 0),
        .sequences = t->batch.n,
    };
    double loss = 0;
    int64_t right = 0;
    nn_zero_grad(nn);
    for (long first = 0; first < t->batch.n; first += t->slice) {
        bind_slice(t, &t->batch, first, t->slice, &p);
        graph_forward(t->graph, &p);
        graph_backward(t->graph, &p);
        loss += p.loss_sum;
        right += count_right(t->correct, p.batch * per_sequence);
    }
    loss = targets ? loss / (double)targets : 0;
    double norm = optim_grad_norm(nn, t->kernels);
    if (!isfinite(loss) || !isfinite(norm))
        return diverged(t, &p, loss, norm, m);

    t->grad_norm = norm;
    t->lr = t->config.lr * schedule_factor((enum schedule_name)t->config.schedule, t->config.warmup,
                                           t->config.steps, t->step);
    optim_step(&t->optim, nn, t->kernels, t->lr, norm);
    t->step++;
    t->loss_sum += loss;
    t->loss_count++;
    t->correct_sum += right;
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

static struct pass evaluation_pass(const struct trainer *t)
{
    return (struct pass){.kernels = t->kernels, .loss_scale = 1};
}

/* Adds what the kernel said of one slice's targets to the counts; returns the exact sequences. */
static long count_slice(struct trainer *t, long sequences, struct metrics *out, int64_t *right)
{
    long S = t->encoder->io.slots, per_sequence = targets_per_sequence(t), exact = 0;
    for (long b = 0; b < sequences; b++) {
        const uint8_t *correct = t->correct + b * per_sequence;
        bool all = true;
        for (long i = 0; i < per_sequence; i++) {
            if (correct[i] == 2)
                continue;
            t->slot_targets[i % S]++;
            *right += correct[i];
            if (out->acc_by_slot)
                out->acc_by_slot[i % S] += correct[i];
            all = all && correct[i];
        }
        exact += all;
    }
    return exact;
}

void trainer_evaluate(struct trainer *t, const struct examples *set, struct metrics *out)
{
    struct pass p = evaluation_pass(t);
    long S = t->encoder->io.slots, exact = 0;
    int64_t right = 0, targets = 0;
    double loss = 0;
    for (long s = 0; s < S; s++) {
        t->slot_targets[s] = 0;
        if (out->acc_by_slot)
            out->acc_by_slot[s] = 0;
    }
    for (long first = 0; first < set->n; first += t->eval_slice) {
        bind_slice(t, set, first, t->eval_slice, &p);
        graph_forward(t->eval_graph, &p);
        loss += p.loss_sum;
        exact += count_slice(t, p.batch, out, &right);
    }
    for (long s = 0; s < S; s++) {
        targets += t->slot_targets[s];
        if (out->acc_by_slot && t->slot_targets[s])
            out->acc_by_slot[s] /= (double)t->slot_targets[s];
    }
    out->loss = targets ? loss / (double)targets : 0;
    out->acc = targets ? (double)right / (double)targets : 0;
    out->exact = set->n ? (double)exact / (double)set->n : 0;
}

const real *trainer_logits(struct trainer *t, const struct examples *set, long first, long *n)
{
    struct pass p = evaluation_pass(t);
    struct examples inputs = *set;
    inputs.targets = NULL;
    bind_slice(t, &inputs, first, t->eval_slice, &p);
    graph_forward(t->eval_graph, &p);
    *n = p.batch;
    return t->eval_logits->data;
}

void trainer_predict(struct trainer *t, const struct examples *set, int32_t *classes)
{
    long V = t->encoder->io.classes;
    for (long first = 0, n; first < set->n; first += n) {
        const real *logits = trainer_logits(t, set, first, &n);
        long rows = n * targets_per_sequence(t);
        for (long r = 0; r < rows; r++, logits += V) {
            long best = 0;
            for (long v = 1; v < V; v++)
                if (logits[v] > logits[best])
                    best = v;
            *classes++ = (int32_t)best;
        }
    }
}
