/* An LD_PRELOAD library that makes headcount's world fail on order. It stands between the program
 * (and SQLite and libyaml, which it is linked to) and the C library, so it needs no rights and
 * costs no speed, and it counts over the coordinator, its agent and all workers together.
 *
 * FAULT_COUNT: a file whose 8 bytes count the calls that matched (native order), over all
 *   processes; "<file>.fired" gets a line for each fault that happened.
 * FAULT_WHO: coordinator | agent | worker (default: all).
 * FAULT_CALLS: any of open mkdir write sync rename unlink truncate memory flock start
 * (default: all but the last three). start: before main; its line has the process id. open: only
 * where it may create; write and sync: only of files and folders. FAULT_FOLDERS=1: only of folders.
 * FAULT_OVER=1: of renames only those that replace a file. FAULT_FROM: whose allocations `memory`
 * means: program (default) | sqlite3 | yaml. FAULT_AT: the call that is hit, from 1; 0 only counts.
 * FAULT_LASTS=1: every later one too. FAULT_DO: kill: the process dies instead of the call. torn:
 * it dies when half of a write is done. crash: its whole process group dies, as by a power cut.
 * stop: it pauses before the call until SIGCONT. spin, sleep: it computes or sleeps for ever. grow:
 * it takes 64 MiB more. Or an errno: ENOSPC EIO EACCES EROFS EMFILE EDQUOT
 * ENOLCK ENOMEM EINVAL EOPNOTSUPP ENOSYS EBADF. FAULT_CLOCK: seconds that the wall clock jumps
 * forth and back from call to call. FAULT_ORPHAN=1: agents and workers do not die with who started
 * them, as on a system that cannot do that. FAULT_NFS=1: every file system says that it is NFS.
 * FAULT_PROGRAM: what is started instead of /proc/self/exe, which valgrind cannot start again.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum call { OPEN, MKDIR, WRITE, SYNC, RENAME, UNLINK, TRUNCATE, MEMORY, FLOCK, START, CALLS };
enum { KILL = -1, TORN = -2, CRASH = -3, STOP = -4, SPIN = -5, SLEEP = -6, GROW = -7 };

static const char *const call_names[CALLS] = {"open",   "mkdir",    "write",  "sync",  "rename",
                                              "unlink", "truncate", "memory", "flock", "start"};

static struct {
    atomic_ulong *count; /* shared by all processes; NULL: nothing is to be done */
    unsigned long at;
    unsigned calls;   /* a bit for each */
    int act;          /* one of those above, or an errno */
    const char *role; /* of this process */
    bool lasts, over, folders, orphan, nfs;
    long clock_s;
    uintptr_t from, to; /* code whose allocations count */
    char fired[4096];
} fault;

/* ---- setting up ---- */

static int find_code(struct dl_phdr_info *info, size_t size, void *wanted)
{
    const char *library = wanted;
    (void)size;
    if (library ? !strstr(info->dlpi_name, library) : info->dlpi_name[0] != '\0')
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            fault.from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            fault.to = fault.from + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

static int act_of(const char *name)
{
    static const struct {
        const char *name;
        int act;
    } acts[] = {{"kill", KILL},     {"crash", CRASH},   {"stop", STOP},
                {"torn", TORN},     {"spin", SPIN},     {"sleep", SLEEP},
                {"grow", GROW},     {"ENOSPC", ENOSPC}, {"EIO", EIO},
                {"EROFS", EROFS},   {"EACCES", EACCES}, {"EMFILE", EMFILE},
                {"EDQUOT", EDQUOT}, {"ENOLCK", ENOLCK}, {"EINVAL", EINVAL},
                {"EBADF", EBADF},   {"ENOSYS", ENOSYS}, {"EOPNOTSUPP", EOPNOTSUPP}};
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
        if (strcmp(acts[i].name, name) == 0)
            return acts[i].act;
    return ENOMEM;
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static int strike(enum call c, const char *what);

__attribute__((constructor)) static void set_up(int argc, char **argv)
{
    const char *verb = argc == 2 ? argv[1] : "";
    fault.role = strcmp(verb, "worker") == 0       ? "worker"
                 : strcmp(verb, "agent-here") == 0 ? "agent"
                                                   : "coordinator";
    fault.clock_s = strtol(setting("FAULT_CLOCK", "0"), NULL, 10);
    fault.nfs = strcmp(setting("FAULT_NFS", "0"), "1") == 0;
    fault.orphan = strcmp(setting("FAULT_ORPHAN", "0"), "1") == 0;
    const char *path = setting("FAULT_COUNT", NULL);
    const char *who = setting("FAULT_WHO", fault.role);
    if (!path || strcmp(who, fault.role) != 0)
        return;
    const char *calls = setting("FAULT_CALLS", "open mkdir write sync rename unlink truncate");
    for (int c = 0; c < CALLS; c++)
        if (strstr(calls, call_names[c]))
            fault.calls |= 1u << c;
    const char *from = setting("FAULT_FROM", "program");
    dl_iterate_phdr(find_code, strcmp(from, "program") == 0 ? NULL : (void *)(uintptr_t)from);
    fault.at = strtoul(setting("FAULT_AT", "0"), NULL, 10);
    fault.lasts = strcmp(setting("FAULT_LASTS", "0"), "1") == 0;
    fault.over = strcmp(setting("FAULT_OVER", "0"), "1") == 0;
    fault.folders = strcmp(setting("FAULT_FOLDERS", "0"), "1") == 0;
    fault.act = act_of(setting("FAULT_DO", "kill"));
    snprintf(fault.fired, sizeof fault.fired, "%s.fired", path);

    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || syscall(SYS_ftruncate, fd, sizeof *fault.count) != 0)
        abort();
    void *shared = mmap(NULL, sizeof *fault.count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (shared == MAP_FAILED)
        abort();
    fault.count = shared;
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    strike(START, pid);
}

/* ---- striking ---- */

static void say(enum call c, const char *what)
{
    char line[512];
    int n = snprintf(line, sizeof line, "%s %s %s\n", fault.role, call_names[c], what);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, fault.fired,
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    syscall(SYS_write, fd, line, (size_t)n);
    syscall(SYS_close, fd);
}

static void die(void)
{
    kill(fault.act == CRASH ? 0 : getpid(), SIGKILL);
    for (;;)
        pause();
}

/* 0: the call goes on. */
static int strike(enum call c, const char *what)
{
    if (!fault.count || !(fault.calls & 1u << c))
        return 0;
    unsigned long n = atomic_fetch_add(fault.count, 1) + 1;
    if (fault.at == 0 || (fault.lasts ? n < fault.at : n != fault.at))
        return 0;
    say(c, what);
    if (fault.act == KILL || fault.act == CRASH || (fault.act == TORN && c != WRITE))
        die();
    if (fault.act == STOP)
        raise(SIGSTOP);
    for (volatile unsigned long turns = 0; fault.act == SPIN;)
        turns++;
    while (fault.act == SLEEP)
        pause();
    if (fault.act == GROW)
        memset(mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1,
               64 << 20);
    return fault.act == STOP || fault.act == GROW ? 0 : fault.act;
}

/* Whether the call is to fail with errno. */
static bool fails(enum call c, const char *what)
{
    int act = strike(c, what);
    if (act > 0)
        errno = act;
    return act > 0;
}

/* Pipes are no files: what goes through them is not kept. */
static bool is_kept(int fd, char name[256])
{
    struct stat about;
    if (!fault.count || fstat(fd, &about) != 0 ||
        !(S_ISDIR(about.st_mode) || (S_ISREG(about.st_mode) && !fault.folders)))
        return false;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, 255);
    name[n > 0 ? n : 0] = '\0';
    return true;
}

/* ---- calls that change files ---- */

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    if ((flags & O_CREAT) && fails(OPEN, path))
        return -1;
    return (int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
}

#define MODE(last)                                                                                 \
    va_list arguments;                                                                             \
    va_start(arguments, last);                                                                     \
    mode_t mode = (last & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0;                  \
    va_end(arguments)

int open(const char *path, int flags, ...)
{
    MODE(flags);
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE(flags);
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    MODE(flags);
    return open_at(folder, path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    return fails(MKDIR, path) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

/* How many bytes of a write may be written before the fault: all, half, or none. *end: what happens
 * then. */
static size_t allowed(int fd, size_t size, int *end)
{
    char name[256];
    *end = is_kept(fd, name) ? strike(WRITE, name) : 0;
    return *end == 0 ? size : *end == TORN ? size / 2 : 0;
}

static ssize_t ending(int end, ssize_t n)
{
    if (end == TORN)
        die();
    if (end > 0)
        errno = end;
    return end > 0 ? -1 : n;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    int end;
    size_t n = allowed(fd, size, &end);
    return ending(end, n || !end ? syscall(SYS_write, fd, bytes, n) : 0);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    int end;
    size_t n = allowed(fd, size, &end);
    return ending(end, n || !end ? syscall(SYS_pwrite64, fd, bytes, n, at) : 0);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    return pwrite(fd, bytes, size, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    int end;
    size_t n = allowed(fd, parts->iov_len, &end);
    return ending(end, end ? (n ? syscall(SYS_write, fd, parts->iov_base, n) : 0)
                           : syscall(SYS_writev, fd, parts, count));
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
                        unsigned flags)
{
    int end;
    size_t n = allowed(to, size, &end);
    return ending(end,
                  n || !end ? syscall(SYS_copy_file_range, from, from_at, to, to_at, n, flags) : 0);
}

int fsync(int fd)
{
    char name[256];
    return is_kept(fd, name) && fails(SYNC, name) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    char name[256];
    return is_kept(fd, name) && fails(SYNC, name) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int rename(const char *from, const char *to)
{
    bool counts = !fault.over || access(to, F_OK) == 0;
    return counts && fails(RENAME, to)
               ? -1
               : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0u);
}

int unlink(const char *path)
{
    return fails(UNLINK, path) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int ftruncate(int fd, off_t size)
{
    char name[256];
    return is_kept(fd, name) && fails(TRUNCATE, name) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return ftruncate(fd, size);
}

int flock(int fd, int operation)
{
    return fails(FLOCK, "") ? -1 : (int)syscall(SYS_flock, fd, operation);
}

int statfs(const char *path, struct statfs *about)
{
    int result = (int)syscall(SYS_statfs, path, about);
    if (fault.nfs)
        about->f_type = 0x6969;
    return result;
}

/* ---- memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

#define NO_MEMORY(what)                                                                            \
    ((uintptr_t)__builtin_return_address(0) - fault.from < fault.to - fault.from &&                \
     fails(MEMORY, what))

void *malloc(size_t size)
{
    return NO_MEMORY("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return NO_MEMORY("calloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return NO_MEMORY("realloc") ? NULL : __libc_realloc(old, size);
}

/* What the C library allocates for the program. */
char *strndup(const char *text, size_t n)
{
    size_t size = strnlen(text, n);
    char *copy = NO_MEMORY("strndup") ? NULL : __libc_malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = NO_MEMORY("strdup") ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

#define PRINT_TO_MEMORY(out, format)                                                               \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    int n = NO_MEMORY("asprintf") ? -1 : vasprintf(out, format, arguments);                        \
    va_end(arguments);                                                                             \
    return n

int asprintf(char **out, const char *format, ...)
{
    PRINT_TO_MEMORY(out, format);
}

int __asprintf_chk(char **out, int flag, const char *format, ...);
int __asprintf_chk(char **out, int flag, const char *format, ...)
{
    (void)flag;
    PRINT_TO_MEMORY(out, format);
}

/* The function that the C library has under that name. */
static void *beneath(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

FILE *open_memstream(char **text, size_t *size)
{
    FILE *(*real)(char **, size_t *) = (FILE * (*)(char **, size_t *)) beneath("open_memstream");
    return NO_MEMORY("open_memstream") ? NULL : real(text, size);
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) beneath("fopen");
    return NO_MEMORY("fopen") ? NULL : real(path, mode);
}

char *realpath(const char *path, char *out)
{
    char *(*real)(const char *, char *) = (char *(*)(const char *, char *))beneath("realpath");
    return !out && NO_MEMORY("realpath") ? NULL : real(path, out);
}

/* ---- time and kinship ---- */

static long shift(void)
{
    static atomic_ulong calls;
    return fault.clock_s == 0                ? 0
           : atomic_fetch_add(&calls, 1) % 2 ? fault.clock_s
                                             : -fault.clock_s;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int result = (int)syscall(SYS_clock_gettime, clock, t);
    if (clock == CLOCK_REALTIME)
        t->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *t, void *zone)
{
    int result = (int)syscall(SYS_gettimeofday, t, zone);
    t->tv_sec += shift();
    return result;
}

time_t time(time_t *out)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
    t.tv_sec += shift();
    if (out)
        *out = t.tv_sec;
    return t.tv_sec;
}

int prctl(int option, ...)
{
    va_list arguments;
    va_start(arguments, option);
    unsigned long a = va_arg(arguments, unsigned long);
    va_end(arguments);
    return fault.orphan && option == PR_SET_PDEATHSIG ? 0
                                                      : (int)syscall(SYS_prctl, option, a, 0, 0, 0);
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    bool itself = strcmp(path, "/proc/self/exe") == 0;
    return (int)syscall(SYS_execve, itself ? setting("FAULT_PROGRAM", path) : path, arguments,
                        environment);
}
