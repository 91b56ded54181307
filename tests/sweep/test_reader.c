/* When an answer serves and when another one is computed; whom the watcher shuts out, how often it
 * looks. */
#include "tests/sweep/watched_help.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/clock.h"

#undef TEST_FIXTURE
#define TEST_FIXTURE struct bench *b

/* While it is true, calloc has none; but not under sanitizers, whose own it is. */
static bool no_memory;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#else
void *__libc_calloc(size_t count, size_t size);

void *calloc(size_t count, size_t size)
{
    return no_memory ? NULL : __libc_calloc(count, size);
}
#endif

/* ---- when an answer serves ---- */

/* A server without threads, of a file that was just looked at. */
struct bench {
    struct server server;
    struct watched file[2]; /* the server is told of the first only */
    struct ask ask;
    char key[REQUEST_KEY_SIZE];
    struct answer *kept;
};

static int set_up(void **state)
{
    struct bench *b = malloc(sizeof *b);
    if (!b)
        return -1;
    *state = b;
    *b = (struct bench){.file = {{.name = "x.db"}, {.name = "y.db"}}};
    b->server.file = b->file;
    b->server.rules.files = 1;
    b->server.jobs_end = &b->server.jobs;
    b->server.last_file = -1;
    b->server.answers.room = 10000;
    pthread_cond_init(&b->server.work, NULL);
    b->ask.q = (struct request){.kind = REQUEST_TRIALS, .sweep_id = 1};
    request_key(&b->ask.q, b->key);
    see(&b->file[0], 100, clock_now_s());
    b->kept = keep(&b->server.answers, b->key, "{}");
    b->kept->snapshot = b->file[0].snapshot[WATCHED_VERSION].number;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    while (b->server.jobs) {
        struct job *j = b->server.jobs;
        b->server.jobs = j->next;
        free(j->key);
        free(j);
    }
    answers_free(&b->server.answers);
    pthread_cond_destroy(&b->server.work);
    free(b);
    return 0;
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

/* The reader's thread, for which the server is locked, until nothing is asked of it any more. */
static void begin_reader(struct bench *b)
{
    pthread_mutex_init(&b->server.lock, NULL);
    pthread_mutex_lock(&b->server.lock);
    assert_int_equal(pthread_create(&b->server.reader, NULL, reader_run, &b->server), 0);
}

static void end_reader(struct bench *b)
{
    while (b->server.jobs) {
        pthread_mutex_unlock(&b->server.lock);
        usleep(1000);
        pthread_mutex_lock(&b->server.lock);
    }
    no_memory = false;
    b->server.ending = true;
    pthread_cond_signal(&b->server.work);
    pthread_mutex_unlock(&b->server.lock);
    pthread_join(b->server.reader, NULL);
    pthread_mutex_destroy(&b->server.lock);
}

static struct snapshot *snapshot_of_trials(struct bench *b)
{
    return &b->file[0].snapshot[WATCHED_VERSION];
}

FIXTURE(set_up, tear_down)

TEST(an_answer_of_the_present_snapshot_serves)
{
    assert_true(is_given(b));
    snapshot_of_trials(b)->stale = true; /* but the next is not due */
    assert_true(is_given(b));
    snapshot_of_trials(b)->number++;
    assert_false(is_given(b));
}

TEST(while_the_reader_is_busy_an_older_one_serves)
{
    struct ask other = {.q = {.kind = REQUEST_SUMMARY, .sweep_id = 1}};
    b->kept->snapshot--;
    assert_false(reader_ask(&b->server, &other));
    assert_false(reader_ask(&b->server, &b->ask)); /* for a moment it may wait */
    b->server.jobs->next->waiting = NULL;
    b->server.job_began_s -= 1;
    assert_true(reader_ask(&b->server, &b->ask));
    assert_ptr_equal(b->ask.answer, b->kept);
    answer_drop(&b->server.answers, b->ask.answer);
    assert_non_null(b->server.jobs->next); /* and a newer one will come */
    assert_true(b->server.jobs->next->notify);
    assert_null(b->server.jobs->next->waiting);
    b->server.job_began_s = clock_now_s();
    b->server.jobs->cost_s = 1; /* the last time */
    assert_true(reader_ask(&b->server, &b->ask));
    answer_drop(&b->server.answers, b->ask.answer);
}

/* For lack of a job nobody else would announce the newer one. */
TEST(an_older_one_in_want_of_room_is_followed_by_news)
{
    struct ask other = {.q = {.kind = REQUEST_SUMMARY, .sweep_id = 1}};
    const struct request list = {.kind = REQUEST_INDEX};
    char key[REQUEST_KEY_SIZE];
    b->kept->snapshot--;
    keep(&b->server.answers, request_key(&list, key), "{}")->snapshot = b->server.index.number - 1;
    assert_false(reader_ask(&b->server, &other));
    b->server.job_began_s -= 1;
    b->server.answers.living += (size_t)1 << 30; /* that clients do not take */
    assert_true(reader_ask(&b->server, &b->ask));
    assert_ptr_equal(b->ask.answer, b->kept);
    answer_drop(&b->server.answers, b->ask.answer);
    b->ask.q = list;
    assert_true(reader_ask(&b->server, &b->ask));
    answer_drop(&b->server.answers, b->ask.answer);
    b->server.answers.living -= (size_t)1 << 30;
    assert_null(b->server.jobs->next);
    assert_true(snapshot_of_trials(b)->stale);
    assert_true(snapshot_of_trials(b)->due_s > clock_now_s());
    assert_true(b->server.index.stale && b->server.index_given);
}

TEST(an_answer_in_want_of_memory_is_followed_by_news)
{
#ifdef SANITIZED
    skip();
#endif
    b->file[0].sign.there = false;
    b->kept->snapshot--;
    assert_false(is_given(b));
    b->server.jobs->waiting = NULL; /* who has an older one */
    begin_reader(b);
    no_memory = true;
    end_reader(b);
    assert_ptr_equal(answers_find(&b->server.answers, b->key), b->kept);
    assert_true(snapshot_of_trials(b)->stale);
}

static struct {
    void *connection[4];
    int count;
} resumed;

static void note_resumed(struct server *s, void *connection)
{
    (void)s;
    resumed.connection[resumed.count++] = connection;
}

/* What was asked of another file comes before a second piece of the same. */
TEST(files_take_turns)
{
    static const int file[] = {0, 0, 0, 1}, order[] = {0, 3, 1, 2};
    struct ask ask[4];
    b->server.rules.files = 2;
    see(&b->file[1], 100, clock_now_s());
    b->file[0].sign.there = b->file[1].sign.there = false;
    b->server.resume = note_resumed;
    for (int i = 0; i < 4; i++) {
        ask[i] = (struct ask){
            .q = {.kind = REQUEST_SUMMARY, .file = file[i], .sweep_id = i + 1},
            .connection = &ask[i],
        };
        assert_false(reader_ask(&b->server, &ask[i]));
    }
    resumed.count = 0;
    begin_reader(b);
    end_reader(b);
    assert_int_equal(resumed.count, 4);
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(resumed.connection[i], &ask[order[i]]);
        answer_drop(&b->server.answers, ask[i].answer);
    }
}

/* What one file takes keeps no other's answers old, nor those of another kind. */
TEST(each_file_has_its_share)
{
    double now_s = clock_now_s();
    snapshot_spend(snapshot_of_trials(b), 1000, true, now_s);
    see(&b->file[1], 100, now_s);
    int64_t number = b->file[1].snapshot[WATCHED_VERSION].number;
    see(&b->file[0], 200, now_s);
    see(&b->file[1], 200, now_s);
    assert_int_equal(b->file[1].snapshot[WATCHED_VERSION].number, number + 1);
    assert_false(b->file[0].snapshot[WATCHED_SUMMARY].stale);
    assert_true(is_given(b));
}

TEST(a_file_that_nobody_watched_is_looked_at)
{
    b->file[0].looked_s -= 2;
    assert_false(is_given(b));
}

TEST(equal_questions_are_one_job)
{
    struct ask second;
    b->ask.q.after = 3;
    second = b->ask;
    assert_false(reader_ask(&b->server, &b->ask));
    assert_false(reader_ask(&b->server, &second));
    assert_non_null(b->server.jobs);
    assert_null(b->server.jobs->next);
    assert_ptr_equal(b->server.jobs->waiting, &second);
    assert_ptr_equal(second.next, &b->ask);
}

TEST(nobody_waits_where_nothing_will_come)
{
    b->ask.q.after = 3;
    b->server.answers.living += (size_t)1 << 30; /* that clients do not take */
    assert_true(reader_ask(&b->server, &b->ask));
    assert_null(b->ask.answer);
    b->server.answers.living -= (size_t)1 << 30;
    b->server.ending = true;
    assert_true(reader_ask(&b->server, &b->ask));
    assert_null(b->ask.answer);
}

/* Whoever would wait then would be a suspended connection when libmicrohttpd ends, which aborts. */
TEST(at_the_end_nobody_joins_those_who_wait)
{
    b->ask.q.after = 3;
    struct ask late = b->ask;
    assert_false(reader_ask(&b->server, &b->ask));
    b->server.ending = true;
    assert_true(reader_ask(&b->server, &late));
    assert_null(late.answer);
    assert_ptr_equal(b->server.jobs->waiting, &b->ask);
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

TEST(who_takes_too_long_is_shut_out)
{
    int late[2], early[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, late), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, early), 0);
    struct peer fine = {.fd = early[0], .until_s = clock_now_s() + 1000};
    struct peer slow = {.fd = late[0], .until_s = clock_now_s() - 1, .next = &fine};
    b->server.peers = &slow;
    begin_watcher(b);
    assert_int_equal(read(late[1], &byte, 1), 0);
    assert_int_equal(read(early[1], &byte, 1), -1);
    end_watcher(b);
    for (int i = 0; i < 2; i++) {
        close(late[i]);
        close(early[i]);
    }
}

/* However often others ask. */
TEST(files_are_looked_at_four_times_a_second)
{
    double looked_s = 0, from_s = clock_now_s();
    int looks = 0;
    b->server.asked_s = clock_now_s();
    begin_watcher(b);
    for (int i = 0; i < 200; i++) {
        usleep(2000);
        pthread_mutex_lock(&b->server.lock);
        looks += b->file[0].looked_s != looked_s;
        looked_s = b->file[0].looked_s;
        pthread_cond_signal(&b->server.look);
        pthread_mutex_unlock(&b->server.lock);
    }
    assert_true(looks <= 2 + (clock_now_s() - from_s) / SERVE_LOOK_S);
    end_watcher(b);
}

/* To those who may have the older one. */
TEST(a_newer_list_of_sweeps_is_announced_for_each_file)
{
    int64_t serial[2];
    b->server.rules.files = 2;
    see(&b->file[1], 100, clock_now_s());
    b->file[0].path = b->file[1].path = "/nowhere";
    pthread_mutex_init(&b->server.lock, NULL);
    pthread_mutex_lock(&b->server.lock);
    for (int given = 0; given < 2; given++) {
        for (int i = 0; i < 2; i++)
            serial[i] = b->file[i].serial;
        b->server.index.stale = true;
        b->server.index_given = given;
        watcher_look(&b->server, 0);
        assert_int_equal(b->file[1].serial, serial[1] + given);
        assert_false(b->server.index.stale);
    }
    b->server.index.stale = b->server.index_given = true;
    b->server.index.due_s = clock_now_s() + 1000;
    serial[1] = b->file[1].serial;
    watcher_look(&b->server, 0);
    assert_int_equal(b->file[1].serial, serial[1]);
    pthread_mutex_unlock(&b->server.lock);
    pthread_mutex_destroy(&b->server.lock);
}
