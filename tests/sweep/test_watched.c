/* What the server remembers: states of files, answers, and when they serve. Times are the test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/serve/serve_parts.h"

#include <cmocka.h>

static struct watched_sign sign_of(off_t size)
{
    struct watched_sign sign = {.there = size > 0};
    sign.part[0].size = size;
    return sign;
}

static void see(struct watched *w, off_t size, double now_s)
{
    struct watched_sign sign = sign_of(size);
    watched_saw(w, &sign, now_s);
}

/* ---- files ---- */

static void a_change_is_told_at_once_and_twice_more(void **state)
{
    struct watched w = {.name = "x.db"};
    (void)state;
    see(&w, 100, 10);
    see(&w, 100, 20); /* has settled once */
    see(&w, 100, 20.1);
    int64_t version = w.news[WATCHED_VERSION], before = w.state;
    see(&w, 100, 30);
    assert_int_equal(w.news[WATCHED_VERSION], version);
    see(&w, 101, 30.25);
    assert_int_equal(w.news[WATCHED_VERSION], version + 1);
    see(&w, 101, 30.5);
    assert_int_equal(w.news[WATCHED_VERSION], version + 1);
    see(&w, 101, 30.75);
    assert_int_equal(w.news[WATCHED_VERSION], version + 2);
    see(&w, 101, 31);
    see(&w, 101, 35);
    assert_int_equal(w.news[WATCHED_VERSION], version + 2);
    see(&w, 101, 35.25);
    assert_int_equal(w.news[WATCHED_VERSION], version + 3);
    see(&w, 101, 1000);
    assert_int_equal(w.news[WATCHED_VERSION], version + 3);
    assert_int_equal(w.state, before + 3);
}

static void every_part_of_a_sign_counts(void **state)
{
    struct watched_sign sign = sign_of(100);
    struct watched w = {.name = "x.db"};
    int64_t *const times[] = {&sign.part[0].mtime_ns, &sign.part[1].mtime_ns};
    off_t *const sizes[] = {&sign.part[0].size, &sign.part[1].size};
    (void)state;
    watched_saw(&w, &sign, 1);
    for (int i = 0; i < 2; i++) {
        int64_t before = w.state;
        ++*times[i];
        watched_saw(&w, &sign, 1);
        ++*sizes[i];
        watched_saw(&w, &sign, 1);
        sign.part[i].inode++;
        watched_saw(&w, &sign, 1);
        sign.part[i].device++;
        watched_saw(&w, &sign, 1);
        assert_int_equal(w.state, before + 4);
    }
}

static void what_is_not_there_has_an_error(void **state)
{
    struct watched w = {.name = "x.db"};
    (void)state;
    see(&w, 100, 1);
    assert_string_equal(w.error, "");
    see(&w, 0, 2);
    assert_string_equal(w.error, "x.db is not there");
    see(&w, 100, 3);
    assert_string_equal(w.error, "");
    int64_t serial = w.serial;
    watched_read(&w, "broken");
    assert_int_equal(w.serial, serial + 1);
    watched_read(&w, "broken");
    assert_int_equal(w.serial, serial + 1);
}

static void summaries_are_told_when_they_can_be_had(void **state)
{
    struct watched w = {.name = "x.db", .slow_due_s = 50};
    (void)state;
    see(&w, 100, 1);
    see(&w, 101, 2);
    assert_int_equal(w.news[WATCHED_SUMMARY], 0);
    see(&w, 101, 49);
    see(&w, 101, 49.5);
    int64_t version = w.news[WATCHED_VERSION], serial = w.serial;
    see(&w, 101, 50);
    assert_int_equal(w.news[WATCHED_SUMMARY], 1);
    assert_int_equal(w.news[WATCHED_VERSION], version);
    assert_int_equal(w.serial, serial + 1);
    watched_owe(&w, WATCHED_VERSION, 60);
    watched_owe(&w, WATCHED_VERSION, 55);
    see(&w, 101, 54);
    assert_int_equal(w.news[WATCHED_VERSION], version);
    see(&w, 101, 55);
    assert_int_equal(w.news[WATCHED_VERSION], version + 1);
    see(&w, 101, 90);
    assert_int_equal(w.news[WATCHED_VERSION], version + 1);
}

/* ---- answers ---- */

static struct answer *keep(struct answers *list, const char *key, const char *text)
{
    struct text_buffer body = {0};
    text_add(&body, "%s", text);
    struct answer *a = answer_new(list, key, 200, &body);
    assert_non_null(a);
    assert_null(body.text);
    answers_keep(list, a);
    answer_drop(list, a);
    return a;
}

static void what_was_not_asked_for_leaves_first(void **state)
{
    static char text[10000];
    struct answers list = {.room = 25000};
    (void)state;
    memset(text, 'x', sizeof text - 1);
    keep(&list, "a", text);
    keep(&list, "b", text);
    assert_non_null(answers_find(&list, "a"));
    struct answer *c = keep(&list, "c", text);
    assert_null(answers_find(&list, "b"));
    assert_non_null(answers_find(&list, "a"));
    assert_ptr_equal(answers_find(&list, "c"), c);
    assert_true(list.kept <= list.room);
    assert_int_equal(list.kept, list.living);
    /* The same key: one of them. One larger than all the room is kept until the next comes. */
    size_t kept = list.kept;
    keep(&list, "c", "new");
    assert_true(list.kept < kept);
    assert_string_equal(answers_find(&list, "c")->body, "new");
    list.room = 1;
    keep(&list, "d", text);
    assert_null(answers_find(&list, "c"));
    assert_non_null(answers_find(&list, "d"));
    answers_free(&list);
    assert_int_equal(list.living, 0);
}

/* Many small ones take room for more than their bytes: all are looked through for each request. */
static void small_answers_are_few(void **state)
{
    struct answers list = {.room = 10 * 4096};
    char key[8];
    (void)state;
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "%d", i);
        keep(&list, key, "{}");
    }
    assert_null(answers_find(&list, "9"));
    assert_non_null(answers_find(&list, "10"));
    answers_free(&list);
}

static void who_holds_an_answer_has_it(void **state)
{
    struct answers list = {.room = 1};
    (void)state;
    struct answer *a = answer_hold(keep(&list, "a", "1"));
    keep(&list, "b", "2");
    assert_null(answers_find(&list, "a"));
    assert_string_equal(a->body, "1");
    assert_true(list.living > list.kept);
    answer_drop(&list, a);
    assert_int_equal(list.living, list.kept);
    answers_free(&list);
}

static void equal_bodies_have_equal_tags(void **state)
{
    struct answers list = {.room = 20000};
    (void)state;
    struct answer *a = keep(&list, "a", "1"), *b = keep(&list, "b", "1"),
                  *c = keep(&list, "c", "2");
    assert_string_equal(a->tag, b->tag);
    assert_string_not_equal(a->tag, c->tag);
    assert_int_equal(a->tag[0], '"');
    answers_free(&list);
}

/* ---- when an answer serves ---- */

/* A server without threads, of a file that was just looked at. */
struct bench {
    struct server server;
    struct watched file[2]; /* the server is told of the first only */
    struct ask ask;
    char key[REQUEST_KEY_SIZE];
    struct answer *kept;
};

static void bench_init(struct bench *b)
{
    *b = (struct bench){.file = {{.name = "x.db"}, {.name = "y.db"}}};
    b->server.file = b->file;
    b->server.rules.files = 1;
    b->server.jobs_end = &b->server.jobs;
    b->server.answers.room = 10000;
    pthread_cond_init(&b->server.work, NULL);
    b->ask.q = (struct request){.kind = REQUEST_TRIALS, .sweep_id = 1};
    request_key(&b->ask.q, b->key);
    see(&b->file[0], 100, clock_now_s());
    b->kept = keep(&b->server.answers, b->key, "{}");
    b->kept->state = b->file[0].state;
    b->kept->due_s = clock_now_s() + 1000;
}

static void bench_end(struct bench *b)
{
    while (b->server.jobs) {
        struct job *j = b->server.jobs;
        b->server.jobs = j->next;
        free(j->key);
        free(j);
    }
    answers_free(&b->server.answers);
    pthread_cond_destroy(&b->server.work);
}

/* Whether the kept answer is given; if not, a job waits. */
static bool is_given(struct bench *b)
{
    b->ask.answer = NULL;
    bool given = reader_ask(&b->server, &b->ask);
    assert_int_equal(given, b->ask.answer != NULL);
    assert_int_equal(given, b->server.jobs == NULL);
    if (given) {
        assert_ptr_equal(b->ask.answer, b->kept);
        answer_drop(&b->server.answers, b->ask.answer);
    }
    return given;
}

static void an_answer_of_the_present_state_serves(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.kept->due_s = 0;
    assert_true(is_given(&b));
    assert_true(b.file[0].owed_s[WATCHED_VERSION] == 0);
    bench_end(&b);
}

static void an_older_one_serves_until_it_is_due(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.kept->state--;
    assert_true(is_given(&b));
    assert_true(b.file[0].owed_s[WATCHED_VERSION] == b.kept->due_s);
    assert_true(b.file[0].owed_s[WATCHED_SUMMARY] == 0);
    b.kept->due_s = clock_now_s();
    assert_false(is_given(&b));
    bench_end(&b);
}

static void a_list_of_sweeps_is_owed_for_each_file(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.server.rules.files = 2;
    see(&b.file[1], 100, clock_now_s());
    b.ask.q = (struct request){.kind = REQUEST_INDEX};
    request_key(&b.ask.q, b.key);
    b.kept = keep(&b.server.answers, b.key, "{}");
    b.kept->due_s = clock_now_s() + 1000;
    assert_true(is_given(&b));
    assert_true(b.file[0].owed_s[WATCHED_VERSION] == b.kept->due_s);
    assert_true(b.file[1].owed_s[WATCHED_VERSION] == b.kept->due_s);
    bench_end(&b);
}

static void nothing_is_computed_again_beyond_its_share(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.kept->state--;
    b.kept->due_s = 0;
    b.server.rest_until_s[WATCHED_VERSION] = clock_now_s() + SERVE_RESTS * SERVE_AHEAD_S + 10;
    assert_true(is_given(&b));
    assert_true(b.file[0].owed_s[WATCHED_VERSION] > clock_now_s());
    b.server.rest_until_s[WATCHED_SUMMARY] = clock_now_s() + 1000; /* of other kinds of answers */
    b.server.rest_until_s[WATCHED_VERSION] = clock_now_s() + SERVE_RESTS * SERVE_AHEAD_S - 10;
    assert_false(is_given(&b));
    bench_end(&b);
}

static void while_the_reader_is_busy_an_older_one_serves(void **state)
{
    struct bench b;
    struct ask other = {.q = {.kind = REQUEST_SUMMARY, .sweep_id = 1}};
    (void)state;
    bench_init(&b);
    b.kept->state--;
    b.kept->due_s = 0;
    assert_false(reader_ask(&b.server, &other));
    assert_false(reader_ask(&b.server, &b.ask)); /* for a moment it may wait */
    b.server.jobs->next->waiting = NULL;
    b.server.job_began_s -= 1;
    assert_true(reader_ask(&b.server, &b.ask));
    assert_ptr_equal(b.ask.answer, b.kept);
    answer_drop(&b.server.answers, b.ask.answer);
    assert_non_null(b.server.jobs->next); /* and a newer one will come */
    assert_true(b.server.jobs->next->told);
    assert_null(b.server.jobs->next->waiting);
    b.server.job_began_s = clock_now_s();
    b.server.jobs->cost_s = 1; /* the last time */
    assert_true(reader_ask(&b.server, &b.ask));
    answer_drop(&b.server.answers, b.ask.answer);
    bench_end(&b);
}

static void a_passing_error_is_tried_again(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.kept->passing = true;
    assert_true(is_given(&b));
    b.kept->due_s = clock_now_s();
    assert_false(is_given(&b));
    bench_end(&b);
}

static void a_file_that_nobody_watched_is_looked_at(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.file[0].looked_s -= 2;
    assert_false(is_given(&b));
    bench_end(&b);
}

static void equal_questions_are_one_job(void **state)
{
    struct bench b;
    struct ask second;
    (void)state;
    bench_init(&b);
    b.ask.q.after = 3;
    second = b.ask;
    assert_false(reader_ask(&b.server, &b.ask));
    assert_false(reader_ask(&b.server, &second));
    assert_non_null(b.server.jobs);
    assert_null(b.server.jobs->next);
    assert_ptr_equal(b.server.jobs->waiting, &second);
    assert_ptr_equal(second.next, &b.ask);
    bench_end(&b);
}

static void nobody_waits_where_nothing_will_come(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.ask.q.after = 3;
    b.server.answers.living += (size_t)1 << 30; /* that clients do not take */
    assert_true(reader_ask(&b.server, &b.ask));
    assert_null(b.ask.answer);
    b.server.answers.living -= (size_t)1 << 30;
    b.server.ending = true;
    assert_true(reader_ask(&b.server, &b.ask));
    assert_null(b.ask.answer);
    bench_end(&b);
}

/* Whoever would wait then would be a suspended connection when libmicrohttpd ends, which aborts. */
static void at_the_end_nobody_joins_those_who_wait(void **state)
{
    struct bench b;
    (void)state;
    bench_init(&b);
    b.ask.q.after = 3;
    struct ask late = b.ask;
    assert_false(reader_ask(&b.server, &b.ask));
    b.server.ending = true;
    assert_true(reader_ask(&b.server, &late));
    assert_null(late.answer);
    assert_ptr_equal(b.server.jobs->waiting, &b.ask);
    bench_end(&b);
}

/* ---- the watcher ---- */

static void begin_watcher(struct bench *b)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&b->server.lock, NULL);
    pthread_cond_init(&b->server.look, &monotonic);
    pthread_condattr_destroy(&monotonic);
    b->file[0].path = "/nowhere";
    assert_int_equal(pthread_create(&b->server.watcher, NULL, watcher_run, &b->server), 0);
}

static void end_watcher(struct bench *b)
{
    pthread_mutex_lock(&b->server.lock);
    b->server.ending = true;
    pthread_cond_signal(&b->server.look);
    pthread_mutex_unlock(&b->server.lock);
    pthread_join(b->server.watcher, NULL);
    pthread_cond_destroy(&b->server.look);
    pthread_mutex_destroy(&b->server.lock);
}

static void who_takes_too_long_is_shut_out(void **state)
{
    struct bench b;
    int late[2], early[2];
    char byte;
    (void)state;
    bench_init(&b);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, late), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, early), 0);
    struct peer fine = {.fd = early[0], .until_s = clock_now_s() + 1000};
    struct peer slow = {.fd = late[0], .until_s = clock_now_s() - 1, .next = &fine};
    b.server.peers = &slow;
    begin_watcher(&b);
    assert_int_equal(read(late[1], &byte, 1), 0);
    assert_int_equal(read(early[1], &byte, 1), -1);
    end_watcher(&b);
    for (int i = 0; i < 2; i++) {
        close(late[i]);
        close(early[i]);
    }
    bench_end(&b);
}

/* However often others ask. */
static void files_are_looked_at_four_times_a_second(void **state)
{
    struct bench b;
    double looked_s = 0, from_s = clock_now_s();
    int looks = 0;
    (void)state;
    bench_init(&b);
    b.server.asked_s = clock_now_s();
    begin_watcher(&b);
    for (int i = 0; i < 200; i++) {
        usleep(2000);
        pthread_mutex_lock(&b.server.lock);
        looks += b.file[0].looked_s != looked_s;
        looked_s = b.file[0].looked_s;
        pthread_cond_signal(&b.server.look);
        pthread_mutex_unlock(&b.server.lock);
    }
    assert_true(looks <= 2 + (clock_now_s() - from_s) / SERVE_LOOK_S);
    end_watcher(&b);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_told_at_once_and_twice_more),
        cmocka_unit_test(every_part_of_a_sign_counts),
        cmocka_unit_test(what_is_not_there_has_an_error),
        cmocka_unit_test(summaries_are_told_when_they_can_be_had),
        cmocka_unit_test(what_was_not_asked_for_leaves_first),
        cmocka_unit_test(small_answers_are_few),
        cmocka_unit_test(who_holds_an_answer_has_it),
        cmocka_unit_test(equal_bodies_have_equal_tags),
        cmocka_unit_test(an_answer_of_the_present_state_serves),
        cmocka_unit_test(an_older_one_serves_until_it_is_due),
        cmocka_unit_test(a_list_of_sweeps_is_owed_for_each_file),
        cmocka_unit_test(nothing_is_computed_again_beyond_its_share),
        cmocka_unit_test(while_the_reader_is_busy_an_older_one_serves),
        cmocka_unit_test(a_passing_error_is_tried_again),
        cmocka_unit_test(a_file_that_nobody_watched_is_looked_at),
        cmocka_unit_test(equal_questions_are_one_job),
        cmocka_unit_test(nobody_waits_where_nothing_will_come),
        cmocka_unit_test(at_the_end_nobody_joins_those_who_wait),
        cmocka_unit_test(who_takes_too_long_is_shut_out),
        cmocka_unit_test(files_are_looked_at_four_times_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
