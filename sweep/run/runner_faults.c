/* What an attempt that ended, or was lost, means for its trial, its machine and the run: which
 * fault it was is found here, who pays for it stands in faults.def. */
#include "sweep/run/runner_internal.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/worker/worker.h"

static struct machine *machine_of(struct runner *r, const struct slot *s)
{
    return &r->machine[s->machine];
}

/* ---- other machines ---- */

bool runner_others_work(const struct runner *r, const struct machine *machine)
{
    for (int k = 0; k < r->machines; k++)
        if (&r->machine[k] != machine && r->machine[k].works)
            return true;
    return false;
}

/* As far as anybody knows: one works without a strike, or may turn out to. */
static bool others_are_sound(const struct runner *r, const struct machine *machine)
{
    for (int k = 0; k < r->machines; k++) {
        const struct machine *other = &r->machine[k];
        if (other != machine && other->strikes == 0 && (other->works || !other->heard))
            return true;
    }
    return false;
}

/* ---- which fault it was ---- */

static bool made_a_step(const struct slot *s)
{
    return s->step > s->resumed_from_step;
}

/* Slots whose worker runs for sure. */
static int started_on(const struct machine *machine)
{
    int n = 0;
    for (int i = 0; i < machine->slots; i++)
        n += machine->slot[i].phase == SLOT_RUNS && machine->slot[i].pid > 0;
    return n;
}

/* One that was alone would be killed again. */
static enum fault fault_of_memory(const struct slot *s)
{
    return s->alone ? FAULT_TOO_LARGE : FAULT_CROWDED;
}

/* Of a trial that goes on later. */
static enum fault fault_of_requeued(const struct runner *r, const struct machine *machine,
                                    const struct slot *s)
{
    if (r->stopping || s->end.exit_code == WORKER_STOPPED)
        return FAULT_NONE;
    if (s->end.unseen && !machine->works)
        return FAULT_AGENT; /* it is leaving */
    if (s->end.unseen)
        return started_on(machine) > 0 ? FAULT_FULL : FAULT_UNSTARTED;
    if (s->killed_for == WATCH_MEMORY)
        return fault_of_memory(s);
    return FAULT_KILLED;
}

static enum fault fault_of(struct runner *r, const struct machine *machine, const struct slot *s)
{
    switch (s->ending) {
    case ENDING_FAIL:
        if (made_a_step(s) || (s->said != SLOT_SILENT && s->end.signal == 0))
            return FAULT_TRIAL;
        return machine->strikes > 0 ? FAULT_EARLY_AGAIN : FAULT_EARLY;
    case ENDING_GIVE_UP:
        return s->end.exit_code == WORKER_OVER_CPU ? FAULT_CPU_LIMIT : FAULT_LIMIT;
    case ENDING_PAUSE:
        return made_a_step(s) ? FAULT_NONE : FAULT_IDLE;
    case ENDING_REQUEUE:
        return fault_of_requeued(r, machine, s);
    case ENDING_DISK_FULL:
        return FAULT_DISK_FULL;
    case ENDING_STORAGE:
        if (!machine->works)
            return FAULT_AGENT; /* it is leaving, and so may its folder be */
        return !host_is_here(machine->host) && crew_try_folder(&r->crew, NULL) != STATUS_OK
                   ? FAULT_FOLDER
                   : FAULT_STORAGE;
    case ENDING_FINISH:
    case ENDING_NONE:
        break;
    }
    return FAULT_NONE;
}

/* at_work: its machine was, until it was lost. */
static enum fault fault_of_lost(struct runner *r, const struct machine *machine,
                                const struct slot *s, bool at_work)
{
    if (s->ending != ENDING_REQUEUE || r->stopping)
        return fault_of(r, machine, s);
    if (machine->host->out_of_memory)
        return fault_of_memory(s);
    return at_work && !machine->host->at_fault ? FAULT_LOST : FAULT_AGENT;
}

/* ---- what the trial pays ---- */

static void strike_trial(struct runner *r, const struct machine *machine, struct slot *s)
{
    char why[MESSAGE_SIZE];
    const struct trial_strikes *k = strikes_add(&r->strikes, s->trial_id, s->step, s->machine);
    if (k && k->count >= STRIKES_TRIAL && (k->on_machines || !runner_others_work(r, machine))) {
        snprintf(why, sizeof why, "%.1800s; %d times without progress",
                 slot_error(s)[0] ? slot_error(s) : "it paused where it began", k->count);
        slot_give_up(s, why, false);
    } else if (s->ending != ENDING_PAUSE) {
        slot_requeue(s, r->job.folder);
    }
}

static void charge_trial(struct runner *r, const struct machine *machine, struct slot *s,
                         enum trial_pays pays, const char *words)
{
    char why[MESSAGE_SIZE];
    if (pays == TRIAL_STRIKE)
        strike_trial(r, machine, s);
    if (pays != TRIAL_FAILS || !words)
        return; /* its ending says it already */
    fault_words(words, slot_error(s), why);
    slot_give_up(s, why, true);
}

/* ---- what the machine pays ---- */

static void say_most(struct runner *r, const struct machine *machine, const char *words)
{
    bool here = host_is_here(machine->host);
    runner_say(r, "%s%s%d trial%s at once %s", here ? "" : machine->host->spec.name,
               here ? "" : " takes ", machine->most, text_plural(machine->most), words);
}

void runner_limit_trials(struct runner *r, struct machine *machine, int most, const char *why)
{
    char words[MESSAGE_SIZE];
    int before = machine->most;
    most = most > 1 ? most : 1;
    if (most >= before)
        return;
    machine->most = most;
    snprintf(words, sizeof words, "from now on, not %d, as %.1900s", before, why);
    say_most(r, machine, words);
}

static void lift_limit(struct runner *r, struct machine *machine)
{
    if (machine->most == machine->slots)
        return;
    machine->most = machine->slots;
    r->drained = false;
    say_most(r, machine, "again");
}

/* True where it has as many as it may have. */
static bool strike_machine(struct machine *machine, int64_t trial)
{
    for (int i = 0; i < machine->strikes; i++)
        if (machine->struck[i] == trial)
            return machine->strikes == STRIKES_MACHINE;
    if (machine->strikes < STRIKES_MACHINE)
        machine->struck[machine->strikes++] = trial;
    return machine->strikes == STRIKES_MACHINE;
}

static void charge_machine(struct runner *r, struct machine *machine, const struct slot *s,
                           const struct fault_rule *rule, bool others, const char *said)
{
    char why[MESSAGE_SIZE];
    enum machine_pays pays = rule->machine[!others];
    if (pays == MACHINE_STRIKE && (made_a_step(s) || !strike_machine(machine, s->trial_id)))
        return;
    if (pays == MACHINE_STRIKE)
        pays = others ? MACHINE_RESTS : MACHINE_STOPS;
    fault_words(pays == MACHINE_STOPS ? rule->stops : rule->why, said, why);
    switch (pays) {
    case MACHINE_FEWER:
        if (machine->works) /* else it is lost, and was limited as a whole */
            runner_limit_trials(r, machine, started_on(machine), why);
        break;
    case MACHINE_ALL:
        lift_limit(r, machine);
        break;
    case MACHINE_RESTS:
        if (machine->host->state == HOST_READY && !r->stopping)
            host_fault(machine->host, clock_now_s(), why);
        break;
    case MACHINE_STOPS:
        runner_stop_for(r, rule->status, why);
        break;
    case MACHINE_NOTHING:
    case MACHINE_STRIKE:
        break;
    }
}

/* ---- what the runner calls ---- */

/* The trial has come further than where it got its strikes: others may begin on its machine again.
 */
static void note_progress(struct runner *r, const struct slot *s)
{
    struct machine *machine = machine_of(r, s);
    if (!made_a_step(s))
        return;
    machine->strikes = 0;
    if (machine->isolating == s && strikes_of(&r->strikes, s->trial_id, s->step) < STRIKES_ALONE)
        runner_release_machine(r, s);
}

void runner_release_machine(struct runner *r, const struct slot *s)
{
    struct machine *machine = machine_of(r, s);
    if (machine->isolating != s)
        return;
    machine->isolating = NULL;
    r->drained = false;
}

void runner_hear(struct runner *r, struct slot *s, const struct wire_frame *f)
{
    slot_hear(s, r->view, f, runner_on_worker_message, r);
    note_progress(r, s);
}

static void take_ending(struct runner *r, struct slot *s, enum fault fault)
{
    struct machine *machine = machine_of(r, s);
    const struct fault_rule *rule = fault_rule(fault);
    bool others = others_are_sound(r, machine);
    char said[MESSAGE_SIZE];
    snprintf(said, sizeof said, "%s", slot_error(s));
    r->alive--;
    slot_count_notes(s, runner_on_worker_message, r);
    runner_release_machine(r, s);
    charge_trial(r, machine, s, rule->trial[!others], rule->why);
    charge_machine(r, machine, s, rule, others, said);
    slot_list_add(&r->ended, s);
}

/* What lies durable in the folder was gained there. */
static void count_gain(struct runner *r, const struct slot *s)
{
    struct machine *machine = machine_of(r, s);
    if (s->ending == ENDING_FINISH)
        strikes_forget(&r->strikes, s->trial_id);
    if (s->ending != ENDING_FINISH && s->end.step <= s->resumed_from_step)
        return;
    machine->strikes = 0;
    machine->host->rests = 0;
}

void runner_take_ending(struct runner *r, struct slot *s, const struct worker_end *e)
{
    slot_ended(s, r->job.folder, e);
    count_gain(r, s);
    take_ending(r, s, fault_of(r, machine_of(r, s), s));
}

void runner_take_loss(struct runner *r, struct slot *s, bool at_work)
{
    count_gain(r, s);
    take_ending(r, s, fault_of_lost(r, machine_of(r, s), s, at_work));
}
