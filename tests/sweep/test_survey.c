/* Surveys: what is derived from the file of a task fills its points; a file is read once, and never
 * believed where it changes meanwhile. */
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
    text_add(facts, "{\"rows\":%d}", (int)l->rows);
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

static enum status fill(struct fixture *x)
{
    x->m.text[0] = '\0';
    enum status s =
        survey_find(&x->list, &x->point) ? STATUS_OK : survey_add(&x->list, &x->point, &x->m);
    if (s == STATUS_OK)
        assert_true(survey_fill(&x->list, &x->point));
    return s;
}

static void assert_filled(struct fixture *x, int rows, int64_t size)
{
    int64_t instance = x->lines->instance;
    if (fill(x))
        fail_msg("%s", x->m.text);
    assert_int_equal(x->lines->rows, rows);
    assert_int_equal(x->lines->size, size);
    assert_true(x->lines->majority == 1 / 3.0);
    assert_int_equal(strlen(x->lines->sha256), 64);
    assert_int_equal(x->lines->instance, instance);
    assert_ptr_equal(survey_find(&x->list, &x->point)->facts,
                     x->list.item[x->list.count - 1].facts);
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
        point_at(x, 8 + i, i % 2); /* what a file holds may depend on other options */
        assert_filled(x, 2, 8);
    }
    assert_int_equal(fake.surveys, 10);
    assert_int_equal(x->list.count, 10);
    const struct survey *s = x->list.item;
    assert_string_equal(s->path, x->path);
    assert_string_equal(s->options, "{\"length\":8}");
    assert_string_equal(s->facts, "{\"rows\":2}");
    assert_string_equal(s->sha256, x->lines->sha256);
    assert_int_equal(s->size, 8);
    assert_true(s->mtime_ns == 1000000000007);
}

/* What an earlier plan read is not read again, and belongs to the list only once it is used. */
TEST(test_known)
{
    assert_filled(x, 2, 8);
    struct survey_list later = {
        .arena = &x->arena, .known = x->list.item, .known_count = x->list.count};
    write_file(x->path, "one\ntwo\nthree\n");
    x->list = later;
    point_at(x, 8, 3);
    assert_null(survey_find(&x->list, &x->point));
    assert_filled(x, 2, 8);
    assert_int_equal(fake.surveys, 1);
    assert_int_equal(x->list.count, 1);
    point_at(x, 9, 0);
    assert_filled(x, 3, 14);
    assert_int_equal(fake.surveys, 2);
}

static void assert_refused(struct fixture *x, enum status status, const char *part)
{
    assert_int_equal(fill(x), status);
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
    assert_int_not_equal(fill(x), STATUS_OK);
    assert_non_null(strstr(x->m.text, "a.txt"));
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
