#include "engine/base/heartbeat.h"

#include <stddef.h>

void (*heartbeat_listener)(void) = NULL;
