-- A trial that does not have as many blocks as the others has none.
-- from text
-- $ report
DELETE FROM block_loss WHERE block = 7 AND trial_id % 10000 = 3;
