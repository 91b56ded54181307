/* The rows of a sweep, new, of seven trials that have ended, four of one head and three of two; the
 * first has a curve of fifty evaluations. */
#ifndef TESTS_SWEEP_SEVEN_TRIALS_H
#define TESTS_SWEEP_SEVEN_TRIALS_H

static const char SEVEN_TRIALS[] =
    "INSERT INTO sweep (name, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune, "
    "created,"
    "                   last_run)"
    "  VALUES ('new', 'Is <b> & ''?', 'a: 1', hex(zeroblob(32)), hex(zeroblob(32)), 'val_acc',"
    "          'maximize', '[]', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z');"
    "INSERT INTO config (config_sha256, n_params, flops_per_step, chance, config_json)"
    "  SELECT printf('%064d', heads), 10, 600, .5, json_object('task', json_object('name', 'copy',"
    "         'options', json_object('length', 4)), 'model', json_object('d_model', 8, 'heads', "
    "heads,"
    "         'layers', 1, 'd_ff', 8), 'train', json_object('steps', 500, 'batch', 2, 'lr', .1))"
    "    FROM (SELECT 1 AS heads UNION ALL SELECT 2);"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 6)"
    "INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order, setting, "
    "setting_label,"
    "                   tuning, is_tuning, best_step, steps_done, train_acc, val_acc, val_loss,"
    "                   test_acc, test_exact, test_loss, chance, train_s, checkpoint,"
    "                   checkpoint_sha256)"
    "  SELECT 1, 1 + i % 2, i, 'completed', 1, i, '{}', '', '{}', 0, 130, 500, .5, .5, 1.0 + i, .5,"
    "         .5, 1, .5, 2, 'w', printf('%064d', i) FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)"
    "INSERT INTO curve SELECT 1, 10 * i, 1.0 / 3 + i, NULL, 123456.789, .123456789, 1, .1, i, i"
    "  FROM n;";

#endif
