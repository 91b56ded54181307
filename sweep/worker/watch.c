#include "sweep/worker/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool watch_sample(pid_t pid, struct watch_sample *sample)
{
    char path[64], line[1024];
    unsigned long user, system;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool there = fgets(line, sizeof line, f) != NULL;
    fclose(f);
    /* The name, in parentheses, may hold anything: what follows begins behind the last one. */
    const char *rest = there ? strrchr(line, ')') : NULL;
    if (!rest || sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                        &sample->state, &user, &system) != 3)
        return false;
    sample->cpu_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

void watch_begin(struct watch *w, double now)
{
    const char *given = getenv("HEADCOUNT_SILENCE_S");
    double patience_s = given ? strtod(given, NULL) : 0;
    *w = (struct watch){.patience_s = patience_s > 0 ? patience_s : WATCH_SILENCE_S,
                        .looked_s = now};
}

void watch_heard(struct watch *w)
{
    w->longest_s = fmax(w->longest_s, w->silent_s);
    w->silent_s = 0;
}

void watch_leaving(struct watch *w)
{
    if (!w->leaving)
        w->silent_s = 0;
    w->leaving = true;
}

enum watch_verdict watch_look(struct watch *w, const struct watch_sample *sample, double now)
{
    double passed = fmin(now - w->looked_s, 1);
    double used = fmin(fmax(sample->cpu_s - w->cpu_s, 0), passed);
    w->silent_s += sample->state == 'S' ? passed : used;
    w->leaving_s += w->leaving ? passed : 0;
    w->looked_s = now;
    w->cpu_s = sample->cpu_s;
    if (w->leaving_s >= WATCH_STOP_S)
        return w->silent_s >= WATCH_STOP_S / 4.0 ? WATCH_HUNG : WATCH_LATE;
    bool silent = w->silent_s >= fmax(w->patience_s, WATCH_SILENCES * w->longest_s);
    return silent ? WATCH_HUNG : WATCH_FINE;
}
