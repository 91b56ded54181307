-- What went wrong, and what was tried again?
--   sqlite3 -box results/headcount.db < results/queries/failures.sql
-- Every attempt that did not complete its trial; `now` is how the trial stands today.
SELECT t.sweep, t.trial_id AS trial, t.heads, t.seed, t.state AS now, a.attempt,
       coalesce(a.outcome, 'running') AS outcome, a.exit_code, a.signal, a.started,
       a.resumed_from_step AS from_step, t.bad_step, substr(a.error, 1, 200) AS error, a.note
  FROM attempt AS a JOIN trials AS t USING (trial_id)
 WHERE a.outcome IS NOT 'completed'
 ORDER BY t.sweep, t.trial_id, a.attempt;
