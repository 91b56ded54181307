/* What no browser sends: the server refuses or hangs up, answers others meanwhile, and ends. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>

#include "engine/base/clock.h"
#include "sweep/serve/serve_parts.h"
#include "tests/sweep/serve_help.h"

enum { REQUESTS = 1000, REQUEST_ROOM = 40000 };

static int start_with_token(void **state)
{
    if (served_set_up(state) != 0)
        return -1;
    struct served *f = *state;
    f->options.listen = "0.0.0.0";
    return served_start(f);
}

static void answers_others(const struct served *f)
{
    double from_s = clock_now_s();
    char *answer = served_get(f, "/0/1/trials", "");
    assert_int_equal(served_code(answer), 200);
    assert_true(clock_now_s() - from_s < 60);
    free(answer);
}

/* The same numbers at every run. */
static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

struct bytes {
    size_t size;
    char byte[REQUEST_ROOM];
};

static void add(struct bytes *b, const char *bytes, size_t size)
{
    if (size > sizeof b->byte - b->size)
        size = sizeof b->byte - b->size;
    memcpy(b->byte + b->size, bytes, size);
    b->size += size;
}

static void add_many(struct bytes *b, const char *piece, size_t times)
{
    for (size_t i = 0; i < times; i++)
        add(b, piece, strlen(piece));
}

/* Lines that are wrong in ways of their own. */
static void add_wrong(struct bytes *b, unsigned *seed)
{
    static const char *const lines[] = {
        "GET /index HTTP/1.1\r\n\r\n",
        "GET /index\r\n\r\n",
        "GET\r\n\r\n",
        "\r\n\r\n\r\n\r\n",
        " /index HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /index HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "GET /index HTTP/1.1\nHost: localhost\n\n",
        "GET /index HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost: localhost@other.example\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost: localhost.other.example\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost : localhost\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost: localhost\r\n folded: line\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "GET /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: "
        "4\r\n\r\nabc",
        "GET /index HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
        "chunked\r\n\r\nffffffffffffffff\r\n",
        "GET /index HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
        "9\r\n\r\n",
        "GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /%2e%2e/%00/%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /0/1/trials?after=%0d%0aSet-Cookie:x HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /0/1?token=a%0d%0aX-Header:b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /0/99999999999999999999/summary HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET //other.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://other.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\x16\x03\x01\x02\x01\x01\xfc\x03\x03",
        "POST /0/1/summary HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nabcd",
    };
    const char *line = lines[next(seed) % (sizeof lines / sizeof lines[0])];
    add(b, line, strlen(line));
}

static void add_large(struct bytes *b, unsigned *seed)
{
    size_t n = 1 + next(seed) % 30000;
    add_many(b, "GET /", 1);
    if (next(seed) % 2) {
        add_many(b, "a", n);
        add_many(b, " HTTP/1.1\r\nHost: localhost\r\n\r\n", 1);
        return;
    }
    add_many(b, "index HTTP/1.1\r\nHost: localhost\r\n", 1);
    add_many(b, next(seed) % 2 ? "A: b\r\n" : "Cookie: a=b; ", n / 10);
    add_many(b, "\r\n\r\n", 1);
}

/* One of these, with some bytes changed, cut out or doubled in half of all cases. */
static void make_request(struct bytes *b, unsigned *seed)
{
    b->size = 0;
    if (next(seed) % 8 == 0)
        add_large(b, seed);
    else
        add_wrong(b, seed);
    if (next(seed) % 4 == 0)
        add_wrong(b, seed); /* in the same breath */
    for (unsigned i = next(seed) % 2 ? next(seed) % 4 : 0; i > 0; i--)
        b->byte[next(seed) % b->size] = (char)next(seed);
    if (next(seed) % 4 == 0)
        b->size = 1 + next(seed) % b->size;
}

/* No answer is a fault of the server's own, says what does not belong there, or comes with a header
 * of the client's making. What libmicrohttpd refuses by itself differs with its version, and a
 * sentence of its own may begin with HTTP/1.1, too. */
static void check_answers(const struct served *f, const char *answers, unsigned number)
{
    for (const char *at = strstr(answers, "HTTP/1.1 "); at; at = strstr(at + 1, "HTTP/1.1 ")) {
        int code = isdigit((unsigned char)at[9]) ? atoi(at + 9) : 400;
        if (code != 200 && code != 303 && (code < 400 || code >= 500) && code != 501 && code != 505)
            fail_msg("request %u: status %d: %s", number, code, answers);
    }
    if (strstr(answers, strrchr(f->folder, '/') + 1) || strstr(answers, "\nX-Header") ||
        strstr(answers, "\nSet-Cookie:x"))
        fail_msg("request %u: %s", number, answers);
}

static void send_bad(const struct served *f, const struct bytes *b, unsigned number, unsigned *seed)
{
    int fd = served_connect(f);
    assert_true(fd >= 0);
    served_send(fd, b->byte, b->size);
    if (next(seed) % 8 == 0) { /* gone without listening, with a reset */
        const struct linger at_once = {.l_onoff = 1};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(fd);
        return;
    }
    /* Half a request is waited for; here nobody waits along. */
    const struct timeval moment = {.tv_usec = 20000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment);
    shutdown(fd, SHUT_WR);
    char *answers = served_receive(fd);
    check_answers(f, answers, number);
    free(answers);
    close(fd);
}

FIXTURE(served_set_up_started, served_tear_down)

TEST(a_thousand_malformed_requests)
{
    static struct bytes b;
    unsigned seed = 1;
    for (unsigned i = 0; i < REQUESTS; i++) {
        make_request(&b, &seed);
        send_bad(f, &b, i, &seed);
        if (i % 50 == 0)
            answers_others(f);
    }
    answers_others(f);
}

FIXTURE(start_with_token, served_tear_down)

TEST(nobody_guesses_the_token)
{
    static const char *const guesses[] = {
        "",
        "Authorization: Bearer \r\n",
        "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n",
        "Authorization: Basic YTpi\r\n",
        "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
        "Cookie: headcount_8080=\r\n",
        "Cookie: headcount_%d=\r\n",
        "Cookie: headcount_%d=0000000000000000000000000000000000000000000000000000000000000000\r\n",
    };
    static const char *const targets[] = {
        "/",        "/index",           "/events",           "/0/1/summary",
        "/?token=", "/index?token=%00", "/?token=a&token=b", "/metrics"};
    char headers[200];
    for (size_t i = 0; i < sizeof guesses / sizeof guesses[0]; i++)
        for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++) {
            const char *number = strstr(guesses[i], "%d");
            size_t before = number ? (size_t)(number - guesses[i]) : 0;
            snprintf(headers, sizeof headers, "%s", guesses[i]);
            if (number)
                snprintf(headers, sizeof headers, "%.*s%d%s", (int)before, guesses[i], f->port,
                         number + 2);
            char *answer = served_get(f, targets[k], headers);
            if (served_code(answer) != 403 || strstr(answer, "Set-Cookie"))
                fail_msg("%s with %s: %s", targets[k], headers, answer);
            free(answer);
        }
}

FIXTURE(served_set_up_started, served_tear_down)

/* A byte now and then on more connections than one client may have. */
TEST(the_slow_hold_nobody_up)
{
    enum { SLOW = 100 };
    static const char line[] = "GET /0/1/summary HTTP/1.1\r\nHost: localhost\r\n";
    int fd[SLOW];
    for (int i = 0; i < SLOW; i++)
        assert_true((fd[i] = served_connect(f)) >= 0);
    for (size_t at = 0; at < sizeof line - 1; at++) {
        for (int i = 0; i < SLOW; i++)
            served_send(fd[i], line + at, 1);
        if (at % 10 == 0)
            answers_others(f);
    }
    answers_others(f);
    served_send(fd[0], "Connection: close\r\n\r\n", strlen("Connection: close\r\n\r\n"));
    char *answer = served_receive(fd[0]);
    assert_int_equal(served_code(answer), 200); /* slow is not wrong */
    free(answer);
    for (int i = 0; i < SLOW; i++)
        close(fd[i]);
}

/* Asks for much, and takes nothing of it. */
TEST(who_takes_no_answer_holds_nobody_up)
{
    enum { GREEDY = 30, TIMES = 200 };
    static const char line[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fd[GREEDY];
    for (int i = 0; i < GREEDY; i++) {
        assert_true((fd[i] = served_connect(f)) >= 0);
        for (int k = 0; k < TIMES; k++)
            if (send(fd[i], line, sizeof line - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
                break;
    }
    answers_others(f);
    for (int i = 0; i < GREEDY; i++)
        close(fd[i]);
}

TEST(it_ends_amid_half_requests)
{
    enum { HALF = 60 };
    static const char line[] = "GET /0/1/summary HTTP/1.1\r\nHost: localhost\r\nX: ";
    int fd[HALF];
    for (int i = 0; i < HALF; i++) {
        assert_true((fd[i] = served_connect(f)) >= 0);
        served_send(fd[i], line, (size_t)i % sizeof line);
    }
    double from_s = clock_now_s();
    assert_true(serve_stop(f->server));
    f->server = NULL;
    assert_true(clock_now_s() - from_s < 60);
    for (int i = 0; i < HALF; i++)
        close(fd[i]);
}

/* ---- many from one address; a bad file among good ones ---- */

/* From another address of this machine. */
static int connect_from(const struct served *f, const char *address)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)f->port),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct sockaddr_in from = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(inet_pton(AF_INET, address, &from.sin_addr), 1);
    assert_int_equal(bind(fd, (const struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

FIXTURE(start_with_token, served_tear_down)

TEST(one_address_has_so_many_connections)
{
    static const char lines[] = "GET /index HTTP/1.1\r\nHost: localhost\r\n\r\n";
    int fd[SERVE_PER_ADDRESS];
    char byte;
    for (int i = 0; i < SERVE_PER_ADDRESS; i++)
        assert_true((fd[i] = served_connect(f)) >= 0);
    int more = served_connect(f);
    ssize_t n = recv(more, &byte, 1, 0);
    assert_true(n == 0 || (n < 0 && errno == ECONNRESET)); /* closed, and nothing was said */
    close(more);
    for (int i = 0; i < SERVE_PER_ADDRESS; i++)
        assert_int_equal(recv(fd[i], &byte, 1, MSG_DONTWAIT), -1); /* these are still open */
    int other = connect_from(f, "127.0.0.2");
    served_send(other, lines, sizeof lines - 1);
    assert_int_equal(recv(other, &byte, 1, 0), 1);
    close(other);
    for (int i = 0; i < SERVE_PER_ADDRESS; i++) {
        served_send(fd[i], lines, sizeof lines - 1);
        assert_int_equal(recv(fd[i], &byte, 1, 0), 1);
        close(fd[i]);
    }
}

FIXTURE(served_set_up, served_tear_down)

/* One of the files becomes a program that never ends, or is locked: the other is there. */
TEST(a_bad_file_keeps_no_other_out)
{
    char good[200];
    snprintf(good, sizeof good, "%s/good.db", f->folder);
    snprintf(f->message.text, sizeof f->message.text, "cp '%s' '%s'", f->path, good);
    assert_int_equal(system(f->message.text), 0);
    f->paths[1] = good;
    f->options.count = 2;
    assert_int_equal(served_start(f), 0);
    assert_int_equal(served_write(f, "DROP VIEW progress; CREATE VIEW progress AS WITH RECURSIVE"
                                     " n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                                     " SELECT i AS name FROM n"),
                     0);
    served_answers(f, "/index", 200, "its view progress is different");
    served_answers(f, "/index", 200, "\"error\":null,\"sweeps\":{\"columns\":[");
    served_answers(f, "/0/1/summary", 503, "its view progress is different");
    served_answers(f, "/1/1/summary", 200, "{\"report\":{\"sweep\":\"new\"");
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    served_answers(f, "/0/1/trials", 503, "{\"error\":\"");
    served_answers(f, "/metrics", 200, "{file=\"good.db\",sweep=\"new\",state=\"completed\"} 7\n");
    served_answers(f, "/1/1/trials", 200, "\"total\":7");
    sqlite3_close(db);
}
