/* A server of results files: the page, live, for browsers. request.h says what it answers.
 *
 * It never writes to a results file, and holds none open: a reader that stayed would keep the
 * coordinator from turning the log into the file at the end of a run. */
#ifndef SWEEP_SERVE_SERVE_H
#define SWEEP_SERVE_SERVE_H

#include <stdbool.h>

#include "engine/base/status.h"

enum { SERVE_PORT = 8080, SERVE_PORTS = 10, SERVE_FILES_MAX = 64 };

/* The texts are kept until serve_stop. */
struct serve_options {
    const char *const *files; /* results files, which must be there at the start */
    int count;                /* 1 to SERVE_FILES_MAX */
    const char *listen; /* address or name to listen at; NULL: this machine only (127.0.0.1 and,
                           where there is one, ::1) */
    int port;           /* 0: any that is free */
    bool next_port;     /* where it is taken: one of the next, SERVE_PORTS in all */
    const char *port_option; /* what names a port, for messages: "--port" */
    const char *token_file;  /* NULL: a token is made where others than this machine can ask */
};

struct server;

/* Begins to answer, in threads of its own, which take no signals. BAD_INPUT where an option or a
 * file cannot be (no results file, no such address, a port that is taken, a bad token file); IO
 * where libmicrohttpd is missing (the message says how to get it) or the system refuses; as
 * store_open where a file cannot be read. *s is NULL where it fails. */
enum status serve_start(const struct serve_options *o, struct server **s, struct message *m);

/* Where it answers, "http://127.0.0.1:8080/"; with the token, where one was made. The server's. */
const char *serve_address(const struct server *s);

/* How many browsers (event streams) there are. */
int serve_listeners(struct server *s);

/* From now on what has changed is computed as soon as it is asked for, whatever it costs, and
 * browsers are told at once: for a server that is about to end. */
void serve_skip_cooldown(struct server *s);

/* Ends all connections and frees s (NULL is allowed). False where a piece of a page was being
 * computed and did not end within SERVE_PATIENCE_MS: the thread that computes it goes on, and keeps
 * s. */
enum { SERVE_PATIENCE_MS = 500 };
bool serve_stop(struct server *s);

#endif
