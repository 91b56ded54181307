#include "sweep/report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "sweep/worker/stop.h"

extern char **environ;

enum { SVG_MAX = 64 << 20, SAID_MAX = 512 };

void gnuplot_quote(struct text_buffer *script, const char *text, int columns)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    text_add(script, "'");
    for (int i = 0; p < end && i < columns; i++) {
        uint32_t code = 0;
        int n = utf8_decode(p, end, &code);
        if (n == 0 || utf8_is_control(code) || code == 0xfffe || code == 0xffff)
            text_add(script, "?");
        else
            text_add(script, "%s%.*s", code == '\'' ? "'" : "", n, (const char *)p);
        p += n ? n : 1;
    }
    text_add(script, p < end ? "..'" : "'");
}

/* gnuplot at work: the ends of its three streams that are here, -1 once closed. */
struct drawing {
    pid_t pid;
    int script, svg, said;
    size_t sent;
    char words[SAID_MAX + 1]; /* the first that it said to standard error */
    size_t words_used;
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* pipes[i]: of gnuplot's stream i. */
static enum status start(struct drawing *d, int pipes[3][2], struct message *m)
{
    char name[] = "gnuplot", defaults[] = "-d", standard_input[] = "-";
    char *argv[] = {name, defaults, standard_input, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    /* SIGXFSZ stays ignored: a limit of file size is no reason to die of a cache of fonts. */
    sigset_t ignored_here;
    sigemptyset(&ignored_here);
    sigaddset(&ignored_here, SIGPIPE);
    if (posix_spawn_file_actions_init(&actions) != 0)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to start gnuplot");
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return status_fail(m, STATUS_NO_MEMORY, "no memory to start gnuplot");
    }
    int error = posix_spawnattr_setsigdefault(&attributes, &ignored_here);
    if (!error)
        error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    for (int i = 0; i < 3 && !error; i++)
        error = posix_spawn_file_actions_adddup2(&actions, pipes[i][i > 0], i);
    if (!error)
        error = posix_spawnp(&d->pid, name, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        return status_fail(m, STATUS_IO,
                           "gnuplot draws the figure and is not in PATH; install it (Debian, "
                           "Ubuntu: apt install gnuplot-nox), or use --html, which needs nothing");
    if (error)
        return status_fail(m, status_of_errno(error), "cannot start gnuplot: %s", strerror(error));
    return STATUS_OK;
}

static void send_script(struct drawing *d, const struct text_buffer *script)
{
    ssize_t n = write(d->script, script->text + d->sent, script->used - d->sent);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    d->sent += n > 0 ? (size_t)n : 0;
    if (n < 0 || d->sent == script->used)
        close_end(&d->script); /* where it takes no more, it says why on the other streams */
}

/* False at the end of the stream. */
static bool receive(int *fd, char *piece, size_t size, size_t *n)
{
    ssize_t got = read(*fd, piece, size);
    *n = got > 0 ? (size_t)got : 0;
    if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN)))
        return true;
    close_end(fd);
    return false;
}

/* Until gnuplot has closed its output. */
static enum status converse(struct drawing *d, const struct text_buffer *script,
                            struct text_buffer *svg, struct message *m)
{
    char piece[8192];
    size_t n;
    while (d->svg >= 0 || d->said >= 0) {
        struct pollfd ready[] = {{.fd = d->script, .events = POLLOUT},
                                 {.fd = d->svg, .events = POLLIN},
                                 {.fd = d->said, .events = POLLIN},
                                 {.fd = stop_wake_fd(), .events = POLLIN}};
        if (poll(ready, 4, -1) < 0 && errno != EINTR)
            return status_fail(m, STATUS_IO, "cannot wait for gnuplot: %s", strerror(errno));
        if (stop_requests() > 0)
            return status_fail(m, STATUS_INTERRUPTED, "stopped; no figure was written");
        if (ready[3].revents)
            stop_drain();
        if (ready[0].revents)
            send_script(d, script);
        if (ready[1].revents && receive(&d->svg, piece, sizeof piece, &n))
            text_add(svg, "%.*s", (int)n, piece);
        if (ready[2].revents && receive(&d->said, piece, sizeof piece, &n)) {
            n = n < SAID_MAX - d->words_used ? n : SAID_MAX - d->words_used;
            memcpy(d->words + d->words_used, piece, n);
            d->words_used += n;
        }
        if (svg->out_of_memory)
            return status_no_memory(m, "the figure");
        if (svg->used > SVG_MAX)
            return status_fail(m, STATUS_IO, "gnuplot writes without end");
    }
    return STATUS_OK;
}

/* How it ended, given that it has closed its output. */
static enum status judge(struct drawing *d, int ended, const struct text_buffer *svg,
                         struct message *m)
{
    static const char tail[] = "</svg>";
    size_t used = svg->used;
    while (used > 0 && strchr(" \r\n\t", svg->text[used - 1]))
        used--;
    bool whole =
        used > strlen(tail) && memcmp(svg->text + used - strlen(tail), tail, strlen(tail)) == 0;
    const char *words = d->words + strspn(d->words, " \r\n\t");
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0 && whole)
        return STATUS_OK;
    if (WIFSIGNALED(ended))
        return status_fail(m, STATUS_IO,
                           "gnuplot was ended by signal %d (%s): no figure was written",
                           WTERMSIG(ended), strsignal(WTERMSIG(ended)));
    if (WEXITSTATUS(ended) == 0)
        return status_fail(m, STATUS_IO, "gnuplot wrote no whole SVG%s%s", *words ? ": " : "",
                           words);
    return status_fail(m, STATUS_IO, "gnuplot failed with status %d%s%s", WEXITSTATUS(ended),
                       *words ? ": " : "", words);
}

enum status gnuplot_draw(const struct text_buffer *script, struct text_buffer *svg,
                         struct message *m)
{
    struct drawing d = {.pid = -1, .script = -1, .svg = -1, .said = -1};
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, ended = 0;
    enum status status = STATUS_OK;
    for (int i = 0; i < 3 && status == STATUS_OK; i++)
        if (pipe2(pipes[i], O_CLOEXEC) != 0)
            status =
                status_fail(m, status_of_errno(errno), "cannot make a pipe: %s", strerror(errno));
    if (status == STATUS_OK)
        status = start(&d, pipes, m);
    close_end(&pipes[0][0]);
    close_end(&pipes[1][1]);
    close_end(&pipes[2][1]);
    d.script = pipes[0][1];
    d.svg = pipes[1][0];
    d.said = pipes[2][0];
    if (status == STATUS_OK) {
        fcntl(d.script, F_SETFL, O_NONBLOCK); /* it may have something to say meanwhile */
        status = converse(&d, script, svg, m);
        if (status != STATUS_OK)
            kill(d.pid, SIGKILL);
        while (waitpid(d.pid, &ended, 0) < 0 && errno == EINTR)
            ;
        if (status == STATUS_OK)
            status = judge(&d, ended, svg, m);
    }
    close_end(&d.script);
    close_end(&d.svg);
    close_end(&d.said);
    return status;
}
