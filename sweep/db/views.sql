-- The views of a results file. They hold nothing: when a file is migrated they are made anew. Each
-- starts from `sweep`: where the program asks for one sweep, that table has one row
-- (scope_rows_of_sweep), and a view must not cost more than its trials do.

-- Under `confirm` all but `trials` and `progress` are of the trials that explore: those that confirm
-- what these have found (confirms = 1) are in no mean here.

-- Everything about a trial on one line.
CREATE VIEW trials AS
SELECT t.trial_id, s.name AS sweep, t.setting, t.setting_label, c.task, c.heads, c.d_model,
       t.seed, t.state, t.in_plan, t.is_tuning, t.tuning, t.choice, t.plan_order,
       t.test_acc, t.test_exact, t.test_loss,
       CASE WHEN c.task = 'text' AND c.mode = 'lm' THEN t.test_loss / ln(2) END AS bits_per_byte,
       t.test_acc_by_slot, t.val_acc, t.val_loss,
       t.train_acc, t.chance, t.best_step, t.steps_done, c.steps, t.bad_step, t.train_s,
       c.n_params, c.flops_per_step, c.form, c.segment_width, c.kv_heads, c.mask, c.d_head,
       c.d_k, c.d_v, c.layers, c.d_ff, c.norm,
       c.activation, c.positions, c.pool, c.init, c.dropout, c.length, c.vocab, c.slots,
       c.instance, c.batch, c.lr, c.optimizer, c.weight_decay, c.clip, c.schedule, c.warmup,
       c.eval_every, c.examples, c.mode, c.data_sha256, t.attempt, t.retries_used, t.resume_step, a.started, a.ended,
       a.host, a.pid, a.cpu_s, a.max_rss_kib, a.exit_code, a.signal, a.error, a.note,
       t.replicate, t.look, t.until, t.limit_hit, t.in_shard, t.added, t.confirms,
       t.remark,
       t.checkpoint, t.checkpoint_sha256, c.config_sha256, c.config_json, t.sweep_id, t.config_id
  FROM trial AS t
  JOIN sweep AS s USING (sweep_id)
  JOIN config AS c USING (config_id)
  LEFT JOIN attempt AS a ON a.trial_id = t.trial_id AND a.attempt = t.attempt;

-- Test accuracy per head count over the completed trials of the plan; under `tune` at the chosen
-- setting. n counts what is taken for independent: trials or, where axes are replicated, their
-- values (instances), each with the mean over its n_trials / n trials. n_bad diverged or failed and
-- are in no mean but mean_all, where they count as a guess, as in reports; n_limit ended at a limit
-- and are in none. With n < 2 there is no interval; where all n are equal it has no width, which is
-- not certainty: the sample shows no variance to go by.
-- Intervals are cut where no value can lie: of accuracies at 0 and 1, of losses at 0.
CREATE VIEW by_heads AS
WITH unit AS MATERIALIZED (
    SELECT t.sweep_id, t.setting, c.heads, t.trial_id, t.chance, t.state = 'completed' AS good,
           t.state <> 'completed' AND NOT t.limit_hit AS bad, t.limit_hit AS limited,
           CASE t.state WHEN 'completed' THEN t.test_acc END AS acc,
           CASE WHEN t.state = 'completed' THEN t.test_acc
                WHEN NOT t.limit_hit THEN t.chance END AS shown,
           CASE t.state WHEN 'completed' THEN t.test_loss END AS loss,
           t.state = 'completed' AND t.test_acc >= 0.99 AS solved,
           CASE t.state WHEN 'completed' THEN t.train_acc END AS train_acc,
           CASE t.state WHEN 'completed' THEN t.test_exact END AS exact,
           CASE t.state WHEN 'completed' THEN t.train_s END AS train_s
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.trial_id IN (SELECT trial_id FROM sweep CROSS JOIN trial USING (sweep_id)
                           WHERE in_plan = 1 AND state IN ('completed', 'diverged', 'failed'))
       AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen' AND t.replicate = '{}'
     UNION ALL
    SELECT t.sweep_id, t.setting, c.heads, t.trial_id, max(t.chance), sum(t.state = 'completed'),
           sum(t.state <> 'completed' AND NOT t.limit_hit), sum(t.limit_hit),
           avg(CASE t.state WHEN 'completed' THEN t.test_acc END),
           avg(CASE WHEN t.state = 'completed' THEN t.test_acc
                    WHEN NOT t.limit_hit THEN t.chance END),
           avg(CASE t.state WHEN 'completed' THEN t.test_loss END),
           sum(t.state = 'completed' AND t.test_acc >= 0.99),
           sum(CASE t.state WHEN 'completed' THEN t.train_acc END),
           sum(CASE t.state WHEN 'completed' THEN t.test_exact END),
           sum(CASE t.state WHEN 'completed' THEN t.train_s END)
      FROM sweep AS s CROSS JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
     WHERE s.replicate <> '[]' AND t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0
       AND t.choice = 'chosen' AND t.state IN ('completed', 'diverged', 'failed') AND t.replicate <> '{}'
     GROUP BY t.sweep_id, t.setting, c.heads, t.replicate
), summary AS MATERIALIZED ( -- numbers are compared first: most of them differ
    SELECT heads, setting, sweep_id, count(acc) AS n, count(shown) AS n_all,
           sum(good) AS n_trials, sum(bad) AS n_bad, sum(limited) AS n_limit,
           CASE WHEN min(acc) = max(acc) THEN min(acc) ELSE avg(acc) END AS mean,
           CASE WHEN min(loss) = max(loss) THEN min(loss) ELSE avg(loss) END AS mean_loss,
           CASE WHEN min(shown) = max(shown) THEN min(shown) ELSE avg(shown) END AS mean_all,
           min(acc) AS min_acc, max(acc) AS max_acc, sum(solved) AS n_solved,
           sum(train_acc) / sum(good) AS mean_train_acc, sum(exact) / sum(good) AS mean_exact,
           sum(train_s) / sum(good) AS mean_train_s
      FROM unit GROUP BY heads, setting, sweep_id
), ranked AS (
    SELECT heads, setting, sweep_id, acc, loss, shown, chance, trial_id,
           row_number() OVER (PARTITION BY heads, setting, sweep_id
                              ORDER BY acc IS NULL, acc) AS place
      FROM unit
), spread AS MATERIALIZED (
    SELECT heads, setting, sweep_id, max(chance) AS chance, trial_id,
           sum((acc - s.mean) * (acc - s.mean)) AS squares,
           sum((loss - s.mean_loss) * (loss - s.mean_loss)) AS squares_loss,
           sum((shown - s.mean_all) * (shown - s.mean_all)) AS squares_all,
           avg(acc) FILTER (WHERE place IN ((s.n + 1) / 2, (s.n + 2) / 2)) AS median_acc
      FROM ranked CROSS JOIN summary AS s USING (heads, setting, sweep_id)
     GROUP BY heads, setting, sweep_id
), wide AS (
    SELECT *, CASE WHEN n > 1 THEN sqrt(squares / (n - 1)) END AS sd,
           CASE WHEN n > 1 THEN sqrt(squares_loss / (n - 1)) END AS sd_loss,
           CASE WHEN n_all > 1 THEN sqrt(squares_all / (n_all - 1)) END AS sd_all,
           (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
             ORDER BY df DESC LIMIT 1) / sqrt(n) AS widths,
           (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n_all - 1
             ORDER BY df DESC LIMIT 1) / sqrt(n_all) AS widths_all
      FROM summary CROSS JOIN spread USING (heads, setting, sweep_id)
)
SELECT s.name AS sweep, w.setting, t.setting_label, c.task, w.heads, c.d_model, n, n_bad,
       mean AS mean_acc, sd AS sd_acc, max(mean - sd * widths, 0.0) AS ci95_low,
       min(mean + sd * widths, 1.0) AS ci95_high, min_acc, median_acc, max_acc, n_solved,
       mean_train_acc, mean_exact, mean_train_s, c.n_params, w.chance, n_trials, n_limit, mean_loss,
       max(mean_loss - sd_loss * widths, 0.0) AS loss_low,
       mean_loss + sd_loss * widths AS loss_high, mean_all,
       max(mean_all - sd_all * widths_all, 0.0) AS all_low,
       min(mean_all + sd_all * widths_all, 1.0) AS all_high
  FROM wide AS w CROSS JOIN sweep AS s USING (sweep_id) JOIN trial AS t USING (trial_id)
  JOIN config AS c USING (config_id)
 ORDER BY s.name, w.setting, w.heads;

-- Under `tune`: how each candidate did on the tuning seeds. score is the sweep's metric (its mean;
-- diverged and failed trials count as guessing), rank 1 the best; settled = 0 while some still run.
-- eliminated_at: the step of the rung at which a candidate was eliminated; it ranks behind those that
-- went further, whatever its score. n_outer: on how many axes of numbers it has the smallest or the
-- largest value that its head count was given; of equal ones the candidate with fewer is better, then
-- the one that was planned first. added: how many steps beyond the values that the sweep file lists it
-- lies (tune.extend); 0: the file lists it.
CREATE VIEW tuning AS
WITH score AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, t.tuning, min(t.plan_order) AS first,
           max(t.added) AS added, count(*) AS n,
           count(*) FILTER (WHERE t.state IN ('diverged', 'failed')) AS n_bad,
           count(*) FILTER (WHERE t.state IN ('queued', 'running')) AS n_left,
           CASE WHEN sum(t.choice = 'eliminated') THEN coalesce(max(t.until), 0) END AS eliminated_at,
           s.metric, s.goal,
           avg(CASE WHEN s.metric = 'val_loss' THEN CASE WHEN t.state = 'completed' THEN val_loss END
                    WHEN t.state = 'completed' THEN val_acc
                    WHEN t.state IN ('diverged', 'failed') THEN t.chance END) AS score
      FROM trial AS t JOIN config AS c USING (config_id) JOIN sweep AS s USING (sweep_id)
     WHERE t.is_tuning = 1 AND t.in_plan = 1 AND t.tuning <> '{}'
     GROUP BY t.sweep_id, t.setting, c.heads, t.tuning
), given AS (
    SELECT score.*, o.value, min(iif(o.type IN ('integer', 'real'), o.value, NULL)) OVER axis AS low,
           max(iif(o.type IN ('integer', 'real'), o.value, NULL)) OVER axis AS high
      FROM score CROSS JOIN json_each(score.tuning) AS o
    WINDOW axis AS (PARTITION BY sweep_id, setting, heads, o.key)
), candidate AS (
    SELECT DISTINCT sweep_id, setting, setting_label, heads, tuning, first, added, n, n_bad,
           n_left, eliminated_at, metric, goal, score,
           sum(coalesce(low < high AND value IN (low, high), 0)) OVER same AS n_outer
      FROM given
    WINDOW same AS (PARTITION BY sweep_id, setting, heads, tuning)
)
SELECT s.name AS sweep, setting, setting_label, heads, tuning, n, n_bad, score,
       row_number() OVER (PARTITION BY sweep_id, setting, heads
                          ORDER BY eliminated_at IS NOT NULL, eliminated_at DESC,
                                   CASE c.metric WHEN 'val_loss' THEN n_bad END,
                                   score IS NULL,
                                   CASE c.goal WHEN 'minimize' THEN score ELSE -score END,
                                   n_outer, first, added) AS rank,
       sum(n_left) OVER (PARTITION BY sweep_id, setting, heads) = 0 AS settled, eliminated_at,
       n_outer, sweep_id, added
  FROM candidate AS c JOIN sweep AS s USING (sweep_id);

-- Under `tune`: the values that each head count was given of each axis. chosen: whether it chose this
-- one (NULL while it has not). edge: this number is its choice and the smallest or the largest of
-- several, or the only one where other head counts of the setting were given others; a better one may
-- lie beyond, unless the score is perfect.
CREATE VIEW tried AS
WITH value AS (
    SELECT DISTINCT t.sweep_id, t.setting, t.setting_label, t.heads, o.key AS axis, o.value, o.type,
           CASE WHEN settled THEN min(rank) OVER value = 1 END AS chosen,
           max(score) FILTER (WHERE rank = 1) OVER heads AS score
      FROM tuning AS t CROSS JOIN json_each(t.tuning) AS o
    WINDOW value AS (PARTITION BY t.sweep_id, t.setting, t.heads, o.key, o.value),
           heads AS (PARTITION BY t.sweep_id, t.setting, t.heads)
), own AS (
    SELECT *, min(iif(type IN ('integer', 'real'), value, NULL)) OVER axis AS low,
           max(iif(type IN ('integer', 'real'), value, NULL)) OVER axis AS high,
           count(*) OVER axis = 1 AND min(value) OVER setting < max(value) OVER setting AS alone
      FROM value
    WINDOW axis AS (PARTITION BY sweep_id, setting, heads, axis),
           setting AS (PARTITION BY sweep_id, setting, axis)
)
SELECT s.name AS sweep, setting, setting_label, heads, axis, value, type, chosen,
       CASE WHEN chosen AND score IS NOT CASE s.metric WHEN 'val_loss' THEN 0 ELSE 1 END
            THEN CASE WHEN value = low AND alone THEN 'only'
                      WHEN value = low AND low < high THEN 'smallest'
                      WHEN value = high AND low < high THEN 'largest' END END AS edge, sweep_id
  FROM own JOIN sweep AS s USING (sweep_id);

-- Under `tune`: the candidate each head count uses, once all of its tuning trials have ended.
CREATE VIEW chosen AS
SELECT sweep, setting, setting_label, heads, tuning, n, n_bad, score, sweep_id
  FROM tuning WHERE rank = 1 AND settled;

-- Differences in test accuracy between head counts, a - b, trials paired by seed and, where axes are
-- replicated, within each of their values (instance), which then are what n counts: each with the
-- mean difference over the seeds that both have. Each pair is there in both directions. Under `tune`
-- each head count stands at its chosen setting. The variance is taken about the difference of the
-- two means: the mean difference itself where every seed is on both sides, and next to it elsewhere
-- (corrected two-pass: Chan, Golub, LeVeque 1983).
CREATE VIEW paired AS
WITH done AS MATERIALIZED (
    SELECT t.sweep_id, t.setting, t.setting_label, t.replicate, t.seed, c.heads,
           t.test_acc AS acc, t.test_loss AS loss
      FROM sweep AS s CROSS JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
       AND t.state = 'completed'
), mean AS MATERIALIZED (
    SELECT sweep_id, setting, heads, avg(acc) AS centre FROM done GROUP BY sweep_id, setting, heads
), centred AS MATERIALIZED (
    SELECT done.*, acc - centre AS off FROM done JOIN mean USING (sweep_id, setting, heads)
), unit AS (
    SELECT sweep_id, setting, a.setting_label, a.heads AS heads_a, b.heads AS heads_b,
           a.acc - b.acc AS diff, a.off - b.off AS off, a.loss - b.loss AS loss
      FROM centred AS a JOIN centred AS b USING (sweep_id, setting, seed)
     WHERE a.heads < b.heads AND a.replicate = '{}'
     UNION ALL
    SELECT sweep_id, setting, a.setting_label, a.heads, b.heads,
           avg(a.acc - b.acc), avg(a.off - b.off), avg(a.loss - b.loss)
      FROM centred AS a JOIN centred AS b USING (sweep_id, setting, seed, replicate)
     WHERE a.heads < b.heads AND a.replicate <> '{}'
     GROUP BY sweep_id, setting, a.heads, b.heads, replicate
), pair AS MATERIALIZED (
    SELECT sweep_id, setting, setting_label, heads_a, heads_b,
           count(*) AS n, sum(diff > 0) AS wins, sum(diff < 0) AS losses,
           avg(diff) AS mean, min(diff) AS low, max(diff) AS high, avg(loss) AS mean_loss,
           sum(off) AS off, sum(off * off) AS squares
      FROM unit GROUP BY sweep_id, setting, heads_a, heads_b
), spread AS (
    SELECT sweep_id, setting, setting_label, heads_a, heads_b, n, wins, losses, mean_loss,
           CASE WHEN low = high THEN low ELSE mean END AS mean,
           CASE WHEN n > 1 THEN
                CASE WHEN low = high THEN 0.0
                     ELSE sqrt(max(squares - off * off / n, 0) / (n - 1)) END END AS sd
      FROM pair
), wide AS MATERIALIZED (
    SELECT *, sd / sqrt(n) * (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
                               ORDER BY df DESC LIMIT 1) AS half
      FROM spread
), both AS (
    SELECT sweep_id, setting, setting_label, heads_a, heads_b, n, wins, mean, mean_loss, sd, half
      FROM wide
    UNION ALL
    SELECT sweep_id, setting, setting_label, heads_b, heads_a, n, losses, 0 - mean, 0 - mean_loss,
           sd, half
      FROM wide
)
SELECT name AS sweep, setting, setting_label, heads_a, heads_b, n, mean AS mean_diff,
       sd AS sd_diff, mean - half AS ci95_low, mean + half AS ci95_high, wins,
       mean_loss AS mean_loss_diff
  FROM both JOIN sweep USING (sweep_id)
 ORDER BY sweep, setting, heads_a, heads_b;

-- Under `tune`: the queued trials that wait for the choice of their head count. Those of one value
-- can run, whichever is chosen: surplus counts the others, the fewest that will not be needed.
CREATE VIEW undecided AS
WITH candidate AS (
    SELECT t.sweep_id, t.setting, c.heads, t.in_shard, count(*) AS n
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.state = 'queued' AND t.choice = 'waiting' AND t.is_tuning = 0 AND t.tuning <> '{}'
       AND t.in_plan = 1
     GROUP BY t.sweep_id, t.setting, c.heads, t.in_shard, t.tuning
)
SELECT sweep_id, setting, heads, in_shard, sum(n) AS waiting, sum(n) - max(n) AS surplus
  FROM candidate GROUP BY sweep_id, setting, heads, in_shard;

-- How far each sweep is; everybody who counts trials asks here. planned: those that can still run or
-- have ended; not_needed: those that cannot run any more, and the surplus of undecided choices;
-- elsewhere: queued trials of other shards, which are in neither. half_done: of the queued, those
-- that resume from a checkpoint. States are asked first: the index has them, and only of queued
-- trials the table is needed.
CREATE VIEW progress AS
WITH spare AS (
    SELECT sweep_id, coalesce(sum(surplus) FILTER (WHERE in_shard), 0) AS here,
           coalesce(sum(surplus) FILTER (WHERE NOT in_shard), 0) AS there
      FROM undecided GROUP BY sweep_id
), counted AS (
    SELECT s.sweep_id, count(t.trial_id) AS trials,
           count(*) FILTER (WHERE t.state = 'queued' AND t.in_shard) AS queued,
           count(*) FILTER (WHERE t.state = 'queued' AND NOT t.in_shard) AS elsewhere,
           count(*) FILTER (WHERE t.state = 'queued' AND t.in_shard AND t.resume_step > 0)
               AS half_done,
           count(*) FILTER (WHERE t.state = 'running') AS running,
           count(*) FILTER (WHERE t.state = 'completed') AS completed,
           count(*) FILTER (WHERE t.state = 'diverged') AS diverged,
           count(*) FILTER (WHERE t.state = 'failed') AS failed,
           count(*) FILTER (WHERE t.state = 'not_needed') AS not_needed,
           avg(t.train_s) FILTER (WHERE t.state = 'completed') AS mean_train_s
      FROM sweep AS s LEFT JOIN trial AS t ON t.sweep_id = s.sweep_id AND t.in_plan = 1
     GROUP BY s.sweep_id
)
SELECT s.name AS sweep,
       trials - t.not_needed - t.elsewhere - coalesce(here, 0) AS planned,
       queued - coalesce(here, 0) AS queued, running, completed, diverged, failed,
       t.not_needed + coalesce(here + there, 0) AS not_needed, mean_train_s,
       s.created, s.last_run, s.remark,
       t.elsewhere - coalesce(there, 0) AS elsewhere, half_done, s.sweep_id
  FROM counted AS t JOIN sweep AS s USING (sweep_id) LEFT JOIN spare USING (sweep_id)
 ORDER BY s.name;

-- What an accuracy costs: by_heads beside parameters, FLOPs of an example's forward pass (training
-- takes three times as many), CPU seconds of a trial with all its attempts, the largest memory of
-- one, and the median over trials of the milliseconds that inference takes per example (NULL until
-- `headcount heads` or `prune` has measured it, in n_infer trials). acc_per_*: mean accuracy over a
-- million parameters, a million FLOPs, a CPU second, a MiB, a millisecond.
CREATE VIEW cost AS
WITH trained AS (
    SELECT t.trial_id, t.sweep_id, t.setting, c.heads, c.flops_per_step / c.batch / 3 AS flops,
           c.layers
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.trial_id IN (SELECT trial_id FROM sweep CROSS JOIN trial USING (sweep_id)
                           WHERE in_plan = 1 AND state = 'completed')
       AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
), one AS (
    SELECT heads, setting, sweep_id, max(flops) AS flops, sum(cpu_s) AS cpu_s,
           max(max_rss_kib) AS rss_kib
      FROM trained LEFT JOIN attempt USING (trial_id) GROUP BY trial_id
), timed AS ( -- in most files no trial was measured
    SELECT heads, setting, sweep_id, infer_ms, row_number() OVER same AS place,
           count(infer_ms) OVER of_heads AS n_infer
      FROM trained CROSS JOIN pruning AS p USING (trial_id)
     WHERE EXISTS (SELECT 1 FROM pruning)
       AND method = 'none' AND kept = heads * layers AND infer_ms IS NOT NULL
    WINDOW of_heads AS (PARTITION BY heads, setting, sweep_id),
           same AS (of_heads ORDER BY infer_ms)
), inference AS MATERIALIZED (
    SELECT heads, setting, sweep_id, n_infer,
           avg(infer_ms) FILTER (WHERE place IN ((n_infer + 1) / 2, (n_infer + 2) / 2)) AS infer_ms
      FROM timed GROUP BY heads, setting, sweep_id
), spent AS MATERIALIZED (
    SELECT heads, setting, sweep_id, max(flops) AS flops, avg(cpu_s) AS cpu_s,
           max(rss_kib) AS rss_kib, coalesce(max(n_infer), 0) AS n_infer, max(infer_ms) AS infer_ms
      FROM one LEFT JOIN inference USING (heads, setting, sweep_id)
     GROUP BY heads, setting, sweep_id
)
SELECT b.sweep, b.setting, b.setting_label, b.task, b.heads, b.d_model, b.n, b.mean_acc,
       b.n_params, flops AS flops_per_example, cpu_s AS mean_cpu_s, rss_kib AS max_rss_kib,
       infer_ms, n_infer, 1e6 * mean_acc / n_params AS acc_per_mparam,
       1e6 * mean_acc / flops AS acc_per_mflop, mean_acc / cpu_s AS acc_per_cpu_s,
       1024 * mean_acc / rss_kib AS acc_per_mib, mean_acc / infer_ms AS acc_per_infer_ms
  FROM by_heads AS b JOIN sweep AS s ON s.name = b.sweep
  JOIN spent USING (sweep_id, setting, heads)
 ORDER BY b.sweep, b.setting, b.heads;

-- "Trained with 8 heads, pruned to 3" beside "trained with 3": test accuracy and its 95% interval, of
-- pruned models over n trials (or instances, as in by_heads) and of the head count of the same
-- setting that has as many heads; NULL where none was trained so. kept counts the heads of all layers.
CREATE VIEW prune_or_train AS
WITH unit AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, c.layers, p.kept, p.method,
           p.finetuned_steps, p.lr, avg(p.test_acc) AS acc, avg(p.infer_ms) AS infer_ms,
           avg(p.n_params) AS n_params
      FROM pruning AS p JOIN trial AS t USING (trial_id) JOIN config AS c USING (config_id)
      JOIN sweep USING (sweep_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
       AND t.state = 'completed'
     GROUP BY t.sweep_id, t.setting, c.heads, c.layers, p.kept, p.method, p.finetuned_steps, p.lr,
              CASE t.replicate WHEN '{}' THEN t.trial_id ELSE t.replicate END
), centred AS (
    SELECT *, CASE WHEN min(acc) OVER same = max(acc) OVER same THEN acc
                   ELSE avg(acc) OVER same END AS mean
      FROM unit
    WINDOW same AS (PARTITION BY sweep_id, setting, heads, layers, kept, method, finetuned_steps, lr)
), spread AS (
    SELECT sweep_id, setting, setting_label, heads, layers, kept, method, finetuned_steps, lr,
           CASE kept % layers WHEN 0 THEN kept / layers END AS as_many, count(acc) AS n, mean,
           sqrt(sum((acc - mean) * (acc - mean)) / nullif(count(acc) - 1, 0)) AS sd,
           avg(n_params) AS n_params, avg(infer_ms) AS infer_ms
      FROM centred
     GROUP BY sweep_id, setting, heads, layers, kept, method, finetuned_steps, lr
), wide AS (
    SELECT *, sd / sqrt(n) * (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
                               ORDER BY df DESC LIMIT 1) AS half
      FROM spread
), trained AS MATERIALIZED (
    SELECT sweep_id, setting, heads AS as_many, n, mean_acc, ci95_low, ci95_high
      FROM by_heads AS b JOIN sweep AS s ON s.name = b.sweep
), beside AS MATERIALIZED ( -- an ORDER BY next to the join would cost SQLite its index
    SELECT sweep_id, setting, setting_label, heads, layers, kept, method, finetuned_steps, lr, p.n,
           p.mean AS pruned_acc, max(p.mean - half, 0.0) AS pruned_low,
           min(p.mean + half, 1.0) AS pruned_high,
           t.n AS n_trained, t.mean_acc AS trained_acc, t.ci95_low AS trained_low,
           t.ci95_high AS trained_high, n_params, infer_ms
      FROM wide AS p LEFT JOIN trained AS t USING (sweep_id, setting, as_many)
)
SELECT name AS sweep, setting, setting_label, heads, layers, kept, method, finetuned_steps, lr, n,
       pruned_acc, pruned_low, pruned_high, n_trained, trained_acc, trained_low, trained_high,
       n_params, infer_ms
  FROM beside JOIN sweep USING (sweep_id)
 ORDER BY sweep, setting, heads, method, finetuned_steps, lr, kept DESC;

-- The further test sets that the sweep file asks for, beside the one it was trained for.
CREATE VIEW evaluations AS
SELECT t.trial_id, s.name AS sweep, t.setting, t.setting_label, c.heads, t.seed, e.name, e.options,
       e.acc, e.exact, e.loss, t.test_acc, t.test_exact, t.test_loss, t.train_acc, t.chance
  FROM sweep AS s JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
  JOIN evaluation AS e USING (trial_id)
 WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
   AND EXISTS (SELECT 1 FROM json_each(s.eval) AS asked
                WHERE asked.key = e.name AND json(asked.value) = json(e.options))
 ORDER BY s.name, t.plan_order, e.name;

-- Under `confirm`: what was written down of each setting once its exploring trials had ended. explored:
-- the verdict on these; best, over: the claim, NULL where there was nothing to confirm; trials: how many
-- on fresh seeds decide about it, of which so many were there to be `seen` by then.
CREATE VIEW confirmations AS
SELECT s.name AS sweep, c.setting, c.changed AS written, c.what ->> '$.kind' AS explored,
       c.claim ->> '$.best' AS best, c.claim -> '$.over' AS over, c.pairs AS trials, c.seen,
       c.claim, c.what, c.sweep_id, c.plan_change_id
  FROM sweep AS s JOIN plan_change AS c USING (sweep_id)
 WHERE c.by = 'confirm' AND c.plan_change_id = (
       SELECT plan_change_id FROM plan_change AS d
        WHERE d.sweep_id = c.sweep_id AND d.by = 'confirm' AND d.setting = c.setting
        ORDER BY d.claim IS NULL, d.plan_change_id LIMIT 1)
 ORDER BY s.name, c.plan_change_id;

-- Task text, mode classify: how well each label is recognised, over the completed trials of the plan;
-- n, mean and interval as in by_heads. n_rows: rows of the test set that have the label.
CREATE VIEW by_label AS
WITH unit AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, l.label, count(*) AS n_trials,
           avg(l.n) AS n_rows, avg(l.acc) AS acc
      FROM sweep AS s CROSS JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
      JOIN label_acc AS l USING (trial_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
       AND t.state = 'completed'
     GROUP BY t.sweep_id, t.setting, c.heads, l.label,
              CASE t.replicate WHEN '{}' THEN t.trial_id ELSE t.replicate END
), centred AS (
    SELECT *, CASE WHEN min(acc) OVER same = max(acc) OVER same THEN acc
                   ELSE avg(acc) OVER same END AS mean
      FROM unit
    WINDOW same AS (PARTITION BY sweep_id, setting, heads, label)
), spread AS (
    SELECT sweep_id, setting, setting_label, heads, label, count(*) AS n,
           sum(n_trials) AS n_trials, avg(n_rows) AS n_rows, mean,
           sqrt(sum((acc - mean) * (acc - mean)) / nullif(count(*) - 1, 0)) AS sd
      FROM centred GROUP BY sweep_id, setting, heads, label
), wide AS (
    SELECT *, sd / sqrt(n) * (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
                               ORDER BY df DESC LIMIT 1) AS half
      FROM spread
)
SELECT name AS sweep, setting, setting_label, heads, label, n, n_trials, n_rows, mean AS mean_acc,
       sd AS sd_acc, max(mean - half, 0.0) AS ci95_low, min(mean + half, 1.0) AS ci95_high
  FROM wide JOIN sweep USING (sweep_id)
 ORDER BY sweep, setting, heads, label;
