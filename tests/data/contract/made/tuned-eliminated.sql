-- A value that was chosen, and judged at one seed, and then another one was chosen.
-- from tuned
-- $ report
-- $ report --json $.planned $.ended $.settings[0].verdict.heads[0].n
UPDATE trial SET choice = 'eliminated' WHERE trial_id = 20000;
