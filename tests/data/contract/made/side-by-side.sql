-- Paired where seeds and task are the same, unpaired where not: 8 heads lack a seed, 16 have another task, 32 are not
-- there and 2 are 3.
-- from side
-- $ report gather gather-fast
-- $ report gather gather-fast --markdown
-- $ report gather gather-fast --csv
-- $ report gather gather-fast --json $.sweeps[1] $.differences[1] $.rows[5]
DELETE FROM trial WHERE trial_id = 1430004;
UPDATE config SET config_json = json_set(config_json, '$.task.options.vocab', 32) WHERE config_id = 144;
DELETE FROM trial WHERE sweep_id = 2 AND config_id = 145;
UPDATE config SET config_json = json_set(config_json, '$.model.heads', 3) WHERE config_id = 141;
UPDATE trial SET state = 'queued' WHERE trial_id = 1400004;
