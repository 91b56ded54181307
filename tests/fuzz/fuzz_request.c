/* Any bytes, as a request: "0GET /0/1/summary", then lines "Name: value". The first digit says
 * which rules hold: 1 a token is asked, 2 Host may be any address in figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sweep/serve/answers.h"
#include "sweep/serve/request.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char SECRET[] = "0123456789abcdef";
static const char *const hosts[] = {"localhost", "127.0.0.1", "::1", NULL};
static struct token token;

static void promise(int kept)
{
    if (!kept)
        abort();
}

/* Alone in memory, so that a step beyond it is seen. */
static char *copy(const unsigned char *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        exit(1);
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

static size_t line_size(const unsigned char *data, size_t size)
{
    const unsigned char *end = memchr(data, '\n', size);
    return end ? (size_t)(end - data) : size;
}

enum { FIELDS_MAX = REQUEST_FIELDS_MAX + 2 };

struct asked {
    struct request_head head;
    struct request_field field[FIELDS_MAX];
    char *text[2 * FIELDS_MAX + 2];
    int texts;
};

static const char *keep(struct asked *a, const unsigned char *bytes, size_t size)
{
    return a->text[a->texts++] = copy(bytes, size);
}

static void read_lines(struct asked *a, const unsigned char *data, size_t size)
{
    size_t n = line_size(data, size);
    const unsigned char *space = memchr(data, ' ', n);
    size_t method = space ? (size_t)(space - data) : n;
    a->head.method = keep(a, data, method);
    a->head.target = space ? keep(a, space + 1, n - method - 1) : "/";
    a->head.field = a->field;
    while (n < size && a->head.fields < FIELDS_MAX) {
        data += n + 1;
        size -= n + 1;
        n = line_size(data, size);
        const unsigned char *colon = memchr(data, ':', n);
        size_t name = colon ? (size_t)(colon - data) : n;
        size_t from = name + (colon != NULL);
        from += from < n && data[from] == ' ';
        struct request_field *f = &a->field[a->head.fields++];
        *f = (struct request_field){.name_size = name, .value_size = n - from};
        f->name = keep(a, data, name);
        f->value = keep(a, data + from, n - from);
    }
}

/* ---- what holds of every answer ---- */

static int has_text(const struct asked *a, const char *secret)
{
    for (int i = 0; i < a->head.fields; i++)
        if (strstr(a->field[i].value, secret))
            return 1;
    return 0;
}

/* In the address any of its bytes may be written as %XX. */
static int has_secret(const struct asked *a)
{
    const char *t = strstr(a->head.target, "token=");
    return has_text(a, SECRET) || has_text(a, token.digest) ||
           (t && (strstr(t, SECRET) || strchr(t, '%')));
}

static int has_nul(const struct asked *a)
{
    for (int i = 0; i < a->head.fields; i++)
        if (memchr(a->field[i].name, '\0', a->field[i].name_size) ||
            memchr(a->field[i].value, '\0', a->field[i].value_size))
            return 1;
    return 0;
}

static int has_known_host(const struct asked *a)
{
    int found = 0, named = 0;
    for (int i = 0; i < a->head.fields; i++)
        if (strcasecmp(a->field[i].name, "Host") == 0) {
            const char *value = a->field[i].value + (a->field[i].value[0] == '[');
            named++;
            for (int k = 0; hosts[k]; k++)
                found += strncasecmp(value, hosts[k], strlen(hosts[k])) == 0;
        }
    return named == 1 && found == 1;
}

/* The address that q stands for, written anew. */
static void write_target(const struct request *q, char target[REQUEST_KEY_SIZE])
{
    static const char *const names[REQUEST_KINDS] = {[REQUEST_PAGE] = "",
                                                     [REQUEST_INDEX] = "index",
                                                     [REQUEST_SUMMARY] = "summary",
                                                     [REQUEST_TRIALS] = "trials",
                                                     [REQUEST_CURVES] = "curves",
                                                     [REQUEST_HEADS] = "heads",
                                                     [REQUEST_ATTENTION] = "attention",
                                                     [REQUEST_TRIAL] = "trial",
                                                     [REQUEST_COMPARISON] = "comparison",
                                                     [REQUEST_EVENTS] = "events",
                                                     [REQUEST_METRICS] = "metrics"};
    size_t room = REQUEST_KEY_SIZE, n = 0;
    if (q->sweep_id)
        n = (size_t)snprintf(target, room, "/%d/%lld", q->file, (long long)q->sweep_id);
    n += (size_t)snprintf(target + n, room - n, "/%s", names[q->kind]);
    if (q->kind == REQUEST_TRIALS)
        snprintf(target + n, room - n, "?after=%lld&most=%ld", (long long)q->after, q->most);
    else if (q->kind == REQUEST_HEADS || q->kind == REQUEST_ATTENTION || q->kind == REQUEST_TRIAL)
        snprintf(target + n, room - n, "?trial=%lld", (long long)q->trial);
    else if (q->listed) {
        bool curves = q->kind == REQUEST_CURVES;
        n += curves ? (size_t)snprintf(target + n, room - n, "?most=%ld", q->most) : 0;
        for (int i = 0; i < q->listed; i++)
            n += (size_t)snprintf(target + n, room - n, "%s%lld",
                                  i        ? ","
                                  : curves ? "&trials="
                                           : "?with=",
                                  (long long)q->list[i]);
    }
}

/* A plain request with the token, where one is asked. */
static int ask(const struct request_rules *rules, const char *target, struct request *q)
{
    static const char value[] = "Bearer 0123456789abcdef";
    const struct request_field field[] = {{"Host", "localhost", 4, 9},
                                          {"Authorization", value, 13, sizeof value - 1}};
    const struct request_head head = {"GET", target, field, 2};
    struct message m;
    return request_read(rules, &head, q, &m);
}

static void check_found(const struct request_rules *rules, const struct request *q)
{
    char target[REQUEST_KEY_SIZE], key[REQUEST_KEY_SIZE], again[REQUEST_KEY_SIZE];
    static struct request same;
    promise(q->kind < REQUEST_KINDS && q->file >= 0 && q->file < rules->files);
    promise(q->sweep_id >= 0 && q->after >= 0 && q->trial >= 0);
    promise(q->most >= 1 && q->most <= REQUEST_ROWS_MAX && q->listed <= REQUEST_CURVES_MAX);
    write_target(q, target);
    if (strlen(target) >= REQUEST_TARGET_MAX) /* `most` was left out */
        return;
    promise(ask(rules, target, &same) == REQUEST_OK);
    promise(strcmp(request_key(q, key), request_key(&same, again)) == 0);
}

/* Where the client is sent lies below the folder of what it asked, holds no token, and leads to no
 * third place. */
static void check_moved(const struct request_rules *rules, const struct asked *a,
                        const struct request *q)
{
    static char target[2 * REQUEST_TARGET_MAX];
    static struct request there;
    promise(strncmp(q->location, "./", 2) == 0);
    promise(!strstr(q->location, "?token=") && !strstr(q->location, "&token="));
    size_t folder = strcspn(a->head.target, "?");
    while (a->head.target[folder - 1] != '/')
        folder--;
    snprintf(target, sizeof target, "%.*s%s", (int)folder, a->head.target, q->location + 2);
    if (strlen(target) < REQUEST_TARGET_MAX)
        promise(ask(rules, target, &there) == REQUEST_OK);
}

static void check_answer(const struct request_rules *rules, const struct asked *a,
                         const struct request *q, int code, const struct message *m)
{
    bool passed = code == REQUEST_OK || code == REQUEST_MOVED;
    promise(passed == (m->text[0] == '\0') && !strchr(m->text, '/'));
    promise(!passed || !has_nul(a));
    promise(!passed || !rules->token || has_secret(a));
    promise(!passed || rules->any_address || has_known_host(a));
    if (code == REQUEST_OK)
        check_found(rules, q);
    if (code == REQUEST_MOVED)
        check_moved(rules, a, q);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct request q, again;
    if (size < 2)
        return 0;
    token_of(SECRET, sizeof SECRET - 1, &token);
    const struct request_rules rules = {.files = 2,
                                        .hosts = hosts,
                                        .any_address = data[0] & 2,
                                        .token = data[0] & 1 ? &token : NULL,
                                        .port = 8080};
    struct message m = {{0}}, same = {{0}};
    struct asked a = {.texts = 0};
    read_lines(&a, data + 1, size - 1);
    int code = request_read(&rules, &a.head, &q, &m);
    promise(request_read(&rules, &a.head, &again, &same) == code && strcmp(m.text, same.text) == 0);
    check_answer(&rules, &a, &q, code, &m);
    for (int i = 0; i < a.head.fields; i++)
        answer_tag_is_in("\"0123456789abcdef\"", a.field[i].value);
    for (int i = 0; i < a.texts; i++)
        free(a.text[i]);
    return 0;
}
