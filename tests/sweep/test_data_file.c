/* Files of the user's own: what is remembered of them, and where they are found again. */
#include "store_help.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "sweep/store/data_file.h"

#define SHA_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* A file of the fixture's folder with these bytes, changed last at that second. */
static void write_file(const struct fixture *x, const char *name, const char *bytes, long mtime_s,
                       char path[400])
{
    struct timespec times[2] = {{mtime_s, 5}, {mtime_s, 5}};
    snprintf(path, 400, "%s/%s", x->folder, name);
    FILE *f = fopen(path, "w");
    assert_true(f && fputs(bytes, f) >= 0 && fclose(f) == 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A place at which a file was found, with the size and time it has. */
static void found_at(struct store *s, const char *path, const char *sha256, int64_t read_ns)
{
    char sql[800];
    struct stat st = {0};
    stat(path, &st);
    snprintf(sql, sizeof sql,
             "INSERT INTO data_file VALUES ('%s', '{}', '%s', %lld, %lld, '{}', %lld)", path,
             sha256, (long long)st.st_size, (long long)file_mtime_ns(&st), (long long)read_ns);
    run_sql(store_db(s), sql);
}

static void assert_place(struct fixture *x, struct store *s, const char *path, int64_t mtime_ns)
{
    struct data_place place;
    assert_ok(store_data_place(s, SHA_A, &place, &x->m));
    assert_string_equal(place.path, path);
    assert_int_equal(place.mtime_ns, mtime_ns);
}

/* The newest place that looks as it did; then one that has a file of that size. */
static void a_file_is_found_where_it_lies(void **state)
{
    struct fixture *x = *state;
    struct store *s = open_store(x, STORE_WRITE);
    char first[400], second[400], other[400];
    struct data_place place;
    write_file(x, "first.txt", "some bytes", 1000, first);
    write_file(x, "second.txt", "some bytes", 2000, second);
    write_file(x, "other.txt", "other bytes", 2000, other);
    found_at(s, first, SHA_A, 1);
    found_at(s, second, SHA_A, 2);
    found_at(s, other, SHA_B, 3);
    assert_place(x, s, second, 2000000000005);
    write_file(x, "second.txt", "some bytes", 3000, second); /* touched, or changed */
    assert_place(x, s, first, 1000000000005);
    write_file(x, "first.txt", "no more", 1000, first);
    assert_place(x, s, second, 2000000000005); /* the time it had: whoever opens it will look */
    assert_int_equal(unlink(second), 0);
    assert_status(STATUS_BAD_INPUT, store_data_place(s, SHA_A, &place, &x->m));
    assert_non_null(strstr(x->m.text, second));
    assert_non_null(strstr(x->m.text, "--set task.file="));
    assert_int_equal(unlink(first), 0);
    assert_int_equal(mkfifo(first, 0600), 0);
    assert_status(STATUS_BAD_INPUT, store_data_place(s, SHA_A, &place, &x->m));
    close_store(x, s);
}

static void what_is_not_known_or_not_needed(void **state)
{
    struct fixture *x = *state;
    struct store *s = open_store(x, STORE_WRITE);
    struct data_place place;
    assert_ok(store_data_place(s, "", &place, &x->m));
    assert_string_equal(place.path, "");
    assert_status(STATUS_BAD_INPUT, store_data_place(s, SHA_A, &place, &x->m));
    assert_non_null(strstr(x->m.text, "nothing is known of the file with SHA-256 " SHA_A));
    close_store(x, s);
}

/* A configuration says which file by its identity. */
static void the_file_of_a_configuration(void **state)
{
    struct fixture *x = *state;
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    struct claimed toy = claim(x, r.s, r.sweep, r.build), learnt = claim(x, r.s, r.sweep, r.build);
    struct data_place place;
    char path[400], sql[400];
    write_file(x, "a.txt", "some bytes", 1000, path);
    found_at(r.s, path, SHA_A, 1);
    snprintf(sql, sizeof sql,
             "UPDATE config SET config_json = json_set(config_json,"
             " '$.task.options.sha256', '" SHA_A "') WHERE config_sha256 = '%s'",
             learnt.config_sha256);
    run_sql(r.db, sql);
    assert_ok(store_config_data(r.s, toy.config_sha256, &place, &x->m));
    assert_string_equal(place.path, "");
    assert_ok(store_config_data(r.s, learnt.config_sha256, &place, &x->m));
    assert_string_equal(place.path, path);
    close_store(x, r.s);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_found_where_it_lies),
        TEST(what_is_not_known_or_not_needed),
        TEST(the_file_of_a_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
