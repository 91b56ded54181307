#include "sweep/study/job_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "sweep/run/cores.h"
#include "sweep/worker/stop.h"

enum { NO_JOB = -1, LOSSES_MAX = 5 /* of one job, with its machine */ };

/* A worker at its job. */
struct job_slot {
    int job;
    int threads; /* that it was granted last */
    struct text_buffer answer;
    char protocol_error[MESSAGE_SIZE]; /* "": none */
};

struct job_machine {
    struct host *host;
    struct cores cores;
    struct job_slot *slot; /* (slots) */
    int slots, first;      /* first: the number of its first one among all */
};

struct job_work {
    const struct job_queue *queue;
    struct crew crew;
    struct job_machine *machine; /* (crew.count) */
    int slots, running;
    int next;                /* of the jobs that have not begun yet */
    int *lost;               /* (jobs): how often it was lost with its machine */
    int *again, again_count; /* (jobs): those that were lost, and are to begin anew */
    bool alone;              /* one of them runs that is to run alone */
    enum status status;      /* why it ends */
    struct message why;
};

static void end_all(struct job_work *w, enum status s, const char *why)
{
    if (w->status == STATUS_OK)
        w->status = status_fail(&w->why, s, "%s", why);
}

/* ---- what begins ---- */

static void make_slots(struct job_work *w, struct job_machine *machine)
{
    const struct job_queue *q = w->queue;
    const struct host *h = machine->host;
    machine->cores =
        cores_granted((int)h->hello.cores, h->spec.slots ? h->spec.slots : q->workers, 0);
    int slots = machine->cores.trials < q->jobs ? machine->cores.trials : q->jobs;
    struct job_slot *slot = calloc((size_t)slots, sizeof *slot);
    if (!slot) {
        end_all(w, STATUS_NO_MEMORY, "no memory for workers");
        return;
    }
    for (int i = 0; i < slots; i++)
        slot[i].job = NO_JOB;
    machine->slot = slot;
    machine->slots = slots;
    machine->first = w->slots;
    w->slots += slots;
    q->slots(q->context, w->slots);
}

static bool jobs_wait(const struct job_work *w)
{
    return w->again_count > 0 || w->next < w->queue->jobs;
}

/* What was lost comes last, and alone from its second loss on: what takes its agent along is not to
 * take others with it for ever. */
static bool may_begin(const struct job_work *w)
{
    if (w->next < w->queue->jobs)
        return true;
    return w->again_count > 0 && !w->alone &&
           (w->lost[w->again[w->again_count - 1]] < 2 || w->running == 0);
}

static void begin(struct job_work *w, struct job_machine *machine, int i)
{
    const struct job_queue *q = w->queue;
    struct message m;
    char *text;
    int job = w->next < q->jobs ? w->next++ : w->again[--w->again_count];
    enum status s = q->text(q->context, job, &text, &m);
    if (s != STATUS_OK) {
        end_all(w, s, m.text);
        return;
    }
    host_start(machine->host, i, text, strlen(text));
    free(text);
    machine->slot[i] = (struct job_slot){.job = job, .threads = 1};
    w->alone = w->lost[job] >= 2;
    w->running++;
    q->begins(q->context, job, machine->first + i);
}

static void begin_all(struct job_work *w)
{
    for (int k = 0; k < w->crew.count; k++) {
        struct job_machine *machine = &w->machine[k];
        for (int i = 0; i < machine->slots && machine->host->state == HOST_READY; i++)
            if (machine->slot[i].job == NO_JOB && may_begin(w) && w->status == STATUS_OK)
                begin(w, machine, i);
    }
}

/* Where no job is left for the others. */
static void share_cores(struct job_machine *machine)
{
    int running = 0, k = 0;
    for (int i = 0; i < machine->slots; i++)
        running += machine->slot[i].job != NO_JOB;
    for (int i = 0; i < machine->slots; i++) {
        struct job_slot *slot = &machine->slot[i];
        if (slot->job == NO_JOB)
            continue;
        int threads = cores_of(&machine->cores, running, k++);
        if (threads != slot->threads)
            host_set_threads(machine->host, i, threads);
        slot->threads = threads;
    }
}

/* ---- what ends ---- */

/* A worker that answers without end is ended. */
static void take_message(struct job_machine *machine, int i, const struct wire_frame *f)
{
    struct job_slot *slot = &machine->slot[i];
    if (slot->protocol_error[0])
        return;
    if (f->type == WIRE_ANSWER)
        text_add(&slot->answer, "%s", f->payload);
    else if (f->type == WIRE_NOTE) /* process_attend has ended it */
        snprintf(slot->protocol_error, sizeof slot->protocol_error, "%s", f->payload);
    if (slot->answer.used > JOB_ANSWER_MAX) {
        snprintf(slot->protocol_error, sizeof slot->protocol_error,
                 "its answer is longer than %d MiB", JOB_ANSWER_MAX >> 20);
        host_kill(machine->host, i);
    }
}

/* Why there is no answer; "" where there is one. */
static void why_not(const struct job_slot *slot, const struct worker_end *end, char *why,
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

static void clear(struct job_work *w, struct job_slot *slot)
{
    free(slot->answer.text);
    *slot = (struct job_slot){.job = NO_JOB};
    w->running--;
    w->alone = false;
}

static void tell_end(struct job_work *w, struct job_machine *machine, int i,
                     const struct job_ending *e)
{
    const struct job_queue *q = w->queue;
    struct message m;
    enum status s = q->ends(q->context, machine->slot[i].job, machine->first + i, e, &m);
    if (s != STATUS_OK)
        end_all(w, s, m.text);
    clear(w, &machine->slot[i]);
}

/* It begins anew, if it has not been lost too often. */
static void lose(struct job_work *w, struct job_machine *machine, int i, const char *why)
{
    struct job_slot *slot = &machine->slot[i];
    int job = slot->job;
    if (++w->lost[job] < LOSSES_MAX) {
        w->again[w->again_count++] = job;
        w->queue->lost(w->queue->context, job, machine->first + i);
        clear(w, slot);
        return;
    }
    char error[MESSAGE_SIZE];
    snprintf(error, sizeof error, "lost %d times, the last one with %s: %.1500s", LOSSES_MAX,
             machine->host->spec.name, why);
    tell_end(w, machine, i, &(struct job_ending){.error = error});
}

static void take_end(struct job_work *w, struct job_machine *machine, int i,
                     const struct worker_end *end)
{
    char why[PROCESS_TAIL + MESSAGE_SIZE];
    const struct job_slot *slot = &machine->slot[i];
    if (end->unstarted)
        snprintf(why, sizeof why, "%s", end->error);
    else
        why_not(slot, end, why, sizeof why);
    if (why[0] && machine->host->state != HOST_READY) { /* its agent was asked to stop */
        lose(w, machine, i, why);
        return;
    }
    if (end->unstarted) {
        end_all(w, STATUS_IO, why);
        return;
    }
    if (!why[0])
        machine->host->rests = 0;
    tell_end(w, machine, i,
             &(struct job_ending){.answer = why[0] ? NULL : slot->answer.text,
                                  .error = why,
                                  .cpu_s = end->cpu_s,
                                  .build = &machine->host->hello.build});
}

static void take_loss(struct job_work *w, struct job_machine *machine)
{
    const struct host *h = machine->host;
    char text[MESSAGE_SIZE];
    if (host_loss_words(h, text))
        w->queue->says(w->queue->context, text);
    for (int i = 0; i < machine->slots; i++)
        if (machine->slot[i].job != NO_JOB)
            lose(w, machine, i, h->why);
}

static void take_event(void *context, int k, const struct host_event *e)
{
    struct job_work *w = context;
    struct job_machine *machine = &w->machine[k];
    bool runs = e->slot < machine->slots && machine->slot[e->slot].job != NO_JOB;
    if (e->kind == HOST_EVENT_READY && machine->slots == 0)
        make_slots(w, machine);
    else if (e->kind == HOST_EVENT_MESSAGE && runs)
        take_message(machine, e->slot, &e->message);
    else if (e->kind == HOST_EVENT_ENDED && runs)
        take_end(w, machine, e->slot, &e->ended);
    else if (e->kind == HOST_EVENT_LOST)
        take_loss(w, machine);
}

/* ---- the loop ---- */

static void loop(struct job_work *w)
{
    char why[MESSAGE_SIZE];
    struct message m;
    while (w->status == STATUS_OK && (w->running > 0 || jobs_wait(w))) {
        crew_turn(&w->crew, false, take_event, w);
        begin_all(w);
        for (int k = 0; k < w->crew.count && !jobs_wait(w); k++)
            share_cores(&w->machine[k]);
        if (w->running > 0 || jobs_wait(w))
            crew_wait(&w->crew, 200);
        if (stop_requests() > 0) {
            snprintf(why, sizeof why, "stopped (%s)", strsignal(stop_signal()));
            end_all(w, STATUS_INTERRUPTED, why);
        }
        if (crew_has_ended(&w->crew, clock_now_s()))
            end_all(w, STATUS_INTERRUPTED, "stopped (the allocation of Slurm is gone)");
        enum status s = crew_check(&w->crew, &m);
        if (s != STATUS_OK)
            end_all(w, s, m.text);
        w->queue->turns(w->queue->context);
    }
}

enum status job_queue_run(const struct job_queue *q, struct message *m)
{
    struct job_work w = {.queue = q, .lost = calloc((size_t)q->jobs, sizeof *w.lost)};
    w.again = calloc((size_t)q->jobs, sizeof *w.again);
    enum status s = crew_init(&w.crew, q->crew, q->folder, m);
    if (s == STATUS_OK)
        w.machine = calloc((size_t)w.crew.count, sizeof *w.machine);
    if (s == STATUS_OK && w.lost && w.again && w.machine) {
        for (int k = 0; k < w.crew.count; k++)
            w.machine[k].host = &w.crew.host[k];
        loop(&w);
        s = w.status;
        *m = w.why;
    } else if (s == STATUS_OK) {
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for %d jobs", q->jobs);
    }
    for (int k = 0; w.machine && k < w.crew.count; k++) {
        for (int i = 0; i < w.machine[k].slots; i++)
            free(w.machine[k].slot[i].answer.text);
        free(w.machine[k].slot);
    }
    crew_dismiss(&w.crew, s == STATUS_OK ? 5 : 0); /* nothing of what they do lies on the disk */
    free(w.machine);
    free(w.lost);
    free(w.again);
    return s;
}
