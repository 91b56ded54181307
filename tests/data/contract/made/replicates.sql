-- Five seeds on three instances are three values, with two components of their variance.
-- from gather
-- $ report
UPDATE sweep SET replicate = '["task.instance"]', equivalence = 0.02;
UPDATE trial SET replicate = '{"task.instance":' || (seed / 2) || '}';
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT config_id + 1000 * value, printf('%064d', config_id + 1000 * value), n_params, flops_per_step, chance,
    json_set(config_json, '$.task.options.instance', value) FROM config, json_each('[1,2]') AS i;
UPDATE trial SET config_id = config_id + 1000 * (seed / 2);
