-- With one head count there is nothing to follow.
-- from list
-- $ report --json $.map
DELETE FROM trial WHERE config_id IN (SELECT config_id FROM config WHERE heads > 1);
