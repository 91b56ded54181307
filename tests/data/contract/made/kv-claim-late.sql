-- from kv-claim
-- $ report --json $.between.claims[0].claim_proof $.between.claims[0].prediction $.between.comparisons[0].comparisons
UPDATE plan_change SET seen = 7, trials_ended = 7;
