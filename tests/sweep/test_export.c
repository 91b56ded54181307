/* Exports: what is in them, and that they are whole or not there. Their bytes: the contract; that
 * nothing but results moves those of the canonical one: scenarios shards and merge. */
#include "store_help.h"

#include <signal.h>

#include "engine/base/file.h"
#include "sweep/export/export_csv.h"
#include "sweep/export/export_results.h"
#include "sweep/worker/stop.h"

static char *export_of(struct fixture *x, struct store *s, const char *sweep)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_ok(export_results(s, sweep, out, &x->m));
    fclose(out);
    return text;
}

FIXTURE(set_up, tear_down)

TEST(sweeps_and_what_left_the_plan)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    plan_into(x, s, SWEEP("[1]", "seeds: 1\n"));
    run_sql(store_db(s), "UPDATE sweep SET name = 'zebra'");
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    char *all = export_of(x, s, NULL), *one = export_of(x, s, "zebra");
    assert_non_null(strstr(one, "\"in_plan\":false"));
    assert_null(strstr(one, "plain"));
    /* By name, not by id: the rest of `all` is the later sweep. */
    size_t rest = strlen(all) - strlen(one);
    assert_string_equal(all + rest, one);
    free(all);
    free(one);
    FILE *nowhere = fopen("/dev/null", "w");
    assert_status(STATUS_BAD_INPUT, export_results(s, "lion", nowhere, &x->m));
    assert_non_null(strstr(x->m.text, "plain"));
    fclose(nowhere);
}

TEST(a_full_disk_is_noticed)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2, 4, 8, 16]", "seeds: 20\n"));
    static char buffer[1 << 20];
    for (int buffered = 0; buffered < 2; buffered++) {
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        if (buffered)
            setvbuf(full, buffer, _IOFBF, sizeof buffer); /* noticed by the flush alone */
        assert_status(STATUS_DISK_FULL, export_results(s, NULL, full, &x->m));
        fclose(full);
    }
}

/* Trials are read in the order of indexes: nothing is sorted, however many they are. */
TEST(memory_is_bounded)
{
    enum { TRIALS = 30000, CACHE = 8 << 20 };
    struct store *s = open_store(x, STORE_WRITE);
    char sql[600];
    plan_into(x, s, SWEEP("[2]", "seeds: 1\n"));
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
             "INSERT INTO config (config_sha256, n_params, flops_per_step, chance, config_json)"
             " SELECT printf('%%064d', i), 1, 1, 0, config_json FROM n, config"
             " WHERE config_id = 1",
             TRIALS);
    run_sql(store_db(s), sql);
    run_sql(store_db(s),
            "INSERT INTO trial (sweep_id, config_id, seed, in_plan, plan_order, setting,"
            " setting_label, tuning, is_tuning, chance) SELECT 1, config_id, 7, 1, 0, '{}', '',"
            " '{}', 0, 0 FROM config WHERE n_params = 1 ORDER BY random()");
    close_store(x, s);
    s = open_store(x, STORE_READ);
    FILE *out = tmpfile();
    assert_non_null(out);
    int64_t before = sqlite3_memory_used();
    sqlite3_memory_highwater(true);
    assert_ok(export_results(s, NULL, out, &x->m));
    int64_t most = sqlite3_memory_highwater(false) - before;
    if (most > CACHE + (CACHE >> 2))
        fail_msg("%lld KiB for %d trials", (long long)most >> 10, TRIALS);
    rewind(out);
    char line[4096], last[65] = "", sha256[65];
    int lines = 0;
    for (; fgets(line, sizeof line, out); lines++) {
        assert_int_equal(
            sscanf(line, "{\"sweep\":\"plain\",\"config_sha256\":\"%64[0-9a-f]", sha256), 1);
        assert_true(strcmp(last, sha256) < 0);
        memcpy(last, sha256, sizeof last);
    }
    assert_int_equal(lines, TRIALS + 1);
    fclose(out);
}

/* What was eliminated by a choice, or has left the plan, has no line, though it has results. */
TEST(trials_are_those_that_are_judged)
{
    struct run r = start(x, SWEEP("[1, 2, 4]", "seeds: [7]\n"));
    char csv[300];
    void *bytes;
    size_t size;
    for (int i = 0; i < 3; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_true(finish(x, r.s, &c, result_of(.5)));
    }
    run_sql(r.db, "UPDATE trial SET choice = 'eliminated' WHERE trial_id = 1;"
                  "UPDATE trial SET in_plan = 0 WHERE trial_id = 2");
    snprintf(csv, sizeof csv, "%s/trials.csv", x->folder);
    assert_ok(export_csv(r.s, EXPORT_CSV_TRIALS, r.sweep, csv, &x->m));
    assert_ok(file_read(csv, 1 << 20, &bytes, &size, &x->m));
    const char *only = strchr(bytes, '\n') + 1;
    assert_memory_equal(only, ",4,", 3);
    assert_string_equal(strchr(only, '\n'), "\n");
    free(bytes);
}

/* What a stop leaves: no file. */
TEST(a_stop_is_heard)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: [7]\n"));
    char csv[300];
    snprintf(csv, sizeof csv, "%s/csv/curves.csv", x->folder);
    assert_ok(file_make_folders_above(csv, &x->m));
    assert_ok(stop_install(&x->m));
    raise(SIGTERM);
    for (int what = EXPORT_CSV_CURVES; what <= EXPORT_CSV_TRIALS; what++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_true(finish(x, r.s, &c, result_of(.5)));
        assert_status(STATUS_INTERRUPTED,
                      export_csv(r.s, (enum export_csv)what, r.sweep, csv, &x->m));
    }
    stop_restore();
    assert_ok(stop_install(&x->m)); /* forgets the request */
    stop_restore();
    *strrchr(csv, '/') = '\0';
    assert_int_equal(rmdir(csv), 0);
}
