-- Which head counts are worth their cost?
--   sqlite3 -box results/headcount.db < results/queries/pareto.sql
-- One row per head count and cost: parameters, FLOPs of an example, CPU seconds of a trial,
-- milliseconds of inference per example (once `headcount heads` has timed it). Those that no other of
-- the setting beats are left: none is as accurate for less, or more accurate for as much. That is by
-- means; by_heads and paired tell which differences are more than chance.
WITH c AS MATERIALIZED (
    SELECT * FROM cost WHERE mean_acc IS NOT NULL
), priced AS (
    SELECT sweep, setting, setting_label, heads, n, mean_acc, 'parameters' AS cost,
           n_params AS price FROM c
     UNION ALL
    SELECT sweep, setting, setting_label, heads, n, mean_acc, 'FLOPs', flops_per_example FROM c
     UNION ALL
    SELECT sweep, setting, setting_label, heads, n, mean_acc, 'CPU s', mean_cpu_s FROM c
     UNION ALL
    SELECT sweep, setting, setting_label, heads, n, mean_acc, 'inference ms', infer_ms FROM c
), ranked AS (
    SELECT *,
           max(mean_acc) OVER (PARTITION BY sweep, setting, cost ORDER BY price
                               RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP)
               AS best_for_less,
           max(mean_acc) OVER (PARTITION BY sweep, setting, cost, price) AS best_for_as_much
      FROM priced WHERE price IS NOT NULL
)
SELECT sweep, setting_label AS setting, cost, heads, n, round(mean_acc, 4) AS mean,
       printf('%.4g', price) AS price
  FROM ranked
 WHERE mean_acc = best_for_as_much AND (best_for_less IS NULL OR mean_acc > best_for_less)
 ORDER BY sweep, setting, cost, ranked.price, heads;
