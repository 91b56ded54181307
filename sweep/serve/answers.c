#include "sweep/serve/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"

enum { TAG_DIGITS = 32 };

static size_t weight(const struct answer *a)
{
    return sizeof *a + a->size + strlen(a->key);
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

static void unlink_answer(struct answers *list, struct answer *a)
{
    *(a->newer ? &a->newer->older : &list->newest) = a->older;
    *(a->older ? &a->older->newer : &list->oldest) = a->newer;
    a->newer = a->older = NULL;
}

static void put_first(struct answers *list, struct answer *a)
{
    a->older = list->newest;
    *(a->older ? &a->older->newer : &list->oldest) = a;
    list->newest = a;
}

static void leave(struct answers *list, struct answer *a)
{
    unlink_answer(list, a);
    list->kept -= weight(a);
    answer_drop(list, a);
}

struct answer *answers_find(struct answers *list, const char *key)
{
    struct answer *a = list->newest;
    while (a && strcmp(a->key, key) != 0)
        a = a->older;
    if (a && a != list->newest) {
        unlink_answer(list, a);
        put_first(list, a);
    }
    return a;
}

void answers_keep(struct answers *list, struct answer *a)
{
    struct answer *before = answers_find(list, a->key);
    if (before)
        leave(list, before);
    put_first(list, answer_hold(a));
    list->kept += weight(a);
    while (list->kept > list->room && list->oldest != a)
        leave(list, list->oldest);
}

struct answer *answer_hold(struct answer *a)
{
    a->holders++;
    return a;
}

void answer_drop(struct answers *list, struct answer *a)
{
    if (--a->holders > 0)
        return;
    list->living -= weight(a);
    free(a->key);
    free(a->body);
    free(a);
}

void answers_free(struct answers *list)
{
    while (list->oldest)
        leave(list, list->oldest);
}
