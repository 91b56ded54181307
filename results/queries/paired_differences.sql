-- Is the best head count better than each other one, at equal seeds?
--   sqlite3 -box results/headcount.db < results/queries/paired_differences.sql
-- The best is picked by mean test accuracy here, and many pairs are looked at: `headcount report`
-- has the verdict that takes this into account.
WITH best AS (
    SELECT sweep, setting, heads, row_number() OVER (PARTITION BY sweep, setting
                                                     ORDER BY mean_acc DESC, heads) AS place
      FROM by_heads WHERE n > 0
)
SELECT p.sweep, p.setting_label AS setting, p.heads_a AS best, p.heads_b AS other, p.n, p.wins,
       round(p.mean_diff, 4) AS difference, round(p.ci95_low, 4) AS low,
       round(p.ci95_high, 4) AS high,
       CASE WHEN p.sd_diff IS NULL THEN 'one seed' WHEN p.sd_diff = 0 THEN 'all equal'
            WHEN p.ci95_low > 0 THEN 'better' WHEN p.ci95_high < 0 THEN 'worse'
            ELSE 'cannot tell' END AS says
  FROM paired AS p
 WHERE (sweep, setting, heads_a) IN (SELECT sweep, setting, heads FROM best WHERE place = 1)
 ORDER BY p.sweep, p.setting, p.heads_b;
