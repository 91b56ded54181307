-- Which head count gets to 99% first? Median steps, FLOPs and seconds until validation accuracy is
-- at least .99, over the seeds that got there.
--   sqlite3 -box results/headcount.db < results/queries/fastest_to_99.sql
WITH arrival AS (
    SELECT t.sweep, t.setting, t.setting_label, t.heads, t.trial_id, t.flops_per_step,
           min(c.step) AS step, c.elapsed_s
      FROM trials AS t LEFT JOIN curve AS c ON c.trial_id = t.trial_id AND c.val_acc >= 0.99
     WHERE t.in_plan AND NOT t.is_tuning AND t.choice = 'chosen' AND t.state = 'completed'
     GROUP BY t.trial_id
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY sweep, setting, heads ORDER BY step IS NULL, step)
              AS place,
           count(*) OVER (PARTITION BY sweep, setting, heads) AS n,
           count(step) OVER (PARTITION BY sweep, setting, heads) AS arrived
      FROM arrival
)
SELECT sweep, setting_label AS setting, heads, n, arrived,
       CAST(avg(step) AS INTEGER) AS median_steps,
       CASE WHEN arrived THEN printf('%.3g', avg(step * flops_per_step)) END AS median_flops,
       round(avg(elapsed_s), 2) AS median_s
  FROM ranked
 WHERE arrived = 0 OR place IN ((arrived + 1) / 2, (arrived + 2) / 2)
 GROUP BY sweep, setting, heads
 ORDER BY sweep, setting, median_steps IS NULL, median_steps, heads;
