-- The longer statements of this floor (db/statements.awk makes them C; trials_internal.h has them).

-- ---- claiming and ending (store_trial.c) ----

-- How a change of `trial` is fenced: its last two values are trial and attempt.
-- shared: store_fence
WHERE trial_id = ? AND state = 'running' AND attempt = ?

-- The WHERE repeats that of the index trial_claim word by word. ?2: without those that came to
-- nothing on this machine last; NULL: of all.
-- name: claim_first
SELECT trial_id, attempt + 1, seed, resume_step, is_tuning, config_json, config_sha256,
    setting_label, tuning, task, heads, steps, n_params, until
FROM trial JOIN config USING (config_id)
WHERE sweep_id = ? AND state = 'queued' AND in_plan = 1 AND choice = 'chosen' AND in_shard = 1
    AND (?2 IS NULL OR attempt = 0 OR NOT EXISTS (SELECT 1 FROM attempt AS a
        WHERE a.trial_id = trial.trial_id AND a.attempt = trial.attempt AND a.host = ?2
            AND (a.outcome = 'failed' OR a.cause = 'lost')))
ORDER BY plan_order LIMIT 1

-- name: begin_attempt
INSERT INTO attempt (trial_id, attempt, build_id, host, started, resumed_from_step, job)
VALUES (?, ?, ?, ?, {now}, ?, nullif(?, ''))

-- name: end_attempt
UPDATE attempt SET ended = {now}, outcome = ?, exit_code = ?, signal = ?, cpu_s = ?,
    max_rss_kib = ?, error = coalesce(error, ?), cause = ?
WHERE trial_id = ? AND attempt = ?

-- name: fail_trial
UPDATE trial SET state = CASE WHEN retries_used < ?1 THEN 'queued' ELSE 'failed' END,
    retries_used = retries_used + (retries_used < ?1), resume_step = max(resume_step, ?4),
    limit_hit = ?5 AND retries_used >= ?1
WHERE trial_id = ?2 AND state = 'running' AND attempt = ?3

-- ---- planning: points and trials (store_plan.c) ----

-- The plan as two temporary tables, so that it can be held against the stored trials by SQL.
-- name: plan_tables
CREATE TEMP TABLE planned_point (point INTEGER PRIMARY KEY, config_id INTEGER, setting TEXT,
    setting_label TEXT, tuning TEXT, replicate TEXT);
CREATE TEMP TABLE planned_trial (config_id INTEGER, seed INTEGER, plan_order INTEGER,
    is_tuning INTEGER, point INTEGER, look INTEGER, PRIMARY KEY (config_id, seed)) WITHOUT ROWID

-- name: count_changes
SELECT count(*) FILTER (WHERE t.trial_id IS NULL),
    count(*) FILTER (WHERE t.in_plan AND NOT t.added AND NOT t.confirms),
    count(*) FILTER (WHERE NOT t.in_plan OR t.added OR t.confirms),
    count(*) FILTER (WHERE t.state = 'completed')
FROM planned_trial AS p
LEFT JOIN trial AS t ON t.sweep_id = ?1 AND t.config_id = p.config_id AND t.seed = p.seed

-- name: leave_plan
UPDATE trial SET in_plan = 0
WHERE sweep_id = ? AND in_plan = 1 AND confirms = 0
    AND NOT EXISTS (SELECT 1 FROM planned_trial AS p
        WHERE p.config_id = trial.config_id AND p.seed = trial.seed)

-- Until store_settle knows better.
-- part: first_choice
CASE WHEN (q.tuning <> '{}' AND NOT p.is_tuning) OR p.look > 1 THEN 'waiting' ELSE 'chosen' END

-- name: keep_trials
UPDATE trial SET in_plan = 1, plan_order = p.plan_order, setting = q.setting,
    setting_label = q.setting_label, tuning = q.tuning, is_tuning = p.is_tuning,
    replicate = q.replicate, look = p.look, added = 0, confirms = 0, until = NULL,
    choice = {first_choice},
    state = CASE state WHEN 'not_needed' THEN 'queued' ELSE state END
FROM planned_trial AS p JOIN planned_point AS q USING (point)
WHERE trial.sweep_id = ? AND p.config_id = trial.config_id AND p.seed = trial.seed
    AND (in_plan <> 1 OR added > 0 OR confirms = 1
        OR (trial.plan_order, trial.setting, trial.setting_label, trial.tuning, trial.is_tuning,
            trial.replicate, trial.look)
        <> (p.plan_order, q.setting, q.setting_label, q.tuning, p.is_tuning,
            q.replicate, p.look))

-- Numbers go on behind those of deleted trials, whose files may still lie in the folder.
-- part: last_number
last AS MATERIALIZED (SELECT max(ifnull((SELECT max(trial_id) FROM trial), 0),
    ifnull((SELECT max(trial_id) FROM deleted), 0)) AS id)

-- name: add_trials
WITH {last_number}
INSERT INTO trial (trial_id, sweep_id, config_id, seed, in_plan, plan_order, setting,
    setting_label, tuning, is_tuning, replicate, look, choice, chance)
SELECT (SELECT id FROM last) + row_number() OVER (ORDER BY p.plan_order), ?1, p.config_id, p.seed,
    1, p.plan_order, q.setting, q.setting_label, q.tuning, p.is_tuning, q.replicate, p.look,
    {first_choice}, c.chance
FROM planned_trial AS p JOIN planned_point AS q USING (point)
    JOIN config AS c ON c.config_id = p.config_id
WHERE NOT EXISTS (SELECT 1 FROM trial AS t
    WHERE t.sweep_id = ?1 AND t.config_id = p.config_id AND t.seed = p.seed)
ORDER BY p.plan_order

-- Members that have left the plan keep the setting that they had.
-- name: follow_ensembles
UPDATE OR REPLACE ensemble
SET setting = ifnull((SELECT t.setting FROM json_each(trials)
    JOIN trial AS t ON t.trial_id = value WHERE t.in_plan = 1 LIMIT 1), setting)
WHERE sweep_id = ?

-- ---- planning: the sweep ----

-- Version 1.0.0 did not say what its claims were about: they are settled anew.
-- name: find_sweep
SELECT sweep_id, yaml_sha256, claim, plan_sha256,
    (SELECT count(*) FROM trial AS t
        WHERE t.sweep_id = s.sweep_id AND in_plan = 1 AND added = 0 AND confirms = 0),
    (SELECT count(*) FROM trial AS t
        WHERE t.sweep_id = s.sweep_id AND in_plan = 1 AND added = 0 AND confirms = 0
            AND state = 'completed'),
    claim IS nullif(?2, '') AND metric = ?8
        AND NOT EXISTS (SELECT 1 FROM plan_change AS c
            WHERE c.sweep_id = s.sweep_id AND by = 'confirm' AND what -> '$.configs' IS NULL),
    tune = ?3, replicate = ?4, looks = ?5, rungs IS nullif(?6, ''), equivalence IS ?7,
    extend IS nullif(?9, 0), confirm IS nullif(?10, '')
FROM sweep AS s WHERE name = ?1

-- The sweep that ran last has the latest last_run, also where the clock was set back meanwhile.
-- name: write_sweep
INSERT INTO sweep (name, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune, claim,
    replicate, looks, equivalence, rungs, eval, measure, created, last_run, overrides, drawn,
    extend, confirm)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?, ?, nullif(?, ''), ?, nullif(?, ''), {now},
    (SELECT max({now}, coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', max(last_run),
        '+0.001 seconds'), '')) FROM sweep),
    '[]', ?, nullif(?, 0), nullif(?, ''))
ON CONFLICT (name) DO UPDATE SET question = excluded.question, yaml = excluded.yaml,
    yaml_sha256 = excluded.yaml_sha256, plan_sha256 = excluded.plan_sha256,
    metric = excluded.metric, goal = excluded.goal, tune = excluded.tune,
    claim = excluded.claim, replicate = excluded.replicate, looks = excluded.looks,
    equivalence = excluded.equivalence, rungs = excluded.rungs, extend = excluded.extend,
    confirm = excluded.confirm, eval = excluded.eval, measure = excluded.measure,
    drawn = excluded.drawn, last_run = excluded.last_run, overrides = '[]'
RETURNING sweep_id

-- ---- planning: its history ----

-- What the temporary tables of the plan have that the stored plan has not, and the other way round.
-- part: old_plan
FROM trial WHERE sweep_id = ?1 AND in_plan = 1 AND added = 0 AND confirms = 0

-- name: describe_change
WITH old_seed AS MATERIALIZED (SELECT DISTINCT seed {old_plan}),
new_seed AS MATERIALIZED (SELECT DISTINCT seed FROM planned_trial),
old_point AS MATERIALIZED (SELECT DISTINCT config_id {old_plan}),
new_point AS MATERIALIZED (SELECT DISTINCT config_id FROM planned_point),
old_heads AS MATERIALIZED (SELECT DISTINCT heads FROM old_point JOIN config USING (config_id)),
new_heads AS MATERIALIZED (SELECT DISTINCT heads FROM new_point JOIN config USING (config_id))
SELECT json_object(
    'heads_added', (SELECT json_group_array(heads)
        FROM (SELECT * FROM new_heads EXCEPT SELECT * FROM old_heads)),
    'heads_removed', (SELECT json_group_array(heads)
        FROM (SELECT * FROM old_heads EXCEPT SELECT * FROM new_heads)),
    'seeds_added', (SELECT json_group_array(seed)
        FROM (SELECT * FROM new_seed EXCEPT SELECT * FROM old_seed)),
    'seeds_removed', (SELECT json_group_array(seed)
        FROM (SELECT * FROM old_seed EXCEPT SELECT * FROM new_seed)),
    'points_added', (SELECT count(*)
        FROM (SELECT * FROM new_point EXCEPT SELECT * FROM old_point)),
    'points_removed', (SELECT count(*)
        FROM (SELECT * FROM old_point EXCEPT SELECT * FROM new_point)))

-- name: newest_change
SELECT plan_change_id, pairs_sha256, claim IS nullif(?2, '')
FROM plan_change WHERE sweep_id = ?1 AND by = 'file'
ORDER BY plan_change_id DESC LIMIT 1

-- Results that are there to be seen: of trials that have ended, or have been evaluated on the way,
-- or had been before they were deleted.
-- name: results
SELECT config_id, seed, sweep_id FROM trial AS t
WHERE state IN ('completed', 'diverged', 'failed')
    OR (attempt > 0 AND EXISTS (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id))
UNION ALL SELECT config_id, seed, NULL FROM deleted WHERE seen = 1

-- By what its trials are chosen and judged; it has every key that can be among the rules.
-- part: asks
(SELECT json_object('tune', json(tune), 'replicate', json(replicate), 'looks', json(looks),
    'rungs', json(rungs), 'equivalence', equivalence, 'extend', extend, 'confirm', json(confirm))
    FROM sweep WHERE sweep_id = ?1)

-- Each pair once; after store_note_alike.
-- name: record_change
WITH known AS ({results}),
result AS (SELECT * FROM known
    UNION ALL SELECT other, seed, NULL FROM known JOIN alike USING (config_id)),
planned AS (SELECT config_id, seed, sweep_id,
    EXISTS (SELECT 1 FROM trial AS p
        WHERE p.sweep_id = ?1 AND p.config_id = result.config_id AND p.seed = result.seed
            AND p.in_plan = 1 AND p.confirms = 0) AS planned
    FROM result),
pair AS (SELECT max(planned) AS planned FROM planned
    WHERE planned OR sweep_id = ?1 GROUP BY config_id, seed)
INSERT INTO plan_change (sweep_id, changed, pairs_sha256, pairs, added, removed, what, claim,
    seen, seen_outside, trials_ended)
SELECT ?1, {now}, ?2, ?3, ?4, ?5,
    json_set(CASE ?8 WHEN '' THEN ?6 ELSE json_set(?6, '$.rules', json(?8)) END,
        '$.asks', json({asks})),
    nullif(?7, ''), count(*), count(*) FILTER (WHERE NOT planned),
    (SELECT count(*) FROM trial
        WHERE sweep_id = ?1 AND state IN ('completed', 'diverged', 'failed'))
FROM pair

-- ---- shards (store_shard.c) ----

-- Shards that the file has had of the same plan stay here. ?1 sweep, ?2 number, ?3 of, ?4 whether
-- the plan is the one that was stored before
-- name: write_shards
UPDATE sweep SET shards = CASE WHEN ?3 = 0 THEN NULL ELSE json_object('of', ?3,
    'here', (SELECT json_group_array(value)
        FROM (SELECT value FROM json_each(shards, '$.here') WHERE ?4 AND shards ->> 'of' = ?3
            UNION SELECT ?2 ORDER BY 1))) END
WHERE sweep_id = ?1

-- name: shard_table
CREATE TEMP TABLE own_trial (plan_order INTEGER PRIMARY KEY)

-- name: mark_shard
UPDATE trial SET in_shard = NOT in_shard
WHERE sweep_id = ?
    AND in_shard <> (in_plan = 0 OR plan_order IN (SELECT plan_order FROM own_trial))

-- name: shards_here
SELECT shards ->> 'of', h.value
FROM sweep, json_each(shards, '$.here') AS h
WHERE sweep_id = ? AND h.value BETWEEN 1 AND 1000000
ORDER BY h.value

-- Its trials that have not ended, by the shard of each, as plan_in_shard deals them out. ?1 sweep,
-- ?2 of, ?3 whether the shard that was run last is at work, ?4 round (without tune)
-- part: left
SELECT 1 + shard % ?2 AS number, count(*) FROM dealt
WHERE state IN ('queued', 'running')
    AND number IN (SELECT h.value FROM sweep, json_each(shards, '$.here') AS h
        WHERE sweep_id = ?1)
    AND NOT (in_shard AND ?3)
GROUP BY number ORDER BY number

-- name: left_plain
WITH dealt AS (SELECT plan_order + plan_order / ?4 AS shard, state, in_shard
    FROM trial WHERE sweep_id = ?1 AND in_plan = 1)
{left}

-- name: left_tuned
WITH planned AS MATERIALIZED (SELECT setting, heads, plan_order, state, in_shard
    FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 1),
part AS (SELECT setting, heads, dense_rank() OVER (ORDER BY min(plan_order)) - 1 AS shard
    FROM planned GROUP BY setting, heads),
dealt AS (SELECT shard, state, in_shard FROM planned JOIN part USING (setting, heads))
{left}

-- ---- files that trials learn from (data_file.c) ----

-- name: write_survey
INSERT INTO data_file (path, options, facts, sha256, size, mtime_ns, read_ns)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET facts = excluded.facts, size = excluded.size,
    mtime_ns = excluded.mtime_ns, read_ns = excluded.read_ns

-- ?1 sweep, ?2 path, ?3 what the plan learns from now: trials that learnt from what lay there.
-- name: data_changed
SELECT count(*), max(data_sha256), config_json ->> '$.task.options.size' -- of that row
FROM sweep JOIN trial USING (sweep_id) JOIN config USING (config_id)
WHERE name = ?1 AND in_plan = 1 AND attempt > 0
    AND data_sha256 IN (SELECT sha256 FROM data_file WHERE path = ?2)
    AND data_sha256 NOT IN (SELECT value FROM json_each(?3))

-- ---- configurations that compute the same (store_alike.c) ----

-- Of all rows that mean a point of ?1: first those that the sweep of the plan's name, ?2, has
-- trials of, then the point's own.
-- name: known_spellings
WITH point AS MATERIALIZED (SELECT key AS place, value AS json FROM json_each(?1)),
kind AS MATERIALIZED (SELECT DISTINCT json ->> '$.task.name', json ->> '$.model.heads',
    json ->> '$.train.steps', json ->> '$.train.batch', json ->> '$.train.lr' FROM point),
known AS MATERIALIZED (SELECT config_id, config_json, {config_short} AS short
    FROM config WHERE (task, heads, steps, batch, lr) IN (SELECT * FROM kind))
SELECT place, config_json FROM point JOIN known ON short = json
ORDER BY place,
    EXISTS (SELECT 1 FROM trial AS t WHERE t.config_id = known.config_id
        AND sweep_id = (SELECT sweep_id FROM sweep WHERE name = ?2)) DESC,
    config_json = json DESC, config_id

-- name: own_spelling
SELECT 1 FROM trial
WHERE sweep_id = (SELECT sweep_id FROM sweep WHERE name = ?1)
    AND config_id = (SELECT config_id FROM config WHERE config_sha256 = ?2) LIMIT 1

-- name: alike_table
CREATE TEMP TABLE IF NOT EXISTS alike (config_id INTEGER, other INTEGER,
    PRIMARY KEY (config_id, other)) WITHOUT ROWID;
DELETE FROM alike

-- What means the same has the same values in all of the columns here.
-- name: note_alike
INSERT INTO alike
WITH kind AS (SELECT *,
    count(*) OVER (PARTITION BY task, heads, steps, batch, lr, n_params) AS n FROM config),
known AS MATERIALIZED (SELECT config_id, {config_meaning} AS meaning FROM kind WHERE n > 1)
SELECT a.config_id, b.config_id FROM known AS a JOIN known AS b USING (meaning)
WHERE a.config_id <> b.config_id

-- ---- which trials are needed (store_settle.c) ----

-- IN, not JOIN: SQLite looks up in the former and scans `best` for every row in the latter.
-- name: choose
WITH best AS MATERIALIZED (SELECT setting, heads, tuning FROM chosen WHERE sweep_id = ?1),
judged AS MATERIALIZED (SELECT setting, max(look) AS look, max(decided) AS decided
    FROM look WHERE sweep_id = ?1 GROUP BY setting),
asked AS MATERIALIZED (SELECT t.trial_id,
        CASE WHEN t.tuning = '{}'
                OR (t.setting, f.heads, t.tuning) IN (SELECT setting, heads, tuning FROM best)
            THEN 'chosen'
            WHEN (t.setting, f.heads) IN (SELECT setting, heads FROM best) THEN 'eliminated'
            ELSE 'waiting' END AS choice,
        t.look - coalesce(judged.look, 0) AS ahead, coalesce(decided, 0) AS decided
    FROM trial AS t JOIN config AS f USING (config_id) LEFT JOIN judged USING (setting)
    WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0
        AND (t.tuning <> '{}' OR t.look > 1) AND (?2 IS NULL OR t.setting = ?2)),
verdict AS MATERIALIZED (SELECT trial_id,
        CASE WHEN choice = 'eliminated' OR (decided AND ahead > 0) THEN 'eliminated'
            WHEN ahead > 1 THEN 'waiting' ELSE choice END AS choice
    FROM asked)
UPDATE trial SET choice = v.choice,
    state = CASE WHEN state = 'queued' AND v.choice = 'eliminated' THEN 'not_needed'
        WHEN state = 'not_needed' AND v.choice <> 'eliminated' THEN 'queued' ELSE state END
FROM verdict AS v
WHERE trial.trial_id = v.trial_id
    AND (trial.choice <> v.choice
        OR state = CASE v.choice WHEN 'eliminated' THEN 'queued' ELSE 'not_needed' END)

-- Without looks, of one head count.
-- name: choose_one
UPDATE trial SET choice = CASE WHEN tuning = ?4 THEN 'chosen' ELSE 'eliminated' END,
    state = CASE WHEN state = 'queued' AND tuning <> ?4 THEN 'not_needed'
        WHEN state = 'not_needed' AND tuning = ?4 THEN 'queued' ELSE state END
WHERE sweep_id = ?1 AND setting = ?2 AND tuning <> '{}' AND is_tuning = 0 AND confirms = 0
    AND (SELECT heads FROM config AS c WHERE c.config_id = trial.config_id) = ?3

-- Where trials of a look are open again, as after --retry-failed, it was not judged yet; nor were
-- those behind it.
-- name: forget_looks
DELETE FROM look
WHERE sweep_id = ?1
    AND look >= (SELECT min(t.look) FROM trial AS t
        WHERE t.sweep_id = ?1 AND t.setting = look.setting AND t.in_plan = 1
            AND t.is_tuning = 0 AND t.confirms = 0
            AND (t.choice = 'waiting'
                OR (t.choice = 'chosen' AND t.state IN ('queued', 'running'))))

-- name: look_due
WITH judged AS MATERIALIZED (SELECT setting, max(look) AS look, max(decided) AS decided
    FROM look WHERE sweep_id = ?1 GROUP BY setting)
SELECT t.setting, coalesce(judged.look, 0) + 1 AS open
FROM trial AS t LEFT JOIN judged USING (setting)
WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0
    AND NOT coalesce(decided, 0)
GROUP BY t.setting
HAVING max(t.look) >= open
    AND 0 = sum(t.look <= open AND (t.choice = 'waiting'
        OR (t.choice = 'chosen' AND t.state IN ('queued', 'running'))))
ORDER BY min(t.plan_order) LIMIT 1

-- ---- rungs (store_rungs.c) ----

-- The sign before in_plan keeps SQLite from an index of it, which finds all trials of the sweep.
-- name: rung_trials
SELECT trial_id, state, choice, until, resume_step, bad_step, tuning, t.chance, steps, eval_every
FROM trial AS t JOIN config USING (config_id)
WHERE sweep_id = ? AND setting = ? AND heads = ? AND is_tuning = 1 AND +in_plan = 1
    AND tuning <> '{}' AND added = 0
ORDER BY plan_order

-- name: put_rung
UPDATE trial SET until = nullif(?2, 0), choice = ?3,
    state = CASE WHEN state = 'queued' AND ?3 = 'eliminated' THEN 'not_needed'
        WHEN state = 'not_needed' AND ?3 <> 'eliminated' THEN 'queued' ELSE state END
WHERE trial_id = ?1

-- name: rung_groups
SELECT DISTINCT setting, heads FROM trial JOIN config USING (config_id)
WHERE sweep_id = ? AND is_tuning = 1 AND in_plan = 1 AND tuning <> '{}'

-- ---- values beyond those listed (store_extend.c) ----

-- name: reach
SELECT o.value, min(t.added) = 0, min(t.rank) = 1
FROM tuning AS t, json_each(t.tuning) AS o
WHERE t.sweep_id = ?1 AND t.setting = ?2 AND t.heads = ?3 AND o.key = ?4
    AND o.type IN ('integer', 'real')
GROUP BY o.value ORDER BY o.value

-- A real number changes neither parameters nor FLOPs, nor does another instance.
-- name: add_config
INSERT OR IGNORE INTO config (config_sha256, config_json, n_params, flops_per_step, chance)
SELECT ?2, ?3, n_params, flops_per_step, chance FROM config WHERE config_id = ?1

-- The trials of ?2, a configuration of the chosen candidate, once more with the configuration ?3
-- and the tuned values ?4. Those that are there from before come back.
-- name: extend_trials
WITH {last_number}
INSERT INTO trial (trial_id, sweep_id, config_id, seed, in_plan, plan_order, setting,
    setting_label, tuning, is_tuning, replicate, look, choice, chance, in_shard, added)
SELECT (SELECT id FROM last) + row_number() OVER (ORDER BY plan_order), sweep_id, c.config_id,
    seed, 1, plan_order, setting, setting_label, ?4, is_tuning, replicate, look,
    iif(is_tuning, 'chosen', 'waiting'), c.chance, in_shard, added + 1
FROM trial AS t JOIN config AS c ON c.config_id = ?3
WHERE t.sweep_id = ?1 AND t.config_id = ?2 AND t.in_plan = 1 AND t.confirms = 0
ON CONFLICT (sweep_id, config_id, seed) DO UPDATE SET in_plan = 1,
    plan_order = excluded.plan_order, setting = excluded.setting,
    setting_label = excluded.setting_label, tuning = excluded.tuning,
    is_tuning = excluded.is_tuning, replicate = excluded.replicate, look = excluded.look,
    choice = excluded.choice, until = NULL, in_shard = excluded.in_shard, added = excluded.added,
    state = CASE state WHEN 'not_needed' THEN 'queued' ELSE state END

-- By the index trial_tuned.
-- name: extended_points
SELECT DISTINCT config_id, config_json, replicate FROM trial JOIN config USING (config_id)
WHERE sweep_id = ? AND setting = ? AND heads = ? AND tuning = ? AND tuning <> '{}'
    AND in_plan = 1 AND confirms = 0
ORDER BY +config_id

-- Head counts that have chosen an outermost number, where a score can be better still.
-- name: at_edge
SELECT setting, heads, tuning FROM tuning
WHERE sweep_id = ?1 AND rank = 1 AND settled AND n_outer > 0
    AND score IS NOT (SELECT iif(metric = 'val_loss', 0, 1) FROM sweep WHERE sweep_id = ?1)

-- name: at_edge_one
{at_edge} AND setting = ?2 AND heads = ?3

-- The sign before sweep_id keeps SQLite from an index of it, which finds all trials of the sweep;
-- there are few numbers above.
-- name: added
SELECT heads, setting_label, tuning, count(*) FILTER (WHERE is_tuning)
FROM trial JOIN config USING (config_id)
WHERE trial_id > ?2 AND +sweep_id = ?1 AND added > 0
GROUP BY setting, heads, tuning ORDER BY min(trial_id)

-- ---- what claims are about ----

-- What tells a row of config from others for a claim. Where fresh instances decide about it, it is
-- about all instances: of a row c of plan_change, of the sweep ?1, of the row ?2 of plan_change.
-- part: kind_of_row
iif(c.what -> '$.confirm.instances' IS NOT NULL,
    json_remove(config_json, '$.task.options.instance'), config_sha256)

-- part: kind_in_sweep
iif((SELECT replicate FROM sweep WHERE sweep_id = ?1) <> '[]',
    json_remove(config_json, '$.task.options.instance'), config_sha256)

-- part: kind_of_its
iif((SELECT what -> '$.confirm.instances' IS NOT NULL FROM plan_change WHERE plan_change_id = ?2),
    json_remove(config_json, '$.task.options.instance'), config_sha256)

-- The configurations that a row c of plan_change is about, by head count: {"4":"<SHA-256>",...}; of
-- instances, one stands for all. Version 1.0.0 did not write them down: they are those of the
-- trials that were made with the row, null where these do not say.
-- part: claimed_configs
coalesce(c.what -> '$.configs', (SELECT json_group_object(n.key,
        (SELECT iif(min(kind) = max(kind), min(config_sha256), NULL)
            FROM (SELECT config_sha256, {kind_of_row} AS kind
                FROM trial AS t JOIN config USING (config_id)
                WHERE t.sweep_id = c.sweep_id AND t.confirms = 1 AND t.setting = c.setting
                    AND t.tuning = n.value AND heads = CAST(n.key AS INTEGER))))
    FROM json_each(c.what, '$.tuning') AS n
    WHERE c.claim IS NULL OR CAST(n.key AS INTEGER) IN
        (SELECT c.claim ->> '$.best' UNION SELECT value FROM json_each(c.claim, '$.over'))))

-- Whether a row of config is one of those that the row ?2 of plan_change is about, and whether one
-- of trial is of those on fresh seeds that decide about it, in the plan or not.
-- part: its_config
({kind_of_its} IN (SELECT {kind_of_its}
    FROM (SELECT {claimed_configs} AS configs FROM plan_change AS c
            WHERE plan_change_id = ?2) AS c,
        json_each(c.configs) AS its
    JOIN config ON config_sha256 = its.value))

-- shared: its_trial
(seed >= 2000
    AND seed < (SELECT 2000 + (what ->> '$.confirm.seeds') FROM plan_change
        WHERE plan_change_id = ?2)
    AND config_id IN (SELECT config_id FROM config
        WHERE {its_config}
            AND NOT EXISTS (SELECT 1 FROM plan_change
                WHERE plan_change_id = ?2 AND what -> '$.confirm.instances' IS NOT NULL
                    AND instance NOT IN
                        (SELECT value FROM json_each(what, '$.confirm.instances')))))

-- Common table expressions: `holds` says in which setting a row of plan_change holds, by the
-- identities of its configurations. The plan of the sweep ?1 has to explore all of them there, and
-- may choose them. Of several rows in a setting the first with a claim counts, or else the first.
-- shared: claims_hold
about AS MATERIALIZED (SELECT plan_change_id,
        (SELECT {kind_in_sweep} FROM config WHERE config_sha256 = o.value) AS kind,
        count(*) OVER (PARTITION BY plan_change_id) AS configs
    FROM (SELECT plan_change_id, {claimed_configs} AS configs
        FROM sweep JOIN plan_change AS c USING (sweep_id)
        WHERE sweep_id = ?1 AND by = 'confirm'
            AND (what -> '$.confirm.instances' IS NOT NULL) = (replicate <> '[]')) AS c,
        json_each(c.configs) AS o),
explored AS MATERIALIZED (SELECT DISTINCT setting, {kind_in_sweep} AS kind
    FROM (SELECT DISTINCT setting, config_id FROM trial
        WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0
            AND choice <> 'eliminated')
    JOIN config USING (config_id)),
holds AS MATERIALIZED (SELECT plan_change_id, setting FROM about JOIN explored USING (kind)
    GROUP BY plan_change_id, setting HAVING count(*) = max(configs))

-- ---- confirming (store_confirm.c) ----

-- name: other_confirmation
SELECT written, json_array_length(what, '$.confirm.instances'), what ->> '$.confirm.seeds',
    max(coalesce(what -> '$.confirm.instances', what -> '$.confirm.seeds')
        = coalesce(confirm -> '$.instances', confirm -> '$.seeds')) OVER ()
FROM confirmations AS c JOIN sweep AS s USING (sweep_id)
WHERE sweep_id = ?1 AND c.claim IS NOT NULL
    AND setting IN (SELECT setting FROM trial
        WHERE sweep_id = ?1 AND in_plan = 1 AND confirms = 0)
ORDER BY plan_change_id LIMIT 1

-- Where trials are open again that had found nothing to confirm, as after --retry-failed.
-- name: forget_open
DELETE FROM plan_change AS c
WHERE sweep_id = ?1 AND by = 'confirm' AND claim IS NULL
    AND EXISTS (SELECT 1 FROM trial AS t
        WHERE t.sweep_id = ?1 AND t.setting = c.setting AND t.in_plan = 1 AND t.confirms = 0
            AND t.state IN ('queued', 'running'))

-- Of rows of version 1.0.0, before anything is called otherwise.
-- name: name_configs
UPDATE plan_change AS c SET what = json_set(what, '$.configs', json({claimed_configs}))
WHERE sweep_id = ?1 AND by = 'confirm' AND what -> '$.configs' IS NULL

-- What holds nowhere is called after its configurations, as no setting of a plan is.
-- name: call_by_setting
WITH {claims_hold}
UPDATE plan_change SET setting = n.setting
FROM (SELECT plan_change_id, coalesce(h.setting, what -> '$.configs') AS setting
    FROM plan_change LEFT JOIN holds AS h USING (plan_change_id)
    WHERE sweep_id = ?1 AND by = 'confirm') AS n
WHERE n.plan_change_id = plan_change.plan_change_id AND n.setting <> plan_change.setting

-- name: confirm_due
SELECT setting FROM trial
WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0
    AND setting NOT IN (SELECT setting FROM plan_change
        WHERE sweep_id = ?1 AND by = 'confirm')
    AND setting NOT IN (SELECT setting FROM trial
        WHERE sweep_id = ?1 AND in_plan = 1 AND confirms = 0 AND state IN ('queued', 'running'))
    AND (SELECT confirm FROM sweep WHERE sweep_id = ?1) IS NOT NULL
ORDER BY plan_order LIMIT 1

-- Where a head count chooses anew, it is still what the claim says.
-- name: explored
SELECT trial_id, config_id, config_json,
    claimed AND (SELECT claim IS NOT NULL FROM plan_change WHERE plan_change_id = ?2),
    min(plan_order) AS place
FROM (SELECT *, {its_config} AS claimed FROM trial JOIN config USING (config_id)
    WHERE sweep_id = ?1 AND setting = ?3 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0)
WHERE claimed OR (choice = 'chosen' AND CAST(heads AS TEXT) NOT IN
    (SELECT key FROM plan_change, json_each(what, '$.configs') WHERE plan_change_id = ?2))
GROUP BY heads ORDER BY place

-- Those that are there from before, of another time or from another file, come back. A head count
-- that the claim does not name needs none of them.
-- name: add_fresh
WITH RECURSIVE fresh(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM fresh WHERE n + 1 < ?4),
{last_number}
INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, setting,
    setting_label, tuning, is_tuning, replicate, choice, chance, confirms)
SELECT (SELECT id FROM last) + 1 + n, sweep_id, ?2, ?3 + n, iif(?8, 'queued', 'not_needed'), 1,
    ?5 + n * ?6, setting, setting_label, tuning, 0, ifnull(?7, replicate),
    iif(?8, 'chosen', 'eliminated'), chance, 1
FROM fresh, trial AS t WHERE t.trial_id = ?1
ON CONFLICT (sweep_id, config_id, seed) DO UPDATE SET in_plan = 1,
    plan_order = excluded.plan_order, setting = excluded.setting,
    setting_label = excluded.setting_label, tuning = excluded.tuning, is_tuning = 0,
    replicate = excluded.replicate, look = 1, choice = excluded.choice, until = NULL,
    added = 0, confirms = 1,
    state = iif(state IN ('queued', 'not_needed'), excluded.state, state)

-- name: confirmations_here
SELECT c.plan_change_id, c.setting FROM confirmations AS c JOIN sweep AS s USING (sweep_id)
WHERE sweep_id = ?1 AND confirm IS NOT NULL AND (?2 IS NULL OR c.setting = ?2)
    AND c.setting IN (SELECT setting FROM trial WHERE sweep_id = ?1 AND in_plan = 1)
ORDER BY c.plan_change_id

-- Of a claim: its trials, in the plan or not, and those of them that had results by then, which a
-- query in the place of %s says.
-- name: note_seen
WITH newest AS MATERIALIZED (SELECT plan_change_id, changed FROM plan_change
    WHERE plan_change_id = ?2),
wanted AS MATERIALIZED (SELECT config_id, seed FROM trial WHERE sweep_id = ?1 AND {its_trial}),
result AS (%s),
known AS (SELECT config_id, seed FROM result
        WHERE (config_id, seed) IN (SELECT config_id, seed FROM wanted)
    UNION SELECT other, seed FROM result JOIN alike USING (config_id)
        WHERE (other, seed) IN (SELECT config_id, seed FROM wanted)),
total AS (SELECT (SELECT count(*) FROM wanted) AS pairs, (SELECT count(*) FROM known) AS seen)
UPDATE plan_change SET pairs = total.pairs, added = total.pairs,
    seen = max(plan_change.seen, total.seen)
FROM total WHERE plan_change_id = ?2

-- The plan itself has stayed what it was.
-- name: write_confirmation
WITH chosen AS (SELECT CAST(heads AS TEXT) AS heads, tuning, min(config_sha256) AS config,
        ?4 IS NULL OR heads = ?4 ->> '$.best'
            OR heads IN (SELECT value FROM json_each(?4, '$.over')) AS claimed
    FROM trial JOIN config USING (config_id)
    WHERE sweep_id = ?1 AND setting = ?2 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0
        AND choice = 'chosen'
    GROUP BY config.heads ORDER BY config.heads)
INSERT INTO plan_change (sweep_id, changed, pairs_sha256, pairs, added, removed, what, claim,
    seen, seen_outside, trials_ended, by, setting)
SELECT ?1, {now},
    (SELECT pairs_sha256 FROM plan_change WHERE sweep_id = ?1 AND by = 'file'
        ORDER BY plan_change_id DESC LIMIT 1),
    0, 0, 0,
    json_object('kind', ?3, 'confirm', json(confirm),
        'tuning', (SELECT json_group_object(heads, json(tuning)) FROM chosen),
        'configs', (SELECT json_group_object(heads, config) FROM chosen WHERE claimed)),
    ?4, 0, 0,
    (SELECT count(*) FROM trial
        WHERE sweep_id = ?1 AND state IN ('completed', 'diverged', 'failed')),
    'confirm', ?2
FROM sweep WHERE sweep_id = ?1

-- ---- trials like those that a claim is about (store_similar.c) ----

-- Configurations of one `kind` mean the same task and, but for dropout, the same model. `options`
-- are those that similar ones may differ in.
-- name: similar_tables
CREATE TEMP TABLE IF NOT EXISTS similar_seen (config_id INTEGER, seed INTEGER,
    PRIMARY KEY (config_id, seed)) WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS similar_point (config_id INTEGER PRIMARY KEY, kind INTEGER,
    dropout REAL, options TEXT);
CREATE TEMP TABLE IF NOT EXISTS similar_wanted (kind INTEGER, seed INTEGER, dropout REAL,
    PRIMARY KEY (kind, seed, dropout)) WITHOUT ROWID

-- The results in the place of %s.
-- name: similar_seen
WITH newest AS MATERIALIZED (SELECT changed FROM plan_change WHERE plan_change_id = ?2),
result AS (%s)
INSERT OR IGNORE INTO similar_seen SELECT config_id, seed FROM result WHERE ?1 IS NOT NULL

-- Of the row ?2 of plan_change: by confirm it is about trials on fresh seeds.
-- part: judged
sweep_id = ?1 AND iif((SELECT by = 'confirm' FROM plan_change WHERE plan_change_id = ?2),
    {its_trial}, in_plan = 1 AND is_tuning = 0 AND confirms = 0)

-- name: similar_points
WITH judged AS MATERIALIZED (SELECT config_id FROM trial WHERE {judged}),
known AS MATERIALIZED (SELECT config_id, dropout, {config_meaning} AS meaning FROM config
    WHERE (config_id IN (SELECT config_id FROM similar_seen)
            AND (task, heads, n_params) IN (SELECT task, heads, n_params FROM config
                WHERE config_id IN judged))
        OR config_id IN judged)
INSERT INTO similar_point
SELECT config_id,
    min(config_id) OVER (PARTITION BY meaning -> '$.task',
        json_remove(meaning, '$.model.dropout') -> '$.model'),
    dropout,
    json_object('model', json_object('dropout', dropout), 'train', json(meaning -> '$.train'))
FROM known

-- name: similar_wanted
INSERT OR IGNORE INTO similar_wanted
SELECT kind, seed, dropout FROM trial CROSS JOIN similar_point USING (config_id)
WHERE {judged}

-- Similar dropouts differ by .001 at most.
-- name: similar_others
DELETE FROM similar_seen AS s
WHERE NOT EXISTS (SELECT 1 FROM similar_point AS p JOIN similar_wanted AS w USING (kind)
        WHERE p.config_id = s.config_id AND w.seed = s.seed
            AND abs(w.dropout - p.dropout) <= .001)
    OR EXISTS (SELECT 1 FROM trial AS t
        WHERE t.sweep_id = ?1 AND t.seed = s.seed AND in_plan = 1
            AND t.config_id IN (SELECT s.config_id
                UNION ALL SELECT other FROM alike AS a WHERE a.config_id = s.config_id))
    OR ?2 IS NULL

-- Each option stands at a path in `options`; one that is left out at its default has the value ''.
-- A similar trial differs in the options whose values no judged trial has or, where it combines
-- their values otherwise, in those in which the judged ones differ. (NOT IN would look for a NULL
-- among all values, each time.)
-- name: similar_note
WITH theirs AS MATERIALIZED (SELECT DISTINCT kind, options FROM similar_point
    WHERE config_id IN (SELECT config_id FROM similar_seen)),
ours AS MATERIALIZED (SELECT DISTINCT options FROM similar_point
    WHERE kind IN (SELECT kind FROM theirs)
        AND config_id IN (SELECT config_id FROM trial WHERE {judged})),
place AS MATERIALIZED (SELECT DISTINCT fullkey
    FROM (SELECT options FROM ours UNION SELECT options FROM theirs), json_tree(options)
    WHERE type <> 'object'),
our AS MATERIALIZED (SELECT DISTINCT fullkey, ifnull(options -> fullkey, '') AS value
    FROM ours, place),
other AS MATERIALIZED (SELECT DISTINCT options, fullkey FROM theirs, place
    WHERE iif((fullkey, ifnull(options -> fullkey, '')) IN (SELECT * FROM our), 0, 1)),
differ AS (SELECT fullkey FROM other
    UNION SELECT fullkey FROM our
        WHERE EXISTS (SELECT 1 FROM theirs WHERE options NOT IN (SELECT options FROM other))
        GROUP BY fullkey HAVING count(*) > 1)
UPDATE plan_change SET similar = n, similar_differ = options
FROM (SELECT (SELECT count(*) FROM similar_seen) AS n,
    (SELECT json_group_array(name)
        FROM (SELECT DISTINCT replace(substr(fullkey, 3), '"', '') AS name
            FROM differ ORDER BY name)) AS options)
WHERE n > similar AND plan_change_id = ?2

-- ---- questions (store_query.c) ----

-- name: find_build
SELECT build_id FROM build
WHERE (version, git_commit, compiler, flags, openblas, core_type, kernels, cpu)
    = (?, ?, ?, ?, ?, ?, ?, ?)

-- name: losers
SELECT t.trial_id, t.attempt FROM trial AS t JOIN config AS c USING (config_id)
WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.is_tuning = 1 AND t.state = 'not_needed'
    AND t.attempt > 0
    AND (?2 = 0 OR (t.setting, c.heads) = (SELECT setting, heads
        FROM trial JOIN config USING (config_id) WHERE trial_id = ?2))

-- ---- deleting (store_edit.c) ----

-- name: remember_deleted
INSERT INTO deleted (trial_id, config_id, seed, sweep, ended, deleted, seen)
SELECT trial_id, config_id, seed, name,
    CASE WHEN state IN ('completed', 'diverged', 'failed') THEN
        coalesce((SELECT ended FROM attempt AS a
            WHERE a.trial_id = t.trial_id AND a.attempt = t.attempt), {now}) END,
    {now},
    state IN ('completed', 'diverged', 'failed')
        OR EXISTS (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id)
FROM trial AS t JOIN sweep USING (sweep_id) WHERE sweep_id = ?1 AND attempt > 0

-- name: delete_unlearnt
DELETE FROM data_file
WHERE NOT EXISTS (SELECT 1 FROM config JOIN trial USING (config_id) WHERE data_sha256 = sha256)

-- ---- studies (study.c) ----

-- part: asked_trial
SELECT trial_id, sweep_id, best_step, checkpoint, checkpoint_sha256, config_sha256, seed,
    n_params, heads, layers, val_acc, test_acc, setting, setting_label, tuning

-- ?1 sweep (0: any), ?2 trial (0: all), ?3 study, ?4 options
-- name: study_due
{asked_trial},
    EXISTS (SELECT 1 FROM study AS a
        WHERE a.trial_id = t.trial_id AND a.name = ?3 AND a.options = ?4
            AND a.checkpoint_sha256 = t.checkpoint_sha256)
FROM trial AS t JOIN config USING (config_id)
WHERE state = 'completed' AND checkpoint IS NOT NULL AND checkpoint_sha256 IS NOT NULL
    AND CASE WHEN ?2 > 0 THEN trial_id = ?2
        ELSE in_plan = 1 AND is_tuning = 0 AND confirms = 0 AND choice = 'chosen'
            AND ?1 IN (0, sweep_id) END
ORDER BY sweep_id, plan_order

-- name: all_completed
{asked_trial}, 0
FROM trial AS t JOIN config USING (config_id)
WHERE state = 'completed'
ORDER BY sweep_id, config_id, seed

-- name: study_answered
SELECT 1 FROM study JOIN trial AS t USING (trial_id)
WHERE trial_id = ? AND name = ? AND options = ?
    AND study.checkpoint_sha256 = t.checkpoint_sha256

-- name: note_study
INSERT OR REPLACE INTO study (trial_id, name, options, answered, cpu_s, build_id,
    checkpoint_sha256)
VALUES (?, ?, ?, {now}, ?, ?, ?)

-- The keys of all rows of table ?1 in ?2.
-- part: row_keys
SELECT k.key FROM json_each(?2, '$.' || ?1) AS r, json_each(r.value) AS k

-- name: strange_key
{row_keys} WHERE k.key NOT IN (SELECT name FROM pragma_table_info(?1)) LIMIT 1

-- A statement that writes the rows of table ?1 in ?2; ?3 fills them up.
-- name: make_insert
SELECT printf('INSERT INTO "%w" (%s) SELECT %s FROM json_each(?1, ''$.%s'') WHERE true
    ON CONFLICT DO %s', ?1, group_concat(printf('"%w"', name)),
    group_concat(printf('coalesce(value ->> %Q, ?2 ->> %Q)', name, name)), ?1,
    coalesce('UPDATE SET ' || group_concat(printf('"%w" = excluded."%w"', name, name))
        FILTER (WHERE pk = 0), 'NOTHING'))
FROM pragma_table_info(?1)
WHERE name IN ({row_keys}) OR name IN (SELECT key FROM json_each(?3))

-- What fills up the rows of an answer: its own scalars before what is known of the trial.
-- name: make_fill
SELECT json_patch(
    json_object('trial_id', ?2, 'sweep_id', ?3, 'step', ?4, 'setting', ?5, 'heads', ?6),
    (SELECT json_group_object(key, atom) FROM json_each(?1)
        WHERE type NOT IN ('array', 'object')))
