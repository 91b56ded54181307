-- Nine settings at 8 heads: 18 pairs differ in one axis, of which eight are shown.
-- from gather
-- $ report
-- $ report --between
-- $ report --between --markdown
-- $ report --between --csv
-- $ report --json $.between.comparisons[0]
DELETE FROM trial;
DELETE FROM config WHERE heads <> 8;
UPDATE sweep SET name = 'kv';
CREATE TEMP TABLE kv (i, kv_heads, d_ff, acc);
INSERT INTO kv VALUES (1, 1, 16, 'wide'), (2, 1, 32, 'wide'), (3, 1, 64, 'middle'), (4, 2, 16, 'wide'),
    (5, 2, 32, 'middle'), (6, 2, 64, 'narrow'), (7, 8, 16, 'middle'), (8, 8, 32, 'narrow'), (9, 8, 64, 'narrow');
UPDATE kv SET acc = CASE acc WHEN 'wide' THEN '[0.99,0.97,0.98,1.0,0.96]' WHEN 'middle' THEN
    '[0.93,0.96,0.90,0.97,0.91]' ELSE '[0.90,0.93,0.85,0.95,0.88]' END;
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT i, printf('%064d', i), 9488, 1e6, 0.0625, json_set(config_json, '$.model.d_ff', d_ff, '$.model.kv_heads', kv_heads)
FROM kv, (SELECT config_json FROM config);
DELETE FROM config WHERE config_id > 9;
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT i * 10000 + key, 1, i, key, 'completed', 1, i * 10000 + key,
    printf('{"model.d_ff":%d,"model.kv_heads":%d}', d_ff, kv_heads), printf('kv_heads=%d, d_ff=%d', kv_heads, d_ff),
    '{}', 0, 'chosen', 0.0625, 1500, 1500, value, value, .5, value, value / 2.0, .5, 20.5 + key
FROM kv, json_each(acc);
