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

/* What answers are of, until the next may begin: however often a file changes, answers of one
 * snapshot serve. That one costs much is made up for before the next: no answer is computed again
 * sooner than SNAPSHOT_COOLDOWN times the CPU time that it took, and all that are computed again
 * take no more of a core together than that either, but for SNAPSHOT_AHEAD_S seconds that may be
 * had at once after a rest. */
struct snapshot {
    int64_t number;
    bool stale;     /* there is something newer */
    bool computing; /* an answer, which is to serve for its time: the next waits */
    double due_s;   /* the next begins no sooner */
    double share_s; /* when computing again would have had its share of time */
};

enum { SNAPSHOT_COOLDOWN = 79 };
static const double SNAPSHOT_AHEAD_S = .25;

/* The kinds of answers of a file. */
enum watched_kind {
    WATCHED_VERSION, /* what is soon computed: trials, curves; and news of the list of sweeps */
    WATCHED_SUMMARY, /* what takes longer: summary, heads, attention */
    WATCHED_KINDS
};

struct watched {
    char *path;       /* absolute */
    const char *name; /* its last part: all that clients see */
    struct watched_sign sign;
    double looked_s, changed_s; /* when; 0: never */
    int settled;                /* how often it has counted as changed again since */
    struct snapshot snapshot[WATCHED_KINDS];
    int64_t news[WATCHED_KINDS]; /* counters that clients are told: there is something newer */
    char error[MESSAGE_SIZE];    /* why nothing can be read from it; "" */
    int64_t serial;              /* counts what clients are to be told */
};

/* The file as it is now. Waits for the file system; needs no lock. */
struct watched_sign watched_look(const char *path);

/* Takes note of a look, made at now_s, and begins the snapshots that are due by then. Whether the
 * file counts as changed. */
bool watched_saw(struct watched *w, const struct watched_sign *sign, double now_s);

/* Clients are told. */
void watched_notify(struct watched *w, enum watched_kind kind);

/* Takes note of how an attempt to read the file went: "" or a sentence. */
void watched_read(struct watched *w, const char *error);

/* Begins the next one, if something is newer and it is due. */
bool snapshot_advance(struct snapshot *n, double now_s);

/* Takes note of CPU time that an answer took until now_s, once more or for the first time. First
 * answers together delay the next snapshot by no more than the costliest of them, or one of
 * SNAPSHOT_AHEAD_S: pages that are opened do not keep all others old for long. */
void snapshot_spend(struct snapshot *n, double cpu_s, bool again, double now_s);

/* The next one begins even if nothing changes, in a second at the earliest: what failed may
 * succeed then. */
void snapshot_retry(struct snapshot *n, double now_s);

#endif
