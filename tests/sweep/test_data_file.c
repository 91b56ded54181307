/* Files of the user's own: what is remembered of them, and where they are found again. One that
 * changed or looks as it did: cli/test_text.sh. */
#include "store_troubles.h"

#include "engine/base/file.h"
#include "sweep/trials/data_file.h"

#include "tests/test.h"

#define SHA_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* A file of the fixture's folder with these bytes, changed last at that second. */
static void write_file(const struct fixture *x, const char *name, const char *bytes, long mtime_s,
                       char path[400])
{
    struct timespec times[2] = {{mtime_s, 5}, {mtime_s, 5}};
    snprintf(path, 400, "%s/%s", x->folder, name);
    FILE *f = fopen(path, "w");
    assert_each(f, fputs(bytes, f) >= 0, fclose(f) == 0);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static const int64_t LATER = INT64_MAX - 10; /* than any change of a file here */

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

static void assert_place(struct fixture *x, struct store *s, const char *path)
{
    struct data_place place;
    assert_ok(store_data_place(s, SHA_A, &place, &x->m));
    assert_string_equal(place.path, path);
}

FIXTURE(set_up, tear_down)

/* The newest place that looks as it did; then one that has a file of that size. */
TEST(a_file_is_found_where_it_lies)
{
    struct store *s = open_store(x, STORE_WRITE);
    char first[400], second[400], other[400];
    struct data_place place;
    write_file(x, "first.txt", "some bytes", 1000, first);
    write_file(x, "second.txt", "some bytes", 2000, second);
    write_file(x, "other.txt", "other bytes", 2000, other);
    found_at(s, first, SHA_A, LATER + 1);
    found_at(s, second, SHA_A, LATER + 2);
    found_at(s, other, SHA_B, LATER + 3);
    assert_place(x, s, second);
    write_file(x, "second.txt", "some bytes", 3000, second); /* touched, or changed */
    assert_place(x, s, first);
    write_file(x, "first.txt", "no more", 1000, first);
    assert_place(x, s, second);
    assert_int_equal(unlink(second), 0);
    assert_status(STATUS_BAD_INPUT, store_data_place(s, SHA_A, &place, &x->m));
    assert_non_null(strstr(x->m.text, second));
    assert_non_null(strstr(x->m.text, "is missing, but trials learnt from it: put the old file"));
    assert_non_null(strstr(x->m.text, "--set task.file="));
    write_file(x, "second.txt", "more than some bytes", 2000, second);
    assert_status(STATUS_BAD_INPUT, store_data_place(s, SHA_A, &place, &x->m));
    assert_non_null(
        strstr(x->m.text, "second.txt changed since trials learnt from it: put the old"));
    assert_int_equal(unlink(first), 0);
    assert_int_equal(mkfifo(first, 0600), 0);
    assert_status(STATUS_BAD_INPUT, store_data_place(s, SHA_A, &place, &x->m));
}

/* Size and time can both be set; then a place that looks as it did comes before. */
TEST(a_file_whose_time_was_set_comes_last)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct stat st;
    char set[400], as_it_was[400];
    write_file(x, "set.txt", "some bytes", 1000, set);
    write_file(x, "as_it_was.txt", "some bytes", 1000, as_it_was);
    assert_int_equal(stat(set, &st), 0);
    found_at(s, set, SHA_A, file_ctime_ns(&st));
    assert_place(x, s, set);
    found_at(s, as_it_was, SHA_A, LATER);
    run_sql(store_db(s), "UPDATE data_file SET read_ns = read_ns - 1 WHERE path LIKE '%set.txt'");
    assert_place(x, s, as_it_was);
}

TEST(what_is_not_known_or_not_needed)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct data_place place;
    assert_ok(store_data_place(s, "", &place, &x->m));
    assert_string_equal(place.path, "");
    assert_status(STATUS_BAD_INPUT, store_data_place(s, SHA_A, &place, &x->m));
    assert_non_null(strstr(x->m.text, "learnt from the file with SHA-256 " SHA_A));
}

/* A configuration says which file by its identity. */
TEST(the_file_of_a_configuration)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    struct claimed toy = claim(x, r.s, r.sweep, r.build), learnt = claim(x, r.s, r.sweep, r.build);
    struct data_place place;
    char path[400], sql[400];
    write_file(x, "a.txt", "some bytes", 1000, path);
    found_at(r.s, path, SHA_A, LATER + 1);
    snprintf(sql, sizeof sql,
             "UPDATE config SET config_json = json_set(config_json,"
             " '$.task.options.sha256', '" SHA_A "') WHERE config_sha256 = '%s'",
             learnt.config_sha256);
    run_sql(r.db, sql);
    assert_ok(store_config_data(r.s, toy.config_sha256, &place, &x->m));
    assert_string_equal(place.path, "");
    assert_ok(store_config_data(r.s, learnt.config_sha256, &place, &x->m));
    assert_string_equal(place.path, path);
}

/* ---- planning ---- */

enum { TEXT_BYTES = 2000 };

/* A text of the fixture's folder, all of this letter but for its line ends. */
static void write_text(const struct fixture *x, const char *name, char letter, long mtime_s,
                       char path[400])
{
    char bytes[TEXT_BYTES + 1] = "";
    for (int i = 0; i < TEXT_BYTES; i++)
        bytes[i] = i % 40 == 39 ? '\n' : letter;
    write_file(x, name, bytes, mtime_s, path);
}

/* A sweep over texts: `files` in flow syntax. */
static const char *over(const char *name, const char *files)
{
    static char yaml[1600];
    snprintf(yaml, sizeof yaml,
             "name: %s\ntask: {name: text, mode: lm, length: 16, file: %s}\n"
             "model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8, mask: causal}\n"
             "train: {steps: 100, batch: 2, lr: 1e-3, eval_every: 50}\nseeds: 1\n",
             name, files);
    return yaml;
}

static enum status plan_over(struct fixture *x, struct store *s, const char *yaml, bool replace)
{
    struct plan_changes changes;
    struct planned p = plan_of(x, yaml);
    enum status status = store_plan(s, p.plan, replace, &changes, &x->m);
    free_plan(x, p);
    return status;
}

static void forget_racing(struct store *s)
{
    run_sql(store_db(s), "UPDATE data_file SET read_ns = mtime_ns + 2000000000");
}

/* Of each path and its options the newest, and none whose time may lie. */
TEST(only_what_can_be_trusted_is_known)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct survey *known;
    int count;
    run_sql(store_db(s),
            "INSERT INTO data_file (path, options, sha256, size, mtime_ns, facts, read_ns) VALUES"
            " ('/a', '{}', '" SHA_A "', 1, 0, '{}', 5000000000),"
            " ('/a', '{}', '" SHA_B "', 2, 0, '{\"x\":1}', 6000000000),"
            " ('/a', '{\"length\":2}', '" SHA_A "', 1, 0, '{}', 5000000000),"
            " ('/racy', '{}', '" SHA_A "', 1, 3000000001, '{}', 5000000000),"
            " ('/from the future', '{}', '" SHA_A "', 1, 9000000000, '{}', 5000000000),"
            " ('/just not', '{}', '" SHA_A "', 1, 3000000000, '{}', 5000000000)");
    assert_ok(store_surveys(s, &known, &count, &x->m));
    assert_int_equal(count, 3);
    assert_string_equal(known[0].options, "{\"length\":2}");
    assert_string_equal(known[1].path, "/a");
    assert_string_equal(known[1].sha256, SHA_B);
    assert_string_equal(known[1].facts, "{\"x\":1}");
    assert_int_equal(known[1].size, 2);
    assert_string_equal(known[2].path, "/just not");
    store_surveys_free(known, count);
}

/* The first trial of a sweep over these files has begun. */
static struct run begun_over(struct fixture *x, const char *files)
{
    struct run r = start(x, over("first", files));
    claim(x, r.s, r.sweep, r.build);
    return r;
}

static void assert_refused(struct fixture *x, struct store *s, const char *files, const char *path)
{
    char before[4096];
    static const char all[] = "SELECT (SELECT group_concat(path || sha256) FROM data_file) ||"
                              " (SELECT group_concat(config_id || in_plan) FROM trial) ||"
                              " (SELECT group_concat(last_run || yaml) FROM sweep)";
    snprintf(before, sizeof before, "%s", ask(store_db(s), all));
    assert_status(STATUS_BAD_INPUT, plan_over(x, s, over("first", files), false));
    if (!strstr(x->m.text, "changed since sweep \"first\" was planned (1 of its trials learnt") ||
        !strstr(x->m.text, path))
        fail_msg("%s", x->m.text);
    assert_answer(store_db(s), all, before);
}

/* One of two, where the points over the other one are still there. */
TEST(one_file_of_several_changed)
{
    char a[400], b[400], files[900];
    write_text(x, "a.txt", 'a', 1000, a);
    write_text(x, "b.txt", 'b', 1000, b);
    snprintf(files, sizeof files, "[\"%s\", \"%s\"]", a, b);
    struct run r = begun_over(x, files);
    write_text(x, "b.txt", 'c', 2000, b);
    assert_ok(plan_over(x, r.s, over("first", files), false)); /* no trial has learnt from it */
    for (int i = 0; i < 3; i++)
        claim(x, r.s, r.sweep, r.build);
    run_sql(r.db, "UPDATE trial SET attempt = 0 WHERE config_id = 1");
    write_text(x, "a.txt", 'd', 3000, a);
    assert_refused(x, r.s, files, a);
    close_store(x, r.s);
}

/* The same bytes at another place are the same file; other bytes at another place another. */
TEST(a_file_that_moved_has_not_changed)
{
    char a[400], b[400];
    struct data_place place;
    write_text(x, "a.txt", 'a', 1000, a);
    struct run r = begun_over(x, a);
    write_text(x, "b.txt", 'a', 2000, b);
    assert_int_equal(unlink(a), 0);
    assert_ok(plan_over(x, r.s, over("first", b), false));
    assert_answer(r.db, "SELECT count(*) FROM trial", "2");
    char sha256[65];
    snprintf(sha256, sizeof sha256, "%s", ask(r.db, "SELECT DISTINCT data_sha256 FROM config"));
    assert_ok(store_data_place(r.s, sha256, &place, &x->m));
    assert_string_equal(place.path, b);
    write_text(x, "c.txt", 'c', 2000, a);
    assert_status(STATUS_BAD_INPUT, plan_over(x, r.s, over("first", a), false));
    assert_non_null(
        strstr(x->m.text, "already holds a different sweep \"first\" (no points in common)"));
    close_store(x, r.s);
}

/* With the last sweep over a file goes what was known of it. */
TEST(what_nothing_learns_from_is_forgotten)
{
    char a[400], b[400];
    write_text(x, "a.txt", 'a', 1000, a);
    write_text(x, "b.txt", 'b', 1000, b);
    struct run r = begun_over(x, a);
    plan_into(x, r.s, over("second", a));
    plan_into(x, r.s, over("third", b));
    assert_ok(store_delete(r.s, r.sweep, &x->m));
    assert_answer(r.db, "SELECT count(*) FROM data_file", "2");
    assert_ok(store_delete(r.s, 2, &x->m));
    assert_answer(r.db, "SELECT path FROM data_file", b);
    close_store(x, r.s);
}

/* ---- trouble ---- */

static char *all_rows(struct store *s)
{
    return strdup(ask(store_db(s), "SELECT group_concat(path || read_ns || sha256)"
                                   " || (SELECT count(*) FROM trial) FROM data_file"));
}

/* All of a plan with its files, or nothing of it; what is read is whole or not there. */
TEST(trouble_changes_nothing)
{
    char path[400];
    int met = 0;
    stand_between(true);
    write_text(x, "a.txt", 'a', 1000, path);
    struct run r = begun_over(x, path);
    forget_racing(r.s);
    struct planned p = plan_of(x, over("second", path));
    for (enum trouble kind = REFUSED; kind < TROUBLES; kind++) {
        bool fired = true;
        char *before = all_rows(r.s);
        for (long n = 1; fired; n += 1 + n / 10) {
            struct plan_changes changes;
            struct survey *known;
            struct data_place place;
            int count;
            assert_ok(store_begin(r.s, &x->m));
            arm(kind, n);
            enum status status = store_surveys(r.s, &known, &count, &x->m);
            assert_true((known != NULL) == (status == STATUS_OK));
            store_surveys_free(known, count);
            if (status == STATUS_OK)
                status = store_plan(r.s, p.plan, false, &changes, &x->m);
            if (status == STATUS_OK)
                status = store_data_changed(r.s, p.plan, &x->m);
            if (status == STATUS_OK)
                status = store_config_data(r.s, "none", &place, &x->m);
            fired = disarm();
            met += fired && status != STATUS_OK;
            if (status != STATUS_OK && (!fired || status == STATUS_BAD_INPUT))
                fail_msg("trouble %d at %ld: status %d: %s", (int)kind, n, (int)status, x->m.text);
            store_rollback(r.s);
        }
        char *after = all_rows(r.s);
        assert_string_equal(before, after);
        free(before);
        free(after);
    }
    stand_between(false);
    assert_true(met > 40);
    free_plan(x, p);
    close_store(x, r.s);
}
