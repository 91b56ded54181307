-- Head counts that recognise every label have no worst one.
-- from labels
-- $ report --markdown
UPDATE label_acc SET acc = 1 WHERE trial_id IN
    (SELECT trial_id FROM trial JOIN config USING (config_id) WHERE heads NOT IN (2, 8));
