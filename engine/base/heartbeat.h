/* Signs of life of work that takes long. Whatever may compute for minutes (a step of a large model,
 * an evaluation, a checkpoint) beats once per piece of work that takes seconds at most; a process
 * that is watched has a listener that passes the beats on. */
#ifndef ENGINE_BASE_HEARTBEAT_H
#define ENGINE_BASE_HEARTBEAT_H

/* Of the calling thread. NULL, as in every new one: nobody listens. Called as often as work is
 * done: it must be cheap most of the time. */
extern _Thread_local void (*heartbeat_listener)(void);

static inline void heartbeat(void)
{
    if (heartbeat_listener)
        heartbeat_listener();
}

#endif
