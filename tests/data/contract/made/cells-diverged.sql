-- Trials that diverged count as guesses: two of the four with 2 heads in each setting that 2 heads solve.
-- from cells
-- $ report
-- $ report --json $.map.cells[2] $.map.cells[3] $.map.fit.cells
UPDATE trial SET state = 'diverged', best_step = NULL, train_acc = NULL, val_acc = NULL, val_loss = NULL,
    test_acc = NULL, test_exact = NULL, test_loss = NULL
WHERE seed < 2 AND setting LIKE '%slots":2}' AND config_id IN (SELECT config_id FROM config WHERE heads = 2);
