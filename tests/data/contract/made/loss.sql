-- Losses: less is better, on a scale of their own; a head count that met its limit has no mean.
-- from gather
-- $ report
UPDATE sweep SET metric = 'val_loss', goal = 'minimize';
UPDATE trial SET val_loss = 3 - 2.5 * val_acc, test_loss = 3 - 2.5 * test_acc;
UPDATE trial SET state = 'failed', limit_hit = 1, test_acc = NULL WHERE trial_id = 450001;
