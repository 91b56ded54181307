-- No map: words.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = '{"model.d_model":"' || slots || '"}' FROM config AS c WHERE c.config_id = trial.config_id;
