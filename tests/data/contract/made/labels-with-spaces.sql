-- Labels that differ in spaces alone can be told apart.
-- from labels
-- $ report
UPDATE label_acc SET label = 'neg ' WHERE label = 'pos';
