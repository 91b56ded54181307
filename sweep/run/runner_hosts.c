/* The machines of a run with --hosts: how their slots come, go and come back with them, and what
 * people are told of it. */
#include "sweep/run/runner_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/hosts/slurm.h"
#include "sweep/worker/build_info.h"
#include "sweep/worker/memory_budget.h"
#include "sweep/worker/worker.h"

struct runner_hosts {
    struct host *host; /* (runner.machines) */
    struct host_launch launch;
    char *agent; /* malloced, where nobody has said how it is called */
    struct agent_open open;
    struct memory_budget memory;
    char proof[33];
    char proof_path[TRIAL_PATH_MAX];
    int slots_each; /* of a host without a number of its own; 0: as many as it has cores */
    double shown_s; /* when the live view was updated last */
    bool announced; /* which machines there are, or that is not wanted */
};

/* ---- making them ---- */

/* Three pipes each, and the usual limit is 1,024 descriptors. */
static enum status allow_descriptors(int hosts, struct message *m)
{
    struct rlimit limit;
    rlim_t needed = 3 * (rlim_t)hosts + 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return STATUS_OK;
    if (limit.rlim_max < needed)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "%d hosts take %llu open files, and %llu are allowed; raise the limit (`ulimit -n`)",
            hosts, (unsigned long long)needed, (unsigned long long)limit.rlim_max);
    limit.rlim_cur = needed;
    setrlimit(RLIMIT_NOFILE, &limit);
    return STATUS_OK;
}

/* A file that only who sees this very folder can read. Should this process not come to remove it,
 * `gc` takes it for the unfinished file of a trial that is none. */
static enum status write_proof(struct runner *r, struct runner_hosts *h, struct message *m)
{
    unsigned char bytes[16 + 4];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return status_fail(m, STATUS_IO, "the system gives no random numbers");
    for (size_t i = 0; i < 16; i++)
        snprintf(h->proof + 2 * i, 3, "%02x", bytes[i]);
    snprintf(h->open.proof, sizeof h->open.proof, "t0-a0.proof-%02x%02x%02x%02x.tmp", bytes[16],
             bytes[17], bytes[18], bytes[19]);
    snprintf(h->open.folder, sizeof h->open.folder, "%s", r->job.folder);
    snprintf(h->proof_path, sizeof h->proof_path, "%s/%s", h->open.folder, h->open.proof);
    return runner_hosts_try_folder(r, m);
}

/* By writing the proof (once more). */
enum status runner_hosts_try_folder(struct runner *r, struct message *m)
{
    struct iovec part = {r->hosts->proof, strlen(r->hosts->proof)};
    return file_write(r->hosts->proof_path, &part, 1, m);
}

enum status runner_hosts_new(struct runner *r, const struct runner_options *o, struct message *m)
{
    int64_t each = o->workers > 0 ? o->workers : plan_config(r->plan)->workers;
    struct runner_hosts *h = calloc(1, sizeof *h);
    struct machine *machine = calloc((size_t)o->host_count, sizeof *machine);
    struct host *host = calloc((size_t)o->host_count, sizeof *host);
    if (!h || !machine || !host) {
        free(host);
        free(machine);
        free(h);
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %d hosts", o->host_count);
    }
    memory_budget_init(&h->memory, r->plan);
    h->host = host;
    r->hosts = h;
    r->machine = machine;
    r->machines = o->host_count;
    r->slurm = o->slurm;
    h->announced = o->quiet;
    h->slots_each = (int)(each < HOST_SLOTS_MAX ? each : HOST_SLOTS_MAX);
    h->launch =
        (struct host_launch){.command = o->launch, .agent = o->agent, .sources = build_sources()};
    for (int k = 0; k < r->machines; k++) {
        host_init(&h->host[k], &o->hosts[k], &h->launch);
        machine[k].host = &h->host[k];
    }
    enum status s = host_launch_check(&h->launch, m);
    if (s == STATUS_OK && !o->agent) {
        s = host_agent_here(o->launch, &h->agent, m);
        h->launch.agent = h->agent;
    }
    if (s == STATUS_OK)
        s = allow_descriptors(o->host_count, m);
    return s == STATUS_OK ? write_proof(r, h, m) : s;
}

void runner_hosts_free(struct runner *r)
{
    if (!r->hosts)
        return;
    if (r->hosts->proof_path[0])
        unlink(r->hosts->proof_path);
    memory_budget_clear(&r->hosts->memory);
    free(r->hosts->host);
    free(r->hosts->agent);
    free(r->hosts);
    free(r->machine);
}

/* ---- what they say ---- */

static const char *name_of(const struct machine *machine)
{
    return machine->host->spec.name;
}

/* How many trials at once a machine takes that has become ready. */
static int slots_of(const struct runner *r, struct machine *machine)
{
    const struct host *h = machine->host;
    int wanted;
    double largest, granted = h->spec.memory > 0 ? h->spec.memory : INFINITY;
    int slots = runner_grant_cores(r, machine, &r->hosts->memory, (int)h->hello.cores,
                                   h->spec.slots ? h->spec.slots : r->hosts->slots_each,
                                   fmin(h->hello.memory, granted), &wanted, &largest);
    return slots < HOST_SLOTS_MAX ? slots : HOST_SLOTS_MAX;
}

enum { ANNOUNCED_MAX = 16 }; /* machines that are named */

/* That machines compute with other kernels than the first of those that work. */
static void tell_differences(struct runner *r)
{
    const struct agent_hello *first = NULL;
    for (int k = 0; k < r->machines; k++) {
        const struct agent_hello *h = &r->machine[k].host->hello;
        if (!r->machine[k].works)
            continue;
        if (!first)
            first = h;
        if (strcmp(h->core_type, first->core_type) == 0 && strcmp(h->kernels, first->kernels) == 0)
            continue;
        runner_say(r,
                   "machines compute with different kernels (%s %s, %s %s), so last bits may "
                   "differ; to get equal bits, name kernels that all have: --agent 'env "
                   "OPENBLAS_CORETYPE=Haswell HEADCOUNT_KERNELS=avx2 /path/of/headcount agent'",
                   first->core_type, first->kernels, h->core_type, h->kernels);
        return;
    }
}

/* "48 trials at once on 3 machines: a 16, b 16, c 16", once all have been heard of. */
static void announce_machines(struct runner *r)
{
    struct text_buffer b = {0};
    int ready = 0, slots = 0;
    for (int k = 0; k < r->machines; k++)
        if (!r->machine[k].heard)
            return;
    for (int k = 0; k < r->machines; k++) {
        const struct machine *machine = &r->machine[k];
        if (!machine->works)
            continue;
        if (ready < ANNOUNCED_MAX)
            text_add(&b, "%s%s %d", ready ? ", " : "", name_of(machine), machine->slots);
        ready++;
        slots += machine->slots;
    }
    r->hosts->announced = true;
    if (ready > ANNOUNCED_MAX)
        text_add(&b, " and %d more", ready - ANNOUNCED_MAX);
    if (ready > 0)
        runner_say(r, "%d trial%s at once on %d machine%s: %s", slots, text_plural(slots), ready,
                   text_plural(ready), b.text ? b.text : "");
    free(b.text);
    tell_differences(r);
}

static void open_folder(struct runner *r, struct machine *machine)
{
    struct build_info b = agent_hello_build(&machine->host->hello);
    runner_build_words(&b, machine->build, sizeof machine->build);
    host_open(machine->host, &r->hosts->open, r->hosts->proof);
}

static void ready(struct runner *r, struct machine *machine)
{
    struct message m;
    if (machine->slots == 0 &&
        runner_make_slots(r, machine, slots_of(r, machine), &m) != STATUS_OK) {
        host_refuse(machine->host, m.text);
        return;
    }
    progress_slots(r->view, r->slots);
    if (machine->heard)
        runner_say(r, "%s is back", name_of(machine));
    machine->build_id = 0; /* it may be another machine of that name by now */
    r->builds_due = true;
}

/* What ran there goes on elsewhere. */
static void lost(struct runner *r, struct machine *machine)
{
    const struct host *h = machine->host;
    char what[64] = "", when[64] = "is not used any more";
    int running = runner_running_on(machine);
    bool at_work = machine->works;
    if (h->out_of_memory)
        runner_limit_trials(r, machine, (running + 1) / 2, "memory does not suffice");
    runner_machine_works(r, machine, false);
    for (int i = 0; i < machine->slots; i++) {
        struct slot *s = &machine->slot[i];
        if (!slot_runs(s))
            continue;
        char why[MESSAGE_SIZE];
        snprintf(why, sizeof why, "%s: %.1700s", name_of(machine), h->why);
        slot_lost(s, r->job.folder, why);
        runner_take_loss(r, s, at_work);
    }
    if (running > 0)
        snprintf(what, sizeof what, "; %d trial%s go%s on elsewhere", running, text_plural(running),
                 running == 1 ? "es" : "");
    if (h->state == HOST_WAITING)
        snprintf(when, sizeof when, "is tried again in %.0f s", h->pause_s);
    if (!r->stopping)
        runner_say(r, "%s %s: %.1500s%s", name_of(machine), when, h->why, what);
    machine->heard = true;
}

/* The slot that an event is about; NULL where nothing runs there, or not any more. */
static struct slot *slot_of(const struct machine *machine, const struct host_event *e)
{
    struct slot *s = e->slot < machine->slots ? &machine->slot[e->slot] : NULL;
    return s && slot_runs(s) ? s : NULL;
}

static void take_event(struct runner *r, struct machine *machine, const struct host_event *e)
{
    struct slot *s = slot_of(machine, e);
    switch (e->kind) {
    case HOST_EVENT_GREETED:
        open_folder(r, machine);
        break;
    case HOST_EVENT_READY:
        ready(r, machine);
        break;
    case HOST_EVENT_SPAWNED:
        if (s) {
            s->pid = e->pid;
            runner_note_spawned(r, s);
        }
        break;
    case HOST_EVENT_MESSAGE:
        if (s)
            runner_hear(r, s, &e->message);
        break;
    case HOST_EVENT_ENDED:
        if (s)
            runner_take_ending(r, s, &e->ended);
        break;
    case HOST_EVENT_LEAVING:
        runner_machine_works(r, machine, false);
        break;
    case HOST_EVENT_LOST:
        lost(r, machine);
        break;
    }
}

/* ---- the live view ---- */

static int busy_slots(const struct machine *machine)
{
    int n = 0;
    for (int i = 0; i < machine->slots; i++)
        n += machine->slot[i].busy;
    return n;
}

/* "on 2 machines: a 4, b 3; c again in 8 s; d not used". Of many, those that work are only counted.
 */
static void show_machines(struct runner *r, double now)
{
    enum { MANY = 8 };
    struct text_buffer working = {0}, others = {0};
    int works = 0;
    for (int k = 0; k < r->machines; k++) {
        const struct machine *machine = &r->machine[k];
        const struct host *h = machine->host;
        if (machine->works && works++ < MANY)
            text_add(&working, "%s%s %d", works > 1 ? ", " : ": ", name_of(machine),
                     busy_slots(machine));
        else if (h->state == HOST_REFUSED)
            text_add(&others, "; %s not used", name_of(machine));
        else if (h->state == HOST_WAITING)
            text_add(&others, "; %s again in %.0f s", name_of(machine), fmax(h->retry_s - now, 0));
    }
    char text[256];
    snprintf(text, sizeof text, "on %d machine%s%.120s%.100s", works, text_plural(works),
             working.text && works <= MANY ? working.text : "", others.text ? others.text : "");
    progress_hosts(r->view, text);
    free(working.text);
    free(others.text);
}

/* ---- the loop's part ---- */

int runner_hosts_poll(struct runner *r, struct pollfd *fds)
{
    int n = 0;
    for (int k = 0; r->hosts && k < r->machines; k++) {
        struct machine *machine = &r->machine[k];
        machine->fds = fds + n;
        machine->fds_used = host_poll(machine->host, fds + n);
        n += machine->fds_used;
    }
    return n;
}

/* All have been refused: why. */
static void stop_without_hosts(struct runner *r)
{
    struct text_buffer b = {0};
    for (int k = 0; k < r->machines; k++) {
        if (r->machine[k].host->state != HOST_REFUSED) {
            free(b.text);
            return;
        }
        text_add(&b, "%s%s: %.400s", k ? "; " : "", name_of(&r->machine[k]),
                 r->machine[k].host->why);
    }
    char why[MESSAGE_SIZE];
    snprintf(why, sizeof why, "no machine is left to work on: %.1900s", b.text ? b.text : "");
    free(b.text);
    runner_stop_for(r, STATUS_BAD_INPUT, why);
}

/* ---- the allocation of Slurm that they are of ---- */

/* Whether no agent is there, and at least one is there no more. */
static bool all_are_away(const struct runner *r)
{
    bool lost = false;
    for (int k = 0; k < r->machines; k++) {
        const struct machine *machine = &r->machine[k];
        enum host_state state = machine->host->state;
        if (state != HOST_WAITING && state != HOST_STARTING && state != HOST_REFUSED)
            return false;
        lost = lost || (machine->heard && state != HOST_REFUSED);
    }
    return lost;
}

/* An allocation that is gone does not come again: the run would wait for ever, and hold the results
 * file. The launcher's words for it, which may change, are not relied upon. */
static void seek_allocation(struct runner *r, double now)
{
    static const double ask_every_s = 10;
    if (!r->slurm || r->stopping || now < r->asked_s + ask_every_s || !all_are_away(r))
        return;
    if (slurm_allocation() == SLURM_GONE) {
        runner_say(r,
                   "the allocation (job %s of Slurm) is gone: stopping; the same command in a new "
                   "allocation goes on",
                   getenv("SLURM_JOB_ID"));
        runner_stop(r);
    }
    r->asked_s = clock_now_s();
}

/* ---- a turn ---- */

void runner_hosts_turn(struct runner *r)
{
    double now = clock_now_s();
    struct host_event e;
    bool any_lost = false;
    if (!r->hosts)
        return;
    for (int k = 0; k < r->machines; k++) {
        struct machine *machine = &r->machine[k];
        bool said = false;
        for (int i = 0; i < machine->fds_used; i++)
            said = said || machine->fds[i].revents;
        machine->fds_used = 0;
        if (r->stopping && machine->host->state == HOST_WAITING)
            host_bye(machine->host); /* what is lost now does not come again */
        if (said)
            host_listen(machine->host, now);
        for (int turned = 0; turned < 2; turned++) {
            if (turned) /* by then what it said in time has been taken in */
                host_turn(machine->host, now);
            while (host_next(machine->host, &e)) {
                take_event(r, machine, &e);
                any_lost = any_lost || e.kind == HOST_EVENT_LOST;
            }
        }
    }
    if (progress_live(r->view) && now - r->hosts->shown_s >= 0.2) {
        r->hosts->shown_s = now;
        show_machines(r, now);
    }
    if (any_lost && !r->stopping)
        stop_without_hosts(r);
    if (any_lost && !r->hosts->announced)
        announce_machines(r);
    seek_allocation(r, now);
}

enum status runner_hosts_record(struct runner *r, struct message *m)
{
    enum status s = STATUS_OK;
    for (int k = 0; r->builds_due && k < r->machines && s == STATUS_OK; k++) {
        struct machine *machine = &r->machine[k];
        if (machine->host->state != HOST_READY || machine->works)
            continue;
        struct build_info b = agent_hello_build(&machine->host->hello);
        s = store_build(r->store, &b, &machine->build_id, m);
    }
    return s;
}

void runner_hosts_recorded(struct runner *r)
{
    if (!r->builds_due)
        return;
    r->builds_due = false;
    for (int k = 0; k < r->machines; k++) {
        struct machine *machine = &r->machine[k];
        if (machine->host->state != HOST_READY || machine->works)
            continue;
        runner_machine_works(r, machine, true);
        machine->heard = true;
    }
    if (!r->hosts->announced)
        announce_machines(r);
}

/* Until agents that have nothing to do any more are gone. */
static const double leave_s = 5, leave_in_haste_s = 0.5;

void runner_hosts_dismiss(struct runner *r, bool at_once)
{
    if (!r->hosts)
        return;
    double until_s = clock_now_s() + (at_once ? 0 : r->stopping ? leave_in_haste_s : leave_s);
    struct host_event e;
    for (int k = 0; k < r->machines; k++)
        host_bye(r->machine[k].host);
    bool left;
    do { /* at least once: what is to be killed at once is to be told */
        left = false;
        for (int k = 0; k < r->machines; k++) {
            struct host *h = r->machine[k].host;
            host_listen(h, clock_now_s());
            host_turn(h, clock_now_s());
            while (host_next(h, &e))
                ; /* nothing runs there */
            left = left || host_runs(h);
        }
        if (left)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    } while (left && clock_now_s() < until_s);
    for (int k = 0; k < r->machines; k++)
        host_close(r->machine[k].host);
}
