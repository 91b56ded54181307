-- Of equal values an inner one is chosen, and the first of those; a value all of whose seeds diverged has been tried; beyond
-- a perfect score there is nothing; what has one value where others have more; axes of words have no ends.
-- from tuned
-- ? SELECT heads, tuning, score, n, n_bad, rank, settled, n_outer FROM tuning ORDER BY heads, rank
-- ? SELECT heads, tuning, score FROM chosen
-- ? SELECT heads, axis, value, chosen, edge FROM tried ORDER BY heads, axis, value
UPDATE trial SET tuning = json_set(tuning, '$."model.d_head"', iif(config_id IN (1, 11), 'split', 8),
    '$."model.norm"', iif(config_id = 13, 'post', 'pre'));
UPDATE trial SET val_acc = .9 WHERE is_tuning AND config_id IN (1, 2, 3);
UPDATE trial SET val_acc = 1 WHERE is_tuning AND config_id = 13;
UPDATE trial SET state = 'diverged', val_acc = NULL WHERE is_tuning AND config_id = 12;
