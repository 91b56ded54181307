-- The longer statements of this floor (db/statements.awk makes them C; merge_parts.h has them).

-- What things are called in `from` (old) and in `into` (new); those of what trials share are made
-- by its tables. merge_theirs: the rows of plan_change that came from `from`. merge_here: those of
-- deleted that say what had come of trials of `into`. Numbers of trials go on (merge_next) behind
-- those of deleted ones, whose files may still lie in the folder.
-- name: merge_tables
CREATE TEMP TABLE merge_sweep (old INTEGER PRIMARY KEY, new INTEGER, plan INTEGER);
CREATE TEMP TABLE merge_trial (old INTEGER PRIMARY KEY, new INTEGER, fate TEXT);
CREATE TEMP TABLE merge_attempt (old_trial INTEGER, old INTEGER, trial INTEGER, new INTEGER,
    PRIMARY KEY (old_trial, old), UNIQUE (trial, new)) WITHOUT ROWID;
CREATE TEMP TABLE merge_left (number INTEGER PRIMARY KEY, trial INTEGER, theirs INTEGER,
    began TEXT);
CREATE TEMP TABLE merge_here (number INTEGER PRIMARY KEY);
INSERT INTO merge_here SELECT trial_id FROM deleted;
CREATE TEMP TABLE merge_theirs (plan_change_id INTEGER PRIMARY KEY);
CREATE TEMP TABLE merge_change AS SELECT *, 1 AS theirs FROM plan_change LIMIT 0;
CREATE TEMP VIEW merge_next AS SELECT 1 + max(ifnull((SELECT max(trial_id) FROM trial), 0),
    ifnull((SELECT max(trial_id) FROM deleted), 0)) AS number

-- name: drop_tables
SELECT group_concat(format('DROP %s %s', type, name), ';') FROM sqlite_temp_schema
WHERE name GLOB 'merge_*'

-- ---- rows of a table (merge.c) ----

-- The columns of table ?1 that are among those in ?3, and whether they are (?5) or are not among
-- those in ?4: what they refer to, in table ?2; whether it is a key that is a number alone.
-- name: columns_to_write
SELECT c.name, f."table",
    pk = 1 AND type = 'INTEGER' AND (SELECT max(pk) FROM pragma_table_info(?1)) = 1
FROM pragma_table_info(?1) AS c LEFT JOIN pragma_foreign_key_list(?2) AS f ON f."from" = c.name
WHERE c.name IN (SELECT value FROM json_each(?3))
    AND (c.name IN (SELECT value FROM json_each(?4))) = ?5

-- Rows are the same by their UNIQUE columns. Not ON CONFLICT: SQLite would compute the generated
-- columns first.
-- name: same_row
SELECT format('FROM %s AS k WHERE ', ?1)
    || group_concat(format('k.%s = @%s', c.name, c.name), ' AND ')
FROM pragma_index_list(?1) AS i, pragma_index_info(i.name) AS c WHERE i.origin = 'u'

-- Both remarks, unless one has the other in it, or there is no room for both.
-- part: both_remarks
SET remark = CASE WHEN remark IS NULL OR instr('; ' || @remark || '; ', '; ' || remark || '; ')
    THEN @remark
    WHEN instr('; ' || remark || '; ', '; ' || @remark || '; ')
        OR length(CAST(remark || @remark AS BLOB)) > 3900 THEN remark
    ELSE remark || '; ' || @remark END

-- name: join_sweep_remarks
UPDATE sweep {both_remarks}
WHERE sweep_id = (SELECT new FROM merge_sweep WHERE old = @sweep_id)

-- name: join_trial_remarks
UPDATE trial {both_remarks}
WHERE trial_id = (SELECT new FROM merge_trial WHERE old = @trial_id)

-- Claims of the sweeps that `from` does not have, where it has brought results that may be of the
-- same trials or of similar ones. What could be seen of those that were here before was counted
-- when the claim was written, by what the file had then, and not by what became of it.
-- name: others_concerned
WITH brought AS MATERIALIZED (
    SELECT config_id FROM merge_trial JOIN trial ON trial_id = new
    WHERE fate IN ('added', 'taken') AND attempt > 0
    UNION SELECT config_id FROM deleted
    WHERE seen = 1 AND trial_id NOT IN (SELECT number FROM merge_here)),
kind AS MATERIALIZED (SELECT DISTINCT task, heads, n_params
    FROM brought JOIN config USING (config_id))
SELECT sweep_id FROM sweep AS s
WHERE (claim IS NOT NULL
        OR EXISTS (SELECT 1 FROM confirmations AS c
            WHERE c.sweep_id = s.sweep_id AND c.claim IS NOT NULL))
    AND sweep_id NOT IN (SELECT new FROM merge_sweep)
    AND EXISTS (SELECT 1 FROM config
        WHERE config_id IN (SELECT config_id FROM trial AS t
                WHERE t.sweep_id = s.sweep_id AND in_plan = 1)
            AND (task, heads, n_params) IN (SELECT * FROM kind))

-- ---- sweeps (merge_sweep.c) ----

-- What no plan decides: times, and the shards that are here now. A file that has the whole sweep
-- has all shards.
-- name: join_sweep_rows
UPDATE sweep SET created = min(created, @created), last_run = max(last_run, @last_run),
    shards = CASE WHEN plan_sha256 = @plan_sha256 AND shards ->> 'of' = @shards ->> 'of' THEN
        (SELECT CASE WHEN count(*) < shards ->> 'of' THEN
            json_object('of', shards -> 'of', 'here', json_group_array(value)) END
        FROM (SELECT value FROM json_each(shards, '$.here')
            UNION SELECT value FROM json_each(@shards, '$.here') ORDER BY 1)) END
WHERE name = @name

-- name: choose_anew
UPDATE trial SET until = NULL,
    choice = CASE WHEN (tuning <> '{}' AND NOT is_tuning) OR look > 1 THEN 'waiting'
        ELSE 'chosen' END,
    state = CASE state WHEN 'not_needed' THEN 'queued' ELSE state END
WHERE sweep_id = ? AND in_plan = 1
    AND (tuning <> '{}' OR look > 1 OR state = 'not_needed' OR choice <> 'chosen'
        OR until IS NOT NULL)

-- ---- how plans and claims of two files came to be, in one order (merge_sweep.c) ----

-- merge_change lists the rows of both: ours have a mark in `theirs`, theirs have NULL.

-- A row of which the one before of its kind says the same is none: every shard was planned by
-- itself. The one before remembers the last such row (`again`), as a third file may have changed
-- the plan in between. One whose pairs are those of the row before, in another file, has added
-- none. What rules it changes hangs on the row before, too; one of an earlier development version
-- says no more than that.
-- part: kind
by, coalesce(what -> '$.configs', setting)

-- part: place
ORDER BY changed, pairs_sha256, claim, asks, theirs IS NULL, plan_change_id

-- part: in_order
WITH told AS (SELECT *, json_array(pairs_sha256, pairs, claim) AS says, what -> '$.asks' AS asks,
        what -> '$.rules' AS rules
    FROM merge_change),
ordered AS (SELECT *, lag(says) OVER each AS said, lag(asks) OVER each AS asked,
        lag(rules) OVER each AS ruled, row_number() OVER ({place}) AS place
    FROM told WINDOW each AS (PARTITION BY {kind} {place})),
judged AS MATERIALIZED (SELECT *, says IS NOT said
        OR iif(asks IS NULL OR asked IS NULL, rules IS NOT ruled, asks <> asked) AS fresh
    FROM ordered),
kept AS (SELECT * FROM judged WHERE fresh)

-- The last row of the sweep file that says the same as the row k of `kept`; and such rows, put back
-- in their place.
-- part: again
(SELECT json_object('changed', changed, 'added', added, 'removed', removed, 'seen', seen,
        'seen_outside', seen_outside, 'trials_ended', trials_ended, 'similar', similar,
        'similar_differ', json(similar_differ))
    FROM judged AS j
    WHERE by = 'file' AND k.by = 'file' AND NOT fresh AND changed > k.changed
        AND NOT EXISTS (SELECT 1 FROM kept AS n
            WHERE n.by = 'file' AND n.place > k.place AND n.place < j.place)
    ORDER BY place DESC LIMIT 1)

-- name: put_back_changes
INSERT INTO merge_change
SELECT plan_change_id, sweep_id, g ->> 'changed', pairs_sha256, pairs, g ->> 'added',
    g ->> 'removed', json_remove(what, '$.again'), claim, max(seen, g ->> 'seen'),
    g ->> 'seen_outside', g ->> 'trials_ended', g ->> 'similar', g -> 'similar_differ', by,
    setting, theirs
FROM (SELECT *, what -> '$.again' AS g FROM merge_change)
WHERE g IS NOT NULL AND (theirs OR NOT ?)

-- name: more_changes
{in_order}
SELECT count(*) FROM judged
WHERE theirs IS NULL
    AND (fresh OR (by = 'file' AND changed > (SELECT max(changed) FROM judged WHERE theirs)))

-- name: theirs_is_newer
{in_order}
SELECT theirs IS NULL FROM kept WHERE by = 'file' ORDER BY place DESC LIMIT 1

-- The rules that a row `asks` for otherwise than the row before it `asked`.
-- part: other_rules
(SELECT json_group_array(key) FROM json_each(asks) WHERE value IS NOT asked ->> key)

-- name: write_changes
INSERT INTO plan_change (sweep_id, changed, pairs_sha256, pairs, added, removed, what, claim, seen,
    seen_outside, trials_ended, similar, similar_differ, by, setting)
{in_order}
SELECT sweep_id, changed, pairs_sha256, pairs, iif(same, 0, added), iif(same, 0, removed),
    json_patch(CASE WHEN asks = asked THEN json_remove(what, '$.rules')
            WHEN asks <> asked THEN json_set(what, '$.rules', json({other_rules}))
            ELSE what END,
        iif(again IS NULL, '{}', json_object('again', json(again)))),
    claim, seen, seen_outside, trials_ended, similar, similar_differ, by, setting
FROM (SELECT sweep_id, changed, pairs_sha256, pairs, added, removed, what, claim, seen,
        seen_outside, trials_ended, similar, similar_differ, place, asks, by, setting,
        {again} AS again, lag(asks) OVER each AS asked,
        pairs_sha256 IS lag(pairs_sha256) OVER each AND by = 'file' AS same
    FROM kept AS k WINDOW each AS (PARTITION BY {kind} ORDER BY place))
ORDER BY place

-- Their claims and ours are told apart by the rows that were here before.
-- name: note_theirs
INSERT INTO merge_theirs SELECT plan_change_id FROM plan_change AS p
WHERE sweep_id = ?
    AND NOT EXISTS (SELECT 1 FROM merge_change AS c
        WHERE c.theirs = 1 AND c.sweep_id = p.sweep_id AND c.changed = p.changed
            AND c.pairs_sha256 = p.pairs_sha256 AND c.claim IS p.claim AND c.by = p.by
            AND c.setting IS p.setting)

-- ---- what could be seen when a claim was made (merge_sweep.c) ----

-- Whether the row ?2 of plan_change is theirs; whether an attempt is.
-- part: theirs
(?2 IN (SELECT plan_change_id FROM merge_theirs))

-- part: brought
((a.trial_id, a.attempt) IN (SELECT trial, new FROM merge_attempt))

-- That its file has had a checkpoint of it from behind its first evaluation.
-- part: evaluated
((SELECT n.resumed_from_step FROM attempt AS n
        WHERE n.trial_id = a.trial_id AND n.attempt = a.attempt + 1) >= eval_every
    OR (a.attempt = t.attempt AND t.resume_step >= eval_every))

-- An attempt of another file than the claim's may have been at work when that was made. Of one that
-- came to nothing, only a checkpoint that was made as it stopped says for sure that it had not been
-- evaluated. Of its own trials, and those that it had deleted, the file of the claim has counted
-- what was to be seen: they count again where they had ended, not by what was heard later.
-- name: merged_results
WITH newest AS MATERIALIZED (SELECT changed FROM plan_change WHERE plan_change_id = ?2)
SELECT config_id, seed, sweep_id, state
FROM newest, trial AS t JOIN config USING (config_id)
WHERE t.attempt > 0
    AND (state IN ('completed', 'diverged', 'failed')
        OR EXISTS (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id))
    AND EXISTS (SELECT 1 FROM attempt AS a
        WHERE a.trial_id = t.trial_id AND a.started < changed
            AND iif({brought} <> {theirs},
                a.outcome IS NOT 'requeued' OR a.ended > changed
                    OR a.cause IN ('lost', 'coordinator') OR {evaluated},
                a.ended < changed AND (a.outcome <> 'requeued' OR {evaluated})))
UNION ALL SELECT config_id, seed, NULL, ''
FROM newest, deleted AS d
WHERE seen = 1 AND coalesce(ended, deleted) < changed
    AND (d.trial_id IN (SELECT number FROM merge_here)) = {theirs}

-- name: see_again
WITH known AS ({merged_results}),
result AS (SELECT * FROM known
    UNION ALL SELECT other, seed, NULL, state FROM known JOIN alike USING (config_id)),
planned AS (SELECT result.*, EXISTS (SELECT 1 FROM trial AS p
        WHERE p.sweep_id = ?1 AND p.config_id = result.config_id AND p.seed = result.seed
            AND p.in_plan = 1 AND p.confirms = 0) AS planned
    FROM result),
pair AS (SELECT max(planned) AS planned,
        max(sweep_id IS ?1 AND state IN ('completed', 'diverged', 'failed')) AS ended
    FROM planned WHERE planned OR sweep_id = ?1 GROUP BY config_id, seed),
total AS (SELECT count(*) AS seen, count(*) FILTER (WHERE NOT planned) AS outside,
        count(*) FILTER (WHERE ended) AS ended
    FROM pair)
UPDATE plan_change SET seen = max(plan_change.seen, total.seen),
    seen_outside = max(seen_outside, outside), trials_ended = max(trials_ended, total.ended)
FROM total WHERE plan_change_id = ?2

-- ---- trials (merge_trial.c) ----

-- Of trials that both have: what came of the one that does not stay, for claims made in between.
-- name: remember_left
DELETE FROM merge_left WHERE EXISTS (SELECT 1 FROM deleted AS d JOIN trial AS t
    USING (config_id, seed) WHERE t.trial_id = merge_left.trial AND d.ended = began);
UPDATE merge_left SET number = number - 1 + (SELECT number FROM merge_next);
INSERT INTO deleted (trial_id, config_id, seed, sweep, ended, deleted, seen)
SELECT l.number, config_id, seed, name, began, {now}, 1
FROM merge_left AS l JOIN trial ON trial_id = trial JOIN sweep USING (sweep_id);
INSERT INTO merge_here SELECT number FROM merge_left WHERE NOT theirs

-- What `export results` says of a result.
-- name: result_of
SELECT state, steps_done, best_step, bad_step, train_acc, val_acc, val_loss, test_acc,
    test_acc_by_slot, test_exact, test_loss, chance
FROM trial WHERE trial_id = ?

-- name: curve_of
SELECT step, train_loss, train_acc, val_loss, val_acc, grad_norm, lr
FROM curve WHERE trial_id = ? ORDER BY step

-- Who trained it, where all attempts were built alike; NULL where they were not.
-- name: build_of
SELECT iif(count(DISTINCT built) = 1, max(built), NULL)
FROM (SELECT 'headcount ' || version || ', ' || compiler || ', flags ' || trim(flags) || ', '
        || openblas || ', core type ' || core_type || ', kernels ' || kernels AS built
    FROM attempt JOIN build USING (build_id) WHERE trial_id = ?)

-- ---- the sum of shards (shard_sum.c) ----

-- shard_left: trials that have not ended in the file of their shard. shard_here: whose the file at
-- hand is.
-- name: shard_tables
CREATE TEMP TABLE shard_part (part INTEGER PRIMARY KEY, sweep_id INTEGER, number INTEGER,
    of INTEGER, trials_left INTEGER, newest INTEGER, last_run TEXT, sha256 TEXT);
CREATE TEMP TABLE shard_running (trial_id INTEGER PRIMARY KEY, number INTEGER, of INTEGER,
    its_id INTEGER, part INTEGER);
CREATE TEMP TABLE shard_plan (sweep_id INTEGER PRIMARY KEY, sha256 TEXT, changed TEXT);
CREATE TEMP TABLE shard_left (part INTEGER, config_id INTEGER, seed INTEGER);
CREATE TEMP TABLE shard_here (number INTEGER, of INTEGER, at_work INTEGER, sweep_id INTEGER,
    part INTEGER);
PRAGMA foreign_keys = OFF

-- name: shard_sweeps
SELECT s.sweep_id, name, plan_sha256,
    ifnull((SELECT max(changed) FROM plan_change AS c WHERE c.sweep_id = s.sweep_id), ''),
    p.queued + p.running, s.last_run = (SELECT max(last_run) FROM sweep), s.last_run
FROM sweep AS s JOIN progress AS p USING (sweep_id)

-- name: end_shards
UPDATE trial SET in_shard = 1 WHERE in_shard = 0;
DELETE FROM shard_part
WHERE sha256 <> (SELECT sha256 FROM shard_plan AS p WHERE p.sweep_id = shard_part.sweep_id);
UPDATE shard_part SET trials_left = min(trials_left, (SELECT count(*)
    FROM shard_left AS l JOIN trial AS t
        ON (t.sweep_id, t.config_id, t.seed) = (shard_part.sweep_id, l.config_id, l.seed)
    WHERE l.part = shard_part.part AND in_plan AND state IN ('queued', 'running')))
WHERE number > 0
