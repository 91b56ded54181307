-- No map: two values.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = '{"model.d_model":' || min(slots, 2) || '}' FROM config AS c WHERE c.config_id = trial.config_id;
