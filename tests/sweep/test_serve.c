/* The server over connections: what it answers, what it tells, when it computes, how it ends. */
#include <dirent.h>

#include "engine/base/clock.h"
#include "sweep/serve/serve_parts.h"
#include "tests/sweep/packed_help.h"
#include "tests/sweep/serve_help.h"

FIXTURE(served_set_up_started, served_tear_down)

TEST(each_piece_is_answered)
{
    served_answers(f, "/", 200, "<!doctype html>");
    served_answers(f, "/0/1/", 200, "<!doctype html>");
    served_answers(f, "/0/1", 303, "Location: ./1/\r\n");
    served_answers(f, "/index", 200, "{\"files\":[{\"file\":\"p q.db\",\"version\":");
    served_answers(f, "/index", 200, "\"error\":null,\"sweeps\":{\"columns\":[\"sweep\",");
    served_answers(f, "/0/1/summary", 200, "{\"report\":{\"sweep\":\"new\"");
    served_answers(f, "/0/1/trials", 200, "{\"total\":7,\"next\":null,");
    served_answers(f, "/0/1/trials?after=2&most=3", 200, "{\"total\":7,\"next\":5,");
    served_answers(f, "/0/1/curves?trials=1,2&most=5", 200, "{\"curves\":[{\"trial\":1,\"of\":50,");
    served_answers(f, "/0/1/comparison?with=7", 404, "this file has no sweep 7");
    served_answers(f, "/0/1/curves?trials=2,99", 200, "{\"curves\":[]}");
    served_answers(f, "/0/1/heads", 200, "{\"columns\":[\"trial_id\",");
    served_answers(f, "/0/1/attention?trial=3", 200, "{\"missing\":3}");
    served_answers(f, "/0/1/attention", 200, "{\"missing\":0}");
    served_answers(f, "/0/1/trial?trial=3", 200, "{\"trial\":3,\"config\":\"{");
    served_answers(f, "/0/1/trial?trial=8", 404, "{\"error\":\"this sweep has no trial 8\"}");
    served_answers(f, "/0/1/summary", 200, ",\"best\":1,");
    served_answers(f, "/0/2/summary", 404, "{\"error\":\"this file has no sweep 2\"}");
    served_answers(f, "/0/1/heads?trial=8", 404, "{\"error\":\"this sweep has no trial 8\"}");
    served_answers(f, "/0/1/nothing", 404, "{\"error\":\"there is nothing at this address\"}");
    served_answers(f, "/1/1/summary", 404, "error");
    served_answers(f, "/0/1/trials?most=x", 400,
                   "{\"error\":\"most= has a value that is not allowed; give another number\"}");
}

/* No answer is to be expected later: a page does not ask again. */
TEST(sweeps_of_two_metrics_are_refused)
{
    assert_int_equal(
        served_write(
            f, "INSERT INTO sweep (name, question, yaml, yaml_sha256, plan_sha256, metric,"
               " goal, tune, created, last_run) SELECT 'loss', question, yaml, yaml_sha256,"
               " plan_sha256, 'val_loss', 'minimize', tune, created, last_run FROM sweep;"
               "INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order,"
               " setting, setting_label, tuning, is_tuning, chance) SELECT 2, config_id, seed,"
               " 'queued', 1, plan_order, '{}', '', '{}', 0, chance FROM trial"),
        0);
    served_answers(f, "/index", 200, "\"metric\"");
    served_answers(f, "/0/1/comparison?with=2", 400,
                   "{\"error\":\"new and loss have different metrics: one is judged by accuracy,");
    served_answers(f, "/0/2/comparison?with=1", 400, "judged by accuracy");
}

TEST(answers_say_how_they_may_be_used)
{
    static const char *const targets[] = {"/", "/0/1/summary", "/nothing", "/0/7/summary", "/0/1"};
    static const char *const headers[] = {"Content-Security-Policy: default-src 'none'",
                                          "frame-ancestors 'none'",
                                          "X-Content-Type-Options: nosniff",
                                          "Referrer-Policy: no-referrer",
                                          "Cache-Control: ",
                                          "Cross-Origin-Resource-Policy: same-origin"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        char *answer = served_get(f, targets[i], "Origin: http://other.example\r\n");
        for (size_t k = 0; k < sizeof headers / sizeof headers[0]; k++)
            if (!strstr(answer, headers[k]))
                fail_msg("%s: no %s in %s", targets[i], headers[k], answer);
        assert_null(strstr(answer, "Access-Control"));
        assert_null(strstr(answer, "Set-Cookie"));
        free(answer);
    }
    served_answers(f, "/", 200, "script-src 'sha256-");
    served_answers(f, "/", 200, "connect-src 'self'");
}

TEST(what_a_client_has_is_not_sent_again)
{
    char *answer = served_get(f, "/0/1/trials", ""), header[200];
    const char *tag = strstr(answer, "ETag: ");
    assert_non_null(tag);
    snprintf(header, sizeof header, "If-None-Match: %.*s\r\n", (int)strcspn(tag + 6, "\r"),
             tag + 6);
    free(answer);
    answer = served_get(f, "/0/1/trials", header);
    assert_int_equal(served_code(answer), 304);
    assert_string_equal(served_body(answer), "");
    assert_non_null(strstr(answer, "ETag: "));
    free(answer);
    answer = served_get(f, "/0/1/summary", header);
    assert_int_equal(served_code(answer), 200);
    free(answer);
}

TEST(head_is_get_without_a_body)
{
    char *answer = served_ask(f, "HEAD /0/1/trials HTTP/1.1\r\nHost: localhost\r\n"
                                 "Connection: close\r\n\r\n");
    assert_int_equal(served_code(answer), 200);
    assert_non_null(strstr(answer, "Content-Length: "));
    assert_string_equal(served_body(answer), "");
    free(answer);
    answer = served_ask(f, "HEAD /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_int_equal(served_code(answer), 200);
    assert_string_equal(served_body(answer), "");
    free(answer);
}

TEST(strangers_are_refused)
{
    static const struct {
        const char *lines;
        int code;
    } cases[] = {
        {"POST /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde", 405},
        {"GET /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde", 400},
        {"GET /index HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         400},
        {"GET /index HTTP/1.1\r\nHost: other.example\r\n\r\n", 403},
        {"GET /index HTTP/1.1\r\n\r\n", 400},
        {"GET /index HTTP/1.0\r\n\r\n", 400},
        {"GET /index HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n", 403},
        {"GET http://localhost/index HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *answer = served_ask(f, cases[i].lines);
        if (served_code(answer) != cases[i].code)
            fail_msg("%s is not %d: %s", cases[i].lines, cases[i].code, answer);
        if (cases[i].code == 405)
            assert_non_null(strstr(answer, "Allow: GET, HEAD\r\n"));
        free(answer);
    }
}

/* ---- events ---- */

struct listener {
    int fd;
    size_t used;
    char text[16384];
};

static void listen_to(const struct served *f, struct listener *l)
{
    static const char lines[] = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    *l = (struct listener){.fd = served_connect(f)};
    assert_true(l->fd >= 0);
    served_send(l->fd, lines, strlen(lines));
}

/* Waits until `part` has come behind the first `from` bytes; its end. */
static size_t hear(struct listener *l, size_t from, const char *part)
{
    for (double until_s = clock_now_s() + 600;;) { /* comments come for ever */
        const char *found = strstr(l->text + from, part);
        if (found)
            return (size_t)(found - l->text) + strlen(part);
        ssize_t n = recv(l->fd, l->text + l->used, sizeof l->text - 1 - l->used, 0);
        if (n <= 0 || clock_now_s() > until_s)
            fail_msg("no %s in %s", part, l->text + from);
        l->used += (size_t)n;
        l->text[l->used] = '\0';
    }
}

static void the_last_trial_is(const struct served *f, const char *state)
{
    char *answer = served_get(f, "/0/1/trials?after=6", ""), *rows = unpacked(answer);
    if (!strstr(rows, state))
        fail_msg("no %s in %s", state, rows);
    free(rows);
    free(answer);
}

TEST(changes_are_told)
{
    struct listener l;
    listen_to(f, &l);
    size_t at = hear(&l, 0, "Content-Type: text/event-stream");
    at = hear(&l, at, "event: file\ndata: {\"file\":0,\"version\":");
    at = hear(&l, at, "\"error\":null}\n\n");
    double from_s = clock_now_s();
    assert_int_equal(served_write(f, "UPDATE trial SET state = 'running' WHERE trial_id = 7"), 0);
    hear(&l, at, "event: file\n");
    assert_true(clock_now_s() - from_s < 60);
    the_last_trial_is(f, "\"running\"");
    close(l.fd);
}

/* All answers that there are serve for long. */
static void put_off(struct server *s)
{
    double due_s = clock_now_s() + 1000;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < WATCHED_KINDS; i++)
        s->file[0].snapshot[i].due_s = due_s;
    s->index.due_s = due_s;
    pthread_mutex_unlock(&s->lock);
}

/* Waits until the file's changes are seen. */
static void see_change(struct server *s)
{
    bool stale = false;
    while (!stale) {
        usleep(10000);
        pthread_mutex_lock(&s->lock);
        stale = s->file[0].snapshot[WATCHED_VERSION].stale;
        pthread_mutex_unlock(&s->lock);
    }
}

TEST(without_a_cooldown_nothing_is_put_off)
{
    struct listener l;
    char news[60];
    served_answers(f, "/0/1/summary", 200, "\"running\":0");
    the_last_trial_is(f, "\"completed\"");
    put_off(f->server);
    listen_to(f, &l);
    size_t at = hear(&l, 0, "\"error\":null}\n\n");
    pthread_mutex_lock(&f->server->lock);
    f->server->file[0].snapshot[WATCHED_VERSION].stale = false; /* what was seen at first */
    pthread_mutex_unlock(&f->server->lock);
    assert_int_equal(served_write(f, "UPDATE trial SET state = 'running' WHERE trial_id = 7"), 0);
    see_change(f->server);
    served_answers(f, "/0/1/summary", 200, "\"running\":0");
    the_last_trial_is(f, "\"completed\"");
    snprintf(news, sizeof news, "\"summary\":%lld,",
             (long long)f->server->file[0].news[WATCHED_SUMMARY] + 1);
    serve_skip_cooldown(f->server);
    hear(&l, at, news);
    served_answers(f, "/0/1/summary", 200, "\"running\":1");
    the_last_trial_is(f, "\"running\"");
    assert_int_equal(served_write(f, "UPDATE trial SET state = 'queued' WHERE trial_id = 7"), 0);
    usleep(1500000); /* it is looked at */
    served_answers(f, "/0/1/summary", 200, "\"running\":0");
    close(l.fd);
}

TEST(a_file_may_go_and_come_back)
{
    struct listener l;
    char away[200];
    snprintf(away, sizeof away, "%s/away", f->folder);
    served_answers(f, "/0/1/trials", 200, "\"total\":7");
    listen_to(f, &l);
    size_t at = hear(&l, 0, "\"error\":null}\n\n");
    assert_int_equal(rename(f->path, away), 0);
    at = hear(&l, at, "\"error\":\"p q.db is not there\"}\n\n");
    served_answers(f, "/0/1/summary", 503, "{\"error\":\"p q.db is not there\"}");
    served_answers(f, "/index", 200, "\"error\":\"p q.db is not there\",\"sweeps\":null}");
    FILE *other = fopen(f->path, "w");
    fputs("no database\n", other);
    fclose(other);
    at = hear(&l, at, "\"error\":null}\n\n");
    served_answers(f, "/0/1/heads", 503, "p q.db is not a results file");
    at = hear(&l, at, "p q.db is not a results file");
    assert_int_equal(rename(away, f->path), 0);
    hear(&l, at, "\"error\":null}\n\n");
    served_answers(f, "/0/1/trials", 200, "\"total\":7");
    close(l.fd);
}

/* A page does not ask again of a file with an error, but tries again after an answer that fails. */
TEST(an_error_that_may_pass_is_not_one_of_the_file)
{
    struct listener l;
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    served_answers(f, "/0/1/trials", 503, "{\"error\":\"");
    listen_to(f, &l);
    hear(&l, 0, "\"error\":null}\n\n");
    sqlite3_close(db);
    char *answer = served_get(f, "/0/1/trials", "");
    for (double until_s = clock_now_s() + 60; served_code(answer) != 200;) {
        assert_true(clock_now_s() < until_s);
        free(answer);
        usleep(20000);
        answer = served_get(f, "/0/1/trials", "");
    }
    assert_non_null(strstr(answer, "\"total\":7"));
    free(answer);
    close(l.fd);
}

TEST(a_piece_that_cannot_be_read_says_why)
{
    assert_int_equal(served_write(f, "DROP VIEW progress"), 0);
    served_answers(f, "/index", 200, "view progress is missing");
    served_answers(f, "/0/1/trials", 503, "{\"error\":\"p q.db does not have the tables and views");
}

TEST(stored_words_name_no_folder)
{
    char sql[1000];
    snprintf(sql, sizeof sql,
             "INSERT INTO build VALUES (1, '', '', '', '', '', '', '', ''); INSERT INTO attempt"
             " (trial_id, attempt, build_id, started, resumed_from_step, error) VALUES (1, 1, 1,"
             " '2026', 0, 'not %s/of mine/x y.csv: gone'); UPDATE trial SET attempt = 1",
             f->folder);
    assert_int_equal(served_write(f, sql), 0);
    served_answers(f, "/0/1/trial?trial=1", 200, "\"not x y.csv: gone\"");
}

/* ---- many, and none ---- */

enum { CLIENTS = 50 };

TEST(it_ends_although_many_listen)
{
    static struct listener l[CLIENTS];
    for (int i = 0; i < CLIENTS; i++)
        listen_to(f, &l[i]);
    for (int i = 0; i < CLIENTS; i++)
        hear(&l[i], 0, "event: file\n");
    double from_s = clock_now_s();
    assert_true(serve_stop(f->server));
    f->server = NULL;
    assert_true(clock_now_s() - from_s < 60);
    for (int i = 0; i < CLIENTS; i++) {
        while (recv(l[i].fd, l[i].text, sizeof l[i].text, 0) > 0)
            ;
        close(l[i].fd);
    }
    assert_int_equal(served_connect(f), -1);
}

/* More than may be connected, all silent: who asks is answered at once. */
TEST(the_silent_keep_nobody_out)
{
    enum { SILENT = 300 };
    int fd[SILENT];
    for (int i = 0; i < SILENT; i++) {
        fd[i] = served_connect(f);
        assert_true(fd[i] >= 0);
        served_send(fd[i], "GET /ind", (size_t)i % 9);
    }
    double from_s = clock_now_s();
    served_answers(f, "/index", 200, "files");
    assert_true(clock_now_s() - from_s < 60);
    for (int i = 0; i < SILENT; i++)
        close(fd[i]);
    served_answers(f, "/index", 200, "files");
}

static int open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

/* Long before anything is to be told to them. */
TEST(who_listened_and_went_makes_room)
{
    static struct listener l[CLIENTS];
    int before = open_files();
    usleep(1000000); /* what was seen at first has been told twice */
    for (int i = 0; i < CLIENTS; i++)
        listen_to(f, &l[i]);
    for (int i = 0; i < CLIENTS; i++) {
        hear(&l[i], 0, "event: file\n");
        close(l[i].fd);
    }
    double from_s = clock_now_s();
    while (open_files() > before + CLIENTS / 2 && clock_now_s() - from_s < 12)
        usleep(20000);
    assert_true(open_files() <= before + CLIENTS / 2);
}

TEST(one_connection_asks_again_and_again)
{
    static const char lines[] =
        "GET /0/1/trials HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /0/1/summary HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /index HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char *answers = served_ask(f, lines);
    const char *at = strstr(answers, "{\"total\":7");
    at = at ? strstr(at, "{\"report\":") : NULL;
    assert_non_null(at ? strstr(at, "{\"files\":") : NULL);
    free(answers);
}
