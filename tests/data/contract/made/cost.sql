-- What accuracies cost, by attempts and by times of inference; models that were pruned, beside those trained so; shifted
-- test sets, asked for and not. Median and mean differ, one trial was never timed, of one head count none is solved.
-- from gather
-- ? SELECT * FROM cost
-- ? SELECT * FROM prune_or_train
-- ? SELECT * FROM evaluations
-- ? .read QUERIES/pareto.sql
UPDATE config SET n_params = 9488 + 100 * (config_id - 40);
UPDATE sweep SET eval = '{"long":{},"noisy":{"noise": 0.5}}';
INSERT INTO attempt (trial_id, attempt, build_id, started, resumed_from_step, cpu_s, max_rss_kib)
SELECT trial_id, value, 1, 'then', 0, 2 * value + heads + seed % 3, 1000 + 7 * seed + 100 * value
FROM trial JOIN config USING (config_id), json_each('[1,2]');
INSERT INTO pruning (trial_id, method, kept, infer_ms, n_params, test_acc)
SELECT trial_id, 'none', heads, heads + seed * seed, n_params, test_acc FROM trial JOIN config USING (config_id)
WHERE heads < 32 AND seed < 4;
INSERT INTO pruning (trial_id, method, kept, test_acc, n_params, infer_ms)
SELECT trial_id, 'importance', value, test_acc * value / heads, 1000 * value, value / 2.0
FROM trial JOIN config USING (config_id), json_each('[1,2,3,4]') WHERE value < heads AND seed + value < 5;
INSERT INTO pruning (trial_id, method, kept, finetuned_steps, lr, test_acc)
SELECT trial_id, 'random', 1, 10, .5, .1 + .1 + .1 FROM trial JOIN config USING (config_id) WHERE heads = 8;
UPDATE pruning SET test_acc = .9 WHERE kept = 1 AND method = 'importance' AND trial_id % 10000 = 3;
INSERT INTO evaluation SELECT trial_id, 'noisy', '{"noise":0.5}', .25 * seed / 4, .5, 1 FROM trial WHERE seed < 3;
INSERT INTO evaluation SELECT trial_id, 'long', '{"noise":0.1}', .5, .5, 1 FROM trial;
