/* Threads that share a job, and a trial that is spread over them: its bytes are those of one. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/heartbeat.h"
#include "engine/base/rng.h"
#include "engine/train.h"
#include "tests/assert_each.h"

#include <cmocka.h>

/* The library's threads are started and joined through these. */
static int startable; /* how many can be started */
static int running;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&next, &found, sizeof next);
    if (running == startable)
        return EAGAIN;
    int failed = next(thread, attributes, run, context);
    running += !failed;
    return failed;
}

int pthread_join(pthread_t thread, void **result)
{
    int (*next)(pthread_t, void **);
    void *found = dlsym(RTLD_NEXT, "pthread_join");
    memcpy(&next, &found, sizeof next);
    running--;
    return next(thread, result);
}

static int set_up(void **state)
{
    (void)state;
    startable = 1000;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    heartbeat_listener = NULL;
    return running == 0 ? 0 : -1;
}

/* ---- a team ---- */

enum { PIECES = 200 };

struct job {
    struct team *team;
    int members;              /* that must be at work at once */
    atomic_int arrived;       /* members */
    atomic_int done[PIECES];  /* how often */
    atomic_int count[PIECES]; /* 0, then 1 */
    atomic_bool seen[TEAM_MAX];
    long order[PIECES], begun; /* written in turn */
};

static void wait_for(const atomic_int *x, int least)
{
    while (atomic_load(x) < least)
        sched_yield();
}

static void each_comes(void *context, int member, long piece)
{
    struct job *j = context;
    atomic_fetch_add(&j->done[piece], 1);
    if (!atomic_exchange(&j->seen[member], true))
        atomic_fetch_add(&j->arrived, 1);
    wait_for(&j->arrived, j->members);
}

static void every_piece_is_done_once(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8, 2, 1, 5};
    struct team *t = team_new();
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        assert_int_equal(team_set_threads(t, threads[i]), threads[i]);
        assert_int_equal(running, threads[i] - 1);
        for (int again = 0; again < 20; again++) {
            struct job j = {.members = threads[i]};
            team_run(t, PIECES, each_comes, &j);
            for (int p = 0; p < PIECES; p++)
                assert_int_equal(j.done[p], 1);
            for (int m = 0; m < TEAM_MAX; m++)
                assert_int_equal(j.seen[m], m < threads[i]);
        }
    }
    team_free(t);
}

static void nobody_is_waited_for(void **state)
{
    (void)state;
    struct team *t = team_new();
    struct job j = {.members = 1};
    team_set_threads(t, 4);
    for (int again = 0; again < 2000; again++)
        team_run(t, again % 5, each_comes, &j);
    assert_int_equal(j.done[0], 1600);
    assert_int_equal(j.done[3], 400);
    team_run(NULL, 3, each_comes, &j);
    assert_int_equal(j.done[2], 801);
    team_free(t);
    team_free(NULL);
}

static void one_after_the_other(void *context, int member, long piece)
{
    struct job *j = context;
    (void)member;
    if (piece > 0)
        team_await(j->team, &j->count[piece - 1], 1);
    j->order[j->begun++] = piece;
    team_advance(j->team, &j->count[piece], 1);
}

static void turns_are_kept(void **state)
{
    (void)state;
    struct team *t = team_new();
    team_set_threads(t, 3);
    for (int again = 0; again < 50; again++) {
        struct job j = {.team = t};
        team_run(t, PIECES, one_after_the_other, &j);
        for (long p = 0; p < PIECES; p++)
            assert_int_equal(j.order[p], p);
    }
    team_free(t);
}

static atomic_int heard;
static pthread_t caller;

static void hear(void)
{
    assert_true(pthread_equal(caller, pthread_self()));
    atomic_store(&heard, 1);
}

/* The caller has nothing to do but to wait for the other, which beats until it was heard. */
static void beat(void *context, int member, long piece)
{
    struct job *j = context;
    (void)piece;
    atomic_fetch_add(&j->arrived, 1);
    wait_for(&j->arrived, 2);
    while (member != 0 && !atomic_load(&heard))
        heartbeat();
}

static void beats_are_passed_on(void **state)
{
    (void)state;
    struct team *t = team_new();
    struct job j = {.members = 2};
    team_set_threads(t, 2);
    atomic_store(&heard, 0);
    caller = pthread_self();
    heartbeat_listener = hear;
    team_run(t, 2, beat, &j);
    assert_int_equal(atomic_load(&heard), 1);
    team_free(t);
}

static void look_at_signals(void *context, int member, long piece)
{
    sigset_t blocked;
    each_comes(context, member, piece);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    for (int s = 1; s < 32 && member != 0; s++)
        assert_true(s == SIGKILL || s == SIGSTOP || sigismember(&blocked, s));
    assert_each(member != 0 || !sigismember(&blocked, SIGTERM));
}

static void signals_are_the_callers(void **state)
{
    (void)state;
    struct team *t = team_new();
    struct job j = {.members = 2};
    team_set_threads(t, 2);
    team_run(t, 2, look_at_signals, &j);
    team_free(t);
}

static void fewer_where_no_more_can_be_started(void **state)
{
    (void)state;
    struct team *t = team_new();
    startable = 2;
    assert_int_equal(team_set_threads(t, 5), 3);
    struct job j = {.members = 3};
    team_run(t, PIECES, each_comes, &j);
    startable = 4;
    assert_int_equal(team_set_threads(t, 5), 5);
    assert_int_equal(team_set_threads(t, TEAM_MAX + 7), 5);
    team_free(t);
}

/* ---- one parameter at two places of a tape ---- */

enum { ROWS = 40, WIDTH = 16, TAPES = 3 };

struct shared {
    struct arena arena;
    struct team *team;
    struct tensor *w, *b;
    struct graph *graph[TAPES];
    struct tensor *x[TAPES], *target[TAPES];
    atomic_int done[ROWS];
};

static void make_shared(struct shared *s)
{
    struct message m;
    arena_init(&s->arena, NULL);
    s->w = tensor_new(&s->arena, "w", SHAPE(WIDTH, WIDTH), true);
    s->b = tensor_new(&s->arena, "b", SHAPE(WIDTH), true);
    struct rng r = rng_at(1, RNG_INIT, 0, 0);
    for (long i = 0; i < WIDTH * WIDTH; i++)
        s->w->data[i] = (real)(rng_uniform(&r) - 0.5);
    for (int i = 0; i < TAPES; i++) {
        struct graph *g = s->graph[i] = graph_new(&s->arena, 1, false);
        s->x[i] = tensor_new(&s->arena, NULL, SHAPE(1, WIDTH), false);
        s->target[i] = tensor_new(&s->arena, NULL, SHAPE(1, WIDTH), false);
        struct tensor *h = graph_gelu(g, graph_linear(g, s->x[i], s->w, NULL), s->b);
        h = graph_gelu(g, graph_linear(g, h, s->w, NULL), s->b);
        graph_squared_error(g, graph_linear(g, h, s->w, s->b), s->target[i]);
        assert_int_equal(graph_finish(g, &m), STATUS_OK);
    }
}

static void run_row(void *context, int member, long row)
{
    struct shared *s = context;
    struct rng r = rng_at(2, RNG_DATA, (uint64_t)row, 0);
    for (long i = 0; i < WIDTH; i++)
        s->x[member]->data[i] = (real)rng_uniform(&r);
    struct pass p = {
        .loss_scale = 1,
        .turn = {s->team, row > 0 ? &s->done[row - 1] : NULL, &s->done[row]},
    };
    graph_forward(s->graph[member], &p);
    graph_backward(s->graph[member], &p);
}

static void a_shared_parameter_takes_turns(void **state)
{
    (void)state;
    static struct shared s;
    real first[WIDTH * WIDTH];
    make_shared(&s);
    s.team = team_new();
    for (int again = 0; again < 200; again++) {
        team_set_threads(s.team, again == 0 ? 1 : 2 + again % 2);
        s.w->grad_written = s.b->grad_written = false;
        for (int i = 0; i < ROWS; i++)
            atomic_store(&s.done[i], 0);
        team_run(s.team, ROWS, run_row, &s);
        if (again == 0)
            memcpy(first, s.w->grad, sizeof first);
        assert_memory_equal(first, s.w->grad, sizeof first);
    }
    /* backward: error 1, linear 2, gelu 3, linear 4, gelu 5, linear 6: all wait for the last use */
    assert_int_equal(graph_node(s.graph[0], 5)->turn, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(graph_node(s.graph[0], i)->turn, i == 1 || i == 3 ? 5 : 6);
    team_free(s.team);
    arena_free(&s.arena);
}

/* ---- a trainer ---- */

enum { T = 5, V = 6, S = 2, BATCH = 13, SET = 150, FIELDS = 2 };

static const struct encoder_io io = {.length = T,
                                     .fields = FIELDS,
                                     .field = {"token", "kind"},
                                     .vocab = {V, V},
                                     .slots = S,
                                     .classes = V};
static uint8_t padding[SET * T];

static enum status fill(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)m;
    struct rng r = rng_at(1, RNG_DATA, (uint64_t)step, 0);
    for (long i = 0; i < e->n * T * FIELDS; i++)
        e->tokens[i] = (int32_t)rng_below(&r, V);
    for (long i = 0; i < e->n * T * S; i++)
        e->targets[i] = i % 7 == 6 ? -100 : e->tokens[i / S * FIELDS + i % S];
    e->padding = context;
    return STATUS_OK;
}

struct setup {
    struct encoder_config model;
    struct train_config train;
};

/* What a trial may be made of. */
enum { VARIANTS = 6 };
static struct setup variant(int i)
{
    struct setup s;
    option_defaults(encoder_options, &s.model);
    option_defaults(train_options, &s.train);
    s.model.d_model = 16;
    s.model.heads = 2;
    s.model.d_ff = 32;
    s.model.layers = 2;
    s.train.batch = BATCH;
    s.train.lr = 1e-2;
    s.train.val_examples = s.train.test_examples = SET;
    s.model.dropout = i == 1 || i == 2 ? 0.2 : 0;
    s.train.disagreement = i == 2 || i == 3 ? i : 0;
    s.train.disagreement_weight = s.train.disagreement ? 0.5 : 0;
    s.model.norm = i == 3 ? NORM_POST : NORM_PRE;
    s.train.optimizer = i == 4 ? OPTIM_ADAM : OPTIM_ADAMW;
    if (i == 5) { /* more than a chunk of parameters, and of no whole vectors: by OpenBLAS */
        s.model.d_model = 150;
        s.model.d_ff = 250;
        s.model.layers = 1;
    }
    return s;
}

static struct trainer *make_trainer(struct arena *a, const struct setup *s)
{
    struct trainer *t;
    struct message m;
    arena_init(a, NULL);
    for (int i = 0; i < SET * T; i++)
        padding[i] = i % T > 1 + i / T % 4;
    if (trainer_new(a, &s->model, &io, &s->train, 1, fill, padding, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    t->slice = 1; /* the tape holds any slice up to the batch */
    t->eval_slice = 2;
    return t;
}

/* Holds the caller at its first beat until another thread has done a slice's forward. */
static struct trainer *held;

__attribute__((no_sanitize("thread"))) static void hold(void)
{
    bool alone = held && running > 0;
    while (alone) {
        for (int i = 1; i <= running; i++)
            alone = alone && *(volatile uint8_t *)held->member[i]->correct == 9;
        sched_yield();
    }
    held = NULL;
}

static void step(struct trainer *t)
{
    struct message m;
    for (int i = 0; i < t->members; i++)
        t->member[i]->correct[0] = 9;
    held = t->members > 1 ? t : NULL;
    heartbeat_listener = hold;
    if (trainer_step(t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

struct answers {
    struct metrics metrics;
    double by_slot[S];
    int32_t classes[SET * T * S];
};

static void answer(struct trainer *t, struct answers *a)
{
    static int32_t tokens[SET * T * FIELDS], targets[SET * T * S];
    struct examples set = {.n = SET, .tokens = tokens, .targets = targets};
    fill(padding, 1 << 20, &set, NULL);
    heartbeat_listener = NULL;
    memset(a, 0, sizeof *a);
    a->metrics.acc_by_slot = a->by_slot;
    trainer_evaluate(t, &set, &a->metrics);
    a->metrics.acc_by_slot = NULL;
    trainer_predict(t, &set, a->classes);
}

static void assert_equal_trainers(const struct trainer *a, const struct trainer *b)
{
    size_t bytes = (size_t)a->encoder->nn.size * sizeof(real);
    assert_memory_equal(a->encoder->nn.grad, b->encoder->nn.grad, bytes);
    assert_memory_equal(a->encoder->nn.data, b->encoder->nn.data, bytes);
    assert_memory_equal(a->optim.m, b->optim.m, bytes);
    assert_memory_equal(a->optim.v, b->optim.v, bytes);
    assert_each(a->loss_sum == b->loss_sum, a->grad_norm == b->grad_norm);
    assert_each(a->correct_sum == b->correct_sum, a->target_sum == b->target_sum);
}

/* The number changes between two steps, too. */
static void the_number_does_not_matter(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 8, 1, 2, 5};
    enum { STEPS = sizeof threads / sizeof *threads };
    static struct answers expected, found;
    for (int i = 0; i < VARIANTS; i++) {
        struct arena a, b;
        struct setup s = variant(i);
        struct trainer *one = make_trainer(&a, &s), *many = make_trainer(&b, &s);
        assert_int_equal(i == 5, one->encoder->nn.size > 65536);
        for (int k = 0; k < STEPS; k++) {
            trainer_set_threads(many, threads[k]);
            assert_int_equal(running, threads[k] - 1);
            step(one);
            step(many);
            assert_equal_trainers(one, many);
            answer(one, &expected);
            answer(many, &found);
            assert_memory_equal(&expected, &found, sizeof found);
        }
        arena_free(&a);
        arena_free(&b);
        assert_int_equal(running, 0);
    }
}

/* Fewer threads than asked for: the system has none left, the arena no memory. */
static void fewer_threads_compute_the_same(void **state)
{
    (void)state;
    struct arena a, b;
    struct setup s = variant(1);
    struct trainer *one = make_trainer(&a, &s), *many = make_trainer(&b, &s);
    startable = 1;
    trainer_set_threads(many, 4);
    assert_int_equal(running, 1);
    step(one);
    step(many);
    assert_equal_trainers(one, many);
    arena_free(&b);

    startable = 1000;
    many = make_trainer(&b, &s);
    size_t before = b.used;
    trainer_set_threads(many, 2);
    size_t one_more = many->member[1]->arena.used;
    assert_each(b.used == before, one_more > 0);
    b.limit = before + 2 * one_more + one_more / 2;
    trainer_set_threads(many, 4);
    assert_int_equal(running, 2);
    b.limit = before;
    trainer_set_threads(many, 5);
    assert_int_equal(running, 2);
    step(many);
    assert_equal_trainers(one, many);
    trainer_set_threads(many, 1);
    assert_int_equal(running, 0);
    arena_free(&a);
    arena_free(&b);
}

/* More threads than slices are not made. */
static void no_thread_without_a_slice(void **state)
{
    (void)state;
    struct arena a;
    struct setup s = variant(0);
    struct trainer *t = make_trainer(&a, &s);
    t->slice = 4;
    t->eval_slice = 25;
    trainer_set_threads(t, 1000);
    assert_int_equal(running, 5);
    arena_free(&a);
    t = make_trainer(&a, &s);
    trainer_set_threads(t, 0);
    trainer_set_threads(t, -3);
    assert_int_equal(running, 0);
    arena_free(&a);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_piece_is_done_once),
        TEST(nobody_is_waited_for),
        TEST(turns_are_kept),
        TEST(beats_are_passed_on),
        TEST(signals_are_the_callers),
        TEST(fewer_where_no_more_can_be_started),
        TEST(a_shared_parameter_takes_turns),
        TEST(the_number_does_not_matter),
        TEST(fewer_threads_compute_the_same),
        TEST(no_thread_without_a_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
