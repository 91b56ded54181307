-- A head count that chose an edge of its grid is not called worse by its fresh trials either.
-- from confirm
-- $ report
UPDATE trial SET tuning = '{"train.lr":0.01}' WHERE setting = '{"train.steps":200}';
INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning, is_tuning,
    steps_done, best_step, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss, chance, train_s)
SELECT sweep_id, config_id, 1000 + (value > .005), state, 1, plan_order, setting, setting_label,
    json_object('train.lr', value), 1, steps_done, best_step, train_acc, .5 + value, val_loss, test_acc, test_exact,
    test_loss, chance, train_s
FROM trial, json_each('[0.003,0.01]') WHERE setting = '{"train.steps":200}' AND seed = 0 AND NOT confirms;
UPDATE plan_change SET what = json_replace(what, '$.tuning', json('{"2":{"train.lr":0.01},"16":{"train.lr":0.01}}'))
WHERE claim IS NOT NULL;
