-- Where all are equal there is no spread, exactly, although .4 + .4 + .4 is not 1.2; also beside a trial of one head count alone.
-- from gather
-- ? SELECT heads_a, heads_b, sd_diff = 0, mean_diff = ci95_low, mean_diff = ci95_high FROM paired WHERE heads_a < 3 AND heads_b < 3
-- ? SELECT heads, mean_acc = .4, sd_acc = 0, ci95_low = .4, ci95_high = .4 FROM by_heads WHERE heads = 2
UPDATE trial SET test_acc = iif(config_id = 40, .1, .4) WHERE config_id < 42;
DELETE FROM trial WHERE seed > 2 AND (config_id <> 40 OR seed > 3);
UPDATE trial SET test_acc = .07 WHERE seed = 3;
