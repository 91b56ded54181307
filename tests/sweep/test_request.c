/* What the server takes and what it refuses, from the text of a request alone. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sweep/serve/answers.h"
#include "sweep/serve/request.h"

#include "tests/test.h"

enum { MOST = 80 };
static const char SECRET[] = "0123456789abcdef";
static const char *const local[] = {"localhost", "127.0.0.1", "::1", NULL};
static struct token token;
static struct request q;
static struct message why;

/* Lines "Name: value" behind the target, ended by LF. */
static int ask_as(const struct request_rules *rules, const char *method, const char *target,
                  const char *lines)
{
    static char names[MOST][64], values[MOST][9000];
    struct request_field field[MOST];
    struct request_head head = {method, target, field, 0};
    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1) {
        size_t name = strcspn(at, ":"), value = strcspn(at, "\n") - name - 2;
        int i = head.fields++;
        snprintf(names[i], sizeof names[i], "%.*s", (int)name, at);
        snprintf(values[i], sizeof values[i], "%.*s", (int)value, at + name + 2);
        field[i] = (struct request_field){names[i], values[i], name, value};
    }
    why.text[0] = '\0';
    int code = request_read(rules, &head, &q, &why);
    assert_int_equal(code == REQUEST_OK || code == REQUEST_MOVED, why.text[0] == '\0');
    assert_null(strchr(why.text, '/'));
    return code;
}

static const struct request_rules at_home = {.files = 2, .hosts = local, .port = 8080};
static const struct request_rules open_rules = {
    .files = 2, .hosts = local, .any_address = true, .token = &token, .port = 8080};

static int ask(const char *target)
{
    return ask_as(&at_home, "GET", target, "Host: localhost:8080\n");
}

TEST(every_piece_has_its_address)
{
    static const struct {
        const char *target;
        enum request_kind kind;
        int file;
        int64_t sweep_id, after;
        long most;
        int64_t trial;
        int listed;
    } cases[] = {
        {"/", REQUEST_PAGE, 0, 0, 0, 200, 0, 0},
        {"/1/7/", REQUEST_PAGE, 1, 7, 0, 200, 0, 0},
        {"/index", REQUEST_INDEX, 0, 0, 0, 200, 0, 0},
        {"/events", REQUEST_EVENTS, 0, 0, 0, 200, 0, 0},
        {"/metrics", REQUEST_METRICS, 0, 0, 0, 200, 0, 0},
        {"/0/3/summary", REQUEST_SUMMARY, 0, 3, 0, 200, 0, 0},
        {"/0/3/summary?", REQUEST_SUMMARY, 0, 3, 0, 200, 0, 0},
        {"/0/3/trials", REQUEST_TRIALS, 0, 3, 0, 1000, 0, 0},
        {"/1/3/trials?after=12&most=1000", REQUEST_TRIALS, 1, 3, 12, 1000, 0, 0},
        {"/0/3/trials?most=1&after=999999999999999999", REQUEST_TRIALS, 0, 3, 999999999999999999, 1,
         0, 0},
        {"/0/3/curves?trials=5", REQUEST_CURVES, 0, 3, 0, 200, 0, 1},
        {"/0/3/curves?trials=5%2c6%2C7&most=500", REQUEST_CURVES, 0, 3, 0, 500, 0, 3},
        {"/0/3/heads", REQUEST_HEADS, 0, 3, 0, 200, 0, 0},
        {"/0/3/?with=2", REQUEST_PAGE, 0, 3, 0, 200, 0, 1},
        {"/0/3/comparison?with=2,1,4,5,6,7,8", REQUEST_COMPARISON, 0, 3, 0, 200, 0, 7},
        {"/0/3/attention?trial=9", REQUEST_ATTENTION, 0, 3, 0, 200, 9, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (ask(cases[i].target) != REQUEST_OK)
            fail_msg("%s: %s", cases[i].target, why.text);
        assert_int_equal(q.kind, cases[i].kind);
        assert_int_equal(q.file, cases[i].file);
        assert_int_equal(q.sweep_id, cases[i].sweep_id);
        assert_int_equal(q.after, cases[i].after);
        assert_int_equal(q.most, cases[i].most);
        assert_int_equal(q.trial, cases[i].trial);
        assert_int_equal(q.listed, cases[i].listed);
    }
    ask("/0/3/curves?trials=5,6,7");
    assert_int_equal(q.list[0] + 10 * q.list[1] + 100 * q.list[2], 765);
}

TEST(nothing_else_has_one)
{
    static const struct {
        const char *target;
        int code;
    } cases[] = {
        {"", 400},
        {"*", 400},
        {"index", 400},
        {"http://localhost:8080/", 400},
        {"//", 404},
        {"/.", 404},
        {"/../index", 404},
        {"/%69ndex", 404},
        {"/index/", 404},
        {"/metrics/", 404},
        {"/0/3/metrics", 404},
        {"/Metrics", 404},
        {"/metrics?most=3", 400},
        {"/favicon.ico", 404},
        {"/2/3/summary", 404},
        {"/-1/3/summary", 404},
        {"/00/3/summary", 404},
        {"/0/0/summary", 404},
        {"/0/03/summary", 404},
        {"/0/1000000000000000000/summary", 404},
        {"/0//summary", 404},
        {"/0/3/", 200},
        {"/0/3/index", 404},
        {"/0/3/summary/", 404},
        {"/summary", 404},
        {"/0/", 404},
        {"/0", 404},
        {"/index?x=1", 400},
        {"/?trial=1", 400},
        {"/0/3/trials?most=0", 400},
        {"/0/3/trials?most=1001", 400},
        {"/0/3/trials?after=-1", 400},
        {"/0/3/trials?after=1&after=2", 400},
        {"/0/3/trials?after", 400},
        {"/0/3/trials?after=", 400},
        {"/0/3/trials?after=%31", 200},
        {"/0/3/trials?after=%3", 400},
        {"/0/3/trials?after=%00", 400},
        {"/0/3/trials?after=1%0a", 400},
        {"/0/3/trials?after=1;most=2", 400},
        {"/0/3/comparison", 400},
        {"/0/3/comparison?with=", 400},
        {"/0/3/comparison?with=3", 400},
        {"/0/3/comparison?with=2,4,2", 400},
        {"/0/3/comparison?with=0", 400},
        {"/0/3/comparison?with=1,2,4,5,6,7,8,9", 400},
        {"/0/3/?with=3", 400},
        {"/?with=1", 400},
        {"/comparison?with=1", 404},
        {"/0/3/curves", 400},
        {"/0/3/curves?trials=", 400},
        {"/0/3/curves?trials=1,,2", 400},
        {"/0/3/curves?trials=0", 400},
        {"/0/3/curves?trials=1&most=501", 400},
        {"/0/3/heads?trial=x", 400},
        {"/0/3/heads?most=3", 400},
        {"/0/3/trial", 400},
        {"/0/3/trial?trial=0", 400},
        {"/0/3/trial?trial=2", 200},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (ask(cases[i].target) != cases[i].code)
            fail_msg("%s is not %d", cases[i].target, cases[i].code);
}

TEST(lists_and_addresses_have_an_end)
{
    char target[REQUEST_TARGET_MAX + 2] = "/0/3/curves?trials=1";
    for (int i = 1; i < REQUEST_CURVES_MAX; i++)
        strcat(target, ",100000000000000000");
    assert_int_equal(ask(target), REQUEST_OK);
    assert_int_equal(q.listed, REQUEST_CURVES_MAX);
    strcat(target, ",5");
    assert_int_equal(ask(target), REQUEST_BAD);
    memset(target, '/', sizeof target - 1);
    target[sizeof target - 1] = '\0';
    assert_int_equal(ask(target), REQUEST_TOO_LONG);
    target[REQUEST_TARGET_MAX - 1] = '\0';
    assert_int_equal(ask(target), REQUEST_NOT_FOUND);
}

TEST(headers_have_an_end)
{
    static char lines[16000];
    const struct request_field nul[] = {{"Host", "localhost", 4, 9}, {"X", "a", 1, 3}};
    const struct request_head head = {"GET", "/", nul, 2};
    strcpy(lines, "Host: localhost\nX: ");
    memset(lines + strlen(lines), 'x', REQUEST_HEADERS_MAX - 30);
    strcat(lines, "\n");
    assert_int_equal(ask_as(&at_home, "GET", "/", lines), REQUEST_OK);
    strcat(lines, "Y: 1234567890123\n");
    assert_int_equal(ask_as(&at_home, "GET", "/", lines), REQUEST_TOO_MANY);
    strcpy(lines, "Host: localhost\n");
    for (int i = 1; i < REQUEST_FIELDS_MAX; i++)
        strcat(lines, "X: 1\n");
    assert_int_equal(ask_as(&at_home, "GET", "/", lines), REQUEST_OK);
    strcat(lines, "X: 1\n");
    assert_int_equal(ask_as(&at_home, "GET", "/", lines), REQUEST_TOO_MANY);
    assert_int_equal(request_read(&at_home, &head, &q, &why), REQUEST_BAD);
}

TEST(only_our_own_names_are_answered)
{
    static const struct {
        const char *lines;
        int home, open;
    } cases[] = {
        {"Host: localhost\n", 200, 403},
        {"Host: LocalHost:8080\n", 200, 403},
        {"host: 127.0.0.1:9000\n", 200, 403},
        {"Host: [::1]:8080\n", 200, 403},
        {"Host: [::2]\n", 403, 403},
        {"Host: 10.1.2.3:8080\n", 403, 403},
        {"Host: evil.example\n", 403, 403},
        {"Host: localhost.evil.example\n", 403, 403},
        {"Host: ::1\n", 400, 400},
        {"Host: [localhost]\n", 400, 400},
        {"Host: [::1\n", 400, 400},
        {"Host: localhost:\n", 400, 400},
        {"Host: localhost:80a\n", 400, 400},
        {"Host: localhost:808080\n", 400, 400},
        {"Host: \n", 400, 400},
        {"Host: local host\n", 400, 400},
        {"Host: localhost\nHost: localhost\n", 400, 400},
        {"X: y\n", 400, 400},
    };
    token_of(SECRET, strlen(SECRET), &token);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (ask_as(&at_home, "GET", "/", cases[i].lines) != cases[i].home)
            fail_msg("%s is not %d", cases[i].lines, cases[i].home);
        if (ask_as(&open_rules, "GET", "/", cases[i].lines) != cases[i].open)
            fail_msg("%s is not %d where a token is asked", cases[i].lines, cases[i].open);
    }
    static const char bearer[] = "Authorization: Bearer 0123456789abcdef\n";
    static const char *const hosts[] = {"10.1.2.3:8080", "[fe80::1]:8080",  "localhost",
                                        "evil.example",  "1.2.3.4.example", "1.2.3"};
    for (int i = 0; i < 6; i++) {
        char lines[200];
        snprintf(lines, sizeof lines, "Host: %s\n%s", hosts[i], bearer);
        assert_int_equal(ask_as(&open_rules, "GET", "/", lines), i < 3 ? 200 : 403);
    }
}

TEST(methods_and_bodies)
{
    static const char *const others[] = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", ""};
    static const char *const bodies[] = {
        "Content-Length: 1\n", "Content-Length: 0\nContent-Length: 0\n",
        "Transfer-Encoding: chunked\n", "Content-Length: +0\n",
        "Transfer-Encoding: identity\nTransfer-Encoding: chunked\n"};
    assert_int_equal(ask_as(&at_home, "HEAD", "/", "Host: localhost\n"), REQUEST_OK);
    assert_int_equal(ask_as(&at_home, "GET", "/", "Host: localhost\nContent-Length: 0\n"),
                     REQUEST_OK);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(ask_as(&at_home, others[i], "/", "Host: localhost\n"),
                         REQUEST_NOT_ALLOWED);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char lines[200];
        snprintf(lines, sizeof lines, "Host: localhost\n%s", bodies[i]);
        assert_int_equal(ask_as(&at_home, "GET", "/", lines), REQUEST_BAD);
    }
}

TEST(other_sites_may_lead_here_but_not_ask)
{
    static const struct {
        const char *target, *site;
        int code;
    } cases[] = {
        {"/0/1/", "cross-site", REQUEST_OK},
        {"/0/1/summary", "cross-site", REQUEST_FORBIDDEN},
        {"/0/1/summary", "same-site", REQUEST_FORBIDDEN}, /* another port: cookies go there, too */
        {"/0/1/summary", "same-origin", REQUEST_OK},
        {"/0/1/summary", "none", REQUEST_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[100];
        snprintf(lines, sizeof lines, "Host: localhost\nSec-Fetch-Site: %s\n", cases[i].site);
        assert_int_equal(ask_as(&at_home, "GET", cases[i].target, lines), cases[i].code);
    }
}

/* In a header, in a cookie that has its digest, or in the address, from which it is taken out. */
TEST(a_token_comes_in_three_ways)
{
    static const struct {
        const char *target, *line, *digest;
        int code;
        const char *location;
    } cases[] = {
        {"/index", "", "", REQUEST_FORBIDDEN, ""},
        {"/nothing", "", "", REQUEST_FORBIDDEN, ""},
        {"/index", "Authorization: Bearer 0123456789abcdef\n", "", REQUEST_OK, ""},
        {"/index", "Authorization: bearer 0123456789abcdef\n", "", REQUEST_OK, ""},
        {"/index", "Authorization: Bearer 0123456789abcdeX\n", "", REQUEST_FORBIDDEN, ""},
        {"/index", "Authorization: Bearer \n", "", REQUEST_FORBIDDEN, ""},
        {"/index", "Authorization: Basic 0123456789abcdef\n", "", REQUEST_FORBIDDEN, ""},
        {"/index", "Cookie: a=b; headcount_8080=", token.digest, REQUEST_OK, ""},
        {"/index", "Cookie: headcount_8080=x; headcount_8081=", token.digest, REQUEST_FORBIDDEN,
         ""},
        {"/index", "Cookie: headcount_8080=0123456789abcdef\n", "", REQUEST_FORBIDDEN, ""},
        {"/0/1/trials?after=2&token=0123456789abcde%66&most=3", "", "", REQUEST_MOVED,
         "./trials?after=2&most=3"},
        {"/?token=0123456789abcdef", "", "", REQUEST_MOVED, "./"},
        {"/?token=0123456789abcdeX", "", "", REQUEST_FORBIDDEN, ""},
        {"/?token=", "", "", REQUEST_FORBIDDEN, ""},
        {"/?token=0123456789abcdef&token=0123456789abcdef", "", "", REQUEST_FORBIDDEN, ""},
        {"//evil.example/?token=0123456789abcdef", "", "", REQUEST_NOT_FOUND, ""},
        {"/0/1?token=0123456789abcdef", "", "", REQUEST_MOVED, "./1/"},
        /* The wrong one in the address is not made good by the right one elsewhere. */
        {"/?token=x", "Authorization: Bearer 0123456789abcdef\n", "", REQUEST_FORBIDDEN, ""},
    };
    char name[REQUEST_COOKIE_SIZE], lines[1000];
    token_of(SECRET, strlen(SECRET), &token);
    assert_string_equal(request_cookie(&open_rules, name), "headcount_8080");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(lines, sizeof lines, "Host: localhost\n%s%s%s", cases[i].line, cases[i].digest,
                 cases[i].digest[0] ? "\n" : "");
        if (ask_as(&open_rules, "GET", cases[i].target, lines) != cases[i].code)
            fail_msg("%s, %s is not %d", cases[i].target, lines, cases[i].code);
        if (cases[i].code == REQUEST_MOVED)
            assert_string_equal(q.location, cases[i].location);
        assert_true(cases[i].code != REQUEST_MOVED || q.set_cookie);
    }
}

TEST(where_none_is_asked_a_token_is_left_out)
{
    assert_int_equal(ask("/index?token=abc"), REQUEST_MOVED);
    assert_string_equal(q.location, "./index");
    assert_false(q.set_cookie);
    assert_int_equal(ask("/0/1"), REQUEST_MOVED);
    assert_string_equal(q.location, "./1/");
    assert_int_equal(ask("/0/1?x=y"), REQUEST_MOVED);
    assert_string_equal(q.location, "./1/");
}

TEST(equal_questions_have_equal_keys)
{
    char a[REQUEST_KEY_SIZE], b[REQUEST_KEY_SIZE];
    static const char *const different[] = {"/",
                                            "/0/1/",
                                            "/0/1/heads",
                                            "/1/1/heads",
                                            "/0/2/heads",
                                            "/0/1/heads?trial=1",
                                            "/0/1/attention?trial=1",
                                            "/0/1/trial?trial=1",
                                            "/0/1/trials?after=1",
                                            "/0/1/curves?trials=1",
                                            "/0/1/curves?trials=1,2",
                                            "/0/1/curves?trials=12"};
    ask("/0/3/trials");
    request_key(&q, a);
    ask("/0/3/trials?most=1000&after=0");
    assert_string_equal(a, request_key(&q, b));
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        ask(different[i]);
        request_key(&q, a);
        for (size_t k = 0; k < i; k++) {
            ask(different[k]);
            assert_string_not_equal(a, request_key(&q, b));
        }
    }
}

TEST(entity_tags_are_found_in_lists)
{
    const char *const tag = "\"abc\"";
    assert_each(answer_tag_is_in(tag, tag), answer_tag_is_in(tag, "\"x\", W/\"abc\""),
                answer_tag_is_in(tag, "*"));
    assert_each(!answer_tag_is_in(tag, "\"abcd\""), !answer_tag_is_in(tag, "abc"),
                !answer_tag_is_in(tag, ""), !answer_tag_is_in(tag, NULL));
}
