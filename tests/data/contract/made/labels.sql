-- Labels of rows, one by one.
-- from gather
-- $ report
-- $ report --markdown
-- $ report --csv
-- $ report --json $.settings[0].labels[0] $.settings[0].labels[1] $.settings[0].labels[17]
UPDATE sweep SET question = 'How many heads for these reviews?';
UPDATE config SET config_json = json_set(json_remove(config_json, '$.task.options'), '$.task.name', 'text',
    '$.task.options', json('{"classes":3,"entropy":1.0,"instance":0,"length":32,"majority":0.4,"mode":"classify",'
    || '"rows":1200,"sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","size":123456}'));
INSERT INTO label_acc (trial_id, label, n, acc)
SELECT trial_id, value, 40 + 2 * key, test_acc * (1 - 0.01 * ((3 * key + heads) % 7))
FROM json_each('["neg","pos","neither, nor"]'), trial JOIN config USING (config_id);
