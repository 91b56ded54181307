/* The thread that reads results files. */
#include "sweep/serve/serve_parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/json_write.h"
#include "sweep/serve/metrics.h"
#include "sweep/serve/pieces.h"

/* Of all answers that somebody still holds: beyond that none is computed until some are taken. */
enum { LIVING_MAX = 256 << 20 };
/* How old a look at a file may be; how long a client waits for a newer answer before the older one
 * is given. */
static const double known_s = 1, busy_s = .1;

static bool is_of_all(const struct request *q)
{
    return q->kind == REQUEST_INDEX || q->kind == REQUEST_METRICS;
}

static bool is_of(const struct request *q, int file)
{
    return is_of_all(q) || q->file == file;
}

static bool is_known(const struct server *s, const struct request *q, double now_s)
{
    for (int i = 0; i < s->rules.files; i++)
        if (is_of(q, i) && now_s - s->file[i].looked_s > known_s)
            return false;
    return true;
}

static enum watched_kind kind_of(const struct request *q)
{
    bool soon = q->kind == REQUEST_TRIALS || q->kind == REQUEST_CURVES || q->kind == REQUEST_INDEX;
    return soon ? WATCHED_VERSION : WATCHED_SUMMARY;
}

static struct snapshot *snapshot_of(struct server *s, const struct request *q)
{
    if (q->kind == REQUEST_METRICS)
        return &s->metrics;
    return q->kind == REQUEST_INDEX ? &s->index : &s->file[q->file].snapshot[kind_of(q)];
}

static struct job *job_of(struct server *s, const char *key)
{
    struct job *j = s->jobs;
    while (j && strcmp(j->key, key) != 0)
        j = j->next;
    return j;
}

/* cost_s: the CPU time that it is expected to take. */
static struct job *job_add(struct server *s, const char *key, const struct request *q,
                           double cost_s)
{
    struct job *j = calloc(1, sizeof *j);
    char *name = text_copy(key);
    if (!j || !name) {
        free(j);
        free(name);
        return NULL;
    }
    if (!s->jobs)
        s->job_began_s = clock_now_s();
    *j = (struct job){.key = name, .q = *q, .cost_s = cost_s};
    *s->jobs_end = j;
    s->jobs_end = &j->next;
    pthread_cond_signal(&s->work);
    return j;
}

/* Whether a further job would wait for long. */
static bool is_busy(const struct server *s, double now_s)
{
    double cost_s = 0;
    for (const struct job *j = s->jobs; j; j = j->next)
        cost_s += j->cost_s;
    return s->jobs && (cost_s > busy_s || now_s - s->job_began_s > busy_s);
}

bool reader_ask(struct server *s, struct ask *a)
{
    char key[REQUEST_KEY_SIZE];
    double now_s = clock_now_s();
    struct answer *found = answers_find(&s->answers, request_key(&a->q, key));
    struct snapshot *snapshot = snapshot_of(s, &a->q);
    if (found && is_known(s, &a->q, now_s) && found->snapshot == snapshot->number) {
        a->answer = answer_hold(found);
        return true;
    }
    bool busy = is_busy(s, now_s);
    struct job *j = job_of(s, key);
    if (!j && !s->ending && s->answers.living < LIVING_MAX)
        j = job_add(s, key, &a->q, found ? found->cost_s : 0);
    if (found && busy) {
        if (j)
            j->notify = true;
        else
            snapshot_retry(snapshot, now_s);
        s->index_given |= a->q.kind == REQUEST_INDEX;
        a->answer = answer_hold(found);
        return true;
    }
    if (!j || s->ending)
        return true; /* without an answer: not now */
    a->next = j->waiting;
    j->waiting = a;
    return false;
}

/* ---- the thread ---- */

/* The outcome of a job. */
struct result {
    int code;
    bool passing;         /* an error that may be over without a change of the file */
    bool opened;          /* it is a results file */
    struct message error; /* where the code is not OK: why, for strangers */
    struct text_buffer body;
};

static void put_error(struct result *r)
{
    free(r->body.text);
    r->body = (struct text_buffer){0};
    piece_error(&r->body, r->error.text);
}

struct limit {
    struct server *server;
    double until_s;
};

static bool is_over(void *context)
{
    const struct limit *limit = context;
    pthread_mutex_lock(&limit->server->lock);
    bool ending = limit->server->ending;
    pthread_mutex_unlock(&limit->server->lock);
    return ending || clock_now_s() > limit->until_s;
}

/* Without the lock. */
static void read_file(struct server *s, const char *path, const struct request *q, struct result *r)
{
    struct limit limit = {s, clock_now_s() + SERVE_READ_S};
    struct store *store = NULL;
    struct message m = {{0}};
    FILE *out = text_stream(&r->body);
    enum status status = out ? store_open(path, STORE_READ, &store, &m)
                             : status_fail(&m, STATUS_NO_MEMORY, "no memory");
    r->opened = status == STATUS_OK;
    if (r->opened)
        store_stop_when(store, is_over, &limit);
    r->code = r->opened ? piece_write(store, q, out, &m) : piece_code(status);
    r->passing = r->code == PIECE_UNAVAILABLE && status != STATUS_BAD_INPUT;
    store_close(store, NULL);
    if (out)
        fclose(out);
    if (r->code == REQUEST_OK)
        return;
    if (clock_now_s() > limit.until_s)
        status_fail(&m, STATUS_IO, "%s: reading this takes longer than %g s", path, SERVE_READ_S);
    piece_words(path, &m, &r->error);
    put_error(r);
}

/* Unlocks while it reads. */
static void read_one(struct server *s, int file, const struct request *q, struct result *r)
{
    struct watched *w = &s->file[file];
    if (!w->sign.there) {
        r->code = PIECE_UNAVAILABLE;
        status_fail(&r->error, STATUS_IO, "%s", w->error);
        put_error(r);
        return;
    }
    pthread_mutex_unlock(&s->lock);
    read_file(s, w->path, q, r);
    pthread_mutex_lock(&s->lock);
    if (w->sign.there) /* of what may pass the one who asked is told: pages then ask again */
        watched_read(w, r->opened || r->passing ? "" : r->error.text);
}

/* What is known of a file, and its sweeps: {"file":...,"sweeps":...} */
static void put_file(const struct watched *file, const struct result *r, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_add_text(w, "file", file->name);
    json_add_integer(w, "version", file->news[WATCHED_VERSION]);
    json_add_text(w, "error", r->code == REQUEST_OK ? NULL : r->error.text);
    if (r->code == REQUEST_OK && r->body.text) {
        fprintf(w->out, ",%s", r->body.text + 1); /* the members of page_index, to their end */
        return;
    }
    json_add_null(w, "sweeps");
    json_end_object(w);
}

static void read_metrics(struct server *s, const struct request *q, struct result *r)
{
    struct metrics_part part[SERVE_FILES_MAX];
    FILE *out = text_stream(&r->body);
    if (!out)
        return;
    r->code = REQUEST_OK;
    for (int i = 0; i < s->rules.files; i++) {
        struct result one = {0};
        read_one(s, i, q, &one);
        bool good = one.code == REQUEST_OK && !one.body.out_of_memory;
        part[i] = (struct metrics_part){s->file[i].name, good ? one.body.text : NULL};
        if (!good)
            free(one.body.text);
        r->passing |= one.passing;
    }
    metrics_join(part, s->rules.files, out);
    fclose(out);
    for (int i = 0; i < s->rules.files; i++)
        free(part[i].samples);
}

static void read_index(struct server *s, const struct request *q, struct result *r)
{
    FILE *out = text_stream(&r->body);
    if (!out)
        return;
    r->code = REQUEST_OK;
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_begin_list(&w, "files");
    for (int i = 0; i < s->rules.files; i++) {
        struct result one = {0};
        read_one(s, i, q, &one);
        put_file(&s->file[i], &one, &w);
        r->passing |= one.passing;
        free(one.body.text);
    }
    json_end_list(&w);
    json_end_object(&w);
    fputc('\n', out);
    fclose(out);
}

/* At the files that q is about, if nobody has just looked. */
static void look(struct server *s, const struct request *q)
{
    for (int i = 0; i < s->rules.files; i++)
        if (is_of(q, i) && clock_now_s() - s->file[i].looked_s >= SERVE_LOOK_S)
            watcher_look(s, i);
}

/* Clients that have the older answer ask again. A monitor does so anyway. */
static void notify(struct server *s, const struct request *q)
{
    for (int i = 0; i < s->rules.files && q->kind != REQUEST_METRICS; i++)
        if (is_of(q, i))
            watched_notify(&s->file[i], kind_of(q));
}

/* again: there is an older answer. Held by the caller; NULL where there is no memory. */
static struct answer *compute(struct server *s, const struct job *j, bool again)
{
    struct result r = {.code = PIECE_UNAVAILABLE};
    struct snapshot *snapshot = snapshot_of(s, &j->q);
    snapshot->computing = true;
    double from_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    s->index_given |= j->q.kind == REQUEST_INDEX;
    if (j->q.kind == REQUEST_INDEX)
        read_index(s, &j->q, &r);
    else if (j->q.kind == REQUEST_METRICS)
        read_metrics(s, &j->q, &r);
    else
        read_one(s, j->q.file, &j->q, &r);
    struct answer *a = answer_new(&s->answers, j->key, r.code, &r.body);
    double cost_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - from_s;
    snapshot->computing = false;
    if (!s->skip_cooldown)
        snapshot_spend(snapshot, cost_s, again, clock_now_s());
    if (!a || r.passing)
        snapshot_retry(snapshot, clock_now_s());
    if (!a)
        return NULL;
    a->snapshot = snapshot->number;
    a->cost_s = cost_s;
    if (j->notify)
        notify(s, &j->q);
    answers_keep(&s->answers, a);
    return a;
}

/* The answer that is there by now, or a new one; held. */
static struct answer *answer_to(struct server *s, const struct job *j)
{
    look(s, &j->q);
    struct answer *found = answers_find(&s->answers, j->key);
    if (found && found->snapshot == snapshot_of(s, &j->q)->number)
        return answer_hold(found);
    return compute(s, j, found != NULL);
}

/* Who waits for it goes on, with an answer or without. */
static void tell_waiting(struct server *s, struct job *j, struct answer *a)
{
    for (struct ask *next, *waiting = j->waiting; waiting; waiting = next) {
        next = waiting->next;
        waiting->answer = a ? answer_hold(a) : NULL;
        s->resume(s, waiting->connection);
    }
    j->waiting = NULL;
}

/* The first one. */
static void job_remove(struct server *s)
{
    struct job *j = s->jobs;
    s->jobs = j->next;
    s->job_began_s = clock_now_s();
    if (!s->jobs)
        s->jobs_end = &s->jobs;
    free(j->key);
    free(j);
}

/* The first one that is not about the file that was just read, if there is one, becomes the first.
 */
static void take_turns(struct server *s)
{
    struct job **link = &s->jobs;
    while (*link && !is_of_all(&(*link)->q) && (*link)->q.file == s->last_file)
        link = &(*link)->next;
    struct job *j = *link;
    if (j && j != s->jobs) {
        *link = j->next;
        s->jobs_end = j->next ? s->jobs_end : link;
        j->next = s->jobs;
        s->jobs = j;
    }
    if (s->jobs)
        s->last_file = is_of_all(&s->jobs->q) ? -1 : s->jobs->q.file;
}

void reader_give_up(struct server *s)
{
    for (struct job *j = s->jobs; j; j = j->next)
        tell_waiting(s, j, NULL);
}

void *reader_run(void *server)
{
    struct server *s = server;
    pthread_mutex_lock(&s->lock);
    while (!s->ending) {
        if (!s->jobs) {
            pthread_cond_wait(&s->work, &s->lock);
            continue;
        }
        take_turns(s);
        struct answer *a = answer_to(s, s->jobs);
        tell_waiting(s, s->jobs, a);
        job_remove(s);
        if (a)
            answer_drop(&s->answers, a);
    }
    while (s->jobs)
        job_remove(s);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}
