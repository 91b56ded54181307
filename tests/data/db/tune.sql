-- A tuned sweep of two head counts x three learning rates, tuning seeds 1000 and 1001, seed 0.
INSERT INTO build VALUES (1, '0', 'c', 'gcc', '-O2', 'OpenBLAS', 'Haswell', 'avx2', 'cpu');
INSERT INTO sweep (sweep_id, name, question, yaml, yaml_sha256, plan_sha256, metric, goal,
    tune, claim, created, last_run, overrides, remark) VALUES (1, 'tuned', '', 'name: tuned', printf('%064d', 1), printf('%064d', 2),
    'val_acc', 'maximize', '["train.lr"]', NULL, '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z', '[]', NULL);
CREATE TEMP TABLE grid AS
    SELECT 10 * heads + k AS config_id, heads, lr FROM (SELECT 1 AS heads UNION SELECT 2),
        (SELECT 1 AS k, 0.001 AS lr UNION SELECT 2, 0.003 UNION SELECT 3, 0.01);
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id, printf('%064d', config_id), 9000, 1e8, 0.0625,
    json_object('v', 1, 'task', json_object('name', 'gather', 'version', 1, 'options',
    json_object('length', 32, 'vocab', 16)), 'model', json_object('d_model', 32, 'heads', heads,
    'd_head', 'split', 'layers', 1, 'd_ff', 64), 'train', json_object('steps', 100, 'batch', 8, 'lr',
    lr)) FROM grid;
INSERT INTO trial (sweep_id, config_id, seed, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance)
SELECT 1, config_id, seed, 1, seed * 100 + config_id, '{}', '', json_object('train.lr', lr),
    seed >= 1000, CASE WHEN seed >= 1000 THEN 'chosen' ELSE 'waiting' END, 0.0625
    FROM grid, (SELECT 0 AS seed UNION SELECT 1000 UNION SELECT 1001);
-- Tuning trials run first.
UPDATE trial SET plan_order = plan_order - 1000000 WHERE is_tuning = 1;
DROP TABLE grid;
