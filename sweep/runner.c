#include "sweep/runner.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/blas.h"
#include "sweep/build_info.h"
#include "sweep/cores.h"
#include "sweep/lock.h"
#include "sweep/progress.h"
#include "sweep/recover.h"
#include "sweep/slot.h"
#include "sweep/stop.h"

enum {
    LOST_LIMIT = 5,  /* attempts killed without getting further before a trial counts as failed */
    BARREN_LIMIT = 3 /* trials in a row that fail before their first step: something is broken */
};
static const int loop_patience_ms = 20; /* pipes are waiting */
static const double commit_every_s = 1.0, busy_retry_s = 0.1, busy_note_s = 30;

struct remark { /* live rows of a curve, or a warning; not yet in the file */
    int64_t trial, attempt;
    bool is_note;
    char *text;
};

struct lost { /* a trial that was killed again and again */
    int64_t trial, step;
    int count;
};

struct runner {
    const struct plan *plan;
    struct store *store;
    struct progress_view *view;
    int64_t sweep_id, build_id;
    struct job job; /* what all jobs of this run share */
    char **environment;
    char core_type[64]; /* forced on the workers; "" : not */

    int slots;
    struct slot *slot;    /* (slots) */
    struct claimed *claim; /* (slots): claimed in the present transaction */
    int claims;
    int remarks, remark_capacity;
    struct remark *remark;
    struct lost lost[64];
    int barren;

    bool drained;  /* nothing to claim until something ends */
    bool stopping; /* by a signal, a full disk or an error */
    bool ran;
    enum status error; /* why it stops, if not by a signal */
    struct message why;
    double committed_s, busy_since_s, retry_s;
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(struct runner *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct runner *r, const char *format, ...)
{
    char text[2 * MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    progress_note(r->view, text);
}

static int alive(const struct runner *r)
{
    int n = 0;
    for (int i = 0; i < r->slots; i++)
        n += r->slot[i].busy && r->slot[i].ending == ENDING_NONE;
    return n;
}

static int ended(const struct runner *r)
{
    int n = 0;
    for (int i = 0; i < r->slots; i++)
        n += r->slot[i].busy && r->slot[i].ending != ENDING_NONE;
    return n;
}

/* SIGCONT behind it for workers that somebody paused. */
static void signal_workers(struct runner *r, int signal_number)
{
    for (int i = 0; i < r->slots; i++)
        if (r->slot[i].process.pid > 0) {
            kill(r->slot[i].process.pid, signal_number);
            kill(r->slot[i].process.pid, SIGCONT);
        }
}

static void stop(struct runner *r)
{
    if (!r->stopping)
        signal_workers(r, SIGTERM);
    r->stopping = true;
}

static void stop_for(struct runner *r, enum status s, const char *why)
{
    if (r->error == STATUS_OK)
        r->error = fail(&r->why, s, "%s", why);
    stop(r);
}

static void show_counts(struct runner *r)
{
    struct progress p;
    if (store_progress(r->store, r->sweep_id, &p, NULL) == STATUS_OK)
        progress_counts(r->view, p.completed + p.pruned, p.failed + p.diverged, p.running,
                        p.queued);
}

/* ---- what workers say, and how they end ---- */

static void hear(void *context, const struct slot *s, enum wire_type type, const char *text)
{
    struct runner *r = context;
    if (type == WIRE_NOTE)
        say(r, "trial %" PRId64 " (%s): %s", s->claim.trial_id, s->label, text);
    if (r->remarks == r->remark_capacity) {
        int capacity = 2 * r->remark_capacity + 16;
        struct remark *remark = realloc(r->remark, (size_t)capacity * sizeof *remark);
        if (!remark)
            return; /* the rows come again with the result */
        r->remark = remark;
        r->remark_capacity = capacity;
    }
    char *copy = strdup(text);
    if (copy)
        r->remark[r->remarks++] =
            (struct remark){s->claim.trial_id, s->claim.attempt, type == WIRE_NOTE, copy};
}

/* A trial that is killed again and again at the same place takes the machine down with it. */
static void limit_losses(struct runner *r, struct slot *s)
{
    size_t i = 0;
    while (i < 63 && r->lost[i].trial != 0 && r->lost[i].trial != s->claim.trial_id)
        i++;
    struct lost *l = &r->lost[i];
    if (l->trial != s->claim.trial_id || s->step > l->step)
        *l = (struct lost){.trial = s->claim.trial_id, .step = s->step};
    if (++l->count < LOST_LIMIT)
        return;
    s->ending = ENDING_FAIL;
    size_t used = strlen(s->error);
    snprintf(s->error + used, sizeof s->error - used, "; %d times without getting further",
             l->count);
}

static void react_to_ending(struct runner *r, struct slot *s)
{
    if (s->ending == ENDING_REQUEUE && s->end.signal != 0 && !r->stopping)
        limit_losses(r, s);
    if (s->ending == ENDING_FULL)
        stop_for(r, STATUS_DISK_FULL, s->error);
    if (s->ending == ENDING_STORAGE)
        stop_for(r, STATUS_IO, s->error);
    r->barren = s->ending == ENDING_FAIL && !s->started ? r->barren + 1 : 0;
    if (r->barren >= BARREN_LIMIT) {
        char why[MESSAGE_SIZE];
        snprintf(why, sizeof why,
                 "%d trials in a row failed before their first step, so the rest is not tried; the "
                 "last one said: %.1500s",
                 r->barren, s->error);
        stop_for(r, STATUS_INTERNAL, why);
    }
}

static void listen_to_workers(struct runner *r)
{
    for (int i = 0; i < r->slots; i++) {
        struct slot *s = &r->slot[i];
        if (!s->busy || s->ending != ENDING_NONE)
            continue;
        slot_listen(s, i, r->view, hear, r);
        if (slot_ended(s, i, r->job.folder, r->view, hear, r))
            react_to_ending(r, s);
    }
}

/* ---- one transaction ---- */

static enum status put_ending(struct runner *r, struct slot *s, bool *failed, bool *accepted,
                              struct message *m)
{
    const struct claimed *c = &s->claim;
    char path[PATH_MAX + sizeof s->file];
    const char *folder = strrchr(r->job.folder, '/');
    switch (s->ending) {
    case ENDING_FINISH:
        snprintf(path, sizeof path, "%s/%s", folder ? folder + 1 : r->job.folder, s->file);
        return store_finish(r->store, c->trial_id, c->attempt, s->result, path, s->sha256, &s->end,
                            accepted, m);
    case ENDING_FAIL:
        return store_fail(r->store, c->trial_id, c->attempt, plan_config(r->plan)->retries, &s->end,
                          failed, accepted, m);
    case ENDING_REQUEUE:
    case ENDING_FULL:
    case ENDING_STORAGE:
        return store_requeue(r->store, c->trial_id, c->attempt, s->step, &s->end, accepted, m);
    case ENDING_NONE:
        break;
    }
    return STATUS_OK;
}

struct outcome { /* of one slot's ending, valid once the transaction is committed */
    bool failed, accepted;
};

static enum status put_all(struct runner *r, struct outcome *outcome, struct message *m)
{
    enum status s = store_begin(r->store, m);
    for (int i = 0; i < r->remarks && s == STATUS_OK; i++) {
        const struct remark *k = &r->remark[i];
        s = k->is_note ? store_note(r->store, k->trial, k->attempt, k->text, m)
                       : store_curve(r->store, k->trial, k->attempt, k->text, m);
    }
    for (int i = 0; i < r->slots && s == STATUS_OK; i++) {
        struct slot *slot = &r->slot[i];
        if (slot->busy && !slot->pid_recorded && slot->process.pid > 0)
            s = store_spawned(r->store, slot->claim.trial_id, slot->claim.attempt,
                              slot->process.pid, m);
        if (slot->busy && slot->ending != ENDING_NONE && s == STATUS_OK)
            s = put_ending(r, slot, &outcome[i].failed, &outcome[i].accepted, m);
    }
    r->claims = 0;
    int free_slots = r->stopping ? 0 : r->slots - alive(r);
    while (s == STATUS_OK && r->claims < free_slots) {
        s = store_claim(r->store, r->sweep_id, r->build_id, &r->claim[r->claims], m);
        if (s == STATUS_OK && r->claim[r->claims].trial_id == 0)
            break;
        r->claims += s == STATUS_OK;
    }
    if (s == STATUS_OK)
        return store_commit(r->store, m);
    store_rollback(r->store);
    return s;
}

static void close_ending(struct runner *r, int i, const struct outcome *o)
{
    struct slot *s = &r->slot[i];
    const char *state = "queued";
    if (!o->accepted)
        say(r, "trial %" PRId64 ": the report of its attempt %" PRId64 " came too late: ignored",
            s->claim.trial_id, s->claim.attempt);
    else if (s->ending == ENDING_FINISH)
        state = s->diverged ? "diverged" : "completed";
    else if (s->ending == ENDING_FAIL)
        state = o->failed ? "failed" : "queued";
    else if (r->stopping)
        state = "stopped";

    if (o->accepted && s->ending == ENDING_FAIL)
        say(r, "trial %" PRId64 " (%s) failed%s: %s", s->claim.trial_id, s->label,
            o->failed ? "" : " and is tried again", s->error);
    else if (o->accepted && strcmp(state, "queued") == 0)
        say(r, "trial %" PRId64 " (%s) was lost at step %" PRId64 ": %s; it goes on",
            s->claim.trial_id, s->label, s->step, s->error);
    if (o->accepted && (s->ending == ENDING_FINISH || o->failed))
        recover_remove_files(r->job.folder, s->claim.trial_id, s->claim.attempt,
                             s->ending == ENDING_FINISH);
    progress_trial_ended(r->view, i, state, s->val_acc);
    slot_clear(s);
}

static void start_claims(struct runner *r)
{
    for (int k = 0; k < r->claims; k++) {
        int i = 0;
        while (r->slot[i].busy)
            i++;
        struct message m;
        enum status s = slot_start(&r->slot[i], i, &r->claim[k], &r->job, r->environment, r->view,
                                   &m);
        if (s != STATUS_OK)
            stop_for(r, s, m.text);
        else
            r->ran = true;
        if (s == STATUS_OK && r->stopping) /* the one before could not be started */
            kill(r->slot[i].process.pid, SIGTERM);
    }
}

static void after_commit(struct runner *r, const struct outcome *outcome)
{
    int wanted = r->slots - alive(r);
    for (int i = 0; i < r->remarks; i++)
        free(r->remark[i].text);
    r->remarks = 0;
    for (int i = 0; i < r->slots; i++) {
        if (r->slot[i].process.pid > 0)
            r->slot[i].pid_recorded = true;
        if (r->slot[i].busy && r->slot[i].ending != ENDING_NONE)
            close_ending(r, i, &outcome[i]);
    }
    r->drained = !r->stopping && r->claims < wanted;
    r->committed_s = now_s();
    r->busy_since_s = r->retry_s = 0;
    start_claims(r);
    show_counts(r);
}

/* Puts everything that is due into the file. BUSY keeps it for the next try. */
static enum status commit(struct runner *r, struct message *m)
{
    struct outcome *outcome = calloc((size_t)r->slots, sizeof *outcome);
    if (!outcome)
        return fail(m, STATUS_NO_MEMORY, "out of memory");
    enum status s = put_all(r, outcome, m);
    if (s == STATUS_OK) {
        after_commit(r, outcome);
    } else if (s == STATUS_BUSY) {
        double now = now_s();
        r->retry_s = now + busy_retry_s;
        if (r->busy_since_s == 0)
            r->busy_since_s = now;
        if (r->busy_since_s > 0 && now - r->busy_since_s > busy_note_s) {
            say(r, "another program holds a write lock on the results file for %.0f s; training "
                   "goes on, results are kept until the lock is gone",
                now - r->busy_since_s);
            r->busy_since_s = -1; /* said once */
        }
        s = STATUS_OK;
    }
    free(outcome);
    return s;
}

static bool commit_is_due(const struct runner *r)
{
    double now = now_s();
    if (now < r->retry_s)
        return false;
    bool free_slot = alive(r) + ended(r) < r->slots;
    return ended(r) > 0 || (free_slot && !r->drained && !r->stopping) ||
           (r->remarks > 0 && now - r->committed_s > commit_every_s);
}

/* ---- the loop ---- */

static void wait_for_something(struct runner *r, struct pollfd *fds)
{
    nfds_t n = 0;
    fds[n++] = (struct pollfd){.fd = stop_wake_fd(), .events = POLLIN};
    for (int i = 0; i < r->slots; i++) {
        const struct process *p = &r->slot[i].process;
        if (p->pid <= 0)
            continue;
        if (p->message_fd >= 0)
            fds[n++] = (struct pollfd){.fd = p->message_fd, .events = POLLIN};
        if (p->error_fd >= 0)
            fds[n++] = (struct pollfd){.fd = p->error_fd, .events = POLLIN};
    }
    int timeout_ms = r->retry_s > 0 ? (int)(busy_retry_s * 1000) : 200;
    if (poll(fds, n, timeout_ms) > 0 && fds[0].revents)
        stop_drain();
}

/* Runs until nothing is left, or everything has stopped. Returns the signal that killed it (the
 * second request to stop), or 0. */
static int loop(struct runner *r)
{
    struct pollfd *fds = calloc(2 * (size_t)r->slots + 1, sizeof *fds);
    if (!fds) {
        stop_for(r, STATUS_NO_MEMORY, "out of memory");
        return 0;
    }
    struct message m;
    while (!(alive(r) == 0 && ended(r) == 0 && (r->drained || r->stopping))) {
        if (commit_is_due(r)) {
            enum status s = commit(r, &m);
            if (s != STATUS_OK) {
                stop_for(r, s, m.text);
                if (alive(r) == 0)
                    break; /* what is not committed lies durable in the folder: recovered later */
                r->retry_s = now_s() + 1;
            }
            continue;
        }
        wait_for_something(r, fds);
        listen_to_workers(r);
        progress_draw(r->view, now_s());
        if (stop_requests() == 1 && !r->stopping) {
            say(r, "%s: stopping; running trials save a checkpoint (again to stop at once)",
                strsignal(stop_signal()));
            stop(r);
        }
        if (stop_requests() > 1)
            break;
    }
    free(fds);
    int killed = stop_requests() > 1 && (alive(r) > 0 || ended(r) > 0) ? stop_signal() : 0;
    if (killed)
        signal_workers(r, SIGKILL);
    return killed;
}

/* ---- before and after ---- */

/* The kernels that the workers will use; forced where OpenBLAS would choose poorer ones than the CPU
 * has and nobody chose them on purpose. */
static void choose_core_type(struct runner *r, struct build_info *b)
{
    if (!blas_below_cpu())
        return;
    const char *chosen = getenv("OPENBLAS_CORETYPE");
    if (chosen && *chosen) {
        say(r, "OPENBLAS_CORETYPE=%s keeps OpenBLAS from using this CPU's AVX-512: matrix products "
               "take about twice as long (unset it to use them)",
            chosen);
        return;
    }
    snprintf(r->core_type, sizeof r->core_type, "SkylakeX");
    b->core_type = r->core_type;
    say(r, "this OpenBLAS does not know this CPU; workers run with OPENBLAS_CORETYPE=%s to use its "
           "AVX-512",
        r->core_type);
}

static enum status prepare(struct runner *r, const struct runner_options *o, struct message *m)
{
    struct build_info b = build_info();
    choose_core_type(r, &b);
    b.threads = 1;
    enum status s = store_build(r->store, &b, &r->build_id, m);
    if (s != STATUS_OK)
        return s;
    snprintf(r->job.build, sizeof r->job.build, "%s %s %s %s %s", b.commit, b.compiler, b.openblas,
             b.core_type, b.kernels);
    char *folder = realpath(store_folder(r->store), NULL);
    if (!folder || strlen(folder) >= sizeof r->job.folder) {
        s = fail(m, STATUS_IO, "%s: %s", store_folder(r->store), strerror(errno));
    } else {
        const char *every = getenv("HEADCOUNT_CHECKPOINT_S");
        memcpy(r->job.folder, folder, strlen(folder) + 1);
        r->job.parent = getpid();
        r->job.checkpoint_s = every ? strtod(every, NULL) : 10;
        r->job.memory = plan_config(r->plan)->limit_memory;
        r->job.time_s = plan_config(r->plan)->limit_time_s;
        r->job.by_loss = strcmp(plan_config(r->plan)->metric, "val_loss") == 0;
    }
    free(folder);
    struct plan_changes changes = {0};
    if (s == STATUS_OK)
        s = store_plan(r->store, r->plan, o->replace, false, &changes, m);
    r->sweep_id = changes.sweep_id;
    struct recovered recovered = {0};
    if (s == STATUS_OK)
        s = recover_trials(r->store, &recovered, m);
    if (recovered.finished + recovered.requeued > 0)
        say(r, "recovered from a run that was cut off: %d finished trials taken in, %d go on from "
               "their checkpoints",
            recovered.finished, recovered.requeued);
    long retried = 0;
    if (s == STATUS_OK && o->retry_failed)
        s = store_retry_failed(r->store, r->sweep_id, &retried, m);
    if (retried > 0)
        say(r, "%ld failed trials are tried again", retried);
    return s;
}

static int slots_for(const struct plan *p, int wanted)
{
    int64_t slots = wanted > 0 ? wanted : plan_config(p)->workers;
    if (slots <= 0)
        slots = cores_usable();
    return (int)(slots < plan_trials(p) ? slots : plan_trials(p));
}

static enum status make_slots(struct runner *r, struct message *m)
{
    r->slot = calloc((size_t)r->slots, sizeof *r->slot);
    r->claim = calloc((size_t)r->slots, sizeof *r->claim);
    r->environment = process_environment(r->core_type[0] ? r->core_type : NULL);
    if (!r->slot || !r->claim || !r->environment)
        return fail(m, STATUS_NO_MEMORY, "out of memory for %d workers", r->slots);
    return STATUS_OK;
}

static enum status run_opened(struct runner *r, const struct runner_options *o,
                              struct runner_result *result, struct message *m)
{
    struct progress p;
    enum status s = prepare(r, o, m);
    if (s == STATUS_OK)
        s = make_slots(r, m);
    if (s != STATUS_OK)
        return s;
    result->sweep_id = r->sweep_id;
    store_set_patience(r->store, loop_patience_ms);
    double work;
    if (store_work_left(r->store, r->sweep_id, &work, m) == STATUS_OK)
        progress_work_left(r->view, work);
    r->committed_s = now_s();
    show_counts(r);
    int killed = loop(r);
    result->ran = r->ran;
    result->signal = stop_requests() ? stop_signal() : 0;
    for (int i = 0; i < r->slots; i++)
        slot_clear(&r->slot[i]);
    if (killed) {
        result->outcome = RUNNER_KILLED;
        return STATUS_OK;
    }
    if (r->error != STATUS_OK) {
        *m = r->why;
        return r->error;
    }
    s = store_progress(r->store, r->sweep_id, &p, m);
    if (s != STATUS_OK)
        return s;
    result->outcome = p.queued + p.running > 0   ? RUNNER_STOPPED
                      : p.failed + p.diverged > 0 ? RUNNER_SOME_FAILED
                                                  : RUNNER_DONE;
    return STATUS_OK;
}

/* Before anything runs there is time: a reader that keeps the file from changing its journal, or a
 * writer at work, is waited for. */
static enum status open_patiently(struct runner *r, const char *db, struct message *m)
{
    double start = now_s();
    bool said = false;
    enum status s;
    while ((s = store_open(db, STORE_WRITE, &r->store, m)) == STATUS_BUSY &&
           now_s() - start < busy_note_s && stop_requests() == 0) {
        if (!said && now_s() - start > 1)
            say(r, "waiting for another program that has a lock on %s", db);
        said = said || now_s() - start > 1;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    if (s == STATUS_OK)
        store_set_patience(r->store, (int)(busy_note_s * 1000));
    return s;
}

enum status runner_run(const struct plan *p, const struct runner_options *o,
                       struct runner_result *result, struct message *m)
{
    struct runner r = {.plan = p, .slots = slots_for(p, o->workers)};
    int lock = -1;
    memset(result, 0, sizeof *result);
    enum status s = lock_take(o->db, &lock, m);
    if (s != STATUS_OK)
        return s;
    s = stop_install(m);
    r.view = progress_new(stderr, o->quiet, plan_trials(p), r.slots);
    if (s == STATUS_OK)
        s = open_patiently(&r, o->db, m);
    if (s == STATUS_OK)
        s = run_opened(&r, o, result, m);
    progress_finish(r.view);
    if (r.store) {
        struct message closing;
        enum status closed = store_close(r.store, &closing);
        if (closed != STATUS_OK && s == STATUS_OK) {
            *m = closing;
            s = closed;
        }
    }
    stop_restore();
    for (int i = 0; i < r.remarks; i++)
        free(r.remark[i].text);
    free(r.remark);
    free(r.slot);
    free(r.claim);
    free(r.environment);
    lock_release(lock);
    return s;
}
