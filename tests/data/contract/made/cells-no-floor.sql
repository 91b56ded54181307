-- Where no h* is at the floor, the second line would be the first.
-- from cells
-- $ report
-- $ report --json $.map.fit.floor $.map.fit_above_floor
UPDATE trial SET test_acc = .5, val_acc = .5 WHERE config_id IN (SELECT config_id FROM config WHERE heads = 1);
