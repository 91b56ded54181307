-- No map: a setting without the axis.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = iif(slots = 1, '{}', '{"model.d_model":' || slots || '}') FROM config AS c WHERE c.config_id = trial.config_id;
