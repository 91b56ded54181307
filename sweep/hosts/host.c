#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/hosts/agent.h"
#include "sweep/hosts/host_internal.h"

static const double GRACE_S = WATCH_STOP_S + 3; /* for a launcher to end when asked */
static const double END_S = 2;                  /* between its last byte and its end */
static const double BEATS = 12;                 /* in a patience */

struct host_lane {
    bool busy, leaves; /* it has a job; its worker is to end */
    double heard_s;    /* since when it is to be heard of, or of its end */
};

static bool connected(const struct host *h)
{
    return h->state != HOST_WAITING && h->state != HOST_REFUSED;
}

static double from_environment(const char *name, double usual)
{
    const char *given = getenv(name);
    double value = given ? strtod(given, NULL) : 0;
    return value > 0 ? value : usual;
}

bool host_is_here(const struct host *h)
{
    return !h->launch->command;
}

void host_init(struct host *h, const struct host_spec *spec, const struct host_launch *launch)
{
    double patience_s = from_environment("HEADCOUNT_HOST_S", HOST_PATIENCE_S);
    *h = (struct host){.spec = *spec,
                       .launch = launch,
                       .patience_s = patience_s,
                       .first_pause_s = from_environment("HEADCOUNT_PAUSE_S", 1),
                       .in_fd = -1,
                       .out_fd = -1,
                       .error_fd = -1};
}

int host_poll(const struct host *h, struct pollfd fds[3])
{
    int n = 0;
    if (h->out_fd >= 0)
        fds[n++] = (struct pollfd){.fd = h->out_fd, .events = POLLIN};
    if (h->error_fd >= 0)
        fds[n++] = (struct pollfd){.fd = h->error_fd, .events = POLLIN};
    if (h->in_fd >= 0 && wire_waiting(&h->out) > 0)
        fds[n++] = (struct pollfd){.fd = h->in_fd, .events = POLLOUT};
    return n;
}

/* ---- losing it ---- */

static void signal_launcher(const struct host *h, int signal_number)
{
    if (h->launcher > 0)
        kill(host_is_here(h) ? h->launcher : -h->launcher, signal_number);
}

/* Its pipes are closed and its process group is asked to end; host_turn sees to the rest. */
static void hang_up(struct host *h, double now)
{
    host_close_fd(&h->in_fd);
    host_close_fd(&h->out_fd);
    host_close_fd(&h->error_fd);
    signal_launcher(h, SIGTERM);
    h->since_s = now;
}

/* True once there is no launcher (any more). *status: of wait(2), where it ended just now. */
static bool reap(struct host *h, int *status)
{
    if (h->launcher <= 0)
        return true;
    pid_t pid = waitpid(h->launcher, status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR))
        return false;
    if (pid < 0)
        *status = 0; /* somebody else reaped it */
    h->launcher = 0;
    return true;
}

void host_refuse(struct host *h, const char *why)
{
    snprintf(h->why, sizeof h->why, "%s", why);
    hang_up(h, clock_now_s());
    h->state = HOST_REFUSED;
    h->lost = h->at_fault = true;
}

/* It, or what joins it to this machine, is gone. */
static void lose(struct host *h, double now, const char *why)
{
    struct message m;
    bool soon = h->heard_s - h->ready_s < HOST_PAUSE_MAX_S;
    bool counts = !h->was_ready || soon || h->at_fault || host_is_here(h); /* no network */
    h->rests += counts;
    if (counts && h->rests >= HOST_RESTS_MAX) {
        status_fail(&m, STATUS_IO, "given up after %d times: %s", h->rests, why);
        host_refuse(h, m.text);
        return;
    }
    snprintf(h->why, sizeof h->why, "%s", why);
    hang_up(h, now);
    h->state = HOST_WAITING;
    h->pause_s = h->pause_s > 0 ? fmin(2 * h->pause_s, HOST_PAUSE_MAX_S) : h->first_pause_s;
    h->retry_s = h->dismissed ? INFINITY : now + h->pause_s;
    h->lost = true;
}

bool host_loss_words(const struct host *h, char text[MESSAGE_SIZE])
{
    char when[64] = "is not used any more";
    if (h->state == HOST_WAITING)
        snprintf(when, sizeof when, "is tried again in %.0f s", h->pause_s);
    snprintf(text, MESSAGE_SIZE, "%s %s: %.1500s", h->spec.name, when, h->why);
    return !host_is_here(h) || h->state != HOST_REFUSED;
}

void host_fault(struct host *h, double now, const char *why)
{
    h->at_fault = true;
    lose(h, now, why);
}

/* What it said cannot be, or it cannot work: a host that never did will not do better. */
static void distrust(struct host *h, double now, const char *why)
{
    if (h->was_ready)
        host_fault(h, now, why);
    else
        host_refuse(h, why);
}

/* ---- what it owes, and since when ---- */

/* Lets the clock run on by the time since the last call, of which only so much counts as this
 * process can have been awake. */
static void run_clock(struct host *h, double now)
{
    h->awake_s += fmin(now - h->looked_s, fmin(h->patience_s / 4, 1));
    h->looked_s = now;
}

static void enter(struct host *h, enum host_state state)
{
    h->state = state;
    h->state_s = h->heard_s = h->awake_s;
}

/* A START goes to that slot. */
static enum status ask_slot(struct host *h, int slot, struct message *m)
{
    if (slot >= h->lanes) {
        struct host_lane *more = realloc(h->lane, ((size_t)slot + 1) * sizeof *more);
        if (!more)
            return status_no_memory(m, "a machine's slots");
        memset(more + h->lanes, 0, (size_t)(slot + 1 - h->lanes) * sizeof *more);
        h->lane = more;
        h->lanes = slot + 1;
    }
    h->lane[slot] = (struct host_lane){.busy = true, .heard_s = h->awake_s};
    return STATUS_OK;
}

/* Its worker is to end, by what it was told or by what it said. */
static void slot_leaves(struct host *h, int slot)
{
    struct host_lane *l = slot < h->lanes ? &h->lane[slot] : NULL;
    if (!l || l->leaves)
        return;
    l->leaves = true;
    l->heard_s = h->awake_s;
}

/* A frame has come. False where it is about a slot that has no job. */
static bool hear_of_slot(struct host *h, int slot, uint32_t type)
{
    struct host_lane *l = slot < h->lanes ? &h->lane[slot] : NULL;
    if (type < WIRE_STARTED && type != AGENT_SPAWNED && type != AGENT_RUNS && type != AGENT_ENDED)
        return true;
    if (!l || !l->busy)
        return false;
    if (!l->leaves)
        l->heard_s = h->awake_s;
    l->busy = type != AGENT_ENDED;
    return true;
}

/* A slot of which nothing has been heard in time, or not of its end; NULL: none. */
static const struct host_lane *overdue_slot(const struct host *h)
{
    for (int i = 0; i < h->lanes; i++)
        if (h->lane[i].busy && h->awake_s - h->lane[i].heard_s >= h->patience_s)
            return &h->lane[i];
    return NULL;
}

/* Loses it where something is overdue. What an agent withholds that is there is its own fault. */
static void demand(struct host *h, double now)
{
    char why[160];
    const char *what = NULL, *hint = "";
    const bool state = h->awake_s - h->state_s >= h->patience_s;
    const bool works = h->state == HOST_READY || h->state == HOST_LEAVING;
    const struct host_lane *l = works ? overdue_slot(h) : NULL;
    bool withholds = false;
    if (state && h->state == HOST_STARTING) {
        what = "no agent spoke";
        hint = " (does its launcher wait for a password?)";
    } else if (state && h->state == HOST_OPENING) {
        what = "its agent has said nothing about the results folder";
    } else if (works && h->awake_s - h->heard_s >= h->patience_s) {
        what = "has been silent";
    } else if (l || (state && h->state == HOST_LEAVING)) {
        withholds = true;
        what = !l          ? "its agent was to end and has not"
               : l->leaves ? "its agent has not reported the end of a worker"
                           : "its agent has reported nothing of a worker";
    }
    if (!what)
        return;
    snprintf(why, sizeof why, "%s for %.0f s%s", what, h->patience_s, hint);
    if (withholds)
        host_fault(h, now, why);
    else
        lose(h, now, why);
}

/* ---- starting it, and what it is told ---- */

static void start(struct host *h, double now)
{
    struct message m;
    wire_free(&h->in.frames);
    h->in = (struct agent_in){.skips = true};
    wire_free(&h->out);
    h->tail_used = 0;
    h->at_end = h->at_fault = h->out_of_memory = false;
    h->ready_s = -INFINITY;
    h->since_s = h->beat_s = now;
    h->looked_s = now;
    h->awake_s = 0;
    for (int i = 0; i < h->lanes; i++)
        h->lane[i].busy = false;
    enter(h, HOST_STARTING);
    enum status s = host_spawn(h, &m);
    if (s != STATUS_OK && host_is_here(h))
        host_refuse(h, m.text); /* as where a worker cannot be started */
    else if (s != STATUS_OK)
        lose(h, now, m.text);
}

static void put(struct host *h, uint32_t type, int slot, const void *payload, size_t size)
{
    struct message m;
    if (connected(h) && wire_put(&h->out, type, slot, payload, size, &m) != STATUS_OK)
        lose(h, clock_now_s(), m.text);
}

void host_open(struct host *h, const struct agent_open *o, const char *proof)
{
    char text[AGENT_TEXT_MAX];
    struct agent_open open = *o;
    open.beat_s = h->patience_s / BEATS;
    /* Here the end of its pipe says that we are gone, and no network can hide that. */
    open.patience_s = host_is_here(h) ? 1e9 : 5 * h->patience_s;
    int length = agent_open_format(&open, text, sizeof text);
    if (length < 0) {
        host_refuse(h, "the path of the results folder is too long to be sent to it");
        return;
    }
    snprintf(h->proof, sizeof h->proof, "%s", proof);
    enter(h, HOST_OPENING);
    put(h, AGENT_OPEN, 0, text, (size_t)length);
}

void host_start(struct host *h, int slot, const char *job, size_t size)
{
    struct message m;
    if (ask_slot(h, slot, &m) != STATUS_OK)
        lose(h, clock_now_s(), m.text);
    put(h, WIRE_START, slot, job, size);
}

void host_set_threads(struct host *h, int slot, int threads)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%d", threads);
    put(h, WIRE_THREADS, slot, text, (size_t)length);
}

void host_stop(struct host *h, int slot)
{
    slot_leaves(h, slot);
    put(h, AGENT_STOP, slot, NULL, 0);
}

void host_kill(struct host *h, int slot)
{
    slot_leaves(h, slot);
    put(h, AGENT_KILL, slot, NULL, 0);
}

void host_bye(struct host *h)
{
    h->dismissed = true;
    h->retry_s = INFINITY;
    if (h->state == HOST_READY || h->state == HOST_LEAVING) {
        put(h, AGENT_BYE, 0, NULL, 0);
    } else if (connected(h)) { /* nobody is there yet to be told */
        hang_up(h, clock_now_s());
        h->state = HOST_WAITING;
    }
}

/* ---- listening ---- */

/* Where it is gone, the end of what it says tells so, with its reason. */
static void flush(struct host *h)
{
    if (h->in_fd >= 0 && wire_flush(&h->out, h->in_fd, NULL) != STATUS_OK) {
        host_close_fd(&h->in_fd);
        wire_free(&h->out);
    }
}

/* What it has said is taken in before its end is seen: the loss of a host drops what still waits.
 */
void host_listen(struct host *h, double now)
{
    char bytes[65536];
    struct message m;
    bool said = false;
    host_read_errors(h);
    for (int i = 0; i < HOST_READS_MAX && h->out_fd >= 0; i++) {
        ssize_t n = read(h->out_fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if ((n < 0 && errno == EAGAIN) || (n <= 0 && said))
            break;
        if (n <= 0) {
            host_close_fd(&h->out_fd);
            h->at_end = true;
            h->since_s = now;
            break;
        }
        said = true;
        h->heard_s = h->awake_s;
        if (agent_feed(&h->in, bytes, (size_t)n, &m) != STATUS_OK)
            distrust(h, now, m.text);
        if ((size_t)n < sizeof bytes)
            break;
    }
    flush(h);
}

/* ---- what it says ---- */

static void greet(struct host *h, const char *text, struct host_event *e)
{
    const struct agent_hello *hello = &h->hello;
    struct message m;
    if (agent_hello_parse(text, &h->hello, &m) != STATUS_OK) {
        distrust(h, clock_now_s(), m.text);
        return;
    }
    if (strcmp(hello->sources, h->launch->sources) != 0) {
        status_fail(&m, STATUS_BAD_INPUT,
                    "it runs another program: its sources are %.12s (headcount %s, commit %s), "
                    "ours %.12s; build it from the same tree",
                    hello->sources, hello->build.version, hello->build.commit, h->launch->sources);
        host_refuse(h, m.text);
        return;
    }
    if (strcmp(hello->order, "little") != 0) {
        host_refuse(h, "its numbers are big endian, those here little endian; leave it out");
        return;
    }
    enter(h, HOST_GREETED);
    e->kind = HOST_EVENT_GREETED;
}

static void prove(struct host *h, const char *proof, struct host_event *e)
{
    if (strcmp(proof, h->proof) != 0) {
        host_refuse(h, "its results folder has the same path, but is not the one of this machine; "
                       "let both machines share one");
        return;
    }
    enter(h, HOST_READY);
    h->was_ready = true;
    h->ready_s = h->awake_s;
    e->kind = HOST_EVENT_READY;
}

/* Whether a frame of that type may come now. */
static bool expected(const struct host *h, uint32_t type)
{
    switch (type) {
    case AGENT_HELLO:
        return h->state == HOST_STARTING;
    case AGENT_READY:
    case AGENT_REFUSED: /* the signal that it is LEAVING for may have come before the OPEN */
        return h->state == HOST_OPENING || h->state == HOST_LEAVING;
    case AGENT_SPAWNED:
    case AGENT_RUNS:
    case AGENT_ENDED:
        return h->state == HOST_READY || h->state == HOST_LEAVING;
    case AGENT_LEAVING:
        return h->state != HOST_LEAVING;
    case AGENT_BEAT:
        return true;
    default: /* a worker's message */
        return type >= WIRE_STARTED && (h->state == HOST_READY || h->state == HOST_LEAVING);
    }
}

/* True where it is an event: e is filled. */
static bool take_frame(struct host *h, const struct wire_frame *f, struct host_event *e)
{
    struct message m;
    enum status s = STATUS_OK;
    *e = (struct host_event){.kind = HOST_EVENT_LOST, .slot = f->slot};
    bool in_turn = expected(h, f->type);
    if (in_turn && f->type == AGENT_ENDED)
        s = agent_ended_parse(f->payload, &e->ended, &m);
    if (s == STATUS_OK && !(in_turn && hear_of_slot(h, f->slot, f->type)))
        s = status_fail(&m, STATUS_BAD_INPUT,
                        "its agent broke the protocol (unexpected frame of type %d)", (int)f->type);
    if (s != STATUS_OK) {
        distrust(h, clock_now_s(), m.text);
        return false;
    }
    switch (f->type) {
    case AGENT_HELLO:
        greet(h, f->payload, e);
        break;
    case AGENT_READY:
        if (h->state == HOST_OPENING)
            prove(h, f->payload, e);
        break;
    case AGENT_REFUSED: /* a folder that was there may come back, as a mount after a reboot does */
        if (h->was_ready)
            lose(h, clock_now_s(), f->payload);
        else
            host_refuse(h, f->payload);
        break;
    case AGENT_SPAWNED:
        e->kind = HOST_EVENT_SPAWNED;
        e->pid = strtoll(f->payload, NULL, 10);
        break;
    case AGENT_ENDED:
        e->kind = HOST_EVENT_ENDED;
        break;
    case AGENT_LEAVING:
        enter(h, HOST_LEAVING);
        e->kind = HOST_EVENT_LEAVING;
        break;
    case WIRE_FINISHED:
    case WIRE_STOPPED:
    case WIRE_PAUSED:
        slot_leaves(h, f->slot);
        break;
    default:
        break;
    }
    if (f->type >= WIRE_STARTED) {
        e->kind = HOST_EVENT_MESSAGE;
        e->message = *f;
    }
    return e->kind != HOST_EVENT_LOST;
}

bool host_next(struct host *h, struct host_event *e)
{
    struct wire_frame f;
    while (connected(h) && wire_next(&h->in.frames, &f))
        if (take_frame(h, &f, e))
            return true;
    if (!h->lost)
        return false;
    h->lost = false;
    *e = (struct host_event){.kind = HOST_EVENT_LOST};
    return true;
}

/* ---- time ---- */

/* Its launcher has ended; status as of wait(2). */
static void launcher_ended(struct host *h, double now, int status)
{
    struct message m;
    const char *words = host_last_words(h), *what = host_is_here(h) ? "agent" : "launcher";
    const char *memory = h->state == HOST_LEAVING ? NULL : host_memory_words(h);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : AGENT_STOPPED;
    bool absent = host_is_here(h) ? code != AGENT_STOPPED : code == 126 || code == 127;
    if (h->dismissed) {
        hang_up(h, now);
        h->state = HOST_WAITING;
        return;
    }
    h->out_of_memory = memory;
    if (memory)
        status_fail(&m, STATUS_IO,
                    "killed for memory (%s); give it more, as in `submit ... -- --mem=8G`", memory);
    else if (words[0] && host_is_here(h))
        status_fail(&m, STATUS_IO, "%s", words);
    else if (words[0])
        status_fail(&m, STATUS_IO, "its launcher ended: %s", words);
    else if (WIFSIGNALED(status))
        status_fail(&m, STATUS_IO, "its %s was ended by a signal (%s)", what,
                    strsignal(WTERMSIG(status)));
    else
        status_fail(&m, STATUS_IO, "its %s ended with status %d", what, WEXITSTATUS(status));
    if (absent && !h->was_ready)
        host_refuse(h, m.text);
    else
        lose(h, now, m.text);
}

/* So that it knows that this process is there, and this one what it owes. */
static void beat(struct host *h, double now)
{
    run_clock(h, now);
    if (now - h->beat_s < h->patience_s / BEATS)
        return;
    h->beat_s = now;
    if (h->state == HOST_OPENING || h->state == HOST_READY || h->state == HOST_LEAVING)
        put(h, AGENT_BEAT, 0, NULL, 0);
    if (!h->at_end && connected(h)) /* else its launcher is to end */
        demand(h, now);
}

void host_turn(struct host *h, double now)
{
    int status = 0;
    if (!connected(h)) {
        if (!reap(h, &status) && now - h->since_s > GRACE_S)
            signal_launcher(h, SIGKILL);
        if (h->state == HOST_WAITING && h->launcher == 0 && now >= h->retry_s)
            start(h, now);
        return;
    }
    if (h->at_end && reap(h, &status)) {
        launcher_ended(h, now, status);
        return;
    }
    if (h->at_end && now - h->since_s > END_S) {
        lose(h, now, "its output was closed");
        return;
    }
    if (h->state == HOST_READY && h->awake_s - h->ready_s > HOST_PAUSE_MAX_S)
        h->pause_s = 0; /* it works */
    beat(h, now);
    flush(h);
}

bool host_runs(struct host *h)
{
    int status;
    return !reap(h, &status);
}

void host_close(struct host *h)
{
    signal_launcher(h, SIGKILL);
    host_close_fd(&h->in_fd);
    host_close_fd(&h->out_fd);
    host_close_fd(&h->error_fd);
    for (double until_s = clock_now_s() + 1; host_runs(h) && clock_now_s() < until_s;)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    free(h->lane);
    wire_free(&h->in.frames);
    wire_free(&h->out);
}
