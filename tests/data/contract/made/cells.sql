-- The map of two quantities beside heads: h* doubles with slots; seed 3 needs twice as many at 4 slots, and with 8 slots
-- of the larger model nothing is learned.
-- from gather
-- $ report
-- $ report --markdown
-- $ report --json $.map.cells $.map.fit.draws $.map.fit_above_floor.cells $.map.fit_above_floor.floor
DELETE FROM trial;
DELETE FROM config WHERE heads <> 1;
UPDATE sweep SET name = 'cells';
CREATE TEMP TABLE cells AS
SELECT s.value AS slots, d.value AS d_model, h.key AS i, s.value * 100 + d.value + h.key AS config,
    iif(s.value = 8 AND d.value = 20, 0, s.value) AS edge
FROM json_each('[1,2,4,8]') AS s, json_each('[10,20]') AS d, json_each('[1,2,4,8]') AS h;
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config, printf('%064d', config), 9488, 1e6, 0.0625, json_set(config_json, '$.task.options.slots', slots, '$.model.heads',
    1 << i) FROM cells, (SELECT config_json FROM config);
DELETE FROM config WHERE config_id = 40;
CREATE TEMP TABLE cells_scored AS
SELECT *, round(iif(edge = 0, .0625, iif((1 << i) >= iif(value = 3 AND slots = 4, 2 * edge, edge), .99, .5 + .1 * i))
    + .001 * ((value | i) - (value & i)), 4) AS acc
FROM cells, (SELECT value FROM json_each('[0,1,2,3]'));
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT config * 10000 + value, 1, config, value, 'completed', 1, config * 10000 + value,
    printf('{"model.d_model":%d,"task.slots":%d}', d_model, slots), printf('slots=%d, d_model=%d', slots, d_model),
    '{}', 0, 'chosen', 0.0625, 1500, 1500, acc, acc, .5, acc, acc / 2.0, .5, 20.5 + value FROM cells_scored;
