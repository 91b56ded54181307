/* Where a server listens. */
#ifndef SWEEP_SERVE_ADDRESS_H
#define SWEEP_SERVE_ADDRESS_H

#include <stdbool.h>

#include "engine/base/status.h"

enum { ADDRESS_SOCKETS = 2, ADDRESS_NAMES = 6, ADDRESS_NAME_SIZE = 256 };

struct listening {
    int fd[ADDRESS_SOCKETS]; /* they listen; -1: it is no longer ours to close */
    bool ipv6[ADDRESS_SOCKETS];
    int count, port;
    bool local;                                  /* only this machine can come */
    char name[ADDRESS_NAMES][ADDRESS_NAME_SIZE]; /* what a client may call it, in lower case and
                                                    without brackets; the first is for people */
    const char *names[ADDRESS_NAMES + 1];        /* the same, ending with NULL */
};

/* Listens at an address or name, NULL: 127.0.0.1 and, where this machine has it, ::1. port 0: any;
 * tries: of so many ports, the first that is free; option: what names another, for the message.
 * BAD_INPUT where there is no such address here, or the port is taken; IO. */
enum status address_listen(const char *where, int port, int tries, const char *option,
                           struct listening *l, struct message *m);
void address_close(struct listening *l);

#endif
