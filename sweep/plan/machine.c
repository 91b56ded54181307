#include "sweep/plan/machine.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 4096 };

static FILE *group_open(const char *group, const char *name)
{
    char path[3 * LINE];
    snprintf(path, sizeof path, "%s/%s", group, name);
    return fopen(path, "re");
}

/* The first numbers of {group}/{name}; returns how many there are ("max" is none). */
static int group_numbers(const char *group, const char *name, double numbers[2])
{
    FILE *f = group_open(group, name);
    if (!f)
        return 0;
    int n = fscanf(f, "%lf %lf", &numbers[0], &numbers[1]);
    fclose(f);
    return n < 0 ? 0 : n;
}

/* The number behind `key` in lines "key number"; 0 where there is none. */
static double number_behind(FILE *f, const char *key)
{
    char line[LINE];
    double number = 0;
    size_t n = strlen(key);
    while (f && number == 0 && fgets(line, sizeof line, f))
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            number = strtod(line + n, NULL);
    if (f)
        fclose(f);
    return number;
}

/* What one group grants; infinite where it does not say. Groups of v2 and v1 say it in files of
 * other names, so that each is asked for both. */
typedef double group_grant(const char *group);

/* cpu.max: "max 100000" or "150000 100000" */
static double group_cores(const char *group)
{
    double quota[2], period[2];
    if (group_numbers(group, "cpu.max", quota) == 2)
        period[0] = quota[1];
    else if (group_numbers(group, "cpu.cfs_quota_us", quota) < 1 ||
             group_numbers(group, "cpu.cfs_period_us", period) < 1)
        return INFINITY;
    return quota[0] > 0 && period[0] > 0 ? quota[0] / period[0] : INFINITY;
}

static double group_memory(const char *group)
{
    double number[2];
    bool said = group_numbers(group, "memory.max", number) > 0 ||
                group_numbers(group, "memory.limit_in_bytes", number) > 0;
    return said ? number[0] : INFINITY;
}

/* What is left of the limit: cached files would make room. In v1 those of groups below are
 * counted in a line of its own. */
static double group_memory_free(const char *group)
{
    double limit = group_memory(group), used[2];
    if (isinf(limit) || (group_numbers(group, "memory.current", used) < 1 &&
                         group_numbers(group, "memory.usage_in_bytes", used) < 1))
        return limit;
    double cached = number_behind(group_open(group, "memory.stat"), "total_inactive_file");
    if (cached == 0)
        cached = number_behind(group_open(group, "memory.stat"), "inactive_file");
    return fmax(0, limit - used[0] + cached);
}

/* "oom_kill 3" in a line of its own; in v2 those of groups below count too. */
static double group_kills(const char *group)
{
    FILE *f = group_open(group, "memory.events");
    f = f ? f : group_open(group, "memory.oom_control");
    return f ? number_behind(f, "oom_kill") : INFINITY;
}

/* What becomes of the number of a group and that of one above it. */
typedef double group_fold(double inner, double outer);

static double inner_of(double inner, double outer)
{
    return isinf(inner) ? outer : inner;
}

/* Of a group and those above it, up to the one at `mount`: in a container that is its own. */
static double fold_upwards(const char *mount, char *group, group_grant *grant, group_fold *fold)
{
    char path[2 * LINE];
    double folded = INFINITY;
    for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = '\0';
        snprintf(path, sizeof path, "%s%s", mount, group);
        folded = fold(folded, grant(path));
    }
    return folded;
}

/* Whether the list "cpu,cpuacct" has the controller. */
static bool lists(const char *controllers, const char *controller)
{
    size_t n = strlen(controller);
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, controller, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    }
    return false;
}

/* Where the groups of a controller of v1 are mounted, or those of v2 (""); false: nowhere. Often
 * one place has several controllers. /proc/self/mountinfo:
 * "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct" */
static bool find_mount(const char *controller, char mount[LINE])
{
    char line[LINE], type[16], options[LINE];
    bool found = false;
    FILE *f = fopen("/proc/self/mountinfo", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *behind = strstr(line, " - ");
        found = behind && sscanf(behind, " - %15s %*s %4095s", type, options) == 2 &&
                sscanf(line, "%*s %*s %*s %*s %4095s", mount) == 1 &&
                strcmp(type, *controller ? "cgroup" : "cgroup2") == 0 &&
                (!*controller || lists(options, controller));
    }
    if (f)
        fclose(f);
    return found;
}

/* /proc/self/cgroup: lines "0::/group" of v2, "4:memory:/group" of v1. */
static double group_folded(const char *controller, group_grant *grant, group_fold *fold)
{
    char line[LINE], mount[LINE];
    double folded = INFINITY;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : 0;
        if (!group)
            continue;
        *controllers++ = *group++ = '\0';
        bool v2 = *controllers == '\0';
        if ((v2 || lists(controllers, controller)) && find_mount(v2 ? "" : controller, mount))
            folded = fold(folded, fold_upwards(mount, group, grant, fold));
    }
    if (f)
        fclose(f);
    return folded;
}

int machine_cores(void)
{
    cpu_set_t set;
    /* More CPUs than the set has room for: all that are online. */
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    double quota = group_folded("cpu", group_cores, fmin);
    if (quota < cores)
        cores = (int)quota;
    return cores < 1 ? 1 : cores;
}

struct machine_memory machine_memory(void)
{
    static struct machine_memory memory;
    if (memory.bytes == 0) {
        double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
        double group = group_folded("memory", group_memory, fmin);
        there = there > 0 ? there : INFINITY;
        memory = (struct machine_memory){fmin(there, group), group < there};
    }
    return memory;
}

double machine_memory_kills(void)
{
    double kills = group_folded("memory", group_kills, inner_of);
    return isinf(kills) ? 0 : kills;
}

double machine_memory_free(void)
{
    double kib = number_behind(fopen("/proc/meminfo", "re"), "MemAvailable:");
    double there = kib > 0 ? kib * 1024 : INFINITY;
    return fmin(there, group_folded("memory", group_memory_free, fmin));
}
