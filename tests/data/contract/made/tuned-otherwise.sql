-- from tuned-two
-- $ report --markdown
DELETE FROM trial WHERE setting LIKE '%5%' AND tuning LIKE '%0.001%';
