-- A setting with one head count has nothing to choose from: neither a set that may be the best nor an h*.
-- from cells
-- $ report
-- $ report --json $.map.cells[6] $.map.fit.cells $.settings[6].verdict.heads[0].in_plateau
DELETE FROM trial WHERE setting LIKE '%:10,%slots":8}'
    AND config_id NOT IN (SELECT config_id FROM config WHERE heads = 8);
