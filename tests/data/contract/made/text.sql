-- Losses of a text, in bits per byte too: 8 blocks, some of them harder, some at more than one head only.
-- from gather
-- $ report
-- $ report --markdown
-- $ report --csv
-- $ report --json $.metric $.settings[0].verdict.guess $.settings[0].verdict.guess_bits $.settings[0].verdict.heads[0].mean_bits $.settings[0].verdict.comparisons[0]
UPDATE sweep SET metric = 'val_loss', goal = 'minimize', question = 'How many heads for this text?';
UPDATE config SET config_json = json_set(json_remove(config_json, '$.task.options'), '$.task.name', 'text',
    '$.task.options', json('{"classes":256,"entropy":3.1,"instance":0,"length":32,"majority":0.16,"mode":"lm","rows":0,'
    || '"sha256":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","size":123456}'));
INSERT INTO data_file (path, options, sha256, size, mtime_ns, facts, read_ns) VALUES ('/home/of/nobody/a.txt', '{}',
    '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', 123456, 1, '{}', 2);
UPDATE trial SET chance = 0.16, test_exact = 0, val_loss = 3 - 2 * val_acc;
WITH RECURSIVE n (b) AS (SELECT 0 UNION ALL SELECT b + 1 FROM n WHERE b < 7)
INSERT INTO block_loss (trial_id, block, loss)
SELECT trial_id, b, 3 - 2 * test_acc + 0.1 * (b % 4) - 0.15 + iif(heads > 1, 0.05 * (b / 4) - 0.025, 0)
    + 0.001 * ((seed * b) % 5) FROM n, trial JOIN config USING (config_id);
UPDATE trial SET test_loss = (SELECT avg(loss) FROM block_loss AS b WHERE b.trial_id = trial.trial_id);
