-- How fast does each head count learn? Validation accuracy by step, over the seeds of the sweep run
-- last.
--   sqlite3 -box results/headcount.db < results/queries/learning_curves.sql
SELECT t.setting_label AS setting, t.heads, c.step, count(*) AS n,
       round(avg(c.val_acc), 4) AS mean_val_acc, round(min(c.val_acc), 4) AS worst,
       round(max(c.val_acc), 4) AS best, round(avg(c.train_loss), 4) AS mean_train_loss
  FROM curve AS c JOIN trials AS t USING (trial_id)
 WHERE t.sweep_id = (SELECT sweep_id FROM sweep ORDER BY last_run DESC, sweep_id DESC LIMIT 1)
   AND t.in_plan AND NOT t.is_tuning AND t.choice = 'chosen' AND t.state = 'completed'
 GROUP BY t.setting, t.heads, c.step
 ORDER BY t.setting, t.heads, c.step;
