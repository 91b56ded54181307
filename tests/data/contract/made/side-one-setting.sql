-- A sweep of one setting stands beside all.
-- from side-settings
-- $ report gather gather-fast --json $.rows[1].test $.rows[13]
DELETE FROM trial WHERE sweep_id = 2 AND config_id >= 150;
UPDATE trial SET setting = '{}', setting_label = '' WHERE sweep_id = 2;
