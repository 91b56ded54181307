-- Fresh trials are tested at the full level, whatever looks exploring has.
-- from confirm
-- $ report --json $.settings[1].verdict.confirmation.alpha $.settings[1].verdict.confirmation.comparisons[0].ci_level $.settings[1].verdict.looks
UPDATE sweep SET looks = '[2,3]';
