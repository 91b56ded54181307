-- A claim is undecided if a trial met a limit.
-- from kv-claim
-- $ report --between
-- $ report --json $.between.claims[0].kind $.between.comparisons[0].outcome
UPDATE trial SET state = 'failed', limit_hit = 1, test_acc = NULL WHERE trial_id = 10003;
