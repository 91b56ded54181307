/* Clients that listen. An event tells the state of a file:
 *
 *   event: file
 *   data: {"file":F,"version":V,"summary":K,"error":null or "sentence"}
 *
 * of each file at first, and when one has changed. V and K go on when something newer can be had of
 * what is soon computed and of what takes longer (watched.h). A comment line comes when it has been
 * quiet for long, so that both sides notice when the other has gone. */
#include "sweep/serve/serve_parts.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json_write.h"

struct stream *stream_new(struct server *s, void *connection, int fd)
{
    struct stream *e = calloc(1, sizeof *e);
    int64_t *serial = calloc((size_t)s->rules.files, sizeof *serial);
    if (!e || !serial) {
        free(e);
        free(serial);
        return NULL;
    }
    *e = (struct stream){.server = s, .connection = connection, .fd = fd, .serial = serial};
    e->next = s->streams;
    e->link = &s->streams;
    if (e->next)
        e->next->link = &e->next;
    s->streams = e;
    text_add(&e->text, "retry: 1000\n\n");
    return e;
}

void stream_free(struct stream *e)
{
    *e->link = e->next;
    if (e->next)
        e->next->link = e->link;
    free(e->text.text);
    free(e->serial);
    free(e);
}

static void add_event(struct stream *e, int file)
{
    const struct watched *w = &e->server->file[file];
    struct json_writer json = {.text = &e->text};
    text_add(&e->text, "event: file\ndata: ");
    json_begin_object(&json, NULL);
    json_add_integer(&json, "file", file);
    json_add_integer(&json, "version", w->news[WATCHED_VERSION]);
    json_add_integer(&json, "summary", w->news[WATCHED_SUMMARY]);
    json_add_text(&json, "error", w->error[0] ? w->error : NULL);
    json_end_object(&json);
    text_add(&e->text, "\n\n");
    e->serial[file] = w->serial;
}

static bool has_news(const struct stream *e, int file)
{
    return e->server->file[file].looked_s > 0 && e->serial[file] != e->server->file[file].serial;
}

/* All that there is to say now. What was sent is forgotten. */
static void compose(struct stream *e, double now_s)
{
    e->text.used = e->sent = 0;
    for (int i = 0; i < e->server->rules.files; i++)
        if (has_news(e, i))
            add_event(e, i);
    if (e->text.used == 0 && now_s >= e->beat_s)
        text_add(&e->text, ":\n\n");
}

size_t stream_take(struct stream *e, char *text, size_t room, double now_s)
{
    if (e->sent == e->text.used)
        compose(e, now_s);
    size_t left = e->text.used - e->sent, size = left < room ? left : room;
    if (size) {
        memcpy(text, e->text.text + e->sent, size);
        e->sent += size;
        e->beat_s = now_s + SERVE_BEAT_S;
    }
    e->asleep = size == 0;
    return size;
}

void streams_look(struct server *s)
{
    for (struct stream *e = s->streams; e; e = e->next) {
        struct pollfd end = {.fd = e->fd, .events = POLLRDHUP};
        e->gone = e->asleep && poll(&end, 1, 0) > 0;
    }
}

void streams_wake(struct server *s, bool all, double now_s)
{
    for (struct stream *e = s->streams; e; e = e->next) {
        bool wake = all || e->gone || now_s >= e->beat_s;
        for (int i = 0; i < s->rules.files && !wake; i++)
            wake = has_news(e, i);
        if (!wake || !e->asleep)
            continue;
        e->asleep = false;
        s->resume(s, e->connection);
    }
}
