-- Shown to be worse is shown, whether the claim was first or late.
-- from kv
-- $ report
DELETE FROM trial WHERE config_id NOT IN (1, 8);
UPDATE trial SET setting = '{"model.d_ff":16,"model.kv_heads":8}', setting_label = 'kv_heads=8, d_ff=16'
WHERE config_id = 8;
UPDATE config SET config_json = json_set(config_json, '$.model.d_ff', 16) WHERE config_id = 8;
UPDATE sweep SET claim = '{"better":{"model.kv_heads":8},"heads":8,"than":{"model.kv_heads":1}}';
INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen, seen_outside, trials_ended,
    pairs_sha256)
SELECT 1, '2025', 45, 45, 0, '{}', claim, 0, 0, 0, hex(zeroblob(32)) FROM sweep;
