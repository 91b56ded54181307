-- A grid that has grown: what was chosen waits again, though it has results.
-- from tuned
-- $ report --markdown
-- $ report --json $.settings[0].verdict.kind $.settings[0].rows $.planned $.ended $.not_needed
UPDATE trial SET choice = 'waiting' WHERE NOT is_tuning AND state = 'completed';
UPDATE trial SET state = 'queued' WHERE trial_id = 21000;
