#include "sweep/run/cores.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Cores granted by a cgroup v2 folder's cpu.max ("max 100000" or "150000 100000"). */
static double quota_v2(const char *folder)
{
    char path[PATH_MAX + 64];
    double quota, period;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", folder);
    FILE *f = fopen(path, "re");
    if (!f)
        return INFINITY;
    int n = fscanf(f, "%lf %lf", &quota, &period);
    fclose(f);
    return n == 2 && quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double quota_v1(void)
{
    double quota = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re");
    if (f) {
        if (fscanf(f, "%lf", &quota) != 1)
            quota = 0;
        fclose(f);
    }
    f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re");
    if (f) {
        if (fscanf(f, "%lf", &period) != 1)
            period = 0;
        fclose(f);
    }
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double cgroup_quota(void)
{
    char line[PATH_MAX];
    double least = fmin(quota_v1(), quota_v2(""));
    FILE *f = fopen("/proc/self/cgroup", "re");
    if (!f)
        return least;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        /* A parent's quota binds its children: look at every level. */
        for (char *folder = line + 3; *folder; *strrchr(folder, '/') = '\0')
            least = fmin(least, quota_v2(folder));
    }
    fclose(f);
    return least;
}

int cores_usable(void)
{
    cpu_set_t set;
    /* More CPUs than the set has room for: all that are online. */
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    double quota = cgroup_quota();
    if (quota < cores)
        cores = (int)quota;
    return cores < 1 ? 1 : cores;
}
