-- Losses of a text are in bits per byte too.
-- from kv-wrong
-- $ report --between
-- $ report --between --json $.between.comparisons[0].a
UPDATE sweep SET claim = NULL;
DELETE FROM plan_change;
UPDATE sweep SET metric = 'val_loss', goal = 'minimize';
UPDATE trial SET test_loss = test_acc, val_loss = test_acc;
UPDATE config SET config_json = json_set(config_json, '$.task.name', 'text', '$.task.options',
    json('{"mode":"lm","entropy":3.1}'));
