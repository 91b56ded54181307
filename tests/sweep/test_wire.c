/* The worker's messages: what is sent arrives, in whatever pieces; protocol errors are refused. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/worker/wire.h"

#include <cmocka.h>

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

static void job_comes_back(void **state)
{
    (void)state;
    struct job j = sample_job(), back;
    struct message m;
    char text[WIRE_JOB_MAX];
    assert_true(wire_job_format(&j, text, sizeof text) > 0);
    assert_int_equal(wire_job_parse(text, &back, &m), STATUS_OK);
    assert_memory_equal(&j, &back, sizeof j);
}

static void job_with_line_break_is_refused(void **state)
{
    (void)state;
    struct job j = sample_job();
    char text[WIRE_JOB_MAX];
    strcpy(j.folder, "/tmp/a\nb");
    assert_int_equal(wire_job_format(&j, text, sizeof text), -1);
    j = sample_job();
    strcpy(j.data.path, "a\nb.txt");
    assert_int_equal(wire_job_format(&j, text, sizeof text), -1);
    j = sample_job();
    assert_int_equal(wire_job_format(&j, text, 20), -1);
}

static void broken_jobs_are_refused(void **state)
{
    (void)state;
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
    char *metric = strstr(text, "metric=val_loss");
    assert_non_null(metric);
    memcpy(metric, "metric=test_acc", strlen("metric=test_acc"));
    assert_int_equal(wire_job_parse(text, &j, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "test_acc"));
}

static void frames_arrive_in_any_pieces(void **state)
{
    (void)state;
    int ends[2];
    struct message m;
    char stream[512];
    const struct wire_progress p = {.step = 5, .steps = 10, .loss = 0.5, .acc = 0.25};
    assert_int_equal(pipe(ends), 0);
    wire_send(ends[1], WIRE_STARTED, &p, sizeof p, &m);
    wire_send(ends[1], WIRE_CURVE, "[1]", 3, &m);
    wire_send(ends[1], WIRE_NOTE, "", 0, &m);
    wire_send(ends[1], WIRE_FINISHED, "t1-a1.result", 12, &m);
    ssize_t size = read(ends[0], stream, sizeof stream);
    close(ends[0]);
    close(ends[1]);

    for (ssize_t piece = 1; piece <= size; piece++) {
        struct wire_reader r = {0};
        int frames = 0;
        for (ssize_t at = 0; at < size; at += piece) {
            size_t n = (size_t)(size - at < piece ? size - at : piece), length;
            enum wire_type type;
            const char *payload;
            assert_int_equal(wire_feed(&r, stream + at, n, &m), STATUS_OK);
            while (wire_next(&r, &type, &payload, &length)) {
                static const enum wire_type types[] = {WIRE_STARTED, WIRE_CURVE, WIRE_NOTE,
                                                       WIRE_FINISHED};
                static const char *const texts[] = {NULL, "[1]", "", "t1-a1.result"};
                assert_int_equal(type, types[frames]);
                if (texts[frames])
                    assert_string_equal(payload, texts[frames]);
                else
                    assert_memory_equal(payload, &p, sizeof p);
                frames++;
            }
        }
        assert_int_equal(frames, 4);
        wire_reader_free(&r);
    }
}

static void protocol_errors_are_refused(void **state)
{
    (void)state;
    static const uint32_t frames[][2] = {
        {WIRE_LIMIT + 1, WIRE_NOTE}, {0, 0},           {0, WIRE_TYPES},
        {3, WIRE_PROGRESS},          {3, WIRE_PAUSED}, {1, 4000000000u}};
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        struct wire_reader r = {0};
        struct message m;
        assert_int_equal(wire_feed(&r, frames[i], sizeof frames[i], &m), STATUS_BAD_INPUT);
        wire_reader_free(&r);
    }
}

static void gone_reader_is_an_error(void **state)
{
    (void)state;
    int ends[2];
    struct message m;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(wire_send(ends[1], WIRE_NOTE, "x", 1, &m), STATUS_IO);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(job_comes_back),
        cmocka_unit_test(job_with_line_break_is_refused),
        cmocka_unit_test(broken_jobs_are_refused),
        cmocka_unit_test(frames_arrive_in_any_pieces),
        cmocka_unit_test(protocol_errors_are_refused),
        cmocka_unit_test(gone_reader_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
