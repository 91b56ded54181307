/* Files of the user's own: what is remembered of them, their copies, and where they are found
 * without one. Trials that learn from a copy whatever becomes of the file: cli/test_text.sh. */
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

/* A place at which a file was found, with the size that it has. */
static void found_at(struct store *s, const char *path, const char *sha256, int64_t read_ns)
{
    char sql[800];
    struct stat st = {0};
    stat(path, &st);
    snprintf(sql, sizeof sql,
             "INSERT INTO data_file VALUES ('%s', '{}', '%s', %lld, 0, '{}', %lld)", path, sha256,
             (long long)st.st_size, (long long)read_ns);
    run_sql(store_db(s), sql);
}

FIXTURE(set_up, tear_down)

static void assert_place(struct fixture *x, const struct run *r, const char *config,
                         const char *path, const char *name, bool copied)
{
    struct data_place place;
    assert_ok(store_config_data(r->s, config, &place, &x->m));
    assert_string_equal(place.path, path);
    assert_string_equal(place.name, name);
    assert_int_equal(place.copied, copied);
}

/* The copy; without one the newest place that has a file of that size. */
TEST(where_trials_find_their_file)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    struct claimed toy = claim(x, r.s, r.sweep, r.build), learnt = claim(x, r.s, r.sweep, r.build);
    const char *config = learnt.config_sha256;
    char first[400], second[400], copy[400], sql[400], *found;
    struct data_place place;
    assert_place(x, &r, toy.config_sha256, "", "", false);
    snprintf(sql, sizeof sql,
             "UPDATE config SET config_json = json_set(config_json,"
             " '$.task.options.sha256', '" SHA_A "') WHERE config_sha256 = '%s'",
             config);
    run_sql(r.db, sql);
    assert_status(STATUS_BAD_INPUT, store_config_data(r.s, config, &place, &x->m));
    assert_non_null(strstr(x->m.text, "learnt from the file with SHA-256 " SHA_A));
    write_file(x, "first.txt", "some bytes", 1000, first);
    write_file(x, "second.txt", "some bytes", 2000, second);
    found_at(r.s, first, SHA_A, 1);
    found_at(r.s, second, SHA_A, 2);
    assert_place(x, &r, config, second, second, false);
    assert_int_equal(unlink(second), 0);
    assert_place(x, &r, config, first, first, false);
    write_file(x, "first.txt", "no more", 1000, first);
    assert_status(STATUS_BAD_INPUT, store_config_data(r.s, config, &place, &x->m));
    assert_non_null(strstr(x->m.text, second));
    assert_non_null(strstr(x->m.text, "is missing, but trials learnt from it: put the old file"));
    write_file(x, "second.txt", "more than some bytes", 2000, second);
    assert_status(STATUS_BAD_INPUT, store_config_data(r.s, config, &place, &x->m));
    assert_non_null(
        strstr(x->m.text, "second.txt changed since trials learnt from it: put the old"));
    snprintf(sql, sizeof sql, "%.300s/data-" SHA_A, file_last_name(store_folder(r.s)));
    write_file(x, sql, "whatever", 1000, copy);
    found = realpath(copy, NULL);
    assert_place(x, &r, config, found, second, true);
    free(found);
    assert_int_equal(unlink(copy), 0);
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

/* As the store's own copy of a's only file. */
static void copy_of(struct store *s, char path[400])
{
    snprintf(path, 400, "%s/data-%s", store_folder(s),
             ask(store_db(s), "SELECT DISTINCT data_sha256 FROM config"));
}

/* It is whole, for nobody to change, and made once; nothing is planned without it. */
TEST(what_trials_learn_from_is_copied)
{
    char a[400], copy[400], temporary[480];
    struct stat st;
    write_text(x, "a.txt", 'a', 1000, a);
    assert_int_equal(chmod(a, 0640), 0);
    struct run r = begun_over(x, a);
    struct planned p = plan_of(x, over("first", a));
    copy_of(r.s, copy);
    fault_arm(FAULT_WRITEV, 1, ENOSPC);
    assert_status(STATUS_DISK_FULL, store_copy_data(r.s, p.plan, false, &x->m));
    assert_true(fault_disarm());
    assert_non_null(strstr(x->m.text, "no room for a copy of "));
    assert_non_null(
        strstr(x->m.text, "2.00 kB are missing; make room, or use `headcount run --no-"));
    assert_int_equal(access(copy, F_OK), -1);
    snprintf(temporary, sizeof temporary, "%s.headcount-00000000.tmp", copy);
    close(open(temporary, O_CREAT | O_WRONLY, 0400)); /* of a copy that was killed */
    assert_ok(store_copy_data(r.s, p.plan, false, &x->m));
    assert_int_equal(access(temporary, F_OK), -1);
    assert_int_equal(stat(copy, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0440);
    assert_int_equal(st.st_size, TEXT_BYTES);
    fault_arm(FAULT_WRITEV, 1, ENOSPC);
    assert_ok(store_copy_data(r.s, p.plan, false, &x->m)); /* not again */
    assert_false(fault_disarm());
    assert_int_equal(unlink(copy), 0);
    write_text(x, "a.txt", 'b', 1000, a);
    assert_status(STATUS_BAD_INPUT, store_copy_data(r.s, p.plan, false, &x->m));
    assert_non_null(strstr(x->m.text, "a.txt has changed since it was read, so nothing"));
    assert_int_equal(access(copy, F_OK), -1);
    free_plan(x, p);
    close_store(x, r.s);
}

/* What is refused needs no copy; the refusal names the old file's. */
TEST(a_refused_plan_copies_nothing)
{
    char a[400], copy[400];
    write_text(x, "a.txt", 'a', 1000, a);
    struct run r = begun_over(x, a);
    struct planned p = plan_of(x, over("first", a));
    assert_ok(store_copy_data(r.s, p.plan, false, &x->m));
    free_plan(x, p);
    copy_of(r.s, copy);
    write_text(x, "a.txt", 'b', 2000, a);
    p = plan_of(x, over("first", a));
    assert_status(STATUS_BAD_INPUT, store_copy_data(r.s, p.plan, false, &x->m));
    assert_non_null(strstr(x->m.text, "learnt from the old one, of which there is a copy: "));
    assert_non_null(strstr(x->m.text, copy));
    free_plan(x, p);
    close_store(x, r.s);
}

/* The same bytes at another place are the same file; other bytes at another place another. */
TEST(a_file_that_moved_has_not_changed)
{
    char a[400], b[400];
    write_text(x, "a.txt", 'a', 1000, a);
    struct run r = begun_over(x, a);
    write_text(x, "b.txt", 'a', 2000, b);
    assert_int_equal(unlink(a), 0);
    assert_ok(plan_over(x, r.s, over("first", b), false));
    assert_answer(r.db, "SELECT count(*) FROM trial", "2");
    char config[65];
    snprintf(config, sizeof config, "%s", ask(r.db, "SELECT max(config_sha256) FROM config"));
    assert_place(x, &r, config, b, b, false);
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
    struct planned p = plan_of(x, over("second", path));
    for (enum trouble kind = REFUSED; kind < TROUBLES; kind++) {
        bool fired = true;
        char *before = all_rows(r.s);
        for (long n = 1; fired; n += 1 + n / 10) {
            struct plan_changes changes;
            struct data_place place;
            assert_ok(store_begin(r.s, &x->m));
            arm(kind, n);
            enum status status = store_plan(r.s, p.plan, false, &changes, &x->m);
            if (status == STATUS_OK)
                status = store_data_changed(r.s, p.plan, &x->m);
            if (status == STATUS_OK)
                status = store_copy_data(r.s, p.plan, false, &x->m);
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
