-- Two looks: the interval of a difference is wider, and later seeds are not there yet.
-- from gather
-- $ report
-- $ report --json $.settings[0].verdict.heads[0].n $.settings[0].verdict.comparisons[0].ci_level
UPDATE sweep SET looks = '[3,5]';
UPDATE trial SET look = 2 WHERE seed > 2;
