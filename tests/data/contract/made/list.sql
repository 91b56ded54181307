-- One quantity is a list.
-- from cells
-- $ report
DELETE FROM trial WHERE setting LIKE '%:20,%';
UPDATE trial SET setting = '{"task.slots":' || slots || '}', setting_label = 'slots=' || slots FROM config AS c
WHERE c.config_id = trial.config_id;
