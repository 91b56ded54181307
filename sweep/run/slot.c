#include "sweep/run/slot.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/encoder_cost.h"
#include "sweep/db/lock.h"
#include "sweep/worker/result.h"
#include "sweep/worker/worker.h"

void slot_label(int64_t heads, const char *label, uint32_t seed, char text[SLOT_LABEL])
{
    snprintf(text, SLOT_LABEL, "heads=%" PRId64 " %s%sseed=%" PRIu32, heads, label,
             label[0] ? " " : "", seed);
}

void slot_list_add(struct slot_list *l, struct slot *s)
{
    s->next = NULL;
    if (l->last)
        l->last->next = s;
    else
        l->first = s;
    l->last = s;
    l->count++;
}

struct slot *slot_list_take(struct slot_list *l)
{
    struct slot *s = l->first;
    if (!s)
        return NULL;
    l->first = s->next;
    if (!l->first)
        l->last = NULL;
    l->count--;
    s->next = NULL;
    return s;
}

void slot_list_remove(struct slot_list *l, int machine)
{
    struct slot_list others = {0};
    for (struct slot *s; (s = slot_list_take(l));)
        if (s->machine != machine)
            slot_list_add(&others, s);
    *l = others;
}

/* What s held before is not looked at. */
static void make_free(struct slot *s, int index, int machine, int lane, struct host *host)
{
    *s = (struct slot){.index = index, .machine = machine, .lane = lane, .host = host};
}

struct slot *slots_new(int n, int index, int machine, struct host *host)
{
    struct slot *slots = calloc((size_t)n, sizeof *slots);
    for (int i = 0; slots && i < n; i++)
        make_free(&slots[i], index + i, machine, i, host);
    return slots;
}

void slots_free(struct slot *slots, int n)
{
    for (int i = 0; i < n; i++)
        slot_clear(&slots[i]);
    free(slots);
}

const char *slot_error(const struct slot *s)
{
    return s->error.text ? s->error.text : "";
}

static void set_error(struct slot *s, const char *why)
{
    s->error.used = 0;
    text_add(&s->error, "%s", why);
}

/* What we say of its end, behind what it said itself: in a line of its own where that was several.
 */
static void add_reason(struct slot *s, const char *why)
{
    const char *between = strchr(slot_error(s), '\n') ? "\n" : "; ";
    text_add(&s->error, "%s%s", slot_error(s)[0] ? between : "", why);
}

/* What the file is to know of its end. */
static void end_with_error(struct slot *s)
{
    s->end.error = slot_error(s)[0] ? slot_error(s) : NULL;
}

/* With the job as text. */
static enum status start_worker(struct slot *s, const struct job *job, struct message *m)
{
    char *text = malloc(WIRE_JOB_MAX);
    enum status status = STATUS_OK;
    if (!text)
        return status_no_memory(m, "a worker's job");
    int length = wire_job_format(job, text, WIRE_JOB_MAX);
    if (length < 0)
        status = status_fail(m, STATUS_BAD_INPUT,
                             "the name of the results folder %s cannot be used", job->folder);
    else
        host_start(s->host, s->lane, text, (size_t)length);
    free(text);
    return status;
}

void slot_take(struct slot *s, const struct claimed *c, struct progress_view *v)
{
    s->phase = SLOT_RUNS;
    s->trial_id = c->trial_id;
    s->attempt = c->attempt;
    s->until = c->until;
    s->n_params = c->n_params;
    s->resumed_from_step = c->resumed_from_step;
    s->seed = c->seed;
    s->tuning = c->tuning;
    memcpy(s->config_sha256, c->config_sha256, sizeof s->config_sha256);
    trial_file_name(c->trial_id, c->attempt, TRIAL_FILE_RESULT, s->file, sizeof s->file);
    s->step = c->resumed_from_step;
    s->value = NAN;
    slot_label(c->heads, c->label, c->seed, s->label);
    const struct progress_trial shown = {.trial_id = c->trial_id, .label = s->label};
    progress_trial_started(v, s->index, &shown);
}

enum status slot_start(struct slot *s, const struct claimed *c, struct job *job, struct message *m)
{
    job->trial = c->trial_id;
    job->attempt = c->attempt;
    job->seed = c->seed;
    job->until = c->until;
    snprintf(job->config, sizeof job->config, "%s", c->config_json);
    enum status status = start_worker(s, job, m);
    if (status != STATUS_OK)
        slot_unstarted(s, m->text);
    s->threads = 1;
    return status;
}

void slot_unstarted(struct slot *s, const char *why)
{
    s->ending = ENDING_REQUEUE;
    s->phase = SLOT_ENDED;
    set_error(s, why);
    end_with_error(s);
    s->end.unseen = true;
    s->end.step = s->resumed_from_step;
}

static void take_message(struct slot *s, struct progress_view *v, const struct wire_frame *f)
{
    struct wire_progress p;
    switch (f->type) {
    case WIRE_STARTED:
    case WIRE_PROGRESS:
    case WIRE_STOPPED:
    case WIRE_PAUSED:
        memcpy(&p, f->payload, sizeof p);
        s->step = p.step;
        if (!isnan(p.value))
            s->value = p.value;
        progress_update(v, s->index, p.step, p.steps, p.loss, p.acc);
        if (s->said != SLOT_FINISHED)
            s->said = f->type == WIRE_PAUSED && s->until > 0 && p.step >= s->until ? SLOT_PAUSED
                                                                                   : SLOT_TRAINS;
        break;
    case WIRE_FINISHED:
        s->said = SLOT_FINISHED;
        break;
    default:
        break;
    }
}

void slot_hear(struct slot *s, struct progress_view *v, const struct wire_frame *f,
               slot_listener listen, void *context)
{
    char note[SLOT_NOTE_SIZE];
    take_message(s, v, f);
    if (f->type == WIRE_CURVE || f->type == WIRE_HASHED)
        listen(context, s, f->type, f->payload);
    else if (f->type == WIRE_NOTE && ++s->notes <= SLOT_NOTES_MAX)
        listen(context, s, WIRE_NOTE, text_shown(f->payload, note, sizeof note));
}

void slot_count_notes(const struct slot *s, slot_listener listen, void *context)
{
    char note[80];
    int64_t more = s->notes - SLOT_NOTES_MAX;
    snprintf(note, sizeof note, "%" PRId64 " more note%s of its worker %s left out", more,
             text_plural(more), more == 1 ? "was" : "were");
    if (more > 0)
        listen(context, s, WIRE_NOTE, note);
}

void slot_set_threads(struct slot *s, int threads)
{
    if (s->threads == 0 || s->threads == threads)
        return;
    s->threads = threads;
    host_set_threads(s->host, s->lane, threads);
}

void slot_stop(struct slot *s)
{
    host_stop(s->host, s->lane);
}

void slot_kill(struct slot *s)
{
    host_kill(s->host, s->lane);
}

/* Reads the durable result. */
static enum ending take_result(struct slot *s, const char *folder)
{
    char path[TRIAL_PATH_MAX];
    struct result_file f;
    struct message m;
    snprintf(path, sizeof path, "%s/%s", folder, s->file);
    struct result_owner owner = {s->config_sha256, s->seed, s->n_params};
    enum status status = result_open(path, &owner, &f, &m);
    if (status == STATUS_OK) {
        s->result = strdup(f.trial_json);
        s->state = f.state;
        memcpy(s->sha256, f.sha256, sizeof s->sha256);
        result_close(&f);
        if (s->result)
            return ENDING_FINISH;
        status = status_no_memory(&m, path);
    }
    add_reason(s, m.text);
    return status == STATUS_CORRUPT ? ENDING_FAIL : ENDING_STORAGE;
}

/* A crash is the trial's own doing and would come again; other signals come from outside. */
static bool is_crash(int signal_number)
{
    return signal_number == SIGSEGV || signal_number == SIGBUS || signal_number == SIGFPE ||
           signal_number == SIGILL || signal_number == SIGABRT || signal_number == SIGSYS;
}

/* Of a worker that a signal ended. One that hangs would hang again; one that is late at a stop had
 * work that takes long. */
static enum ending judge_signal(struct slot *s)
{
    int signal_number = s->end.signal;
    char why[80];
    if (s->killed[0]) {
        add_reason(s, s->killed);
        return s->killed_for == WATCH_HUNG ? ENDING_FAIL : ENDING_REQUEUE;
    }
    snprintf(why, sizeof why, "%s (%s)",
             is_crash(signal_number) ? "crashed" : "killed from outside", strsignal(signal_number));
    add_reason(s, why);
    return is_crash(signal_number) ? ENDING_FAIL : ENDING_REQUEUE;
}

static enum ending judge(struct slot *s, const char *folder)
{
    /* However the process went down after it had said so. Without its word, a file that is there
     * all the same may not survive a power failure. */
    if (s->said == SLOT_FINISHED)
        return take_result(s, folder);
    if (s->said == SLOT_PAUSED)
        return ENDING_PAUSE;
    if (s->end.signal != 0)
        return judge_signal(s);
    if (s->end.exit_code == WORKER_STOPPED)
        return ENDING_REQUEUE;
    if (s->end.exit_code == WORKER_OVER_TIME || s->end.exit_code == WORKER_OVER_MEMORY ||
        s->end.exit_code == WORKER_OVER_CPU)
        return ENDING_GIVE_UP;
    if (s->end.exit_code == WORKER_DISK_FULL)
        return ENDING_DISK_FULL;
    if (s->end.exit_code == WORKER_STORAGE)
        return ENDING_STORAGE;
    if (!slot_error(s)[0])
        text_add(&s->error, "the worker ended with status %d without a message", s->end.exit_code);
    return ENDING_FAIL;
}

/* Where the trial goes on: a worker that was asked to stop, or was over a limit, has saved its
 * step; for one that was killed, the files say. */
static int64_t saved_step(const struct slot *s, const char *folder)
{
    char path[TRIAL_PATH_MAX];
    bool damaged = false;
    if (s->ending == ENDING_FINISH || (s->ending == ENDING_FAIL && !s->killed[0]))
        return 0;
    if (s->said == SLOT_PAUSED || s->end.exit_code == WORKER_STOPPED || s->ending == ENDING_GIVE_UP)
        return s->step;
    int64_t step =
        trial_files_newest(folder, s->trial_id, s->attempt, INT64_MAX, path, sizeof path, &damaged);
    return step > 0 ? step : 0;
}

void slot_ended(struct slot *s, const char *folder, const struct worker_end *e)
{
    if (e->unstarted) {
        slot_unstarted(s, e->error);
        return;
    }
    s->end = (struct attempt_end){.exit_code = e->exit_code,
                                  .signal = e->signal,
                                  .cpu_s = e->cpu_s,
                                  .max_rss_kib = e->max_rss_kib};
    s->killed_for = e->killed_for;
    snprintf(s->killed, sizeof s->killed, "%s", e->killed);
    if (s->end.signal != 0)
        trial_files_remove_unfinished(folder, s->trial_id, s->attempt);
    set_error(s, e->error);
    s->ending = judge(s, folder);
    s->phase = SLOT_ENDED;
    s->end.limit_hit = s->ending == ENDING_GIVE_UP;
    s->end.cause = s->end.exit_code == WORKER_STOPPED ? CAUSE_STOPPED : CAUSE_LOST;
    s->end.step = saved_step(s, folder);
    end_with_error(s);
}

void slot_lost(struct slot *s, const char *folder, const char *why)
{
    char path[TRIAL_PATH_MAX];
    s->end = (struct attempt_end){.unseen = true};
    trial_file_path(folder, s->trial_id, s->attempt, TRIAL_FILE_LOCK, path, sizeof path);
    if (!lock_is_held(path))
        trial_files_remove_unfinished(folder, s->trial_id, s->attempt);
    snprintf(path, sizeof path, "%s/%s", folder, s->file);
    bool said = s->said == SLOT_FINISHED;
    /* It may have come no further than its rename. */
    bool there = said || (access(path, F_OK) == 0 && file_sync_folder(path, NULL) == STATUS_OK);
    s->ending = there ? take_result(s, folder) : ENDING_NONE;
    if (s->ending == ENDING_NONE || (!said && s->ending != ENDING_FINISH))
        s->ending = s->said == SLOT_PAUSED ? ENDING_PAUSE : ENDING_REQUEUE;
    s->phase = SLOT_ENDED;
    if (s->ending == ENDING_REQUEUE)
        set_error(s, why);
    s->end.step = saved_step(s, folder);
    end_with_error(s);
}

void slot_requeue(struct slot *s, const char *folder)
{
    s->ending = ENDING_REQUEUE;
    s->end.limit_hit = false;
    s->end.step = saved_step(s, folder);
}

void slot_fail(struct slot *s, const char *why)
{
    s->ending = ENDING_FAIL;
    s->end.step = 0;
    set_error(s, why);
    end_with_error(s);
}

void slot_give_up(struct slot *s, const char *why, bool limit_hit)
{
    s->ending = ENDING_GIVE_UP;
    s->end.limit_hit = limit_hit;
    set_error(s, why);
    end_with_error(s);
}

void slot_clear(struct slot *s)
{
    free(s->result);
    free(s->error.text);
    make_free(s, s->index, s->machine, s->lane, s->host);
}
