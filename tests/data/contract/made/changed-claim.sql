-- A claim that was changed, a diverged trial, one that is still queued and one that has left the plan.
-- from two
-- $ report
-- $ report --json $.outside_plan[0].heads $.outside_plan[0].mean $.settings[0].verdict.claim_proof.status $.settings[0].setting
UPDATE sweep SET claim = '{"best":4,"over":[1,32]}';
INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen, seen_outside, trials_ended,
    pairs_sha256)
VALUES (1, '2025', 9, 9, 0, '{}', '{"best":1}', 0, 0, 0, hex(zeroblob(32))),
    (1, '2025', 9, 0, 0, '{}', (SELECT claim FROM sweep), 3, 0, 3, hex(zeroblob(32)));
UPDATE trial SET state = 'diverged', test_acc = NULL WHERE trial_id = 420001;
UPDATE trial SET state = 'queued' WHERE trial_id = 550000;
UPDATE trial SET in_plan = 0 WHERE trial_id = 400004;
UPDATE config SET n_params = 9999 WHERE config_id = 45;
