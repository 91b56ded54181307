-- By losses: a value that diverged at one seed comes behind those that did not, and one of two has no result yet.
-- from tuned
-- ? SELECT heads, tuning, score, n, n_bad, rank, settled FROM tuning ORDER BY heads, rank
-- ? SELECT heads, tuning, score FROM chosen
-- ? SELECT heads, axis, value, chosen, edge FROM tried ORDER BY heads, axis, value
UPDATE sweep SET metric = 'val_loss', goal = 'minimize';
UPDATE trial SET val_loss = 1.5 - val_acc WHERE is_tuning;
UPDATE trial SET state = 'diverged', val_loss = NULL WHERE is_tuning AND config_id = 2 AND seed = 1000;
UPDATE trial SET state = 'queued' WHERE is_tuning AND config_id = 11 AND seed = 1000;
