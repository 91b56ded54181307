-- Seeds that all give the same line do not tell how far it may lie off.
-- from cells
-- $ report
-- $ report --json $.map.fit.possible $.map.fit.terms[0].ci95_low $.map.fit.terms[0].ci95_high
-- $ report --explain --markdown
UPDATE trial SET val_acc = (SELECT val_acc FROM trial AS t WHERE t.config_id = trial.config_id AND t.seed = 0);
