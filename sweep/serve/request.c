#include "sweep/serve/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { REQUEST_INTEGER_DIGITS = 18 }; /* fits int64_t, whatever they are */

static int refuse(struct message *m, int code, const char *sentence)
{
    status_fail(m, STATUS_BAD_INPUT, "%s", sentence);
    return code;
}

/* ---- headers ---- */

/* The only header of that name; NULL and *count 0, or more than 1, where there is no such. */
static const struct request_field *field_of(const struct request_head *h, const char *name,
                                            int *count)
{
    const struct request_field *found = NULL;
    *count = 0;
    for (int i = 0; i < h->fields; i++)
        if (strcasecmp(h->field[i].name, name) == 0) {
            found = &h->field[i];
            ++*count;
        }
    return *count == 1 ? found : NULL;
}

static int check_sizes(const struct request_head *h, struct message *m)
{
    size_t size = 0;
    if (strlen(h->target) >= REQUEST_TARGET_MAX)
        return refuse(m, REQUEST_TOO_LONG, "this address is too long");
    for (int i = 0; i < h->fields; i++)
        size += h->field[i].name_size + h->field[i].value_size + strlen(": \r\n");
    if (size > REQUEST_HEADERS_MAX || h->fields > REQUEST_FIELDS_MAX)
        return refuse(m, REQUEST_TOO_MANY, "this request has too many or too long headers");
    for (int i = 0; i < h->fields; i++)
        if (strlen(h->field[i].name) != h->field[i].name_size ||
            strlen(h->field[i].value) != h->field[i].value_size)
            return refuse(m, REQUEST_BAD, "a header has a NUL in it");
    return REQUEST_OK;
}

/* Digits to the end, at most `most` of them. */
static bool is_number(const char *text, size_t most)
{
    size_t n = strspn(text, "0123456789");
    return n > 0 && n <= most && text[n] == '\0';
}

/* "name", "1.2.3.4" or "[::1]", each with ":port" or without: what stands before the port, without
 * brackets. Whatever the port: a tunnel (ssh -L 9000:localhost:8080) has another at its other end,
 * and a foreign name that leads here gives itself away by the name. */
static bool split_host(const char *value, char *host, size_t size, bool *bracketed)
{
    *bracketed = value[0] == '[';
    const char *from = value + *bracketed;
    size_t n = strcspn(from, *bracketed ? "]" : ":");
    const char *rest = from + n;
    if (n == 0 || n >= size || (*bracketed && *rest++ != ']'))
        return false;
    if (*rest && (*rest != ':' || !is_number(rest + 1, 5)))
        return false;
    for (size_t i = 0; i < n; i++) {
        host[i] = from[i] >= 'A' && from[i] <= 'Z' ? (char)(from[i] | 32) : from[i];
        if (!strchr(*bracketed ? "0123456789abcdef:." : "0123456789abcdefghijklmnopqrstuvwxyz-._",
                    host[i]))
            return false;
    }
    host[n] = '\0';
    return true;
}

/* Four numbers: no name that one could register looks like it. */
static bool is_ipv4(const char *host)
{
    for (int part = 0; part < 4; part++) {
        size_t n = strspn(host, "0123456789");
        if (n == 0 || n > 3 || host[n] != (part < 3 ? '.' : '\0'))
            return false;
        host += n + 1;
    }
    return true;
}

/* A page of a stranger's whose name was made to lead here (DNS rebinding) would pass for our own in
 * a browser, but for the name that the browser says it asked. */
static int check_host(const struct request_rules *rules, const struct request_head *h,
                      struct message *m)
{
    char host[256];
    bool bracketed;
    int count;
    const struct request_field *f = field_of(h, "Host", &count);
    if (!f)
        return refuse(m, REQUEST_BAD,
                      count ? "a request has one Host header" : "a request needs a Host header");
    if (!split_host(f->value, host, sizeof host, &bracketed))
        return refuse(m, REQUEST_BAD, "the Host header is neither a name nor an address");
    for (const char *const *known = rules->hosts; *known; known++)
        if (strcmp(host, *known) == 0 && bracketed == (strchr(*known, ':') != NULL))
            return REQUEST_OK;
    if (rules->any_address && (bracketed || is_ipv4(host)))
        return REQUEST_OK;
    return refuse(m, REQUEST_FORBIDDEN,
                  "this server does not go by that name: use the address that it printed");
}

static int check_method(const struct request_head *h, struct message *m)
{
    if (strcmp(h->method, "GET") != 0 && strcmp(h->method, "HEAD") != 0)
        return refuse(m, REQUEST_NOT_ALLOWED, "only GET and HEAD are answered");
    return REQUEST_OK;
}

static int check_body(const struct request_head *h, struct message *m)
{
    int lengths, codings;
    const struct request_field *length = field_of(h, "Content-Length", &lengths);
    field_of(h, "Transfer-Encoding", &codings);
    if (codings > 0 || lengths > 1 || (length && strcmp(length->value, "0") != 0))
        return refuse(m, REQUEST_BAD, "a request has no body here");
    return REQUEST_OK;
}

/* ---- the token ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of a query, with %XX as the bytes they are. False where it does not fit, or holds what
 * is not printable ASCII. */
static bool decode(const char *text, size_t size, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        int c = (unsigned char)text[i];
        if (c == '%') {
            int high = i + 2 < size ? hex_digit(text[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
            if (low < 0)
                return false;
            c = high * 16 + low;
            i += 2;
        }
        if (c <= ' ' || c > '~' || used + 1 >= room)
            return false;
        out[used++] = (char)c;
    }
    out[used] = '\0';
    return true;
}

/* One `key=value` of a query. */
struct pair {
    const char *key, *value;
    size_t key_size, value_size;
};

/* The pair at *at, which moves behind it; false at the end. Of a pair without `=` the value is
 * NULL. */
static bool next_pair(const char **at, struct pair *p)
{
    if (!**at)
        return false;
    size_t size = strcspn(*at, "&");
    const char *equals = memchr(*at, '=', size);
    p->key = *at;
    p->key_size = equals ? (size_t)(equals - *at) : size;
    p->value = equals ? equals + 1 : NULL;
    p->value_size = equals ? size - p->key_size - 1 : 0;
    *at += size + ((*at)[size] == '&');
    return true;
}

static bool pair_is(const struct pair *p, const char *key)
{
    return p->value && strlen(key) == p->key_size && memcmp(p->key, key, p->key_size) == 0;
}

/* The token of the address, if there is one (*given); location becomes the address without it.
 * False where it is no token at all, or there are two. */
static bool token_of_target(const char *target, char *token, size_t room, char *location,
                            bool *given)
{
    size_t path = strcspn(target, "?"), used = path;
    const char *at = target[path] ? target + path + 1 : target + path;
    bool good = true;
    *given = false;
    memcpy(location, target, path);
    for (struct pair p; next_pair(&at, &p);) {
        if (pair_is(&p, "token")) {
            good = good && !*given && decode(p.value, p.value_size, token, room);
            *given = true;
            continue;
        }
        size_t size = p.key_size + (p.value ? 1 + p.value_size : 0);
        location[used] = used == path ? '?' : '&';
        memcpy(location + used + 1, p.key, size);
        used += 1 + size;
    }
    location[used] = '\0';
    return good;
}

const char *request_cookie(const struct request_rules *rules, char name[REQUEST_COOKIE_SIZE])
{
    snprintf(name, REQUEST_COOKIE_SIZE, "headcount_%d", rules->port);
    return name;
}

static bool has_cookie(const struct request_rules *rules, const char *cookies)
{
    char name[REQUEST_COOKIE_SIZE];
    size_t length = strlen(request_cookie(rules, name));
    while (*cookies) {
        cookies += strspn(cookies, "; ");
        size_t size = strcspn(cookies, "; ");
        if (size > length && memcmp(cookies, name, length) == 0 && cookies[length] == '=' &&
            token_is_digest(rules->token, cookies + length + 1, size - length - 1))
            return true;
        cookies += size;
    }
    return false;
}

static bool has_token(const struct request_rules *rules, const struct request_head *h)
{
    static const char bearer[] = "Bearer ";
    int count;
    const struct request_field *f = field_of(h, "Authorization", &count);
    if (count > 0)
        return f && strncasecmp(f->value, bearer, sizeof bearer - 1) == 0 &&
               token_is(rules->token, f->value + sizeof bearer - 1,
                        f->value_size - (sizeof bearer - 1));
    f = field_of(h, "Cookie", &count);
    return f && has_cookie(rules, f->value);
}

/* A token in an address would stay in histories and on screens: it becomes a cookie. */
static int check_token(const struct request_rules *rules, const struct request_head *h,
                       struct request *q, struct message *m)
{
    char token[TOKEN_MAX + 1] = "";
    bool given;
    bool good = token_of_target(h->target, token, sizeof token, q->location, &given);
    if (given && good && (!rules->token || token_is(rules->token, token, strlen(token)))) {
        q->set_cookie = rules->token != NULL;
        return REQUEST_MOVED;
    }
    if (!given && (!rules->token || has_token(rules, h)))
        return REQUEST_OK;
    return refuse(m, REQUEST_FORBIDDEN,
                  given ? "this is not the token"
                        : "a token is needed: open the address that headcount serve printed, or "
                          "add ?token= and what the token file holds");
}

/* ---- the address ---- */

static bool read_integer(const char *text, size_t size, int64_t *value)
{
    *value = 0;
    if (size == 0 || size > REQUEST_INTEGER_DIGITS || (size > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (text[i] - '0');
    }
    return true;
}

static const struct piece {
    const char *name;
    enum request_kind kind;
    bool of_sweep;       /* stands behind /F/S/ */
    const char *keys[3]; /* what its query may have */
} pieces[] = {
    {"", REQUEST_PAGE, true, {"with"}},
    {"", REQUEST_PAGE, false, {NULL}},
    {"index", REQUEST_INDEX, false, {NULL}},
    {"events", REQUEST_EVENTS, false, {NULL}},
    {"metrics", REQUEST_METRICS, false, {NULL}},
    {"summary", REQUEST_SUMMARY, true, {NULL}},
    {"trials", REQUEST_TRIALS, true, {"after", "most"}},
    {"curves", REQUEST_CURVES, true, {"trials", "most"}},
    {"heads", REQUEST_HEADS, true, {"trial"}},
    {"attention", REQUEST_ATTENTION, true, {"trial"}},
    {"trial", REQUEST_TRIAL, true, {"trial"}},
    {"comparison", REQUEST_COMPARISON, true, {"with"}},
};

/* "F/S/" at *at, if it is there: *at moves behind it. */
static bool read_sweep(const struct request_rules *rules, const char **at, struct request *q)
{
    int64_t file;
    size_t first = strcspn(*at, "/"), second = (*at)[first] ? strcspn(*at + first + 1, "/") : 0;
    const char *sweep = *at + first + 1;
    if (second == 0 || sweep[second] != '/' || !read_integer(*at, first, &file) ||
        file >= rules->files || !read_integer(sweep, second, &q->sweep_id) || q->sweep_id == 0)
        return false;
    q->file = (int)file;
    *at = sweep + second + 1;
    return true;
}

static const struct piece *read_path(const struct request_rules *rules, const char *path,
                                     size_t size, struct request *q)
{
    const char *at = path + 1;
    bool of_sweep = read_sweep(rules, &at, q);
    size_t length = size - (size_t)(at - path);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        if (pieces[i].of_sweep == of_sweep && strlen(pieces[i].name) == length &&
            memcmp(pieces[i].name, at, length) == 0)
            return &pieces[i];
    return NULL;
}

static bool read_list(const char *text, int most, struct request *q)
{
    for (;;) {
        size_t size = strcspn(text, ",");
        if (q->listed == most || !read_integer(text, size, &q->list[q->listed]) ||
            q->list[q->listed] == 0)
            return false;
        q->listed++;
        if (!text[size])
            return true;
        text += size + 1;
    }
}

static bool read_with(const char *text, struct request *q)
{
    bool good = read_list(text, REQUEST_WITH_MAX, q);
    for (int i = 0; i < q->listed; i++)
        for (int k = -1; k < i; k++)
            good &= q->list[i] != (k < 0 ? q->sweep_id : q->list[k]);
    return good;
}

static bool read_most(const char *text, long most, struct request *q)
{
    int64_t value;
    bool good = read_integer(text, strlen(text), &value) && value > 0 && value <= most;
    q->most = good ? (long)value : 0;
    return good;
}

static bool read_value(const struct pair *p, struct request *q)
{
    char text[REQUEST_TARGET_MAX];
    if (!decode(p->value, p->value_size, text, sizeof text))
        return false;
    if (pair_is(p, "trials"))
        return read_list(text, REQUEST_CURVES_MAX, q);
    if (pair_is(p, "with"))
        return read_with(text, q);
    if (pair_is(p, "most"))
        return read_most(text, q->kind == REQUEST_TRIALS ? REQUEST_ROWS_MAX : REQUEST_POINTS_MAX,
                         q);
    return read_integer(text, strlen(text), pair_is(p, "after") ? &q->after : &q->trial);
}

/* A part of a query that this piece knows and that did not come before; its number. */
static int key_of(const struct piece *piece, const struct pair *p, unsigned seen)
{
    for (int i = 0; piece->keys[i]; i++)
        if (pair_is(p, piece->keys[i]) && !(seen & 1U << i))
            return i;
    return -1;
}

static int read_query(const struct piece *piece, const char *query, struct request *q,
                      struct message *m)
{
    unsigned seen = 0;
    q->most = q->kind == REQUEST_TRIALS ? REQUEST_ROWS_MAX : REQUEST_POINTS;
    for (struct pair p; next_pair(&query, &p);) {
        int key = key_of(piece, &p, seen);
        if (key < 0)
            return refuse(m, REQUEST_BAD, "the address has a part behind ? that is not known here");
        if (!read_value(&p, q)) {
            status_fail(m, STATUS_BAD_INPUT,
                        "%s= has a value that is not allowed; give another number",
                        piece->keys[key]);
            return REQUEST_BAD;
        }
        seen |= 1U << key;
    }
    bool needs =
        q->kind == REQUEST_CURVES || q->kind == REQUEST_TRIAL || q->kind == REQUEST_COMPARISON;
    if (needs && !q->trial && !q->listed) {
        status_fail(m, STATUS_BAD_INPUT, "%s= is missing; add it to the address", piece->keys[0]);
        return REQUEST_BAD;
    }
    return REQUEST_OK;
}

/* A page of a stranger's may lead here, but not make this server work: what it could not read, it
 * could still ask for. Browsers say who asks (Fetch Metadata): our own page is of the same origin,
 * what a user types in comes from none. */
static int check_site(const struct request_head *h, const struct request *q, struct message *m)
{
    int count;
    const struct request_field *f = field_of(h, "Sec-Fetch-Site", &count);
    if (q->kind != REQUEST_PAGE && f && strcmp(f->value, "same-origin") != 0 &&
        strcmp(f->value, "none") != 0)
        return refuse(m, REQUEST_FORBIDDEN, "another site's page asks for this");
    return REQUEST_OK;
}

/* The page of a sweep lies behind a slash, as what it asks for does. */
static bool lacks_slash(const struct request_rules *rules, struct request *q, size_t size)
{
    const char *at = q->location + 1;
    char behind = q->location[size];
    memcpy(q->location + size, "/", 2);
    bool found = read_sweep(rules, &at, q) && !*at;
    if (!found)
        q->location[size] = behind;
    return found;
}

static int read_target(const struct request_rules *rules, struct request *q, struct message *m)
{
    const char *target = q->location;
    size_t size = strcspn(target, "?");
    if (target[0] != '/')
        return refuse(m, REQUEST_BAD, "an address begins with a slash");
    const struct piece *piece = read_path(rules, target, size, q);
    if (!piece && lacks_slash(rules, q, size))
        return REQUEST_MOVED;
    if (!piece)
        return refuse(m, REQUEST_NOT_FOUND, "there is nothing at this address");
    q->kind = piece->kind;
    return read_query(piece, target[size] ? target + size + 1 : target + size, q, m);
}

/* An address as seen from the path that was asked, "/0/1/heads": "./heads?trial=2". */
static void make_relative(char *location, const char *asked)
{
    size_t last = strcspn(asked, "?");
    while (asked[--last] != '/')
        ;
    memmove(location + 1, location + last, strlen(location + last) + 1);
    location[0] = '.';
}

int request_read(const struct request_rules *rules, const struct request_head *head,
                 struct request *q, struct message *m)
{
    *q = (struct request){0};
    int code = check_sizes(head, m);
    if (code == REQUEST_OK)
        code = check_host(rules, head, m);
    if (code == REQUEST_OK)
        code = check_method(head, m);
    if (code == REQUEST_OK)
        code = check_body(head, m);
    if (code != REQUEST_OK)
        return code;
    int token = check_token(rules, head, q, m);
    code = token == REQUEST_FORBIDDEN ? token : read_target(rules, q, m);
    if (code == REQUEST_OK)
        code = check_site(head, q, m);
    if (code == REQUEST_OK) /* nobody is sent to an address that is none */
        code = token;
    if (code == REQUEST_MOVED)
        make_relative(q->location, head->target);
    return code;
}

const char *request_key(const struct request *q, char key[REQUEST_KEY_SIZE])
{
    size_t used =
        (size_t)snprintf(key, REQUEST_KEY_SIZE, "%d/%d/%" PRId64 "/%" PRId64 "/%ld/%" PRId64,
                         (int)q->kind, q->file, q->sweep_id, q->after, q->most, q->trial);
    for (int i = 0; i < q->listed; i++)
        used += (size_t)snprintf(key + used, REQUEST_KEY_SIZE - used, ",%" PRId64, q->list[i]);
    return key;
}
