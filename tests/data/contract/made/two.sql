-- Two settings, in the order of the plan.
-- from gather
-- $ report --explain --markdown
-- $ report
UPDATE trial SET setting = '{"task.slots":4}', setting_label = 'slots=4';
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 10, printf('%064d', config_id + 10), n_params, flops_per_step, chance,
    json_set(config_json, '$.task.options.slots', 10) FROM config;
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT trial_id + 100000, 1, config_id + 10, seed, state, in_plan, plan_order + 100000, '{"task.slots":10}',
    'slots=10', tuning, is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc,
    test_exact, test_loss, train_s FROM trial;
