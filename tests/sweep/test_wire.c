/* The worker's messages: jobs come back; protocol errors are refused. That frames arrive in
 * whatever pieces: test_agent_wire.c. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/worker/wire.h"
#include "tests/test.h"
#include "tests/unit/faults.h"

static struct job sample_job(void)
{
    struct job j = {.trial = 12,
                    .attempt = 3,
                    .seed = 4000000000u,
                    .until = INT64_C(5000000000),
                    .checkpoint_s = 0.1,
                    .memory = INT64_C(1) << 40,
                    .time_s = 1200,
                    .metric = METRIC_VAL_LOSS,
                    .measure = true};
    strcpy(j.folder, "/somewhere/with = and spaces/headcount.db.d");
    strcpy(j.data.path, "/somewhere/else/my text=1.txt");
    strcpy(j.build, "abc SkylakeX avx512");
    strcpy(j.config, "{\"model\":{\"heads\":8}}");
    return j;
}

TEST(job_comes_back)
{
    struct job j = sample_job(), back;
    struct message m;
    char text[WIRE_JOB_MAX];
    assert_true(wire_job_format(&j, text, sizeof text) > 0);
    assert_int_equal(wire_job_parse(text, &back, &m), STATUS_OK);
    assert_memory_equal(&j, &back, sizeof j);
}

TEST(texts_may_hold_any_bytes)
{
    static const char *const folders[] = {"/tmp/a\nb", "\n",      "\\",
                                          "a\\nb\\",   "\n\\\nn", "=\r\xff\x01"};
    struct job j = sample_job(), back;
    struct message m;
    char text[WIRE_JOB_MAX];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(j.folder, sizeof j.folder, "%s", folders[i]);
        snprintf(j.data.path, sizeof j.data.path, "%s.txt", folders[i]);
        assert_true(wire_job_format(&j, text, sizeof text) > 0);
        assert_int_equal(wire_job_parse(text, &back, &m), STATUS_OK);
        assert_string_equal(back.folder, j.folder);
        assert_string_equal(back.data.path, j.data.path);
    }
}

/* At every size that does not suffice. */
TEST(a_job_is_written_whole_or_not)
{
    struct job j = sample_job();
    char text[WIRE_JOB_MAX], part[WIRE_JOB_MAX];
    strcpy(j.folder, "/tmp/a\nb\n");
    int whole = wire_job_format(&j, text, sizeof text);
    assert_int_equal(whole, strlen(text));
    for (size_t size = 1; size <= (size_t)whole; size++) {
        memset(part, 'x', sizeof part);
        assert_int_equal(wire_job_format(&j, part, size), -1);
        assert_int_equal(part[size], 'x');
    }
    assert_int_equal(wire_job_format(&j, part, (size_t)whole + 1), whole);
}

TEST(broken_jobs_are_refused)
{
    struct job j = sample_job();
    struct message m;
    char text[WIRE_JOB_MAX], broken[2 * WIRE_JOB_MAX];
    wire_job_format(&j, text, sizeof text);
    /* Every missing line, every doubled line. */
    for (char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + 1, before = (size_t)(line - text);
        memcpy(broken, text, before);
        strcpy(broken + before, line + length);
        assert_int_equal(wire_job_parse(broken, &j, &m), STATUS_BAD_INPUT);
        memcpy(broken, text, before + length);
        strcpy(broken + before + length, line);
        assert_int_equal(wire_job_parse(broken, &j, &m), STATUS_BAD_INPUT);
        line += length;
    }
    assert_int_equal(wire_job_parse("", &j, &m), STATUS_BAD_INPUT);
    assert_int_equal(wire_job_parse("trial=x\n", &j, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "line 1"));
    j = sample_job();
    j.until = -1;
    assert_true(wire_job_format(&j, broken, sizeof broken) > 0);
    assert_int_equal(wire_job_parse(broken, &j, &m), STATUS_BAD_INPUT);
    /* Every value that does not fit. */
    static const char *const values[] = {
        "seed=4000000000", "seed=-1",      "seed=4000000000", "seed=4294967296",
        "metric=1",        "metric=2",     "measure=1",       "measure=2",
        "time_s=1200",     "time_s=1e999", "memory=",         "memory=x",
        "folder=/",        "folder=\\",    "folder=/",        "folder=\\x"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i += 2) {
        char *line = strstr(text, values[i]);
        assert_non_null(line);
        size_t before = (size_t)(line - text);
        snprintf(broken, sizeof broken, "%.*s%s%s", (int)before, text, values[i + 1],
                 line + strlen(values[i]));
        assert_int_equal(wire_job_parse(broken, &j, &m), STATUS_BAD_INPUT);
    }
}

/* A good frame, and behind it one that is none: the first is there to be read, the other not. */
TEST(protocol_errors_are_refused)
{
    static const uint32_t frames[][2] = {
        {WIRE_LIMIT + 1, WIRE_NOTE}, {0, 0},           {0, WIRE_HASHED + 1}, {0, WIRE_STARTED - 1},
        {3, WIRE_PROGRESS},          {3, WIRE_PAUSED}, {1, 4000000000u}};
    struct message m;
    struct wire_frame f;
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        struct wire_buffer r = {0};
        const uint32_t header[] = {frames[i][0], frames[i][1], 0, 0x0a0a0a0a};
        assert_int_equal(wire_put(&r, WIRE_NOTE, 0, "good", 4, &m), STATUS_OK);
        assert_int_equal(wire_feed(&r, header, sizeof header, wire_valid, &m), STATUS_BAD_INPUT);
        assert_true(wire_next(&r, &f));
        assert_string_equal(f.payload, "good");
        assert_false(wire_next(&r, &f));
        wire_free(&r);
    }
    struct wire_buffer r = {0}, w = {0};
    assert_int_equal(wire_put(&w, WIRE_NOTE, 0, "good", 4, &m), STATUS_OK);
    w.bytes[w.end - 1] = 'x';
    assert_int_equal(wire_feed(&r, w.bytes, w.end, wire_valid, &m), STATUS_BAD_INPUT);
    wire_free(&r);
    wire_free(&w);
}

/* What is there stays, and what is short is said all the same: that a trial has finished. */
TEST(without_memory_nothing_is_lost)
{
    static char large[WIRE_LIMIT];
    int ends[2];
    struct wire_buffer b = {0};
    struct wire_frame f;
    struct message m;
    char bytes[64];
    if (!FAULTS_IN_MALLOC)
        skip();
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(wire_put(&b, WIRE_NOTE, 3, "kept", 4, &m), STATUS_OK);
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    assert_int_equal(wire_put(&b, WIRE_NOTE, 0, large, sizeof large, &m), STATUS_NO_MEMORY);
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    assert_int_equal(wire_feed(&b, large, sizeof large, wire_valid, &m), STATUS_NO_MEMORY);
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    assert_int_equal(wire_send(ends[1], WIRE_CURVE, large, sizeof large, &m), STATUS_NO_MEMORY);
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    assert_int_equal(wire_send(ends[1], WIRE_FINISHED, "t1-a1.result", 12, &m), STATUS_OK);
    assert_false(fault_disarm());
    assert_true(wire_next(&b, &f));
    assert_string_equal(f.payload, "kept");
    assert_int_equal(wire_waiting(&b), 0);
    ssize_t size = read(ends[0], bytes, sizeof bytes);
    assert_true(size > 0);
    assert_int_equal(wire_feed(&b, bytes, (size_t)size, wire_valid, &m), STATUS_OK);
    assert_true(wire_next(&b, &f));
    assert_string_equal(f.payload, "t1-a1.result");
    close(ends[0]);
    close(ends[1]);
    wire_free(&b);
}

TEST(gone_reader_is_an_error)
{
    int ends[2];
    struct message m;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(wire_send(ends[1], WIRE_NOTE, "x", 1, &m), STATUS_IO);
    close(ends[1]);
}
