#include "sweep/study/job_queue.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/run/cores.h"
#include "sweep/worker/stop.h"
#include "sweep/worker/worker_pool.h"

/* A worker at its job. */
struct worker_slot {
    int job;
    struct text_buffer answer;
    char protocol_error[MESSAGE_SIZE]; /* "": none */
};

struct job_work {
    const struct job_queue *queue;
    struct worker_pool workers;
    struct worker_slot *slot; /* (queue->workers) */
    struct pollfd *fds;       /* (2 * queue->workers + 1) */
    int next;                 /* job to begin */
};

static enum status begin(struct job_work *w, int i, struct message *m)
{
    const struct job_queue *q = w->queue;
    char *text;
    enum status s = q->text(q->context, w->next, &text, m);
    if (s != STATUS_OK)
        return s;
    s = worker_pool_start(&w->workers, i, q->verb, text, strlen(text), m);
    free(text);
    if (s != STATUS_OK)
        return s;
    w->slot[i].job = w->next++;
    q->begins(q->context, w->slot[i].job, i);
    return STATUS_OK;
}

/* A worker that answers without end is ended. */
static void on_message(void *context, const struct wire_frame *f)
{
    struct job_work *w = context;
    struct worker_slot *slot = &w->slot[f->slot];
    if (slot->protocol_error[0])
        return;
    if (f->type == WIRE_ANSWER)
        text_add(&slot->answer, "%s", f->payload);
    else if (f->type == WIRE_NOTE) /* process_attend has ended it */
        snprintf(slot->protocol_error, sizeof slot->protocol_error, "%s", f->payload);
    if (slot->answer.used > JOB_ANSWER_MAX) {
        snprintf(slot->protocol_error, sizeof slot->protocol_error,
                 "its answer is longer than %d MiB", JOB_ANSWER_MAX >> 20);
        worker_pool_kill(&w->workers, f->slot);
    }
}

/* Why there is no answer; "" where there is one. */
static void why_not(const struct worker_slot *slot, const struct worker_end *end, char *why,
                    size_t size)
{
    why[0] = '\0';
    if (slot->protocol_error[0])
        snprintf(why, size, "%s", slot->protocol_error);
    else if (end->killed[0])
        snprintf(why, size, "its worker %s%s", end->killed_for == WATCH_MEMORY ? "was " : "",
                 end->killed);
    else if (end->signal)
        snprintf(why, size, "its worker was killed (%s)", strsignal(end->signal));
    else if (end->exit_code != 0 && end->error[0])
        snprintf(why, size, "%s", end->error);
    else if (slot->answer.out_of_memory)
        snprintf(why, size, "no memory for its answer");
    else if (end->exit_code != 0 || !slot->answer.text)
        snprintf(why, size, "its worker ended with status %d without an answer", end->exit_code);
}

static enum status end(struct job_work *w, int i, const struct worker_end *end, struct message *m)
{
    const struct job_queue *q = w->queue;
    struct worker_slot *slot = &w->slot[i];
    char why[PROCESS_TAIL + MESSAGE_SIZE];
    why_not(slot, end, why, sizeof why);
    struct job_ending e = {
        .answer = why[0] ? NULL : slot->answer.text, .error = why, .cpu_s = end->cpu_s};
    enum status s = q->ends(q->context, slot->job, i, &e, m);
    free(slot->answer.text);
    *slot = (struct worker_slot){0};
    return s;
}

static void wait_for_something(struct job_work *w)
{
    nfds_t n = 0;
    w->fds[n++] = (struct pollfd){.fd = stop_wake_fd(), .events = POLLIN};
    n += (nfds_t)worker_pool_poll(&w->workers, w->fds + n);
    if (poll(w->fds, n, 200) > 0 && w->fds[0].revents)
        stop_drain();
}

static enum status look_after(struct job_work *w, struct message *m)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < w->queue->workers && s == STATUS_OK; i++) {
        const struct worker_end *ended = worker_pool_attend(&w->workers, i, on_message, w);
        if (ended)
            s = end(w, i, ended, m);
    }
    return s;
}

/* Where no job is left for the others. */
static void share_cores(struct job_work *w)
{
    const struct cores cores = {w->queue->cores, w->queue->workers, 0};
    int running = worker_pool_running(&w->workers);
    for (int i = 0, k = 0; w->next == w->queue->jobs && i < w->queue->workers; i++)
        if (worker_pool_pid(&w->workers, i))
            worker_pool_set_threads(&w->workers, i, cores_of(&cores, running, k++));
}

static enum status loop(struct job_work *w, struct message *m)
{
    enum status s = STATUS_OK;
    for (;;) {
        for (int i = 0; i < w->queue->workers && w->next < w->queue->jobs && s == STATUS_OK; i++)
            if (!worker_pool_pid(&w->workers, i))
                s = begin(w, i, m);
        if (s != STATUS_OK || worker_pool_running(&w->workers) == 0)
            return s;
        share_cores(w);
        wait_for_something(w);
        if (stop_requests() > 0)
            return status_fail(m, STATUS_INTERRUPTED, "stopped (%s)", strsignal(stop_signal()));
        s = look_after(w, m);
        w->queue->turns(w->queue->context);
    }
}

enum status job_queue_run(const struct job_queue *q, struct message *m)
{
    struct job_work w = {.queue = q};
    w.slot = calloc((size_t)q->workers, sizeof *w.slot);
    w.fds = calloc(2 * (size_t)q->workers + 1, sizeof *w.fds);
    enum status s = w.slot && w.fds
                        ? loop(&w, m)
                        : status_fail(m, STATUS_NO_MEMORY, "no memory for %d workers", q->workers);
    worker_pool_free(&w.workers, 1); /* nothing of what they do lies on the disk */
    for (int i = 0; w.slot && i < q->workers; i++)
        free(w.slot[i].answer.text);
    free(w.slot);
    free(w.fds);
    return s;
}
