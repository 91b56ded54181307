-- No map: three axes.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = '{"a":1,"b":2,"c":' || slots || '}' FROM config AS c WHERE c.config_id = trial.config_id;
