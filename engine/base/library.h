/* Libraries that are loaded when they are first used. */
#ifndef ENGINE_BASE_LIBRARY_H
#define ENGINE_BASE_LIBRARY_H

#include <stdbool.h>

#include "engine/base/status.h"

/* For dlclose: "NAME.so.VERSION", or else "NAME.so". NULL where neither can be loaded: the message
 * (the caller's status goes with it) names the library that is missing, which may be one that this
 * one needs, and Debian's package. */
void *library_open(const char *title, const char *name, int version, const char *package,
                   struct message *m);

/* Stores the function of that name where `function` points; false where the library has none. */
bool library_find(void *library, const char *name, void *function);

#endif
