-- A report without pairs says so.
-- from kv
-- $ report --between
-- $ report --between --csv
-- $ report --between --json $.between
DELETE FROM trial WHERE config_id > 1;
