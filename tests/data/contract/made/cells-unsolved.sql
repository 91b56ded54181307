-- Where no trial reaches .99 in tests there is a best head count, but it is enough for nothing.
-- from cells
-- $ report
-- $ report --markdown
-- $ report --json $.map.cells[6] $.map.unsolved $.map.fit.cells $.map.fit_above_floor.possible
UPDATE trial SET val_acc = min(val_acc, .98), test_acc = min(test_acc, .9899) WHERE setting LIKE '%:10,%slots":8}';
