#include "sweep/serve/listener.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "engine/base/clock.h"
#include "sweep/serve/httpd.h"
#include "sweep/serve/pieces.h"

/* libmicrohttpd's own limits: what a connection may have in memory (more headers than that it
 * refuses by itself), and for how long it may do nothing. */
enum { MEMORY = 32 << 10, IDLE_S = 30, EVENTS_BLOCK = 4096 };

/* Open files that are no connections. Where one more cannot be opened, libmicrohttpd would accept
 * nobody any more. */
enum { FILES_KEPT = 64, CONNECTIONS_MIN = 8 };

struct listener {
    struct httpd http;
    int most; /* connections of each daemon */
    struct MHD_Daemon *daemon[ADDRESS_SOCKETS];
};

/* ---- connections ---- */

static int fd_of(struct server *s, struct MHD_Connection *c)
{
    return s->listener->http.connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void peer_add(struct server *s, struct peer *p)
{
    p->next = s->peers;
    p->link = &s->peers;
    if (p->next)
        p->next->link = &p->next;
    s->peers = p;
    s->n_peers++;
}

static void peer_remove(struct server *s, struct peer *p)
{
    *p->link = p->next;
    if (p->next)
        p->next->link = p->link;
    s->n_peers--;
}

/* Where there is hardly room for more, the one that has been quiet longest goes: whoever opens many
 * connections and says nothing keeps nobody out. */
static void make_room(struct server *s)
{
    struct peer *quiet = NULL;
    for (struct peer *p = s->peers; p; p = p->next)
        if (isfinite(p->until_s) && (!quiet || p->until_s < quiet->until_s))
            quiet = p;
    if (s->n_peers < s->listener->most * 7 / 8 || !quiet)
        return;
    shutdown(quiet->fd, SHUT_RDWR);
    quiet->until_s = INFINITY;
}

static void ask_free(struct ask *a)
{
    if (a)
        free(a->target);
    free(a);
}

static void connection_changed(void *cls, struct MHD_Connection *c, void **context,
                               enum MHD_ConnectionNotificationCode code)
{
    struct server *s = cls;
    struct peer *p = *context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        pthread_mutex_lock(&s->lock);
        if (p)
            peer_remove(s, p);
        pthread_mutex_unlock(&s->lock);
        if (p)
            ask_free(p->ask); /* half a request */
        free(p);
        return;
    }
    p = *context = calloc(1, sizeof *p);
    if (!p)
        return;
    p->fd = fd_of(s, c);
    p->until_s = clock_now_s() + SERVE_ASK_S;
    pthread_mutex_lock(&s->lock);
    make_room(s);
    peer_add(s, p);
    s->asked_s = clock_now_s();
    pthread_cond_signal(&s->look);
    pthread_mutex_unlock(&s->lock);
}

/* NULL: there was no memory for it. */
static struct peer *peer_of(struct server *s, struct MHD_Connection *c)
{
    return s->listener->http.connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* The lock is the caller's. */
static void peer_until(struct server *s, struct MHD_Connection *c, double until_s)
{
    struct peer *p = peer_of(s, c);
    if (p)
        p->until_s = until_s;
}

/* ---- answers ---- */

/* Who sends an answer holds it. */
struct sending {
    struct server *server;
    struct answer *answer;
};

static void end_sending(void *cls)
{
    struct sending *e = cls;
    pthread_mutex_lock(&e->server->lock);
    answer_drop(&e->server->answers, e->answer);
    pthread_mutex_unlock(&e->server->lock);
    free(e);
}

static void add_headers(struct server *s, struct MHD_Response *r, const char *type,
                        const char *policy, const char *caching)
{
    const char *const headers[][2] = {
        {"Content-Type", type},
        {"Content-Security-Policy", policy},
        {"Cache-Control", caching},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        s->listener->http.add_header(r, headers[i][0], headers[i][1]);
}

static const char json[] = "application/json; charset=utf-8";
static const char html[] = "text/html; charset=utf-8";
static const char metrics[] = "text/plain; version=0.0.4; charset=utf-8";
static const char nothing[] = "default-src 'none'; frame-ancestors 'none'";
static const char ask_again[] = "private, no-cache", never[] = "no-store";

static enum MHD_Result send_response(struct server *s, struct MHD_Connection *c, int code,
                                     struct MHD_Response *r)
{
    enum MHD_Result result = s->listener->http.queue_response(c, (unsigned)code, r);
    s->listener->http.destroy_response(r);
    return result;
}

static void free_text(void *cls)
{
    free(cls);
}

/* A sentence, after which the connection ends: who sent this may not be trusted to send what comes
 * next. */
static enum MHD_Result send_error(struct server *s, struct MHD_Connection *c, int code,
                                  const char *sentence)
{
    const struct httpd *http = &s->listener->http;
    struct text_buffer body = {0};
    piece_error(&body, sentence);
    struct MHD_Response *r =
        body.out_of_memory || !body.text
            ? NULL
            : http->response_from_buffer(body.used, body.text, free_text, body.text);
    if (!r) {
        free(body.text);
        return MHD_NO;
    }
    add_headers(s, r, json, nothing, never);
    http->add_header(r, "Connection", "close");
    if (code == REQUEST_NOT_ALLOWED)
        http->add_header(r, "Allow", "GET, HEAD");
    if (code == PIECE_UNAVAILABLE)
        http->add_header(r, "Retry-After", "1");
    return send_response(s, c, code, r);
}

static enum MHD_Result send_moved(struct server *s, struct MHD_Connection *c,
                                  const struct request *q)
{
    const struct httpd *http = &s->listener->http;
    char name[REQUEST_COOKIE_SIZE], cookie[200];
    struct MHD_Response *r = http->response_from_buffer(0, NULL, NULL, NULL);
    if (!r)
        return MHD_NO;
    add_headers(s, r, json, nothing, never);
    http->add_header(r, "Location", q->location);
    /* Lax, not Strict: a link to this page that stands in another one keeps working. Nothing can be
     * changed here, and what another site makes a browser fetch comes without the cookie. */
    snprintf(cookie, sizeof cookie, "%s=%s; Path=/; HttpOnly; SameSite=Lax",
             request_cookie(&s->rules, name), s->token.digest);
    if (q->set_cookie)
        http->add_header(r, "Set-Cookie", cookie);
    return send_response(s, c, REQUEST_MOVED, r);
}

/* Takes over the hold of a->answer, or leaves it where it fails. */
static enum MHD_Result send_answer(struct server *s, struct MHD_Connection *c, struct ask *a)
{
    const struct httpd *http = &s->listener->http;
    const struct answer *answer = a->answer;
    struct sending *sending = malloc(sizeof *sending);
    bool is_page = a->q.kind == REQUEST_PAGE, good = answer->code == REQUEST_OK;
    const char *type = is_page ? html : a->q.kind == REQUEST_METRICS ? metrics : json;
    bool has = good && answer_tag_is_in(answer->tag,
                                        http->lookup_value(c, MHD_HEADER_KIND, "If-None-Match"));
    if (!sending)
        return MHD_NO;
    *sending = (struct sending){s, a->answer};
    struct MHD_Response *r =
        http->response_from_buffer(has ? 0 : answer->size, answer->body, end_sending, sending);
    if (!r) {
        free(sending);
        return MHD_NO;
    }
    a->answer = NULL;
    add_headers(s, r, type, is_page ? s->policy : nothing, good ? ask_again : never);
    if (good)
        http->add_header(r, "ETag", answer->tag);
    if (answer->code == PIECE_UNAVAILABLE)
        http->add_header(r, "Retry-After", "1");
    return send_response(s, c, has ? MHD_HTTP_NOT_MODIFIED : answer->code, r);
}

/* ---- events ---- */

static ssize_t read_stream(void *cls, uint64_t position, char *text, size_t room)
{
    struct stream *e = cls;
    struct server *s = e->server;
    (void)position;
    pthread_mutex_lock(&s->lock);
    bool ends = s->ending || e->gone;
    size_t size = ends ? 0 : stream_take(e, text, room, clock_now_s());
    if (size == 0 && !ends)
        s->listener->http.suspend(e->connection);
    pthread_mutex_unlock(&s->lock);
    return ends ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)size;
}

static void free_stream(void *cls)
{
    struct stream *e = cls;
    struct server *s = e->server;
    pthread_mutex_lock(&s->lock);
    stream_free(e);
    pthread_mutex_unlock(&s->lock);
}

/* Of HEAD libmicrohttpd would send the end of a stream. */
static struct MHD_Response *new_stream(struct server *s, struct MHD_Connection *c, bool head)
{
    const struct httpd *http = &s->listener->http;
    if (head)
        return http->response_from_buffer(0, NULL, NULL, NULL);
    pthread_mutex_lock(&s->lock);
    struct stream *e = stream_new(s, c, fd_of(s, c));
    peer_until(s, c, INFINITY);
    pthread_mutex_unlock(&s->lock);
    struct MHD_Response *r = e ? http->response_from_callback(MHD_SIZE_UNKNOWN, EVENTS_BLOCK,
                                                              read_stream, e, free_stream)
                               : NULL;
    if (e && !r)
        free_stream(e);
    return r;
}

static enum MHD_Result send_events(struct server *s, struct MHD_Connection *c, bool head)
{
    struct MHD_Response *r = new_stream(s, c, head);
    if (!r)
        return MHD_NO;
    add_headers(s, r, "text/event-stream; charset=utf-8", nothing, never);
    s->listener->http.add_header(r, "X-Accel-Buffering", "no"); /* nginx passes events on at once */
    return send_response(s, c, REQUEST_OK, r);
}

/* ---- requests ---- */

struct fields {
    struct request_field field[REQUEST_FIELDS_MAX + 1]; /* one more: too many */
    int count;
};

static enum MHD_Result take_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                  size_t name_size, const char *value, size_t value_size)
{
    struct fields *f = cls;
    (void)kind;
    if (f->count > REQUEST_FIELDS_MAX)
        return MHD_NO;
    f->field[f->count++] =
        (struct request_field){name, value ? value : "", name_size, value ? value_size : 0};
    return MHD_YES;
}

/* Answers at once what is refused: no body is read. */
static enum MHD_Result judge(struct server *s, struct MHD_Connection *c, const char *method,
                             struct ask *a)
{
    struct fields f = {.count = 0};
    struct message m = {{0}};
    s->listener->http.connection_values(c, MHD_HEADER_KIND, take_field, &f);
    const struct request_head head = {method, a->target, f.field, f.count};
    int code = request_read(&s->rules, &head, &a->q, &m);
    pthread_mutex_lock(&s->lock);
    peer_until(s, c, clock_now_s() + SERVE_TAKE_S);
    s->asked_s = clock_now_s();
    pthread_cond_signal(&s->look);
    pthread_mutex_unlock(&s->lock);
    a->judged = true;
    a->head = strcmp(method, "HEAD") == 0;
    if (code == REQUEST_MOVED)
        return send_moved(s, c, &a->q);
    return code == REQUEST_OK ? MHD_YES : send_error(s, c, code, m.text);
}

/* Once the answer is there. Until then the connection is suspended, and this is called again. */
static enum MHD_Result give(struct server *s, struct MHD_Connection *c, struct ask *a)
{
    bool waits = false;
    if (a->q.kind == REQUEST_EVENTS)
        return send_events(s, c, a->head);
    pthread_mutex_lock(&s->lock);
    if (a->q.kind == REQUEST_PAGE) {
        a->answer = answer_hold(s->page);
    } else if (!a->connection) {
        a->connection = c;
        waits = !reader_ask(s, a);
        if (waits)
            s->listener->http.suspend(c);
    }
    peer_until(s, c, waits ? INFINITY : clock_now_s() + SERVE_TAKE_S);
    pthread_mutex_unlock(&s->lock);
    if (waits)
        return MHD_YES;
    return a->answer ? send_answer(s, c, a)
                     : send_error(s, c, PIECE_UNAVAILABLE, "not now: ask again in a moment");
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *data_size, void **context)
{
    struct ask *a = *context;
    (void)url, (void)version, (void)data;
    if (!a)
        return MHD_NO; /* there was no memory for it */
    if (!a->judged)
        return judge(cls, c, method, a);
    if (*data_size > 0)
        return MHD_NO; /* a body, which its headers did not tell of */
    return give(cls, c, a);
}

/* The address as it came: libmicrohttpd would decode it. It tells of the end of a request only
 * where the headers were whole; until then the ask is the connection's. */
static void *take_target(void *cls, const char *target, struct MHD_Connection *c)
{
    struct peer *p = peer_of(cls, c);
    struct ask *a = p ? calloc(1, sizeof *a) : NULL;
    if (!a)
        return NULL;
    *a = (struct ask){.server = cls, .target = text_copy(target)};
    if (!a->target) {
        ask_free(a);
        return NULL;
    }
    ask_free(p->ask);
    p->ask = a;
    return a;
}

static void request_ended(void *cls, struct MHD_Connection *c, void **context,
                          enum MHD_RequestTerminationCode why)
{
    struct server *s = cls;
    struct ask *a = *context;
    struct peer *p = peer_of(s, c);
    (void)why;
    if (p)
        p->ask = NULL;
    pthread_mutex_lock(&s->lock);
    if (a && a->answer)
        answer_drop(&s->answers, a->answer);
    peer_until(s, c, clock_now_s() + SERVE_ASK_S);
    pthread_mutex_unlock(&s->lock);
    ask_free(a);
    *context = NULL;
}

/* ---- beginning and end ---- */

static void resume(struct server *s, void *connection)
{
    s->listener->http.resume(connection);
}

enum status listener_new(struct server *s, struct message *m)
{
    s->listener = calloc(1, sizeof *s->listener);
    if (!s->listener)
        return status_no_memory(m, "a server");
    s->resume = resume;
    return httpd_load(&s->listener->http, m);
}

/* As many as `ulimit -n` leaves room for. */
static enum status choose_most(struct server *s, struct message *m)
{
    struct rlimit files;
    rlim_t each = SERVE_CONNECTIONS;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
        rlim_t left = files.rlim_cur > FILES_KEPT ? files.rlim_cur - FILES_KEPT : 0;
        each = left / (rlim_t)s->listening.count;
    }
    s->listener->most = each < SERVE_CONNECTIONS ? (int)each : SERVE_CONNECTIONS;
    if (s->listener->most >= CONNECTIONS_MIN)
        return STATUS_OK;
    return status_fail(m, STATUS_IO,
                       "%lu open files are too few for a server; raise the limit (`ulimit -n`)",
                       (unsigned long)files.rlim_cur);
}

enum status listener_start(struct server *s, struct message *m)
{
    struct listener *l = s->listener;
    enum status status = choose_most(s, m);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < s->listening.count; i++) {
        unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                         (s->listening.ipv6[i] ? MHD_USE_IPv6 : 0);
        l->daemon[i] = l->http.start_daemon(
            flags, (uint16_t)s->listening.port, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET,
            s->listening.fd[i], MHD_OPTION_URI_LOG_CALLBACK, take_target, s,
            MHD_OPTION_NOTIFY_COMPLETED, request_ended, s, MHD_OPTION_NOTIFY_CONNECTION,
            connection_changed, s, MHD_OPTION_CONNECTION_LIMIT, (unsigned)l->most,
            MHD_OPTION_PER_IP_CONNECTION_LIMIT,
            s->listening.local ? 0U : (unsigned)SERVE_PER_ADDRESS, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
        if (!l->daemon[i])
            return status_fail(m, STATUS_IO, "libmicrohttpd does not start");
        s->listening.fd[i] = -1; /* its own by now */
    }
    return STATUS_OK;
}

void listener_free(struct listener *l)
{
    for (int i = 0; l && i < ADDRESS_SOCKETS; i++)
        if (l->daemon[i])
            l->http.stop_daemon(l->daemon[i]);
    free(l);
}
