#include "engine/slices.h"

#include "engine/kernels/blas.h"

enum { WINDOW = 64 }; /* slices at once; then the sums are taken */

long targets_per_sequence(const struct trainer *t)
{
    const struct encoder *e = t->encoder;
    return e->io.slots * (e->config.pool == POOL_NONE ? e->io.length : 1);
}

static enum status make_member(struct arena *a, const struct trainer *t, struct trainer_member *by,
                               struct message *m)
{
    const struct encoder *e = t->encoder;
    const struct graph *packs = t->member[0]->graph; /* NULL while it is made itself */
    enum status s = encoder_graph(a, e, t->slice, false, NULL, packs, &by->graph, &by->logits, m);
    if (s == STATUS_OK)
        s = encoder_graph(a, e, t->eval_slice, true, NULL, by->graph, &by->eval_graph,
                          &by->eval_logits, m);
    if (s != STATUS_OK)
        return s;
    long widest = t->slice > t->eval_slice ? t->slice : t->eval_slice;
    by->correct = arena_alloc(a, (size_t)(widest * targets_per_sequence(t)), 1);
    by->slot_targets = arena_alloc(a, (size_t)e->io.slots, sizeof *by->slot_targets);
    by->slot_right = arena_alloc(a, (size_t)e->io.slots, sizeof *by->slot_right);
    return STATUS_OK;
}

static void end_members(void *trainer)
{
    struct trainer *t = trainer;
    team_free(t->team);
    while (t->members > 1) {
        struct arena own = t->member[--t->members]->arena;
        arena_free(&own);
    }
}

enum status slices_init(struct arena *a, struct trainer *t, struct message *m)
{
    t->slices = arena_alloc(a, WINDOW, sizeof *t->slices);
    t->member[0] = arena_alloc(a, 1, sizeof *t->member[0]);
    t->members = t->threads = 1;
    arena_on_free(a, end_members, t);
    return make_member(a, t, t->member[0], m);
}

/* Lets a further thread's arena hand out what the trainer's still may. False where that is nothing.
 */
static bool limit_arena(const struct trainer *t, struct arena *own)
{
    size_t used = t->arena->used, limit = t->arena->limit;
    if (limit == 0)
        return true;
    for (int i = 1; i < t->members; i++)
        used += t->member[i]->arena.used;
    own->limit = used < limit ? limit - used : 0;
    return own->limit > 0;
}

/* NULL where memory does not suffice: then `own` is still to be freed. */
static struct trainer_member *new_member(const struct trainer *t, struct arena *own)
{
    jmp_buf exhausted;
    arena_init(own, &exhausted);
    if (!limit_arena(t, own) || setjmp(exhausted) != 0)
        return NULL;
    struct trainer_member *by = arena_alloc(own, 1, sizeof *by);
    enum status s = make_member(own, t, by, NULL);
    own->exhausted = NULL;
    return s == STATUS_OK ? by : NULL;
}

/* False where memory does not suffice. */
static bool add_member(struct trainer *t)
{
    struct arena own;
    struct trainer_member *by = new_member(t, &own);
    if (!by) {
        arena_free(&own);
        return false;
    }
    by->arena = own;
    t->member[t->members++] = by;
    return true;
}

/* The number of slices is the most that can be of use. */
static int threads_of_use(const struct trainer *t, int threads)
{
    const struct train_config *c = &t->config;
    int64_t examples = c->val_examples > c->test_examples ? c->val_examples : c->test_examples;
    long train = (long)((c->batch + t->slice - 1) / t->slice);
    long eval = (long)((examples + t->eval_slice - 1) / t->eval_slice);
    long most = train > eval ? train : eval;
    if (most > TEAM_MAX)
        most = TEAM_MAX;
    return threads > most ? (int)most : threads;
}

void trainer_set_threads(struct trainer *t, int threads)
{
    if (threads == t->threads)
        return;
    t->threads = threads;
    int wanted = blas_callers(threads_of_use(t, threads));
    if (wanted > 1 && !t->team) {
        t->team = t->optim.team = team_new();
        if (!t->team)
            return;
    }
    while (t->members < wanted && add_member(t))
        continue;
    if (t->team)
        team_set_threads(t->team, wanted < t->members ? wanted : t->members);
}

void slice_bind(const struct trainer *t, int member, const struct examples *set, long first,
                long size, struct pass *p)
{
    const struct encoder_io *io = &t->encoder->io;
    p->first = first;
    p->batch = set->n - first < size ? set->n - first : size;
    p->tokens = set->tokens + first * io->length * io->fields;
    p->targets = set->targets ? set->targets + first * targets_per_sequence(t) : NULL;
    p->padding = set->padding ? set->padding + first * io->length : NULL;
    p->correct = t->member[member]->correct;
}

static void run_one(void *context, int member, long piece)
{
    struct slices *all = context;
    struct trainer *t = all->trainer;
    struct slice *s = &t->slices[piece];
    struct pass p = all->pass;
    slice_bind(t, member, all->set, (all->first + piece) * all->size, all->size, &p);
    if (t->team)
        p.turn = (struct turn){
            .team = t->team, .before = piece > 0 ? &s[-1].done : NULL, .done = &s->done};
    all->run(all, t->member[member], &p, s);
}

/* The caller's tape, whose packed weights all members use. */
static struct graph *tape(const struct slices *all)
{
    const struct trainer_member *by = all->trainer->member[0];
    return all->pass.training ? by->graph : by->eval_graph;
}

static void prepare_one(void *context, int member, long piece)
{
    (void)member;
    const struct slices *all = context;
    graph_prepare_node(tape(all), (int)piece, &all->pass);
}

void slices_run(struct slices *all)
{
    struct trainer *t = all->trainer;
    if (t->threads_now)
        trainer_set_threads(t, t->threads_now());
    team_run(t->team, tape(all)->count, prepare_one, all);
    all->pass.prepared = true;
    long count = (all->set->n + all->size - 1) / all->size;
    for (all->first = 0; all->first < count; all->first += WINDOW) {
        long n = count - all->first < WINDOW ? count - all->first : WINDOW;
        for (long i = 0; i < n; i++) {
            t->slices[i].loss = 0;
            t->slices[i].right = 0;
            atomic_store_explicit(&t->slices[i].done, 0, memory_order_relaxed);
        }
        team_run(t->team, n, run_one, all);
        for (long i = 0; i < n; i++) {
            all->loss += t->slices[i].loss;
            all->right += t->slices[i].right;
        }
    }
}
