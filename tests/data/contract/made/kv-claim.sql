-- A claim, for each combination of the other axes by itself; one trial is still queued.
-- from kv
-- $ report
-- $ report --json $.between.claims[0] $.between.claims[2].than $.between.comparisons[3].comparisons
UPDATE sweep SET claim = '{"better":{"model.kv_heads":1},"heads":8,"than":{"model.kv_heads":8}}';
INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen, seen_outside, trials_ended,
    pairs_sha256)
SELECT 1, '2025', 45, 45, 0, '{}', claim, 0, 0, 0, hex(zeroblob(32)) FROM sweep;
UPDATE trial SET state = 'queued', test_acc = NULL WHERE trial_id = 10003;
