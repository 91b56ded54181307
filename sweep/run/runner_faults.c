/* What went wrong: the fault of the trial, of the machine that it ran on, or of everybody. One bad
 * machine among others is set aside and costs trials nothing; what follows a trial to other
 * machines is the trial's own doing; what happens everywhere stops the run.
 *
 *   what happened            on a machine of several       here, or on the last one
 *   storage fails            the machine's fault, where    the run stops
 *                            storage does not fail here
 *   its file to learn from   the machine's fault           the run stops
 *   no step before an end    the machine's, unless trials  the trial's; FAILED_EARLY_LIMIT
 *   (failed, killed)         got further there             in a row stop the run
 *   fails after a step       the trial's                   the trial's
 *   `ulimit -t` of its own   the machine's                 the trial's, as a limit of the sweep
 *   lost with its machine    suspects.h                    suspects.h
 *   killed for memory        fewer at once there; the trial's, as a limit, where it was alone
 *
 * What is the machine's fault costs the trial nothing: the last three within the bounds of
 * suspects.h. A machine leaves the trials that came to nothing there to others. One whose storage
 * or file fails, or on which FAILED_EARLY_LIMIT trials in a row fail, is lost to the run for a
 * pause (host.h) and may come again; the HOST_LOSSES_MAX-th time in a row it is refused. */
#include "sweep/run/runner_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/worker/worker.h"

static struct machine *machine_of(struct runner *r, const struct slot *s)
{
    return &r->machine[s->machine];
}

/* ---- other machines ---- */

/* As far as anybody knows: it works, or may turn out to. */
static bool is_sound(const struct machine *machine)
{
    return host_blocklist_failed_early(&machine->blocklist) == 0 &&
           (machine->works || !machine->heard);
}

static bool others_are_sound(const struct runner *r, const struct machine *machine)
{
    for (int k = 0; k < r->machines; k++)
        if (&r->machine[k] != machine && is_sound(&r->machine[k]))
            return true;
    return false;
}

/* Whether another machine is at work that does not exclude the trial itself. */
static bool others_may_have(const struct runner *r, const struct machine *machine, int64_t trial)
{
    for (int k = 0; k < r->machines; k++) {
        const struct machine *other = &r->machine[k];
        if (other != machine && other->works && !host_blocklist_has(&other->blocklist, trial))
            return true;
    }
    return false;
}

bool runner_excluded(const struct runner *r, const struct machine *machine,
                     int64_t excluded[STORE_EXCLUDED_MAX])
{
    _Static_assert((int)STORE_EXCLUDED_MAX >= (int)HOST_BLOCKLIST_MAX, "all can be excluded");
    int n = 0;
    memset(excluded, 0, STORE_EXCLUDED_MAX * sizeof *excluded);
    for (int i = 0; i < machine->blocklist.count; i++)
        if (others_may_have(r, machine, machine->blocklist.of[i].trial))
            excluded[n++] = machine->blocklist.of[i].trial;
    return n > 0;
}

void runner_release_host(struct runner *r, const struct slot *s)
{
    struct machine *machine = machine_of(r, s);
    if (machine->isolating != s)
        return;
    machine->isolating = NULL;
    r->drained = false;
}

/* ---- the trial's own ---- */

/* A trial that is killed again and again at the same place takes the machine down with it. */
static void limit_losses(struct runner *r, struct slot *s)
{
    size_t i = 0;
    while (i < LOST_KNOWN - 1 && r->lost[i].trial != 0 && r->lost[i].trial != s->trial_id)
        i++;
    struct lost *l = &r->lost[i];
    if (l->trial != s->trial_id || s->step > l->step)
        *l = (struct lost){.trial = s->trial_id, .step = s->step};
    if (++l->count < LOST_LIMIT)
        return;
    struct text_buffer why = {0};
    text_add(&why, "%s; %d times without progress", slot_error(s), l->count);
    slot_fail(s, why.text ? why.text : "killed again and again");
    free(why.text);
}

/* Trials that failed in a row before their first step, or took their machine down; one that fails
 * again at its retries is still one. */
static int count_failed_early(struct runner *r, const struct slot *s)
{
    if (s->excused)
        return 0;
    if (s->ending != ENDING_FAIL || (s->started && !s->no_retry))
        return r->failed_early = 0;
    for (int i = 0; i < r->failed_early; i++)
        if (r->failed_early_trial[i] == s->trial_id)
            return r->failed_early;
    if (r->failed_early < FAILED_EARLY_LIMIT)
        r->failed_early_trial[r->failed_early++] = s->trial_id;
    return r->failed_early;
}

static void stop_failed_early(struct runner *r, const struct slot *s)
{
    char why[MESSAGE_SIZE];
    snprintf(why, sizeof why,
             "%d trials in a row %s, so the rest is not tried; the last one said: %.1500s",
             r->failed_early,
             s->no_retry ? "took their machine down" : "failed before their first step",
             slot_error(s));
    runner_stop_for(r, STATUS_INTERNAL, why);
}

/* A trial came to its end where another did not have memory enough. */
static void lift_limit(struct runner *r, struct machine *machine)
{
    if (!machine->open_max_ends || machine->open_max == 0)
        return;
    machine->open_max_ends = false;
    machine->open_max = 0;
    runner_machine_works(r, machine, machine->works);
    runner_say(r, "%s%s%d trial%s at once again", machine->host ? machine->host->spec.name : "",
               machine->host ? " takes " : "", machine->slots, text_plural(machine->slots));
}

void runner_take_ending(struct runner *r, struct slot *s)
{
    struct machine *machine = machine_of(r, s);
    r->alive--;
    slot_count_notes(s, runner_on_worker_message, r);
    slot_list_add(&r->ended, s);
    runner_release_host(r, s);
    if (s->ending == ENDING_FINISH)
        lift_limit(r, machine);
    if (s->ending == ENDING_REQUEUE && s->end.signal != 0 && s->killed_for != WATCH_MEMORY &&
        !s->excused && !r->stopping)
        limit_losses(r, s);
    if (s->ending == ENDING_DISK_FULL)
        runner_stop_for(r, STATUS_DISK_FULL, slot_error(s));
    if (s->ending == ENDING_STORAGE)
        runner_stop_for(r, s->end.exit_code == WORKER_DATA ? STATUS_BAD_INPUT : STATUS_IO,
                        slot_error(s));
    if (count_failed_early(r, s) == FAILED_EARLY_LIMIT &&
        !(machine->host && others_are_sound(r, machine)))
        stop_failed_early(r, s);
}

/* ---- its machine's ---- */

/* What it left lies durable in the folder. */
static bool left_something(const struct slot *s)
{
    return s->ending == ENDING_FINISH || s->ending == ENDING_PAUSE ||
           s->end.step > s->resumed_from_step;
}

static void got_further(struct machine *machine)
{
    machine->proven = true;
    host_blocklist_further(&machine->blocklist);
}

void runner_on_trial_progress(struct runner *r, struct machine *machine, const struct slot *s)
{
    if (s->step <= s->resumed_from_step)
        return;
    got_further(machine);
    if (machine->isolating == s && !crash_suspects_at(&r->suspects, s->trial_id, s->step))
        runner_release_host(r, s);
}

static int running_on(const struct machine *machine)
{
    int n = 0;
    for (int i = 0; i < machine->slots; i++) {
        const struct slot *s = &machine->slot[i];
        n += slot_runs(s) && s->pid > 0;
    }
    return n;
}

/* Seconds until one more is offered. */
static double capacity_pause_s(const struct machine *machine)
{
    enum { FIRST_PAUSES = 60 };
    return FIRST_PAUSES * machine->host->first_pause_s;
}

/* It cannot take another worker beside those that run. */
static void close_slots(struct runner *r, struct machine *machine, struct slot *s, int running)
{
    slot_list_remove(&r->free, s->machine);
    for (int i = 0; i < machine->slots; i++)
        machine->slot[i].closed |= !machine->slot[i].busy;
    s->closed = true;
    if (!machine->at_capacity)
        runner_say(r, "%s takes %d trial%s at once, not %d: %.1500s", machine->host->spec.name,
                   running, text_plural(running), machine->slots, slot_error(s));
    machine->at_capacity = true;
    machine->opened = NULL;
    machine->capacity_due_s = clock_now_s() + capacity_pause_s(machine);
}

static int open_slots(const struct machine *machine)
{
    int n = 0;
    for (int i = 0; i < machine->slots; i++)
        n += !machine->slot[i].closed;
    return n;
}

static void open_slot(struct runner *r, struct machine *machine)
{
    int i = 0;
    while (i < machine->slots && !machine->slot[i].closed)
        i++;
    machine->at_capacity = i < machine->slots && open_slots(machine) < runner_open_max(machine);
    machine->opened = machine->at_capacity ? &machine->slot[i] : NULL;
    if (!machine->at_capacity)
        return;
    machine->slot[i].closed = false;
    if (!machine->slot[i].busy)
        slot_list_add(&r->free, &machine->slot[i]);
    r->drained = false;
}

void runner_try_capacity(struct runner *r, struct machine *machine, double now)
{
    if (!machine->at_capacity || !machine->works || now < machine->capacity_due_s)
        return;
    machine->capacity_due_s = now + capacity_pause_s(machine);
    open_slot(r, machine);
}

void runner_started_there(struct runner *r, struct machine *machine, const struct slot *s)
{
    if (machine->opened == s)
        open_slot(r, machine);
}

/* Where it has not been excused too often. */
static void excuse(struct runner *r, struct slot *s)
{
    int64_t step = s->end.step > s->resumed_from_step ? s->end.step : s->resumed_from_step;
    if (crash_suspects_excuse(&r->suspects, s->trial_id, step))
        slot_excuse(s, r->job.folder);
}

/* The trial is left to other machines, where there are some. */
static void block_trial(struct runner *r, struct machine *machine, const struct slot *s,
                        bool failed_early)
{
    host_blocklist_add(&machine->blocklist, s->trial_id,
                       crash_suspects_losses(&r->suspects, s->trial_id), failed_early);
}

/* ---- it was killed for memory ---- */

int runner_open_max(const struct machine *machine)
{
    return machine->open_max ? machine->open_max : machine->slots;
}

void runner_limit_slots(struct runner *r, struct machine *machine, int most)
{
    int before = runner_open_max(machine);
    most = most > 1 ? most : 1;
    if (most >= before)
        return;
    machine->open_max = most;
    machine->open_max_ends = false;
    runner_machine_works(r, machine, machine->works);
    runner_say(r, "%s%s%d trial%s at once from now on, not %d, as memory does not suffice",
               machine->host ? machine->host->spec.name : "", machine->host ? " takes " : "", most,
               text_plural(most), before);
}

/* One that was alone would be killed again. It may have been the only one that is too large. */
static void judge_memory(struct runner *r, struct machine *machine, struct slot *s)
{
    char why[MESSAGE_SIZE];
    if (machine->host)
        machine->host->losses = 0;
    if (!s->alone)
        return;
    snprintf(why, sizeof why,
             "%.1800s (nothing else ran beside it); with more, --retry-failed goes on with it",
             slot_error(s));
    slot_over_limit(s, why);
    if (machine->host)
        block_trial(r, machine, s, false);
    if (machine->host && others_are_sound(r, machine))
        excuse(r, s);
    machine->open_max_ends = true;
}

/* One of those that run there. */
static void take_memory(struct runner *r, struct machine *machine, struct slot *s)
{
    if (s->ending != ENDING_REQUEUE || s->killed_for != WATCH_MEMORY)
        return;
    runner_limit_slots(r, machine, runner_running_on(machine));
    judge_memory(r, machine, s);
}

void runner_take_ending_here(struct runner *r, struct slot *s, const struct worker_end *e)
{
    slot_ended(s, r->job.folder, e);
    take_memory(r, machine_of(r, s), s);
    runner_take_ending(r, s);
}

/* ---- the machine is to blame ---- */

/* The trial failed there, or was killed, before it got a step further. `why` becomes what the
 * machine is to be set aside for. */
static bool judge_failed_early(struct runner *r, struct machine *machine, struct slot *s,
                               char why[MESSAGE_SIZE])
{
    bool sound = machine->proven && host_blocklist_failed_early(&machine->blocklist) == 0;
    bool others = others_are_sound(r, machine);
    block_trial(r, machine, s, true);
    if (others && !sound)
        excuse(r, s);
    if (!others || host_blocklist_failed_early(&machine->blocklist) < FAILED_EARLY_LIMIT)
        return false;
    snprintf(why, MESSAGE_SIZE,
             "%d trials in a row came to nothing there, and others work; the last one said: "
             "%.1500s",
             host_blocklist_failed_early(&machine->blocklist), slot_error(s));
    return true;
}

/* The machine cannot start a worker. */
static bool judge_unstarted(struct runner *r, struct machine *machine, struct slot *s,
                            char why[MESSAGE_SIZE])
{
    int running = running_on(machine);
    if (machine->host->state != HOST_READY || r->stopping)
        return false;
    if (running > 0)
        close_slots(r, machine, s, running);
    else
        snprintf(why, MESSAGE_SIZE, "it cannot start a worker: %.1900s", slot_error(s));
    return running == 0;
}

/* Whether the ending is (also) a reason to set its machine aside: `why`. What the machine is to
 * blame for is excused, in whatever state it is itself. */
static bool blame_machine(struct runner *r, struct machine *machine, struct slot *s, bool unstarted,
                          char why[MESSAGE_SIZE])
{
    bool killed = s->end.signal != 0 && s->killed_for != WATCH_MEMORY;
    bool failed = s->ending == ENDING_FAIL || (s->ending == ENDING_REQUEUE && killed);
    bool data = s->end.exit_code == WORKER_DATA;
    bool own_limit = s->ending == ENDING_LIMIT && s->end.exit_code == WORKER_OVER_CPU;
    if (s->ending == ENDING_STORAGE) {
        if (!data && runner_hosts_try_folder(r, NULL) != STATUS_OK)
            return false;
        slot_excuse(s, r->job.folder);
        snprintf(why, MESSAGE_SIZE, "%s: %.1900s",
                 data ? "it does not have the same file to learn from" : "its storage fails",
                 slot_error(s));
        return true;
    }
    if (left_something(s)) {
        machine->host->losses = 0;
        got_further(machine);
    }
    if (s->ending == ENDING_FINISH || s->ending == ENDING_PAUSE)
        host_blocklist_remove(&machine->blocklist, s->trial_id);
    if (unstarted)
        return judge_unstarted(r, machine, s, why);
    if (failed && !left_something(s) && s->step <= s->resumed_from_step)
        return judge_failed_early(r, machine, s, why);
    if (failed || own_limit)
        block_trial(r, machine, s, false);
    if (own_limit && others_are_sound(r, machine))
        excuse(r, s);
    return false;
}

void runner_take_ending_there(struct runner *r, struct machine *machine, struct slot *s,
                              const struct worker_end *e)
{
    char why[MESSAGE_SIZE];
    slot_ended(s, r->job.folder, e);
    take_memory(r, machine, s);
    bool aside = blame_machine(r, machine, s, e->unstarted, why);
    runner_take_ending(r, s);
    if (!aside || machine->host->state != HOST_READY || r->stopping)
        return;
    if (s->end.exit_code == WORKER_DATA && !machine->proven)
        host_refuse(machine->host, why); /* it will not do better */
    else
        host_fault(machine->host, clock_now_s(), why);
}

/* ---- it was lost with its machine ---- */

void runner_take_loss(struct runner *r, struct machine *machine, struct slot *s, bool at_work)
{
    const struct crash_suspect *k = NULL;
    if (left_something(s))
        machine->host->losses = 0;
    bool lost = s->ending == ENDING_REQUEUE && !r->stopping;
    if (lost && machine->host->out_of_memory)
        judge_memory(r, machine, s);
    else if (lost && at_work && !machine->host->at_fault)
        k = crash_suspects_lost(&r->suspects, s->trial_id, s->step, s->machine);
    if (k)
        host_blocklist_add(&machine->blocklist, s->trial_id, k->losses, false);
    if (k && k->losses >= SUSPECT_LIMIT &&
        (crash_suspect_is_spread(k) || !others_may_have(r, machine, 0))) {
        char why[MESSAGE_SIZE];
        snprintf(why, sizeof why,
                 "its machine was lost %d times while it ran, and it got no further in between; "
                 "the last time %.1500s",
                 k->losses, slot_error(s));
        slot_fail(s, why);
        s->no_retry = true;
    }
    runner_take_ending(r, s);
}
