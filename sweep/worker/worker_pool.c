#include "sweep/worker/worker_pool.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"

/* NULL where none runs in the slot. */
static struct process *running(const struct worker_pool *w, int slot)
{
    struct process *p = slot < w->slots ? w->process[slot] : NULL;
    return p && p->pid > 0 ? p : NULL;
}

/* The slot's, made where there was none; NULL where there is no memory. */
static struct process *process_at(struct worker_pool *w, int slot)
{
    if (!w->environment && !(w->environment = process_environment()))
        return NULL;
    if (slot >= w->slots) {
        struct process **more = realloc(w->process, ((size_t)slot + 1) * sizeof *more);
        if (!more)
            return NULL;
        memset(more + w->slots, 0, (size_t)(slot + 1 - w->slots) * sizeof *more);
        w->process = more;
        w->slots = slot + 1;
    }
    struct process *p = w->process[slot];
    if (p)
        return p;
    w->process[slot] = p = calloc(1, sizeof *p);
    return p;
}

enum status worker_pool_start(struct worker_pool *w, int slot, const char *job, size_t size,
                              struct message *m)
{
    struct process *p = process_at(w, slot);
    if (!p)
        return status_no_memory(m, "a worker");
    enum status s = process_spawn(p, job, size, w->environment, m);
    p->slot = slot;
    return s;
}

pid_t worker_pool_pid(const struct worker_pool *w, int slot)
{
    const struct process *p = running(w, slot);
    return p ? p->pid : 0;
}

int worker_pool_running(const struct worker_pool *w)
{
    int n = 0;
    for (int i = 0; i < w->slots; i++)
        n += running(w, i) != NULL;
    return n;
}

int worker_pool_poll(const struct worker_pool *w, struct pollfd *fds)
{
    int n = 0;
    for (int i = 0; i < w->slots; i++)
        if (running(w, i))
            n += process_poll(w->process[i], fds + n);
    return n;
}

const struct worker_end *worker_pool_attend(struct worker_pool *w, int slot, process_listener said,
                                            void *context)
{
    struct process *p = running(w, slot);
    return p && process_attend(p, said, context) ? &p->end : NULL;
}

void worker_pool_order(struct worker_pool *w, const struct wire_frame *order)
{
    if (running(w, order->slot))
        process_order(w->process[order->slot], order);
}

void worker_pool_stop(struct worker_pool *w, int slot)
{
    if (running(w, slot))
        process_stop(w->process[slot]);
}

void worker_pool_kill(struct worker_pool *w, int slot)
{
    if (running(w, slot))
        process_kill(w->process[slot]);
}

void worker_pool_free(struct worker_pool *w, double patience_s)
{
    double until_s = clock_now_s() + patience_s;
    for (int i = 0; i < w->slots; i++)
        worker_pool_kill(w, i);
    for (int i = 0; i < w->slots; i++) {
        if (running(w, i))
            process_reap(w->process[i], until_s);
        free(w->process[i]);
    }
    free(w->process);
    free(w->environment);
    *w = (struct worker_pool){0};
}
