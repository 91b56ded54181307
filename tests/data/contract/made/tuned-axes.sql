-- Head counts of one setting that tune different axes: a hand has made it so.
-- from tuned
-- $ report
UPDATE trial SET tuning = '{"train.clip":1}' WHERE is_tuning AND config_id > 10;
