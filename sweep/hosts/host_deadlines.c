/* What an agent owes, and by when: a run does not wait for ever for one that is there and withholds
 * something.
 *
 *   since                               it is to say
 *   its launcher was started            HELLO
 *   OPEN                                READY or REFUSED
 *   its last frame                      another, whole
 *   START, or its last answer to one    SPAWNED or ENDED
 *   the last word of a worker           another, or RUNS
 *   STOP, KILL; a worker's last word    ENDED
 *   LEAVING                             nothing more
 *
 * Each within the patience (host.h), and while a frame has begun and is not whole a second later
 * for each KiB of it: a network may be slow. An agent ends a worker that does not stop, and itself,
 * well before that (WATCH_STOP_S).
 *
 * Time in which this process did not run (it was stopped, or its machine slept) is nobody's fault.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/hosts/host_internal.h"

static const double BEATS = 12;        /* in a patience */
static const double SLOWEST = 1 << 10; /* bytes of a frame in a second */

struct host_lane {
    enum { LANE_FREE, LANE_ASKED, LANE_RUNS } state;
    bool leaves;
    int order;      /* ASKED: of all STARTs */
    double heard_s; /* RUNS: a word of it, or since when it leaves */
};

double host_beat_s(const struct host *h)
{
    return h->patience_s / BEATS;
}

void host_clock_start(struct host *h, double now)
{
    h->looked_s = now;
    h->awake_s = h->heard_s = 0;
    h->asked = h->answered = 0;
    for (int i = 0; i < h->lanes; i++)
        h->lane[i].state = LANE_FREE;
}

void host_clock_run(struct host *h, double now)
{
    h->awake_s += fmin(now - h->looked_s, fmin(h->patience_s / 4, 1));
    h->looked_s = now;
}

void host_enter(struct host *h, enum host_state state)
{
    h->state = state;
    h->state_s = h->heard_s = h->awake_s;
}

/* ---- slots ---- */

enum status host_lane_asked(struct host *h, int slot, struct message *m)
{
    if (slot >= h->lanes) {
        struct host_lane *more = realloc(h->lane, ((size_t)slot + 1) * sizeof *more);
        if (!more)
            return status_no_memory(m, "a machine's slots");
        memset(more + h->lanes, 0, (size_t)(slot + 1 - h->lanes) * sizeof *more);
        h->lane = more;
        h->lanes = slot + 1;
    }
    if (h->asked == h->answered)
        h->answered_s = h->awake_s;
    h->lane[slot] = (struct host_lane){.state = LANE_ASKED, .order = h->asked++};
    return STATUS_OK;
}

void host_lane_leaves(struct host *h, int slot)
{
    struct host_lane *l = slot < h->lanes ? &h->lane[slot] : NULL;
    if (!l || l->leaves)
        return;
    l->leaves = true;
    l->heard_s = h->awake_s;
}

bool host_lane_heard(struct host *h, int slot, uint32_t type, bool unstarted)
{
    struct host_lane *l = slot < h->lanes ? &h->lane[slot] : NULL;
    bool answers = type == AGENT_SPAWNED || (type == AGENT_ENDED && unstarted);
    if (!answers && type < WIRE_STARTED && type != AGENT_RUNS && type != AGENT_ENDED)
        return true;
    if (!l || l->state != (answers ? LANE_ASKED : LANE_RUNS) ||
        (answers && l->order != h->answered))
        return false;
    if (answers) {
        h->answered++;
        h->answered_s = h->awake_s;
    }
    if (answers || !l->leaves)
        l->heard_s = h->awake_s;
    l->state = type == AGENT_ENDED ? LANE_FREE : LANE_RUNS;
    return true;
}

/* A worker that runs there, or its end, has not been heard of in time, or late_s after that. */
static bool lane_overdue(const struct host *h, double late_s, char *why, size_t size)
{
    for (int i = 0; i < h->lanes; i++) {
        const struct host_lane *l = &h->lane[i];
        if (l->state != LANE_RUNS || h->awake_s - l->heard_s < h->patience_s + late_s)
            continue;
        snprintf(why, size, "its agent %s for %.0f s",
                 l->leaves ? "has not reported the end of a worker"
                           : "has reported nothing of a worker",
                 h->patience_s);
        return true;
    }
    return false;
}

/* ---- what is overdue ---- */

/* Of one that works or has worked. */
static enum host_due work_overdue(const struct host *h, char *why, size_t size)
{
    size_t begun = wire_begun(&h->in.frames);
    double late_s = (double)begun / SLOWEST;
    if (h->awake_s - h->heard_s >= h->patience_s + late_s) {
        snprintf(why, size,
                 begun ? "stopped in the middle of a message %.0f s ago"
                       : "has been silent for %.0f s",
                 h->patience_s + late_s);
        return begun ? HOST_DUE_ANSWER : HOST_DUE_SIGN;
    }
    if (h->answered < h->asked && h->awake_s - h->answered_s >= h->patience_s + late_s) {
        snprintf(why, size, "its agent did not say within %.0f s whether a worker started",
                 h->patience_s);
        return HOST_DUE_ANSWER;
    }
    return lane_overdue(h, late_s, why, size) ? HOST_DUE_ANSWER : HOST_DUE_NOTHING;
}

enum host_due host_overdue(const struct host *h, char *why, size_t size)
{
    double waited_s = h->awake_s - h->state_s;
    if (h->state == HOST_STARTING && waited_s >= h->patience_s) {
        snprintf(why, size, "no agent spoke within %.0f s (does its launcher wait for a password?)",
                 h->patience_s);
        return HOST_DUE_SIGN;
    }
    if (h->state == HOST_OPENING && waited_s >= h->patience_s) {
        snprintf(why, size,
                 "its agent did not say within %.0f s whether it sees the results folder",
                 h->patience_s);
        return HOST_DUE_SIGN;
    }
    if (h->state == HOST_LEAVING && waited_s >= h->patience_s) {
        snprintf(why, size, "its agent was to end and did not within %.0f s", h->patience_s);
        return HOST_DUE_ANSWER;
    }
    if (h->state == HOST_READY || h->state == HOST_LEAVING)
        return work_overdue(h, why, size);
    return HOST_DUE_NOTHING;
}
