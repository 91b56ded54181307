-- Under tune, 1 and 2 heads at three learning rates: trials that wait for the choice are one planned trial per seed; what
-- was chosen is named, and that a choice is at an edge.
-- from gather
-- $ report
-- $ report --csv
-- $ report --json $.settings[0].verdict.edges $.settings[0].verdict.heads[0].at_edge $.settings[0].verdict.heads[1].at_edge
DELETE FROM trial;
DELETE FROM config WHERE heads > 1;
UPDATE sweep SET tune = '["train.batch","train.lr"]';
CREATE TEMP TABLE tuned (heads, k, lr, score);
INSERT INTO tuned VALUES (1, 0, .001, .8), (1, 1, .003, .9), (1, 2, .01, .7), (2, 0, .001, .5), (2, 1, .003, .6),
    (2, 2, .01, .95);
INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, config_json)
SELECT 10 * heads - 9 + k, printf('%064d', 10 * heads - 9 + k), 9488, 1e6, 0.0625,
    json_set(config_json, '$.model.heads', heads, '$.train.lr', lr) FROM tuned, (SELECT config_json FROM config);
DELETE FROM config WHERE config_id = 40;
CREATE TEMP TABLE tuned_scored AS
SELECT *, 10 * heads - 9 + k AS config, value < 1000 AND score < .9 AS out,
    iif(value < 1000, iif(score < .9, NULL, score + .001 * value), score) AS acc
FROM tuned, (SELECT value FROM json_each('[0,1,2,1000,1001,1002]'));
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting, setting_label, tuning,
    is_tuning, choice, chance, best_step, steps_done, train_acc, val_acc, val_loss, test_acc, test_exact, test_loss,
    train_s)
SELECT config * 10000 + value, 1, config, value, iif(out, 'not_needed', 'completed'), 1, config * 10000 + value, '{}',
    '', printf('{"train.batch":64,"train.lr":%g}', lr), value >= 1000, iif(out, 'eliminated', 'chosen'), 0.0625,
    iif(out, NULL, 1500), iif(out, 0, 1500), acc, acc, iif(out, NULL, .5), acc, acc / 2.0, iif(out, NULL, .5),
    iif(out, NULL, 20.5 + value % 1000) FROM tuned_scored;
