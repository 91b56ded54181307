/* The thread that looks whether something has changed. */
#include "sweep/serve/serve_parts.h"

#include <math.h>
#include <sys/socket.h>
#include <time.h>

#include "engine/base/clock.h"

/* How long it goes on when nobody is connected. */
static const double linger_s = 5;

void watcher_look(struct server *s, int file)
{
    struct watched *w = &s->file[file];
    pthread_mutex_unlock(&s->lock);
    struct watched_sign sign = watched_look(w->path);
    pthread_mutex_lock(&s->lock);
    double now_s = clock_now_s();
    bool changed = watched_saw(w, &sign, now_s);
    s->index.stale |= changed;
    s->metrics.stale |= changed;
    snapshot_advance(&s->metrics, now_s);
    if (!snapshot_advance(&s->index, now_s) || !s->index_given)
        return;
    for (int i = 0; i < s->rules.files; i++)
        watched_notify(&s->file[i], WATCHED_VERSION);
    s->index_given = false;
}

/* libmicrohttpd then finds the connection ended, and forgets it. */
static void end_quiet_peers(struct server *s, double now_s)
{
    for (struct peer *p = s->peers; p; p = p->next)
        if (now_s >= p->until_s) {
            shutdown(p->fd, SHUT_RDWR);
            p->until_s = INFINITY;
        }
}

/* Who asks something wakes a watcher that sleeps, but makes none look more often. */
static void wait_for_next(struct server *s)
{
    struct timespec until;
    int code = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(1e9 * SERVE_LOOK_S);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (code == 0 && !s->ending)
        code = pthread_cond_timedwait(&s->look, &s->lock, &until);
}

void *watcher_run(void *server)
{
    struct server *s = server;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        double now_s = clock_now_s();
        if (!s->peers && now_s - s->asked_s > linger_s) {
            pthread_cond_wait(&s->look, &s->lock);
            continue;
        }
        for (int i = 0; i < s->rules.files; i++)
            watcher_look(s, i);
        streams_look(s);
        streams_wake(s, false, now_s);
        end_quiet_peers(s, now_s);
        wait_for_next(s);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}
