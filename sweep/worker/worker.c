#include "sweep/worker/worker.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/encoder_cost.h"
#include "engine/kernels/blas.h"
#include "sweep/db/lock.h"
#include "sweep/worker/trial.h"
#include "sweep/worker/trial_files.h"
#include "sweep/worker/worker_ends.h"

enum { MIB = 1 << 20 };

static atomic_bool stop_asked, cpu_used_up;

static void on_stop(int signal_number)
{
    if (signal_number == SIGXCPU)
        cpu_used_up = true;
    else
        stop_asked = true;
}

struct worker {
    struct job job;
    struct trial *trial;
    int checkpoint;              /* 0 or 1: the one to write next */
    int64_t saved;               /* checkpoints written by this attempt */
    char origin[TRIAL_PATH_MAX]; /* path of the checkpoint it went on from; "": none */
    double checkpointed_s, looked_s;
};

static void set_signals(void)
{
    struct sigaction action = {.sa_handler = on_stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGXCPU, &action, NULL);
}

/* Held until the process ends, however it ends: how a coordinator that comes later knows whether
 * this attempt still lives. */
static enum status take_lock(const struct job *j, struct message *m)
{
    char path[TRIAL_PATH_MAX];
    trial_file_path(j->folder, j->trial, j->attempt, TRIAL_FILE_LOCK, path, sizeof path);
    int held;
    return lock_hold(path, &held, m);
}

static void checkpoint_path(const struct job *j, int64_t attempt, int which, char *path,
                            size_t size)
{
    trial_file_path(j->folder, j->trial, attempt,
                    which ? TRIAL_FILE_CHECKPOINT_1 : TRIAL_FILE_CHECKPOINT_0, path, size);
}

static void note(const char *text)
{
    worker_tell(WIRE_NOTE, text, strlen(text));
}

static void send_progress(struct worker *w, enum wire_type type)
{
    const struct trainer *t = w->trial->trainer;
    const struct curve_row *best = trial_best(w->trial);
    struct wire_progress p = {
        .step = t->step,
        .steps = w->trial->point.train.steps,
        .loss = t->loss_count ? t->loss_sum / (double)t->loss_count : NAN,
        .acc = t->target_sum ? (double)t->correct_sum / (double)t->target_sum : NAN,
        .value = best ? metric_value(w->job.metric, best->val_acc, best->val_loss) : NAN,
        .elapsed_s = trial_elapsed_s(w->trial),
    };
    worker_tell(type, &p, sizeof p);
}

static int threads_max = 1;

/* A further thread must not be what takes the trial over limits.memory. */
static void limit_threads(const struct job *j, const struct point *p)
{
    struct encoder_io io;
    struct task_shape shape;
    threads_max = TEAM_MAX;
    if (j->memory == 0 || point_check(p, &io, &shape, NULL, NULL) != STATUS_OK)
        return;
    double left = (double)j->memory - point_memory(p, &io, &shape);
    double threads = 1 + left / encoder_thread_memory(&p->model, &io, (long)p->train.batch);
    threads_max = threads < 1 ? 1 : threads < TEAM_MAX ? (int)threads : TEAM_MAX;
}

static int threads_now(void)
{
    int granted = worker_threads();
    return granted < threads_max ? granted : threads_max;
}

/* The trial at step 0. */
static enum status new_trial(struct arena *a, struct worker *w, const struct point *p,
                             struct message *m)
{
    const struct job *j = &w->job;
    enum status s = trial_new(a, p, j->seed, j->metric, &j->data, &w->trial, m);
    if (s == STATUS_OK) {
        const char *hashed = data_hashed(w->trial->data);
        w->trial->trainer->threads_now = threads_now;
        if (hashed[0])
            worker_tell(WIRE_HASHED, hashed, strlen(hashed));
    }
    return s == STATUS_OK && w->job.measure ? trial_measure(a, w->trial, m) : s;
}

/* Goes on from the newest checkpoint that can be read; damaged ones are passed over with a note.
 * Leaves the trial at step 0 where there is none. */
static enum status resume(struct arena *a, struct worker *w, struct message *m)
{
    char path[TRIAL_PATH_MAX];
    bool damaged = false, other_build = false;
    int64_t step = INT64_MAX;
    while ((step = trial_files_newest(w->job.folder, w->job.trial, w->job.attempt - 1, step, path,
                                      sizeof path, &damaged)) >= 0) {
        enum status s = trial_resume(w->trial, path, w->job.build, &other_build, m);
        if (s == STATUS_OK) {
            snprintf(w->origin, sizeof w->origin, "%s", path);
            break;
        }
        if (s != STATUS_CORRUPT)
            return s;
        damaged = true;
        struct point p = w->trial->point;
        trial_close(w->trial);
        arena_free(a);
        s = new_trial(a, w, &p, m);
        if (s != STATUS_OK)
            return s;
    }
    if (damaged)
        note(step >= 0 ? "a damaged checkpoint was ignored; an older one is used"
                       : "no checkpoint can be read; the trial starts again from step 0");
    if (other_build)
        note("resumed from a checkpoint of another build or other BLAS kernels: the last bits may "
             "differ from an uninterrupted run");
    return STATUS_OK;
}

/* Removes earlier checkpoints, so that two are left: this attempt's first one and the one that it
 * resumed from; after its second, its own two. */
static void remove_earlier(const struct worker *w)
{
    trial_files_remove_checkpoints(w->job.folder, w->job.trial, w->job.attempt - 1,
                                   w->saved > 1 ? NULL : w->origin);
}

static enum status save(struct worker *w, struct message *m)
{
    char path[TRIAL_PATH_MAX];
    checkpoint_path(&w->job, w->job.attempt, w->checkpoint, path, sizeof path);
    enum status s = trial_save(w->trial, path, w->job.build, m);
    if (s == STATUS_OK) {
        w->checkpoint = !w->checkpoint;
        if (++w->saved <= 2)
            remove_earlier(w);
    }
    w->checkpointed_s = clock_now_s();
    return s;
}

static int64_t resident_bytes(void)
{
    long size, resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f)
        return 0;
    if (fscanf(f, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    fclose(f);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

static int exit_of(enum status s)
{
    switch (s) {
    case STATUS_DISK_FULL:
        return WORKER_DISK_FULL;
    case STATUS_IO:
    case STATUS_CORRUPT: /* of checkpoints it is no end: an older one is used, or none */
        return WORKER_STORAGE;
    default:
        return WORKER_FAILED;
    }
}

/* A trial that is over a limit saves its step, to go on from there when the limit is higher. */
static int check_limits(struct worker *w, struct message *m)
{
    int64_t step = w->trial->trainer->step, resident = w->job.memory ? resident_bytes() : 0;
    bool over_time = w->job.time_s > 0 && trial_cpu_s(w->trial) >= w->job.time_s;
    if (!over_time && !cpu_used_up && resident <= w->job.memory)
        return -1;
    enum status s = save(w, m);
    if (s != STATUS_OK)
        return exit_of(s);
    if (over_time) {
        status_fail(m, STATUS_BAD_INPUT,
                    "stopped at step %" PRId64 " by limits.time: %g s of CPU time is used up", step,
                    w->job.time_s);
        return WORKER_OVER_TIME;
    }
    if (cpu_used_up) {
        status_fail(m, STATUS_BAD_INPUT,
                    "stopped at step %" PRId64 ": the CPU time that `ulimit -t` allows is used up",
                    step);
        return WORKER_OVER_CPU;
    }
    status_fail(m, STATUS_BAD_INPUT,
                "stopped at step %" PRId64 " by limits.memory: %" PRId64
                " MiB are resident, %" PRId64 " MiB allowed",
                step, (resident + MIB - 1) / MIB, w->job.memory / MIB);
    return WORKER_OVER_MEMORY;
}

/* What is due between two steps, mostly a few times a second at most. Returns the exit status of a
 * worker that must end now, or -1. */
static int between_steps(struct worker *w, struct message *m)
{
    double now = clock_now_s();
    if (stop_asked) {
        enum status s = save(w, m);
        if (s != STATUS_OK)
            return exit_of(s);
        send_progress(w, WIRE_STOPPED);
        return WORKER_STOPPED;
    }
    if (cpu_used_up || now - w->looked_s >= 0.2) {
        w->looked_s = now;
        send_progress(w, WIRE_PROGRESS);
        if (worker_is_alone()) {
            status_fail(m, STATUS_IO, "its agent is gone");
            return WORKER_FAILED;
        }
        int over = check_limits(w, m);
        if (over >= 0)
            return over;
    }
    if (now - w->checkpointed_s >= w->job.checkpoint_s) {
        enum status s = save(w, m);
        if (s != STATUS_OK)
            return exit_of(s);
    }
    return -1;
}

/* Says those rows of the curve. */
static enum status send_rows(const struct worker *w, int from, int to, struct message *m)
{
    struct text_buffer text = {0};
    struct json_writer json = {.text = &text};
    json_begin_list(&json, NULL);
    for (int i = from; i < to; i++)
        curve_row_json(&w->trial->curve[i], &json);
    json_end_list(&json);
    enum status s = text.out_of_memory
                        ? status_no_memory(m, "the curve")
                        : wire_send(WIRE_MESSAGE_FD, WIRE_CURVE, text.text, text.used, m);
    free(text.text);
    return s;
}

/* Says all rows so far. */
static enum status send_curve(const struct worker *w, struct message *m)
{
    enum { ROWS = 1000 }; /* to a message */
    int rows = w->trial->result.rows;
    enum status s = STATUS_OK;
    for (int i = 0; i < rows && s == STATUS_OK; i += ROWS)
        s = send_rows(w, i, i + ROWS < rows ? i + ROWS : rows, m);
    return s;
}

/* At its rung, or beyond it where the plan has changed meanwhile. */
static bool at_rung(const struct worker *w)
{
    return w->job.until > 0 && w->trial->trainer->step >= w->job.until;
}

/* Whether it goes on is decided by the curves of its rivals and its own, of which the results file
 * may lack what an attempt that was cut off had said. */
static int pause_at_rung(struct worker *w, struct message *m)
{
    enum status s = save(w, m);
    if (s == STATUS_OK)
        s = send_curve(w, m);
    if (s != STATUS_OK)
        return exit_of(s);
    send_progress(w, WIRE_PAUSED);
    return WORKER_PAUSED;
}

/* Trains to the end, a rung, a stop or a divergence; exit status, or -1 when a result is due. */
static int train(struct worker *w, struct message *m, enum status *s)
{
    while (!trial_done(w->trial)) {
        if (at_rung(w))
            return pause_at_rung(w, m);
        bool evaluated;
        *s = trial_step(w->trial, &evaluated, m);
        if (*s == STATUS_DIVERGED)
            return -1;
        if (*s != STATUS_OK)
            return exit_of(*s);
        if (evaluated) {
            *s = send_rows(w, w->trial->result.rows - 1, w->trial->result.rows, m);
            if (*s != STATUS_OK)
                return WORKER_FAILED;
        }
        bool goes_on = !trial_done(w->trial) && !at_rung(w);
        int exit_status = goes_on ? between_steps(w, m) : -1;
        if (exit_status >= 0)
            return exit_status;
    }
    send_progress(w, WIRE_PROGRESS);
    return -1;
}

static enum status finish(struct worker *w, struct message *m)
{
    if (!w->trial->result.diverged)
        trial_test(w->trial);
    enum status s = data_check(w->trial->data, true, m);
    if (s != STATUS_OK)
        return s;
    char name[TRIAL_NAME_MAX], path[TRIAL_PATH_MAX];
    trial_file_name(w->job.trial, w->job.attempt, TRIAL_FILE_RESULT, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s", w->job.folder, name);
    struct nn *nn = &w->trial->trainer->encoder->nn;
    if (w->trial->has_best)
        memcpy(nn->data, w->trial->best, (size_t)nn->size * sizeof *nn->data);
    s = result_write(path, &w->trial->result, nn, w->job.config, w->job.seed, m);
    if (s == STATUS_OK)
        s = wire_send(WIRE_MESSAGE_FD, WIRE_FINISHED, name, strlen(name), m);
    return s;
}

static enum status prepare(struct arena *a, struct worker *w, struct message *m)
{
    struct point p;
    enum status s = point_parse(w->job.config, &p, m);
    if (s == STATUS_OK)
        s = take_lock(&w->job, m);
    if (s == STATUS_OK)
        limit_threads(&w->job, &p);
    if (s == STATUS_OK)
        s = new_trial(a, w, &p, m);
    if (s == STATUS_OK)
        s = resume(a, w, m);
    return s;
}

static int run(struct arena *a, struct worker *w, struct message *m)
{
    enum status s = prepare(a, w, m);
    if (s != STATUS_OK)
        return exit_of(s);
    w->checkpointed_s = clock_now_s();
    send_progress(w, WIRE_STARTED);
    int exit_status = train(w, m, &s);
    if (exit_status >= 0)
        return exit_status;
    s = finish(w, m);
    return s == STATUS_OK ? WORKER_FINISHED : exit_of(s);
}

/* The model may take what limits.memory leaves beside the program and OpenBLAS. */
static enum status limit_model(const struct worker *w, struct arena *a, struct message *m)
{
    enum status s = blas_start(1, m);
    if (s != STATUS_OK || w->job.memory == 0)
        return s;
    int64_t left = w->job.memory - resident_bytes();
    a->limit = left > 0 ? (size_t)left : 1;
    return STATUS_OK;
}

static int refuse_model(const struct worker *w, const struct arena *a, struct message *m)
{
    struct point p;
    struct encoder_io io;
    struct task_shape shape;
    if (!a->over_limit) {
        status_fail(m, STATUS_NO_MEMORY, "no memory for the model (%zu MiB in use)", a->used >> 20);
        return WORKER_FAILED;
    }
    status_fail(m, STATUS_BAD_INPUT,
                "not started: it would take more than the %" PRId64
                " MiB that limits.memory allows",
                w->job.memory / MIB);
    if (point_parse(w->job.config, &p, NULL) == STATUS_OK &&
        point_check(&p, &io, &shape, NULL, NULL) == STATUS_OK &&
        point_memory(&p, &io, &shape) > (double)w->job.memory)
        status_fail(m, STATUS_BAD_INPUT,
                    "not started: it would take about %.0f MiB, and limits.memory allows %" PRId64
                    " MiB",
                    point_memory(&p, &io, &shape) / MIB, w->job.memory / MIB);
    return WORKER_OVER_MEMORY;
}

/* An arena that runs out of memory, wherever in the engine, comes back here. */
static int run_guarded(struct worker *w, struct message *m)
{
    jmp_buf exhausted;
    static struct arena a;
    arena_init(&a, &exhausted);
    int exit_status = WORKER_FAILED;
    if (setjmp(exhausted) != 0)
        exit_status = refuse_model(w, &a, m);
    else if (limit_model(w, &a, m) == STATUS_OK)
        exit_status = run(&a, w, m);
    arena_free(&a);
    return exit_status;
}

int worker_train(const char *job)
{
    static struct worker w;
    struct message m = {.text = ""};
    set_signals();
    int exit_status = WORKER_FAILED;
    if (wire_job_parse(job, &w.job, &m) == STATUS_OK)
        exit_status = run_guarded(&w, &m);
    if (exit_status != WORKER_FINISHED && exit_status != WORKER_STOPPED &&
        exit_status != WORKER_PAUSED)
        fprintf(stderr, "%s\n", m.text);
    close(WIRE_MESSAGE_FD); /* the last word: whoever waits for the end may lose patience now */
    return exit_status;
}
