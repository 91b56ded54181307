-- In two layers 8 heads of each are 16, and pruned to 4 of 16 they are beside 2 in each; seeds of one instance are one.
-- from cost
-- ? SELECT * FROM prune_or_train
-- ? SELECT heads, infer_ms, n_infer FROM cost
-- ? SELECT heads_a, heads_b, n, mean_diff, sd_diff, wins FROM paired WHERE heads_a = 1
UPDATE config SET config_json = json_set(config_json, '$.model.layers', 2);
UPDATE sweep SET replicate = '["task.instance"]';
UPDATE trial SET replicate = '{"task.instance":' || (seed / 2) || '}';
