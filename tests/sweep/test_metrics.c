/* What a monitor reads at /metrics, in Prometheus' format: its numbers, and that nothing hostile in
 * a results file breaks it. Where promtool (of Prometheus) is there, it reads the same texts. */
#include <fcntl.h>

#include "tests/sweep/golden_help.h"
#include "tests/sweep/serve_help.h"

/* Not one word, where it is there. */
static void promtool_reads(const struct served *f, const char *body)
{
    char name[200], command[1000];
    if (system("command -v promtool >/dev/null 2>&1") != 0)
        return;
    snprintf(name, sizeof name, "%s/metrics.txt", f->folder);
    FILE *out = fopen(name, "we");
    assert_non_null(out);
    fputs(body, out);
    assert_int_equal(fclose(out), 0);
    snprintf(command, sizeof command,
             "said=$(promtool check metrics <'%s' 2>&1) && [ ! \"$said\" ]", name);
    assert_int_equal(system(command), 0);
}

/* The body of the answer, which is the caller's to free. */
static char *scrape(const struct served *f)
{
    char *answer = served_get(f, "/metrics", ""), *body = strdup(served_body(answer));
    assert_int_equal(served_code(answer), 200);
    assert_non_null(
        strstr(answer, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    assert_null(strstr(body, "headcount serve-"));
    promtool_reads(f, body);
    free(answer);
    return body;
}

static void change_and_start(struct served *f, const char *sql)
{
    assert_int_equal(served_write(f, sql), 0);
    assert_int_equal(served_start(f), 0);
}

FIXTURE(served_set_up, served_tear_down)

/* A second trial that diverged, three at work, one of them half done. */
TEST(numbers_are_those_of_the_file)
{
    change_and_start(f, "UPDATE trial SET state = 'diverged', bad_step = 3 WHERE trial_id = 2;"
                        "UPDATE trial SET state = 'running' WHERE trial_id IN (3, 4);"
                        "UPDATE trial SET state = 'queued', resume_step = 20 WHERE trial_id = 5;");
    assert_file("metrics.txt", scrape(f));
}

/* No such name comes from a sweep file; a hand, or a foreign file, can have it. */
TEST(odd_names_are_escaped)
{
    change_and_start(f, "UPDATE sweep SET name = 'a \"b\" \\' || char(10) || 'headcount_trials 1'"
                        " || char(10, 9, 955) || char(13) || CAST(x'ff' AS TEXT) || '}';");
    assert_file("metrics-odd.txt", scrape(f));
}

TEST(a_file_without_sweeps)
{
    change_and_start(f, "DELETE FROM curve; DELETE FROM trial; DELETE FROM sweep;");
    assert_file("metrics-none.txt", scrape(f));
}

/* f's file and one of the same name in a folder below, and a third with a name of its own, are told
 * from each other; those that go hide no other. */
TEST(several_files)
{
    char names[2][200], command[900], *body;
    const char *paths[3] = {f->path, names[0], names[1]};
    snprintf(names[0], sizeof names[0], "%s/below/p q.db", f->folder);
    snprintf(names[1], sizeof names[1], "%s/z\"z.db", f->folder);
    snprintf(command, sizeof command, "mkdir '%s/below' && cp '%s' '%s' && cp '%s' '%s'", f->folder,
             f->path, names[0], f->path, names[1]);
    assert_int_equal(system(command), 0);
    f->options.files = paths;
    f->options.count = 3;
    assert_int_equal(served_start(f), 0);
    assert_file("metrics-several.txt", scrape(f));
    assert_int_equal(unlink(names[0]), 0);
    int fd = open(names[1], O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_int_equal(write(fd, "no results file", 15), 15);
    close(fd);
    while (strstr(body = scrape(f), "{file=\"1/") || strstr(body, "{file=\"z")) {
        free(body); /* files are looked at four times a second */
        usleep(20000);
    }
    assert_file("metrics-gone.txt", body);
    f->options.files = f->paths;
}
