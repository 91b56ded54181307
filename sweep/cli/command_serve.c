#include "sweep/cli/command_serve.h"

#include <stddef.h>
#include <sys/resource.h>

enum { NICE = 10 };

bool command_serve_port(const char *text, struct serve_options *o)
{
    o->port = SERVE_PORT;
    o->next_port = text == NULL;
    if (!text)
        return true;
    o->port = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || o->port > COMMAND_PORT_MAX)
            return false;
        o->port = o->port * 10 + (*c - '0');
    }
    return *text && o->port <= COMMAND_PORT_MAX;
}

/* Each connection is an open file. */
static void allow_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

enum status command_serve_start(const struct serve_options *o, struct server **s, struct message *m)
{
    allow_files();
    setpriority(PRIO_PROCESS, 0, NICE); /* the threads inherit it; refused: as it is */
    return serve_start(o, s, m);
}
