-- Of many labels, those that are recognised worst.
-- from labels
-- $ report
DELETE FROM label_acc;
INSERT INTO label_acc (trial_id, label, n, acc)
SELECT trial_id, value, 40 + 2 * key, test_acc * (1 - 0.01 * ((3 * key + heads) % 7))
FROM json_each('["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r",'
    || '"a label whose name is rather long"]'), trial JOIN config USING (config_id);
