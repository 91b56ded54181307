/* The machines of a run, this one or those of --hosts: how their slots come, go and come back with
 * them, and what people are told of it. */
#include "sweep/run/runner_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/kernels/blas.h"
#include "sweep/db/rows.h"
#include "sweep/worker/build_info.h"
#include "sweep/worker/memory_budget.h"

struct runner_hosts {
    struct memory_budget memory;
    int slots_each; /* of a host without a number of its own; 0: as many as it has cores */
    double shown_s; /* when the live view was updated last */
    bool announced; /* which machines there are, or that is not wanted */
    bool quiet;
};

/* ---- making them ---- */

enum status runner_hosts_new(struct runner *r, const struct runner_options *o, struct message *m)
{
    int64_t each = o->workers > 0 ? o->workers : plan_config(r->plan)->workers;
    enum status s = crew_init(&r->crew, &o->crew, r->job.folder, m);
    if (s != STATUS_OK)
        return s;
    struct runner_hosts *h = r->hosts = calloc(1, sizeof *h);
    r->machine = calloc((size_t)r->crew.count, sizeof *r->machine);
    if (!h || !r->machine)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %d hosts", r->crew.count);
    memory_budget_init(&h->memory, r->plan);
    h->quiet = o->quiet;
    h->announced = o->quiet || o->crew.count == 0;
    h->slots_each = (int)(each < HOST_SLOTS_MAX ? each : HOST_SLOTS_MAX);
    for (; r->machines < r->crew.count; r->machines++)
        r->machine[r->machines].host = &r->crew.host[r->machines];
    return s;
}

void runner_hosts_free(struct runner *r)
{
    for (int k = 0; k < r->machines; k++)
        slots_free(r->machine[k].slot, r->machine[k].slots);
    free(r->machine);
    if (r->hosts)
        memory_budget_clear(&r->hosts->memory);
    free(r->hosts);
    crew_dismiss(&r->crew, 0);
}

/* ---- what they say ---- */

static const char *name_of(const struct machine *machine)
{
    return machine->host->spec.name;
}

/* slots: how many there is memory for. */
static void tell_memory(struct runner *r, int slots, int wanted, double available, double largest)
{
    char needed[32], there[32];
    text_quantity(largest, needed, sizeof needed);
    text_quantity(available, there, sizeof there);
    runner_say(r,
               "%d trial%s at once, not %d: a trial may take %sB of memory, and %sB are available",
               slots, text_plural(slots), wanted, needed, there);
}

/* More threads at once than cores are allowed, but they only take turns. */
static void tell_cores(struct runner *r, const struct machine *machine, int slots)
{
    int cores = (int)machine->host->hello.cores, threads = machine->cores.threads;
    if (slots * (threads > 0 ? threads : 1) <= cores)
        return;
    if (threads > 1)
        runner_say(r, "%d trial%s of %d threads at once on %d core%s: no faster than %d thread%s",
                   slots, text_plural(slots), threads, cores, text_plural(cores), cores,
                   text_plural(cores));
    else
        runner_say(r, "%d trials at once on %d core%s: no faster than %d", slots, cores,
                   text_plural(cores), cores);
}

/* How many trials at once a machine takes that has become ready. */
static int slots_of(struct runner *r, struct machine *machine)
{
    const struct host *h = machine->host;
    int wanted;
    double largest, granted = h->spec.memory > 0 ? h->spec.memory : INFINITY;
    double available = fmin(h->hello.memory, granted);
    int slots = runner_grant_cores(r, machine, &r->hosts->memory, (int)h->hello.cores,
                                   h->spec.slots ? h->spec.slots : r->hosts->slots_each, available,
                                   &wanted, &largest);
    slots = slots < HOST_SLOTS_MAX ? slots : HOST_SLOTS_MAX;
    if (!host_is_here(h) || r->hosts->quiet)
        return slots;
    if (slots < wanted)
        tell_memory(r, slots, wanted, available, largest);
    tell_cores(r, machine, slots);
    return slots;
}

enum { ANNOUNCED_MAX = 16 }; /* machines that are named */

/* That machines compute with other kernels than the first of those that work. */
static void tell_differences(struct runner *r)
{
    const struct build_info *first = NULL;
    for (int k = 0; k < r->machines; k++) {
        const struct build_info *h = &r->machine[k].host->hello.build;
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

static void ready(struct runner *r, struct machine *machine)
{
    struct message m;
    runner_build_words(&machine->host->hello.build, machine->build, sizeof machine->build);
    if (machine->slots == 0 &&
        runner_make_slots(r, machine, slots_of(r, machine), &m) != STATUS_OK) {
        host_refuse(machine->host, m.text);
        return;
    }
    progress_slots(r->view, r->slots);
    if (machine->heard)
        runner_say(r, "%s is back", name_of(machine));
    machine->build_id = 0; /* it may be another machine of that name by now */
    machine->data_good[0] = '\0';
    r->builds_due = true;
}

/* What ran there goes on elsewhere. */
static void lost(struct runner *r, struct machine *machine)
{
    const struct host *h = machine->host;
    char what[64] = "", text[MESSAGE_SIZE];
    int running = runner_running_on(machine);
    bool at_work = machine->works;
    if (h->out_of_memory)
        runner_limit_trials(r, machine, (running + 1) / 2, "memory does not suffice");
    runner_machine_works(r, machine, false);
    for (int i = 0; i < machine->slots; i++) {
        struct slot *s = &machine->slot[i];
        if (s->phase != SLOT_RUNS)
            continue;
        char why[MESSAGE_SIZE];
        snprintf(why, sizeof why, "%s: %.1700s", name_of(machine), h->why);
        slot_lost(s, r->job.folder, why);
        runner_take_loss(r, s, at_work);
    }
    if (running > 0)
        snprintf(what, sizeof what, "; %d trial%s go%s on %s", running, text_plural(running),
                 running == 1 ? "es" : "", r->machines > 1 ? "elsewhere" : "then");
    if (host_loss_words(h, text) && !r->stopping)
        runner_say(r, "%s%s", text, what);
    machine->heard = true;
}

/* The slot that an event is about; NULL where nothing runs there, or not any more. */
static struct slot *slot_of(const struct machine *machine, const struct host_event *e)
{
    struct slot *s = e->slot < machine->slots ? &machine->slot[e->slot] : NULL;
    return s && s->phase == SLOT_RUNS ? s : NULL;
}

static void take_event(void *context, int k, const struct host_event *e)
{
    struct runner *r = context;
    struct machine *machine = &r->machine[k];
    struct slot *s = slot_of(machine, e);
    switch (e->kind) {
    case HOST_EVENT_GREETED:
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
        n += machine->slot[i].phase != SLOT_FREE;
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

/* ---- a turn ---- */

void runner_hosts_turn(struct runner *r)
{
    struct message m;
    crew_turn(&r->crew, r->stopping, take_event, r);
    double now = clock_now_s();
    if (!host_is_here(r->machine[0].host) && progress_live(r->view) &&
        now - r->hosts->shown_s >= 0.2) {
        r->hosts->shown_s = now;
        show_machines(r, now);
    }
    enum status s = r->stopping ? STATUS_OK : crew_check(&r->crew, &m);
    if (s != STATUS_OK)
        runner_stop_for(r, s, m.text);
    if (!r->hosts->announced)
        announce_machines(r);
    if (!r->stopping && crew_has_ended(&r->crew, now)) {
        runner_say(r,
                   "the allocation (job %s of Slurm) is gone: stopping; the same command in a "
                   "new allocation goes on",
                   getenv("SLURM_JOB_ID"));
        runner_stop(r);
    }
}

enum status runner_hosts_record(struct runner *r, struct message *m)
{
    enum status s = STATUS_OK;
    for (int k = 0; r->builds_due && k < r->machines && s == STATUS_OK; k++) {
        struct machine *machine = &r->machine[k];
        if (machine->host->state != HOST_READY || machine->works)
            continue;
        s = store_build(r->store, &machine->host->hello.build, &machine->build_id, m);
    }
    return s;
}

/* Says where the environment keeps OpenBLAS from using what the CPU can do, what that costs and
 * what to do about it: once for each results file and build, before the first attempt of it.
 * Kernels that the library itself chose poorly are bettered without a word (blas_load). */
static void tell_kernels(struct runner *r, const struct machine *machine)
{
    const char *chosen = blas_hindered();
    struct rows used =
        rows_open(r->store, NULL, "SELECT 1 FROM attempt WHERE build_id = ?1 LIMIT 1",
                  VALUES(INTEGER(machine->build_id)));
    bool told = rows_next(&used);
    rows_close(&used);
    if (chosen && !told)
        runner_say(
            r,
            "OPENBLAS_CORETYPE=%s keeps OpenBLAS from using all that this CPU can do: matrix "
            "products may take several times as long; unset it to use the best kernels",
            chosen);
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
        if (host_is_here(machine->host) && !r->hosts->quiet)
            tell_kernels(r, machine);
    }
    if (!r->hosts->announced)
        announce_machines(r);
}
