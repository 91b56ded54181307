/* What control groups leave of a machine, in the ways in which systems and containers mount them.
 */
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sweep/plan/machine.h"

#include "tests/test.h"

/* ---- the system ---- */

struct pseudo_file {
    const char *path, *text;
};
enum { FILES = 8, CORES = 64 };
static const struct pseudo_file *files; /* (FILES) all that there are below /proc and /sys */

FILE *fopen(const char *path, const char *mode)
{
    (void)mode;
    for (int i = 0; i < FILES && files[i].path; i++)
        if (strcmp(files[i].path, path) == 0)
            return fmemopen((char *)(uintptr_t)files[i].text, strlen(files[i].text), "r");
    return NULL;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    (void)pid;
    memset(set, 0, size);
    for (size_t i = 0; i < CORES; i++)
        CPU_SET(i, set);
    return 0;
}

/* ---- groups ---- */

#define SYSTEM "22 1 8:1 / / rw,relatime - ext4 /dev/vda rw\n23 22 0:5 / /proc rw - proc proc rw\n"
#define V1(place, controllers)                                                                     \
    "33 31 0:30 / " place " rw,nosuid,noexec shared:9 - cgroup cgroup rw," controllers "\n"
#define V2(place) "30 22 0:26 / " place " rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

TEST(cores_of_a_quota)
{
    static const struct {
        const char *name;
        int cores;
        struct pseudo_file files[FILES];
    } cases[] = {
        {"no groups", CORES, {{"/proc/self/mountinfo", SYSTEM}, {"/proc/self/cgroup", "0::/\n"}}},
        {"no /proc", CORES, {{0}}},
        {"v1, a place for each controller",
         3,
         {{"/proc/self/mountinfo",
           SYSTEM V1("/sys/fs/cgroup/cpuset", "cpuset") V1("/sys/fs/cgroup/cpu", "cpu")},
          {"/proc/self/cgroup", "3:cpuset:/\n1:cpu:/job\n0::/\n"},
          {"/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n"},
          {"/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}}},
        {"v1, one place for two controllers, and no link to it",
         3,
         {{"/proc/self/mountinfo", SYSTEM V1("/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct")},
          {"/proc/self/cgroup", "4:cpuacct,cpu:/job\n"},
          {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n"},
          {"/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"}}},
        {"v1, elsewhere",
         3,
         {{"/proc/self/mountinfo", SYSTEM V1("/cgroup/all", "cpuset,cpu,cpuacct,memory")},
          {"/proc/self/cgroup", "2:cpuset,cpu,cpuacct,memory:/a/b\n"},
          {"/cgroup/all/a/b/cpu.cfs_quota_us", "-1\n"},
          {"/cgroup/all/a/b/cpu.cfs_period_us", "100000\n"},
          {"/cgroup/all/a/cpu.cfs_quota_us", "300000\n"},
          {"/cgroup/all/a/cpu.cfs_period_us", "100000\n"}}},
        {"v1, a container that is told its name outside",
         3,
         {{"/proc/self/mountinfo", SYSTEM V1("/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct")},
          {"/proc/self/cgroup", "4:cpu,cpuacct:/docker/0123\n"},
          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n"},
          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}}},
        {"v2, a level above",
         3,
         {{"/proc/self/mountinfo", SYSTEM V2("/sys/fs/cgroup")},
          {"/proc/self/cgroup", "0::/user/job\n"},
          {"/sys/fs/cgroup/user/job/cpu.max", "max 100000\n"},
          {"/sys/fs/cgroup/user/cpu.max", "300000 100000\n"}}},
        {"v2, a container",
         3,
         {{"/proc/self/mountinfo", SYSTEM V2("/sys/fs/cgroup")},
          {"/proc/self/cgroup", "0::/\n"},
          {"/sys/fs/cgroup/cpu.max", "350000 100000\n"}}},
        {"v1 beside v2",
         3,
         {{"/proc/self/mountinfo",
           SYSTEM V2("/sys/fs/cgroup/unified") V1("/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct")},
          {"/proc/self/cgroup", "4:cpu,cpuacct:/\n0::/user\n"},
          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n"},
          {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        files = cases[i].files;
        if (machine_cores() != cases[i].cores)
            fail_msg("%s: %d cores", cases[i].name, machine_cores());
    }
}

/* The same ways lead to the limits of memory; what a group has killed is counted at the innermost.
 */
TEST(memory_of_a_group)
{
    static const struct pseudo_file group[FILES] = {
        {"/proc/self/mountinfo", SYSTEM V1("/sys/fs/cgroup/memory,hugetlb", "memory,hugetlb")},
        {"/proc/self/cgroup", "4:hugetlb,memory:/a/b\n"},
        {"/sys/fs/cgroup/memory,hugetlb/a/b/memory.limit_in_bytes", "8192\n"},
        {"/sys/fs/cgroup/memory,hugetlb/a/memory.limit_in_bytes", "4096\n"},
        {"/sys/fs/cgroup/memory,hugetlb/a/memory.usage_in_bytes", "96\n"},
        {"/sys/fs/cgroup/memory,hugetlb/a/b/memory.oom_control", "under_oom 0\noom_kill 2\n"},
        {"/sys/fs/cgroup/memory,hugetlb/a/memory.oom_control", "under_oom 0\noom_kill 5\n"}};
    files = group;
    struct machine_memory memory = machine_memory();
    assert_true(memory.by_group);
    assert_true(memory.bytes == 4096);
    assert_true(machine_memory_free() == 4000);
    assert_true(machine_memory_kills() == 2);
}
