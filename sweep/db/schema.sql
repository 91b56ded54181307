-- The results file of headcount, format 8: one SQLite database (application_id 0x48454144, "HEAD";
-- user_version is the format). Weights and checkpoints lie beside it in the folder <file>.d: the two
-- are renamed and copied together, and nothing in the file names the folder.
--
-- Ask the views (views.sql): trials, by_heads, paired, chosen, tuning, tried, undecided, progress, cost,
-- prune_or_train, evaluations, confirmations, by_label. Times are UTC, ISO 8601; durations are seconds
-- (_s) or milliseconds (_ms), memory is KiB (_kib), accuracies lie between 0 and 1. NaN never enters
-- (SQLite would store NULL): a trial that diverged is a state, with its first bad step.
--
-- Rows that belong to a sweep or a trial refer to it and go with it: ON DELETE CASCADE, which sqlite3
-- heeds after PRAGMA foreign_keys = ON. What is left over otherwise `headcount check` names.

-- Which results file this is, under whatever name: one row, made with the file and copied with it.
-- The folder <file>.d says whose it is (store_folder.c).
CREATE TABLE results_file (
    id TEXT PRIMARY KEY CHECK (length(id) = 32)  -- 128 random bits, hexadecimal
) STRICT, WITHOUT ROWID;

-- A named sweep, as its file was when it was last planned.
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

-- How the plan of a sweep came to be what it is: a row when it was first planned, and one whenever
-- its (config, seed) pairs or its claim had changed. What the newest row says `seen` to be, a claim
-- could have been read off; with 0 it is a prediction. Under `confirm`, rows of another kind: the claim
-- that the exploring trials of a setting have led to, which confirming trials on fresh seeds are to
-- decide. Such a row is about the configurations that `what` has, and holds in the setting that explores
-- all of them. Of several for a setting, as after a merge, the first counts that has a claim. Of rows
-- that say the same one after the other, as of merged shards, the first stays, and has in `what` the
-- last one's columns: "again":{"changed":"...",...}.
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
                 -- {"kind":"middle","confirm":{"seeds":8},"tuning":{"4":{"train.lr":0.01},...},
                 -- "configs":{"4":"<config_sha256>",...}}
    setting      TEXT CHECK (setting IS NULL OR json_type(setting) = 'object'),  -- by confirm: as in
                 -- `trial`, as the plan calls it now; the configs themselves where it has them not
    CHECK ((by = 'confirm') = (setting IS NOT NULL))
) STRICT;
CREATE INDEX plan_change_sweep ON plan_change (sweep_id, plan_change_id);

-- Under `looks`: what was found once all trials up to a look had ended.
CREATE TABLE look (
    sweep_id INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
    setting  TEXT NOT NULL CHECK (json_type(setting) = 'object'),  -- as in `trial`
    look     INTEGER NOT NULL CHECK (look >= 1),
    judged   TEXT NOT NULL,
    kind     TEXT NOT NULL,  -- of the verdict: claim_confirmed, middle, ...
    decided  INTEGER NOT NULL CHECK (decided IN (0, 1)),  -- 1: trials of later looks are not run
    PRIMARY KEY (sweep_id, setting, look)
) STRICT, WITHOUT ROWID;

-- A grid point without its seed. The JSON is its identity; the columns after it are read from it.
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

-- Files of the user's own that were found when a sweep was planned. A file is what its SHA-256 says;
-- the rest says where it was and what it looked like.
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

-- One training run: (sweep, config, seed).
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

-- The program and machine that ran attempts.
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

-- One execution of a trial, crashed ones too.
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

-- Trials that had run before they were deleted: what came of them may have been seen by whoever
-- claims something about the same configuration and seed later. Of a trial that was in two files
-- when they were merged, the one that did not stay, if it was the older; `ended` is then when its
-- first attempt began, as it may have been evaluated soon after.
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

-- Learning curves; train_* are means since the row before.
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

-- Mean losses of the contiguous blocks of the test text (task text, mode lm), in its order.
CREATE TABLE block_loss (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    block    INTEGER NOT NULL CHECK (block >= 0),
    loss     REAL NOT NULL CHECK (abs(loss) < 1e308),
    PRIMARY KEY (trial_id, block)
) STRICT, WITHOUT ROWID;

-- Test accuracy of each label (task text, mode classify).
CREATE TABLE label_acc (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    label    TEXT NOT NULL,
    n        INTEGER NOT NULL CHECK (n >= 1),  -- rows of the test set that have it
    acc      REAL NOT NULL CHECK (acc BETWEEN 0 AND 1),
    PRIMARY KEY (trial_id, label)
) STRICT, WITHOUT ROWID;

-- ---- what studies found out about trained models ----

-- A study that a trial has answered. Its rows in the tables below are from the same transaction;
-- whatever option makes for other numbers is in their primary key, so that answers to other options
-- stand beside them.
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

-- What single heads do: with the weights of the best step (study heads) or, under `measure: evals`,
-- at each evaluation. Measures that are not cheap are NULL then, and so are those that were added to
-- the program after the row was written.
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

-- How the heads of a layer differ. Disagreement: Li et al. 2018, of pairs of different heads.
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

-- Where heads look, for tasks that can say where they should.
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

-- A model of fewer heads, chosen on validation.
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

-- Several trials that answer together: the mean of their softmax.
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

-- A trial's best weights on a further test set (`eval` in the sweep file).
CREATE TABLE evaluation (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    name     TEXT NOT NULL CHECK (name <> ''),  -- of the test set
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),  -- the task's that differ
    acc      REAL CHECK (acc BETWEEN 0 AND 1),
    exact    REAL CHECK (exact BETWEEN 0 AND 1),  -- sequences with every position right
    loss     REAL CHECK (abs(loss) < 1e308),
    PRIMARY KEY (trial_id, name, options)
) STRICT, WITHOUT ROWID;

-- Student t quantiles, so that plain sqlite3 computes the intervals of the views. Beyond the last
-- df the last one serves: a little too wide, never too narrow.
CREATE TABLE t_quantile (
    level REAL NOT NULL,  -- one-sided: .975 for a 95% interval
    df    INTEGER NOT NULL,
    t     REAL NOT NULL,
    PRIMARY KEY (level, df)
) STRICT, WITHOUT ROWID;
