#include "sweep/study/pool.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "sweep/worker/process.h"
#include "sweep/worker/stop.h"

/* A worker at its job. */
struct post {
    bool busy;
    int job;
    struct process process;
    struct text_buffer answer;
    char killed[160];            /* why it was ended here; "": it was not */
    char nonsense[MESSAGE_SIZE]; /* what it said that cannot be; "": nothing */
};

struct crew {
    const struct pool *pool;
    char **environment;
    struct post *post;  /* (workers) */
    struct pollfd *fds; /* (2 * workers + 1) */
    int next;           /* job to begin */
};

static enum status begin(struct crew *c, int i, struct message *m)
{
    const struct pool *p = c->pool;
    struct post *w = &c->post[i];
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

/* A worker that talks nonsense, or without end, is ended. */
static void listen_to(struct post *w)
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
    if (s == STATUS_OK && w->answer.used > POOL_ANSWER_MAX)
        s = status_fail(&m, STATUS_BAD_INPUT, "its answer is longer than %d MiB",
                        POOL_ANSWER_MAX >> 20);
    if (s == STATUS_OK || w->nonsense[0])
        return;
    snprintf(w->nonsense, sizeof w->nonsense, "%s", m.text);
    process_kill(&w->process);
}

/* Why there is no answer; "" where there is one. */
static void why_not(const struct post *w, const struct attempt_end *end, char *why, size_t size)
{
    why[0] = '\0';
    if (w->nonsense[0])
        snprintf(why, size, "%s", w->nonsense);
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

static enum status end(struct crew *c, int i, const struct attempt_end *end, struct message *m)
{
    const struct pool *p = c->pool;
    struct post *w = &c->post[i];
    char why[PROCESS_TAIL + MESSAGE_SIZE];
    listen_to(w);
    why_not(w, end, why, sizeof why);
    struct pool_ending e = {
        .answer = why[0] ? NULL : w->answer.text, .error = why, .cpu_s = end->cpu_s};
    enum status s = p->ends(p->context, w->job, i, &e, m);
    process_close(&w->process);
    free(w->answer.text);
    *w = (struct post){0};
    return s;
}

static int busy(const struct crew *c)
{
    int n = 0;
    for (int i = 0; i < c->pool->workers; i++)
        n += c->post[i].busy;
    return n;
}

static void wait_for_something(struct crew *c)
{
    nfds_t n = 0;
    c->fds[n++] = (struct pollfd){.fd = stop_wake_fd(), .events = POLLIN};
    for (int i = 0; i < c->pool->workers; i++) {
        const struct process *p = &c->post[i].process;
        if (c->post[i].busy && p->message_fd >= 0)
            c->fds[n++] = (struct pollfd){.fd = p->message_fd, .events = POLLIN};
        if (c->post[i].busy && p->error_fd >= 0)
            c->fds[n++] = (struct pollfd){.fd = p->error_fd, .events = POLLIN};
    }
    if (poll(c->fds, n, 200) > 0 && c->fds[0].revents)
        stop_drain();
}

static enum status look_after(struct crew *c, struct message *m)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < c->pool->workers && s == STATUS_OK; i++) {
        struct post *w = &c->post[i];
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

static enum status loop(struct crew *c, struct message *m)
{
    enum status s = STATUS_OK;
    for (;;) {
        for (int i = 0; i < c->pool->workers && c->next < c->pool->jobs && s == STATUS_OK; i++)
            if (!c->post[i].busy)
                s = begin(c, i, m);
        if (s != STATUS_OK || busy(c) == 0)
            return s;
        wait_for_something(c);
        if (stop_requests() > 0)
            return status_fail(m, STATUS_INTERRUPTED, "stopped (%s)", strsignal(stop_signal()));
        s = look_after(c, m);
        c->pool->turns(c->pool->context);
    }
}

/* Nothing of what they do lies on the disk, so there is nothing to wait for. */
static void drop_all(struct crew *c)
{
    double until_s = clock_now_s() + 1;
    for (int i = 0; i < c->pool->workers; i++)
        process_kill(&c->post[i].process);
    for (int i = 0; i < c->pool->workers; i++) {
        struct post *w = &c->post[i];
        if (!w->busy)
            continue;
        process_reap(&w->process, until_s);
        process_close(&w->process);
        free(w->answer.text);
    }
}

enum status pool_run(const struct pool *p, struct message *m)
{
    struct crew c = {.pool = p, .environment = process_environment()};
    c.post = calloc((size_t)p->workers, sizeof *c.post);
    c.fds = calloc(2 * (size_t)p->workers + 1, sizeof *c.fds);
    enum status s = STATUS_OK;
    if (c.environment && c.post && c.fds) {
        s = loop(&c, m);
        drop_all(&c);
    } else {
        s = status_fail(m, STATUS_NO_MEMORY, "out of memory for %d workers", p->workers);
    }
    free(c.environment);
    free(c.post);
    free(c.fds);
    return s;
}
