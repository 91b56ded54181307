/* The files of a trial are found and removed by its attempts, however large a number the results
 * file gives for these. */
#include "sweep/worker/trial.h"
#include "sweep/worker/trial_files.h"

#include "tests/own_folder.h"

static const int64_t FEW = 9, ABSURD = INT64_C(1000000000000);

static void touch(int64_t trial, int64_t attempt, enum trial_file kind)
{
    trial_file_path(folder, trial, attempt, kind, path, sizeof path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static bool is_there(int64_t trial, int64_t attempt, enum trial_file kind)
{
    trial_file_path(folder, trial, attempt, kind, path, sizeof path);
    return access(path, F_OK) == 0;
}

static void write_checkpoints(int64_t trial, int64_t attempt)
{
    struct arena a;
    struct trial *t;
    struct message m;
    struct point p;
    bool evaluated;
    point_init(&p, task_find("copy"));
    p.model.d_model = p.model.d_ff = 4;
    p.model.heads = 1;
    p.train.batch = p.train.val_examples = p.train.test_examples = 2;
    arena_init(&a, NULL);
    assert_int_equal(trial_new(&a, &p, 1, METRIC_VAL_ACC, NULL, &t, &m), STATUS_OK);
    for (enum trial_file kind = 0; kind < 2; kind++) {
        assert_int_equal(trial_step(t, &evaluated, &m), STATUS_OK);
        trial_file_path(folder, trial, attempt, kind, path, sizeof path);
        assert_int_equal(trial_save(t, path, "build", &m), STATUS_OK);
    }
    arena_free(&a);
}

static int set_up(void **state)
{
    alarm(60); /* a loop over a million million names would take days */
    return make_folder(state);
}

FIXTURE(set_up, remove_whole_folder)

TEST(newest_checkpoint)
{
    char expected[TRIAL_PATH_MAX];
    write_checkpoints(7, 3);
    touch(7, 5, TRIAL_FILE_CHECKPOINT_0); /* cannot be read */
    touch(77, 1, TRIAL_FILE_CHECKPOINT_0);
    trial_file_path(folder, 7, 3, TRIAL_FILE_CHECKPOINT_1, expected, sizeof expected);
    for (int i = 0; i < 2; i++) {
        int64_t attempts = i ? ABSURD : FEW;
        bool damaged = false;
        assert_int_equal(
            trial_files_newest(folder, 7, attempts, INT64_MAX, path, sizeof path, &damaged), 2);
        assert_string_equal(path, expected);
        assert_true(damaged);
        damaged = false;
        assert_int_equal(trial_files_newest(folder, 7, attempts, 2, path, sizeof path, &damaged),
                         1);
        assert_int_equal(trial_files_newest(folder, 7, attempts, 1, path, sizeof path, &damaged),
                         -1);
        damaged = false;
        assert_int_equal(trial_files_newest(folder, 8, attempts, 9, path, sizeof path, &damaged),
                         -1);
        assert_false(damaged);
    }
}

TEST(removing_spares_other_trials_and_later_attempts)
{
    char keep[TRIAL_PATH_MAX];
    for (int i = 0; i < 2; i++) {
        int64_t last = i ? ABSURD : FEW;
        for (enum trial_file kind = 0; kind < TRIAL_FILE_KINDS; kind++) {
            touch(7, 1, kind);
            touch(7, last, kind);
            touch(7, last + 1, kind);
            touch(70, 1, kind);
        }
        trial_file_path(folder, 7, 1, TRIAL_FILE_CHECKPOINT_1, keep, sizeof keep);
        trial_files_remove_checkpoints(folder, 7, last, keep);
        assert_false(is_there(7, 1, TRIAL_FILE_CHECKPOINT_0));
        assert_true(is_there(7, 1, TRIAL_FILE_CHECKPOINT_1));
        assert_true(is_there(7, 1, TRIAL_FILE_RESULT));
        assert_false(is_there(7, last, TRIAL_FILE_CHECKPOINT_0));
        assert_true(is_there(7, last + 1, TRIAL_FILE_CHECKPOINT_0));
        trial_files_remove(folder, 7, last, true);
        assert_false(is_there(7, 1, TRIAL_FILE_CHECKPOINT_1));
        assert_false(is_there(7, 1, TRIAL_FILE_RESULT));
        assert_false(is_there(7, last, TRIAL_FILE_LOCK));
        assert_true(is_there(7, last, TRIAL_FILE_RESULT));
        trial_files_remove(folder, 7, last, false);
        assert_false(is_there(7, last, TRIAL_FILE_RESULT));
        for (enum trial_file kind = 0; kind < TRIAL_FILE_KINDS; kind++) {
            assert_true(is_there(7, last + 1, kind));
            assert_true(is_there(70, 1, kind));
        }
        trial_files_remove(folder, 7, last + 1, false);
    }
}

/* Names that are only like those of a trial belong to somebody else. */
TEST(foreign_names)
{
    static const char *const names[] = {"t7-a2.result.bak", "t07-a2.result", "t7-a+2.result",
                                        " t7-a2.result",    "t7-a0.lock",    "t7-a-1.lock"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fclose(f);
        trial_files_remove(folder, 7, ABSURD, false);
        assert_int_equal(access(path, F_OK), 0);
        unlink(path);
    }
}
