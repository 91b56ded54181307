-- Units are instances: seeds of one are no evidence of their own.
-- from shifted
-- $ report --json $.settings[0].shifted[6].n
UPDATE sweep SET replicate = '["task.instance"]';
UPDATE trial SET replicate = '{"task.instance":' || (seed / 2) || '}';
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 1000 * value, printf('%064d', config_id + 1000 * value), n_params, flops_per_step, chance,
    json_set(config_json, '$.task.options.instance', value) FROM config, json_each('[1,2]') AS i;
UPDATE trial SET config_id = config_id + 1000 * (seed / 2);
