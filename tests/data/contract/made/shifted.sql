-- Two test sets, one of which a trial lacks and has in another wording; one that is not asked for any more.
-- from gather
-- $ report
-- $ report --markdown
-- $ report --csv
-- $ report --json $.settings[0].shifted[11]
UPDATE sweep SET eval = '{"again":{},"long":{"length":64}}';
UPDATE trial SET train_acc = min(1, test_acc + .01 + .001 * seed), checkpoint = trial_id || '.safetensors';
INSERT INTO evaluation (trial_id, name, options, acc, exact, loss)
SELECT trial_id, 'again', '{}', test_acc, .5, .5 FROM trial
UNION ALL SELECT trial_id, 'long', '{"length": 64}', test_acc / 2 + .01 * (seed % 2), .1, .9 FROM trial
    WHERE trial_id <> 450000
UNION ALL SELECT trial_id, 'long', '{"length":128}', 0, 0, 9 FROM trial
UNION ALL SELECT trial_id, 'gone', '{}', 0, 0, 9 FROM trial;
