-- from kv-wrong
-- $ report
-- $ report --between
UPDATE trial SET state = 'failed', limit_hit = 1 WHERE trial_id = 10003;
