/* Counts the threads that the library starts and joins, and can refuse them: a program that
 * includes this has its own pthread_create and pthread_join, which the linker prefers to the C
 * library's. */
#ifndef TESTS_UNIT_OWN_THREADS_H
#define TESTS_UNIT_OWN_THREADS_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "engine/base/heartbeat.h"

static int startable; /* how many can be started */
static int running;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *context)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&next, &found, sizeof next);
    if (running == startable)
        return EAGAIN;
    int failed = next(thread, attributes, run, context);
    running += !failed;
    return failed;
}

int pthread_join(pthread_t thread, void **result)
{
    int (*next)(pthread_t, void **);
    void *found = dlsym(RTLD_NEXT, "pthread_join");
    memcpy(&next, &found, sizeof next);
    running--;
    return next(thread, result);
}

static int set_up(void **state)
{
    (void)state;
    startable = 1000;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    heartbeat_listener = NULL;
    return running == 0 ? 0 : -1;
}

#endif
