#include "sweep/run/busy_retry.h"

#include <poll.h>

#include "engine/base/clock.h"
#include "sweep/worker/stop.h"

bool retry_while_busy(struct busy_retry *t, enum status *s, struct message *m)
{
    double now = clock_now_s();
    if (*s != STATUS_BUSY) {
        t->since_s = 0;
        return false;
    }
    if (stop_requests() > 0) {
        *s = status_fail_within(m, STATUS_INTERRUPTED,
                                "stopped while another program holds a lock: ");
        return false;
    }
    if (t->since_s == 0) {
        t->since_s = now;
        t->say(t->context, "waiting for another program that holds a lock on the results file");
    }
    if (now - t->since_s > t->timeout_s)
        return false;
    poll(&(struct pollfd){.fd = stop_wake_fd(), .events = POLLIN}, 1, 100);
    stop_drain();
    return true;
}
