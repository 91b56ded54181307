-- A trial that ended at its limit is in no mean, and no bad one; one that failed otherwise counts as guessing.
-- from gather
-- $ report
-- $ report --json $.settings[0].verdict.heads[1] $.settings[0].verdict.heads[2]
UPDATE trial SET state = 'failed', limit_hit = 1, test_acc = NULL, val_acc = NULL WHERE trial_id = 420003;
UPDATE trial SET state = 'failed', test_acc = NULL, val_acc = NULL WHERE trial_id = 410003;
