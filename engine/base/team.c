#include "engine/base/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/base/clock.h"
#include "engine/base/heartbeat.h"

struct member {
    struct team *team;
    int number; /* 1.. */
    pthread_t thread;
    atomic_ulong beats; /* written by its thread alone */
};

struct team {
    struct member *member[TEAM_MAX]; /* [0] is NULL: the caller */
    atomic_int threads;              /* those with a number from here on end */

    /* The job, which a member may look at after it has entered. */
    atomic_ullong entry; /* its number << 32 | CLOSED | how many entered */
    atomic_int left;     /* of these, how many are done */
    atomic_long next;    /* piece */
    long pieces;
    void (*work)(void *context, int member, long piece);
    void *context;

    unsigned long passed_on; /* beats */
    atomic_int sleepers;     /* who sleep until `changed` */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static const unsigned long long CLOSED = 1ull << 31;
static const double yields_s = 40e-6; /* before it sleeps */

static _Thread_local struct member *self; /* NULL: a caller */

static void count_beat(void)
{
    unsigned long beats = atomic_load_explicit(&self->beats, memory_order_relaxed);
    atomic_store_explicit(&self->beats, beats + 1, memory_order_relaxed);
}

static void pass_beats_on(struct team *t)
{
    unsigned long beats = 0;
    for (int i = 1; i < atomic_load(&t->threads); i++)
        beats += atomic_load_explicit(&t->member[i]->beats, memory_order_relaxed);
    if (beats != t->passed_on)
        heartbeat();
    t->passed_on = beats;
}

/* After what a sleeper may wait for has changed. It is among the sleepers before it looks for the
 * last time, and looks under the lock: either it sees the change or it is seen here. */
static void wake(struct team *t)
{
    if (atomic_load(&t->sleepers) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* What a thread waits for. */
struct condition {
    bool (*holds)(const struct team *t, const struct condition *c);
    const atomic_int *count; /* that is to reach `least` */
    int least;
    const struct member *member; /* who waits for a job */
    unsigned last_job;           /* that it entered */
};

static void sleep_until(struct team *t, const struct condition *c)
{
    atomic_fetch_add(&t->sleepers, 1);
    pthread_mutex_lock(&t->lock);
    while (!c->holds(t, c)) {
        if (self) {
            pthread_cond_wait(&t->changed, &t->lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&t->changed, &t->lock, &until);
        pthread_mutex_unlock(&t->lock);
        pass_beats_on(t); /* not under the lock: who listens may take long */
        pthread_mutex_lock(&t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    atomic_fetch_sub(&t->sleepers, 1);
}

static void wait_until(struct team *t, const struct condition *c)
{
    if (c->holds(t, c))
        return;
    double end = clock_now_s() + yields_s;
    do {
        sched_yield();
        if (c->holds(t, c))
            return;
    } while (clock_now_s() < end);
    sleep_until(t, c);
}

static bool has_reached(const struct team *t, const struct condition *c)
{
    (void)t;
    return atomic_load(c->count) >= c->least;
}

void team_await(struct team *t, const atomic_int *count, int least)
{
    wait_until(t, &(struct condition){.holds = has_reached, .count = count, .least = least});
}

void team_advance(struct team *t, atomic_int *count, int to)
{
    atomic_store(count, to);
    wake(t);
}

static void take_pieces(struct team *t, int member)
{
    long piece;
    while ((piece = atomic_fetch_add(&t->next, 1)) < t->pieces)
        t->work(t->context, member, piece);
}

static bool is_called(const struct team *t, const struct condition *c)
{
    unsigned long long entry = atomic_load(&t->entry);
    return (!(entry & CLOSED) && (unsigned)(entry >> 32) != c->last_job) ||
           c->member->number >= atomic_load(&t->threads);
}

static void *serve(void *context)
{
    struct member *m = self = context;
    struct team *t = m->team;
    struct condition called = {.holds = is_called, .member = m};
    heartbeat_listener = count_beat;
    for (;;) {
        wait_until(t, &called);
        if (m->number >= atomic_load(&t->threads))
            return NULL;
        unsigned long long entry = atomic_load(&t->entry);
        if (entry & CLOSED || !atomic_compare_exchange_strong(&t->entry, &entry, entry + 1))
            continue;
        called.last_job = (unsigned)(entry >> 32);
        take_pieces(t, m->number);
        atomic_fetch_add(&t->left, 1);
        wake(t);
    }
}

void team_run(struct team *t, long pieces, void (*work)(void *context, int member, long piece),
              void *context)
{
    if (!t || pieces < 2 || atomic_load(&t->threads) < 2) {
        for (long i = 0; i < pieces; i++)
            work(context, 0, i);
        return;
    }
    t->pieces = pieces;
    t->work = work;
    t->context = context;
    atomic_store(&t->next, 0);
    atomic_store(&t->left, 0);
    unsigned job = (unsigned)(atomic_load(&t->entry) >> 32) + 1;
    atomic_store(&t->entry, (unsigned long long)job << 32);
    wake(t);
    take_pieces(t, 0);
    int entered = (int)(atomic_fetch_or(&t->entry, CLOSED) & (CLOSED - 1));
    wait_until(t, &(struct condition){.holds = has_reached, .count = &t->left, .least = entered});
}

struct team *team_new(void)
{
    struct team *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&t->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&t->lock, NULL);
    atomic_init(&t->threads, 1);
    atomic_init(&t->entry, CLOSED);
    return t;
}

static bool start(struct team *t, int number)
{
    static const size_t stack = (size_t)2 << 20; /* kernels and OpenBLAS take some 100 KB */
    struct member *m = calloc(1, sizeof *m);
    pthread_attr_t attributes;
    if (!m || pthread_attr_init(&attributes) != 0) {
        free(m);
        return false;
    }
    *m = (struct member){.team = t, .number = number};
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&m->thread, &attributes, serve, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failed) {
        free(m);
        return false;
    }
    t->member[number] = m;
    return true;
}

int team_set_threads(struct team *t, int threads)
{
    int now = atomic_load(&t->threads), wanted = threads < TEAM_MAX ? threads : TEAM_MAX;
    while (now < wanted) {
        atomic_store(&t->threads, now + 1); /* else it would end at once */
        if (!start(t, now)) {
            atomic_store(&t->threads, now);
            break;
        }
        now++;
    }
    if (now > wanted) {
        atomic_store(&t->threads, wanted);
        wake(t);
    }
    while (now > wanted) {
        struct member *m = t->member[--now];
        pthread_join(m->thread, NULL);
        free(m);
        t->member[now] = NULL;
    }
    return now;
}

void team_free(struct team *t)
{
    if (!t)
        return;
    team_set_threads(t, 1);
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
