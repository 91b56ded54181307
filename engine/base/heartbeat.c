#include "engine/base/heartbeat.h"

#include <stddef.h>

_Thread_local void (*heartbeat_listener)(void) = NULL;
