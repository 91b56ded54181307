-- No map: 0 is on no logarithmic scale.
-- from list
-- $ report --json $.map
UPDATE trial SET setting = '{"train.examples":' || (slots - 1) || '}' FROM config AS c WHERE c.config_id = trial.config_id;
