-- from kv-wrong
-- $ report
UPDATE plan_change SET seen = 10, trials_ended = 10;
