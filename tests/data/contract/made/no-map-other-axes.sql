-- No map: another axis in one setting.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = '{"' || iif(slots = 1, 'a', 'b') || '":' || slots || '}' FROM config AS c WHERE c.config_id = trial.config_id;
