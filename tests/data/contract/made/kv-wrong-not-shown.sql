-- A claim is not confirmed if its difference is not shown.
-- from kv-wrong
-- $ report
UPDATE trial SET test_acc = .5 + seed / 10.0 + config_id % 2 * (seed - 1) / 100;
