/* Surveys: what is derived from the file of a task fills its points; a file is read once, again
 * where it looks otherwise, and never believed where it changes meanwhile. */
#include "sweep/plan/survey.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "engine/base/text.h"

#include "tests/test.h"

/* A task over a file that counts its lines. */
struct lines {
    int64_t length, instance;
    char file[OPTION_STRING_MAX + 1];
    char sha256[65];
    int64_t size, rows;
    double majority;
};

#define AT(member) offsetof(struct lines, member)
static const struct option_entry options[] = {
    {"length", OPTION_INT, AT(length), 1, 4096, .default_value = "8"},
    {"instance", OPTION_INT, AT(instance), 0, 9, .default_value = "0"},
    {"file", OPTION_STRING, AT(file), 1, OPTION_STRING_MAX, .local = true},
    {"sha256", OPTION_STRING, AT(sha256), 0, 64, .derived = true},
    {"size", OPTION_INT, AT(size), 0, 0x1p53, .derived = true},
    {"rows", OPTION_INT, AT(rows), 0, 0x1p53, .derived = true},
    {"majority", OPTION_REAL, AT(majority), 0, 1, .derived = true},
    {0}};

static struct {
    int surveys;
    bool says_less;
    void (*meanwhile)(const char *path); /* while the file is read */
} fake;

static enum status survey(void *values, struct text_buffer *facts, struct message *m)
{
    struct lines *l = values;
    void *bytes;
    size_t size;
    enum status s = file_read(l->file, 1 << 20, &bytes, &size, m);
    if (s)
        return s;
    fake.surveys++;
    if (fake.meanwhile)
        fake.meanwhile(l->file);
    sha256_hex(bytes, size, l->sha256);
    l->size = (int64_t)size;
    l->rows = 0;
    for (size_t i = 0; i < size; i++)
        l->rows += ((const char *)bytes)[i] == '\n';
    l->majority = 1 / 3.0;
    free(bytes);
    text_add(facts, "{\"rows\":%d", (int)l->rows);
    text_add(facts, fake.says_less ? "}" : ",\"majority\":0.3333333333333333}");
    return STATUS_OK;
}

static const struct task_file file_functions = {.survey = survey};
static const struct task task_lines = {.name = "lines",
                                       .version = 1,
                                       .options = options,
                                       .options_size = sizeof(struct lines),
                                       .file = &file_functions};

struct fixture {
    char folder[64], path[128];
    struct arena arena;
    struct survey_list list;
    struct point point;
    struct lines *lines; /* of the point */
    struct message m;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *x

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* As if it had been written so many seconds after 1970. */
static void set_time(const char *path, long seconds)
{
    struct timespec times[2] = {{seconds, 7}, {seconds, 7}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void point_at(struct fixture *x, int64_t length, int64_t instance)
{
    point_init(&x->point, &task_lines);
    x->lines->length = length;
    x->lines->instance = instance;
    snprintf(x->lines->file, sizeof x->lines->file, "%s", x->path);
}

static int setup(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    memset(&fake, 0, sizeof fake);
    snprintf(x->folder, sizeof x->folder, "/tmp/headcount-survey-XXXXXX");
    assert_non_null(mkdtemp(x->folder));
    snprintf(x->path, sizeof x->path, "%s/a.txt", x->folder);
    write_file(x->path, "one\ntwo\n");
    set_time(x->path, 1000);
    arena_init(&x->arena, NULL);
    x->list.arena = &x->arena;
    x->lines = (void *)x->point.task_options;
    point_at(x, 8, 0);
    *state = x;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *x = *state;
    unlink(x->path);
    rmdir(x->folder);
    arena_free(&x->arena);
    free(x);
    return 0;
}

static void assert_filled(struct fixture *x, int rows, int64_t size)
{
    x->m.text[0] = '\0';
    if (survey_point(&x->list, &x->point, &x->m))
        fail_msg("%s", x->m.text);
    assert_int_equal(x->lines->rows, rows);
    assert_int_equal(x->lines->size, size);
    assert_true(x->lines->majority == 1 / 3.0);
    assert_int_equal(strlen(x->lines->sha256), 64);
}

FIXTURE(setup, teardown)

TEST(test_reads_once)
{
    assert_filled(x, 2, 8);
    point_at(x, 8, 0);
    assert_filled(x, 2, 8);
    point_at(x, 8, 5); /* another instance divides the same file */
    assert_filled(x, 2, 8);
    assert_int_equal(fake.surveys, 1);
    for (int i = 1; i < 10; i++) {
        point_at(x, 8 + i, 0); /* what a file holds may depend on other options */
        assert_filled(x, 2, 8);
    }
    assert_int_equal(fake.surveys, 10);
    assert_int_equal(x->list.count, 10);
    const struct survey *s = x->list.item;
    assert_string_equal(s->path, x->path);
    assert_string_equal(s->options, "{\"length\":8}");
    assert_string_equal(s->facts, "{\"rows\":2,\"majority\":0.3333333333333333}");
    assert_string_equal(s->sha256, x->lines->sha256);
    assert_int_equal(s->size, 8);
    assert_true(s->mtime_ns == 1000000000007);
}

/* Known surveys come from a results file, where rows of any kind may stand. */
TEST(test_known)
{
    char options_text[] = "{\"length\":8}",
         facts[] = "{\"majority\":0.3333333333333333,\"rows\":77}";
    struct survey known = {.path = x->path,
                           .options = options_text,
                           .facts = facts,
                           .size = 8,
                           .mtime_ns = 1000000000007,
                           .read_ns = INT64_MAX};
    memset(known.sha256, 'a', 64);
    x->list.known = &known;
    x->list.known_count = 1;
    assert_filled(x, 77, 8);
    assert_int_equal(fake.surveys, 0);
    assert_int_equal(x->list.count, 1);
    assert_string_equal(x->list.item[0].sha256, known.sha256);
    point_at(x, 9, 0);
    x->list.count = 0;
    assert_filled(x, 2, 8);
    assert_int_equal(fake.surveys, 1);
}

static int64_t file_changed_ns(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return file_ctime_ns(&st);
}

static void assert_not_believed(struct fixture *x, const struct survey *known)
{
    point_at(x, 8, 0);
    x->list.known = known;
    x->list.known_count = 1;
    x->list.count = fake.surveys = 0;
    assert_filled(x, 2, 8);
    assert_int_equal(fake.surveys, 1);
}

TEST(test_known_otherwise)
{
    char options_text[] = "{\"length\":8}", facts[] = "{\"majority\":0.3,\"rows\":77}";
    char less[] = "{\"rows\":77}", broken[] = "{\"rows\":77",
         bad[] = "{\"majority\":2,\"rows\":77}";
    char other[] = "/elsewhere/a.txt";
    const struct survey known = {.path = x->path,
                                 .options = options_text,
                                 .facts = facts,
                                 .size = 8,
                                 .mtime_ns = 1000000000007,
                                 .read_ns = INT64_MAX};
    struct survey k = known;
    k.size = 9;
    assert_not_believed(x, &k);
    k = known;
    k.mtime_ns++;
    assert_not_believed(x, &k);
    k = known;
    k.read_ns = file_changed_ns(x->path); /* since then, and its time was set back */
    assert_not_believed(x, &k);
    k = known;
    k.path = other;
    assert_not_believed(x, &k);
    char *const faults[] = {less, broken, bad};
    for (int i = 0; i < 3; i++) {
        k = known;
        k.facts = faults[i];
        memset(k.sha256, 'a', 64);
        assert_not_believed(x, &k);
    }
}

static void assert_refused(struct fixture *x, enum status status, const char *part)
{
    assert_int_equal(survey_point(&x->list, &x->point, &x->m), status);
    if (!strstr(x->m.text, part))
        fail_msg("%s", x->m.text);
}

static void grow(const char *path)
{
    write_file(path, "one\ntwo\nthree\n");
}

static void touch(const char *path)
{
    set_time(path, 2000);
}

static void vanish(const char *path)
{
    unlink(path);
}

TEST(test_changes_while_read)
{
    void (*const change[])(const char *) = {grow, touch, vanish};
    for (int i = 0; i < 3; i++) {
        write_file(x->path, "one\ntwo\n");
        set_time(x->path, 1000);
        fake.meanwhile = change[i];
        assert_refused(x, STATUS_BAD_INPUT, "changed while it was read; wait until it is complete");
        assert_int_equal(x->list.count, 0);
    }
}

TEST(test_missing)
{
    unlink(x->path);
    assert_int_not_equal(survey_point(&x->list, &x->point, &x->m), STATUS_OK);
    assert_non_null(strstr(x->m.text, "a.txt"));
}

TEST(test_facts_too_few)
{
    fake.says_less = true;
    assert_refused(x, STATUS_INTERNAL, "does not say all that its options hold");
}

static void assert_path(const char *folder, const char *given, const char *path)
{
    char out[OPTION_STRING_MAX + 1];
    struct message m;
    assert_int_equal(survey_path(folder, given, OPTION_STRING_MAX, out, &m), STATUS_OK);
    assert_string_equal(out, path);
}

TEST(test_paths)
{
    char here[512], expected[1024], out[64];
    assert_non_null(getcwd(here, sizeof here));
    assert_path("/data", "a.txt", "/data/a.txt");
    assert_path("/data/", "./b//a.txt", "/data/b/a.txt");
    assert_path("/", "../a.txt", "/../a.txt"); /* a link may lead there */
    assert_path("/data", "/a.txt", "/a.txt");
    assert_path(NULL, "/", "/");
    assert_path("/data", "...", "/data/...");
    snprintf(expected, sizeof expected, "%s/a.txt", here);
    assert_path(NULL, "a.txt", expected);
    assert_path(".", "a.txt", expected);
    snprintf(expected, sizeof expected, "%s/configs/a.txt", here);
    assert_path("configs/", "a.txt", expected);
    assert_int_equal(survey_path("/0123456789", "abcd", 16, out, &x->m), STATUS_OK);
    assert_string_equal(out, "/0123456789/abcd");
    assert_int_equal(survey_path("/0123456789", "abcde", 16, out, &x->m), STATUS_BAD_INPUT);
    assert_string_equal(x->m.text,
                        "the absolute path of abcde is longer than 16 bytes; move the file");
}
