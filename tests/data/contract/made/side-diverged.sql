-- Trials that diverged count as guesses, which is told as in the report of their sweep.
-- from side
-- $ report gather gather-fast
UPDATE trial SET state = 'diverged', best_step = NULL, train_acc = NULL, val_acc = NULL, val_loss = NULL,
    test_acc = NULL, test_exact = NULL, test_loss = NULL
WHERE sweep_id = 2 AND (config_id = 142 OR trial_id = 1430001);
