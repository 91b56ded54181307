#include "sweep/run/runner_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
#include "sweep/db/lock.h"
#include "sweep/worker/stop.h"

static const int loop_busy_timeout_ms = 20; /* pipes are waiting */
/* A reader that is still at work keeps the log from becoming part of the file. */
static const int closing_busy_timeout_ms = 5000;

void runner_say(struct runner *r, const char *format, ...)
{
    char text[2 * MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    progress_note(r->view, text);
}

static void say_plainly(void *context, const char *text)
{
    runner_say(context, "%s", text);
}

/* Calls `with` for every slot whose worker runs. */
static void for_running(struct runner *r, void (*with)(struct slot *s))
{
    for (int k = 0; k < r->machines; k++)
        for (int i = 0; i < r->machine[k].slots; i++)
            if (r->machine[k].slot[i].phase == SLOT_RUNS)
                with(&r->machine[k].slot[i]);
}

void runner_stop(struct runner *r)
{
    if (r->stopping)
        return;
    r->stopping = true;
    r->stopping_s = clock_now_s();
    for_running(r, slot_stop);
}

void runner_stop_for(struct runner *r, enum status s, const char *why)
{
    if (r->error == STATUS_OK)
        r->error = status_fail(&r->why, s, "%s", why);
    runner_stop(r);
}

/* ---- what workers say, and how they end ---- */

/* False where there is no memory. */
static bool keep_event(struct runner *r, const struct slot *s, struct pending_event event)
{
    struct pending_event *more = array_grow(r->event, (size_t)r->events, sizeof *more);
    if (!more)
        return false;
    r->event = more;
    event.trial = s->trial_id;
    event.attempt = s->attempt;
    r->event[r->events++] = event;
    return true;
}

void runner_on_worker_message(void *context, const struct slot *s, enum wire_type type,
                              const char *text)
{
    struct runner *r = context;
    struct machine *machine = &r->machine[s->machine];
    if (type == WIRE_HASHED) {
        snprintf(machine->data_good, sizeof machine->data_good, "%s", text);
        return;
    }
    if (type == WIRE_NOTE)
        runner_say(r, "trial %" PRId64 " (%s): %s", s->trial_id, s->label, text);
    char *copy = strdup(text);
    if (copy &&
        !keep_event(r, s,
                    (struct pending_event){
                        .kind = type == WIRE_NOTE ? PENDING_WARNING : PENDING_CURVE, .text = copy}))
        free(copy); /* the rows come again, with the result or from the trial that pauses */
}

void runner_note_spawned(struct runner *r, const struct slot *s)
{
    keep_event(r, s, (struct pending_event){.kind = PENDING_SPAWNED, .pid = s->pid});
}

/* ---- the loop ---- */

/* A run that is to stop does not wait longer than this for a results file that another program
 * holds: what the trials came to lies durable in the folder. */
static const double stop_patience_s = WATCH_STOP_S + 1;

static bool is_over(const struct runner *r)
{
    if (r->stopping && clock_now_s() - r->stopping_s > stop_patience_s)
        return true;
    return r->alive == 0 && r->ended.count == 0 && (r->drained || r->done || r->stopping);
}

static void stop_by_signal(struct runner *r)
{
    if (!r->stopping)
        runner_say(r,
                   "%s: stopping; running trials save a checkpoint (a second signal ends at once)",
                   strsignal(stop_signal()));
    runner_stop(r);
}

/* Until agents that have nothing to do any more are gone. */
static const double leave_s = 5, leave_in_haste_s = 0.5;

/* Runs until nothing is left, or everything has stopped. Returns the signal that killed it (the
 * second request to stop), or 0. */
static int loop(struct runner *r)
{
    struct message m;
    if (!is_over(r)) /* agents start while the first transaction is written */
        runner_hosts_turn(r);
    while (!is_over(r)) {
        if (stop_requests() > 0)
            stop_by_signal(r);
        if (stop_requests() > 1)
            break;
        if (runner_commit_due(r)) {
            enum status s = runner_commit(r, &m);
            if (s == STATUS_OK)
                continue;
            runner_stop_for(r, s, m.text);
            if (r->alive == 0)
                break; /* what is not committed lies durable in the folder: recovered later */
            r->retry_s = clock_now_s() + 1;
        }
        crew_wait(&r->crew, r->retry_s > 0 ? 100 : 200);
        runner_hosts_turn(r);
        progress_draw(r->view, clock_now_s());
    }
    bool cut_off = r->alive > 0 || r->ended.count > 0;
    for_running(r, slot_kill);
    crew_dismiss(&r->crew, cut_off ? 0 : r->stopping ? leave_in_haste_s : leave_s);
    return cut_off && stop_requests() > 1 ? stop_signal() : 0;
}

/* ---- the whole run ---- */

enum status runner_make_slots(struct runner *r, struct machine *machine, int n, struct message *m)
{
    machine->slot = slots_new(n, r->slots, (int)(machine - r->machine), machine->host);
    if (!machine->slot)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %d workers", n);
    machine->slots = machine->most = n;
    r->slots += n;
    return STATUS_OK;
}

int runner_running_on(const struct machine *machine)
{
    int n = 0;
    for (int i = 0; i < machine->slots; i++)
        n += machine->slot[i].phase == SLOT_RUNS;
    return n;
}

/* Those that are free already are taken out of the list first, so that none is in it twice. */
void runner_machine_works(struct runner *r, struct machine *machine, bool works)
{
    machine->works = works;
    slot_list_remove(&r->free, (int)(machine - r->machine));
    for (int i = 0; works && i < machine->slots; i++)
        if (machine->slot[i].phase == SLOT_FREE)
            slot_list_add(&r->free, &machine->slot[i]);
    r->drained = false; /* others may have what was left to it */
}

/* What has come of it, where it was neither killed nor ended by an error. */
static enum status read_outcome(struct runner *r, struct runner_result *result, struct message *m)
{
    struct counts c;
    struct looks_state looks;
    enum status s = store_counts(r->store, r->sweep_id, &c, m);
    if (s == STATUS_BUSY && r->stopping) {
        result->outcome = RUNNER_STOPPED;
        return STATUS_OK;
    }
    if (s != STATUS_OK)
        return s;
    result->failed = c.trials[TRIAL_FAILED];
    result->diverged = c.trials[TRIAL_DIVERGED];
    result->trials = c.planned;
    result->ended = c.ended;
    result->half_done = c.half_done;
    if (looks_read(r->store, r->sweep_id, &looks, NULL) == STATUS_OK)
        looks_words(&looks, result->looks, sizeof result->looks);
    result->outcome = c.ended < c.planned                                     ? RUNNER_STOPPED
                      : c.trials[TRIAL_FAILED] + c.trials[TRIAL_DIVERGED] > 0 ? RUNNER_SOME_FAILED
                                                                              : RUNNER_DONE;
    return STATUS_OK;
}

static enum status run_opened(struct runner *r, const struct runner_options *o,
                              struct runner_result *result, struct message *m)
{
    enum status s = runner_prepare(r, o, m);
    r->claim = calloc(CLAIMS_MAX, sizeof *r->claim);
    if (s == STATUS_OK && !r->claim)
        s = status_no_memory(m, "a claim");
    if (s != STATUS_OK)
        return s;
    result->sweep_id = r->sweep_id;
    if (o->begun)
        o->begun(o->context, r->sweep_id);
    store_set_busy_timeout(r->store, loop_busy_timeout_ms);
    r->committed_s = clock_now_s();
    runner_show_counts(r);
    int killed = loop(r);
    result->ran = r->ran;
    result->signal = stop_requests() ? stop_signal() : 0;
    if (killed) {
        result->outcome = RUNNER_KILLED;
        return STATUS_OK;
    }
    if (r->error != STATUS_OK) {
        *m = r->why;
        return r->error;
    }
    return read_outcome(r, result, m);
}

static void free_runner(struct runner *r)
{
    runner_hosts_free(r);
    for (int i = 0; i < r->events; i++)
        free(r->event[i].text);
    free(r->event);
    free(r->claim);
    strikes_free(&r->strikes);
}

enum status runner_run(const struct plan *p, const struct runner_options *o,
                       struct runner_result *result, struct message *m)
{
    int lock = -1;
    struct runner r = {.plan = p};
    r.busy = (struct busy_retry){.timeout_s = BUSY_TIMEOUT_S, .context = &r, .say = say_plainly};
    memset(result, 0, sizeof *result);
    enum status s = lock_take(o->db, &lock, m);
    if (s != STATUS_OK)
        return s;
    s = stop_install(m);
    r.view = progress_new(stderr, o->quiet, plan_config(p)->name, plan_config(p)->metric);
    if (s == STATUS_OK) {
        do
            s = store_open(o->db, STORE_WRITE, &r.store, m);
        while (retry_while_busy(&r.busy, &s, m));
    }
    if (s == STATUS_OK)
        s = run_opened(&r, o, result, m);
    progress_finish(r.view);
    if (r.store) {
        struct message closing;
        if (result->outcome == RUNNER_DONE || result->outcome == RUNNER_SOME_FAILED)
            store_set_busy_timeout(r.store, closing_busy_timeout_ms);
        enum status closed = store_close(r.store, &closing);
        if (closed != STATUS_OK && s == STATUS_OK) {
            *m = closing;
            s = closed;
        }
    }
    stop_restore();
    free_runner(&r);
    lock_release(lock);
    return s;
}
