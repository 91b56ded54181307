-- What the tables of a results file promise each other, beyond what the schema can
-- (store_check.c). Each query gives a row per violation: one value that names it.

-- What a run counts up to or starts from: with numbers out of somebody's hand it would search for
-- attempts that never were, or pay for steps that are not there. A condition on trial_id can follow.

-- name: of_trials, the attempts of a trial are not those that are counted
SELECT 'trial ' || trial_id FROM trial AS t
WHERE (t.attempt <> (SELECT count(*) FROM attempt AS a WHERE a.trial_id = t.trial_id)
    OR t.attempt <> (SELECT coalesce(max(a.attempt), 0)
        FROM attempt AS a WHERE a.trial_id = t.trial_id))

-- name: of_trials, a trial used more retries than it had attempts
SELECT 'trial ' || trial_id FROM trial WHERE retries_used > attempt

-- Its last evaluation met what the next step would have met.
-- name: of_trials, a trial is at a step beyond its last
SELECT 'trial ' || trial_id FROM trial JOIN config USING (config_id)
WHERE (max(resume_step, steps_done, coalesce(best_step, 0)) > steps OR bad_step > steps + 1)

-- name: of_trials, a running trial has no attempt that is open
SELECT 'trial ' || trial_id FROM trial AS t
WHERE state = 'running'
    AND NOT EXISTS (SELECT 1 FROM attempt AS a
        WHERE a.trial_id = t.trial_id AND a.attempt = t.attempt AND a.ended IS NULL)

-- name: of_configs, a configuration has an impossible number of parameters or operations
SELECT 'config ' || config_id FROM config WHERE n_params > 1000000000000000 OR flops_per_step > 1e30

-- What a trial's result says: where its rows are not what that says, these are broken too.

-- name: of_results, a completed trial did not do all its steps
SELECT 'trial ' || trial_id FROM trial JOIN config USING (config_id)
WHERE state = 'completed' AND steps_done <> steps

-- name: of_results, a completed trial has no row of the curve at its last or its best step
SELECT 'trial ' || trial_id FROM trial AS t
WHERE state = 'completed'
    AND (NOT EXISTS (SELECT 1 FROM curve AS c
            WHERE c.trial_id = t.trial_id AND c.step = t.steps_done)
        OR NOT EXISTS (SELECT 1 FROM curve AS c
            WHERE c.trial_id = t.trial_id AND c.step = t.best_step))

-- name: of_results, the best step is not the earliest with the best metric
SELECT 'trial ' || trial_id
FROM (SELECT trial_id, best_step, step,
        row_number() OVER (PARTITION BY trial_id
            ORDER BY CASE metric WHEN 'val_loss' THEN curve.val_loss ELSE -curve.val_acc END,
                step) AS place
    FROM trial JOIN sweep USING (sweep_id) JOIN curve USING (trial_id) WHERE state = 'completed')
WHERE place = 1 AND step <> best_step

-- name: of_results, a trial's accuracy or loss is not that of its curve at its best step
SELECT 'trial ' || t.trial_id
FROM trial AS t JOIN curve AS c ON c.trial_id = t.trial_id AND c.step = t.best_step
WHERE state IN ('completed', 'diverged')
    AND (t.val_acc IS NOT c.val_acc OR t.val_loss IS NOT c.val_loss
        OR t.train_acc IS NOT c.train_acc)

-- name: of_results, a diverged trial does not say at which step
SELECT 'trial ' || trial_id FROM trial WHERE state = 'diverged' AND bad_step IS NULL

-- name: of_results, the blocks of a trial's text are not numbered from 0
SELECT 'trial ' || trial_id FROM block_loss GROUP BY trial_id HAVING max(block) >= count(*)

-- But for rounding.
-- name: of_results, a trial's test loss is not between those of its blocks
SELECT 'trial ' || trial_id FROM trial JOIN block_loss USING (trial_id) GROUP BY trial_id
HAVING test_loss NOT BETWEEN min(loss) - 1e-3 AND max(loss) + 1e-3

-- name: of_results, a trial's test accuracy is not the mean of those of its labels
SELECT 'trial ' || trial_id FROM trial JOIN label_acc USING (trial_id) GROUP BY trial_id
HAVING abs(test_acc - sum(n * acc) / sum(n)) > 1e-6

-- name: of_everything, rows refer to rows that do not exist
SELECT count(*) || ' of ' || "table" || ' to ' || parent FROM pragma_foreign_key_check
GROUP BY "table", parent

-- name: of_everything, a trial that has not run has results
SELECT 'trial ' || trial_id FROM trial
WHERE state IN ('queued', 'running', 'not_needed')
    AND (test_acc IS NOT NULL OR checkpoint IS NOT NULL)

-- name: of_everything, a trial has ended, but no attempt ended it
SELECT 'trial ' || t.trial_id FROM trial AS t LEFT JOIN attempt AS a USING (trial_id, attempt)
WHERE state IN ('completed', 'diverged', 'failed')
    AND (a.trial_id IS NULL OR a.outcome IS NULL OR a.outcome <> t.state)

-- name: of_everything, a trial completed more than once
SELECT 'trial ' || trial_id FROM attempt
WHERE outcome IN ('completed', 'diverged') GROUP BY trial_id HAVING count(*) > 1

-- name: of_everything, an attempt goes on from a step that its trial does not have
SELECT 'trial ' || trial_id || ' attempt ' || a.attempt
FROM attempt AS a JOIN trial USING (trial_id) JOIN config USING (config_id)
WHERE resumed_from_step NOT BETWEEN 0 AND steps

-- name: of_everything, an interval would be taken from a number that is no t quantile
SELECT 'df ' || df FROM t_quantile
WHERE level <> .975 OR df NOT BETWEEN 1 AND 1000 OR t NOT BETWEEN 1.9 AND 13

-- name: of_everything, a trial pauses where it never can
SELECT 'trial ' || trial_id FROM trial JOIN config USING (config_id)
WHERE until IS NOT NULL AND (until >= steps OR NOT is_tuning)

-- name: of_everything, a trial has ended, but is to pause
SELECT 'trial ' || trial_id FROM trial
WHERE until IS NOT NULL AND in_plan = 1 AND state IN ('completed', 'diverged', 'failed')

-- name: of_everything, a tuning trial waits before its rung
SELECT 'trial ' || trial_id FROM trial
WHERE choice = 'waiting' AND is_tuning = 1 AND in_plan = 1
    AND (until IS NULL OR resume_step < until)

-- name: of_everything, a trial hit a limit, but has not failed
SELECT 'trial ' || trial_id FROM trial WHERE limit_hit AND state <> 'failed'

-- name: of_everything, a look has no trials, or one of them has not ended
SELECT 'sweep ' || name || ', look ' || look FROM look AS l JOIN sweep USING (sweep_id)
WHERE NOT EXISTS (SELECT 1 FROM trial AS t
    WHERE t.sweep_id = l.sweep_id AND t.setting = l.setting AND t.look = l.look AND in_plan = 1
        AND is_tuning = 0 AND confirms = 0)
    OR EXISTS (SELECT 1 FROM trial AS t
        WHERE t.sweep_id = l.sweep_id AND t.setting = l.setting AND t.look <= l.look AND in_plan = 1
            AND is_tuning = 0 AND confirms = 0
            AND (choice = 'waiting' OR (choice = 'chosen' AND state IN ('queued', 'running'))))

-- name: of_everything, a look was judged without those before it, or after a decision
SELECT 'sweep ' || name || ', look ' || look FROM look AS l JOIN sweep USING (sweep_id)
WHERE look <> 1 + (SELECT count(*) FROM look AS b
    WHERE b.sweep_id = l.sweep_id AND b.setting = l.setting AND b.look < l.look AND NOT b.decided)

-- name: of_everything, a sweep's plan or claim is not the one that was recorded last
SELECT 'sweep ' || name
FROM sweep AS s
    LEFT JOIN plan_change AS c ON plan_change_id = (SELECT max(plan_change_id)
        FROM plan_change AS n WHERE n.sweep_id = s.sweep_id AND by = 'file')
WHERE c.pairs IS NULL OR c.claim IS NOT s.claim
    OR c.pairs <> (SELECT count(*) FROM trial AS t
        WHERE t.sweep_id = s.sweep_id AND in_plan = 1 AND added = 0 AND confirms = 0)

-- name: of_everything, a confirming trial is needed that no claim names, or on a seed that is not fresh
SELECT 'trial ' || trial_id FROM trial AS t JOIN config USING (config_id)
WHERE confirms = 1 AND in_plan = 1
    AND (seed < 2000
        OR (choice <> 'eliminated'
            AND NOT EXISTS (SELECT 1 FROM plan_change AS c
                WHERE c.sweep_id = t.sweep_id AND c.setting = t.setting
                    AND (heads = claim ->> '$.best'
                        OR heads IN (SELECT value FROM json_each(claim, '$.over')))
                    AND (what -> '$.configs' IS NULL
                        OR json_remove(config_json, '$.task.options.instance') IN
                            (SELECT json_remove(k.config_json, '$.task.options.instance')
                            FROM json_each(what, '$.configs')
                                JOIN config AS k ON k.config_sha256 = value)))))

-- name: of_everything, a claim to be confirmed has not the trials that it was written with
SELECT 'sweep ' || name || ', ' || c.setting FROM plan_change AS c JOIN sweep AS s USING (sweep_id)
WHERE by = 'confirm' AND c.claim IS NOT NULL AND s.confirm IS NOT NULL
    AND EXISTS (SELECT 1 FROM trial AS t
        WHERE t.sweep_id = s.sweep_id AND t.setting = c.setting AND in_plan = 1 AND confirms = 0)
    AND NOT EXISTS (SELECT 1 FROM plan_change AS d
        WHERE d.sweep_id = c.sweep_id AND d.setting = c.setting AND d.claim IS NOT NULL
            AND d.plan_change_id < c.plan_change_id)
    AND pairs <> (SELECT count(*) FROM trial AS t
        WHERE t.sweep_id = s.sweep_id AND t.setting = c.setting AND in_plan = 1 AND confirms = 1
            AND choice = 'chosen')

-- name: of_everything, a value was added to a sweep that adds none, or not so far beyond its list
SELECT 'trial ' || trial_id FROM trial JOIN sweep USING (sweep_id)
WHERE in_plan = 1 AND added > coalesce(extend * json_array_length(tune), 0)

-- name: of_everything, a deleted trial is there again
SELECT 'trial ' || trial_id FROM deleted JOIN trial USING (trial_id)

-- name: of_everything, a study was answered about a trial that has not completed
SELECT 'trial ' || trial_id || ', study ' || name FROM study JOIN trial USING (trial_id)
WHERE state <> 'completed'

-- name: of_everything, a study was answered from other weights than its trial has
SELECT 'trial ' || trial_id || ', study ' || name FROM study AS s JOIN trial AS t USING (trial_id)
WHERE s.checkpoint_sha256 <> t.checkpoint_sha256

-- name: of_everything, a measure is of a step, layer or head that its trial does not have
SELECT DISTINCT 'trial ' || trial_id
FROM (SELECT trial_id, step, layer, head
    FROM head_metric
    UNION ALL SELECT trial_id, step, layer, head FROM head_slot
    UNION ALL SELECT trial_id, step, layer, 0 FROM layer_metric)
    JOIN trial USING (trial_id) JOIN config USING (config_id)
WHERE step > steps OR layer >= layers OR head >= heads

-- But for rounding.
-- name: of_everything, a measure of heads is not within its bounds
SELECT DISTINCT 'trial ' || trial_id FROM head_metric
WHERE importance < 0 OR distance < 0 OR ablation_loss < 0 OR importance_norm NOT BETWEEN 0 AND 1.001
    OR ablation_acc NOT BETWEEN 0 AND 1.001 OR confidence NOT BETWEEN 0 AND 1.001
    OR entropy NOT BETWEEN -.001 AND 1.001 OR wo_share NOT BETWEEN 0 AND 1.001
UNION SELECT 'trial ' || trial_id FROM head_slot
WHERE mass NOT BETWEEN 0 AND 1.001

-- name: of_everything, a measure of layers is not within its bounds
SELECT DISTINCT 'trial ' || trial_id FROM layer_metric
WHERE effective_rank < 0 OR disagreement_subspace NOT BETWEEN -1.001 AND 1.001
    OR disagreement_position NOT BETWEEN -1.001 AND .001
    OR disagreement_output NOT BETWEEN -1.001 AND 1.001

-- name: of_everything, the heads that a pruned model kept and those that were removed are not all heads
SELECT 'trial ' || trial_id || ', ' || method || ' ' || kept
FROM pruning JOIN trial USING (trial_id) JOIN config USING (config_id)
WHERE kept + json_array_length(removed) <> heads * layers
    OR EXISTS (SELECT 1 FROM json_each(removed) AS r
        WHERE r.value ->> 0 NOT BETWEEN 0 AND layers - 1
            OR r.value ->> 1 NOT BETWEEN 0 AND heads - 1)

-- name: of_everything, an ensemble is not of so many completed trials of its sweep with so many heads
SELECT 'sweep ' || name || ', trials ' || trials FROM ensemble AS e JOIN sweep USING (sweep_id)
WHERE members <> (SELECT count(DISTINCT trial_id)
    FROM json_each(e.trials) JOIN trial AS t ON trial_id = value JOIN config AS c USING (config_id)
    WHERE state = 'completed' AND t.sweep_id = e.sweep_id AND (t.setting = e.setting OR NOT in_plan)
        AND c.heads = e.heads)

-- name: of_everything, a trial that has not completed has a loss of text or an accuracy of a label
SELECT DISTINCT 'trial ' || trial_id
FROM (SELECT trial_id FROM block_loss UNION ALL SELECT trial_id FROM label_acc)
    JOIN trial USING (trial_id)
WHERE state <> 'completed'

-- name: of_everything, a configuration learns from a file of which nothing is known
SELECT 'config ' || config_id FROM config
WHERE data_sha256 IS NOT NULL AND data_sha256 NOT IN (SELECT sha256 FROM data_file)
    AND config_id IN (SELECT config_id FROM trial)

-- name: of_everything, a file has another size than its configuration says
SELECT DISTINCT 'config ' || config_id || ', ' || path
FROM config JOIN data_file ON sha256 = data_sha256
WHERE size IS NOT config_json ->> '$.task.options.size'

-- name: of_everything, a sweep has shards that it was not cut into
SELECT 'sweep ' || name FROM sweep
WHERE shards IS NOT NULL
    AND (json_type(shards, '$.here') IS NOT 'array'
        OR EXISTS (SELECT 1 FROM json_each(shards, '$.here') AS h
            WHERE h.value NOT BETWEEN 1 AND shards ->> 'of'))

-- name: of_everything, a trial is of another shard of a sweep that has none
SELECT 'trial ' || trial_id FROM trial JOIN sweep USING (sweep_id)
WHERE in_shard = 0 AND shards IS NULL

-- name: of_everything, an attempt was left open
SELECT 'trial ' || trial_id || ' attempt ' || a.attempt
FROM attempt AS a JOIN trial AS t USING (trial_id)
WHERE a.ended IS NULL AND (t.state <> 'running' OR a.attempt <> t.attempt)
