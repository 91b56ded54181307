-- Is the best head count better than each other one, at equal seeds?
--   sqlite3 -box results/headcount.db < results/queries/paired_differences.sql
-- The best is picked as `headcount report` picks the head count that it stars: the fewest heads within
-- .005 of the best mean validation accuracy, diverged and failed trials counted as guessing. Many pairs
-- are looked at here: the report has the verdict that takes this into account.
WITH validation AS (
    SELECT sweep, setting, heads, avg(CASE state WHEN 'completed' THEN val_acc ELSE chance END) AS mean
      FROM trials
     WHERE in_plan = 1 AND is_tuning = 0 AND choice = 'chosen'
       AND state IN ('completed', 'diverged', 'failed')
     GROUP BY sweep, setting, heads
), top AS (
    SELECT sweep, setting, max(mean) AS mean FROM validation GROUP BY sweep, setting
), best AS (
    SELECT sweep, setting, min(heads) AS heads
      FROM validation AS v JOIN top USING (sweep, setting)
     WHERE v.mean >= top.mean - 0.005 - 1e-12
     GROUP BY sweep, setting
)
SELECT p.sweep, p.setting_label AS setting, p.heads_a AS best, p.heads_b AS other, p.n, p.wins,
       round(p.mean_diff, 4) AS difference, round(p.ci95_low, 4) AS low,
       round(p.ci95_high, 4) AS high,
       CASE WHEN p.sd_diff IS NULL THEN 'one seed' WHEN p.sd_diff = 0 THEN 'all equal'
            WHEN p.ci95_low > 0 THEN 'better' WHEN p.ci95_high < 0 THEN 'worse'
            ELSE 'cannot tell' END AS says
  FROM paired AS p
 WHERE (sweep, setting, heads_a) IN (SELECT sweep, setting, heads FROM best)
 ORDER BY p.sweep, p.setting, p.heads_b;
