/* Sweeps over files of the user's own, where tests/sweep_files/files.case cannot say it: where a
 * path starts, files that are known, long paths, and memory that runs out. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/sweep/config_help.h"
#include "tests/unit/faults.h"

#define LM "model: {mask: causal, d_model: 8}\ntrain: {val_examples: 8}\n"

struct fixture {
    char folder[64], sweep[80];
    char here[512]; /* the working directory before */
    struct config *config;
    struct plan *plan;
    struct message m;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *x

/* A text of that many bytes, other ones for another letter. */
static void write_text(const struct fixture *x, const char *name, char letter, int bytes)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", x->folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < bytes; i++)
        fputc(i % 7 ? letter : ' ', f);
    fclose(f);
}

/* <folder>/sub/s.yaml beside a.txt, and other texts above it, where the tests stand. */
static int setup(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    char sub[80];
    assert_non_null(getcwd(x->here, sizeof x->here));
    snprintf(x->folder, sizeof x->folder, "/tmp/headcount-files-XXXXXX");
    assert_non_null(mkdtemp(x->folder));
    snprintf(sub, sizeof sub, "%s/sub", x->folder);
    snprintf(x->sweep, sizeof x->sweep, "sub/s.yaml");
    assert_int_equal(mkdir(sub, 0700), 0);
    write_text(x, "sub/a.txt", 'a', 2000);
    write_text(x, "a.txt", 'b', 2000);
    assert_int_equal(chdir(x->folder), 0);
    *state = x;
    return 0;
}

static void end_plan(struct fixture *x)
{
    plan_free(x->plan);
    config_free(x->config);
    x->plan = NULL;
    x->config = NULL;
}

static int teardown(void **state)
{
    struct fixture *x = *state;
    static const char *const files[] = {"sub/a.txt", "a.txt"};
    end_plan(x);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    rmdir("sub");
    assert_int_equal(chdir(x->here), 0);
    rmdir(x->folder);
    free(x);
    return 0;
}

static enum status try_plan(struct fixture *x, const char *yaml, const char *set)
{
    end_plan(x);
    enum status s =
        config_parse(x->sweep, yaml, strlen(yaml), &set, set ? 1 : 0, &x->config, &x->m);
    return s ? s : plan_new(x->config, NULL, 0, &x->plan, &x->m);
}

static void plan_it(struct fixture *x, const char *yaml, const char *set)
{
    if (try_plan(x, yaml, set))
        fail_msg("%s", x->m.text);
}

static void assert_refused_at(struct fixture *x, const char *yaml, const char *set,
                              const char *begin, const char *part)
{
    assert_int_equal(try_plan(x, yaml, set), STATUS_BAD_INPUT);
    if (strncmp(x->m.text, begin, strlen(begin)) != 0 || !strstr(x->m.text, part))
        fail_msg("%s", x->m.text);
}

static const char *option(struct point *p, const char *name)
{
    static char text[OPTION_TEXT_MAX];
    option_format(option_find(p->task->options, name), p->task_options, text, sizeof text);
    return text;
}

static void assert_file(struct fixture *x, const char *name)
{
    struct point p;
    char path[200];
    plan_point(x->plan, 0, &p);
    snprintf(path, sizeof path, "\"%s/%s\"", x->folder, name);
    assert_string_equal(option(&p, "file"), path);
}

FIXTURE(setup, teardown)

TEST(test_path_starts)
{
    char set[128];
    plan_it(x, "task: {name: text, file: a.txt, length: 8}\n" LM, NULL);
    assert_file(x, "sub/a.txt");
    plan_it(x, "task: {name: text, file: ./../a.txt, length: 8}\n" LM, NULL);
    assert_file(x, "sub/../a.txt");
    plan_it(x, "task: {name: text, file: a.txt, length: 8}\n" LM, "task.file=a.txt");
    assert_file(x, "a.txt");
    snprintf(set, sizeof set, "task.file=%s/sub/a.txt", x->folder);
    plan_it(x, "task: {name: text, file: a.txt, length: 8}\n" LM, set);
    assert_file(x, "sub/a.txt");
    assert_int_equal(chdir("sub"), 0);
    snprintf(x->sweep, sizeof x->sweep, "s.yaml");
    plan_it(x, "task: {name: text, file: a.txt, length: 8}\n" LM, NULL);
    assert_file(x, "sub/a.txt");
    snprintf(x->sweep, sizeof x->sweep, "%s/s.yaml", x->folder);
    plan_it(x, "task: {name: text, file: a.txt, length: 8}\n" LM, NULL);
    assert_file(x, "a.txt");
    assert_int_equal(chdir(".."), 0);
}

/* Files that the results file knows are not read again. */
TEST(test_known)
{
    static const char yaml[] = "task: {name: text, file: a.txt, length: 8}\n" LM;
    char json[POINT_JSON_MAX], other[POINT_JSON_MAX], sha256[65];
    int count;
    plan_it(x, yaml, NULL);
    plan_identity(x->plan, 0, json, sha256);
    struct survey known = *plan_surveys(x->plan, &count);
    struct plan *again;
    assert_int_equal(plan_new(x->config, &known, 1, &again, &x->m), STATUS_OK);
    plan_identity(again, 0, other, sha256);
    assert_string_equal(other, json);
    plan_free(again);
    memset(known.sha256, '0', 64);
    assert_int_equal(plan_new(x->config, &known, 1, &again, &x->m), STATUS_OK);
    plan_identity(again, 0, other, sha256);
    assert_non_null(strstr(other, known.sha256));
    assert_string_equal(plan_surveys(again, &count)->sha256, known.sha256);
    plan_free(again);
}

/* A folder of any depth leads to a path that still fits, or to a refusal. */
TEST(test_long_path)
{
    char set[OPTION_STRING_MAX + 64] = "task.file=";
    size_t first = strlen(set);
    memset(set + first, 'd', OPTION_STRING_MAX);
    set[first + OPTION_STRING_MAX] = '\0';
    assert_refused_at(x, "task: {name: text, file: a.txt}\n" LM, set,
                      "--set task.file: the absolute path of ddd", "longer than 1024 bytes");
    set[first + OPTION_STRING_MAX] = 'd';
    set[first + OPTION_STRING_MAX + 1] = '\0';
    assert_refused_at(x, "task: {name: text, file: a.txt}\n" LM, set,
                      "--set task.file: task.file is ddd", "which is too long");
}

/* Each allocation fails once, with the file to be read (known 0) and without. */
static void run_out_of_memory(struct fixture *x, const struct survey *known, int count)
{
    bool fired = true;
    for (int nth = 1; fired; nth++) {
        struct plan *p;
        fault_arm(FAULT_MALLOC, nth, ENOMEM);
        enum status s = plan_new(x->config, known, count, &p, &x->m);
        fired = fault_disarm() != 0;
        assert_int_equal(s, fired ? STATUS_NO_MEMORY : STATUS_OK);
        assert_true(!s || *x->m.text);
        plan_free(p);
        assert_true(nth < 10000);
    }
}

TEST(test_no_memory)
{
#if FAULTS_IN_MALLOC
    int count;
    plan_it(x, "task: {name: text, file: [a.txt, ../a.txt], length: [8, 9, 10]}\n" LM, NULL);
    const struct survey *known = plan_surveys(x->plan, &count);
    assert_int_equal(count, 6);
    run_out_of_memory(x, NULL, 0);
    run_out_of_memory(x, known, count);
#else
    (void)x, (void)run_out_of_memory;
    skip();
#endif
}
