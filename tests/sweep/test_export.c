/* The canonical export: its bytes. That nothing but results moves them is shown by scenarios shards
 * and merge. */
#include "store_help.h"

#include "sweep/export/export_results.h"

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

TEST(canonical_bytes)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[2]", "seeds: [5, 3, 4]\n"));
    int64_t build = add_build(x, s);
    struct claimed c = claim(x, s, 1, build); /* seed 5: left running */
    c = claim(x, s, 1, build);
    assert_true(finish(x, s, &c, result_of(1. / 3)));
    char expected[8 * POINT_JSON_MAX], *text = export_of(x, s, "plain");
    snprintf(expected, sizeof expected,
             "{\"sweep\":\"plain\",\"config_sha256\":\"%s\",\"seed\":3,\"in_plan\":true,"
             "\"setting\":{},\"tuning\":{},\"is_tuning\":false,\"state\":\"completed\","
             "\"steps_done\":100,\"best_step\":50,\"bad_step\":null,\"train_acc\":0.333333333,"
             "\"val_acc\":0.333333333,\"val_loss\":1.25,\"test_acc\":0.333333333,"
             "\"test_acc_by_slot\":[0.333333333,1],\"test_exact\":0,\"test_loss\":0.25,"
             "\"chance\":0.125,\"curve\":["
             "{\"step\":50,\"train_loss\":2,\"train_acc\":0.333333333,\"val_loss\":1.25,"
             "\"val_acc\":0.333333333,\"grad_norm\":1,\"lr\":0.001},"
             "{\"step\":100,\"train_loss\":1,\"train_acc\":0.75,\"val_loss\":1.5,\"val_acc\":0.1,"
             "\"grad_norm\":0.5,\"lr\":0.0005}],\"config\":%s}\n",
             c.config_sha256, c.config_json);
    size_t used = strlen(expected);
    for (int seed = 4; seed <= 5; seed++)
        used +=
            (size_t)snprintf(expected + used, sizeof expected - used,
                             "{\"sweep\":\"plain\",\"config_sha256\":\"%s\",\"seed\":%d,"
                             "\"in_plan\":true,\"setting\":{},\"tuning\":{},\"is_tuning\":false,"
                             "\"state\":\"queued\",\"config\":%s}\n",
                             c.config_sha256, seed, c.config_json);
    assert_string_equal(text, expected);
    free(text);
}

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
