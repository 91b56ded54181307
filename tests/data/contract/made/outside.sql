-- Of the trials outside the plan those that have ended are told.
-- from gather
-- $ report --json $.outside_plan
UPDATE trial SET in_plan = 0 WHERE seed > 2;
UPDATE trial SET state = 'not_needed', test_acc = NULL WHERE trial_id IN (400004, 410004, 450003, 450004);
