-- Two settings that differ in the width of heads are the same models at 4 heads, with the same trials twice.
-- from gather
-- $ report
-- $ report --between
DELETE FROM trial WHERE config_id NOT IN (41, 42, 43);
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 100, printf('%064d', config_id + 100), n_params, flops_per_step, chance,
    json_set(config_json, '$.model.d_head', 8) FROM config;
UPDATE trial SET setting = '{"model.d_head":"split"}', setting_label = 'd_head=split';
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT trial_id + 1000000, 1, config_id + 100, seed, state, in_plan, plan_order + 1000000, '{"model.d_head":8}',
    'd_head=8', tuning, is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss,
    iif(config_id = 42, test_acc, test_acc - .01 * (1 + seed % 2)), test_exact, test_loss, train_s FROM trial;
