-- The finding of gather, made by hand: head counts that solve it between two falls.
-- from -
-- $ report
-- $ report --markdown
-- $ report --csv
-- $ report --json $.settings[0].verdict
-- $ report --explain
INSERT INTO sweep (sweep_id, name, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune, created, last_run)
VALUES (1, 'gather', 'How many heads does it take to look at four places at once?', '', printf('%064d', 1),
    printf('%064d', 1), 'val_acc', 'maximize', '[]', '2025-01-01', '2025-01-01');

CREATE TEMP TABLE made (i, heads, acc);
INSERT INTO made VALUES
    (0, 1, '[.709,.721,.698,.714,.705]'), (1, 2, '[.977,.969,.981,.974,.990]'), (2, 4, '[.998,.995,.999,.991,1]'),
    (3, 8, '[1,1,1,1,1]'), (4, 16, '[.874,.881,.859,.902,.866]'), (5, 32, '[.277,.281,.269,.280,.275]');

INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT 40 + i, printf('%064d', 40 + i), 9488, 1e6, 0.0625, printf('{"model":{"d_ff":64,"d_head":"split","d_model":32,'
    || '"heads":%d,"layers":1},"task":{"name":"gather","options":{"instance":0,"length":32,"offsets":[],"slots":4,'
    || '"vocab":16},"version":1},"train":{"batch":64,"examples":0,"lr":0.003,"steps":1500},"v":1}', heads)
FROM made;

INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT (40 + i) * 10000 + key, 1, 40 + i, key, 'completed', 1, (40 + i) * 10000 + key, '{}', '', '{}', 0, 'chosen',
    0.0625, 1500, 1500, value, value, .5, value, value / 2.0, .5, 20.5 + key
FROM made, json_each(replace(acc, '.', '0.'));
