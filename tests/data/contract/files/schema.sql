CREATE TABLE results_file (
    id TEXT PRIMARY KEY CHECK (length(id) = 32)  -- 128 random bits, hexadecimal
) STRICT, WITHOUT ROWID;
CREATE TABLE sweep (
    sweep_id    INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    question    TEXT NOT NULL,  -- first comment line of the file
    yaml        TEXT NOT NULL,  -- the file as read; its lines end with \n
    yaml_sha256 TEXT NOT NULL CHECK (length(yaml_sha256) = 64),
    plan_sha256 TEXT NOT NULL CHECK (length(plan_sha256) = 64),  -- of all trials it came to
    metric      TEXT NOT NULL CHECK (metric IN ('val_acc', 'val_loss')),
    goal        TEXT NOT NULL CHECK (goal IN ('maximize', 'minimize')),
    tune        TEXT NOT NULL CHECK (json_type(tune) = 'array'),  -- ["train.lr"]; [] without
    claim       TEXT CHECK (claim IS NULL OR json_type(claim) = 'object'),
                -- {"best":4,"over":[1,16]}: predicted before the first trial
    created     TEXT NOT NULL,
    last_run    TEXT NOT NULL,
    drawn       INTEGER NOT NULL DEFAULT 0 CHECK (drawn IN (0, 1)),  -- method: random; reports list
                -- its settings by their values, not in the order of the plan
    overrides   TEXT NOT NULL DEFAULT '[]' CHECK (json_type(overrides) = 'array'),
                -- ["train.steps=100"]: what --set put in the place of what the file says
    remark      TEXT,  -- what a person wrote about it: headcount sweep note
    replicate   TEXT NOT NULL DEFAULT '[]' CHECK (json_type(replicate) = 'array'),
                -- ["task.instance"]: axes that are samples of what a finding is for
    looks       TEXT NOT NULL DEFAULT '[]' CHECK (json_type(looks) = 'array'),
                -- [5,10,20]: seeds in all by each look; [] without
    equivalence REAL CHECK (equivalence > 0 AND equivalence < 1e308),  -- a difference within which
                -- head counts are taken for equal, in units of the metric
    rungs       TEXT CHECK (rungs IS NULL OR json_type(rungs) = 'object'),
                -- {"eta":3,"min_steps":150}: under `tune`, successive halving
    eval        TEXT NOT NULL DEFAULT '{}' CHECK (json_type(eval) = 'object'),
                -- {"noisy":{"noise":0.1}}: further test sets, by the task's options that differ
    measure     TEXT CHECK (measure IN ('evals')),  -- when trials measure their heads as they are
                -- trained: at every evaluation; NULL: never
    shards      TEXT CHECK (shards IS NULL OR json_type(shards) = 'object'),
                -- {"of":4,"here":[2]}: of the shards that it was cut into (run --shard), those that
                -- this file has; NULL: it has all
    extend      INTEGER CHECK (extend >= 1),  -- under `tune`: so many values may be added beyond those
                -- that the file lists, to either side of each axis; NULL: none
    confirm     TEXT CHECK (confirm IS NULL OR json_type(confirm) = 'object')
                -- {"seeds":8}, with `replicate` {"instances":[9,10],"seeds":3}: what is fresh for
                -- the head counts that the others have picked; NULL: nothing is confirmed
) STRICT;
CREATE TABLE plan_change (
    plan_change_id INTEGER PRIMARY KEY,
    sweep_id     INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
    changed      TEXT NOT NULL,
    pairs_sha256 TEXT NOT NULL CHECK (length(pairs_sha256) = 64),  -- of the set of pairs
    pairs        INTEGER NOT NULL CHECK (pairs >= 0),     -- (config, seed), tuning ones too
    added        INTEGER NOT NULL CHECK (added >= 0),     -- of them, against the row before
    removed      INTEGER NOT NULL CHECK (removed >= 0),
    what         TEXT NOT NULL CHECK (json_type(what) = 'object'),
                 -- {"heads_added":[],"heads_removed":[1],"seeds_added":[5],...,"points_added":0,...};
                 -- "rules": which of tune, replicate, looks, rungs, equivalence, extend, confirm had
                 -- changed; "asks": what each of them is from then on
    claim        TEXT CHECK (claim IS NULL OR json_type(claim) = 'object'),  -- from then on
    seen         INTEGER NOT NULL CHECK (seen >= 0),  -- pairs whose results were there to be seen: of
                 -- the plan, in any sweep or in `deleted`, and all of this sweep, in the plan or not
    seen_outside INTEGER NOT NULL CHECK (seen_outside BETWEEN 0 AND seen),  -- of these, not planned
    trials_ended INTEGER NOT NULL CHECK (trials_ended >= 0),  -- of this sweep, in the plan or not
    similar      INTEGER NOT NULL DEFAULT 0 CHECK (similar >= 0),  -- with a claim: pairs outside the
                 -- plan whose results were there to be seen, of the task, model and seed of a judged
                 -- trial of the plan, with other options of training
    similar_differ TEXT NOT NULL DEFAULT '[]' CHECK (json_type(similar_differ) = 'array'),
                 -- in which of these: ["train.eval_every"]
    by           TEXT NOT NULL DEFAULT 'file' CHECK (by IN ('file', 'confirm')),
                 -- who made the change: the sweep file; or the program, under `confirm`: then pairs
                 -- are the confirming trials of the claim, seen is of these, the plan has stayed as it
                 -- was, claim NULL says that there is nothing to confirm, and `what` why or on what:
                 -- {"kind":"middle","seeds":8,"tuning":{"4":{"train.lr":0.01},...}}
    setting      TEXT CHECK (setting IS NULL OR json_type(setting) = 'object'),  -- by confirm: as in
                 -- `trial`
    CHECK ((by = 'confirm') = (setting IS NOT NULL))
) STRICT;
CREATE INDEX plan_change_sweep ON plan_change (sweep_id, plan_change_id);
CREATE TABLE look (
    sweep_id INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
    setting  TEXT NOT NULL CHECK (json_type(setting) = 'object'),  -- as in `trial`
    look     INTEGER NOT NULL CHECK (look >= 1),
    judged   TEXT NOT NULL,
    kind     TEXT NOT NULL,  -- of the verdict: claim_confirmed, middle, ...
    decided  INTEGER NOT NULL CHECK (decided IN (0, 1)),  -- 1: trials of later looks are not run
    PRIMARY KEY (sweep_id, setting, look)
) STRICT, WITHOUT ROWID;
CREATE TABLE config (
    config_id     INTEGER PRIMARY KEY,
    config_sha256 TEXT NOT NULL UNIQUE CHECK (length(config_sha256) = 64),
    n_params      INTEGER NOT NULL CHECK (n_params >= 0),
    flops_per_step REAL NOT NULL CHECK (flops_per_step >= 0),
    chance        REAL NOT NULL CHECK (chance BETWEEN 0 AND 1),
    config_json   TEXT NOT NULL CHECK (json_type(config_json) = 'object'),
    task    TEXT AS (config_json ->> '$.task.name') STORED CHECK (typeof(task) = 'text'),
    length  INTEGER AS (config_json ->> '$.task.options.length') STORED
            CHECK (typeof(length) IN ('integer', 'null')),
    vocab   INTEGER AS (config_json ->> '$.task.options.vocab') STORED
            CHECK (typeof(vocab) IN ('integer', 'null')),
    slots   INTEGER AS (config_json ->> '$.task.options.slots') STORED
            CHECK (typeof(slots) IN ('integer', 'null')),  -- of tasks that have the option
    instance INTEGER AS (config_json ->> '$.task.options.instance') STORED
            CHECK (typeof(instance) IN ('integer', 'null')),
    d_model INTEGER AS (config_json ->> '$.model.d_model') STORED
            CHECK (typeof(d_model) = 'integer'),
    heads   INTEGER AS (config_json ->> '$.model.heads') STORED CHECK (typeof(heads) = 'integer'),
    layers  INTEGER AS (config_json ->> '$.model.layers') STORED
            CHECK (typeof(layers) = 'integer'),
    d_ff    INTEGER AS (config_json ->> '$.model.d_ff') STORED CHECK (typeof(d_ff) = 'integer'),
    norm    TEXT AS (config_json ->> '$.model.norm') STORED
            CHECK (typeof(norm) IN ('text', 'null')),
    activation TEXT AS (config_json ->> '$.model.activation') STORED
            CHECK (typeof(activation) IN ('text', 'null')),
    positions TEXT AS (config_json ->> '$.model.positions') STORED
            CHECK (typeof(positions) IN ('text', 'null')),
    pool    TEXT AS (config_json ->> '$.model.pool') STORED
            CHECK (typeof(pool) IN ('text', 'null')),
    init    TEXT AS (config_json ->> '$.model.init') STORED
            CHECK (typeof(init) IN ('text', 'null')),
    dropout REAL AS (config_json ->> '$.model.dropout') STORED
            CHECK (typeof(dropout) IN ('real', 'null')),
    steps   INTEGER AS (config_json ->> '$.train.steps') STORED CHECK (typeof(steps) = 'integer'),
    batch   INTEGER AS (config_json ->> '$.train.batch') STORED CHECK (typeof(batch) = 'integer'),
    lr      REAL AS (config_json ->> '$.train.lr') STORED CHECK (typeof(lr) = 'real'),
    optimizer TEXT AS (config_json ->> '$.train.optimizer') STORED
            CHECK (typeof(optimizer) IN ('text', 'null')),
    weight_decay REAL AS (config_json ->> '$.train.weight_decay') STORED
            CHECK (typeof(weight_decay) IN ('real', 'null')),
    clip    REAL AS (config_json ->> '$.train.clip') STORED
            CHECK (typeof(clip) IN ('real', 'null')),
    schedule TEXT AS (config_json ->> '$.train.schedule.name') STORED
            CHECK (typeof(schedule) IN ('text', 'null')),
    warmup  INTEGER AS (config_json ->> '$.train.schedule.warmup') STORED
            CHECK (typeof(warmup) IN ('integer', 'null')),
    eval_every INTEGER AS (config_json ->> '$.train.eval_every') STORED
            CHECK (typeof(eval_every) IN ('integer', 'null')),
    examples INTEGER AS (config_json ->> '$.train.examples') STORED
            CHECK (typeof(examples) IN ('integer', 'null')),  -- 0: always fresh ones
    form    TEXT AS (coalesce(config_json ->> '$.model.form', 'project')) VIRTUAL
            CHECK (typeof(form) = 'text'),
    segment_width INTEGER AS (CASE form WHEN 'segments' THEN
                coalesce(nullif(config_json ->> '$.model.segment_width', 0), d_model / heads) END)
            VIRTUAL CHECK (typeof(segment_width) IN ('integer', 'null')),  -- of form segments
    kv_heads INTEGER AS (CASE json_type(config_json, '$.model.kv_heads')
                WHEN 'integer' THEN config_json ->> '$.model.kv_heads' ELSE heads END) VIRTUAL
            CHECK (typeof(kv_heads) = 'integer'),
    mask    TEXT AS (coalesce(config_json ->> '$.model.mask', 'none')) VIRTUAL
            CHECK (typeof(mask) = 'text'),
    d_head  INTEGER AS (CASE json_type(config_json, '$.model.d_head')
                WHEN 'integer' THEN config_json ->> '$.model.d_head'
                ELSE coalesce(segment_width, d_model / heads) END) VIRTUAL  -- "split"
            CHECK (typeof(d_head) = 'integer'),
    d_k     INTEGER AS (CASE json_type(config_json, '$.model.d_k')
                WHEN 'integer' THEN config_json ->> '$.model.d_k' ELSE d_head END) VIRTUAL
            CHECK (typeof(d_k) = 'integer'),
    d_v     INTEGER AS (CASE json_type(config_json, '$.model.d_v')
                WHEN 'integer' THEN config_json ->> '$.model.d_v' ELSE d_head END) VIRTUAL
            CHECK (typeof(d_v) = 'integer'),
    mode    TEXT AS (config_json ->> '$.task.options.mode') VIRTUAL
            CHECK (typeof(mode) IN ('text', 'null')),  -- of task text: lm, classify
    data_sha256 TEXT AS (config_json ->> '$.task.options.sha256') VIRTUAL
            CHECK (typeof(data_sha256) IN ('text', 'null'))  -- of the file that it learns from
) STRICT;
CREATE TABLE data_file (
    path     TEXT NOT NULL CHECK (path <> ''),
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),
             -- the task's that it was read with: {"length":128,"mode":"lm"}
    sha256   TEXT NOT NULL CHECK (length(sha256) = 64),
    size     INTEGER NOT NULL CHECK (size >= 0),
    mtime_ns INTEGER NOT NULL,  -- since 1970
    facts    TEXT NOT NULL CHECK (json_type(facts) = 'object'),  -- {"classes":2,"cut":812,...}
    read_ns  INTEGER NOT NULL,  -- when it was read, since 1970
    PRIMARY KEY (path, options, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX data_file_sha256 ON data_file (sha256);
CREATE TABLE trial (
    trial_id   INTEGER PRIMARY KEY,
    sweep_id   INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
    config_id  INTEGER NOT NULL REFERENCES config,
    seed       INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 4294967295),
    state      TEXT NOT NULL DEFAULT 'queued' CHECK (state IN
               ('queued', 'running', 'completed', 'diverged', 'failed', 'not_needed')),
    in_plan    INTEGER NOT NULL CHECK (in_plan IN (0, 1)),  -- 0: the sweep file dropped it since
    plan_order INTEGER NOT NULL,  -- trials are claimed in this order; an added one has the place of
               -- the one that it was made from
    setting    TEXT NOT NULL CHECK (json_type(setting) = 'object'),
               -- the varying axes other than heads and the tuned ones
    setting_label TEXT NOT NULL,  -- the same for people; '' when nothing else varies
    tuning     TEXT NOT NULL CHECK (json_type(tuning) = 'object'),  -- the tuned axes; {} without
    is_tuning  INTEGER NOT NULL CHECK (is_tuning IN (0, 1)),  -- serves only to choose
    choice     TEXT NOT NULL DEFAULT 'chosen' CHECK (choice IN ('chosen', 'waiting', 'eliminated')),
               -- under `tune`: waits for the tuning trials of its head count, or its value lost to
               -- another, at a rung or in the end; under `looks`: waits for the look before, or is
               -- not needed any more
    attempt      INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),  -- the newest; 0: none yet
    retries_used INTEGER NOT NULL DEFAULT 0 CHECK (retries_used >= 0),
    resume_step  INTEGER NOT NULL DEFAULT 0 CHECK (resume_step >= 0),  -- of its checkpoint
    steps_done   INTEGER NOT NULL DEFAULT 0 CHECK (steps_done >= 0),
    best_step    INTEGER CHECK (best_step >= 0),
    train_acc    REAL CHECK (train_acc BETWEEN 0 AND 1),
    val_acc      REAL CHECK (val_acc BETWEEN 0 AND 1),
    val_loss     REAL CHECK (abs(val_loss) < 1e308),
    test_acc     REAL CHECK (test_acc BETWEEN 0 AND 1),
    test_acc_by_slot TEXT CHECK (test_acc_by_slot IS NULL OR json_type(test_acc_by_slot) = 'array'),
    test_exact   REAL CHECK (test_exact BETWEEN 0 AND 1),
    test_loss    REAL CHECK (abs(test_loss) < 1e308),
    chance       REAL NOT NULL CHECK (chance BETWEEN 0 AND 1),  -- what guessing gets
    bad_step     INTEGER CHECK (bad_step >= 0),  -- where NaN or Inf first appeared
    train_s      REAL CHECK (train_s >= 0 AND train_s < 1e308),  -- CPU time of all its threads
    checkpoint   TEXT,  -- weights of the best step: a file's name in <this file>.d
    checkpoint_sha256 TEXT CHECK (length(checkpoint_sha256) = 64),
    remark       TEXT,  -- what a person wrote about it: headcount sweep note
    replicate    TEXT NOT NULL DEFAULT '{}' CHECK (json_type(replicate) = 'object'),
                 -- values of the replicated axes: {"task.instance":3}; {} without
    look         INTEGER NOT NULL DEFAULT 1 CHECK (look >= 1),  -- the look that it runs for
    until        INTEGER CHECK (until >= 1),  -- the step at which it pauses to be compared; NULL: it
                                              -- trains to its end
    limit_hit    INTEGER NOT NULL DEFAULT 0 CHECK (limit_hit IN (0, 1)),
                 -- its last attempt ended at limits.time or limits.memory; its state is failed
    in_shard     INTEGER NOT NULL DEFAULT 1 CHECK (in_shard IN (0, 1)),
                 -- 0: of another shard than the one that was run last: not claimed
    added        INTEGER NOT NULL DEFAULT 0 CHECK (added >= 0),
                 -- of a value that tune.extend has put into the plan: how many steps it lies beyond
                 -- those that the sweep file lists; 0: the file lists it
    confirms     INTEGER NOT NULL DEFAULT 0 CHECK (confirms IN (0, 1) AND confirms + is_tuning < 2),
               -- 1: under `confirm`, on a fresh seed: it decides about what the others have found,
               -- and is in nothing else
    UNIQUE (sweep_id, config_id, seed),
    CHECK (state <> 'completed' OR (best_step IS NOT NULL AND train_acc IS NOT NULL
           AND val_acc IS NOT NULL AND test_acc IS NOT NULL AND test_exact IS NOT NULL
           AND test_loss IS NOT NULL AND train_s IS NOT NULL))
) STRICT;
CREATE INDEX trial_claim ON trial (sweep_id, plan_order)
    WHERE state = 'queued' AND in_plan = 1 AND choice = 'chosen' AND in_shard = 1;
CREATE INDEX trial_running ON trial (trial_id) WHERE state = 'running';
CREATE INDEX trial_undecided ON trial (sweep_id, setting, config_id)
    WHERE state = 'queued' AND choice = 'waiting' AND is_tuning = 0 AND tuning <> '{}' AND in_plan = 1;
CREATE INDEX trial_tuned ON trial (sweep_id, setting) WHERE tuning <> '{}';
CREATE INDEX trial_state ON trial (sweep_id, in_plan, state, train_s);
CREATE TABLE build (
    build_id   INTEGER PRIMARY KEY,
    version    TEXT NOT NULL,
    git_commit TEXT NOT NULL,
    compiler   TEXT NOT NULL,
    flags      TEXT NOT NULL,
    openblas   TEXT NOT NULL,
    core_type  TEXT NOT NULL,  -- OpenBLAS kernels in use
    kernels    TEXT NOT NULL,  -- headcount's own
    cpu        TEXT NOT NULL,
    UNIQUE (version, git_commit, compiler, flags, openblas, core_type, kernels, cpu)
) STRICT;
CREATE TABLE attempt (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    attempt  INTEGER NOT NULL CHECK (attempt >= 1),
    build_id INTEGER NOT NULL REFERENCES build,
    host     TEXT,
    pid      INTEGER,
    started  TEXT NOT NULL,
    ended    TEXT,  -- NULL: still running
    outcome  TEXT CHECK (outcome IN ('completed', 'diverged', 'failed', 'requeued')),
    resumed_from_step INTEGER NOT NULL,
    exit_code   INTEGER,
    signal      INTEGER,
    cpu_s       REAL,
    max_rss_kib INTEGER,
    error       TEXT,  -- the tail of its stderr, or why it diverged
    note        TEXT,  -- a warning for people, such as a checkpoint of another build
    job         TEXT,  -- of Slurm, that the coordinator ran in: "17", "17_2"; NULL: none
    cause       TEXT CHECK (cause IN ('lost', 'stopped', 'paused', 'coordinator')),  -- why it was
                -- requeued: killed or lost where it ran; asked to stop; at its rung; the coordinator
                -- or its machine went down
    PRIMARY KEY (trial_id, attempt),
    CHECK ((outcome IS 'requeued') = (cause IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE deleted (
    trial_id      INTEGER PRIMARY KEY,  -- never given again: files of that number may lie about
    config_id     INTEGER NOT NULL REFERENCES config,
    seed          INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 4294967295),
    sweep         TEXT NOT NULL,  -- its name at the time
    ended         TEXT,  -- when the trial had ended; NULL: it had not
    deleted       TEXT NOT NULL,
    seen          INTEGER NOT NULL DEFAULT 0 CHECK (seen IN (0, 1))
                  -- 1: it had ended, or had been evaluated on the way
) STRICT;
CREATE INDEX deleted_config ON deleted (config_id, seed);
CREATE TABLE curve (
    trial_id   INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    step       INTEGER NOT NULL CHECK (step >= 0),
    train_loss REAL CHECK (abs(train_loss) < 1e308),
    train_acc  REAL CHECK (train_acc BETWEEN 0 AND 1),
    val_loss   REAL CHECK (abs(val_loss) < 1e308),
    val_acc    REAL CHECK (val_acc BETWEEN 0 AND 1),
    grad_norm  REAL CHECK (grad_norm >= 0 AND grad_norm < 1e308),
    lr         REAL CHECK (lr >= 0 AND lr < 1e308),
    elapsed_s  REAL CHECK (elapsed_s >= 0 AND elapsed_s < 1e308),
    cpu_s      REAL CHECK (cpu_s >= 0 AND cpu_s < 1e308),  -- as trial.train_s, so far
    PRIMARY KEY (trial_id, step)
) STRICT, WITHOUT ROWID;
CREATE TABLE block_loss (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    block    INTEGER NOT NULL CHECK (block >= 0),
    loss     REAL NOT NULL CHECK (abs(loss) < 1e308),
    PRIMARY KEY (trial_id, block)
) STRICT, WITHOUT ROWID;
CREATE TABLE label_acc (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    label    TEXT NOT NULL,
    n        INTEGER NOT NULL CHECK (n >= 1),  -- rows of the test set that have it
    acc      REAL NOT NULL CHECK (acc BETWEEN 0 AND 1),
    PRIMARY KEY (trial_id, label)
) STRICT, WITHOUT ROWID;
CREATE TABLE study (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    name     TEXT NOT NULL CHECK (name <> ''),  -- heads, prune, ensemble, evaluation
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),  -- as asked: {"on":"val"}
    answered TEXT NOT NULL,
    cpu_s    REAL CHECK (cpu_s >= 0 AND cpu_s < 1e308),  -- of an ensemble: of all its members
    build_id INTEGER NOT NULL REFERENCES build,  -- who answered
    checkpoint_sha256 TEXT NOT NULL CHECK (length(checkpoint_sha256) = 64),
             -- the weights that were asked: an answer from others than the trial's counts as none
    PRIMARY KEY (trial_id, name, options)
) STRICT, WITHOUT ROWID;
CREATE TABLE head_metric (
    trial_id   INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    step       INTEGER NOT NULL CHECK (step >= 0),
    split      TEXT NOT NULL CHECK (split IN ('val', 'test')),  -- the examples
    layer      INTEGER NOT NULL CHECK (layer >= 0),
    head       INTEGER NOT NULL CHECK (head >= 0),
    importance REAL CHECK (abs(importance) < 1e308),
               -- E|dL(x)/dxi|, xi the head's gate: Michel et al. 2019, eq. 2
    importance_norm REAL CHECK (abs(importance_norm) < 1e308),  -- the same, of length 1 per layer
    ablation_acc  REAL CHECK (abs(ablation_acc) < 1e308),   -- accuracy without this head (xi = 0)
    ablation_loss REAL CHECK (abs(ablation_loss) < 1e308),
    confidence REAL CHECK (abs(confidence) < 1e308),
               -- mean largest attention weight: Voita et al. 2019
    entropy    REAL CHECK (abs(entropy) < 1e308),   -- of the attention weights, over ln T
    distance   REAL CHECK (abs(distance) < 1e308),  -- mean |i - j| under the attention weights
    wo_share   REAL CHECK (abs(wo_share) < 1e308),
               -- squared Frobenius norm of its block of W_O over that of W_O
    PRIMARY KEY (trial_id, step, split, layer, head)
) STRICT, WITHOUT ROWID;
CREATE TABLE layer_metric (
    trial_id   INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    step       INTEGER NOT NULL CHECK (step >= 0),
    split      TEXT NOT NULL CHECK (split IN ('val', 'test')),
    layer      INTEGER NOT NULL CHECK (layer >= 0),
    disagreement_subspace REAL CHECK (abs(disagreement_subspace) < 1e308),
    disagreement_position REAL CHECK (abs(disagreement_position) < 1e308),
    disagreement_output   REAL CHECK (abs(disagreement_output) < 1e308),
    effective_rank        REAL CHECK (abs(effective_rank) < 1e308),  -- of the concatenated outputs
    PRIMARY KEY (trial_id, step, split, layer)
) STRICT, WITHOUT ROWID;
CREATE TABLE head_slot (
    trial_id   INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    step       INTEGER NOT NULL CHECK (step >= 0),
    split      TEXT NOT NULL CHECK (split IN ('val', 'test')),
    layer      INTEGER NOT NULL CHECK (layer >= 0),
    head       INTEGER NOT NULL CHECK (head >= 0),
    slot       INTEGER NOT NULL CHECK (slot >= 0),
    mass       REAL CHECK (abs(mass) < 1e308),  -- mean attention on the position the slot needs
    PRIMARY KEY (trial_id, step, split, layer, head, slot)
) STRICT, WITHOUT ROWID;
CREATE TABLE pruning (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    method   TEXT NOT NULL CHECK (method <> ''),
             -- what the order went by: importance, ablation, random; none: the whole model
    kept     INTEGER NOT NULL CHECK (kept >= 0),  -- heads, over all layers
    finetuned_steps INTEGER NOT NULL DEFAULT 0 CHECK (finetuned_steps >= 0),
    lr       REAL NOT NULL DEFAULT 0 CHECK (lr >= 0 AND lr < 1e308),  -- of fine-tuning; 0 without
    removed  TEXT NOT NULL DEFAULT '[]' CHECK (json_type(removed) = 'array'),
             -- [[layer,head],...], in the order in which they went
    val_acc  REAL CHECK (val_acc BETWEEN 0 AND 1),
    test_acc REAL CHECK (test_acc BETWEEN 0 AND 1),
    test_loss REAL CHECK (abs(test_loss) < 1e308),
    n_params INTEGER CHECK (n_params >= 0),  -- of the smaller model
    flops_per_example REAL CHECK (flops_per_example >= 0 AND flops_per_example < 1e308),  -- forward
    infer_ms REAL CHECK (infer_ms >= 0 AND infer_ms < 1e308),
             -- CPU time of an example's forward pass, in batches of 64, median
    PRIMARY KEY (trial_id, method, kept, finetuned_steps, lr)
) STRICT, WITHOUT ROWID;
CREATE TABLE ensemble (
    sweep_id INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
    setting  TEXT NOT NULL CHECK (json_type(setting) = 'object'),  -- as in `trial`
    heads    INTEGER NOT NULL CHECK (heads >= 1),    -- of each member's layers
    members  INTEGER NOT NULL CHECK (members >= 1),
    trials   TEXT NOT NULL CHECK (json_type(trials) = 'array'),  -- their numbers: [3,4]
    mean_member_acc REAL CHECK (mean_member_acc BETWEEN 0 AND 1),  -- of the members one by one
    test_acc REAL CHECK (test_acc BETWEEN 0 AND 1),
    test_loss REAL CHECK (abs(test_loss) < 1e308),
    n_params INTEGER CHECK (n_params >= 0),  -- of all members
    flops_per_example REAL CHECK (flops_per_example >= 0 AND flops_per_example < 1e308),  -- forward
    PRIMARY KEY (sweep_id, setting, heads, members, trials)
) STRICT, WITHOUT ROWID;
CREATE TABLE evaluation (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    name     TEXT NOT NULL CHECK (name <> ''),  -- of the test set
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),  -- the task's that differ
    acc      REAL CHECK (acc BETWEEN 0 AND 1),
    exact    REAL CHECK (exact BETWEEN 0 AND 1),  -- sequences with every position right
    loss     REAL CHECK (abs(loss) < 1e308),
    PRIMARY KEY (trial_id, name, options)
) STRICT, WITHOUT ROWID;
CREATE TABLE t_quantile (
    level REAL NOT NULL,  -- one-sided: .975 for a 95% interval
    df    INTEGER NOT NULL,
    t     REAL NOT NULL,
    PRIMARY KEY (level, df)
) STRICT, WITHOUT ROWID;
CREATE VIEW trials AS
SELECT t.trial_id, s.name AS sweep, t.setting, t.setting_label, c.task, c.heads, c.d_model,
       t.seed, t.state, t.in_plan, t.is_tuning, t.tuning, t.choice, t.plan_order,
       t.test_acc, t.test_exact, t.test_loss,
       CASE WHEN c.task = 'text' AND c.mode = 'lm' THEN t.test_loss / ln(2) END AS bits_per_byte,
       t.test_acc_by_slot, t.val_acc, t.val_loss,
       t.train_acc, t.chance, t.best_step, t.steps_done, c.steps, t.bad_step, t.train_s,
       c.n_params, c.flops_per_step, c.form, c.segment_width, c.kv_heads, c.mask, c.d_head,
       c.d_k, c.d_v, c.layers, c.d_ff, c.norm,
       c.activation, c.positions, c.pool, c.init, c.dropout, c.length, c.vocab, c.slots,
       c.instance, c.batch, c.lr, c.optimizer, c.weight_decay, c.clip, c.schedule, c.warmup,
       c.eval_every, c.examples, c.mode, c.data_sha256, t.attempt, t.retries_used, t.resume_step, a.started, a.ended,
       a.host, a.pid, a.cpu_s, a.max_rss_kib, a.exit_code, a.signal, a.error, a.note,
       t.replicate, t.look, t.until, t.limit_hit, t.in_shard, t.added, t.confirms,
       t.remark,
       t.checkpoint, t.checkpoint_sha256, c.config_sha256, c.config_json, t.sweep_id, t.config_id
  FROM trial AS t
  JOIN sweep AS s USING (sweep_id)
  JOIN config AS c USING (config_id)
  LEFT JOIN attempt AS a ON a.trial_id = t.trial_id AND a.attempt = t.attempt;
CREATE VIEW by_heads AS
WITH unit AS MATERIALIZED (
    SELECT t.sweep_id, t.setting, c.heads, t.trial_id, t.chance, t.state = 'completed' AS good,
           t.state <> 'completed' AND NOT t.limit_hit AS bad, t.limit_hit AS limited,
           CASE t.state WHEN 'completed' THEN t.test_acc END AS acc,
           CASE WHEN t.state = 'completed' THEN t.test_acc
                WHEN NOT t.limit_hit THEN t.chance END AS shown,
           CASE t.state WHEN 'completed' THEN t.test_loss END AS loss,
           t.state = 'completed' AND t.test_acc >= 0.99 AS solved,
           CASE t.state WHEN 'completed' THEN t.train_acc END AS train_acc,
           CASE t.state WHEN 'completed' THEN t.test_exact END AS exact,
           CASE t.state WHEN 'completed' THEN t.train_s END AS train_s
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.trial_id IN (SELECT trial_id FROM sweep CROSS JOIN trial USING (sweep_id)
                           WHERE in_plan = 1 AND state IN ('completed', 'diverged', 'failed'))
       AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen' AND t.replicate = '{}'
     UNION ALL
    SELECT t.sweep_id, t.setting, c.heads, t.trial_id, max(t.chance), sum(t.state = 'completed'),
           sum(t.state <> 'completed' AND NOT t.limit_hit), sum(t.limit_hit),
           avg(CASE t.state WHEN 'completed' THEN t.test_acc END),
           avg(CASE WHEN t.state = 'completed' THEN t.test_acc
                    WHEN NOT t.limit_hit THEN t.chance END),
           avg(CASE t.state WHEN 'completed' THEN t.test_loss END),
           sum(t.state = 'completed' AND t.test_acc >= 0.99),
           sum(CASE t.state WHEN 'completed' THEN t.train_acc END),
           sum(CASE t.state WHEN 'completed' THEN t.test_exact END),
           sum(CASE t.state WHEN 'completed' THEN t.train_s END)
      FROM sweep AS s CROSS JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
     WHERE s.replicate <> '[]' AND t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0
       AND t.choice = 'chosen' AND t.state IN ('completed', 'diverged', 'failed') AND t.replicate <> '{}'
     GROUP BY t.sweep_id, t.setting, c.heads, t.replicate
), summary AS MATERIALIZED ( -- numbers are compared first: most of them differ
    SELECT heads, setting, sweep_id, count(acc) AS n, count(shown) AS n_all,
           sum(good) AS n_trials, sum(bad) AS n_bad, sum(limited) AS n_limit,
           CASE WHEN min(acc) = max(acc) THEN min(acc) ELSE avg(acc) END AS mean,
           CASE WHEN min(loss) = max(loss) THEN min(loss) ELSE avg(loss) END AS mean_loss,
           CASE WHEN min(shown) = max(shown) THEN min(shown) ELSE avg(shown) END AS mean_all,
           min(acc) AS min_acc, max(acc) AS max_acc, sum(solved) AS n_solved,
           sum(train_acc) / sum(good) AS mean_train_acc, sum(exact) / sum(good) AS mean_exact,
           sum(train_s) / sum(good) AS mean_train_s
      FROM unit GROUP BY heads, setting, sweep_id
), ranked AS (
    SELECT heads, setting, sweep_id, acc, loss, shown, chance, trial_id,
           row_number() OVER (PARTITION BY heads, setting, sweep_id
                              ORDER BY acc IS NULL, acc) AS place
      FROM unit
), spread AS MATERIALIZED (
    SELECT heads, setting, sweep_id, max(chance) AS chance, trial_id,
           sum((acc - s.mean) * (acc - s.mean)) AS squares,
           sum((loss - s.mean_loss) * (loss - s.mean_loss)) AS squares_loss,
           sum((shown - s.mean_all) * (shown - s.mean_all)) AS squares_all,
           avg(acc) FILTER (WHERE place IN ((s.n + 1) / 2, (s.n + 2) / 2)) AS median_acc
      FROM ranked CROSS JOIN summary AS s USING (heads, setting, sweep_id)
     GROUP BY heads, setting, sweep_id
), wide AS (
    SELECT *, CASE WHEN n > 1 THEN sqrt(squares / (n - 1)) END AS sd,
           CASE WHEN n > 1 THEN sqrt(squares_loss / (n - 1)) END AS sd_loss,
           CASE WHEN n_all > 1 THEN sqrt(squares_all / (n_all - 1)) END AS sd_all,
           (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
             ORDER BY df DESC LIMIT 1) / sqrt(n) AS widths,
           (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n_all - 1
             ORDER BY df DESC LIMIT 1) / sqrt(n_all) AS widths_all
      FROM summary CROSS JOIN spread USING (heads, setting, sweep_id)
)
SELECT s.name AS sweep, w.setting, t.setting_label, c.task, w.heads, c.d_model, n, n_bad,
       mean AS mean_acc, sd AS sd_acc, max(mean - sd * widths, 0.0) AS ci95_low,
       min(mean + sd * widths, 1.0) AS ci95_high, min_acc, median_acc, max_acc, n_solved,
       mean_train_acc, mean_exact, mean_train_s, c.n_params, w.chance, n_trials, n_limit, mean_loss,
       max(mean_loss - sd_loss * widths, 0.0) AS loss_low,
       mean_loss + sd_loss * widths AS loss_high, mean_all,
       max(mean_all - sd_all * widths_all, 0.0) AS all_low,
       min(mean_all + sd_all * widths_all, 1.0) AS all_high
  FROM wide AS w CROSS JOIN sweep AS s USING (sweep_id) JOIN trial AS t USING (trial_id)
  JOIN config AS c USING (config_id)
 ORDER BY s.name, w.setting, w.heads;
CREATE VIEW tuning AS
WITH score AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, t.tuning, min(t.plan_order) AS first,
           max(t.added) AS added, count(*) AS n,
           count(*) FILTER (WHERE t.state IN ('diverged', 'failed')) AS n_bad,
           count(*) FILTER (WHERE t.state IN ('queued', 'running')) AS n_left,
           CASE WHEN sum(t.choice = 'eliminated') THEN coalesce(max(t.until), 0) END AS eliminated_at,
           s.metric, s.goal,
           avg(CASE WHEN s.metric = 'val_loss' THEN CASE WHEN t.state = 'completed' THEN val_loss END
                    WHEN t.state = 'completed' THEN val_acc
                    WHEN t.state IN ('diverged', 'failed') THEN t.chance END) AS score
      FROM trial AS t JOIN config AS c USING (config_id) JOIN sweep AS s USING (sweep_id)
     WHERE t.is_tuning = 1 AND t.in_plan = 1 AND t.tuning <> '{}'
     GROUP BY t.sweep_id, t.setting, c.heads, t.tuning
), given AS (
    SELECT score.*, o.value, min(iif(o.type IN ('integer', 'real'), o.value, NULL)) OVER axis AS low,
           max(iif(o.type IN ('integer', 'real'), o.value, NULL)) OVER axis AS high
      FROM score CROSS JOIN json_each(score.tuning) AS o
    WINDOW axis AS (PARTITION BY sweep_id, setting, heads, o.key)
), candidate AS (
    SELECT DISTINCT sweep_id, setting, setting_label, heads, tuning, first, added, n, n_bad,
           n_left, eliminated_at, metric, goal, score,
           sum(coalesce(low < high AND value IN (low, high), 0)) OVER same AS n_outer
      FROM given
    WINDOW same AS (PARTITION BY sweep_id, setting, heads, tuning)
)
SELECT s.name AS sweep, setting, setting_label, heads, tuning, n, n_bad, score,
       row_number() OVER (PARTITION BY sweep_id, setting, heads
                          ORDER BY eliminated_at IS NOT NULL, eliminated_at DESC,
                                   CASE c.metric WHEN 'val_loss' THEN n_bad END,
                                   score IS NULL,
                                   CASE c.goal WHEN 'minimize' THEN score ELSE -score END,
                                   n_outer, first, added) AS rank,
       sum(n_left) OVER (PARTITION BY sweep_id, setting, heads) = 0 AS settled, eliminated_at,
       n_outer, sweep_id, added
  FROM candidate AS c JOIN sweep AS s USING (sweep_id);
CREATE VIEW tried AS
WITH value AS (
    SELECT DISTINCT t.sweep_id, t.setting, t.setting_label, t.heads, o.key AS axis, o.value, o.type,
           CASE WHEN settled THEN min(rank) OVER value = 1 END AS chosen,
           max(score) FILTER (WHERE rank = 1) OVER heads AS score
      FROM tuning AS t CROSS JOIN json_each(t.tuning) AS o
    WINDOW value AS (PARTITION BY t.sweep_id, t.setting, t.heads, o.key, o.value),
           heads AS (PARTITION BY t.sweep_id, t.setting, t.heads)
), own AS (
    SELECT *, min(iif(type IN ('integer', 'real'), value, NULL)) OVER axis AS low,
           max(iif(type IN ('integer', 'real'), value, NULL)) OVER axis AS high,
           count(*) OVER axis = 1 AND min(value) OVER setting < max(value) OVER setting AS alone
      FROM value
    WINDOW axis AS (PARTITION BY sweep_id, setting, heads, axis),
           setting AS (PARTITION BY sweep_id, setting, axis)
)
SELECT s.name AS sweep, setting, setting_label, heads, axis, value, type, chosen,
       CASE WHEN chosen AND score IS NOT CASE s.metric WHEN 'val_loss' THEN 0 ELSE 1 END
            THEN CASE WHEN value = low AND alone THEN 'only'
                      WHEN value = low AND low < high THEN 'smallest'
                      WHEN value = high AND low < high THEN 'largest' END END AS edge, sweep_id
  FROM own JOIN sweep AS s USING (sweep_id);
CREATE VIEW chosen AS
SELECT sweep, setting, setting_label, heads, tuning, n, n_bad, score, sweep_id
  FROM tuning WHERE rank = 1 AND settled;
CREATE VIEW paired AS
WITH done AS MATERIALIZED (
    SELECT t.sweep_id, t.setting, t.setting_label, t.replicate, t.seed, c.heads,
           t.test_acc AS acc, t.test_loss AS loss
      FROM sweep AS s CROSS JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
       AND t.state = 'completed'
), mean AS MATERIALIZED (
    SELECT sweep_id, setting, heads, avg(acc) AS centre FROM done GROUP BY sweep_id, setting, heads
), centred AS MATERIALIZED (
    SELECT done.*, acc - centre AS off FROM done JOIN mean USING (sweep_id, setting, heads)
), unit AS (
    SELECT sweep_id, setting, a.setting_label, a.heads AS heads_a, b.heads AS heads_b,
           a.acc - b.acc AS diff, a.off - b.off AS off, a.loss - b.loss AS loss
      FROM centred AS a JOIN centred AS b USING (sweep_id, setting, seed)
     WHERE a.heads < b.heads AND a.replicate = '{}'
     UNION ALL
    SELECT sweep_id, setting, a.setting_label, a.heads, b.heads,
           avg(a.acc - b.acc), avg(a.off - b.off), avg(a.loss - b.loss)
      FROM centred AS a JOIN centred AS b USING (sweep_id, setting, seed, replicate)
     WHERE a.heads < b.heads AND a.replicate <> '{}'
     GROUP BY sweep_id, setting, a.heads, b.heads, replicate
), pair AS MATERIALIZED (
    SELECT sweep_id, setting, setting_label, heads_a, heads_b,
           count(*) AS n, sum(diff > 0) AS wins, sum(diff < 0) AS losses,
           avg(diff) AS mean, min(diff) AS low, max(diff) AS high, avg(loss) AS mean_loss,
           sum(off) AS off, sum(off * off) AS squares
      FROM unit GROUP BY sweep_id, setting, heads_a, heads_b
), spread AS (
    SELECT sweep_id, setting, setting_label, heads_a, heads_b, n, wins, losses, mean_loss,
           CASE WHEN low = high THEN low ELSE mean END AS mean,
           CASE WHEN n > 1 THEN
                CASE WHEN low = high THEN 0.0
                     ELSE sqrt(max(squares - off * off / n, 0) / (n - 1)) END END AS sd
      FROM pair
), wide AS MATERIALIZED (
    SELECT *, sd / sqrt(n) * (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
                               ORDER BY df DESC LIMIT 1) AS half
      FROM spread
), both AS (
    SELECT sweep_id, setting, setting_label, heads_a, heads_b, n, wins, mean, mean_loss, sd, half
      FROM wide
    UNION ALL
    SELECT sweep_id, setting, setting_label, heads_b, heads_a, n, losses, 0 - mean, 0 - mean_loss,
           sd, half
      FROM wide
)
SELECT name AS sweep, setting, setting_label, heads_a, heads_b, n, mean AS mean_diff,
       sd AS sd_diff, mean - half AS ci95_low, mean + half AS ci95_high, wins,
       mean_loss AS mean_loss_diff
  FROM both JOIN sweep USING (sweep_id)
 ORDER BY sweep, setting, heads_a, heads_b;
CREATE VIEW undecided AS
WITH candidate AS (
    SELECT t.sweep_id, t.setting, c.heads, t.in_shard, count(*) AS n
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.state = 'queued' AND t.choice = 'waiting' AND t.is_tuning = 0 AND t.tuning <> '{}'
       AND t.in_plan = 1
     GROUP BY t.sweep_id, t.setting, c.heads, t.in_shard, t.tuning
)
SELECT sweep_id, setting, heads, in_shard, sum(n) AS waiting, sum(n) - max(n) AS surplus
  FROM candidate GROUP BY sweep_id, setting, heads, in_shard;
CREATE VIEW progress AS
WITH spare AS (
    SELECT sweep_id, coalesce(sum(surplus) FILTER (WHERE in_shard), 0) AS here,
           coalesce(sum(surplus) FILTER (WHERE NOT in_shard), 0) AS there
      FROM undecided GROUP BY sweep_id
), counted AS (
    SELECT s.sweep_id, count(t.trial_id) AS trials,
           count(*) FILTER (WHERE t.state = 'queued' AND t.in_shard) AS queued,
           count(*) FILTER (WHERE t.state = 'queued' AND NOT t.in_shard) AS elsewhere,
           count(*) FILTER (WHERE t.state = 'queued' AND t.in_shard AND t.resume_step > 0)
               AS half_done,
           count(*) FILTER (WHERE t.state = 'running') AS running,
           count(*) FILTER (WHERE t.state = 'completed') AS completed,
           count(*) FILTER (WHERE t.state = 'diverged') AS diverged,
           count(*) FILTER (WHERE t.state = 'failed') AS failed,
           count(*) FILTER (WHERE t.state = 'not_needed') AS not_needed,
           avg(t.train_s) FILTER (WHERE t.state = 'completed') AS mean_train_s
      FROM sweep AS s LEFT JOIN trial AS t ON t.sweep_id = s.sweep_id AND t.in_plan = 1
     GROUP BY s.sweep_id
)
SELECT s.name AS sweep,
       trials - t.not_needed - t.elsewhere - coalesce(here, 0) AS planned,
       queued - coalesce(here, 0) AS queued, running, completed, diverged, failed,
       t.not_needed + coalesce(here + there, 0) AS not_needed, mean_train_s,
       s.created, s.last_run, s.remark,
       t.elsewhere - coalesce(there, 0) AS elsewhere, half_done, s.sweep_id
  FROM counted AS t JOIN sweep AS s USING (sweep_id) LEFT JOIN spare USING (sweep_id)
 ORDER BY s.name;
CREATE VIEW cost AS
WITH trained AS (
    SELECT t.trial_id, t.sweep_id, t.setting, c.heads, c.flops_per_step / c.batch / 3 AS flops,
           c.layers
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.trial_id IN (SELECT trial_id FROM sweep CROSS JOIN trial USING (sweep_id)
                           WHERE in_plan = 1 AND state = 'completed')
       AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
), one AS (
    SELECT heads, setting, sweep_id, max(flops) AS flops, sum(cpu_s) AS cpu_s,
           max(max_rss_kib) AS rss_kib
      FROM trained LEFT JOIN attempt USING (trial_id) GROUP BY trial_id
), timed AS ( -- in most files no trial was measured
    SELECT heads, setting, sweep_id, infer_ms, row_number() OVER same AS place,
           count(infer_ms) OVER of_heads AS n_infer
      FROM trained CROSS JOIN pruning AS p USING (trial_id)
     WHERE EXISTS (SELECT 1 FROM pruning)
       AND method = 'none' AND kept = heads * layers AND infer_ms IS NOT NULL
    WINDOW of_heads AS (PARTITION BY heads, setting, sweep_id),
           same AS (of_heads ORDER BY infer_ms)
), inference AS MATERIALIZED (
    SELECT heads, setting, sweep_id, n_infer,
           avg(infer_ms) FILTER (WHERE place IN ((n_infer + 1) / 2, (n_infer + 2) / 2)) AS infer_ms
      FROM timed GROUP BY heads, setting, sweep_id
), spent AS MATERIALIZED (
    SELECT heads, setting, sweep_id, max(flops) AS flops, avg(cpu_s) AS cpu_s,
           max(rss_kib) AS rss_kib, coalesce(max(n_infer), 0) AS n_infer, max(infer_ms) AS infer_ms
      FROM one LEFT JOIN inference USING (heads, setting, sweep_id)
     GROUP BY heads, setting, sweep_id
)
SELECT b.sweep, b.setting, b.setting_label, b.task, b.heads, b.d_model, b.n, b.mean_acc,
       b.n_params, flops AS flops_per_example, cpu_s AS mean_cpu_s, rss_kib AS max_rss_kib,
       infer_ms, n_infer, 1e6 * mean_acc / n_params AS acc_per_mparam,
       1e6 * mean_acc / flops AS acc_per_mflop, mean_acc / cpu_s AS acc_per_cpu_s,
       1024 * mean_acc / rss_kib AS acc_per_mib, mean_acc / infer_ms AS acc_per_infer_ms
  FROM by_heads AS b JOIN sweep AS s ON s.name = b.sweep
  JOIN spent USING (sweep_id, setting, heads)
 ORDER BY b.sweep, b.setting, b.heads;
CREATE VIEW prune_or_train AS
WITH unit AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, c.layers, p.kept, p.method,
           p.finetuned_steps, p.lr, avg(p.test_acc) AS acc, avg(p.infer_ms) AS infer_ms,
           avg(p.n_params) AS n_params
      FROM pruning AS p JOIN trial AS t USING (trial_id) JOIN config AS c USING (config_id)
      JOIN sweep USING (sweep_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
       AND t.state = 'completed'
     GROUP BY t.sweep_id, t.setting, c.heads, c.layers, p.kept, p.method, p.finetuned_steps, p.lr,
              CASE t.replicate WHEN '{}' THEN t.trial_id ELSE t.replicate END
), centred AS (
    SELECT *, CASE WHEN min(acc) OVER same = max(acc) OVER same THEN acc
                   ELSE avg(acc) OVER same END AS mean
      FROM unit
    WINDOW same AS (PARTITION BY sweep_id, setting, heads, layers, kept, method, finetuned_steps, lr)
), spread AS (
    SELECT sweep_id, setting, setting_label, heads, layers, kept, method, finetuned_steps, lr,
           CASE kept % layers WHEN 0 THEN kept / layers END AS as_many, count(acc) AS n, mean,
           sqrt(sum((acc - mean) * (acc - mean)) / nullif(count(acc) - 1, 0)) AS sd,
           avg(n_params) AS n_params, avg(infer_ms) AS infer_ms
      FROM centred
     GROUP BY sweep_id, setting, heads, layers, kept, method, finetuned_steps, lr
), wide AS (
    SELECT *, sd / sqrt(n) * (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
                               ORDER BY df DESC LIMIT 1) AS half
      FROM spread
), trained AS MATERIALIZED (
    SELECT sweep_id, setting, heads AS as_many, n, mean_acc, ci95_low, ci95_high
      FROM by_heads AS b JOIN sweep AS s ON s.name = b.sweep
), beside AS MATERIALIZED ( -- an ORDER BY next to the join would cost SQLite its index
    SELECT sweep_id, setting, setting_label, heads, layers, kept, method, finetuned_steps, lr, p.n,
           p.mean AS pruned_acc, max(p.mean - half, 0.0) AS pruned_low,
           min(p.mean + half, 1.0) AS pruned_high,
           t.n AS n_trained, t.mean_acc AS trained_acc, t.ci95_low AS trained_low,
           t.ci95_high AS trained_high, n_params, infer_ms
      FROM wide AS p LEFT JOIN trained AS t USING (sweep_id, setting, as_many)
)
SELECT name AS sweep, setting, setting_label, heads, layers, kept, method, finetuned_steps, lr, n,
       pruned_acc, pruned_low, pruned_high, n_trained, trained_acc, trained_low, trained_high,
       n_params, infer_ms
  FROM beside JOIN sweep USING (sweep_id)
 ORDER BY sweep, setting, heads, method, finetuned_steps, lr, kept DESC;
CREATE VIEW evaluations AS
SELECT t.trial_id, s.name AS sweep, t.setting, t.setting_label, c.heads, t.seed, e.name, e.options,
       e.acc, e.exact, e.loss, t.test_acc, t.test_exact, t.test_loss, t.train_acc, t.chance
  FROM sweep AS s JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
  JOIN evaluation AS e USING (trial_id)
 WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
   AND EXISTS (SELECT 1 FROM json_each(s.eval) AS asked
                WHERE asked.key = e.name AND json(asked.value) = json(e.options))
 ORDER BY s.name, t.plan_order, e.name;
CREATE VIEW confirmations AS
SELECT s.name AS sweep, c.setting, c.changed AS written, c.what ->> '$.kind' AS explored,
       c.claim ->> '$.best' AS best, c.claim -> '$.over' AS over, c.pairs AS trials, c.seen,
       c.claim, c.what, c.sweep_id, c.plan_change_id
  FROM sweep AS s JOIN plan_change AS c USING (sweep_id)
 WHERE c.by = 'confirm' AND c.plan_change_id = (
       SELECT plan_change_id FROM plan_change AS d
        WHERE d.sweep_id = c.sweep_id AND d.by = 'confirm' AND d.setting = c.setting
        ORDER BY d.claim IS NULL, d.plan_change_id LIMIT 1)
 ORDER BY s.name, c.plan_change_id;
CREATE VIEW by_label AS
WITH unit AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, l.label, count(*) AS n_trials,
           avg(l.n) AS n_rows, avg(l.acc) AS acc
      FROM sweep AS s CROSS JOIN trial AS t USING (sweep_id) JOIN config AS c USING (config_id)
      JOIN label_acc AS l USING (trial_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.confirms = 0 AND t.choice = 'chosen'
       AND t.state = 'completed'
     GROUP BY t.sweep_id, t.setting, c.heads, l.label,
              CASE t.replicate WHEN '{}' THEN t.trial_id ELSE t.replicate END
), centred AS (
    SELECT *, CASE WHEN min(acc) OVER same = max(acc) OVER same THEN acc
                   ELSE avg(acc) OVER same END AS mean
      FROM unit
    WINDOW same AS (PARTITION BY sweep_id, setting, heads, label)
), spread AS (
    SELECT sweep_id, setting, setting_label, heads, label, count(*) AS n,
           sum(n_trials) AS n_trials, avg(n_rows) AS n_rows, mean,
           sqrt(sum((acc - mean) * (acc - mean)) / nullif(count(*) - 1, 0)) AS sd
      FROM centred GROUP BY sweep_id, setting, heads, label
), wide AS (
    SELECT *, sd / sqrt(n) * (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
                               ORDER BY df DESC LIMIT 1) AS half
      FROM spread
)
SELECT name AS sweep, setting, setting_label, heads, label, n, n_trials, n_rows, mean AS mean_acc,
       sd AS sd_acc, max(mean - half, 0.0) AS ci95_low, min(mean + half, 1.0) AS ci95_high
  FROM wide JOIN sweep USING (sweep_id)
 ORDER BY sweep, setting, heads, label;
