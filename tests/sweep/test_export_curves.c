/* Learning curves and results of trials as CSV for other programs. */
#include "store_help.h"

#include <dirent.h>
#include <signal.h>

#include "engine/base/file.h"
#include "sweep/export/export_csv.h"
#include "sweep/worker/stop.h"

/* A sweep of two completed trials, heads 1 and 2, and one that runs and has been evaluated once. */
static struct run sweep(struct fixture *x)
{
    struct run r = start(x, SWEEP("[1, 2, 4]", "seeds: [7]\n"));
    struct claimed c[3];
    for (int i = 0; i < 3; i++)
        c[i] = claim(x, r.s, r.sweep, r.build);
    for (int i = 0; i < 2; i++)
        assert_true(finish(x, r.s, &c[i], result_of(.25 * (i + 1))));
    assert_ok(store_curve(r.s, c[2].trial_id, 1, "[{\"step\":50,\"val_loss\":0.5}]", &x->m));
    return r;
}

static int files_in(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

FIXTURE(set_up, tear_down)

/* What a stop leaves: no file. */
TEST(a_stop_is_heard)
{
    struct run r = sweep(x);
    char csv[300];
    snprintf(csv, sizeof csv, "%s/csv/curves.csv", x->folder);
    assert_ok(file_make_folders_above(csv, &x->m));
    assert_ok(stop_install(&x->m));
    raise(SIGINT);
    assert_status(STATUS_INTERRUPTED, export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, csv, &x->m));
    assert_status(STATUS_INTERRUPTED, export_csv(r.s, EXPORT_CSV_TRIALS, r.sweep, csv, &x->m));
    stop_restore();
    assert_ok(stop_install(&x->m)); /* forgets the request */
    stop_restore();
    *strrchr(csv, '/') = '\0';
    assert_int_equal(files_in(csv), 0);
}

TEST(csv_has_every_evaluation)
{
    struct run r = sweep(x);
    char path[300];
    void *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/curves.csv", x->folder);
    run_sql(r.db, "UPDATE trial SET setting_label = 'a, \"b\"', tuning = '{\"train.lr\":0.01}'"
                  " WHERE trial_id = 2");
    assert_ok(export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, path, &x->m));
    assert_ok(file_read(path, 1 << 20, &bytes, &size, &x->m));
    assert_string_equal(
        bytes, "trial,heads,setting,seed,tuning,is_tuning,state,step,train_loss,train_acc,val_loss,"
               "val_acc,grad_norm,lr,elapsed_s,cpu_s\n"
               "1,1,,7,,0,completed,50,2,0.25,1.25,0.25,1,0.001,0.7,0.6\n"
               "1,1,,7,,0,completed,100,1,0.75,1.5,0.1,0.5,0.0005,1.5,1.25\n"
               "2,2,\"a, \"\"b\"\"\",7,lr=0.01,0,completed,50,2,0.5,1.25,0.5,1,0.001,0.7,0.6\n"
               "2,2,\"a, \"\"b\"\"\",7,lr=0.01,0,completed,100,1,0.75,1.5,0.1,0.5,0.0005,1.5,1.25\n"
               "3,4,,7,,0,running,50,,,0.5,,,,,\n");
    free(bytes);
    /* In the place of the first. */
    assert_ok(export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, path, &x->m));
    assert_status(STATUS_IO,
                  export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, "/nowhere/curves.csv", &x->m));
}

/* Trials that only serve to choose stand before those that are judged; what was eliminated by a
 * choice, or is of a look that was decided before, has no line. */
#define COLUMNS                                                                                    \
    "setting,heads,tuning,replicate,seed,role,state,val_acc,val_loss,test_acc,test_exact,"         \
    "test_loss,best_step,lr,chance,block_loss\n"

TEST(csv_has_every_trial)
{
    struct run r = sweep(x);
    char path[300];
    void *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/trials.csv", x->folder);
    run_sql(r.db, "UPDATE trial SET tuning = '{\"train.lr\":0.01}', is_tuning = 1,"
                  " replicate = '{\"task.instance\":3}', test_loss = 1.0 / 3 WHERE trial_id = 2;"
                  "INSERT INTO block_loss VALUES (1, 0, 2.5), (1, 1, 0.1)");
    assert_ok(export_csv(r.s, EXPORT_CSV_TRIALS, r.sweep, path, &x->m));
    assert_ok(file_read(path, 1 << 20, &bytes, &size, &x->m));
    assert_string_equal(bytes,
                        COLUMNS ",1,,,7,judged,completed,0.25,1.25,0.25,0,0.25,50,0.001,0.125,"
                                "\"[2.5,0.1]\"\n"
                                ",2,lr=0.01,instance=3,7,tuning,completed,0.5,1.25,0.5,0,"
                                "0.3333333333333333,50,0.001,0.125,\n"
                                ",4,,,7,judged,running,,,,,,,0.001,0.125,\n");
    free(bytes);
    run_sql(r.db, "UPDATE trial SET choice = 'eliminated' WHERE trial_id = 1;"
                  "UPDATE trial SET state = 'not_needed' WHERE trial_id > 1");
    assert_ok(export_csv(r.s, EXPORT_CSV_TRIALS, r.sweep, path, &x->m));
    assert_ok(file_read(path, 1 << 20, &bytes, &size, &x->m));
    assert_string_equal(bytes, COLUMNS ",2,lr=0.01,instance=3,7,tuning,not_needed,0.5,1.25,0.5,0,"
                                       "0.3333333333333333,50,0.001,0.125,\n");
    free(bytes);
}
