-- Losses that still fall at the end are what improves.
-- from text
-- $ report --json $.settings[0].verdict.heads[0] $.settings[0].verdict.heads[1]
INSERT INTO curve (trial_id, step, val_acc, val_loss)
SELECT trial_id, 1500 - 150 * value, .5, val_loss + .05 * value * (1 + heads % 2) + .001 * (seed * value % 3)
FROM trial JOIN config USING (config_id), json_each('[0,1,2,3,4]');
