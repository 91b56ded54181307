#include "sweep/run/runner_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double commit_every_s = 1.0, busy_retry_s = 0.1;
/* When a lock of another program is spoken of: while trials run, and when all wait for it. */
static const double busy_note_s = 30, busy_note_idle_s = 2;

static enum status put_ending(struct runner *r, struct slot *s, bool *failed, bool *accepted,
                              struct message *m)
{
    const struct claimed *c = &s->claim;
    enum status status;
    int64_t retries;
    switch (s->ending) {
    case ENDING_FINISH:
        status = store_finish(r->store, c->trial_id, c->attempt, s->result, s->file, s->sha256,
                              &s->end, accepted, m);
        if (status != STATUS_CORRUPT)
            return status;
        slot_fail(s,
                  m->text); /* this trial's result cannot be; the others are not to wait for it */
        return put_ending(r, s, failed, accepted, m);
    case ENDING_PAUSE:
        return store_pause(r->store, c->trial_id, c->attempt, &s->end, accepted, m);
    case ENDING_FAIL:
    case ENDING_LIMIT: /* without a retry: what is over its limit would be so again */
        retries = s->ending == ENDING_FAIL ? plan_config(r->plan)->retries : 0;
        return store_fail(r->store, c->trial_id, c->attempt, retries, &s->end, failed, accepted, m);
    case ENDING_REQUEUE:
    case ENDING_FULL:
    case ENDING_STORAGE:
        return store_requeue(r->store, c->trial_id, c->attempt, &s->end, accepted, m);
    case ENDING_NONE:
        break;
    }
    return STATUS_OK;
}

struct outcome { /* of one slot's ending, valid once the transaction is committed */
    bool failed, accepted;
};

/* Says the lines, and forgets them. */
static void say_lines(struct runner *r, struct text_buffer *lines)
{
    for (char *rest, *line = lines->text ? strtok_r(lines->text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        runner_say(r, "%s", line);
    free(lines->text);
    *lines = (struct text_buffer){0};
}

enum status runner_judge_looks(struct runner *r, struct message *m)
{
    struct text_buffer said = {0};
    enum status s = store_begin(r->store, m);
    if (s == STATUS_OK)
        s = looks_judge(r->store, r->plan, r->sweep_id, &said, m);
    if (s == STATUS_OK)
        s = store_commit(r->store, m);
    else
        store_rollback(r->store);
    if (s == STATUS_OK)
        say_lines(r, &said);
    free(said.text);
    return s;
}

/* looks: what looks came to in it, to be said once it is committed. */
static enum status put_all(struct runner *r, struct outcome *outcome, struct text_buffer *looks,
                           struct message *m)
{
    enum status s = store_begin(r->store, m);
    for (int i = 0; i < r->remarks && s == STATUS_OK; i++) {
        const struct remark *k = &r->remark[i];
        s = k->is_note ? store_note(r->store, k->trial, k->attempt, k->text, m)
                       : store_curve(r->store, k->trial, k->attempt, k->text, m);
    }
    for (int i = 0; i < r->slots && s == STATUS_OK; i++) {
        struct slot *slot = &r->slot[i];
        if (slot->busy && slot->pid > 0 && !slot->pid_recorded)
            s = store_spawned(r->store, slot->claim.trial_id, slot->claim.attempt, slot->pid, m);
        if (slot->busy && slot->ending != ENDING_NONE && s == STATUS_OK)
            s = put_ending(r, slot, &outcome[i].failed, &outcome[i].accepted, m);
    }
    if (s == STATUS_OK && runner_ended(r) > 0)
        s = looks_judge(r->store, r->plan, r->sweep_id, looks, m);
    r->claims = 0;
    int free_slots = r->stopping ? 0 : r->slots - runner_alive(r);
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

void runner_remove_losers(struct runner *r, int64_t trial_id)
{
    struct loser *list;
    int count;
    if (plan_config(r->plan)->rung_eta == 0)
        return;
    if (store_losers(r->store, r->sweep_id, trial_id, &list, &count, NULL) != STATUS_OK)
        return;
    for (int i = 0; i < count; i++)
        trial_files_remove(r->job.folder, list[i].trial_id, list[i].attempt, false);
    free(list);
}

static void close_ending(struct runner *r, int i, const struct outcome *o)
{
    struct slot *s = &r->slot[i];
    enum trial_state state = TRIAL_QUEUED;
    bool fails = s->ending == ENDING_FAIL || s->ending == ENDING_LIMIT;
    if (!o->accepted)
        runner_say(r, "trial %" PRId64 ": a late report of attempt %" PRId64 " was ignored",
                   s->claim.trial_id, s->claim.attempt);
    else if (s->ending == ENDING_FINISH)
        state = s->state;
    else if (fails && o->failed)
        state = TRIAL_FAILED;

    if (o->accepted && fails)
        runner_say(r, "trial %" PRId64 " (%s) failed%s: %s", s->claim.trial_id, s->label,
                   o->failed ? "" : " and will be tried again", s->error);
    else if (o->accepted && state == TRIAL_QUEUED && s->ending != ENDING_PAUSE && !r->stopping)
        runner_say(r, "trial %" PRId64 " (%s) was lost at step %" PRId64 ": %s; it will resume",
                   s->claim.trial_id, s->label, s->step, s->error);
    if (o->accepted && (s->ending == ENDING_FINISH || (o->failed && s->ending == ENDING_FAIL)))
        trial_files_remove(r->job.folder, s->claim.trial_id, s->claim.attempt,
                           s->ending == ENDING_FINISH);
    if (o->accepted && s->claim.tuning)
        runner_remove_losers(r, s->claim.trial_id);
    if (o->accepted && s->ending == ENDING_PAUSE)
        progress_trial_paused(r->view, i, s->step, s->value);
    else
        progress_trial_ended(r->view, i, state, s->value);
    slot_clear(s);
}

/* The worker reports damaged checkpoints; only the coordinator can know that there are none. */
static void note_vanished(struct runner *r, const struct slot *s)
{
    char path[TRIAL_PATH_MAX];
    bool damaged = false;
    if (s->claim.resumed_from_step > 0 &&
        trial_files_newest(r->job.folder, s->claim.trial_id, s->claim.attempt, INT64_MAX, path,
                           sizeof path, &damaged) < 0 &&
        !damaged)
        runner_hear(r, s, WIRE_NOTE, "its checkpoint is gone; the trial starts again from step 0");
}

/* With the file that it learns from, if there is one. */
static enum status start_slot(struct runner *r, struct slot *s, struct message *m)
{
    enum status status = store_config_data(r->store, s->claim.config_sha256, &r->job.data, m);
    if (status == STATUS_OK)
        return slot_start(s, &r->job, r->environment, m);
    slot_unstarted(s, m->text);
    return status;
}

static void start_claims(struct runner *r)
{
    for (int k = 0; k < r->claims; k++) {
        int i = 0;
        while (r->slot[i].busy)
            i++;
        struct message m;
        struct slot *slot = &r->slot[i];
        double work = r->forecast ? forecast_trial_s(r->forecast, r->claim[k].config_sha256) : 1;
        slot_take(slot, i, &r->claim[k], work, r->view);
        enum status s = start_slot(r, slot, &m);
        if (s == STATUS_OK) {
            r->ran = r->pids_due = true;
            note_vanished(r, slot);
        } else if (s != STATUS_BUSY) { /* which the next claim may not meet any more */
            runner_stop_for(r, s, m.text);
        }
        if (s == STATUS_OK && r->stopping) /* the one before could not be started */
            process_stop(&slot->process);
    }
}

/* What looks at every trial of the sweep is done as often as it takes a twentieth of the time. */
static double due_again(double from_s)
{
    double now_s = clock_now_s();
    return now_s + 19 * (now_s - from_s);
}

void runner_show_left(struct runner *r)
{
    struct forecast *f;
    double from_s = clock_now_s();
    if (!progress_live(r->view) || from_s < r->left_due_s)
        return;
    if (forecast_new(r->plan, r->store, false, NULL, &f, NULL) == STATUS_OK) {
        forecast_free(r->forecast);
        r->forecast = f;
        progress_work_left(r->view, f->left_s.expected);
    }
    r->left_due_s = due_again(from_s);
}

static void show_heads(struct runner *r)
{
    struct head_counts *list;
    int count;
    double from_s = clock_now_s();
    if (!progress_live(r->view) || from_s < r->heads_due_s)
        return;
    if (store_head_counts(r->store, r->sweep_id, &list, &count, NULL) == STATUS_OK)
        progress_heads(r->view, list, count);
    free(list);
    r->heads_due_s = due_again(from_s);
}

void runner_show_counts(struct runner *r)
{
    struct counts c;
    if (store_counts(r->store, r->sweep_id, &c, NULL) == STATUS_OK)
        progress_counts(r->view, c.trials[TRIAL_COMPLETED] + c.trials[TRIAL_PRUNED],
                        c.trials[TRIAL_FAILED] + c.trials[TRIAL_DIVERGED], c.trials[TRIAL_RUNNING],
                        c.trials[TRIAL_QUEUED]);
    show_heads(r);
}

static void after_commit(struct runner *r, const struct outcome *outcome)
{
    int wanted = r->slots - runner_alive(r);
    for (int i = 0; i < r->remarks; i++)
        free(r->remark[i].text);
    r->remarks = 0;
    const struct config *c = plan_config(r->plan);
    bool shorter = false; /* fewer trials may be needed now */
    for (int i = 0; i < r->slots; i++) {
        r->slot[i].pid_recorded = r->slot[i].pid > 0;
        if (r->slot[i].busy && r->slot[i].ending != ENDING_NONE) {
            close_ending(r, i, &outcome[i]);
            shorter = c->rung_eta > 0 || c->looks > 0;
        }
    }
    r->drained = !r->stopping && r->claims < wanted;
    r->committed_s = clock_now_s();
    r->busy_since_s = r->retry_s = 0;
    r->pids_due = false;
    start_claims(r);
    if (shorter)
        runner_show_left(r);
    runner_show_counts(r);
}

/* The file is another program's for now. */
static void note_busy(struct runner *r)
{
    double now = clock_now_s();
    bool idle = runner_alive(r) == 0;
    r->retry_s = now + busy_retry_s;
    if (r->busy_since_s == 0)
        r->busy_since_s = now;
    if (r->busy_since_s < 0 || now - r->busy_since_s < (idle ? busy_note_idle_s : busy_note_s))
        return;
    runner_say(r, "another program has held a lock on the results file for %.0f s; %s",
               now - r->busy_since_s,
               idle ? "waiting for it to write the results"
                    : "training continues, results are kept until the lock is gone");
    r->busy_since_s = -1;
}

enum status runner_commit(struct runner *r, struct message *m)
{
    if (!store_in_place(r->store))
        return status_fail(
            m, STATUS_IO,
            "the results file was removed or replaced during the run; nothing more is written");
    struct outcome *outcome = calloc((size_t)r->slots, sizeof *outcome);
    if (!outcome)
        return status_fail(m, STATUS_NO_MEMORY, "out of memory");
    struct text_buffer looks = {0};
    enum status s = put_all(r, outcome, &looks, m);
    if (s == STATUS_OK) {
        after_commit(r, outcome);
        say_lines(r, &looks);
    } else if (s == STATUS_BUSY) {
        note_busy(r);
        s = STATUS_OK;
    }
    free(looks.text);
    free(outcome);
    return s;
}

bool runner_commit_due(const struct runner *r)
{
    double now = clock_now_s();
    if (now < r->retry_s)
        return false;
    bool free_slot = runner_alive(r) + runner_ended(r) < r->slots;
    return runner_ended(r) > 0 || (free_slot && !r->drained && !r->stopping) ||
           ((r->remarks > 0 || r->pids_due) && now - r->committed_s > commit_every_s);
}
