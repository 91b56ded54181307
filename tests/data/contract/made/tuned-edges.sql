-- Edges of which no finding is are told in one sentence: 1 head chose the smallest value at 5 and 7 slots, the largest at
-- 8, 2 heads the largest at 4.
-- from tuned
-- $ report --markdown
UPDATE trial SET setting = '{"task.slots":4}', setting_label = 'slots=4';
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 20 * value, printf('%064d', config_id + 20 * value), n_params, flops_per_step, chance,
    json_set(config_json, '$.task.options.slots', 4 + value) FROM config, json_each('[1,3,4]');
CREATE TEMP TABLE turned AS SELECT t.*, value, config_id + 20 * value + CASE
    WHEN config_id > 10 THEN (config_id = 12) - (config_id = 13) WHEN value = 4 THEN (config_id = 2) - (config_id = 3)
    ELSE (config_id = 1) - (config_id = 2) END AS other FROM trial AS t, json_each('[1,3,4]');
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT other * 10000 + seed, 1, other, seed, state, in_plan, other * 10000 + seed,
    printf('{"task.slots":%d}', 4 + value), printf('slots=%d', 4 + value),
    (SELECT tuning FROM trial AS t WHERE t.config_id = other - 20 * value), is_tuning, choice, chance, best_step,
    steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss, train_s FROM turned;
