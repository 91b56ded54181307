-- No map: instances have no order.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = '{"task.instance":' || slots || '}' FROM config AS c WHERE c.config_id = trial.config_id;
