-- One is enough, of any head count.
-- from cells-unsolved
-- $ report
UPDATE trial SET test_acc = .99 WHERE trial_id = (SELECT max(trial_id) FROM trial WHERE setting LIKE '%:10,%slots":8}');
