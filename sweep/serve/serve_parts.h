/* The inside of a server: what its threads share, all of it under one lock.
 *
 *   listener   (libmicrohttpd's, one for each address) judges requests and sends answers. It waits
 *              for nothing but that lock: who asks for what is not there yet is suspended.
 *   reader     computes what was asked for, one thing after the other, and resumes who waits for
 *              it. It alone opens results files, in turn where several are asked for, and none for
 *              longer than SERVE_READ_S at a time: a file that is slow keeps no other waiting for
 *              more than one piece.
 *   watcher    looks four times a second, while anybody is there, whether files have changed,
 *              wakes event streams, and ends connections on which nothing happens.
 *
 * What costs much is done seldom: each file has a snapshot for each of two kinds of answers, and
 * the list of all sweeps and the metrics have one each (watched.h). An answer serves as long as its
 * snapshot does, also while the reader is at work on something long; clients are notified when a
 * newer one can be had. A snapshot takes an eightieth of a core: a file a fortieth. */
#ifndef SWEEP_SERVE_SERVE_PARTS_H
#define SWEEP_SERVE_SERVE_PARTS_H

#include <pthread.h>

#include "sweep/serve/address.h"
#include "sweep/serve/answers.h"
#include "sweep/serve/request.h"
#include "sweep/serve/serve.h"
#include "sweep/serve/watched.h"

enum { SERVE_CONNECTIONS = 256, SERVE_PER_ADDRESS = 32 };

/* How long: between two looks at files, between two comments in a quiet event stream; for a client
 * to ask something, and to take an answer; for a piece to be read from its file. */
static const double SERVE_LOOK_S = .25, SERVE_BEAT_S = 15, SERVE_ASK_S = 20, SERVE_TAKE_S = 120,
                    SERVE_READ_S = 10;

/* A request on its way to its answer. */
struct ask {
    struct server *server;
    char *target;
    struct request q;
    bool judged;           /* its headers have been seen */
    bool head;             /* HEAD: nothing but headers is wanted */
    void *connection;      /* of libmicrohttpd */
    struct answer *answer; /* once it is there; held */
    struct ask *next;      /* who waits for the same */
};

/* What the reader is to compute. */
struct job {
    char *key; /* request_key */
    struct request q;
    struct ask *waiting;
    double cost_s; /* the CPU time that it is expected to take */
    bool notify;   /* clients have been given an older answer */
    struct job *next;
};

/* One client of /events. */
struct stream {
    struct server *server;
    void *connection;
    int fd;
    bool asleep;     /* suspended, until there is news */
    bool gone;       /* its client has closed the connection */
    double beat_s;   /* when a comment is due */
    int64_t *serial; /* of each file: what it was last notified of */
    struct text_buffer text;
    size_t sent; /* of text */
    struct stream *next, **link;
};

/* A connection, and when it is ended if nothing more happens on it. */
struct peer {
    int fd;
    double until_s;  /* INFINITY: it is our turn, or an event stream */
    struct ask *ask; /* what it has begun to ask; NULL between requests */
    struct peer *next, **link;
};

struct server {
    /* Never changed once the threads run. */
    struct request_rules rules;
    struct listening listening;
    struct token token;
    char address[512];
    struct answer *page;
    char policy[1024]; /* Content-Security-Policy of the page */
    void (*resume)(struct server *s, void *connection);
    struct listener *listener;

    pthread_mutex_t lock;
    pthread_cond_t work, look; /* wake the reader, the watcher */
    pthread_t reader, watcher;
    bool has_reader, has_watcher;
    struct watched *file; /* rules.files of them; their paths and names never change */
    struct answers answers;
    struct snapshot index, metrics; /* of all files together */
    bool index_given;               /* somebody has a list, of that snapshot or an older one */
    int last_file;                  /* that the reader was at */
    struct job *jobs, **jobs_end;
    double job_began_s; /* of the first one */
    struct stream *streams;
    struct peer *peers;
    int n_peers;
    double asked_s;     /* when somebody last asked anything */
    bool skip_cooldown; /* serve_skip_cooldown */
    bool ending;
};

/* ---- reader.c; the caller has the lock ---- */

/* The answer to a->q into a->answer, if it is there: true. Else the ask waits for it, and the
 * caller suspends its connection before it lets the lock go. */
bool reader_ask(struct server *s, struct ask *a);

/* Who waits goes on without an answer. */
void reader_give_up(struct server *s);

/* A thread's work until s->ending; without the lock. */
void *reader_run(void *server);

/* ---- watcher.c ---- */

/* Looks at a file now. The caller has the lock, which is open meanwhile. */
void watcher_look(struct server *s, int file);

/* As reader_run. */
void *watcher_run(void *server);

/* ---- streams.c; the caller has the lock ---- */

/* NULL where there is no memory. fd: of the connection. */
struct stream *stream_new(struct server *s, void *connection, int fd);
void stream_free(struct stream *e);

/* What is to be sent next, into text: its size. 0: nothing; the stream is then asleep, and the
 * caller suspends its connection before it lets the lock go. */
size_t stream_take(struct stream *e, char *text, size_t room, double now_s);

/* Takes note of clients that have gone. libmicrohttpd does not look at a connection that is
 * suspended: each would keep its place until the next comment. */
void streams_look(struct server *s);

/* Resumes those that have something to send or whose clients have gone, or all. */
void streams_wake(struct server *s, bool all, double now_s);

#endif
