-- How often a setting is solved is a matter of its tests.
-- from cells
-- $ report --json $.map.cells[6].h_star
UPDATE trial SET val_acc = min(val_acc, .98) WHERE setting LIKE '%:10,%slots":8}';
