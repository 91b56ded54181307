/* A server in this process, at a port of its own choice, with a results file of a sweep of seven
 * trials; and a client that says exactly what it is told. */
#ifndef TESTS_SWEEP_SERVE_HELP_H
#define TESTS_SWEEP_SERVE_HELP_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "sweep/serve/serve.h"
#include "sweep/trials/trials_internal.h"

#include "tests/folder.h"
#include "tests/sweep/seven_trials.h"
#include "tests/test.h"

struct served {
    char folder[128], path[160];
    const char *paths[2];
    struct serve_options options;
    struct server *server;
    struct message message;
    int port;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct served *f

/* Runs sql on the file as the coordinator would: in a log beside it. */
static int served_write(struct served *f, const char *sql)
{
    struct store *s;
    if (store_open(f->path, STORE_WRITE, &s, &f->message) != STATUS_OK)
        return -1;
    int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return store_close(s, &f->message) == STATUS_OK && code == SQLITE_OK ? 0 : -1;
}

/* Begins to serve; what options.listen and others say. */
static int served_start(struct served *f)
{
    if (serve_start(&f->options, &f->server, &f->message) != STATUS_OK)
        return -1;
    f->port = atoi(strrchr(serve_address(f->server), ':') + 1);
    return 0;
}

static int served_set_up(void **state)
{
    struct served *f = calloc(1, sizeof *f);
    if (folder_make(f->folder, sizeof f->folder, "headcount serve") != 0)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/p q.db", f->folder);
    f->paths[0] = f->paths[1] = f->path;
    f->options = (struct serve_options){.files = f->paths, .count = 1, .port_option = "--port"};
    *state = f;
    return served_write(f, SEVEN_TRIALS);
}

/* The same, and it serves. */
static inline int served_set_up_started(void **state)
{
    return served_set_up(state) == 0 ? served_start(*state) : -1;
}

static int served_tear_down(void **state)
{
    struct served *f = *state;
    bool stopped = serve_stop(f->server);
    int left = folder_remove(f->folder);
    free(f);
    return stopped ? left : -1;
}

/* A connection to the server, on which nothing waits longer than 20 s. */
static int served_connect(const struct served *f)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)f->port),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct timeval patience = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static void served_send(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        bytes += n;
        size -= (size_t)n;
    }
}

/* All that comes until the end of the connection or the time-out; the caller frees it. */
static char *served_receive(int fd)
{
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room + 1);
    for (ssize_t n; (n = recv(fd, text + used, room - used, 0)) > 0;) {
        used += (size_t)n;
        if (used == room)
            text = realloc(text, (room *= 2) + 1);
    }
    text[used] = '\0';
    return text;
}

/* The whole answer to a request of these lines (each ends with CR LF) on a connection of its own.
 */
static char *served_ask(const struct served *f, const char *lines)
{
    int fd = served_connect(f);
    if (fd < 0)
        return NULL;
    served_send(fd, lines, strlen(lines));
    char *answer = served_receive(fd);
    close(fd);
    return answer;
}

/* The same for GET, with further headers. */
static char *served_get(const struct served *f, const char *target, const char *headers)
{
    char lines[6000];
    snprintf(lines, sizeof lines,
             "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", target, headers);
    return served_ask(f, lines);
}

/* The status code of an answer; 0: there is none. */
static int served_code(const char *answer)
{
    return answer && strncmp(answer, "HTTP/1.1 ", 9) == 0 ? atoi(answer + 9) : 0;
}

static inline const char *served_body(const char *answer)
{
    const char *end = answer ? strstr(answer, "\r\n\r\n") : NULL;
    return end ? end + 4 : "";
}

/* The answer has this code and this part, and names no folder. */
static inline void served_answers(const struct served *f, const char *target, int code,
                                  const char *part)
{
    char *answer = served_get(f, target, "");
    if (served_code(answer) != code || !strstr(answer, part))
        fail_msg("%s: not %d with %s: %s", target, code, part, answer);
    assert_null(strstr(answer, strrchr(f->folder, '/') + 1));
    free(answer);
}

#endif
