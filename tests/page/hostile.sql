-- Gives a sweep names, remarks and errors that a browser or a terminal would obey.
PRAGMA ignore_check_constraints = ON;
CREATE TEMP TABLE evil AS
    SELECT 'name</script><script>hacked=1</script><img src=x onerror=hacked=2>"'
           || char(39, 38, 27, 155, 8232, 8238) || 'back' || char(8207) AS e;
UPDATE sweep SET name = (SELECT e FROM evil), question = (SELECT e FROM evil), remark = (SELECT e FROM evil),
    yaml = yaml || (SELECT e FROM evil);
UPDATE trial SET setting_label = (SELECT e FROM evil), remark = (SELECT e FROM evil);
UPDATE attempt SET error = (SELECT e FROM evil), host = (SELECT e FROM evil);
UPDATE build SET cpu = (SELECT e FROM evil);
