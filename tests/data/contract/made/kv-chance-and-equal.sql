-- from kv-chance
-- $ report
-- $ report --between
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 10 * value, printf('%064d', config_id + 10 * value), n_params, flops_per_step, chance,
    json_set(config_json, '$.model.heads', 8 >> value) FROM config, json_each('[1,2]') WHERE config_id IN (1, 4);
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT trial_id + 100000 * value, 1, config_id + 10 * value, seed, state, in_plan, plan_order + 100000 * value, setting,
    setting_label, tuning, is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss,
    iif(value = 1, 1, val_acc - (config_id = 4) * (0.05 + 0.01 * (seed % 2))), test_exact, test_loss, train_s
FROM trial, json_each('[1,2]');
