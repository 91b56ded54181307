-- Where all are equal there is no spread, exactly, although .1 + .1 + .1 is not .3.
-- from gather
-- ? SELECT heads_a, heads_b, sd_diff = 0, mean_diff = ci95_low, mean_diff = ci95_high FROM paired WHERE heads_a < 3 AND heads_b < 3
-- ? SELECT heads, mean_acc = .1, sd_acc = 0, ci95_low = .1, ci95_high = .1 FROM by_heads WHERE heads = 1
UPDATE trial SET test_acc = iif(config_id = 40, .1, .4) WHERE config_id < 42;
DELETE FROM trial WHERE seed > 2;
