-- from labels
-- $ report --markdown
UPDATE label_acc SET acc = 0.99951;
