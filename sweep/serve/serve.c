#include "sweep/serve/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "sweep/page/page.h"
#include "sweep/serve/listener.h"
#include "sweep/trials/trials.h"

enum { CACHE_ROOM = 64 << 20 };

/* It must be there and be ours at the start; later it may come and go. */
static enum status add_file(struct watched *w, const char *path, struct message *m)
{
    struct store *store;
    enum status status = store_open(path, STORE_READ, &store, m);
    if (status != STATUS_OK)
        return status;
    status = store_close(store, m);
    w->path = status == STATUS_OK ? realpath(path, NULL) : NULL;
    if (status == STATUS_OK && !w->path)
        status = status_fail(m, status_of_errno(errno), "%s: %s", path, strerror(errno));
    if (status == STATUS_OK)
        w->name = file_last_name(w->path);
    return status;
}

static enum status add_files(struct server *s, const struct serve_options *o, struct message *m)
{
    enum status status = STATUS_OK;
    s->file = calloc((size_t)o->count, sizeof *s->file);
    if (!s->file)
        return status_no_memory(m, "a server");
    s->rules.files = o->count;
    for (int i = 0; i < o->count && status == STATUS_OK; i++)
        status = add_file(&s->file[i], o->files[i], m);
    return status;
}

/* The page without data, computed once. */
static enum status make_page(struct server *s, struct message *m)
{
    struct text_buffer body = {0}, policy = {0};
    FILE *page = text_stream(&body), *header = text_stream(&policy);
    enum status status = page && header ? page_write_live(page, m) : STATUS_NO_MEMORY;
    if (header) {
        page_live_policy(header);
        fputs("; frame-ancestors 'none'", header);
        fclose(header);
    }
    if (page)
        fclose(page);
    bool fits = policy.text && !policy.out_of_memory && policy.used < sizeof s->policy;
    if (fits)
        memcpy(s->policy, policy.text, policy.used + 1);
    free(policy.text);
    s->page = status == STATUS_OK && fits ? answer_new(&s->answers, "", REQUEST_OK, &body) : NULL;
    free(body.text);
    if (!s->page && status == STATUS_OK)
        status = STATUS_NO_MEMORY;
    return status == STATUS_NO_MEMORY ? status_fail(m, status, "no memory for a page") : status;
}

/* Whoever can come from elsewhere needs a token. */
static enum status choose_token(struct server *s, const struct serve_options *o,
                                char text[TOKEN_TEXT_SIZE], struct message *m)
{
    text[0] = '\0';
    if (!o->token_file && s->listening.local)
        return STATUS_OK;
    s->rules.token = &s->token;
    return o->token_file ? token_read(o->token_file, &s->token, m) : token_make(&s->token, text, m);
}

/* The address for people, with the token if it was made here. */
static void write_address(struct server *s, const char *token)
{
    const char *name = s->listening.names[0];
    bool figures = strchr(name, ':') != NULL;
    snprintf(s->address, sizeof s->address, "http://%s%s%s:%d/%s%s", figures ? "[" : "", name,
             figures ? "]" : "", s->listening.port, *token ? "?token=" : "", token);
}

static enum status open_address(struct server *s, const struct serve_options *o, struct message *m)
{
    char token[TOKEN_TEXT_SIZE];
    enum status status = address_listen(o->listen, o->port, o->next_port ? SERVE_PORTS : 1,
                                        o->port_option, &s->listening, m);
    if (status == STATUS_OK)
        status = choose_token(s, o, token, m);
    if (status != STATUS_OK)
        return status;
    s->rules.hosts = s->listening.names;
    s->rules.any_address = !s->listening.local;
    s->rules.port = s->listening.port;
    write_address(s, token);
    return STATUS_OK;
}

/* A thread that leaves all signals to the others. */
static enum status start_threads(struct server *s, struct message *m)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->has_reader = pthread_create(&s->reader, NULL, reader_run, s) == 0;
    s->has_watcher = s->has_reader && pthread_create(&s->watcher, NULL, watcher_run, s) == 0;
    enum status status = s->has_watcher
                             ? listener_start(s, m)
                             : status_fail(m, STATUS_IO, "the system gives no more threads");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static void init(struct server *s)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->look, &monotonic);
    pthread_condattr_destroy(&monotonic);
    s->jobs_end = &s->jobs;
    s->last_file = -1;
    s->answers.room = CACHE_ROOM;
    s->asked_s = clock_now_s();
}

enum status serve_start(const struct serve_options *o, struct server **server, struct message *m)
{
    struct server *s = *server = calloc(1, sizeof *s);
    if (!s)
        return status_no_memory(m, "a server");
    init(s);
    enum status status = listener_new(s, m);
    if (status == STATUS_OK)
        status = add_files(s, o, m);
    if (status == STATUS_OK)
        status = make_page(s, m);
    if (status == STATUS_OK)
        status = open_address(s, o, m);
    if (status == STATUS_OK)
        status = start_threads(s, m);
    if (status != STATUS_OK) {
        serve_stop(s);
        *server = NULL;
    }
    return status;
}

const char *serve_address(const struct server *s)
{
    return s->address;
}

static bool join_reader(struct server *s)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += SERVE_PATIENCE_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return !s->has_reader || pthread_timedjoin_np(s->reader, NULL, &until) == 0;
}

static void free_server(struct server *s)
{
    for (int i = 0; s->file && i < s->rules.files; i++)
        free(s->file[i].path);
    free(s->file);
    if (s->page)
        answer_drop(&s->answers, s->page);
    answers_free(&s->answers);
    pthread_cond_destroy(&s->look);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

int serve_listeners(struct server *s)
{
    int n = 0;
    pthread_mutex_lock(&s->lock);
    for (const struct stream *e = s->streams; e; e = e->next)
        n++;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void serve_skip_cooldown(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    s->skip_cooldown = true;
    s->index.due_s = s->metrics.due_s = 0;
    for (int i = 0; i < s->rules.files; i++) {
        for (int kind = 0; kind < WATCHED_KINDS; kind++)
            s->file[i].snapshot[kind].due_s = 0;
        watcher_look(s, i);
    }
    streams_wake(s, false, clock_now_s());
    pthread_mutex_unlock(&s->lock);
}

bool serve_stop(struct server *s)
{
    if (!s)
        return true;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->look);
    reader_give_up(s);
    streams_wake(s, true, 0);
    pthread_mutex_unlock(&s->lock);
    listener_free(s->listener);
    address_close(&s->listening);
    if (s->has_watcher)
        pthread_join(s->watcher, NULL);
    if (!join_reader(s))
        return false;
    free_server(s);
    return true;
}
