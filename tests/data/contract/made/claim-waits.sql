-- from claim
-- $ report --markdown
UPDATE trial SET state = 'queued';
