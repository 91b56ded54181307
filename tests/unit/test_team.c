/* Threads that share a job: its pieces, their turns, and parameters that several slices add to. */
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/graph.h"
#include "tests/test.h"
#include "tests/unit/own_threads.h"

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

FIXTURE(set_up, tear_down)

TEST(every_piece_is_done_once)
{
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

TEST(nobody_is_waited_for)
{
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

TEST(turns_are_kept)
{
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

TEST(beats_are_passed_on)
{
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

TEST(signals_are_the_callers)
{
    struct team *t = team_new();
    struct job j = {.members = 2};
    team_set_threads(t, 2);
    team_run(t, 2, look_at_signals, &j);
    team_free(t);
}

TEST(fewer_where_no_more_can_be_started)
{
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

TEST(a_shared_parameter_takes_turns)
{
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
