#include "sweep/hosts/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/text.h"

extern char **environ;

/* ---- their commands ---- */

static int spawn(pid_t *pid, char *const argv[], int in, int out)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!error)
        error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void read_all(int fd, struct text_buffer *said)
{
    char piece[4096];
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            text_add(said, "%.*s", (int)n, piece);
}

/* Runs a command with `in` as its standard input; what it says on standard output in `said`, and
 * whether it succeeded. IO where there is none of that name in PATH. */
static enum status run_command(char *const argv[], int in, struct text_buffer *said,
                               bool *succeeded, struct message *m)
{
    int out[2];
    pid_t pid;
    int ended = 0;
    if (pipe2(out, O_CLOEXEC) != 0)
        return status_fail(m, STATUS_IO, "cannot make a pipe: %s", strerror(errno));
    int error = spawn(&pid, argv, in, out[1]);
    close(out[1]);
    if (!error)
        read_all(out[0], said);
    close(out[0]);
    if (error == ENOENT)
        return status_fail(m, STATUS_IO,
                           "there is no %s in PATH: is this a machine of the cluster?", argv[0]);
    if (error)
        return status_fail(m, status_of_errno(error), "cannot start %s: %s", argv[0],
                           strerror(error));
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    *succeeded = WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    if (said->out_of_memory)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for what %s says", argv[0]);
    return STATUS_OK;
}

/* ---- the allocation ---- */

/* Reads the next of "2(x3),4", a number of CPUs and for how many nodes on end it stands, and moves
 * *text behind it. */
static bool next_cpus(const char **text, long *cpus, long *nodes)
{
    char *end;
    *cpus = strtol(*text, &end, 10);
    *nodes = 1;
    if (strncmp(end, "(x", 2) == 0) {
        *nodes = strtol(end + 2, &end, 10);
        end += *end == ')';
    }
    bool good = end > *text && *cpus >= 1 && *nodes >= 1 && (*end == ',' || !*end);
    *text = end + (*end == ',');
    return good;
}

static enum status fill_specs(const char *names, const char *cpus, struct host_spec *list,
                              int count, struct message *m)
{
    long slots = 0;
    long nodes = 0;
    for (int i = 0; i < count; i++) {
        int length = (int)strcspn(names, "\n");
        if (nodes == 0 && !next_cpus(&cpus, &slots, &nodes))
            return status_fail(m, STATUS_BAD_INPUT,
                               "the allocation names %d nodes and not the CPUs of all of them "
                               "(SLURM_JOB_CPUS_PER_NODE)",
                               count);
        nodes--;
        snprintf(list[i].name, sizeof list[i].name, "%.*s", length, names);
        list[i].slots = (int)(slots < HOST_SLOTS_MOST ? slots : HOST_SLOTS_MOST);
        names += length + (names[length] == '\n');
    }
    return STATUS_OK;
}

enum status slurm_specs(const char *names, const char *cpus, struct host_spec **list, int *count,
                        struct message *m)
{
    int n = 0;
    for (const char *at = names; *at; at += strcspn(at, "\n"), at += *at == '\n')
        n++;
    struct host_spec *specs = calloc((size_t)n + 1, sizeof *specs);
    if (!specs)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %d hosts", n);
    enum status s = n > 0 ? fill_specs(names, cpus, specs, n, m)
                          : status_fail(m, STATUS_BAD_INPUT, "the allocation has no nodes");
    if (s != STATUS_OK) {
        free(specs);
        return s;
    }
    *list = specs;
    *count = n;
    return STATUS_OK;
}

/* What scontrol makes of the allocation's list of nodes, "n[1-4]". */
static enum status read_names(const char *nodes, struct text_buffer *names, struct message *m)
{
    char *const argv[] = {(char *)"scontrol", (char *)"show", (char *)"hostnames", (char *)nodes,
                          NULL};
    bool succeeded = false;
    enum status s = run_command(argv, STDIN_FILENO, names, &succeeded, m);
    if (s != STATUS_OK || succeeded)
        return s;
    return status_fail(m, STATUS_IO, "scontrol does not name the nodes of the allocation, %s",
                       nodes);
}

enum status slurm_hosts(struct host_spec **list, int *count, struct message *m)
{
    struct text_buffer names = {0};
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    const char *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
    if (!nodes || !cpus)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--launch slurm takes its hosts from the allocation that it runs in, "
                           "and there is none: start it through sbatch or salloc, or let "
                           "`headcount submit` do it");
    enum status s = read_names(nodes, &names, m);
    if (s == STATUS_OK)
        s = slurm_specs(names.text ? names.text : "", cpus, list, count, m);
    free(names.text);
    return s;
}

/* ---- a job ---- */

/* A descriptor from which the script can be read; -1, with errno. */
static int script_fd(const char *script, size_t size)
{
    int fd = memfd_create("job", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < size;) {
        ssize_t n = write(fd, script + done, size - done);
        if (n < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

enum status slurm_submit(char *const *option, int options, const char *script, size_t size,
                         char id[SLURM_ID], struct message *m)
{
    bool succeeded = false;
    struct text_buffer said = {0};
    char **argv = calloc((size_t)options + 3, sizeof *argv);
    if (!argv)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to start sbatch");
    argv[0] = (char *)"sbatch";
    argv[1] = (char *)"--parsable";
    memcpy(argv + 2, option, (size_t)options * sizeof *argv);
    int in = script_fd(script, size);
    enum status s = in < 0 ? status_fail(m, status_of_errno(errno), "cannot keep the script: %s",
                                         strerror(errno))
                           : run_command(argv, in, &said, &succeeded, m);
    if (in >= 0)
        close(in);
    free(argv);
    if (s == STATUS_OK && !succeeded)
        s = status_fail(m, STATUS_IO, "sbatch refused the job; what it said stands above");
    if (s == STATUS_OK) { /* "17;cluster" */
        const char *text = said.text ? said.text : "";
        snprintf(id, SLURM_ID, "%.*s", (int)strspn(text, "0123456789"), text);
        if (!id[0])
            s = status_fail(m, STATUS_IO, "sbatch gave the job no number");
    }
    free(said.text);
    return s;
}
