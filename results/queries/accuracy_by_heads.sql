-- How accurate is each head count on the test set?
--   sqlite3 -box results/headcount.db < results/queries/accuracy_by_heads.sql
-- n completed trials (n_bad diverged or failed and are in no mean); 95% t interval of the mean.
SELECT sweep, setting_label AS setting, heads, n, n_bad,
       round(mean_acc, 4) AS mean, round(ci95_low, 4) AS low, round(ci95_high, 4) AS high,
       round(median_acc, 4) AS median, n_solved AS solved, n_params,
       printf('%.*c', round(40 * mean_acc), '#') AS bar
  FROM by_heads
 ORDER BY sweep, setting, heads;
