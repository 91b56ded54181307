/* Answers that were computed, kept for the next who asks: as many as find room, those longest
 * unasked leaving first. Nothing here locks: the caller does (serve_parts.h). */
#ifndef SWEEP_SERVE_ANSWERS_H
#define SWEEP_SERVE_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/text.h"

enum { ANSWER_TAG_SIZE = 40 };

struct answer {
    char *key;  /* request_key */
    int code;   /* of HTTP */
    char *body; /* JSON, or the page */
    size_t size;
    char tag[ANSWER_TAG_SIZE]; /* entity tag with its quotes; equal bodies have equal ones */
    int64_t snapshot;          /* the number of that which it is of (watched.h) */
    double cost_s;             /* CPU time that it took */
    int holders;               /* who uses it */
    bool kept;                 /* in the list */
    struct answer *older;
};

struct answers {
    size_t room;           /* bytes that may be kept; a small answer counts as 4 KiB */
    size_t kept, living;   /* bytes of those kept, and of all that somebody still holds */
    struct answer *newest; /* asked for */
};

/* Takes what body holds, which is empty afterwards; the caller holds the answer. NULL where there
 * is no memory, or body has run out of it. */
struct answer *answer_new(struct answers *list, const char *key, int code,
                          struct text_buffer *body);

/* The answer with that key, or NULL; it is the newest from now on. The caller does not hold it. */
struct answer *answers_find(struct answers *list, const char *key);

/* Keeps an answer in the place of that with the same key. */
void answers_keep(struct answers *list, struct answer *a);

/* For one more, or one fewer, who uses it. */
struct answer *answer_hold(struct answer *a);
void answer_drop(struct answers *list, struct answer *a);

/* Keeps none any more. */
void answers_free(struct answers *list);

/* Whether If-None-Match (NULL: there is none) names this entity tag, given with its quotes. */
bool answer_tag_is_in(const char *tag, const char *if_none_match);

#endif
