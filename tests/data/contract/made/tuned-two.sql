-- exclude can give a head count other values than the others have, in one setting or in all: 1 head has 0.003 alone.
-- from tuned
-- $ report --markdown
UPDATE trial SET setting = '{"task.slots":4}', setting_label = 'slots=4';
UPDATE trial SET choice = 'chosen', state = 'completed', best_step = 1500, steps_done = 1500, val_loss = .5,
    test_loss = .5, train_s = 20.5, train_acc = .6, val_acc = .6, test_acc = .6, test_exact = .3
WHERE config_id = 12 AND NOT is_tuning;
UPDATE trial SET val_acc = .96 WHERE config_id = 12 AND is_tuning;
UPDATE trial SET choice = 'eliminated', state = 'not_needed', best_step = NULL, steps_done = 0, val_loss = NULL,
    test_loss = NULL, train_s = NULL, train_acc = NULL, val_acc = NULL, test_acc = NULL, test_exact = NULL
WHERE config_id = 13 AND NOT is_tuning;
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 20, printf('%064d', config_id + 20), n_params, flops_per_step, chance,
    json_set(config_json, '$.task.options.slots', 5) FROM config;
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT trial_id + 200000, 1, config_id + 20, seed, state, in_plan, plan_order + 200000, '{"task.slots":5}', 'slots=5',
    tuning, is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact,
    test_loss, train_s FROM trial;
DELETE FROM trial WHERE tuning NOT LIKE '%0.003%' AND config_id IN (SELECT config_id FROM config WHERE heads = 1);
