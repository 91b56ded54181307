-- From format 6 of the results file to 7: shards. Views are made anew after the last step.

ALTER TABLE sweep ADD COLUMN shards TEXT CHECK (shards IS NULL OR json_type(shards) = 'object');
ALTER TABLE trial ADD COLUMN in_shard INTEGER NOT NULL DEFAULT 1 CHECK (in_shard IN (0, 1));

DROP INDEX trial_queue;
CREATE INDEX trial_claim ON trial (sweep_id, plan_order)
    WHERE state = 'queued' AND in_plan = 1 AND choice = 'chosen' AND in_shard = 1;
