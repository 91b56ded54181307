-- No value lies beyond the end of an option's range: 0 is the least, 1000 the most that a weight decay can be.
-- from tuned
-- $ report --json $.settings[0].verdict.edges $.settings[0].verdict.heads[0].at_edge $.settings[0].verdict.heads[1].at_edge
UPDATE trial SET tuning = json_set('{}', '$."train.weight_decay"', (config_id % 10 - 1) * 500);
UPDATE trial SET val_acc = .95 WHERE is_tuning AND config_id = 1;
