/* What is known of a results file without opening it: whether it is there, and whether it has
 * changed.
 *
 * A commit shows in the size or the time of the file or of its log, but a reader may come between
 * the writing of the log and the end of its sync, and find the state before. Therefore what has
 * changed counts as changed again after half a second and after five.
 *
 * Nothing here locks: the caller does (serve_parts.h). */
#ifndef SWEEP_SERVE_WATCHED_H
#define SWEEP_SERVE_WATCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/base/status.h"

/* What tells two states of a file from each other. */
struct watched_sign {
    bool there;
    struct {
        dev_t device;
        ino_t inode;
        off_t size; /* 0 of a log: there is none, or nothing in it */
        int64_t mtime_ns;
    } part[2]; /* the file, its log */
};

/* The counters that clients are told: something newer of this kind can be had. */
enum watched_news {
    WATCHED_VERSION, /* what is soon computed: trials, curves, the list of sweeps */
    WATCHED_SUMMARY, /* what takes longer: summary, heads, attention */
    WATCHED_NEWS
};

struct watched {
    char *path;       /* absolute */
    const char *name; /* its last part: all that clients see */
    struct watched_sign sign;
    bool active;                /* when metrics were last asked for, a command held its lock */
    double looked_s, changed_s; /* when; 0: never */
    int settled;                /* how often it has counted as changed again since */
    int64_t state;              /* counts its changes */
    int64_t news[WATCHED_NEWS];
    double owed_s[WATCHED_NEWS];       /* when the counter is to go on because an answer was not the
                                          newest; 0: none was */
    double rest_until_s[WATCHED_NEWS]; /* when computing would have had its share of time */
    double slow_due_s;                 /* when the next summary can be computed */
    char error[MESSAGE_SIZE];          /* why nothing can be read from it; "" */
    int64_t serial;                    /* counts what clients are to be told */
};

/* The file as it is now. Waits for the file system; needs no lock. */
struct watched_sign watched_look(const char *path);

/* Whether a command that writes holds the file's lock. As watched_look. */
bool watched_active(const char *path);

/* Takes note of a look, made at now_s, and of what is due by then. */
void watched_saw(struct watched *w, const struct watched_sign *sign, double now_s);

/* Takes note of an answer that was given although a newer one can be had from due_s on. Of several
 * such the first counts: who is told asks for all, and what is not due yet is noted again. */
void watched_owe(struct watched *w, enum watched_news news, double due_s);

/* What was put off is told at the next look, and nothing is put off for a costly summary any more.
 */
void watched_hurry(struct watched *w, double now_s);

/* Takes note of how an attempt to read the file went: "" or a sentence. */
void watched_read(struct watched *w, const char *error);

#endif
