-- from shifted
-- $ report --json $.settings[0].training $.settings[0].shifted[11]
UPDATE sweep SET metric = 'val_loss', goal = 'minimize';
