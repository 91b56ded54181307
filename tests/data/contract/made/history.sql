-- What became of the plan while results could be seen stands above everything, by name.
-- from gather
-- $ report
-- $ report --markdown
INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen, seen_outside, trials_ended,
    pairs_sha256)
VALUES (1, '2025-01-02T10:00:00.000Z', 30, 30, 0, '{}', NULL, 0, 0, 0, hex(zeroblob(32))),
    (1, '2025-01-03T10:00:00.000Z', 30, 0, 0, '{}', NULL, 0, 0, 0, hex(zeroblob(32))),
    (1, '2025-01-04T10:00:00.000Z', 28, 3, 5, '{"heads_added":[],"heads_removed":[1,64],"seeds_added":[7],'
        || '"seeds_removed":[],"points_added":0}', NULL, 30, 0, 30, hex(zeroblob(32))),
    (1, '2025-01-05T10:00:00.000Z', 28, 1, 0, '{"heads_added":"\u001b"}', '{"best":4}', 1, 0, 1, hex(zeroblob(32))),
    (1, '2025-01-06T10:00:00.000Z', 28, 0, 0, '{"rules":["looks","equivalence"]}', '{"best":4}', 2, 0, 2,
        hex(zeroblob(32))),
    (1, '2025-01-07T10:00:00.000Z', 28, 0, 1, '{"rules":["tune"]}', NULL, 2, 0, 2, hex(zeroblob(32)));
UPDATE trial SET in_plan = 0 WHERE seed = 4;
UPDATE trial SET state = 'diverged', test_acc = NULL WHERE trial_id IN (400004, 450004);
