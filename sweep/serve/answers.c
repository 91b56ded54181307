#include "sweep/serve/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"

enum { TAG_DIGITS = 32 };

/* Small ones count for more than they are, so that there are never very many to look through. */
static size_t weight(const struct answer *a)
{
    const size_t least = 4096;
    size_t size = sizeof *a + a->size + strlen(a->key);
    return size > least ? size : least;
}

struct answer *answer_new(struct answers *list, const char *key, int code, struct text_buffer *body)
{
    char digest[65];
    struct answer *a = calloc(1, sizeof *a);
    char *name = text_copy(key);
    if (!a || !name || !body->text || body->out_of_memory) {
        free(a);
        free(name);
        free(body->text);
        *body = (struct text_buffer){0};
        return NULL;
    }
    sha256_hex(body->text, body->used, digest);
    *a = (struct answer){
        .key = name, .code = code, .body = body->text, .size = body->used, .holders = 1};
    snprintf(a->tag, sizeof a->tag, "\"%.*s\"", TAG_DIGITS, digest);
    *body = (struct text_buffer){0};
    list->living += weight(a);
    return a;
}

static void free_unused(struct answers *list, struct answer *a)
{
    if (a->kept || a->holders > 0)
        return;
    list->living -= weight(a);
    free(a->key);
    free(a->body);
    free(a);
}

/* The answer at *link leaves the list. */
static void leave(struct answers *list, struct answer **link)
{
    struct answer *a = *link;
    *link = a->older;
    a->kept = false;
    list->kept -= weight(a);
    free_unused(list, a);
}

static void put_first(struct answers *list, struct answer *a)
{
    a->older = list->newest;
    list->newest = a;
}

struct answer *answers_find(struct answers *list, const char *key)
{
    struct answer **link = &list->newest, *a;
    while ((a = *link) && strcmp(a->key, key) != 0)
        link = &a->older;
    if (a) {
        *link = a->older;
        put_first(list, a);
    }
    return a;
}

void answers_keep(struct answers *list, struct answer *a)
{
    if (answers_find(list, a->key))
        leave(list, &list->newest);
    put_first(list, a);
    a->kept = true;
    list->kept += weight(a);
    while (list->kept > list->room && a->older) {
        struct answer **last = &a->older;
        while ((*last)->older)
            last = &(*last)->older;
        leave(list, last);
    }
}

struct answer *answer_hold(struct answer *a)
{
    a->holders++;
    return a;
}

void answer_drop(struct answers *list, struct answer *a)
{
    a->holders--;
    free_unused(list, a);
}

void answers_free(struct answers *list)
{
    while (list->newest)
        leave(list, &list->newest);
}

bool answer_tag_is_in(const char *tag, const char *if_none_match)
{
    size_t length = strlen(tag);
    for (const char *at = if_none_match; at && *at;) {
        at += strspn(at, ", \t");
        if (strncmp(at, "W/", 2) == 0)
            at += 2;
        size_t size = strcspn(at, ", \t");
        if ((size == length && memcmp(at, tag, length) == 0) || (size == 1 && *at == '*'))
            return true;
        at += size;
    }
    return false;
}
