/* Where hosts are and how their agents are started: names, command lines, launchers. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "sweep/hosts/agent.h"
#include "sweep/hosts/host_internal.h"
#include "sweep/worker/process.h"

extern char **environ;

static const char HOLE[] = "{host}";
static const char NAME[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-+@%:[]";

/* ---- --hosts ---- */

static enum status read_spec(const char *word, size_t length, struct host_spec *h,
                             struct message *m)
{
    char shown[HOST_NAME];
    char text[HOST_NAME] = "";
    memcpy(text, word, length < sizeof text - 1 ? length : sizeof text - 1);
    text_shown(text, shown, sizeof shown);
    char *colon = strrchr(text, ':');
    *h = (struct host_spec){.slots = 0};
    if (colon && !strchr(colon, ']')) { /* [::1] is a name, [::1]:8 one with a number */
        char *end;
        long slots = strtol(colon + 1, &end, 10);
        if (*end || colon[1] < '0' || colon[1] > '9' || slots < 1 || slots > HOST_SLOTS_MAX)
            return status_fail(m, STATUS_BAD_INPUT,
                               "--hosts: %s: give a number from 1 to %d after the colon, how many "
                               "trials run at once",
                               shown, HOST_SLOTS_MAX);
        h->slots = (int)slots;
        *colon = '\0';
    }
    if (!text[0] || text[0] == '-' || text[strspn(text, NAME)] || length >= sizeof text)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--hosts: '%s' is not the name of a host; write NAME,NAME:8,...", shown);
    memcpy(h->name, text, sizeof text);
    return STATUS_OK;
}

enum status host_specs_parse(const char *text, struct host_spec **list, int *count,
                             struct message *m)
{
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    struct host_spec *found = calloc(most, sizeof *found);
    if (!found)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %zu hosts", most);
    enum status s = STATUS_OK;
    int n = 0;
    for (const char *at = text; s == STATUS_OK && n < (int)most; n++) {
        size_t length = strcspn(at, ",");
        s = read_spec(at, length, &found[n], m);
        for (int i = 0; s == STATUS_OK && i < n; i++)
            if (strcmp(found[i].name, found[n].name) == 0)
                s = status_fail(m, STATUS_BAD_INPUT, "--hosts: %s is named twice", found[n].name);
        at += length + (at[length] == ',');
    }
    if (s != STATUS_OK) {
        free(found);
        return s;
    }
    *list = found;
    *count = n;
    return s;
}

/* ---- --launch ---- */

enum status host_launch_check(const struct host_launch *l, struct message *m)
{
    char shown[256];
    if (strstr(l->command, HOLE))
        return STATUS_OK;
    return status_fail(
        m, STATUS_BAD_INPUT,
        "--launch: put %s, which stands for the name of each host, into '%s', as in 'ssh {host}'",
        HOLE, text_shown(l->command, shown, sizeof shown));
}

/* Whether the words that follow are read by one more shell. */
static bool hands_to_shell(const char *command)
{
    static const char *const names[] = {"ssh", "rsh", "remsh", "autossh"};
    static const char between[] = " \t\n'\"";
    const char *hole = strstr(command, HOLE);
    for (const char *word = command; *word && (!hole || word < hole);) {
        size_t length = strcspn(word, between);
        size_t base = length;
        while (base > 0 && word[base - 1] != '/')
            base--;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strlen(names[i]) == length - base &&
                memcmp(word + base, names[i], length - base) == 0)
                return true;
        word += length;
        word += strspn(word, between);
    }
    return false;
}

static void add_word(struct text_buffer *b, const char *command, const char *word)
{
    struct text_buffer quoted = {0};
    if (hands_to_shell(command)) {
        text_add_shell(&quoted, word);
        word = quoted.text ? quoted.text : "";
    }
    text_add_shell(b, word);
    b->out_of_memory |= quoted.out_of_memory;
    free(quoted.text);
}

/* What the launcher signals is not only the agent but this shell, which would end before it. And
 * the coordinator speaks to the agent, not to the lines before it. */
static void add_setup(struct text_buffer *b, const char *command, const struct host_agent *a)
{
    struct text_buffer lines = {0};
    text_add(&lines, "trap : HUP INT TERM USR1\nexec 3<&0 </dev/null\n%s", a->setup);
    if (a->words) {
        text_add(&lines, "%s", a->words);
    } else {
        text_add_shell(&lines, a->program);
        text_add(&lines, " agent");
    }
    text_add(&lines, " <&3 3<&-");
    text_add(b, "bash -c ");
    add_word(b, command, lines.text ? lines.text : "");
    b->out_of_memory |= lines.out_of_memory;
    free(lines.text);
}

void host_add_agent(struct text_buffer *b, const char *command, const struct host_agent *a)
{
    if (a->setup[0]) {
        add_setup(b, command, a);
    } else if (a->words) {
        text_add(b, "%s", a->words);
    } else {
        add_word(b, command, a->program);
        text_add(b, " agent");
    }
}

enum status host_agent_here(const char *command, char **words, struct message *m)
{
    struct text_buffer b = {0};
    char *path;
    enum status s = process_own_path(&path, m);
    if (s != STATUS_OK)
        return s;
    host_add_agent(&b, command, &(struct host_agent){.program = path, .setup = ""});
    free(path);
    if (b.out_of_memory) {
        free(b.text);
        return status_no_memory(m, "the words that start an agent");
    }
    *words = b.text;
    return STATUS_OK;
}

char *host_command_line(const struct host_launch *l, const char *name)
{
    struct text_buffer b = {0};
    const char *at = l->command;
    for (const char *hole; (hole = strstr(at, HOLE)); at = hole + sizeof HOLE - 1) {
        text_add(&b, "%.*s", (int)(hole - at), at);
        text_add_shell(&b, name);
    }
    text_add(&b, "%s %s", at, l->agent);
    if (b.out_of_memory) {
        free(b.text);
        return NULL;
    }
    return b.text;
}

/* ---- the launcher ---- */

/* Both ends close on exec; the caller's does not block. */
static bool make_pipe(int ends[2], int ours)
{
    ends[0] = ends[1] = -1;
    return pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0;
}

static void close_both(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* /bin/sh with the three descriptors, as a process group of its own, which a terminal's Ctrl-C does
 * not reach. */
static int spawn_shell(pid_t *pid, char *line, int in, int out, int error)
{
    static char sh[] = "sh", option[] = "-c";
    char *const arguments[] = {sh, option, line, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int e = posix_spawn_file_actions_init(&files);
    if (e)
        return e;
    e = posix_spawnattr_init(&attributes);
    if (e) {
        posix_spawn_file_actions_destroy(&files);
        return e;
    }
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, error, STDERR_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    e = posix_spawn(pid, "/bin/sh", &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return e;
}

static enum status spawn_launcher(struct host *h, struct message *m)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, error[2] = {-1, -1};
    char *line = host_command_line(h->launch, h->spec.name);
    enum status s = line ? STATUS_OK : status_no_memory(m, "the command that starts it");
    if (s == STATUS_OK && !(make_pipe(in, 1) && make_pipe(out, 0) && make_pipe(error, 0)))
        s = status_fail(m, STATUS_IO, "cannot make its pipes: %s", strerror(errno));
    int e = s == STATUS_OK ? spawn_shell(&h->launcher, line, in[0], out[1], error[1]) : 0;
    if (e)
        s = status_fail(m, STATUS_IO, "cannot start its launcher: %s", strerror(e));
    free(line);
    if (s != STATUS_OK) {
        h->launcher = 0;
        close_both(in);
        close_both(out);
        close_both(error);
        return s;
    }
    close(in[0]);
    close(out[1]);
    close(error[1]);
    h->in_fd = in[1];
    h->out_fd = out[0];
    h->error_fd = error[0];
    return s;
}

enum status host_spawn(struct host *h, struct message *m)
{
    struct process_pipes pipes;
    if (!host_is_here(h))
        return spawn_launcher(h, m);
    enum status s = process_fork(&h->launcher, AGENT_HERE, environ, &pipes, m);
    h->in_fd = pipes.orders;
    h->out_fd = pipes.messages;
    h->error_fd = pipes.errors;
    return s;
}

void host_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void host_read_errors(struct host *h)
{
    char bytes[512];
    for (int i = 0; i < HOST_READS_MAX && h->error_fd >= 0; i++) {
        ssize_t n = read(h->error_fd, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            host_close_fd(&h->error_fd);
            return;
        }
        size_t size = (size_t)n, room = sizeof h->tail - 1;
        size_t keep = h->tail_used + size > room ? room - size : h->tail_used;
        memmove(h->tail, h->tail + h->tail_used - keep, keep);
        memcpy(h->tail + keep, bytes, size);
        h->tail_used = keep + size;
    }
}

const char *host_last_words(struct host *h)
{
    char *end = h->tail + h->tail_used;
    while (end > h->tail && (end[-1] == '\n' || end[-1] == '\r' || end[-1] == ' '))
        end--;
    *end = '\0';
    char *line = strrchr(h->tail, '\n');
    return line ? line + 1 : h->tail;
}

const char *host_memory_words(struct host *h)
{
    static const char *const known[] = {"exceeded memory limit",
                                        "Exceeded job memory limit",
                                        "Exceeded step memory limit",
                                        "oom-kill",
                                        "oom_kill",
                                        "Out Of Memory"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *line = strstr(h->tail, known[i]);
        if (!line)
            continue;
        while (line > h->tail && line[-1] != '\n')
            line--;
        line[strcspn(line, "\r\n")] = '\0';
        return line;
    }
    return NULL;
}
