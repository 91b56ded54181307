/* What a monitor reads at /metrics: its format, its numbers, and that nothing hostile in a results
 * file breaks it. Where promtool (of Prometheus) is there, it reads the same texts. */
#include <fcntl.h>
#include <math.h>

#include "engine/base/text.h"
#include "engine/base/utf8.h"
#include "sweep/serve/metrics.h"
#include "tests/sweep/serve_help.h"
#include "tests/test.h"

/* ---- the format, as documented by Prometheus ---- */

enum { FAMILIES_MAX = 32, SERIES_MAX = 4000 };

struct format {
    char family[FAMILIES_MAX][100];
    const char *type;
    int families;
    const char *series[SERIES_MAX];
    size_t series_size[SERIES_MAX];
    int n;
};

static size_t name_size(const char *at, bool label)
{
    size_t n =
        strspn(at, label ? "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
                         : "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789");
    return *at >= '0' && *at <= '9' ? 0 : n;
}

/* `name="value",...}` from behind the brace: where it ends. */
static const char *labels_end(const char *at)
{
    for (;;) {
        size_t n = name_size(at, true);
        if (n == 0 || strncmp(at + n, "=\"", 2) != 0)
            fail_msg("no label at: %.60s", at);
        for (at += n + 2; *at != '"'; at++) {
            if (*at == '\n' || !*at || (*at == '\\' && !strchr("\\\"n", *++at)))
                fail_msg("a label's value does not end at: %.60s", at);
        }
        if (*++at == '}')
            return at + 1;
        if (*at++ != ',')
            fail_msg("labels go on without a comma at: %.60s", at);
    }
}

static void check_sample(struct format *f, const char *line)
{
    char *end;
    size_t n = name_size(line, false), family = strlen(f->family[f->families - 1]);
    assert_each(f->families > 0, n == family);
    assert_memory_equal(line, f->family[f->families - 1], n);
    const char *at = line[n] == '{' ? labels_end(line + n + 1) : line + n;
    for (int i = 0; i < f->n; i++)
        if (f->series_size[i] == (size_t)(at - line) &&
            memcmp(f->series[i], line, f->series_size[i]) == 0)
            fail_msg("twice: %.100s", line);
    assert_true(f->n < SERIES_MAX);
    f->series[f->n] = line;
    f->series_size[f->n++] = (size_t)(at - line);
    assert_int_equal(*at, ' ');
    double x = strtod(at + 1, &end);
    if (end == at + 1 || *end != '\n' || !isfinite(x) || x < 0)
        fail_msg("no number at: %.60s", at);
}

static void check_help(struct format *f, const char *line)
{
    char type[20], typed[100];
    assert_true(f->families < FAMILIES_MAX);
    char *name = f->family[f->families];
    assert_int_equal(sscanf(line, "# HELP %99s", name), 1);
    for (int i = 0; i < f->families; i++)
        assert_string_not_equal(f->family[i], name); /* a family stands together */
    const char *next = strchr(line, '\n') + 1;
    assert_int_equal(sscanf(next, "# TYPE %99s %19s", typed, type), 2);
    assert_string_equal(typed, name);
    assert_string_equal(type, "gauge");
    f->families++;
}

/* Every line is one of a family that has told its type, every series stands there once, all is
 * UTF-8. */
static void check_format(const char *body)
{
    struct format *f = calloc(1, sizeof *f);
    const unsigned char *byte = (const unsigned char *)body, *end = byte + strlen(body);
    for (int size; byte < end; byte += size) {
        size = utf8_decode(byte, end, NULL);
        assert_true(size > 0);
    }
    assert_each(strlen(body) > 0, body[strlen(body) - 1] == '\n');
    for (const char *line = body; *line; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, "# HELP ", 7) == 0)
            check_help(f, line);
        else if (strncmp(line, "# TYPE ", 7) != 0)
            check_sample(f, line);
    }
    free(f);
}

/* ---- asking ---- */

static char *body_of(char *answer)
{
    char *body = answer ? strstr(answer, "\r\n\r\n") : NULL;
    if (served_code(answer) != 200 || !body)
        fail_msg("%.300s", answer ? answer : "no answer");
    return body + 4;
}

/* The whole answer, whose body is well formed and names no folder. */
static char *scrape(const struct served *f)
{
    char *answer = served_get(f, "/metrics", "");
    char *body = body_of(answer);
    assert_non_null(
        strstr(answer, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    check_format(body);
    assert_null(strstr(body, "headcount serve-"));
    return answer;
}

static void says(const char *body, const char *line)
{
    char whole[400];
    snprintf(whole, sizeof whole, "\n%s\n", line);
    if (!strstr(body, whole))
        fail_msg("%s: missing in\n%s", line, body);
}

static bool has_promtool(void)
{
    return system("command -v promtool >/dev/null 2>&1") == 0;
}

/* Not one word, of any of these texts. */
static void promtool_reads(const struct served *f, const char *body)
{
    char name[200], command[1000];
    snprintf(name, sizeof name, "%s/metrics.txt", f->folder);
    FILE *out = fopen(name, "we");
    assert_non_null(out);
    fputs(body, out);
    assert_int_equal(fclose(out), 0);
    snprintf(
        command, sizeof command,
        "promtool check metrics <'%s' >'%s.said' 2>&1 && ! [ -s '%s.said' ] || { cat '%s.said'; "
        "false; }",
        name, name, name, name);
    assert_int_equal(system(command), 0);
}

static void start(struct served *f)
{
    assert_int_equal(served_start(f), 0);
}

/* A second trial that diverged, three at work, one of them half done. */
static const char STATES[] =
    "UPDATE trial SET state = 'diverged', bad_step = 3 WHERE trial_id = 2;"
    "UPDATE trial SET state = 'running' WHERE trial_id IN (3, 4);"
    "UPDATE trial SET state = 'queued', resume_step = 20 WHERE trial_id = 5;";

FIXTURE(served_set_up, served_tear_down)

TEST(numbers_are_those_of_the_file)
{
    static const char *const lines[] = {
        "# TYPE headcount_trials gauge",
        "headcount_trials{sweep=\"new\",state=\"queued\"} 1",
        "headcount_trials{sweep=\"new\",state=\"running\"} 2",
        "headcount_trials{sweep=\"new\",state=\"completed\"} 3",
        "headcount_trials{sweep=\"new\",state=\"diverged\"} 1",
        "headcount_trials{sweep=\"new\",state=\"failed\"} 0",
        "headcount_trials{sweep=\"new\",state=\"not_needed\"} 0",
        "headcount_trials{sweep=\"new\",state=\"elsewhere\"} 0",
        "headcount_trials_planned{sweep=\"new\"} 7",
        "headcount_trials_half_done{sweep=\"new\"} 1",
        "headcount_trial_train_seconds{sweep=\"new\"} 2",
    };
    assert_int_equal(served_write(f, STATES), 0);
    start(f);
    char *answer = scrape(f), *body = body_of(answer);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        says(body, lines[i]);
    assert_null(strstr(body, "file=\""));
    free(answer);
}

/* No such name comes from a sweep file; a hand, or a foreign file, can have it. */
static const char ODD[] =
    "UPDATE sweep SET name = 'a \"b\" \\' || char(10) || 'headcount_trials 1' || char(10, 9, 955)"
    " || char(13) || CAST(x'ff' AS TEXT) || '}';";

TEST(odd_names_are_escaped)
{
    assert_int_equal(served_write(f, ODD), 0);
    start(f);
    char *answer = scrape(f), *body = body_of(answer);
    says(body,
         "headcount_trials_planned{sweep=\"a \\\"b\\\" \\\\\\nheadcount_trials 1\\n\t\xce\xbb\r"
         "\xef\xbf\xbd}\"} 7");
    free(answer);
}

static const char NO_SWEEP[] = "DELETE FROM curve; DELETE FROM trial; DELETE FROM sweep;";

TEST(a_file_without_sweeps)
{
    assert_int_equal(served_write(f, NO_SWEEP), 0);
    start(f);
    char *answer = scrape(f);
    assert_null(strstr(body_of(answer), "headcount_trials{"));
    free(answer);
}

/* f's file and one of the same name in a folder below; a third with a name of its own. */
static void serve_three(struct served *f, char names[3][200], const char *paths[3])
{
    char command[900];
    snprintf(names[0], 200, "%s", f->path);
    snprintf(names[1], 200, "%s/below/p q.db", f->folder);
    snprintf(names[2], 200, "%s/z\"z.db", f->folder);
    snprintf(command, sizeof command, "mkdir '%s/below' && cp '%s' '%s' && cp '%s' '%s'", f->folder,
             f->path, names[1], f->path, names[2]);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 3; i++)
        paths[i] = names[i];
    f->options.files = paths;
    f->options.count = 3;
    start(f);
}

TEST(several_files_are_told_from_each_other)
{
    char names[3][200];
    const char *paths[3];
    serve_three(f, names, paths);
    char *answer = scrape(f), *body = body_of(answer);
    says(body, "headcount_trials_planned{file=\"0/p q.db\",sweep=\"new\"} 7");
    says(body, "headcount_trials_planned{file=\"1/p q.db\",sweep=\"new\"} 7");
    says(body, "headcount_trials_planned{file=\"z\\\"z.db\",sweep=\"new\"} 7");
    free(answer);
    f->options.files = f->paths;
}

/* Files are looked at four times a second. */
static char *scrape_until_gone(const struct served *f, const char *text)
{
    for (;;) {
        char *answer = scrape(f);
        if (!strstr(answer, text))
            return answer;
        free(answer);
        usleep(20000);
    }
}

TEST(a_file_that_has_gone_hides_no_other)
{
    char names[3][200];
    const char *paths[3];
    serve_three(f, names, paths);
    assert_int_equal(unlink(names[1]), 0);
    int fd = open(names[2], O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_int_equal(write(fd, "no results file", 15), 15);
    close(fd);
    char *answer = scrape_until_gone(f, "headcount_trials{file=\"1/");
    char *body = body_of(answer);
    says(body, "headcount_trials_planned{file=\"0/p q.db\",sweep=\"new\"} 7");
    assert_null(strstr(body, "{file=\"z"));
    free(answer);
    f->options.files = f->paths;
}

TEST(a_token_is_asked)
{
    char header[200];
    f->options.listen = "0.0.0.0";
    start(f);
    const char *token = strstr(serve_address(f->server), "?token=");
    assert_non_null(token);
    char *answer = served_get(f, "/metrics", "");
    assert_int_equal(served_code(answer), 403);
    free(answer);
    answer = served_get(f, "/metrics", "Authorization: Bearer 0123456789abcdef\r\n");
    assert_int_equal(served_code(answer), 403);
    free(answer);
    snprintf(header, sizeof header, "Authorization: Bearer %s\r\n", strchr(token, '=') + 1);
    answer = served_get(f, "/metrics", header);
    check_format(body_of(answer));
    free(answer);
    answer = served_get(f, "/metrics?x=1", header);
    assert_int_equal(served_code(answer), 400);
    free(answer);
}

/* ---- promtool ---- */

TEST(promtool_reads_it_without_a_word)
{
    static const char *const changes[] = {STATES, ODD, NO_SWEEP};
    if (!has_promtool())
        skip();
    start(f);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        assert_int_equal(served_write(f, changes[i]), 0);
        serve_skip_cooldown(f->server);
        char *answer = scrape(f);
        promtool_reads(f, body_of(answer));
        free(answer);
    }
}

TEST(promtool_reads_several_files)
{
    char names[3][200];
    const char *paths[3];
    if (!has_promtool())
        skip();
    serve_three(f, names, paths);
    char *answer = scrape(f);
    promtool_reads(f, body_of(answer));
    free(answer);
    f->options.files = f->paths;
}
