-- No map: lists.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = '{"task.offsets":[' || slots || ']}' FROM config AS c WHERE c.config_id = trial.config_id;
