/* What the server answers, and what it refuses: the one place that judges what strangers send.
 * Pure: it knows the text of a request only, neither a socket nor a results file.
 *
 * Everything is GET (HEAD gets the same without its body). F counts the results files from 0, S is
 * a sweep_id, and what stands behind `?` may be left out:
 *
 *   /                              the page: list of sweeps
 *   /F/S/                          the page of a sweep; /F/S leads there
 *   /F/S/?with=T,...               the page of sweeps side by side, S first; at most 8
 *   /index                         {"files":[{"file":"gather.db","version":3,"error":null,
 *                                  "sweeps":rows of page_index or null},...]}
 *   /F/S/summary                   page_summary
 *   /F/S/trials?after=N&most=M     page_trials, at most 1000 (as many where M is left out)
 *   /F/S/curves?trials=3,4&most=M  {"curves":[page_curve of each that has one,...]}; at most 100
 *                                  trials of at most 500 points (200)
 *   /F/S/heads?trial=N             page_heads, of all where N is 0 or left out
 *   /F/S/attention?trial=N         page_attention, or {"missing":N}; 0 or left out: no trial
 *   /F/S/trial?trial=N             page_trial
 *   /F/S/comparison?with=T,...     page_comparison
 *   /events                        server-sent events (streams.c)
 *   /metrics                       for a monitor, of all files: Prometheus' text format (metrics.h)
 *
 * A refusal is {"error":"sentence"}, which never names a path of this machine. */
#ifndef SWEEP_SERVE_REQUEST_H
#define SWEEP_SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"
#include "sweep/serve/token.h"

enum {
    REQUEST_TARGET_MAX = 4096,  /* bytes of an address: more is 414 */
    REQUEST_HEADERS_MAX = 8192, /* bytes of all headers, and */
    REQUEST_FIELDS_MAX = 64,    /* their number: more is 431 */
    REQUEST_ROWS_MAX = 1000,
    REQUEST_CURVES_MAX = 100,
    REQUEST_WITH_MAX = 7,
    REQUEST_POINTS = 200,
    REQUEST_POINTS_MAX = 500,
    REQUEST_KEY_SIZE = REQUEST_TARGET_MAX + 128
};

/* A header line. The texts are terminated; the sizes tell where a client put a NUL into one. */
struct request_field {
    const char *name, *value;
    size_t name_size, value_size;
};

/* A request as it came, without its body: nothing is decoded yet. */
struct request_head {
    const char *method, *target;
    const struct request_field *field;
    int fields;
};

/* What this server takes. The texts are the caller's. */
struct request_rules {
    int files;                 /* how many results files it serves */
    const char *const *hosts;  /* names and addresses, in lower case and without port or brackets,
                                  that Host may have; ends with NULL */
    bool any_address;          /* Host may be any address in figures: nobody can make a name lead to
                                  this server for that, and a token is asked */
    const struct token *token; /* NULL: none is asked */
    int port; /* where it listens: cookies do not know the port, so their name does */
};

enum request_kind {
    REQUEST_PAGE,
    REQUEST_INDEX,
    REQUEST_SUMMARY,
    REQUEST_TRIALS,
    REQUEST_CURVES,
    REQUEST_HEADS,
    REQUEST_ATTENTION,
    REQUEST_TRIAL,
    REQUEST_COMPARISON,
    REQUEST_EVENTS,
    REQUEST_METRICS,
    REQUEST_KINDS
};

struct request {
    enum request_kind kind;
    int file;                         /* 0 to rules.files - 1; 0 where the address names none */
    int64_t sweep_id;                 /* from 1; 0 where the address names none */
    int64_t after;                    /* of trials */
    long most;                        /* of trials and curves */
    int64_t trial;                    /* of heads, attention, trial; 0: see above */
    int64_t list[REQUEST_CURVES_MAX]; /* trials of curves; sweeps beside sweep_id, each once */
    int listed;
    char location[REQUEST_TARGET_MAX + 1]; /* with REQUEST_MOVED: the address without its token, or
                                              with the slash that it lacks */
    bool set_cookie;                       /* ... and the token is to be kept as a cookie */
};

/* Status codes of HTTP that request_read returns. */
enum {
    REQUEST_OK = 200,
    REQUEST_MOVED = 303,
    REQUEST_BAD = 400,
    REQUEST_FORBIDDEN = 403,
    REQUEST_NOT_FOUND = 404,
    REQUEST_NOT_ALLOWED = 405,
    REQUEST_TOO_LONG = 414,
    REQUEST_TOO_MANY = 431
};

/* Judges a request. OK fills q; MOVED fills location and set_cookie; all others write a sentence
 * for the client into m. */
int request_read(const struct request_rules *rules, const struct request_head *head,
                 struct request *q, struct message *m);

/* What q asks for, as a text: equal questions have equal keys. Returns key. */
const char *request_key(const struct request *q, char key[REQUEST_KEY_SIZE]);

/* The name of the cookie that holds the token's digest. Returns name. */
enum { REQUEST_COOKIE_SIZE = 32 };
const char *request_cookie(const struct request_rules *rules, char name[REQUEST_COOKIE_SIZE]);

#endif
