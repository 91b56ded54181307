/* How a function that can fail says so: it returns an enum status and writes one sentence for a
 * person into the caller's struct message. Nothing below main() prints or exits. */
#ifndef ENGINE_BASE_STATUS_H
#define ENGINE_BASE_STATUS_H

enum status {
    STATUS_OK = 0,
    STATUS_BAD_INPUT, /* what the user gave is wrong; the message names place and remedy */
    STATUS_BUSY,      /* another process holds it; trying again later can succeed */
    STATUS_DISK_FULL, /* no room (ENOSPC, EDQUOT, SQLITE_FULL); nothing acknowledged was lost */
    STATUS_IO,        /* the system refused a read, a write, a sync, a spawn */
    STATUS_CORRUPT,   /* stored bytes fail their check */
    STATUS_NO_MEMORY,
    STATUS_DIVERGED,    /* NaN or Inf in loss, gradient or weights: a result, not an accident */
    STATUS_INTERRUPTED, /* a signal asked to stop */
    STATUS_INTERNAL     /* a promise inside this program was broken */
};

enum { MESSAGE_SIZE = 2048 };

struct message {
    char text[MESSAGE_SIZE]; /* always terminated; cut at the end if longer */
};

/* Writes the formatted sentence into m (which may be NULL) and returns s, so that a caller can
 * `return status_fail(m, STATUS_IO, "%s: %s", path, strerror(errno));`. */
enum status status_fail(struct message *m, enum status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* NO_MEMORY: "no memory for a page". What is collected (texts, tables, documents) remembers that
 * memory ran out and goes on without it, so that who hands it on says so once; what is read into
 * arrays stops and says so. Arenas jump instead (arena.h, scope.h). */
enum status status_no_memory(struct message *m, const char *what);

/* Puts the formatted text in front of what m already says: the place in front of the fault. */
enum status status_fail_within(struct message *m, enum status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* STATUS_DISK_FULL for ENOSPC and EDQUOT, STATUS_NO_MEMORY for ENOMEM, STATUS_IO for the rest. */
enum status status_of_errno(int error_number);

#endif
