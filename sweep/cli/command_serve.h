/* What serve and run --serve have in common. */
#ifndef SWEEP_CLI_COMMAND_SERVE_H
#define SWEEP_CLI_COMMAND_SERVE_H

#include "sweep/serve/serve.h"

enum { COMMAND_PORT_MAX = 65535 };

/* Port and next_port of o from what the user gave; NULL, nothing: SERVE_PORT or one of the next.
 * False where it is no number from 0 to COMMAND_PORT_MAX. */
bool command_serve_port(const char *text, struct serve_options *o);

/* serve_start, behind all that trains (what a run beside it loses is what it takes), and with as
 * many open files as the process may have. It stays so. */
enum status command_serve_start(const struct serve_options *o, struct server **s,
                                struct message *m);

#endif
