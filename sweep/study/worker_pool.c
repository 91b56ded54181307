#include "sweep/study/worker_pool.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "sweep/worker/process.h"
#include "sweep/worker/stop.h"

/* A worker at its job. */
struct worker_slot {
    bool busy;
    int job;
    struct process process;
    struct text_buffer answer;
    char killed[160];                  /* why it was ended here; "": it was not */
    char protocol_error[MESSAGE_SIZE]; /* "": none */
};

struct worker_pool {
    const struct worker_pool_jobs *jobs;
    char **environment;
    struct worker_slot *slot; /* (workers) */
    struct pollfd *fds;       /* (2 * workers + 1) */
    int next;                 /* job to begin */
};

static enum status begin(struct worker_pool *c, int i, struct message *m)
{
    const struct worker_pool_jobs *p = c->jobs;
    struct worker_slot *w = &c->slot[i];
    char *text;
    enum status s = p->text(p->context, c->next, &text, m);
    if (s != STATUS_OK)
        return s;
    s = process_spawn(&w->process, p->verb, text, strlen(text), c->environment, m);
    free(text);
    if (s != STATUS_OK)
        return s;
    w->busy = true;
    w->job = c->next++;
    p->begins(p->context, w->job, i);
    return STATUS_OK;
}

/* A worker that breaks the protocol, or answers without end, is ended. */
static void listen_to(struct worker_slot *w)
{
    struct message m;
    enum wire_type type;
    const char *payload;
    size_t size;
    enum status s = process_listen(&w->process, &m);
    while (wire_next(&w->process.reader, &type, &payload, &size))
        if (type == WIRE_ANSWER)
            text_add(&w->answer, "%s", payload);
    process_read_errors(&w->process);
    if (s == STATUS_OK && w->answer.used > WORKER_POOL_ANSWER_MAX)
        s = status_fail(&m, STATUS_BAD_INPUT, "its answer is longer than %d MiB",
                        WORKER_POOL_ANSWER_MAX >> 20);
    if (s == STATUS_OK || w->protocol_error[0])
        return;
    snprintf(w->protocol_error, sizeof w->protocol_error, "%s", m.text);
    process_kill(&w->process);
}

/* Why there is no answer; "" where there is one. */
static void why_not(const struct worker_slot *w, const struct attempt_end *end, char *why,
                    size_t size)
{
    why[0] = '\0';
    if (w->protocol_error[0])
        snprintf(why, size, "%s", w->protocol_error);
    else if (w->killed[0])
        snprintf(why, size, "its worker %s", w->killed);
    else if (end->signal)
        snprintf(why, size, "its worker was killed (%s)", strsignal(end->signal));
    else if (end->exit_code != 0 && end->error)
        snprintf(why, size, "%s", end->error);
    else if (end->exit_code != 0 || !w->answer.text)
        snprintf(why, size, "its worker ended with status %d without an answer", end->exit_code);
    else if (w->answer.out_of_memory)
        snprintf(why, size, "out of memory for its answer");
}

static enum status end(struct worker_pool *c, int i, const struct attempt_end *end,
                       struct message *m)
{
    const struct worker_pool_jobs *p = c->jobs;
    struct worker_slot *w = &c->slot[i];
    char why[PROCESS_TAIL + MESSAGE_SIZE];
    listen_to(w);
    why_not(w, end, why, sizeof why);
    struct worker_pool_ending e = {
        .answer = why[0] ? NULL : w->answer.text, .error = why, .cpu_s = end->cpu_s};
    enum status s = p->ends(p->context, w->job, i, &e, m);
    process_close(&w->process);
    free(w->answer.text);
    *w = (struct worker_slot){0};
    return s;
}

static int busy(const struct worker_pool *c)
{
    int n = 0;
    for (int i = 0; i < c->jobs->workers; i++)
        n += c->slot[i].busy;
    return n;
}

static void wait_for_something(struct worker_pool *c)
{
    nfds_t n = 0;
    c->fds[n++] = (struct pollfd){.fd = stop_wake_fd(), .events = POLLIN};
    for (int i = 0; i < c->jobs->workers; i++) {
        const struct process *p = &c->slot[i].process;
        if (c->slot[i].busy && p->message_fd >= 0)
            c->fds[n++] = (struct pollfd){.fd = p->message_fd, .events = POLLIN};
        if (c->slot[i].busy && p->error_fd >= 0)
            c->fds[n++] = (struct pollfd){.fd = p->error_fd, .events = POLLIN};
    }
    if (poll(c->fds, n, 200) > 0 && c->fds[0].revents)
        stop_drain();
}

static enum status look_after(struct worker_pool *c, struct message *m)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < c->jobs->workers && s == STATUS_OK; i++) {
        struct worker_slot *w = &c->slot[i];
        struct attempt_end ended;
        if (!w->busy)
            continue;
        listen_to(w);
        if (process_ended(&w->process, &ended))
            s = end(c, i, &ended, m);
        else
            process_watch(&w->process, w->killed, sizeof w->killed);
    }
    return s;
}

static enum status loop(struct worker_pool *c, struct message *m)
{
    enum status s = STATUS_OK;
    for (;;) {
        for (int i = 0; i < c->jobs->workers && c->next < c->jobs->jobs && s == STATUS_OK; i++)
            if (!c->slot[i].busy)
                s = begin(c, i, m);
        if (s != STATUS_OK || busy(c) == 0)
            return s;
        wait_for_something(c);
        if (stop_requests() > 0)
            return status_fail(m, STATUS_INTERRUPTED, "stopped (%s)", strsignal(stop_signal()));
        s = look_after(c, m);
        c->jobs->turns(c->jobs->context);
    }
}

/* Nothing of what they do lies on the disk, so there is nothing to wait for. */
static void drop_all(struct worker_pool *c)
{
    double until_s = clock_now_s() + 1;
    for (int i = 0; i < c->jobs->workers; i++)
        process_kill(&c->slot[i].process);
    for (int i = 0; i < c->jobs->workers; i++) {
        struct worker_slot *w = &c->slot[i];
        if (!w->busy)
            continue;
        process_reap(&w->process, until_s);
        process_close(&w->process);
        free(w->answer.text);
    }
}

enum status worker_pool_run(const struct worker_pool_jobs *p, struct message *m)
{
    struct worker_pool c = {.jobs = p, .environment = process_environment()};
    c.slot = calloc((size_t)p->workers, sizeof *c.slot);
    c.fds = calloc(2 * (size_t)p->workers + 1, sizeof *c.fds);
    enum status s = STATUS_OK;
    if (c.environment && c.slot && c.fds) {
        s = loop(&c, m);
        drop_all(&c);
    } else {
        s = status_fail(m, STATUS_NO_MEMORY, "out of memory for %d workers", p->workers);
    }
    free(c.environment);
    free(c.slot);
    free(c.fds);
    return s;
}
