-- From format 4 of the results file to 5: what studies found out about trained models, and the forms of
-- heads. Views are made anew after the last step; those whose names are new:
-- adds view cost
-- adds view prune_or_train
-- adds view evaluations

ALTER TABLE sweep ADD COLUMN eval TEXT NOT NULL DEFAULT '{}' CHECK (json_type(eval) = 'object');
ALTER TABLE sweep ADD COLUMN measure TEXT CHECK (measure IN ('evals'));

-- The widths of heads are others under `form: segments`: they come again behind what they are read
-- from.
ALTER TABLE config DROP COLUMN d_v;
ALTER TABLE config DROP COLUMN d_k;
ALTER TABLE config DROP COLUMN d_head;
ALTER TABLE config ADD COLUMN form TEXT AS (coalesce(config_json ->> '$.model.form', 'project')) VIRTUAL
    CHECK (typeof(form) = 'text');
ALTER TABLE config ADD COLUMN segment_width INTEGER AS (CASE form WHEN 'segments' THEN
    coalesce(nullif(config_json ->> '$.model.segment_width', 0), d_model / heads) END)
    VIRTUAL CHECK (typeof(segment_width) IN ('integer', 'null'));
ALTER TABLE config ADD COLUMN kv_heads INTEGER AS (CASE json_type(config_json, '$.model.kv_heads')
    WHEN 'integer' THEN config_json ->> '$.model.kv_heads' ELSE heads END) VIRTUAL
    CHECK (typeof(kv_heads) = 'integer');
ALTER TABLE config ADD COLUMN mask TEXT AS (coalesce(config_json ->> '$.model.mask', 'none')) VIRTUAL
    CHECK (typeof(mask) = 'text');
ALTER TABLE config ADD COLUMN d_head INTEGER AS (CASE json_type(config_json, '$.model.d_head')
    WHEN 'integer' THEN config_json ->> '$.model.d_head'
    ELSE coalesce(segment_width, d_model / heads) END) VIRTUAL
    CHECK (typeof(d_head) = 'integer');
ALTER TABLE config ADD COLUMN d_k INTEGER AS (CASE json_type(config_json, '$.model.d_k')
    WHEN 'integer' THEN config_json ->> '$.model.d_k' ELSE d_head END) VIRTUAL
    CHECK (typeof(d_k) = 'integer');
ALTER TABLE config ADD COLUMN d_v INTEGER AS (CASE json_type(config_json, '$.model.d_v')
    WHEN 'integer' THEN config_json ->> '$.model.d_v' ELSE d_head END) VIRTUAL
    CHECK (typeof(d_v) = 'integer');

-- No program has written rows of this one yet; its importance was the normalised one.
CREATE TEMP TABLE measured AS SELECT * FROM head_metric;
DROP TABLE head_metric;
CREATE TABLE head_metric (
    trial_id   INTEGER NOT NULL REFERENCES trial,
    step       INTEGER NOT NULL CHECK (step >= 0),
    split      TEXT NOT NULL CHECK (split IN ('val', 'test')),
    layer      INTEGER NOT NULL CHECK (layer >= 0),
    head       INTEGER NOT NULL CHECK (head >= 0),
    importance REAL CHECK (abs(importance) < 1e308),
    importance_norm REAL CHECK (abs(importance_norm) < 1e308),
    ablation_acc  REAL CHECK (abs(ablation_acc) < 1e308),
    ablation_loss REAL CHECK (abs(ablation_loss) < 1e308),
    confidence REAL CHECK (abs(confidence) < 1e308),
    entropy    REAL CHECK (abs(entropy) < 1e308),
    distance   REAL CHECK (abs(distance) < 1e308),
    wo_share   REAL CHECK (abs(wo_share) < 1e308),
    PRIMARY KEY (trial_id, step, split, layer, head)
) STRICT, WITHOUT ROWID;
INSERT INTO head_metric (trial_id, step, split, layer, head, importance_norm, confidence)
SELECT trial_id, step, 'val', layer, head, importance, confidence FROM measured;
DROP TABLE temp.measured;

CREATE TABLE study (
    trial_id INTEGER NOT NULL REFERENCES trial,
    name     TEXT NOT NULL CHECK (name <> ''),
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),
    answered TEXT NOT NULL,
    cpu_s    REAL CHECK (cpu_s >= 0 AND cpu_s < 1e308),
    build_id INTEGER NOT NULL REFERENCES build,
    checkpoint_sha256 TEXT NOT NULL CHECK (length(checkpoint_sha256) = 64),
    PRIMARY KEY (trial_id, name, options)
) STRICT, WITHOUT ROWID;

CREATE TABLE layer_metric (
    trial_id   INTEGER NOT NULL REFERENCES trial,
    step       INTEGER NOT NULL CHECK (step >= 0),
    split      TEXT NOT NULL CHECK (split IN ('val', 'test')),
    layer      INTEGER NOT NULL CHECK (layer >= 0),
    disagreement_subspace REAL CHECK (abs(disagreement_subspace) < 1e308),
    disagreement_position REAL CHECK (abs(disagreement_position) < 1e308),
    disagreement_output   REAL CHECK (abs(disagreement_output) < 1e308),
    effective_rank        REAL CHECK (abs(effective_rank) < 1e308),
    PRIMARY KEY (trial_id, step, split, layer)
) STRICT, WITHOUT ROWID;

CREATE TABLE head_slot (
    trial_id   INTEGER NOT NULL REFERENCES trial,
    step       INTEGER NOT NULL CHECK (step >= 0),
    split      TEXT NOT NULL CHECK (split IN ('val', 'test')),
    layer      INTEGER NOT NULL CHECK (layer >= 0),
    head       INTEGER NOT NULL CHECK (head >= 0),
    slot       INTEGER NOT NULL CHECK (slot >= 0),
    mass       REAL CHECK (abs(mass) < 1e308),
    PRIMARY KEY (trial_id, step, split, layer, head, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE pruning (
    trial_id INTEGER NOT NULL REFERENCES trial,
    method   TEXT NOT NULL CHECK (method <> ''),
    kept     INTEGER NOT NULL CHECK (kept >= 0),
    finetuned_steps INTEGER NOT NULL DEFAULT 0 CHECK (finetuned_steps >= 0),
    lr       REAL NOT NULL DEFAULT 0 CHECK (lr >= 0 AND lr < 1e308),
    removed  TEXT NOT NULL DEFAULT '[]' CHECK (json_type(removed) = 'array'),
    val_acc  REAL CHECK (val_acc BETWEEN 0 AND 1),
    test_acc REAL CHECK (test_acc BETWEEN 0 AND 1),
    test_loss REAL CHECK (abs(test_loss) < 1e308),
    n_params INTEGER CHECK (n_params >= 0),
    flops_per_example REAL CHECK (flops_per_example >= 0 AND flops_per_example < 1e308),
    infer_ms REAL CHECK (infer_ms >= 0 AND infer_ms < 1e308),
    PRIMARY KEY (trial_id, method, kept, finetuned_steps, lr)
) STRICT, WITHOUT ROWID;

CREATE TABLE ensemble (
    sweep_id INTEGER NOT NULL REFERENCES sweep,
    setting  TEXT NOT NULL CHECK (json_type(setting) = 'object'),
    heads    INTEGER NOT NULL CHECK (heads >= 1),
    members  INTEGER NOT NULL CHECK (members >= 1),
    trials   TEXT NOT NULL CHECK (json_type(trials) = 'array'),
    mean_member_acc REAL CHECK (mean_member_acc BETWEEN 0 AND 1),
    test_acc REAL CHECK (test_acc BETWEEN 0 AND 1),
    test_loss REAL CHECK (abs(test_loss) < 1e308),
    n_params INTEGER CHECK (n_params >= 0),
    flops_per_example REAL CHECK (flops_per_example >= 0 AND flops_per_example < 1e308),
    PRIMARY KEY (sweep_id, setting, heads, members, trials)
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluation (
    trial_id INTEGER NOT NULL REFERENCES trial,
    name     TEXT NOT NULL CHECK (name <> ''),
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),
    acc      REAL CHECK (acc BETWEEN 0 AND 1),
    exact    REAL CHECK (exact BETWEEN 0 AND 1),
    loss     REAL CHECK (abs(loss) < 1e308),
    PRIMARY KEY (trial_id, name, options)
) STRICT, WITHOUT ROWID;
