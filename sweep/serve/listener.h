/* The server's side of HTTP, through libmicrohttpd. Where its header was missing when this program
 * was built, listener_none.c stands in, which cannot start. */
#ifndef SWEEP_SERVE_LISTENER_H
#define SWEEP_SERVE_LISTENER_H

#include "sweep/serve/serve_parts.h"

/* Loads the library. IO where that cannot be, with the remedy. */
enum status listener_new(struct server *s, struct message *m);

/* Begins to answer at s->listening, whose sockets are the listener's from now on. */
enum status listener_start(struct server *s, struct message *m);

/* Ends all connections, of which none may be suspended, and frees it (NULL is allowed). */
void listener_free(struct listener *l);

#endif
