-- Pairs that have no test: neither is better than guessing, or nothing differs.
-- from kv
-- $ report
-- $ report --between
DELETE FROM trial WHERE config_id NOT IN (1, 4);
UPDATE trial SET test_acc = 0.0625 + (seed = 2) * 0.0001 - (seed = 1) * 0.0001;
