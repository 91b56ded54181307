#include "sweep/hosts/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/worker/process.h"
#include "sweep/worker/stop.h"

enum { ERRORS_MAX = 4096 };

extern char **environ;

/* A descriptor from which these bytes can be read; -1, with errno. */
static int input_fd(const char *bytes, size_t size)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < size;) {
        ssize_t n = write(fd, bytes + done, size - done);
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

/* in, out, errors: its standard streams; errors -1: ours. */
static int spawn(pid_t *pid, const struct subprocess *c, int in, int out, int errors)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!error && c->quiet)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error && errors >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    if (!error)
        error = posix_spawnp(pid, c->argv[0], &actions, NULL, c->argv,
                             c->environment ? c->environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static long long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Until the program has closed its output. */
static enum status read_all(int fd, const struct subprocess *c, struct text_buffer *said,
                            struct message *m)
{
    char piece[8192];
    const char *name = c->argv[0];
    const long long end = milliseconds() + c->patience_ms;
    bool notified = !c->on_line;
    for (;;) {
        struct pollfd ready[] = {{.fd = fd, .events = POLLIN},
                                 {.fd = c->stops ? stop_wake_fd() : -1, .events = POLLIN}};
        long long left =
            c->patience_ms == SUBPROCESS_FOREVER ? SUBPROCESS_FOREVER : end - milliseconds();
        if (c->patience_ms != SUBPROCESS_FOREVER && left <= 0)
            return status_fail(m, STATUS_IO, "%s gave no answer within %d s", name,
                               c->patience_ms / 1000);
        int answer = poll(ready, 2, (int)left);
        if (c->stops && stop_requests() > 0)
            return status_fail(m, STATUS_INTERRUPTED, "stopped before %s had ended", name);
        if (answer < 0 && errno != EINTR)
            return STATUS_OK;
        if (answer <= 0)
            continue;
        if (ready[1].revents)
            stop_drain();
        if (!ready[0].revents)
            continue;
        ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0 || (n < 0 && errno != EINTR))
            return STATUS_OK;
        if (n > 0)
            text_add_bytes(said, piece, (size_t)n);
        if (said->out_of_memory)
            return status_fail(m, STATUS_NO_MEMORY, "no memory for what %s says", name);
        if (c->most && said->used > c->most)
            return status_fail(m, STATUS_IO, "%s writes without end", name);
        if (!notified && strchr(said->text, '\n')) {
            notified = true;
            c->on_line(said->text, c->context);
        }
    }
}

static void read_errors(int fd, struct text_buffer *errors)
{
    char words[ERRORS_MAX];
    ssize_t n = pread(fd, words, sizeof words, 0);
    text_add_bytes(errors, words, n > 0 ? (size_t)n : 0);
}

/* Starts it; *out is what it says. An errno. */
static int start(pid_t *pid, const struct subprocess *c, int in, int errors, bool merged, int *out)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return errno;
    int error = spawn(pid, c, in, pipes[1], merged ? pipes[1] : errors);
    close(pipes[1]);
    if (error)
        close(pipes[0]);
    *out = pipes[0];
    return error;
}

static enum status run(struct subprocess *c, int in, int errors, struct text_buffer *said,
                       struct message *m)
{
    const char *name = c->argv[0];
    pid_t pid = 0;
    int out = -1, ended = 0;
    int error = start(&pid, c, in, errors, c->errors == said, &out);
    c->missing = error == ENOENT && (!c->quiet || access("/dev/null", F_OK) == 0);
    if (c->missing)
        return status_fail(m, STATUS_IO, "there is no %s in PATH", name);
    if (error)
        return status_fail(m, status_of_errno(error), "cannot start %s: %s", name,
                           process_start_error(error));
    enum status s = read_all(out, c, said, m);
    close(out);
    if (s != STATUS_OK)
        kill(pid, SIGKILL);
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    c->exit_status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    c->signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    c->succeeded = c->exit_status == 0;
    if (errors >= 0)
        read_errors(errors, c->errors);
    return s;
}

enum status subprocess_run(struct subprocess *c, struct text_buffer *said, struct message *m)
{
    const bool apart = c->errors && c->errors != said;
    int in = c->input ? input_fd(c->input, c->input_size) : STDIN_FILENO;
    int errors = in >= 0 && apart ? memfd_create("errors", MFD_CLOEXEC) : -1;
    enum status s;
    if (in < 0 || (apart && errors < 0))
        s = status_fail(m, status_of_errno(errno), "cannot keep %s of %s: %s",
                        in < 0 ? "the input" : "the errors", c->argv[0], strerror(errno));
    else
        s = run(c, in, errors, said, m);
    if (c->input && in >= 0)
        close(in);
    if (errors >= 0)
        close(errors);
    return s;
}
