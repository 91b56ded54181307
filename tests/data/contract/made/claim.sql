-- A claim is not judged where nothing has ended, but in the others.
-- from two
-- $ report --markdown
UPDATE sweep SET claim = '{"best":4,"over":[1,32]}';
INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen, seen_outside, trials_ended,
    pairs_sha256)
VALUES (1, '2025', 9, 9, 0, '{}', (SELECT claim FROM sweep), 0, 0, 0, hex(zeroblob(32)));
UPDATE trial SET state = 'queued' WHERE config_id >= 50;
