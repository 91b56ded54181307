#include "sweep/run/runner_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/machine.h"

static const double commit_every_s = 1.0, busy_retry_s = 0.1;
/* When a lock of another program is spoken of: while trials run, and when all wait for it. */
static const double busy_note_s = 30, busy_note_idle_s = 2;

static enum status put_ending(struct runner *r, struct slot *s, struct message *m)
{
    enum status status;
    int64_t retries;
    switch (s->ending) {
    case ENDING_FINISH:
        status = store_finish(r->store, s->trial_id, s->attempt, s->result, s->file, s->sha256,
                              &s->end, &s->accepted, m);
        if (status != STATUS_CORRUPT)
            return status;
        slot_fail(s, m->text); /* its result cannot be; the others are not to wait for it */
        return put_ending(r, s, m);
    case ENDING_PAUSE:
        return store_pause(r->store, s->trial_id, s->attempt, &s->end, &s->accepted, m);
    case ENDING_FAIL:
    case ENDING_GIVE_UP:
        retries = s->ending == ENDING_FAIL ? plan_config(r->plan)->retries : 0;
        return store_fail(r->store, s->trial_id, s->attempt, retries, &s->end, &s->failed,
                          &s->accepted, m);
    case ENDING_REQUEUE:
    case ENDING_DISK_FULL:
    case ENDING_STORAGE:
        return store_requeue(r->store, s->trial_id, s->attempt, &s->end, &s->accepted, m);
    case ENDING_NONE:
        break;
    }
    return STATUS_OK;
}

void runner_say_lines(struct runner *r, struct text_buffer *lines)
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
        s = confirm_judge(r->store, r->plan, r->sweep_id, &said, m);
    if (s == STATUS_OK)
        s = store_commit(r->store, m);
    else
        store_rollback(r->store);
    if (s == STATUS_OK)
        runner_say_lines(r, &said);
    free(said.text);
    return s;
}

/* Rows that are none, from a machine or launcher that garbles what passes through, are left to the
 * result. */
static enum status put_event(struct runner *r, const struct pending_event *k, struct message *m)
{
    enum status s = STATUS_OK;
    switch (k->kind) {
    case PENDING_WARNING:
        return store_add_warning(r->store, k->trial, k->attempt, k->text, m);
    case PENDING_CURVE:
        s = store_curve(r->store, k->trial, k->attempt, k->text, m);
        return s == STATUS_CORRUPT ? STATUS_OK : s;
    case PENDING_SPAWNED:
        return store_spawned(r->store, k->trial, k->attempt, k->pid, m);
    }
    return STATUS_OK;
}

enum found {
    FOUND_ONE,
    FOUND_NOT_HERE, /* nothing that this machine may begin now */
    FOUND_NONE,     /* nothing for any machine */
    FOUND_FULL,     /* one transaction has no more */
    FOUND_FAILED
};

static bool is_full(const struct machine *machine)
{
    return machine->most < machine->slots &&
           runner_running_on(machine) + machine->claims >= machine->most;
}

/* Claims a trial for the slot s, if there is one for its machine. */
static enum found claim_for(struct runner *r, struct slot *s, enum status *status,
                            struct message *m)
{
    struct machine *machine = &r->machine[s->machine];
    machine->passed = machine->passed || machine->isolating || is_full(machine);
    if (machine->passed)
        return FOUND_NOT_HERE;
    if (r->claims == CLAIMS_MAX)
        return FOUND_FULL;
    struct claimed *c = &r->claim[r->claims];
    *status = store_claim(r->store, r->sweep_id, machine->build_id,
                          host_is_here(machine->host) ? NULL : machine->host->spec.name,
                          runner_others_work(r, machine), c, m);
    if (*status != STATUS_OK)
        return FOUND_FAILED;
    machine->passed = c->trial_id == 0;
    if (machine->passed)
        return c->left ? FOUND_NOT_HERE : FOUND_NONE;
    r->claimed_for[r->claims++] = s;
    machine->claims++;
    if (c->attempt > 1 &&
        strikes_of(&r->strikes, c->trial_id, c->resumed_from_step) >= STRIKES_ALONE)
        machine->isolating = s;
    return FOUND_ONE;
}

/* The same for a list of slots, as long as there is something to be found. */
static enum found claim_for_all(struct runner *r, const struct slot_list *l, enum status *status,
                                struct message *m)
{
    enum found found = FOUND_ONE;
    for (struct slot *s = l->first; s && found <= FOUND_NOT_HERE; s = s->next) {
        if (!r->machine[s->machine].works)
            continue;
        found = claim_for(r, s, status, m);
        r->dry = r->dry || found == FOUND_NOT_HERE || found == FOUND_NONE;
    }
    return found;
}

/* For the slots that are free, and then for those that are so once this transaction is committed:
 * the order in which runner.free has them by then. */
static enum status claim_all(struct runner *r, struct message *m)
{
    enum status status = STATUS_OK;
    r->claims = 0;
    r->dry = false;
    for (int k = 0; k < r->machines; k++) {
        r->machine[k].passed = false;
        r->machine[k].claims = 0;
    }
    if (r->stopping)
        return STATUS_OK;
    enum found found = claim_for_all(r, &r->free, &status, m);
    if (found <= FOUND_NOT_HERE)
        found = claim_for_all(r, &r->ended, &status, m);
    if (found == FOUND_FULL)
        r->dry = false;
    return status;
}

/* The transaction was rolled back. */
static void forget_claims(struct runner *r)
{
    for (int k = 0; k < r->claims; k++)
        runner_release_machine(r, r->claimed_for[k]);
    r->claims = 0;
}

/* said: what looks came to in it, what is to be confirmed and which values were added, to be said
 * once it is committed. */
static enum status put_all(struct runner *r, struct text_buffer *said, struct message *m)
{
    int64_t last_added = r->last_added;
    r->claims = 0;
    enum status s = store_begin(r->store, m);
    for (int i = 0; i < r->events && s == STATUS_OK; i++)
        s = put_event(r, &r->event[i], m);
    for (struct slot *slot = r->ended.first; slot && s == STATUS_OK; slot = slot->next)
        s = put_ending(r, slot, m);
    if (s == STATUS_OK && r->ended.count > 0)
        s = looks_judge(r->store, r->plan, r->sweep_id, said, m);
    if (s == STATUS_OK && r->ended.count > 0)
        s = confirm_judge(r->store, r->plan, r->sweep_id, said, m);
    if (s == STATUS_OK && r->ended.count > 0 && plan_config(r->plan)->extend)
        s = store_added(r->store, r->sweep_id, &last_added, said, m);
    if (s == STATUS_OK)
        s = runner_hosts_record(r, m);
    if (s == STATUS_OK)
        s = claim_all(r, m);
    if (s == STATUS_OK)
        s = store_commit(r->store, m);
    else
        store_rollback(r->store);
    if (s != STATUS_OK)
        forget_claims(r);
    else
        r->last_added = last_added;
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

static void close_ending(struct runner *r, struct slot *s)
{
    enum trial_state state = TRIAL_QUEUED;
    bool fails = s->ending == ENDING_FAIL || s->ending == ENDING_GIVE_UP;
    if (!s->accepted)
        runner_say(r, "trial %" PRId64 ": a late report of attempt %" PRId64 " was ignored",
                   s->trial_id, s->attempt);
    else if (s->ending == ENDING_FINISH)
        state = s->state;
    else if (fails && s->failed)
        state = TRIAL_FAILED;

    if (s->accepted && fails)
        runner_say(r, "trial %" PRId64 " (%s) failed%s: %s", s->trial_id, s->label,
                   s->failed ? "" : " and will be tried again", slot_error(s));
    else if (s->accepted && state == TRIAL_QUEUED && s->ending != ENDING_PAUSE && !r->stopping)
        runner_say(r, "trial %" PRId64 " (%s) was lost at step %" PRId64 ": %s; it will resume",
                   s->trial_id, s->label, s->step,
                   slot_error(s)[0] ? slot_error(s) : "its machine was asked to stop");
    if (s->accepted && (s->ending == ENDING_FINISH || (s->failed && s->ending == ENDING_FAIL)))
        trial_files_remove(r->job.folder, s->trial_id, s->attempt, s->ending == ENDING_FINISH);
    if (s->accepted && s->tuning)
        runner_remove_losers(r, s->trial_id);
    if (s->accepted && s->ending == ENDING_PAUSE)
        progress_trial_paused(r->view, s->index, s->step, s->value);
    else
        progress_trial_ended(r->view, s->index, state, s->value);
    slot_clear(s);
    if (r->machine[s->machine].works)
        slot_list_add(&r->free, s);
}

/* The worker reports damaged checkpoints; only the coordinator can know that there are none. */
static void note_vanished(struct runner *r, const struct slot *s)
{
    char path[TRIAL_PATH_MAX];
    bool damaged = false;
    if (s->resumed_from_step > 0 &&
        trial_files_newest(r->job.folder, s->trial_id, s->attempt, INT64_MAX, path, sizeof path,
                           &damaged) < 0 &&
        !damaged)
        runner_on_worker_message(r, s, WIRE_NOTE,
                                 "its checkpoint is gone; the trial starts again from step 0");
}

/* With the file that it learns from, if there is one. */
static enum status start_slot(struct runner *r, struct slot *s, const struct claimed *c,
                              struct message *m)
{
    enum status status = store_config_data(r->store, c->config_sha256, &r->job.data, m);
    if (status == STATUS_OK) {
        const struct machine *machine = &r->machine[s->machine];
        memcpy(r->job.build, machine->build, sizeof r->job.build);
        memcpy(r->job.data.good, machine->data_good, sizeof r->job.data.good);
        return slot_start(s, c, &r->job, m);
    }
    slot_unstarted(s, m->text);
    return status;
}

/* Takes the slots that were claimed for out of the list of free ones. */
static void take_claimed(struct runner *r)
{
    struct slot_list others = {0};
    struct slot *s;
    for (int k = 0; k < r->claims; k++)
        r->claimed_for[k]->phase = SLOT_CLAIMED;
    for (int left = r->claims; left > 0 && (s = slot_list_take(&r->free));) {
        if (s->phase == SLOT_CLAIMED)
            left--;
        else
            slot_list_add(&others, s);
    }
    while ((s = slot_list_take(&others)))
        slot_list_add(&r->free, s);
}

static void start_claims(struct runner *r)
{
    struct message m;
    bool at_once = store_snapshot(r->store, &m) == STATUS_OK; /* one lock for all that is read */
    take_claimed(r);
    for (int k = 0; k < r->claims; k++)
        slot_take(r->claimed_for[k], &r->claim[k], r->view);
    runner_share_cores(r); /* those that run make room */
    for (int k = 0; k < r->claims; k++) {
        struct slot *slot = r->claimed_for[k];
        slot->alone = r->machine[slot->machine].most == 1;
        enum status s = start_slot(r, slot, &r->claim[k], &m);
        if (s != STATUS_OK) {
            runner_release_machine(r, slot);
            slot_list_add(&r->ended, slot);
            if (s != STATUS_BUSY) /* which the next claim may not meet any more */
                runner_stop_for(r, s, m.text);
            continue;
        }
        r->alive++;
        r->ran = true;
        note_vanished(r, slot);
        if (r->stopping) /* the one before could not be started */
            slot_stop(slot);
    }
    if (r->claims > 0)
        runner_share_cores(r);
    if (at_once)
        store_snapshot_end(r->store);
}

/* What looks at every trial of the sweep is done as often as it takes a twentieth of the time. */
static double due_again(double from_s)
{
    double now_s = clock_now_s();
    return now_s + 19 * (now_s - from_s);
}

static void show_left(struct runner *r)
{
    double from_s = clock_now_s();
    struct scope *x;
    if (!progress_live(r->view) || from_s < r->left_due_s || !(x = scope_of(r->store, NULL)))
        return;
    if (scope_enter(x)) {
        struct cost cost;
        cost_init(&cost);
        cost_read(x, &cost);
        struct cost_left left = cost_left(x, &cost, r->sweep_id);
        bool here = host_is_here(r->machine[0].host);
        progress_time_left(
            r->view, cost_wall_s(&left, r->alive, here || r->alive == 0 ? machine_cores() : 0));
    }
    scope_end(x);
    r->left_due_s = due_again(from_s);
}

void runner_show_counts(struct runner *r)
{
    struct counts c;
    show_left(r);
    double from_s = clock_now_s();
    if (r->alive > 0 && from_s < r->counts_due_s)
        return;
    if (store_counts(r->store, r->sweep_id, &c, NULL) == STATUS_OK) {
        r->done = c.ended == c.planned;
        progress_counts(r->view, &c);
    }
    r->counts_due_s = due_again(from_s);
}

static void after_commit(struct runner *r)
{
    for (int i = 0; i < r->events; i++)
        free(r->event[i].text);
    r->events = 0;
    for (struct slot *s; (s = slot_list_take(&r->ended));)
        close_ending(r, s);
    r->drained = !r->stopping && r->dry;
    r->committed_s = clock_now_s();
    r->busy_since_s = r->retry_s = 0;
    start_claims(r);
    runner_hosts_recorded(r);
    runner_show_counts(r);
}

/* The file is another program's for now. */
static void note_busy(struct runner *r)
{
    double now = clock_now_s();
    bool idle = r->alive == 0;
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
    struct text_buffer said = {0};
    enum status s = put_all(r, &said, m);
    if (s == STATUS_OK) {
        after_commit(r);
        runner_say_lines(r, &said);
    } else if (s == STATUS_BUSY) {
        note_busy(r);
        s = STATUS_OK;
    }
    free(said.text);
    return s;
}

bool runner_commit_due(const struct runner *r)
{
    double now = clock_now_s();
    if (now < r->retry_s)
        return false;
    return r->ended.count > 0 || (r->free.count > 0 && !r->drained && !r->stopping) ||
           r->builds_due || (r->events > 0 && now - r->committed_s > commit_every_s);
}
