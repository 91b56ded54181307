/* Work in a scope of its own, as a command does it. */
#ifndef TESTS_SWEEP_SCOPE_HELP_H
#define TESTS_SWEEP_SCOPE_HELP_H

#include "sweep/db/scope.h"

/* gcc warns of what was changed before a setjmp in a loop, too. Nothing is read behind a scope that
 * its work changes, unless it is done. */
#pragma GCC diagnostic ignored "-Wclobbered"

/* Does what follows in a scope called x; how that ended. */
#define IN_SCOPE(x, store, message, ...)                                                           \
    __extension__({                                                                                \
        struct scope *x = scope_new((store), "a test", (message));                                 \
        if (scope_enter(x)) {                                                                      \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        scope_end(x);                                                                              \
    })

#endif
