/* What coordinator and agent say to each other: it arrives in whatever pieces, behind whatever
 * banner; protocol errors are refused. And the names of hosts. */
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/hosts/host.h"

#include "tests/test.h"

static struct worker_end sample_end(void)
{
    struct worker_end e = {.exit_code = 75,
                           .signal = -1,
                           .killed_for = WATCH_LATE,
                           .unstarted = true,
                           .max_rss_kib = INT64_C(1) << 40,
                           .cpu_s = 12.5};
    strcpy(e.killed, "had 8 s to stop and did not");
    strcpy(e.error, "line 1\nline 2");
    return e;
}

/* A banner, the magic, and a frame of each kind of payload. */
static void sample_stream(struct wire_buffer *o)
{
    struct message m;
    char end[AGENT_TEXT_MAX];
    const struct worker_end e = sample_end();
    int size = agent_ended_format(&e, end, sizeof end);
    assert_true(size > 0);
    assert_int_equal(wire_put_bytes(o, "Welcome\n\x89headcount\n", 19, &m), STATUS_OK);
    assert_int_equal(wire_put_bytes(o, AGENT_MAGIC, sizeof AGENT_MAGIC - 1, &m), STATUS_OK);
    assert_int_equal(wire_put(o, AGENT_READY, 0, "proof", 5, &m), STATUS_OK);
    assert_int_equal(wire_put(o, AGENT_SPAWNED, 4095, "12345", 5, &m), STATUS_OK);
    assert_int_equal(wire_put(o, WIRE_CURVE, 7, "[1]", 3, &m), STATUS_OK);
    assert_int_equal(wire_put(o, WIRE_ALIVE, 7, "", 0, &m), STATUS_OK);
    assert_int_equal(wire_put(o, AGENT_ENDED, 7, end, (size_t)size, &m), STATUS_OK);
    assert_int_equal(wire_put(o, AGENT_BEAT, 0, NULL, 0, &m), STATUS_OK);
}

/* The i-th frame of the stream above is what was put there. */
static void look_at(int i, const struct wire_frame *f)
{
    static const int types[] = {AGENT_READY, AGENT_SPAWNED, WIRE_CURVE,
                                WIRE_ALIVE,  AGENT_ENDED,   AGENT_BEAT};
    static const int slots[] = {0, 4095, 7, 7, 7, 0};
    const struct worker_end expected = sample_end();
    struct worker_end e;
    struct message m;
    assert_int_equal(f->type, types[i]);
    assert_int_equal(f->slot, slots[i]);
    assert_int_equal(f->payload[f->size], '\0');
    if (f->type == AGENT_READY)
        assert_string_equal(f->payload, "proof");
    if (f->type == AGENT_SPAWNED)
        assert_string_equal(f->payload, "12345");
    if (f->type == WIRE_CURVE)
        assert_string_equal(f->payload, "[1]");
    if (f->type == WIRE_ALIVE)
        assert_int_equal(f->size, 0);
    if (f->type != AGENT_ENDED)
        return;
    assert_int_equal(agent_ended_parse(f->payload, &e, &m), STATUS_OK);
    assert_int_equal(e.exit_code, expected.exit_code);
    assert_int_equal(e.signal, expected.signal);
    assert_int_equal(e.killed_for, expected.killed_for);
    assert_true(e.unstarted && e.max_rss_kib == expected.max_rss_kib && e.cpu_s == expected.cpu_s);
    assert_string_equal(e.killed, expected.killed);
    assert_string_equal(e.error, expected.error);
}

TEST(frames_arrive_in_any_pieces)
{
    struct wire_buffer o = {0};
    struct message m;
    sample_stream(&o);
    for (size_t piece = 1; piece <= o.end; piece++) {
        struct agent_in in = {.skips = true};
        struct wire_frame f;
        int frames = 0;
        for (size_t at = 0; at < o.end; at += piece) {
            size_t n = o.end - at < piece ? o.end - at : piece;
            assert_int_equal(agent_feed(&in, o.bytes + at, n, &m), STATUS_OK);
            while (wire_next(&in.frames, &f))
                look_at(frames++, &f);
        }
        assert_int_equal(frames, 6);
        wire_free(&in.frames);
    }
    wire_free(&o);
}

TEST(frames_cross_a_full_pipe)
{
    enum { FRAMES = 200 };
    int ends[2];
    struct wire_buffer o = {0};
    struct agent_in in = {.skips = false};
    struct wire_frame f;
    struct message m;
    char job[1000] = "job", bytes[4096];
    int frames = 0;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    for (int i = 0; i < FRAMES; i++)
        assert_int_equal(wire_put(&o, WIRE_START, i, job, sizeof job, &m), STATUS_OK);
    assert_int_equal(wire_flush(&o, ends[1], &m), STATUS_OK);
    assert_true(wire_waiting(&o) > 0); /* it holds 64 KiB */
    while (wire_waiting(&o) > 0 || frames < FRAMES) {
        ssize_t n = read(ends[0], bytes, sizeof bytes);
        assert_true(n > 0);
        assert_int_equal(agent_feed(&in, bytes, (size_t)n, &m), STATUS_OK);
        while (wire_next(&in.frames, &f))
            assert_int_equal(f.slot, frames++);
        assert_int_equal(wire_flush(&o, ends[1], &m), STATUS_OK);
    }
    close(ends[0]);
    close(ends[1]);
    wire_free(&in.frames);
    wire_free(&o);
}

/* What agent_feed answers to the bytes, all at once. */
static enum status fed(bool skips, const void *bytes, size_t size, struct message *m)
{
    struct agent_in in = {.skips = skips};
    enum status s = agent_feed(&in, bytes, size, m);
    wire_free(&in.frames);
    return s;
}

TEST(broken_frames_are_refused)
{
    struct message m;
    struct wire_buffer o = {0};
    assert_int_equal(wire_put(&o, AGENT_SPAWNED, 3, "12345678", 8, &m), STATUS_OK);
    char *b = o.bytes;
    assert_int_equal(fed(false, b, o.end, &m), STATUS_OK);
    static const struct {
        int at;
        char byte;
    } broken[] = {{0, 7}, {3, 127}, {4, 99}, {4, 0}, {9, 127}, {20, 'x'}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char kept = b[broken[i].at];
        b[broken[i].at] = broken[i].byte;
        assert_int_equal(fed(false, b, o.end, &m), STATUS_BAD_INPUT);
        b[broken[i].at] = kept;
    }
    wire_free(&o);
    assert_int_equal(wire_put(&o, WIRE_PROGRESS, 3, "12345678", 8, &m), STATUS_OK);
    assert_int_equal(fed(false, o.bytes, o.end, &m), STATUS_BAD_INPUT); /* too short for one */
    wire_free(&o);
    struct worker_end e = sample_end(), back;
    char end[AGENT_TEXT_MAX];
    int whole = agent_ended_format(&e, end, sizeof end);
    for (int n = whole - 1; n >= 0; n--) {
        end[n] = '\0';
        assert_int_equal(agent_ended_parse(end, &back, &m), STATUS_BAD_INPUT);
    }
    const struct worker_end wrong[] = {{.killed_for = WATCH_MEMORY + 1},
                                       {.max_rss_kib = -1},
                                       {.cpu_s = -1},
                                       {.cpu_s = INFINITY},
                                       {.cpu_s = NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(agent_ended_format(&wrong[i], end, sizeof end) > 0);
        assert_int_equal(agent_ended_parse(end, &back, &m), STATUS_BAD_INPUT);
    }
}

/* The most that a worker can have said fits, whatever it was. */
TEST(every_end_can_be_told)
{
    struct message m;
    static struct worker_end e, back;
    static char end[AGENT_TEXT_MAX];
    memset(e.killed, '\n', sizeof e.killed - 1);
    memset(e.error, '\\', sizeof e.error - 1);
    assert_true(agent_ended_format(&e, end, sizeof end) > 0);
    assert_int_equal(agent_ended_parse(end, &back, &m), STATUS_OK);
    assert_memory_equal(&e, &back, sizeof e);
}

TEST(what_is_no_agent_is_found_out)
{
    struct message m;
    static char noise[AGENT_NOISE + 1];
    memset(noise, '\x89', sizeof noise);
    assert_int_equal(fed(true, noise, sizeof noise - 1, &m), STATUS_OK);
    assert_int_equal(fed(true, noise, sizeof noise, &m), STATUS_OK); /* the last may begin it */
    memset(noise, 'x', sizeof noise);
    assert_int_equal(fed(true, noise, sizeof noise, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "is not a headcount agent"));
    assert_int_equal(fed(true, "\x89headcount agent 1\n", 19, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "terminal"));
    assert_int_equal(fed(true, "\x89headcount agent 2\r\n\x1a\n", 22, &m), STATUS_BAD_INPUT);
}

TEST(texts_come_back)
{
    struct agent_hello h, h2;
    struct agent_open o = {.beat_s = 5, .patience_s = 300}, o2;
    struct message m;
    char text[AGENT_TEXT_MAX];
    assert_int_equal(agent_hello_here(&h, &m), STATUS_OK);
    assert_true(agent_hello_format(&h, text, sizeof text) > 0);
    assert_int_equal(agent_hello_parse(text, &h2, &m), STATUS_OK);
    assert_memory_equal(&h, &h2, sizeof h);
    h.cores = 0;
    assert_true(agent_hello_format(&h, text, sizeof text) > 0);
    assert_int_equal(agent_hello_parse(text, &h2, &m), STATUS_BAD_INPUT);
    strcpy(o.folder, "/a/b c=d.db.d");
    strcpy(o.proof, "proof-1");
    assert_true(agent_open_format(&o, text, sizeof text) > 0);
    assert_int_equal(agent_open_parse(text, &o2, &m), STATUS_OK);
    assert_memory_equal(&o, &o2, sizeof o);
    assert_int_equal(agent_open_format(&o, text, 20), -1);
    o.patience_s = 4;
    assert_true(agent_open_format(&o, text, sizeof text) > 0);
    assert_int_equal(agent_open_parse(text, &o2, &m), STATUS_BAD_INPUT);
    assert_int_equal(agent_open_parse("folder=x\n", &o2, &m), STATUS_BAD_INPUT);
}

/* What a host that says this is taken for; why goes to h->why. */
static enum host_state greeted(struct host *h, const char *hello, const char *sources)
{
    static struct host_launch launch;
    const struct host_spec spec = {.name = "n3"};
    struct wire_buffer o = {0};
    struct host_event e;
    struct message m;
    launch.sources = sources;
    host_init(h, &spec, &launch);
    h->state = HOST_STARTING;
    assert_int_equal(wire_put(&o, AGENT_HELLO, 0, hello, strlen(hello), &m), STATUS_OK);
    assert_int_equal(agent_feed(&h->in, o.bytes, o.end, &m), STATUS_OK);
    assert_true(host_next(h, &e));
    assert_int_equal(e.kind, h->state == HOST_GREETED ? HOST_EVENT_GREETED : HOST_EVENT_LOST);
    wire_free(&o);
    wire_free(&h->in.frames);
    return h->state;
}

/* Built from the same sources, whoever built it and how. */
TEST(the_same_program_is_welcome)
{
    struct agent_hello h;
    struct host host;
    struct message m;
    char text[AGENT_TEXT_MAX], hash[65];
    assert_int_equal(agent_hello_here(&h, &m), STATUS_OK);
    assert_int_equal(strlen(h.sources), 64);
    strcpy(hash, h.sources);
    strcpy(h.build.compiler, "clang 14");
    strcpy(h.build.flags, "-O3");
    strcpy(h.build.commit, "unknown");
    assert_true(agent_hello_format(&h, text, sizeof text) > 0);
    assert_int_equal(greeted(&host, text, hash), HOST_GREETED);
    memset(hash, 'f', 64);
    assert_int_equal(greeted(&host, text, hash), HOST_REFUSED);
    char words[256];
    snprintf(words, sizeof words,
             "it runs another program: its sources are %.12s (headcount %s, commit unknown), ours "
             "ffffffffffff; build it from the same tree",
             h.sources, h.build.version);
    assert_string_equal(host.why, words);
    /* Of an older one the rest need not be understood. */
    assert_int_equal(greeted(&host, "protocol=2\norder=little\nversion=0.1.0\n", hash),
                     HOST_REFUSED);
    assert_string_equal(host.why, "it runs another program, which speaks protocol 2 where ours "
                                  "speaks 7; build it from the same tree");
}

TEST(hosts_are_read)
{
    struct host_spec *list;
    struct message m;
    int n;
    assert_int_equal(host_specs_parse("a,me@b.c:8,[::1],[::1:2]:3", &list, &n, &m), STATUS_OK);
    assert_int_equal(n, 4);
    static const char *const names[] = {"a", "me@b.c", "[::1]", "[::1:2]"};
    static const int slots[] = {0, 8, 0, 3};
    for (int i = 0; i < n; i++) {
        assert_string_equal(list[i].name, names[i]);
        assert_int_equal(list[i].slots, slots[i]);
    }
    free(list);
    static const char *const bad[] = {"",    "a,",     ",a",      "a:",      "a:x",     "a:8x",
                                      "a:0", "a:4097", "a b",     "$(x)",    "-oProxy", "a:+3",
                                      "a,a", "a\n",    "a:8,a:9", "b;reboot"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (host_specs_parse(bad[i], &list, &n, &m) != STATUS_BAD_INPUT)
            fail_msg("'%s' was taken", bad[i]);
        assert_non_null(strstr(m.text, "--hosts: "));
    }
    char name[HOST_NAME + 2];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(host_specs_parse(name, &list, &n, &m), STATUS_BAD_INPUT);
}

TEST(command_lines_name_the_host)
{
    struct host_launch l = {.command = "on {host} as {host}", .agent = "/bin/headcount agent"};
    char *line = host_command_line(&l, "n1");
    assert_string_equal(line, "on n1 as n1 /bin/headcount agent");
    free(line);
    line = host_command_line(&l, "[::1]");
    assert_string_equal(line, "on '[::1]' as '[::1]' /bin/headcount agent");
    free(line);
    struct message m;
    l.command = "ssh";
    assert_int_equal(host_launch_check(&l, &m), STATUS_BAD_INPUT);
}

TEST(agents_have_odd_paths)
{
    static const struct {
        const char *command;
        struct host_agent agent;
        const char *words;
    } cases[] = {
        {"ssh {host}", {"/bin/headcount", NULL, ""}, "/bin/headcount agent"},
        {"srun -w {host}", {"/a b/headcount", NULL, ""}, "'/a b/headcount' agent"},
        {"ssh {host}", {"/a b/headcount", NULL, ""}, "''\\''/a b/headcount'\\''' agent"},
        {"x=1 /usr/bin/ssh -v {host}", {"/a b", NULL, ""}, "''\\''/a b'\\''' agent"},
        {"'/my tools/rsh' {host}", {"/a b", NULL, ""}, "''\\''/a b'\\''' agent"},
        {"./sshd {host}", {"/a b", NULL, ""}, "'/a b' agent"},
        {"on {host} ssh", {"/a b", NULL, ""}, "'/a b' agent"},
        {"ssh {host}", {"/a b", "x y", ""}, "x y"},
        {"on {host}",
         {"/a b", NULL, "env \\\n"},
         "bash -c 'trap : HUP INT TERM USR1\nexec 3<&0 </dev/null\nenv \\\n"
         "'\\''/a b'\\'' agent <&3 3<&-'"},
        {"on {host}",
         {"/a b", "x y", "z\n"},
         "bash -c 'trap : HUP INT TERM USR1\nexec 3<&0 </dev/null\nz\nx y <&3 3<&-'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_buffer b = {0};
        host_add_agent(&b, cases[i].command, &cases[i].agent);
        assert_string_equal(b.text, cases[i].words);
        free(b.text);
    }
}
