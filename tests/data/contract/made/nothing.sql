-- One trial, which has not begun.
-- from gather
-- $ report
-- $ report --markdown
-- $ report --json $.settings[0].rows $.settings[0].verdict.kind
DELETE FROM trial WHERE trial_id > 400000;
UPDATE trial SET state = 'queued', best_step = NULL, steps_done = 0, train_acc = NULL, val_acc = NULL, val_loss = NULL,
    test_acc = NULL, test_exact = NULL, test_loss = NULL, train_s = NULL;
