-- Of four instances two are the same task: of 4 positions one of three others is looked at.
-- from instances
-- $ report
UPDATE config SET config_json = json_set(config_json, '$.task.options.length', 4, '$.task.options.slots', 1);
