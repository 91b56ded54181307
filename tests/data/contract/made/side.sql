-- A second sweep, at another learning rate and .01 better per seed.
-- from gather
-- $ report gather gather-fast
INSERT INTO sweep (sweep_id, name, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune, created, last_run)
SELECT 2, 'gather-fast', question, yaml, yaml_sha256, plan_sha256, metric, goal, tune, created, last_run FROM sweep;
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 100, printf('%064d', config_id + 100), n_params, flops_per_step, chance,
    json_set(config_json, '$.train.lr', 0.01) FROM config;
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT trial_id + 1000000, 2, config_id + 100, seed, state, in_plan, plan_order, setting, setting_label, tuning, is_tuning,
    choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, min(1, test_acc + .01 * seed), test_exact,
    test_loss, train_s FROM trial;
