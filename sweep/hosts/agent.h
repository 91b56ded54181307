/* An agent: starts workers on its machine for a coordinator, and passes on what both say
 * (agent_wire.h). On the coordinator's own machine it is `headcount agent-here`, which dies with
 * the coordinator, on others `headcount agent`. Its workers die with it, at whatever instant that
 * happens (process.h).
 *
 * It ends when the coordinator says so or is gone (the end of what it says, or silence for too
 * long) and at a signal (stop.h); each time its workers have WATCH_STOP_S to save a checkpoint. */
#ifndef SWEEP_HOSTS_AGENT_H
#define SWEEP_HOSTS_AGENT_H

#include "engine/base/status.h"

/* Until the coordinator has said for how long an agent is to bear its silence. */
enum { AGENT_PATIENCE_S = 600 };

/* The whole life of an agent that hears the coordinator on `in` and speaks to it on `out`; both are
 * made not to block. OK: it was dismissed, or the coordinator has gone. INTERRUPTED: a signal asked
 * it to stop. BAD_INPUT: it cannot work here or does not understand the coordinator; who was told
 * so where that is possible. */
enum status agent_run(int in, int out, struct message *m);

/* That of one that process_fork started; returns its exit status: AGENT_STOPPED after a signal. */
#define AGENT_HERE "agent-here"
enum { AGENT_STOPPED = 75 };
int agent_here(void);

#endif
