#include "sweep/serve/listener.h"

enum status listener_new(struct server *s, struct message *m)
{
    (void)s;
    return status_fail(m, STATUS_IO,
                       "libmicrohttpd is needed, and this program was built without it: install "
                       "libmicrohttpd-dev (on Debian: apt-get install libmicrohttpd-dev), then "
                       "`make` again");
}

enum status listener_start(struct server *s, struct message *m)
{
    return listener_new(s, m);
}

void listener_free(struct listener *l)
{
    (void)l;
}
