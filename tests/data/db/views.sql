-- Trials of two settings: equal and different ones, bad ones, some that do not count.
INSERT INTO build VALUES (1, '0', 'c', 'gcc', '-O2', 'OpenBLAS', 'Haswell', 'avx2', 'cpu');
INSERT INTO sweep (sweep_id, name, question, yaml, yaml_sha256, plan_sha256, metric, goal,
    tune, claim, created, last_run, overrides, remark) VALUES (1, 'plain', 'How many?', 'name: plain', printf('%064d', 1),
    printf('%064d', 2), 'val_acc', 'maximize', '[]', NULL, '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z', '[]', NULL);

-- One configuration per head count; 101.. have other slots.
WITH h (config_id, heads, slots) AS (VALUES (1, 1, 4), (2, 2, 4), (4, 4, 4), (8, 8, 4), (16, 16, 4),
    (101, 1, 2), (102, 2, 2))
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id, printf('%064d', config_id), 9000, 1e8, 0.0625,
    json_object('v', 1, 'task', json_object('name', 'gather', 'version', 1, 'options',
    json_object('length', 32, 'vocab', 16, 'slots', slots, 'instance', 0)), 'model',
    json_object('d_model', 32, 'heads', heads, 'd_head', 'split', 'd_k', 4, 'd_v', 'd_head',
    'layers', 1, 'd_ff', 64), 'train', json_object('steps', 100, 'batch', 8, 'lr', 1)) FROM h;

CREATE TEMP TABLE row (config_id, seed, state, acc, setting, in_plan DEFAULT 1,
    is_tuning DEFAULT 0, choice DEFAULT 'chosen');
INSERT INTO row (config_id, seed, state, acc, setting) VALUES
    -- three that differ, given out of order; one that is solved
    (1, 1, 'completed', 0.4, '{}'), (1, 0, 'completed', 0.2, '{}'), (1, 2, 'completed', 0.6, '{}'),
    -- three that are equal
    (2, 0, 'completed', 0.1, '{}'), (2, 1, 'completed', 0.1, '{}'), (2, 2, 'completed', 0.1, '{}'),
    -- one good, two bad, one not there yet
    (4, 0, 'completed', 1.0, '{}'), (4, 1, 'diverged', NULL, '{}'), (4, 2, 'failed', NULL, '{}'),
    (4, 3, 'queued', NULL, '{}'),
    -- two
    (8, 0, 'completed', 0.1, '{}'), (8, 1, 'completed', 0.4, '{}'),
    -- nothing but a failure
    (16, 0, 'failed', NULL, '{}'),
    -- another setting
    (101, 0, 'completed', 0.99, '{"task.slots":2}'), (101, 1, 'completed', 0.98, '{"task.slots":2}'),
    (102, 0, 'completed', 0.5, '{"task.slots":2}');
-- None of these counts: left the plan, tuning, passed over.
INSERT INTO row VALUES (1, 3, 'completed', 0.0, '{}', 0, 0, 'chosen'),
    (1, 1000, 'completed', 0.0, '{}', 1, 1, 'chosen'),
    (1, 4, 'completed', 0.0, '{}', 1, 0, 'eliminated');

INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label,
    tuning, is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, test_acc,
    test_exact, test_loss, train_s)
SELECT 1, config_id, seed, state, in_plan, rowid, setting,
    CASE setting WHEN '{}' THEN '' ELSE 'slots=2' END, '{}', is_tuning, choice, 0.0625, 100, 100,
    acc / 2, acc, acc, acc / 4, 0.5, CASE WHEN state = 'completed' THEN 2 + seed END FROM row;
DROP TABLE row;
