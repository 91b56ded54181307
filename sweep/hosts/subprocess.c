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

static int spawn(pid_t *pid, const struct subprocess *c, int in, int out)
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
    if (!error && c->with_errors)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
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

/* False where the time was over before its end. */
static bool read_all(int fd, const struct subprocess *c, struct text_buffer *said)
{
    char piece[4096];
    const long long end = milliseconds() + c->patience_ms;
    bool notified = !c->on_line;
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        long long left =
            c->patience_ms == SUBPROCESS_FOREVER ? SUBPROCESS_FOREVER : end - milliseconds();
        if (c->patience_ms != SUBPROCESS_FOREVER && left <= 0)
            return false;
        int answer = poll(&ready, 1, (int)left);
        if (answer < 0 && errno != EINTR)
            return true;
        if (answer <= 0)
            continue;
        ssize_t n = read(fd, piece, sizeof piece);
        if (n == 0 || (n < 0 && errno != EINTR))
            return true;
        if (n > 0)
            text_add(said, "%.*s", (int)n, piece);
        if (!notified && said->text && strchr(said->text, '\n')) {
            notified = true;
            c->on_line(said->text, c->context);
        }
    }
}

enum status subprocess_run(struct subprocess *c, struct text_buffer *said, struct message *m)
{
    int out[2];
    pid_t pid;
    int ended = 0;
    const char *name = c->argv[0];
    int in = c->input ? input_fd(c->input, c->input_size) : STDIN_FILENO;
    if (in < 0)
        return status_fail(m, status_of_errno(errno), "cannot keep the input of %s: %s", name,
                           strerror(errno));
    int error = pipe2(out, O_CLOEXEC) != 0 ? errno : 0;
    if (!error) {
        error = spawn(&pid, c, in, out[1]);
        close(out[1]);
        if (error)
            close(out[0]);
    }
    if (c->input)
        close(in);
    c->missing = error == ENOENT && (!c->quiet || access("/dev/null", F_OK) == 0);
    if (c->missing)
        return status_fail(m, STATUS_IO, "there is no %s in PATH", name);
    if (error)
        return status_fail(m, status_of_errno(error), "cannot start %s: %s", name,
                           process_start_error(error));
    bool in_time = read_all(out[0], c, said);
    close(out[0]);
    if (!in_time)
        kill(pid, SIGKILL);
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    c->exit_status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    c->succeeded = c->exit_status == 0;
    if (!in_time)
        return status_fail(m, STATUS_IO, "%s gave no answer within %d s", name,
                           c->patience_ms / 1000);
    if (said->out_of_memory)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for what %s says", name);
    return STATUS_OK;
}
