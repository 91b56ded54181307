PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE results_file (
    id TEXT PRIMARY KEY CHECK (length(id) = 32)  -- 128 random bits, hexadecimal
) STRICT, WITHOUT ROWID;
INSERT INTO results_file VALUES('620a43c3c51913fa9b0fce0ae2f89076');
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
INSERT INTO sweep VALUES(1,'kept','Which head count finds two places, in a file that every later version reads?',replace('# Which head count finds two places, in a file that every later version reads?\nname: kept\ntask: {name: gather, length: 8, vocab: 4, slots: 2}\nmodel: {d_model: 8, heads: [1, 2, 4], d_ff: 16}\ntrain: {steps: 40, batch: 16, lr: [1e-3, 1e-2], eval_every: 10, val_examples: 32, test_examples: 64}\ntune: {axes: [train.lr], seeds: 1, rungs: {eta: 2, min_steps: 20}}\nseeds: 3\n','\n',char(10)),'9adb186afdb4fc1d3f6e20c8a01e32fb9e5fcec08968c41d0024c9c29acfcb09','66d05638697e43eb147167e0dcc99e0dbfce06b4e3012fe264d31b4054183215','val_acc','maximize','["train.lr"]',NULL,'2026-11-26T03:07:13.997Z','2026-11-26T03:07:13.997Z',0,'[]',NULL,'[]','[]',NULL,'{"eta":2,"min_steps":20}','{}',NULL,NULL,NULL,NULL);
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
INSERT INTO plan_change VALUES(1,1,'2026-11-26T03:07:14.000Z','bf7a3afc22544830c20429434379ab2063f059d2bbb8f3871321cede4d958719',24,24,0,'{"asks":{"tune":["train.lr"],"replicate":[],"looks":[],"rungs":{"eta":2,"min_steps":20},"equivalence":null,"extend":null,"confirm":null}}',NULL,0,0,0,0,'[]','file',NULL);
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
INSERT INTO config VALUES(1,'bbd0fa2a9385142ab9d84f69e2b2eab8e530a88208eb6f902ad79e15867c39cf',784,540672.0,0.25,'{"model":{"activation":"gelu","d_ff":16,"d_head":"split","d_k":"d_head","d_model":8,"d_v":"d_head","dropout":0,"heads":1,"init":"pytorch","layers":1,"norm":"pre","pool":"none","positions":"learned"},"task":{"name":"gather","options":{"instance":0,"length":8,"offsets":[],"slots":2,"vocab":4},"version":1},"train":{"batch":16,"beta1":0.9,"beta2":0.999,"clip":1,"epsilon":1e-8,"eval_every":10,"examples":0,"lr":0.001,"optimizer":"adamw","schedule":{"name":"cosine","warmup":0},"steps":40,"test_examples":64,"val_examples":32,"version":1,"weight_decay":0.01},"v":1}');
INSERT INTO config VALUES(2,'50b9bed6049fc92ee73d746df3ddf3429fb39f14a3157bad9d03b499e4d8badd',784,540672.0,0.25,'{"model":{"activation":"gelu","d_ff":16,"d_head":"split","d_k":"d_head","d_model":8,"d_v":"d_head","dropout":0,"heads":1,"init":"pytorch","layers":1,"norm":"pre","pool":"none","positions":"learned"},"task":{"name":"gather","options":{"instance":0,"length":8,"offsets":[],"slots":2,"vocab":4},"version":1},"train":{"batch":16,"beta1":0.9,"beta2":0.999,"clip":1,"epsilon":1e-8,"eval_every":10,"examples":0,"lr":0.01,"optimizer":"adamw","schedule":{"name":"cosine","warmup":0},"steps":40,"test_examples":64,"val_examples":32,"version":1,"weight_decay":0.01},"v":1}');
INSERT INTO config VALUES(3,'1e90739fccb9434f6a6d057051a8788a406762a33afcff0e0f6477471d4cd859',784,540672.0,0.25,'{"model":{"activation":"gelu","d_ff":16,"d_head":"split","d_k":"d_head","d_model":8,"d_v":"d_head","dropout":0,"heads":2,"init":"pytorch","layers":1,"norm":"pre","pool":"none","positions":"learned"},"task":{"name":"gather","options":{"instance":0,"length":8,"offsets":[],"slots":2,"vocab":4},"version":1},"train":{"batch":16,"beta1":0.9,"beta2":0.999,"clip":1,"epsilon":1e-8,"eval_every":10,"examples":0,"lr":0.001,"optimizer":"adamw","schedule":{"name":"cosine","warmup":0},"steps":40,"test_examples":64,"val_examples":32,"version":1,"weight_decay":0.01},"v":1}');
INSERT INTO config VALUES(4,'e79b04ed97e5be37db47db1d8aa05978f925805b8283f829e728dea360c64f38',784,540672.0,0.25,'{"model":{"activation":"gelu","d_ff":16,"d_head":"split","d_k":"d_head","d_model":8,"d_v":"d_head","dropout":0,"heads":2,"init":"pytorch","layers":1,"norm":"pre","pool":"none","positions":"learned"},"task":{"name":"gather","options":{"instance":0,"length":8,"offsets":[],"slots":2,"vocab":4},"version":1},"train":{"batch":16,"beta1":0.9,"beta2":0.999,"clip":1,"epsilon":1e-8,"eval_every":10,"examples":0,"lr":0.01,"optimizer":"adamw","schedule":{"name":"cosine","warmup":0},"steps":40,"test_examples":64,"val_examples":32,"version":1,"weight_decay":0.01},"v":1}');
INSERT INTO config VALUES(5,'3c0e0c4fcfdd3f125fdd8a05595e475f17cd359301c89b7962e30c3759874640',784,540672.0,0.25,'{"model":{"activation":"gelu","d_ff":16,"d_head":"split","d_k":"d_head","d_model":8,"d_v":"d_head","dropout":0,"heads":4,"init":"pytorch","layers":1,"norm":"pre","pool":"none","positions":"learned"},"task":{"name":"gather","options":{"instance":0,"length":8,"offsets":[],"slots":2,"vocab":4},"version":1},"train":{"batch":16,"beta1":0.9,"beta2":0.999,"clip":1,"epsilon":1e-8,"eval_every":10,"examples":0,"lr":0.001,"optimizer":"adamw","schedule":{"name":"cosine","warmup":0},"steps":40,"test_examples":64,"val_examples":32,"version":1,"weight_decay":0.01},"v":1}');
INSERT INTO config VALUES(6,'433fa316bf1a554a346e33a1b1c6a13a9bfde6db3640d5ff007bdfe2f32aad9b',784,540672.0,0.25,'{"model":{"activation":"gelu","d_ff":16,"d_head":"split","d_k":"d_head","d_model":8,"d_v":"d_head","dropout":0,"heads":4,"init":"pytorch","layers":1,"norm":"pre","pool":"none","positions":"learned"},"task":{"name":"gather","options":{"instance":0,"length":8,"offsets":[],"slots":2,"vocab":4},"version":1},"train":{"batch":16,"beta1":0.9,"beta2":0.999,"clip":1,"epsilon":1e-8,"eval_every":10,"examples":0,"lr":0.01,"optimizer":"adamw","schedule":{"name":"cosine","warmup":0},"steps":40,"test_examples":64,"val_examples":32,"version":1,"weight_decay":0.01},"v":1}');
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
INSERT INTO trial VALUES(1,1,1,1000,'not_needed',1,0,'{}','','{"train.lr":0.001}',1,'eliminated',1,0,20,20,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,20,0,1,0,0);
INSERT INTO trial VALUES(2,1,2,1000,'completed',1,1,'{}','','{"train.lr":0.01}',1,'chosen',2,0,20,40,40,0.31874999999999997779,0.3125,1.3697658098972169682,0.306640625,'[0.2734375,0.33984375]',0.0,1.3686868619879533071,0.25,NULL,0.0022740140000000012843,'t2-a2.result','6b28f2408daf1b6826e15aa6cb4930fa5467b45148c03b54006b8b6f815d783a',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(3,1,3,1000,'not_needed',1,2,'{}','','{"train.lr":0.001}',1,'eliminated',1,0,20,20,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,20,0,1,0,0);
INSERT INTO trial VALUES(4,1,4,1000,'completed',1,3,'{}','','{"train.lr":0.01}',1,'chosen',2,0,20,40,30,0.283203125,0.30859375,1.3715741240412171464,0.2978515625,'[0.2734375,0.322265625]',0.0,1.3713629487174330279,0.25,NULL,0.002094094000000000337,'t4-a2.result','20fcc16cb22e1b2d43417faa14e351eedf97990f64a09984a47682b28cb38a54',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(5,1,5,1000,'not_needed',1,4,'{}','','{"train.lr":0.001}',1,'eliminated',1,0,20,20,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,20,0,1,0,0);
INSERT INTO trial VALUES(6,1,6,1000,'completed',1,5,'{}','','{"train.lr":0.01}',1,'chosen',2,0,20,40,40,0.2984375000000000222,0.296875,1.3736575659277150407,0.2919921875,'[0.267578125,0.31640625]',0.0,1.3736389161385886836,0.25,NULL,0.0021457119999999992726,'t6-a2.result','c7f789e45fb48a7379d7d73290f16d1e1e91727ca580d73f9ef181cbfc2e7b26',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(7,1,1,0,'not_needed',1,6,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(8,1,2,0,'completed',1,7,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,40,0.2886718750000000222,0.296875,1.3697344049578532576,0.2978515625,'[0.28125,0.314453125]',0.0,1.3702406746933775139,0.25,NULL,0.001894617999999999823,'t8-a1.result','d9bc35150830971e553fe1e7f0a140eb3039f71ffd56ca03231315d99d09ac52',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(9,1,3,0,'not_needed',1,8,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(10,1,4,0,'completed',1,9,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,40,0.28554687499999997779,0.296875,1.3694470248192374128,0.298828125,'[0.302734375,0.294921875]',0.0,1.3707458150483944336,0.25,NULL,0.0019263360000000007143,'t10-a1.result','1ab2bd5e3061fa047d2605653e5497be2504b5c018eb7d930cba3bf0dd625062',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(11,1,5,0,'not_needed',1,10,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(12,1,6,0,'completed',1,11,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,30,0.2867187500000000222,0.27734375,1.3706187458919885102,0.2958984375,'[0.306640625,0.28515625]',0.0,1.3721822511015488998,0.25,NULL,0.0019867050000000000681,'t12-a1.result','c3277eb56a7bfac08af1489490afde56eeb2661184b6a8cac216728cf205c829',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(13,1,1,1,'not_needed',1,12,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(14,1,2,1,'completed',1,13,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,30,0.32539062499999998889,0.359375,1.3464412742414424428,0.3095703125,'[0.345703125,0.2734375]',0.0,1.3587746934445021906,0.25,NULL,0.0017338890000000006103,'t14-a1.result','fa7a1a8a01f070a9ff0762cfbfe9d3b447dd35b54dc593cdeb0943f93d4aeb5e',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(15,1,3,1,'not_needed',1,14,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(16,1,4,1,'completed',1,15,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,40,0.3269531250000000111,0.345703125,1.3527873952552909031,0.3095703125,'[0.3359375,0.283203125]',0.0,1.3634246204455848783,0.25,NULL,0.001992083000000000395,'t16-a1.result','48dacd8ca5263776cc6a2dabcba0046489eab6e777eb96ff1664f1707552b6a1',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(17,1,5,1,'not_needed',1,16,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(18,1,6,1,'completed',1,17,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,40,0.33046874999999997779,0.35546875,1.3543220253304752986,0.3095703125,'[0.33203125,0.287109375]',0.0,1.3629324453104345593,0.25,NULL,0.0019889900000000003757,'t18-a1.result','c3c0f652a476dadb2d1a447a4d2bc8499cfef1e04329c3eb5d132a85b4a47daf',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(19,1,1,2,'not_needed',1,18,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(20,1,2,2,'completed',1,19,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,40,0.3335937500000000222,0.310546875,1.3687127605226123705,0.3349609375,'[0.32421875,0.345703125]',0.0,1.3522003933649102691,0.25,NULL,0.0017436639999999989369,'t20-a1.result','4bd81a4a3c11dd724ed9f889391c6ddbc2b0cf8461b902e5beeff244f9a48633',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(21,1,3,2,'not_needed',1,20,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(22,1,4,2,'completed',1,21,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,30,0.318359375,0.30078125,1.369836793397553265,0.328125,'[0.31640625,0.33984375]',0.0,1.3539455738064134493,0.25,NULL,0.0021556160000000008231,'t22-a1.result','d4aeb017c040c6f3f0a58fe154a108757f8d457a7c581b96848e39663c5d9dfc',NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(23,1,5,2,'not_needed',1,22,'{}','','{"train.lr":0.001}',0,'eliminated',0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.25,NULL,NULL,NULL,NULL,NULL,'{}',1,NULL,0,1,0,0);
INSERT INTO trial VALUES(24,1,6,2,'completed',1,23,'{}','','{"train.lr":0.01}',0,'chosen',1,0,0,40,30,0.3132812500000000111,0.30859375,1.372943402369855903,0.3193359375,'[0.314453125,0.32421875]',0.0,1.3540044025794486515,0.25,NULL,0.0049952399999999997498,'t24-a1.result','fd29c5bd3357a70aeddb418a82a8fc4a9a9c640b716fab1bc8e43e8ec6e07ebb',NULL,'{}',1,NULL,0,1,0,0);
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
INSERT INTO build VALUES(1,'1.0.0','cd0e3ae757c1-dirty+0974ba02d948','gcc (Debian 12.2.0-14+deb12u1) 12.2.0','-O2  ','OpenBLAS 0.3.21','Zen','avx2-ftz-2','AMD EPYC');
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
INSERT INTO attempt VALUES(1,1,1,'here',26556,'2026-11-26T03:07:14.006Z','2026-11-26T03:07:14.035Z','requeued',0,80,NULL,0.0083819999999999988266,7272,NULL,NULL,NULL,'paused');
INSERT INTO attempt VALUES(2,1,1,'here',26557,'2026-11-26T03:07:14.006Z','2026-11-26T03:07:14.037Z','requeued',0,80,NULL,0.0089519999999999998879,7128,NULL,NULL,NULL,'paused');
INSERT INTO attempt VALUES(2,2,1,'here',26559,'2026-11-26T03:07:14.038Z','2026-11-26T03:07:14.063Z','completed',20,0,NULL,0.010952999999999999194,7392,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(3,1,1,'here',26558,'2026-11-26T03:07:14.036Z','2026-11-26T03:07:14.058Z','requeued',0,80,NULL,0.0090410000000000004249,7376,NULL,NULL,NULL,'paused');
INSERT INTO attempt VALUES(4,1,1,'here',26560,'2026-11-26T03:07:14.059Z','2026-11-26T03:07:14.082Z','requeued',0,80,NULL,0.0086990000000000001351,7740,NULL,NULL,NULL,'paused');
INSERT INTO attempt VALUES(4,2,1,'here',26562,'2026-11-26T03:07:14.082Z','2026-11-26T03:07:14.115Z','completed',20,0,NULL,0.0085719999999999997586,7264,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(5,1,1,'here',26561,'2026-11-26T03:07:14.063Z','2026-11-26T03:07:14.086Z','requeued',0,80,NULL,0.0081919999999999996292,7228,NULL,NULL,NULL,'paused');
INSERT INTO attempt VALUES(6,1,1,'here',26563,'2026-11-26T03:07:14.087Z','2026-11-26T03:07:14.106Z','requeued',0,80,NULL,0.0087379999999999992399,7352,NULL,NULL,NULL,'paused');
INSERT INTO attempt VALUES(6,2,1,'here',26564,'2026-11-26T03:07:14.107Z','2026-11-26T03:07:14.134Z','completed',20,0,NULL,0.0088489999999999992275,7344,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(8,1,1,'here',26565,'2026-11-26T03:07:14.115Z','2026-11-26T03:07:14.155Z','completed',0,0,NULL,0.0097359999999999998626,7764,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(10,1,1,'here',26566,'2026-11-26T03:07:14.135Z','2026-11-26T03:07:14.162Z','completed',0,0,NULL,0.0092409999999999992148,7432,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(12,1,1,'here',26567,'2026-11-26T03:07:14.156Z','2026-11-26T03:07:14.183Z','completed',0,0,NULL,0.010337999999999999967,7376,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(14,1,1,'here',26568,'2026-11-26T03:07:14.162Z','2026-11-26T03:07:14.178Z','completed',0,0,NULL,0.0083929999999999994192,7368,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(16,1,1,'here',26569,'2026-11-26T03:07:14.178Z','2026-11-26T03:07:14.204Z','completed',0,0,NULL,0.009861999999999999239,7684,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(18,1,1,'here',26570,'2026-11-26T03:07:14.183Z','2026-11-26T03:07:14.211Z','completed',0,0,NULL,0.0094479999999999998011,7496,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(20,1,1,'here',26571,'2026-11-26T03:07:14.204Z','2026-11-26T03:07:14.234Z','completed',0,0,NULL,0.0094529999999999995974,7356,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(22,1,1,'here',26572,'2026-11-26T03:07:14.211Z','2026-11-26T03:07:14.237Z','completed',0,0,NULL,0.0098770000000000003625,7360,NULL,NULL,NULL,NULL);
INSERT INTO attempt VALUES(24,1,1,'here',26573,'2026-11-26T03:07:14.235Z','2026-11-26T03:07:14.258Z','completed',0,0,NULL,0.012718999999999999403,7632,NULL,NULL,NULL,NULL);
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
INSERT INTO curve VALUES(1,10,1.5124853403300222431,0.25312499999999998889,1.5057370431422896217,0.234375,0.39040166888113964072,0.00088020298280001559119,0.0052119840001978445798,0.0007597810000000001715);
INSERT INTO curve VALUES(1,20,1.5008451456087641417,0.24374999999999999444,1.4789872675028163939,0.236328125,0.43087450113436642773,0.00053922954786392253336,0.0055264420007006265223,0.001073166999999999871);
INSERT INTO curve VALUES(2,10,1.4347489339736057001,0.25117187499999998889,1.3858464425720740109,0.2734375,0.2591559306462800083,0.008802029828000155695,0.0048573259991826489567,0.00083762600000000016903);
INSERT INTO curve VALUES(2,20,1.3915185135410865768,0.2605468750000000111,1.3873460944596445187,0.26171875,0.23571472037467205984,0.0053922954786392255505,0.0051689699976122938096,0.0011486179999999996878);
INSERT INTO curve VALUES(2,30,1.3761257294012465557,0.279296875,1.3710844156448729336,0.3046875,0.14387043552108350064,0.0017527597583490823161,0.0057774540000536944717,0.0017166950000000007203);
INSERT INTO curve VALUES(2,40,1.3678549146112346512,0.31874999999999997779,1.3697658098972169682,0.3125,0.23529591077938485921,1.5413331334360179413e-05,0.0063576770007784944027,0.0021837690000000003348);
INSERT INTO curve VALUES(3,10,1.5130027696766774614,0.25234374999999997779,1.5088458143582101911,0.224609375,0.39023885307889388807,0.00088020298280001559119,0.0050534379988675937056,0.0010071669999999997846);
INSERT INTO curve VALUES(3,20,1.5028816201287553688,0.2429687500000000111,1.4826968836423475295,0.236328125,0.42930828579926477717,0.00053922954786392253336,0.005394955998781369999,0.0013479740000000000471);
INSERT INTO curve VALUES(4,10,1.4355761614293442995,0.25039062499999997779,1.387806409751647152,0.26171875,0.26353875550467514843,0.008802029828000155695,0.004890905998763628304,0.00084605800000000022653);
INSERT INTO curve VALUES(4,20,1.3912144564412300962,0.26679687499999998889,1.3891072204278316348,0.263671875,0.23224866987223238834,0.0053922954786392255505,0.0052239709984860382974,0.0011781819999999998405);
INSERT INTO curve VALUES(4,30,1.3777103131069452501,0.283203125,1.3715741240412171464,0.30859375,0.13949495724300101096,0.0017527597583490823161,0.005734780996135668829,0.0016873390000000003732);
INSERT INTO curve VALUES(4,40,1.369196496472432134,0.3082031250000000222,1.3700543949089478701,0.306640625,0.23221912273816999738,1.5413331334360179413e-05,0.0060714619976351968944,0.0020235790000000001762);
INSERT INTO curve VALUES(5,10,1.5143458058857504067,0.251953125,1.5096491026852163486,0.236328125,0.3963469975317282512,0.00088020298280001559119,0.006973833998927148059,0.0008862990000000001145);
INSERT INTO curve VALUES(5,20,1.5034336803837504703,0.24374999999999999444,1.4830331260309321805,0.240234375,0.42937620583328961476,0.00053922954786392253336,0.0073336200002813711762,0.0012456030000000005084);
INSERT INTO curve VALUES(6,10,1.4363427795302414757,0.24843750000000000555,1.3886415745073463767,0.255859375,0.26370762791422258652,0.008802029828000155695,0.00099644200236070901155,0.0008752819999999997963);
INSERT INTO curve VALUES(6,20,1.3924893215749762909,0.26484374999999998889,1.3907888321700738742,0.25,0.23301169375506636249,0.0053922954786392255505,0.0013820160020259208977,0.0012354180000000002798);
INSERT INTO curve VALUES(6,30,1.3811609028736711035,0.2691406250000000222,1.3747425527762970887,0.29296875,0.13338900245497783969,0.0017527597583490823161,0.001926955999806523323,0.0017292519999999988317);
INSERT INTO curve VALUES(6,40,1.3735944484731590353,0.2984375000000000222,1.3736575659277150407,0.296875,0.23113599370417373113,1.5413331334360179413e-05,0.0022942830000829417258,0.0020796640000000001652);
INSERT INTO curve VALUES(8,10,1.4297393327222380765,0.2625000000000000111,1.4040408801665762439,0.2734375,0.17204095049568127184,0.008802029828000155695,0.002610793002531863749,0.00093149599999999953964);
INSERT INTO curve VALUES(8,20,1.3886354651804140303,0.26289062499999998889,1.379759502291562967,0.265625,0.15408511750967074371,0.0053922954786392255505,0.0029231580010673496872,0.0012432589999999991633);
INSERT INTO curve VALUES(8,30,1.3761195081282493468,0.28632812499999998889,1.3712107097990156034,0.28515625,0.095287352879995707022,0.0017527597583490823161,0.0032251370030280668288,0.0015458589999999992545);
INSERT INTO curve VALUES(8,40,1.3741088115288220272,0.2886718750000000222,1.3697344049578532576,0.296875,0.12335768920334237719,1.5413331334360179413e-05,0.0035239120006735902279,0.0018439729999999996193);
INSERT INTO curve VALUES(10,10,1.4323994614955153359,0.26210937499999997779,1.4038033946344512514,0.267578125,0.17470246429481073313,0.008802029828000155695,0.00076157299918122589588,0.00076080100000000018545);
INSERT INTO curve VALUES(10,20,1.3898577843065140768,0.25898437499999998889,1.3800946048540936317,0.259765625,0.15089583279984922215,0.0053922954786392255505,0.0031657689978601410984,0.0011667359999999998149);
INSERT INTO curve VALUES(10,30,1.3762936720529979073,0.29023437499999998889,1.3711530668660998344,0.28515625,0.093696014382789641339,0.0017527597583490823161,0.0035058949979429598897,0.001506781999999999913);
INSERT INTO curve VALUES(10,40,1.3736062396259511864,0.28554687499999997779,1.3694470248192374128,0.296875,0.12489472225642339608,1.5413331334360179413e-05,0.0038689249995513819158,0.0018697520000000005663);
INSERT INTO curve VALUES(12,10,1.4310504268549266715,0.2613281250000000222,1.4023285000148462131,0.2734375,0.16685082547869176106,0.008802029828000155695,0.00083557300240499898791,0.000834470999999999824);
INSERT INTO curve VALUES(12,20,1.3901713633640611078,0.263671875,1.3803792894032085314,0.2421875,0.15364673165424411194,0.0053922954786392255505,0.001201177001348696649,0.0011993940000000011952);
INSERT INTO curve VALUES(12,30,1.3772437480911321472,0.2867187500000000222,1.3706187458919885102,0.27734375,0.094498573776487529429,0.0017527597583490823161,0.0015581980005663353949,0.0015564649999999999319);
INSERT INTO curve VALUES(12,40,1.3729280597195612223,0.29296875,1.3689186919582425616,0.2734375,0.12301098592672274345,1.5413331334360179413e-05,0.0019141270022373646497,0.0019122840000000002058);
INSERT INTO curve VALUES(14,10,1.4217828314838698577,0.2488281250000000111,1.3812083086231723427,0.2734375,0.15668901244264279992,0.008802029828000155695,0.00074644000051193870604,0.00070478899999999993636);
INSERT INTO curve VALUES(14,20,1.3746071483485138298,0.28515625,1.3633299052889924496,0.294921875,0.15673458200027237663,0.0053922954786392255505,0.0010725949978223070502,0.0010170439999999999342);
INSERT INTO curve VALUES(14,30,1.3535916506414651383,0.32539062499999998889,1.3464412742414424428,0.359375,0.16127394299034980562,0.0017527597583490823161,0.0014421649975702166557,0.0013701780000000005413);
INSERT INTO curve VALUES(14,40,1.3560866007207550421,0.3191406250000000111,1.3436264914198545739,0.357421875,0.15669210508798217529,1.5413331334360179413e-05,0.0017602879997866693884,0.0016758720000000001254);
INSERT INTO curve VALUES(16,10,1.4248159161164948294,0.25039062499999997779,1.3880576387655310099,0.248046875,0.15592102799482582264,0.008802029828000155695,0.0007797500002197921276,0.00077845800000000010127);
INSERT INTO curve VALUES(16,20,1.3794664018176263642,0.2781250000000000111,1.3699296166050771716,0.294921875,0.14467922374388800244,0.0053922954786392255505,0.0011063860001740977168,0.0011047130000000002225);
INSERT INTO curve VALUES(16,30,1.3609743542270735794,0.32421875,1.355280757910804823,0.337890625,0.1532083336693681741,0.0017527597583490823161,0.0040912160002335440367,0.0015876810000000005085);
INSERT INTO curve VALUES(16,40,1.3630989880799462277,0.3269531250000000111,1.3527873952552909031,0.345703125,0.15137281070773001001,1.5413331334360179413e-05,0.0064518180006416514515,0.0019309519999999996686);
INSERT INTO curve VALUES(18,10,1.4250796062900916716,0.24726562499999998889,1.3875873316846991656,0.263671875,0.15713806203129659921,0.008802029828000155695,0.00076793300104327499866,0.00076679100000000017384);
INSERT INTO curve VALUES(18,20,1.3794851440608908443,0.27968749999999997779,1.3712130241183331236,0.306640625,0.14528884786432869069,0.0053922954786392255505,0.0011177630003658123314,0.0011163010000000000987);
INSERT INTO curve VALUES(18,30,1.3611308415336680344,0.32851562499999997779,1.356808511172857834,0.34375,0.15335039948959397482,0.0017527597583490823161,0.0056460200030414853245,0.0015698059999999999791);
INSERT INTO curve VALUES(18,40,1.3628075709137192905,0.33046874999999997779,1.3543220253304752986,0.35546875,0.15451587902027594245,1.5413331334360179413e-05,0.0060510719995363615453,0.0019213789999999999688);
INSERT INTO curve VALUES(20,10,1.4338543956779177257,0.2781250000000000111,1.4111345800483832135,0.26953125,0.21367827236797587442,0.008802029828000155695,0.0021979090015520341694,0.00075136799999999965421);
INSERT INTO curve VALUES(20,20,1.3826471925109218297,0.3003906250000000222,1.3805916375567903742,0.28515625,0.23344749699912556439,0.0053922954786392255505,0.002509213001758325845,0.0010620099999999995168);
INSERT INTO curve VALUES(20,30,1.3671799377079878468,0.32460937499999997779,1.3711893099534790962,0.30859375,0.16198184306782231756,0.0017527597583490823161,0.0028069959989807102829,0.0013601539999999997035);
INSERT INTO curve VALUES(20,40,1.3631287252144830279,0.3335937500000000222,1.3687127605226123705,0.310546875,0.20244271610543870809,1.5413331334360179413e-05,0.0031050489997141994535,0.0016576660000000003475);
INSERT INTO curve VALUES(22,10,1.4337566912698094245,0.2789062500000000222,1.4092898632370634004,0.27734375,0.21770390879219644886,0.008802029828000155695,0.00077352099833660759031,0.000771937999999999791);
INSERT INTO curve VALUES(22,20,1.382587002168293111,0.2847656250000000222,1.3785765098291449248,0.294921875,0.24982459945737522932,0.0053922954786392255505,0.0054169489994819741696,0.0014161260000000001901);
INSERT INTO curve VALUES(22,30,1.3663668282781145091,0.318359375,1.369836793397553265,0.30078125,0.15025343739929267194,0.0017527597583490823161,0.0058214700002281460911,0.0017701019999999990928);
INSERT INTO curve VALUES(22,40,1.3638896529999329221,0.3132812500000000111,1.3671837433430482633,0.298828125,0.19931774125068527081,1.5413331334360179413e-05,0.0061574600003950763493,0.0020930329999999993523);
INSERT INTO curve VALUES(24,10,1.4322977135772816392,0.2750000000000000222,1.4105476622062269598,0.2578125,0.22194467709625004259,0.008802029828000155695,0.0024788580012682359665,0.0016287609999999994037);
INSERT INTO curve VALUES(24,20,1.3827143851973233701,0.2906250000000000222,1.3807070776238106191,0.27734375,0.24873418899728352848,0.0053922954786392255505,0.0031109379997360520064,0.0026444099999999998162);
INSERT INTO curve VALUES(24,30,1.3675366940602544651,0.3132812500000000111,1.372943402369855903,0.30859375,0.15092563598665961754,0.0017527597583490823161,0.0065294539999740663915,0.0037099309999999996456);
INSERT INTO curve VALUES(24,40,1.3635790546908537201,0.32148437499999998889,1.3706834103068104013,0.3046875,0.19870848455011183575,1.5413331334360179413e-05,0.0071466520021203905344,0.0047296149999999995139);
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
INSERT INTO study VALUES(8,'heads','{"on":"val"}','2026-11-26T03:07:15.089Z',0.028612999999999999545,1,'d9bc35150830971e553fe1e7f0a140eb3039f71ffd56ca03231315d99d09ac52');
INSERT INTO study VALUES(8,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.389Z',0.027803999999999998854,1,'d9bc35150830971e553fe1e7f0a140eb3039f71ffd56ca03231315d99d09ac52');
INSERT INTO study VALUES(10,'heads','{"on":"val"}','2026-11-26T03:07:15.102Z',0.028537999999999997396,1,'1ab2bd5e3061fa047d2605653e5497be2504b5c018eb7d930cba3bf0dd625062');
INSERT INTO study VALUES(10,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.495Z',0.049604999999999996318,1,'1ab2bd5e3061fa047d2605653e5497be2504b5c018eb7d930cba3bf0dd625062');
INSERT INTO study VALUES(12,'heads','{"on":"val"}','2026-11-26T03:07:15.170Z',0.027872999999999998471,1,'c3277eb56a7bfac08af1489490afde56eeb2661184b6a8cac216728cf205c829');
INSERT INTO study VALUES(12,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.574Z',0.091540999999999997371,1,'c3277eb56a7bfac08af1489490afde56eeb2661184b6a8cac216728cf205c829');
INSERT INTO study VALUES(14,'heads','{"on":"val"}','2026-11-26T03:07:15.159Z',0.027378999999999997089,1,'fa7a1a8a01f070a9ff0762cfbfe9d3b447dd35b54dc593cdeb0943f93d4aeb5e');
INSERT INTO study VALUES(14,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.556Z',0.028759999999999997372,1,'fa7a1a8a01f070a9ff0762cfbfe9d3b447dd35b54dc593cdeb0943f93d4aeb5e');
INSERT INTO study VALUES(16,'heads','{"on":"val"}','2026-11-26T03:07:15.222Z',0.027796999999999998792,1,'48dacd8ca5263776cc6a2dabcba0046489eab6e777eb96ff1664f1707552b6a1');
INSERT INTO study VALUES(16,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.646Z',0.048709999999999996356,1,'48dacd8ca5263776cc6a2dabcba0046489eab6e777eb96ff1664f1707552b6a1');
INSERT INTO study VALUES(18,'heads','{"on":"val"}','2026-11-26T03:07:15.226Z',0.028128999999999997755,1,'c3c0f652a476dadb2d1a447a4d2bc8499cfef1e04329c3eb5d132a85b4a47daf');
INSERT INTO study VALUES(18,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.781Z',0.093114000000000002321,1,'c3c0f652a476dadb2d1a447a4d2bc8499cfef1e04329c3eb5d132a85b4a47daf');
INSERT INTO study VALUES(20,'heads','{"on":"val"}','2026-11-26T03:07:15.290Z',0.028563999999999999113,1,'4bd81a4a3c11dd724ed9f889391c6ddbc2b0cf8461b902e5beeff244f9a48633');
INSERT INTO study VALUES(20,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.720Z',0.028496999999999998026,1,'4bd81a4a3c11dd724ed9f889391c6ddbc2b0cf8461b902e5beeff244f9a48633');
INSERT INTO study VALUES(22,'heads','{"on":"val"}','2026-11-26T03:07:15.283Z',0.028045999999999998014,1,'d4aeb017c040c6f3f0a58fe154a108757f8d457a7c581b96848e39663c5d9dfc');
INSERT INTO study VALUES(22,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.822Z',0.049265999999999997294,1,'d4aeb017c040c6f3f0a58fe154a108757f8d457a7c581b96848e39663c5d9dfc');
INSERT INTO study VALUES(24,'heads','{"on":"val"}','2026-11-26T03:07:15.329Z',0.028601999999999998952,1,'fd29c5bd3357a70aeddb418a82a8fc4a9a9c640b716fab1bc8e43e8ec6e07ebb');
INSERT INTO study VALUES(24,'prune','{"by":"importance","keep":null}','2026-11-26T03:07:14.895Z',0.091967999999999994198,1,'fd29c5bd3357a70aeddb418a82a8fc4a9a9c640b716fab1bc8e43e8ec6e07ebb');
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
INSERT INTO head_metric VALUES(8,40,'val',0,0,0.027158070075529394671,1.0,0.2734375,1.4026956688467180356,0.26989866740768775343,0.90977459452386610916,2.7403235263991518877,1.0);
INSERT INTO head_metric VALUES(10,40,'val',0,0,0.013755106308963149785,0.69521579535740318789,0.279296875,1.382908975618192926,0.22093702806159853935,0.95789552542314093663,2.6784969193467986769,0.64161962653034254611);
INSERT INTO head_metric VALUES(10,40,'val',0,1,0.014221750119759235531,0.71880108367028316962,0.29296875,1.3790908877817855682,0.23551385261816903948,0.94106343345122067667,2.7300738995436404366,0.35838037346965767593);
INSERT INTO head_metric VALUES(12,30,'val',0,0,0.0072635341657587559893,0.39343650490647968931,0.271484375,1.372294376058562193,0.21551727864425629377,0.95991055211828024695,2.6596464968097279779,0.27366739832933956177);
INSERT INTO head_metric VALUES(12,30,'val',0,1,0.0096503652330284239724,0.52272156800092517414,0.26171875,1.3797091460510273464,0.1672693175496533513,0.98688958693573680669,2.6304652363760396838,0.35556189105466684541);
INSERT INTO head_metric VALUES(12,30,'val',0,2,0.0025746724932105280458,0.13945967952940527267,0.271484375,1.3702192757336888462,0.28878857893869280815,0.87069737613482955929,2.7459481590667564887,0.095352209782610677923);
INSERT INTO head_metric VALUES(12,30,'val',0,3,0.013722956176934530958,0.74331748044774459405,0.296875,1.3809085251232318114,0.19242982158903032541,0.97362733791704114683,2.6952221343162818811,0.27541850083338353938);
INSERT INTO head_metric VALUES(14,30,'val',0,0,0.025977870578572037629,1.0,0.287109375,1.3952378158355713821,0.3802884990582242608,0.81805286322837600376,2.463801545329260989,1.0);
INSERT INTO head_metric VALUES(16,40,'val',0,0,0.012371429391350829973,0.58006389578500738846,0.306640625,1.3739656875077344011,0.3595315884449519217,0.86076383224705799168,2.5227546442729362752,0.49616178957691753348);
INSERT INTO head_metric VALUES(16,40,'val',0,1,0.017372926329699112102,0.81457097714485271477,0.353515625,1.3652882021415280178,0.26018064131494611501,0.91835252010018708634,2.5983545522976783104,0.50383821042308252202);
INSERT INTO head_metric VALUES(18,40,'val',0,0,0.011925199334655189886,0.65448901916188362282,0.337890625,1.3689825770852621644,0.37210045050596818327,0.8458584494633254458,2.522813703108113259,0.35563284288842933467);
INSERT INTO head_metric VALUES(18,40,'val',0,1,0.0062337560193554963916,0.34212634508724842907,0.330078125,1.3561070561991073191,0.17513222526758909225,0.98643782995402828905,2.6272687189339194446,0.1394970322372818261);
INSERT INTO head_metric VALUES(18,40,'val',0,2,0.0076755007112296880222,0.42125341397610366334,0.33984375,1.3598897424089955165,0.232214001240208745,0.94646087385100818867,2.5968911975578521378,0.20445390985965314345);
INSERT INTO head_metric VALUES(18,40,'val',0,3,0.0095920691419451031833,0.52644016659752912445,0.34375,1.3606976724186097271,0.30077222123509272933,0.87956122335107178589,2.529210129301645793,0.3004162150146356125);
INSERT INTO head_metric VALUES(20,40,'val',0,0,0.032343014463549479842,1.0,0.220703125,1.410460745872114785,0.33457251411164179444,0.84690356153472223788,2.6917309941709390841,1.0);
INSERT INTO head_metric VALUES(22,30,'val',0,0,0.018187171153840608894,0.63420470313902044257,0.27734375,1.3902505059486429672,0.20625030703376978635,0.96050082392419422472,2.6255319507836247794,0.43176683203599253157);
INSERT INTO head_metric VALUES(22,30,'val',0,1,0.02217215888958889991,0.77316517932221129338,0.2578125,1.3927960320143029093,0.39396839455002918839,0.77869288188305807452,2.7274422122518444666,0.56823316796400746842);
INSERT INTO head_metric VALUES(24,30,'val',0,0,0.0040343625150853767991,0.17162939941490057416,0.306640625,1.3751490858558099716,0.19463014049688354134,0.96559438537477815245,2.6752318203070899471,0.16598611342080862862);
INSERT INTO head_metric VALUES(24,30,'val',0,1,0.018380910845735343173,0.78195865576190748402,0.283203125,1.3913331284857122227,0.22879818518413230776,0.94020362372519938887,2.5642265320020669605,0.26724682816472816737);
INSERT INTO head_metric VALUES(24,30,'val',0,2,0.007787155795085709542,0.33128031188653339622,0.291015625,1.3800345072668278589,0.27328352880431339144,0.91313368369031744364,2.7029878967005060985,0.29484133877804202805);
INSERT INTO head_metric VALUES(24,30,'val',0,3,0.011737535529391607269,0.49933692522371331268,0.283203125,1.3837897022167453542,0.41737971483962610363,0.7373674010576207749,2.7133594447097948432,0.27192571963642109267);
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
INSERT INTO layer_metric VALUES(8,40,'val',0,NULL,NULL,NULL,3.593165777761162527);
INSERT INTO layer_metric VALUES(10,40,'val',0,0.24262068610595269313,-0.13693509128095499027,0.63539763120724879197,4.2180690597699355137);
INSERT INTO layer_metric VALUES(12,30,'val',0,0.048315333080463325476,-0.12710555172817566971,0.24678619754524666607,4.6479118104032250968);
INSERT INTO layer_metric VALUES(14,30,'val',0,NULL,NULL,NULL,4.5315514892818500314);
INSERT INTO layer_metric VALUES(16,40,'val',0,-0.29343669733536081878,-0.1598470924112161684,0.10071190987916525672,5.4941121036744942074);
INSERT INTO layer_metric VALUES(18,40,'val',0,0.020238275210946524151,-0.13864395356000752679,0.12342224021876502249,5.6853634826994401407);
INSERT INTO layer_metric VALUES(20,40,'val',0,NULL,NULL,NULL,4.7326288891358112564);
INSERT INTO layer_metric VALUES(22,30,'val',0,-0.42673918598753574071,-0.12909622422986463674,-0.092248481729208881008,5.3884658559701641422);
INSERT INTO layer_metric VALUES(24,30,'val',0,-0.026739826028903068699,-0.13062658230195056674,0.020670640931296259401,6.195928132160374524);
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
INSERT INTO head_slot VALUES(8,40,'val',0,0,0,0.1260796355054480955);
INSERT INTO head_slot VALUES(8,40,'val',0,0,1,0.13574763828364666551);
INSERT INTO head_slot VALUES(10,40,'val',0,0,0,0.12683558341086609289);
INSERT INTO head_slot VALUES(10,40,'val',0,0,1,0.13371791054669301956);
INSERT INTO head_slot VALUES(10,40,'val',0,1,0,0.11850295224940055049);
INSERT INTO head_slot VALUES(10,40,'val',0,1,1,0.13119859504513442516);
INSERT INTO head_slot VALUES(12,30,'val',0,0,0,0.12286931773996911942);
INSERT INTO head_slot VALUES(12,30,'val',0,0,1,0.13198383198323426768);
INSERT INTO head_slot VALUES(12,30,'val',0,1,0,0.12632855658011976629);
INSERT INTO head_slot VALUES(12,30,'val',0,1,1,0.13081973440421279519);
INSERT INTO head_slot VALUES(12,30,'val',0,2,0,0.12143972100420796778);
INSERT INTO head_slot VALUES(12,30,'val',0,2,1,0.1307805108717730036);
INSERT INTO head_slot VALUES(12,30,'val',0,3,0,0.12272745256632333621);
INSERT INTO head_slot VALUES(12,30,'val',0,3,1,0.12728867463010828942);
INSERT INTO head_slot VALUES(14,30,'val',0,0,0,0.19626015976973576471);
INSERT INTO head_slot VALUES(14,30,'val',0,0,1,0.15652824329845316242);
INSERT INTO head_slot VALUES(16,40,'val',0,0,0,0.16238958121539326384);
INSERT INTO head_slot VALUES(16,40,'val',0,0,1,0.15802263612931710667);
INSERT INTO head_slot VALUES(16,40,'val',0,1,0,0.1501622181967832148);
INSERT INTO head_slot VALUES(16,40,'val',0,1,1,0.13092252516071312129);
INSERT INTO head_slot VALUES(18,40,'val',0,0,0,0.16512524004792794585);
INSERT INTO head_slot VALUES(18,40,'val',0,0,1,0.14954638961717137135);
INSERT INTO head_slot VALUES(18,40,'val',0,1,0,0.1344787177222315222);
INSERT INTO head_slot VALUES(18,40,'val',0,1,1,0.13439611179637722671);
INSERT INTO head_slot VALUES(18,40,'val',0,2,0,0.1178522099507972598);
INSERT INTO head_slot VALUES(18,40,'val',0,2,1,0.11766402927605668082);
INSERT INTO head_slot VALUES(18,40,'val',0,3,0,0.17504958936478942632);
INSERT INTO head_slot VALUES(18,40,'val',0,3,1,0.15249570607193163596);
INSERT INTO head_slot VALUES(20,40,'val',0,0,0,0.16295740026907878927);
INSERT INTO head_slot VALUES(20,40,'val',0,0,1,0.1365568208202603273);
INSERT INTO head_slot VALUES(22,30,'val',0,0,0,0.12550094485050067305);
INSERT INTO head_slot VALUES(22,30,'val',0,0,1,0.14655367331579327583);
INSERT INTO head_slot VALUES(22,30,'val',0,1,0,0.16553015636600321158);
INSERT INTO head_slot VALUES(22,30,'val',0,1,1,0.11809380062732088845);
INSERT INTO head_slot VALUES(24,30,'val',0,0,0,0.11675851925247116014);
INSERT INTO head_slot VALUES(24,30,'val',0,0,1,0.13175543532270239666);
INSERT INTO head_slot VALUES(24,30,'val',0,1,0,0.13458812383032636716);
INSERT INTO head_slot VALUES(24,30,'val',0,1,1,0.1400890345248626545);
INSERT INTO head_slot VALUES(24,30,'val',0,2,0,0.15733609546441584825);
INSERT INTO head_slot VALUES(24,30,'val',0,2,1,0.11658023042400600388);
INSERT INTO head_slot VALUES(24,30,'val',0,3,0,0.14183999534725444391);
INSERT INTO head_slot VALUES(24,30,'val',0,3,1,0.12817099902872541861);
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
INSERT INTO pruning VALUES(8,'none',1,0,0.0,'[]',0.296875,0.2978515625,1.3702406746933775139,784,11264.0,0.00055221899999999995208);
INSERT INTO pruning VALUES(10,'importance',1,0,0.0,'[[0,0]]',0.279296875,0.279296875,1.3798128326347978145,644,8192.0,0.00065393750000003036254);
INSERT INTO pruning VALUES(10,'none',2,0,0.0,'[]',0.296875,0.298828125,1.3707458150483944336,784,11264.0,0.00060075000000000004698);
INSERT INTO pruning VALUES(12,'importance',1,0,0.0,'[[0,2],[0,0],[0,1]]',0.263671875,0.27734375,1.3830508912178629543,574,6656.0,0.00087081250000004342681);
INSERT INTO pruning VALUES(12,'importance',2,0,0.0,'[[0,2],[0,0]]',0.26953125,0.29296875,1.3747789953213214175,644,8192.0,0.0012740937499999523477);
INSERT INTO pruning VALUES(12,'importance',3,0,0.0,'[[0,2]]',0.271484375,0.30078125,1.3727563675493001937,714,9728.0,0.0010318437499999598763);
INSERT INTO pruning VALUES(12,'none',4,0,0.0,'[]',0.27734375,0.2958984375,1.3721822511015488998,784,11264.0,0.00067256300000000004534);
INSERT INTO pruning VALUES(14,'none',1,0,0.0,'[]',0.359375,0.3095703125,1.3587746934445021906,784,11264.0,0.00055254700000000002077);
INSERT INTO pruning VALUES(16,'importance',1,0,0.0,'[[0,0]]',0.306640625,0.275390625,1.3826064109871367691,644,8192.0,0.00065739062499994751348);
INSERT INTO pruning VALUES(16,'none',2,0,0.0,'[]',0.345703125,0.3095703125,1.3634246204455848783,784,11264.0,0.00059870300000000001728);
INSERT INTO pruning VALUES(18,'importance',1,0,0.0,'[[0,1],[0,2],[0,3]]',0.33203125,0.294921875,1.3789211129915202036,574,6656.0,0.00065424999999997429656);
INSERT INTO pruning VALUES(18,'importance',2,0,0.0,'[[0,1],[0,2]]',0.328125,0.2958984375,1.3679018711754906689,644,8192.0,0.00084296875000006241812);
INSERT INTO pruning VALUES(18,'importance',3,0,0.0,'[[0,1]]',0.330078125,0.2978515625,1.3657749916837929049,714,9728.0,0.0010335625000000309842);
INSERT INTO pruning VALUES(18,'none',4,0,0.0,'[]',0.35546875,0.3095703125,1.3629324453104345593,784,11264.0,0.00067162500000000002146);
INSERT INTO pruning VALUES(20,'none',1,0,0.0,'[]',0.310546875,0.3349609375,1.3522003933649102691,784,11264.0,0.00055457800000000001539);
INSERT INTO pruning VALUES(22,'importance',1,0,0.0,'[[0,0]]',0.27734375,0.302734375,1.3745543123732204549,644,8192.0,0.00065581250000001922728);
INSERT INTO pruning VALUES(22,'none',2,0,0.0,'[]',0.30078125,0.328125,1.3539455738064134493,784,11264.0,0.00060089099999999999023);
INSERT INTO pruning VALUES(24,'importance',1,0,0.0,'[[0,0],[0,2],[0,3]]',0.26171875,0.2763671875,1.37756994909432251,574,6656.0,0.00065753124999998191491);
INSERT INTO pruning VALUES(24,'importance',2,0,0.0,'[[0,0],[0,2]]',0.283203125,0.302734375,1.3662626888035447336,644,8192.0,0.00084860937499991236782);
INSERT INTO pruning VALUES(24,'importance',3,0,0.0,'[[0,0]]',0.306640625,0.30859375,1.3564927973638987168,714,9728.0,0.0010296562499999186574);
INSERT INTO pruning VALUES(24,'none',4,0,0.0,'[]',0.30859375,0.3193359375,1.3540044025794486515,784,11264.0,0.00067115600000000000951);
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
INSERT INTO t_quantile VALUES(0.97499999999999997779,1,12.706204736174690594);
INSERT INTO t_quantile VALUES(0.97499999999999997779,2,4.3026527297494601143);
INSERT INTO t_quantile VALUES(0.97499999999999997779,3,3.1824463052837073107);
INSERT INTO t_quantile VALUES(0.97499999999999997779,4,2.7764451051977925288);
INSERT INTO t_quantile VALUES(0.97499999999999997779,5,2.5705818356363141496);
INSERT INTO t_quantile VALUES(0.97499999999999997779,6,2.4469118511449687858);
INSERT INTO t_quantile VALUES(0.97499999999999997779,7,2.364624251592784887);
INSERT INTO t_quantile VALUES(0.97499999999999997779,8,2.3060041352041666939);
INSERT INTO t_quantile VALUES(0.97499999999999997779,9,2.2621571627982053342);
INSERT INTO t_quantile VALUES(0.97499999999999997779,10,2.2281388519862743713);
INSERT INTO t_quantile VALUES(0.97499999999999997779,11,2.2009851600916388036);
INSERT INTO t_quantile VALUES(0.97499999999999997779,12,2.1788128296672280015);
INSERT INTO t_quantile VALUES(0.97499999999999997779,13,2.1603686564627930799);
INSERT INTO t_quantile VALUES(0.97499999999999997779,14,2.1447866879178025811);
INSERT INTO t_quantile VALUES(0.97499999999999997779,15,2.1314495455597737283);
INSERT INTO t_quantile VALUES(0.97499999999999997779,16,2.1199052992212554791);
INSERT INTO t_quantile VALUES(0.97499999999999997779,17,2.1098155778333187448);
INSERT INTO t_quantile VALUES(0.97499999999999997779,18,2.1009220402410369032);
INSERT INTO t_quantile VALUES(0.97499999999999997779,19,2.0930240544083109632);
INSERT INTO t_quantile VALUES(0.97499999999999997779,20,2.0859634472658634685);
INSERT INTO t_quantile VALUES(0.97499999999999997779,21,2.0796138447276817373);
INSERT INTO t_quantile VALUES(0.97499999999999997779,22,2.0738730679040227045);
INSERT INTO t_quantile VALUES(0.97499999999999997779,23,2.0686576104190494973);
INSERT INTO t_quantile VALUES(0.97499999999999997779,24,2.0638985616280258739);
INSERT INTO t_quantile VALUES(0.97499999999999997779,25,2.0595385527532958924);
INSERT INTO t_quantile VALUES(0.97499999999999997779,26,2.05552943864287041);
INSERT INTO t_quantile VALUES(0.97499999999999997779,27,2.051830516480284583);
INSERT INTO t_quantile VALUES(0.97499999999999997779,28,2.0484071417952463001);
INSERT INTO t_quantile VALUES(0.97499999999999997779,29,2.0452296421327020858);
INSERT INTO t_quantile VALUES(0.97499999999999997779,30,2.0422724563012395471);
INSERT INTO t_quantile VALUES(0.97499999999999997779,31,2.0395134463964064153);
INSERT INTO t_quantile VALUES(0.97499999999999997779,32,2.0369333434601011312);
INSERT INTO t_quantile VALUES(0.97499999999999997779,33,2.034515297449340121);
INSERT INTO t_quantile VALUES(0.97499999999999997779,34,2.0322445093177194941);
INSERT INTO t_quantile VALUES(0.97499999999999997779,35,2.0301079282503393663);
INSERT INTO t_quantile VALUES(0.97499999999999997779,36,2.028094000980446232);
INSERT INTO t_quantile VALUES(0.97499999999999997779,37,2.0261924630291097138);
INSERT INTO t_quantile VALUES(0.97499999999999997779,38,2.0243941639119702458);
INSERT INTO t_quantile VALUES(0.97499999999999997779,39,2.0226909200367604313);
INSERT INTO t_quantile VALUES(0.97499999999999997779,40,2.0210753903062719238);
INSERT INTO t_quantile VALUES(0.97499999999999997779,41,2.0195409704413749274);
INSERT INTO t_quantile VALUES(0.97499999999999997779,42,2.0180817028184407924);
INSERT INTO t_quantile VALUES(0.97499999999999997779,43,2.0166921992278261654);
INSERT INTO t_quantile VALUES(0.97499999999999997779,44,2.0153675744437578032);
INSERT INTO t_quantile VALUES(0.97499999999999997779,45,2.0141033888808488327);
INSERT INTO t_quantile VALUES(0.97499999999999997779,46,2.0128955989194308173);
INSERT INTO t_quantile VALUES(0.97499999999999997779,47,2.0117405137297632577);
INSERT INTO t_quantile VALUES(0.97499999999999997779,48,2.0106347576242322716);
INSERT INTO t_quantile VALUES(0.97499999999999997779,49,2.0095752371292334714);
INSERT INTO t_quantile VALUES(0.97499999999999997779,50,2.0085591121007646542);
INSERT INTO t_quantile VALUES(0.97499999999999997779,51,2.0075837703158403435);
INSERT INTO t_quantile VALUES(0.97499999999999997779,52,2.0066468050616816931);
INSERT INTO t_quantile VALUES(0.97499999999999997779,53,2.005745995317871344);
INSERT INTO t_quantile VALUES(0.97499999999999997779,54,2.0048792881880590499);
INSERT INTO t_quantile VALUES(0.97499999999999997779,55,2.0040447832891419288);
INSERT INTO t_quantile VALUES(0.97499999999999997779,56,2.0032407188478740245);
INSERT INTO t_quantile VALUES(0.97499999999999997779,57,2.0024654592910082762);
INSERT INTO t_quantile VALUES(0.97499999999999997779,58,2.001717484145235204);
INSERT INTO t_quantile VALUES(0.97499999999999997779,59,2.000995378088266996);
INSERT INTO t_quantile VALUES(0.97499999999999997779,60,2.0002978220142537679);
INSERT INTO t_quantile VALUES(0.97499999999999997779,61,1.9996235849949437479);
INSERT INTO t_quantile VALUES(0.97499999999999997779,62,1.9989715170333735017);
INSERT INTO t_quantile VALUES(0.97499999999999997779,63,1.9983405425207416694);
INSERT INTO t_quantile VALUES(0.97499999999999997779,64,1.9977296543176938925);
INSERT INTO t_quantile VALUES(0.97499999999999997779,65,1.9971379083919995611);
INSERT INTO t_quantile VALUES(0.97499999999999997779,66,1.9965644189523152896);
INSERT INTO t_quantile VALUES(0.97499999999999997779,67,1.9960083540252984146);
INSERT INTO t_quantile VALUES(0.97499999999999997779,68,1.995468931429846382);
INSERT INTO t_quantile VALUES(0.97499999999999997779,69,1.9949454151072245622);
INSERT INTO t_quantile VALUES(0.97499999999999997779,70,1.994437111771187876);
INSERT INTO t_quantile VALUES(0.97499999999999997779,71,1.9939433678456293108);
INSERT INTO t_quantile VALUES(0.97499999999999997779,72,1.9934635666618696347);
INSERT INTO t_quantile VALUES(0.97499999999999997779,73,1.9929971258898544483);
INSERT INTO t_quantile VALUES(0.97499999999999997779,74,1.9925434951809346539);
INSERT INTO t_quantile VALUES(0.97499999999999997779,75,1.9921021540022394447);
INSERT INTO t_quantile VALUES(0.97499999999999997779,76,1.9916726096446693006);
INSERT INTO t_quantile VALUES(0.97499999999999997779,77,1.9912543953883745651);
INSERT INTO t_quantile VALUES(0.97499999999999997779,78,1.990847068811695042);
INSERT INTO t_quantile VALUES(0.97499999999999997779,79,1.9904502102301326882);
INSERT INTO t_quantile VALUES(0.97499999999999997779,80,1.9900634212544414669);
INSERT INTO t_quantile VALUES(0.97499999999999997779,81,1.9896863234569102107);
INSERT INTO t_quantile VALUES(0.97499999999999997779,82,1.9893185571365636921);
INSERT INTO t_quantile VALUES(0.97499999999999997779,83,1.9889597801751681682);
INSERT INTO t_quantile VALUES(0.97499999999999997779,84,1.9886096669757167276);
INSERT INTO t_quantile VALUES(0.97499999999999997779,85,1.9882679074772151572);
INSERT INTO t_quantile VALUES(0.97499999999999997779,86,1.9879342062390188416);
INSERT INTO t_quantile VALUES(0.97499999999999997779,87,1.9876082815890718791);
INSERT INTO t_quantile VALUES(0.97499999999999997779,88,1.987289864831174313);
INSERT INTO t_quantile VALUES(0.97499999999999997779,89,1.9869786995062721501);
INSERT INTO t_quantile VALUES(0.97499999999999997779,90,1.9866745407037704751);
INSERT INTO t_quantile VALUES(0.97499999999999997779,91,1.9863771544186197282);
INSERT INTO t_quantile VALUES(0.97499999999999997779,92,1.9860863169511193682);
INSERT INTO t_quantile VALUES(0.97499999999999997779,93,1.9858018143458262549);
INSERT INTO t_quantile VALUES(0.97499999999999997779,94,1.9855234418666070084);
INSERT INTO t_quantile VALUES(0.97499999999999997779,95,1.9852510035055079828);
INSERT INTO t_quantile VALUES(0.97499999999999997779,96,1.9849843115224468093);
INSERT INTO t_quantile VALUES(0.97499999999999997779,97,1.9847231860139848969);
INSERT INTO t_quantile VALUES(0.97499999999999997779,98,1.9844674545084919348);
INSERT INTO t_quantile VALUES(0.97499999999999997779,99,1.9842169515863985473);
INSERT INTO t_quantile VALUES(0.97499999999999997779,100,1.9839715185235640149);
INSERT INTO t_quantile VALUES(0.97499999999999997779,101,1.9837310029555963453);
INSERT INTO t_quantile VALUES(0.97499999999999997779,102,1.9834952585628786714);
INSERT INTO t_quantile VALUES(0.97499999999999997779,103,1.9832641447734689066);
INSERT INTO t_quantile VALUES(0.97499999999999997779,104,1.9830375264837196702);
INSERT INTO t_quantile VALUES(0.97499999999999997779,105,1.9828152737950484052);
INSERT INTO t_quantile VALUES(0.97499999999999997779,106,1.9825972617654967766);
INSERT INTO t_quantile VALUES(0.97499999999999997779,107,1.982383370175684778);
INSERT INTO t_quantile VALUES(0.97499999999999997779,108,1.9821734833077329085);
INSERT INTO t_quantile VALUES(0.97499999999999997779,109,1.981967489736483845);
INSERT INTO t_quantile VALUES(0.97499999999999997779,110,1.9817652821323523681);
INSERT INTO t_quantile VALUES(0.97499999999999997779,111,1.981566757074927576);
INSERT INTO t_quantile VALUES(0.97499999999999997779,112,1.9813718148762911042);
INSERT INTO t_quantile VALUES(0.97499999999999997779,113,1.981180359414670189);
INSERT INTO t_quantile VALUES(0.97499999999999997779,114,1.9809922979758449734);
INSERT INTO t_quantile VALUES(0.97499999999999997779,115,1.9808075411038954527);
INSERT INTO t_quantile VALUES(0.97499999999999997779,116,1.9806260024591026969);
INSERT INTO t_quantile VALUES(0.97499999999999997779,117,1.9804475986834106926);
INSERT INTO t_quantile VALUES(0.97499999999999997779,118,1.9802722492729720737);
INSERT INTO t_quantile VALUES(0.97499999999999997779,119,1.9800998764569164301);
INSERT INTO t_quantile VALUES(0.97499999999999997779,120,1.979930405082462208);
INSERT INTO t_quantile VALUES(0.97499999999999997779,121,1.9797637625053843279);
INSERT INTO t_quantile VALUES(0.97499999999999997779,122,1.9795998784866535302);
INSERT INTO t_quantile VALUES(0.97499999999999997779,123,1.9794386850933030075);
INSERT INTO t_quantile VALUES(0.97499999999999997779,124,1.9792801166048454852);
INSERT INTO t_quantile VALUES(0.97499999999999997779,125,1.9791241094238063435);
INSERT INTO t_quantile VALUES(0.97499999999999997779,126,1.978970601990614142);
INSERT INTO t_quantile VALUES(0.97499999999999997779,127,1.97881953470284766);
INSERT INTO t_quantile VALUES(0.97499999999999997779,128,1.97867084983784558);
INSERT INTO t_quantile VALUES(0.97499999999999997779,129,1.9785244914792516901);
INSERT INTO t_quantile VALUES(0.97499999999999997779,130,1.9783804054470450761);
INSERT INTO t_quantile VALUES(0.97499999999999997779,131,1.9782385392303569737);
INSERT INTO t_quantile VALUES(0.97499999999999997779,132,1.978098841924133211);
INSERT INTO t_quantile VALUES(0.97499999999999997779,133,1.9779612641677344342);
INSERT INTO t_quantile VALUES(0.97499999999999997779,134,1.9778257580871234644);
INSERT INTO t_quantile VALUES(0.97499999999999997779,135,1.9776922772392584448);
INSERT INTO t_quantile VALUES(0.97499999999999997779,136,1.9775607765589364728);
INSERT INTO t_quantile VALUES(0.97499999999999997779,137,1.9774312123081649872);
INSERT INTO t_quantile VALUES(0.97499999999999997779,138,1.977303542027633032);
INSERT INTO t_quantile VALUES(0.97499999999999997779,139,1.9771777244903652182);
INSERT INTO t_quantile VALUES(0.97499999999999997779,140,1.9770537196570929783);
INSERT INTO t_quantile VALUES(0.97499999999999997779,141,1.9769314886342512771);
INSERT INTO t_quantile VALUES(0.97499999999999997779,142,1.9768109936328446263);
INSERT INTO t_quantile VALUES(0.97499999999999997779,143,1.9766921979298044398);
INSERT INTO t_quantile VALUES(0.97499999999999997779,144,1.976575065830445288);
INSERT INTO t_quantile VALUES(0.97499999999999997779,145,1.9764595626329197752);
INSERT INTO t_quantile VALUES(0.97499999999999997779,146,1.9763456545938073993);
INSERT INTO t_quantile VALUES(0.97499999999999997779,147,1.9762333088953547566);
INSERT INTO t_quantile VALUES(0.97499999999999997779,148,1.9761224936137249397);
INSERT INTO t_quantile VALUES(0.97499999999999997779,149,1.9760131776891760591);
INSERT INTO t_quantile VALUES(0.97499999999999997779,150,1.9759053308966274542);
INSERT INTO t_quantile VALUES(0.97499999999999997779,151,1.9757989238179467506);
INSERT INTO t_quantile VALUES(0.97499999999999997779,152,1.9756939278152754191);
INSERT INTO t_quantile VALUES(0.97499999999999997779,153,1.9755903150052493977);
INSERT INTO t_quantile VALUES(0.97499999999999997779,154,1.9754880582343326);
INSERT INTO t_quantile VALUES(0.97499999999999997779,155,1.9753871310551196494);
INSERT INTO t_quantile VALUES(0.97499999999999997779,156,1.9752875077034612871);
INSERT INTO t_quantile VALUES(0.97499999999999997779,157,1.9751891630765552321);
INSERT INTO t_quantile VALUES(0.97499999999999997779,158,1.9750920727120773179);
INSERT INTO t_quantile VALUES(0.97499999999999997779,159,1.9749962127674605127);
INSERT INTO t_quantile VALUES(0.97499999999999997779,160,1.9749015600008319459);
INSERT INTO t_quantile VALUES(0.97499999999999997779,161,1.9748080917517971677);
INSERT INTO t_quantile VALUES(0.97499999999999997779,162,1.9747157859237687294);
INSERT INTO t_quantile VALUES(0.97499999999999997779,163,1.9746246209663731452);
INSERT INTO t_quantile VALUES(0.97499999999999997779,164,1.9745345758584309514);
INSERT INTO t_quantile VALUES(0.97499999999999997779,165,1.9744456300924382308);
INSERT INTO t_quantile VALUES(0.97499999999999997779,166,1.9743577636580271761);
INSERT INTO t_quantile VALUES(0.97499999999999997779,167,1.974270957028026574);
INSERT INTO t_quantile VALUES(0.97499999999999997779,168,1.9741851911433103694);
INSERT INTO t_quantile VALUES(0.97499999999999997779,169,1.9741004473989804957);
INSERT INTO t_quantile VALUES(0.97499999999999997779,170,1.9740167076309809157);
INSERT INTO t_quantile VALUES(0.97499999999999997779,171,1.9739339541030940239);
INSERT INTO t_quantile VALUES(0.97499999999999997779,172,1.9738521694945390105);
INSERT INTO t_quantile VALUES(0.97499999999999997779,173,1.9737713368875147157);
INSERT INTO t_quantile VALUES(0.97499999999999997779,174,1.9736914397560814116);
INSERT INTO t_quantile VALUES(0.97499999999999997779,175,1.9736124619543762293);
INSERT INTO t_quantile VALUES(0.97499999999999997779,176,1.9735343877060955719);
INSERT INTO t_quantile VALUES(0.97499999999999997779,177,1.9734572015938012246);
INSERT INTO t_quantile VALUES(0.97499999999999997779,178,1.973380888548829759);
INSERT INTO t_quantile VALUES(0.97499999999999997779,179,1.9733054338414719452);
INSERT INTO t_quantile VALUES(0.97499999999999997779,180,1.9732308230715642771);
INSERT INTO t_quantile VALUES(0.97499999999999997779,181,1.9731570421591326791);
INSERT INTO t_quantile VALUES(0.97499999999999997779,182,1.9730840773359341611);
INSERT INTO t_quantile VALUES(0.97499999999999997779,183,1.9730119151362637275);
INSERT INTO t_quantile VALUES(0.97499999999999997779,184,1.972940542389360452);
INSERT INTO t_quantile VALUES(0.97499999999999997779,185,1.9728699462109045015);
INSERT INTO t_quantile VALUES(0.97499999999999997779,186,1.9728001139954363107);
INSERT INTO t_quantile VALUES(0.97499999999999997779,187,1.9727310334088858922);
INSERT INTO t_quantile VALUES(0.97499999999999997779,188,1.9726626923812999869);
INSERT INTO t_quantile VALUES(0.97499999999999997779,189,1.9725950790996513717);
INSERT INTO t_quantile VALUES(0.97499999999999997779,190,1.972528182001320296);
INSERT INTO t_quantile VALUES(0.97499999999999997779,191,1.9724619897672204249);
INSERT INTO t_quantile VALUES(0.97499999999999997779,192,1.972396491315575151);
INSERT INTO t_quantile VALUES(0.97499999999999997779,193,1.9723316757957602973);
INSERT INTO t_quantile VALUES(0.97499999999999997779,194,1.9722675325821303893);
INSERT INTO t_quantile VALUES(0.97499999999999997779,195,1.9722040512684424484);
INSERT INTO t_quantile VALUES(0.97499999999999997779,196,1.9721412216620386459);
INSERT INTO t_quantile VALUES(0.97499999999999997779,197,1.9720790337784857015);
INSERT INTO t_quantile VALUES(0.97499999999999997779,198,1.9720174778363028789);
INSERT INTO t_quantile VALUES(0.97499999999999997779,199,1.9719565442517934528);
INSERT INTO t_quantile VALUES(0.97499999999999997779,200,1.9718962236338830606);
INSERT INTO t_quantile VALUES(0.97499999999999997779,201,1.9718365067798742096);
INSERT INTO t_quantile VALUES(0.97499999999999997779,202,1.9717773846699808704);
INSERT INTO t_quantile VALUES(0.97499999999999997779,203,1.9717188484634391443);
INSERT INTO t_quantile VALUES(0.97499999999999997779,204,1.9716608894937852625);
INSERT INTO t_quantile VALUES(0.97499999999999997779,205,1.9716034992644893009);
INSERT INTO t_quantile VALUES(0.97499999999999997779,206,1.9715466694451999618);
INSERT INTO t_quantile VALUES(0.97499999999999997779,207,1.9714903918673469807);
INSERT INTO t_quantile VALUES(0.97499999999999997779,208,1.9714346585202591199);
INSERT INTO t_quantile VALUES(0.97499999999999997779,209,1.9713794615475124238);
INSERT INTO t_quantile VALUES(0.97499999999999997779,210,1.9713247932433579645);
INSERT INTO t_quantile VALUES(0.97499999999999997779,211,1.9712706460485796);
INSERT INTO t_quantile VALUES(0.97499999999999997779,212,1.9712170125477717075);
INSERT INTO t_quantile VALUES(0.97499999999999997779,213,1.9711638854652322461);
INSERT INTO t_quantile VALUES(0.97499999999999997779,214,1.971111257662304883);
INSERT INTO t_quantile VALUES(0.97499999999999997779,215,1.9710591221336821732);
INSERT INTO t_quantile VALUES(0.97499999999999997779,216,1.9710074720044519214);
INSERT INTO t_quantile VALUES(0.97499999999999997779,217,1.9709563005273831315);
INSERT INTO t_quantile VALUES(0.97499999999999997779,218,1.970905601079509628);
INSERT INTO t_quantile VALUES(0.97499999999999997779,219,1.9708553671594917222);
INSERT INTO t_quantile VALUES(0.97499999999999997779,220,1.9708055923848921686);
INSERT INTO t_quantile VALUES(0.97499999999999997779,221,1.9707562704894461269);
INSERT INTO t_quantile VALUES(0.97499999999999997779,222,1.9707073953204061744);
INSERT INTO t_quantile VALUES(0.97499999999999997779,223,1.970658960835818263);
INSERT INTO t_quantile VALUES(0.97499999999999997779,224,1.9706109611023689964);
INSERT INTO t_quantile VALUES(0.97499999999999997779,225,1.9705633902927099931);
INSERT INTO t_quantile VALUES(0.97499999999999997779,226,1.9705162426831286381);
INSERT INTO t_quantile VALUES(0.97499999999999997779,227,1.9704695126514935044);
INSERT INTO t_quantile VALUES(0.97499999999999997779,228,1.970423194674528533);
INSERT INTO t_quantile VALUES(0.97499999999999997779,229,1.9703772833261272712);
INSERT INTO t_quantile VALUES(0.97499999999999997779,230,1.9703317732750482704);
INSERT INTO t_quantile VALUES(0.97499999999999997779,231,1.9702866592828214287);
INSERT INTO t_quantile VALUES(0.97499999999999997779,232,1.9702419362015901604);
INSERT INTO t_quantile VALUES(0.97499999999999997779,233,1.970197598972523334);
INSERT INTO t_quantile VALUES(0.97499999999999997779,234,1.9701536426236763155);
INSERT INTO t_quantile VALUES(0.97499999999999997779,235,1.9701100622681135821);
INSERT INTO t_quantile VALUES(0.97499999999999997779,236,1.9700668531021179319);
INSERT INTO t_quantile VALUES(0.97499999999999997779,237,1.970024010403570891);
INSERT INTO t_quantile VALUES(0.97499999999999997779,238,1.9699815295299356598);
INSERT INTO t_quantile VALUES(0.97499999999999997779,239,1.9699394059169117454);
INSERT INTO t_quantile VALUES(0.97499999999999997779,240,1.9698976350767014587);
INSERT INTO t_quantile VALUES(0.97499999999999997779,241,1.9698562125961269764);
INSERT INTO t_quantile VALUES(0.97499999999999997779,242,1.969815134135394441);
INSERT INTO t_quantile VALUES(0.97499999999999997779,243,1.9697743954267799004);
INSERT INTO t_quantile VALUES(0.97499999999999997779,244,1.969733992272362677);
INSERT INTO t_quantile VALUES(0.97499999999999997779,245,1.9696939205435228803);
INSERT INTO t_quantile VALUES(0.97499999999999997779,246,1.9696541761789552182);
INSERT INTO t_quantile VALUES(0.97499999999999997779,247,1.9696147551832774436);
INSERT INTO t_quantile VALUES(0.97499999999999997779,248,1.9695756536260591307);
INSERT INTO t_quantile VALUES(0.97499999999999997779,249,1.9695368676403703922);
INSERT INTO t_quantile VALUES(0.97499999999999997779,250,1.9694983934211802711);
INSERT INTO t_quantile VALUES(0.97499999999999997779,251,1.9694602272245278484);
INSERT INTO t_quantile VALUES(0.97499999999999997779,252,1.9694223653662745743);
INSERT INTO t_quantile VALUES(0.97499999999999997779,253,1.9693848042205610582);
INSERT INTO t_quantile VALUES(0.97499999999999997779,254,1.9693475402192275325);
INSERT INTO t_quantile VALUES(0.97499999999999997779,255,1.9693105698498447608);
INSERT INTO t_quantile VALUES(0.97499999999999997779,256,1.9692738896557058225);
INSERT INTO t_quantile VALUES(0.97499999999999997779,257,1.9692374962336676169);
INSERT INTO t_quantile VALUES(0.97499999999999997779,258,1.9692013862339288188);
INSERT INTO t_quantile VALUES(0.97499999999999997779,259,1.969165556358335456);
INSERT INTO t_quantile VALUES(0.97499999999999997779,260,1.9691300033602066044);
INSERT INTO t_quantile VALUES(0.97499999999999997779,261,1.9690947240421747821);
INSERT INTO t_quantile VALUES(0.97499999999999997779,262,1.9690597152565578742);
INSERT INTO t_quantile VALUES(0.97499999999999997779,263,1.9690249739032434916);
INSERT INTO t_quantile VALUES(0.97499999999999997779,264,1.9689904969297016279);
INSERT INTO t_quantile VALUES(0.97499999999999997779,265,1.9689562813294885224);
INSERT INTO t_quantile VALUES(0.97499999999999997779,266,1.9689223241414606224);
INSERT INTO t_quantile VALUES(0.97499999999999997779,267,1.9688886224492658794);
INSERT INTO t_quantile VALUES(0.97499999999999997779,268,1.9688551733802643894);
INSERT INTO t_quantile VALUES(0.97499999999999997779,269,1.9688219741044861166);
INSERT INTO t_quantile VALUES(0.97499999999999997779,270,1.9687890218342447568);
INSERT INTO t_quantile VALUES(0.97499999999999997779,271,1.9687563138232677673);
INSERT INTO t_quantile VALUES(0.97499999999999997779,272,1.9687238473655450654);
INSERT INTO t_quantile VALUES(0.97499999999999997779,273,1.9686916197952948337);
INSERT INTO t_quantile VALUES(0.97499999999999997779,274,1.9686596284854673832);
INSERT INTO t_quantile VALUES(0.97499999999999997779,275,1.9686278708474618248);
INSERT INTO t_quantile VALUES(0.97499999999999997779,276,1.9685963443306304654);
INSERT INTO t_quantile VALUES(0.97499999999999997779,277,1.9685650464208377385);
INSERT INTO t_quantile VALUES(0.97499999999999997779,278,1.9685339746407826133);
INSERT INTO t_quantile VALUES(0.97499999999999997779,279,1.9685031265484227436);
INSERT INTO t_quantile VALUES(0.97499999999999997779,280,1.9684724997370879329);
INSERT INTO t_quantile VALUES(0.97499999999999997779,281,1.9684420918340437278);
INSERT INTO t_quantile VALUES(0.97499999999999997779,282,1.9684119005009792502);
INSERT INTO t_quantile VALUES(0.97499999999999997779,283,1.9683819234323285396);
INSERT INTO t_quantile VALUES(0.97499999999999997779,284,1.9683521583551368827);
INSERT INTO t_quantile VALUES(0.97499999999999997779,285,1.9683226030287599428);
INSERT INTO t_quantile VALUES(0.97499999999999997779,286,1.9682932552438172635);
INSERT INTO t_quantile VALUES(0.97499999999999997779,287,1.9682641128218039128);
INSERT INTO t_quantile VALUES(0.97499999999999997779,288,1.968235173614851563);
INSERT INTO t_quantile VALUES(0.97499999999999997779,289,1.9682064355044905923);
INSERT INTO t_quantile VALUES(0.97499999999999997779,290,1.968177896402246052);
INSERT INTO t_quantile VALUES(0.97499999999999997779,291,1.9681495542477811522);
INSERT INTO t_quantile VALUES(0.97499999999999997779,292,1.9681214070096473278);
INSERT INTO t_quantile VALUES(0.97499999999999997779,293,1.9680934526837357001);
INSERT INTO t_quantile VALUES(0.97499999999999997779,294,1.9680656892940115998);
INSERT INTO t_quantile VALUES(0.97499999999999997779,295,1.9680381148904713128);
INSERT INTO t_quantile VALUES(0.97499999999999997779,296,1.9680107275502987107);
INSERT INTO t_quantile VALUES(0.97499999999999997779,297,1.96798352537618082);
INSERT INTO t_quantile VALUES(0.97499999999999997779,298,1.9679565064968327359);
INSERT INTO t_quantile VALUES(0.97499999999999997779,299,1.9679296690656384871);
INSERT INTO t_quantile VALUES(0.97499999999999997779,300,1.9679030112610349512);
INSERT INTO t_quantile VALUES(0.97499999999999997779,301,1.9678765312857922076);
INSERT INTO t_quantile VALUES(0.97499999999999997779,302,1.9678502273659885801);
INSERT INTO t_quantile VALUES(0.97499999999999997779,303,1.9678240977520864429);
INSERT INTO t_quantile VALUES(0.97499999999999997779,304,1.9677981407170119787);
INSERT INTO t_quantile VALUES(0.97499999999999997779,305,1.9677723545568088781);
INSERT INTO t_quantile VALUES(0.97499999999999997779,306,1.9677467375894543977);
INSERT INTO t_quantile VALUES(0.97499999999999997779,307,1.9677212881555186108);
INSERT INTO t_quantile VALUES(0.97499999999999997779,308,1.9676960046166436235);
INSERT INTO t_quantile VALUES(0.97499999999999997779,309,1.9676708853559841116);
INSERT INTO t_quantile VALUES(0.97499999999999997779,310,1.9676459287778040874);
INSERT INTO t_quantile VALUES(0.97499999999999997779,311,1.9676211333067712416);
INSERT INTO t_quantile VALUES(0.97499999999999997779,312,1.9675964973877451136);
INSERT INTO t_quantile VALUES(0.97499999999999997779,313,1.9675720194858055123);
INSERT INTO t_quantile VALUES(0.97499999999999997779,314,1.9675476980855195474);
INSERT INTO t_quantile VALUES(0.97499999999999997779,315,1.9675235316905843596);
INSERT INTO t_quantile VALUES(0.97499999999999997779,316,1.9674995188239852161);
INSERT INTO t_quantile VALUES(0.97499999999999997779,317,1.9674756580275551964);
INSERT INTO t_quantile VALUES(0.97499999999999997779,318,1.96745194786082922);
INSERT INTO t_quantile VALUES(0.97499999999999997779,319,1.9674283869024105086);
INSERT INTO t_quantile VALUES(0.97499999999999997779,320,1.9674049737479033517);
INSERT INTO t_quantile VALUES(0.97499999999999997779,321,1.967381707011115921);
INSERT INTO t_quantile VALUES(0.97499999999999997779,322,1.9673585853226598363);
INSERT INTO t_quantile VALUES(0.97499999999999997779,323,1.9673356073305328095);
INSERT INTO t_quantile VALUES(0.97499999999999997779,324,1.9673127716991896107);
INSERT INTO t_quantile VALUES(0.97499999999999997779,325,1.9672900771098991157);
INSERT INTO t_quantile VALUES(0.97499999999999997779,326,1.9672675222597870714);
INSERT INTO t_quantile VALUES(0.97499999999999997779,327,1.967245105862257759);
INSERT INTO t_quantile VALUES(0.97499999999999997779,328,1.9672228266463913648);
INSERT INTO t_quantile VALUES(0.97499999999999997779,329,1.9672006833568862482);
INSERT INTO t_quantile VALUES(0.97499999999999997779,330,1.9671786747533506201);
INSERT INTO t_quantile VALUES(0.97499999999999997779,331,1.9671567996109011744);
INSERT INTO t_quantile VALUES(0.97499999999999997779,332,1.9671350567189918034);
INSERT INTO t_quantile VALUES(0.97499999999999997779,333,1.9671134448823242024);
INSERT INTO t_quantile VALUES(0.97499999999999997779,334,1.9670919629189467237);
INSERT INTO t_quantile VALUES(0.97499999999999997779,335,1.9670706096624330783);
INSERT INTO t_quantile VALUES(0.97499999999999997779,336,1.9670493839588227835);
INSERT INTO t_quantile VALUES(0.97499999999999997779,337,1.9670282846692654921);
INSERT INTO t_quantile VALUES(0.97499999999999997779,338,1.9670073106672296692);
INSERT INTO t_quantile VALUES(0.97499999999999997779,339,1.9669864608404306061);
INSERT INTO t_quantile VALUES(0.97499999999999997779,340,1.9669657340893138552);
INSERT INTO t_quantile VALUES(0.97499999999999997779,341,1.9669451293272173231);
INSERT INTO t_quantile VALUES(0.97499999999999997779,342,1.966924645480437217);
INSERT INTO t_quantile VALUES(0.97499999999999997779,343,1.9669042814877017999);
INSERT INTO t_quantile VALUES(0.97499999999999997779,344,1.9668840363001725002);
INSERT INTO t_quantile VALUES(0.97499999999999997779,345,1.9668639088812143178);
INSERT INTO t_quantile VALUES(0.97499999999999997779,346,1.9668438982060061359);
INSERT INTO t_quantile VALUES(0.97499999999999997779,347,1.9668240032622237301);
INSERT INTO t_quantile VALUES(0.97499999999999997779,348,1.966804223048172151);
INSERT INTO t_quantile VALUES(0.97499999999999997779,349,1.966784556574927123);
INSERT INTO t_quantile VALUES(0.97499999999999997779,350,1.9667650028636349812);
INSERT INTO t_quantile VALUES(0.97499999999999997779,351,1.9667455609475694711);
INSERT INTO t_quantile VALUES(0.97499999999999997779,352,1.9667262298708196865);
INSERT INTO t_quantile VALUES(0.97499999999999997779,353,1.9667070086880031887);
INSERT INTO t_quantile VALUES(0.97499999999999997779,354,1.9666878964648555339);
INSERT INTO t_quantile VALUES(0.97499999999999997779,355,1.9666688922771884406);
INSERT INTO t_quantile VALUES(0.97499999999999997779,356,1.9666499952119149696);
INSERT INTO t_quantile VALUES(0.97499999999999997779,357,1.966631204365797636);
INSERT INTO t_quantile VALUES(0.97499999999999997779,358,1.9666125188454728345);
INSERT INTO t_quantile VALUES(0.97499999999999997779,359,1.9665939377682368771);
INSERT INTO t_quantile VALUES(0.97499999999999997779,360,1.9665754602607019574);
INSERT INTO t_quantile VALUES(0.97499999999999997779,361,1.9665570854591845062);
INSERT INTO t_quantile VALUES(0.97499999999999997779,362,1.9665388125098675065);
INSERT INTO t_quantile VALUES(0.97499999999999997779,363,1.9665206405684403367);
INSERT INTO t_quantile VALUES(0.97499999999999997779,364,1.9665025687993478165);
INSERT INTO t_quantile VALUES(0.97499999999999997779,365,1.9664845963769015391);
INSERT INTO t_quantile VALUES(0.97499999999999997779,366,1.9664667224836791525);
INSERT INTO t_quantile VALUES(0.97499999999999997779,367,1.9664489463120999879);
INSERT INTO t_quantile VALUES(0.97499999999999997779,368,1.9664312670628083523);
INSERT INTO t_quantile VALUES(0.97499999999999997779,369,1.966413683945204216);
INSERT INTO t_quantile VALUES(0.97499999999999997779,370,1.9663961961774218956);
INSERT INTO t_quantile VALUES(0.97499999999999997779,371,1.9663788029858915162);
INSERT INTO t_quantile VALUES(0.97499999999999997779,372,1.9663615036055093199);
INSERT INTO t_quantile VALUES(0.97499999999999997779,373,1.9663442972792843921);
INSERT INTO t_quantile VALUES(0.97499999999999997779,374,1.9663271832585365039);
INSERT INTO t_quantile VALUES(0.97499999999999997779,375,1.9663101608024429189);
INSERT INTO t_quantile VALUES(0.97499999999999997779,376,1.9662932291780106375);
INSERT INTO t_quantile VALUES(0.97499999999999997779,377,1.9662763876603324142);
INSERT INTO t_quantile VALUES(0.97499999999999997779,378,1.9662596355318355811);
INSERT INTO t_quantile VALUES(0.97499999999999997779,379,1.9662429720829044388);
INSERT INTO t_quantile VALUES(0.97499999999999997779,380,1.9662263966111597213);
INSERT INTO t_quantile VALUES(0.97499999999999997779,381,1.9662099084218005451);
INSERT INTO t_quantile VALUES(0.97499999999999997779,382,1.9661935068269180693);
INSERT INTO t_quantile VALUES(0.97499999999999997779,383,1.9661771911466487949);
INSERT INTO t_quantile VALUES(0.97499999999999997779,384,1.9661609607072243477);
INSERT INTO t_quantile VALUES(0.97499999999999997779,385,1.9661448148425044735);
INSERT INTO t_quantile VALUES(0.97499999999999997779,386,1.9661287528933848456);
INSERT INTO t_quantile VALUES(0.97499999999999997779,387,1.9661127742069877122);
INSERT INTO t_quantile VALUES(0.97499999999999997779,388,1.9660968781377914371);
INSERT INTO t_quantile VALUES(0.97499999999999997779,389,1.9660810640467192289);
INSERT INTO t_quantile VALUES(0.97499999999999997779,390,1.966065331301066088);
INSERT INTO t_quantile VALUES(0.97499999999999997779,391,1.9660496792749357908);
INSERT INTO t_quantile VALUES(0.97499999999999997779,392,1.9660341073487912488);
INSERT INTO t_quantile VALUES(0.97499999999999997779,393,1.9660186149090370655);
INSERT INTO t_quantile VALUES(0.97499999999999997779,394,1.9660032013488710767);
INSERT INTO t_quantile VALUES(0.97499999999999997779,395,1.9659878660673109074);
INSERT INTO t_quantile VALUES(0.97499999999999997779,396,1.9659726084695365866);
INSERT INTO t_quantile VALUES(0.97499999999999997779,397,1.9659574279668388108);
INSERT INTO t_quantile VALUES(0.97499999999999997779,398,1.9659423239762681134);
INSERT INTO t_quantile VALUES(0.97499999999999997779,399,1.9659272959208236031);
INSERT INTO t_quantile VALUES(0.97499999999999997779,400,1.9659123432295089184);
INSERT INTO t_quantile VALUES(0.97499999999999997779,401,1.9658974653364620355);
INSERT INTO t_quantile VALUES(0.97499999999999997779,402,1.965882661682285315);
INSERT INTO t_quantile VALUES(0.97499999999999997779,403,1.9658679317121703356);
INSERT INTO t_quantile VALUES(0.97499999999999997779,404,1.9658532748777870491);
INSERT INTO t_quantile VALUES(0.97499999999999997779,405,1.9658386906356248857);
INSERT INTO t_quantile VALUES(0.97499999999999997779,406,1.9658241784478183156);
INSERT INTO t_quantile VALUES(0.97499999999999997779,407,1.9658097377813623651);
INSERT INTO t_quantile VALUES(0.97499999999999997779,408,1.9657953681093758291);
INSERT INTO t_quantile VALUES(0.97499999999999997779,409,1.9657810689091157474);
INSERT INTO t_quantile VALUES(0.97499999999999997779,410,1.9657668396636878149);
INSERT INTO t_quantile VALUES(0.97499999999999997779,411,1.9657526798609179508);
INSERT INTO t_quantile VALUES(0.97499999999999997779,412,1.9657385889937979417);
INSERT INTO t_quantile VALUES(0.97499999999999997779,413,1.9657245665599294426);
INSERT INTO t_quantile VALUES(0.97499999999999997779,414,1.9657106120622809264);
INSERT INTO t_quantile VALUES(0.97499999999999997779,415,1.9656967250080541464);
INSERT INTO t_quantile VALUES(0.97499999999999997779,416,1.9656829049096307127);
INSERT INTO t_quantile VALUES(0.97499999999999997779,417,1.9656691512840178681);
INSERT INTO t_quantile VALUES(0.97499999999999997779,418,1.9656554636525518375);
INSERT INTO t_quantile VALUES(0.97499999999999997779,419,1.9656418415416543332);
INSERT INTO t_quantile VALUES(0.97499999999999997779,420,1.9656282844817460908);
INSERT INTO t_quantile VALUES(0.97499999999999997779,421,1.9656147920082316371);
INSERT INTO t_quantile VALUES(0.97499999999999997779,422,1.9656013636603000271);
INSERT INTO t_quantile VALUES(0.97499999999999997779,423,1.9655879989821152253);
INSERT INTO t_quantile VALUES(0.97499999999999997779,424,1.9655746975221208838);
INSERT INTO t_quantile VALUES(0.97499999999999997779,425,1.9655614588324969993);
INSERT INTO t_quantile VALUES(0.97499999999999997779,426,1.96554828247002078);
INSERT INTO t_quantile VALUES(0.97499999999999997779,427,1.9655351679955956889);
INSERT INTO t_quantile VALUES(0.97499999999999997779,428,1.965522114974400214);
INSERT INTO t_quantile VALUES(0.97499999999999997779,429,1.9655091229752099657);
INSERT INTO t_quantile VALUES(0.97499999999999997779,430,1.9654961915714563858);
INSERT INTO t_quantile VALUES(0.97499999999999997779,431,1.9654833203397061858);
INSERT INTO t_quantile VALUES(0.97499999999999997779,432,1.9654705088614372598);
INSERT INTO t_quantile VALUES(0.97499999999999997779,433,1.9654577567212250244);
INSERT INTO t_quantile VALUES(0.97499999999999997779,434,1.9654450635078615228);
INSERT INTO t_quantile VALUES(0.97499999999999997779,435,1.9654324288139277676);
INSERT INTO t_quantile VALUES(0.97499999999999997779,436,1.9654198522355179612);
INSERT INTO t_quantile VALUES(0.97499999999999997779,437,1.9654073333726442829);
INSERT INTO t_quantile VALUES(0.97499999999999997779,438,1.96539487182900241);
INSERT INTO t_quantile VALUES(0.97499999999999997779,439,1.9653824672117061744);
INSERT INTO t_quantile VALUES(0.97499999999999997779,440,1.9653701191315366969);
INSERT INTO t_quantile VALUES(0.97499999999999997779,441,1.9653578272029652573);
INSERT INTO t_quantile VALUES(0.97499999999999997779,442,1.9653455910439183718);
INSERT INTO t_quantile VALUES(0.97499999999999997779,443,1.9653334102755484202);
INSERT INTO t_quantile VALUES(0.97499999999999997779,444,1.9653212845225933591);
INSERT INTO t_quantile VALUES(0.97499999999999997779,445,1.9653092134132794654);
INSERT INTO t_quantile VALUES(0.97499999999999997779,446,1.9652971965789545194);
INSERT INTO t_quantile VALUES(0.97499999999999997779,447,1.9652852336544546218);
INSERT INTO t_quantile VALUES(0.97499999999999997779,448,1.9652733242779265587);
INSERT INTO t_quantile VALUES(0.97499999999999997779,449,1.9652614680903572885);
INSERT INTO t_quantile VALUES(0.97499999999999997779,450,1.9652496647365045312);
INSERT INTO t_quantile VALUES(0.97499999999999997779,451,1.9652379138637781075);
INSERT INTO t_quantile VALUES(0.97499999999999997779,452,1.96522621512307194);
INSERT INTO t_quantile VALUES(0.97499999999999997779,453,1.9652145681682366973);
INSERT INTO t_quantile VALUES(0.97499999999999997779,454,1.9652029726559994138);
INSERT INTO t_quantile VALUES(0.97499999999999997779,455,1.9651914282465896555);
INSERT INTO t_quantile VALUES(0.97499999999999997779,456,1.9651799346026561643);
INSERT INTO t_quantile VALUES(0.97499999999999997779,457,1.9651684913901759088);
INSERT INTO t_quantile VALUES(0.97499999999999997779,458,1.9651570982780655061);
INSERT INTO t_quantile VALUES(0.97499999999999997779,459,1.9651457549378466005);
INSERT INTO t_quantile VALUES(0.97499999999999997779,460,1.9651344610441245919);
INSERT INTO t_quantile VALUES(0.97499999999999997779,461,1.9651232162743594855);
INSERT INTO t_quantile VALUES(0.97499999999999997779,462,1.9651120203087883986);
INSERT INTO t_quantile VALUES(0.97499999999999997779,463,1.9651008728301271322);
INSERT INTO t_quantile VALUES(0.97499999999999997779,464,1.9650897735243484376);
INSERT INTO t_quantile VALUES(0.97499999999999997779,465,1.9650787220796297471);
INSERT INTO t_quantile VALUES(0.97499999999999997779,466,1.965067718187503587);
INSERT INTO t_quantile VALUES(0.97499999999999997779,467,1.9650567615409717525);
INSERT INTO t_quantile VALUES(0.97499999999999997779,468,1.9650458518372029281);
INSERT INTO t_quantile VALUES(0.97499999999999997779,469,1.9650349887745139909);
INSERT INTO t_quantile VALUES(0.97499999999999997779,470,1.9650241720549574964);
INSERT INTO t_quantile VALUES(0.97499999999999997779,471,1.9650134013823707945);
INSERT INTO t_quantile VALUES(0.97499999999999997779,472,1.9650026764630377229);
INSERT INTO t_quantile VALUES(0.97499999999999997779,473,1.9649919970066891394);
INSERT INTO t_quantile VALUES(0.97499999999999997779,474,1.9649813627243593039);
INSERT INTO t_quantile VALUES(0.97499999999999997779,475,1.9649707733303092282);
INSERT INTO t_quantile VALUES(0.97499999999999997779,476,1.9649602285407841151);
INSERT INTO t_quantile VALUES(0.97499999999999997779,477,1.9649497280744043781);
INSERT INTO t_quantile VALUES(0.97499999999999997779,478,1.9649392716526006275);
INSERT INTO t_quantile VALUES(0.97499999999999997779,479,1.964928858998663097);
INSERT INTO t_quantile VALUES(0.97499999999999997779,480,1.9649184898384597364);
INSERT INTO t_quantile VALUES(0.97499999999999997779,481,1.9649081638999326138);
INSERT INTO t_quantile VALUES(0.97499999999999997779,482,1.9648978809136070644);
INSERT INTO t_quantile VALUES(0.97499999999999997779,483,1.96488764061157406);
INSERT INTO t_quantile VALUES(0.97499999999999997779,484,1.9648774427292454713);
INSERT INTO t_quantile VALUES(0.97499999999999997779,485,1.9648672870029608716);
INSERT INTO t_quantile VALUES(0.97499999999999997779,486,1.964857173172384952);
INSERT INTO t_quantile VALUES(0.97499999999999997779,487,1.9648471009787600305);
INSERT INTO t_quantile VALUES(0.97499999999999997779,488,1.9648370701651300951);
INSERT INTO t_quantile VALUES(0.97499999999999997779,489,1.9648270804772098863);
INSERT INTO t_quantile VALUES(0.97499999999999997779,490,1.9648171316623654902);
INSERT INTO t_quantile VALUES(0.97499999999999997779,491,1.9648072234708102712);
INSERT INTO t_quantile VALUES(0.97499999999999997779,492,1.9647973556539839457);
INSERT INTO t_quantile VALUES(0.97499999999999997779,493,1.9647875279654090086);
INSERT INTO t_quantile VALUES(0.97499999999999997779,494,1.9647777401609158864);
INSERT INTO t_quantile VALUES(0.97499999999999997779,495,1.9647679919982556917);
INSERT INTO t_quantile VALUES(0.97499999999999997779,496,1.9647582832370908967);
INSERT INTO t_quantile VALUES(0.97499999999999997779,497,1.9647486136388707667);
INSERT INTO t_quantile VALUES(0.97499999999999997779,498,1.9647389829672810002);
INSERT INTO t_quantile VALUES(0.97499999999999997779,499,1.9647293909876766271);
INSERT INTO t_quantile VALUES(0.97499999999999997779,500,1.9647198374673600085);
INSERT INTO t_quantile VALUES(0.97499999999999997779,501,1.9647103221754769197);
INSERT INTO t_quantile VALUES(0.97499999999999997779,502,1.9647008448829770266);
INSERT INTO t_quantile VALUES(0.97499999999999997779,503,1.9646914053628410368);
INSERT INTO t_quantile VALUES(0.97499999999999997779,504,1.9646820033897074431);
INSERT INTO t_quantile VALUES(0.97499999999999997779,505,1.9646726387395241353);
INSERT INTO t_quantile VALUES(0.97499999999999997779,506,1.9646633111911420144);
INSERT INTO t_quantile VALUES(0.97499999999999997779,507,1.9646540205242857268);
INSERT INTO t_quantile VALUES(0.97499999999999997779,508,1.9646447665203390364);
INSERT INTO t_quantile VALUES(0.97499999999999997779,509,1.9646355489631324164);
INSERT INTO t_quantile VALUES(0.97499999999999997779,510,1.964626367637535953);
INSERT INTO t_quantile VALUES(0.97499999999999997779,511,1.9646172223304056991);
INSERT INTO t_quantile VALUES(0.97499999999999997779,512,1.9646081128301897678);
INSERT INTO t_quantile VALUES(0.97499999999999997779,513,1.9645990389270662213);
INSERT INTO t_quantile VALUES(0.97499999999999997779,514,1.9645900004126528592);
INSERT INTO t_quantile VALUES(0.97499999999999997779,515,1.9645809970804728461);
INSERT INTO t_quantile VALUES(0.97499999999999997779,516,1.9645720287254606617);
INSERT INTO t_quantile VALUES(0.97499999999999997779,517,1.964563095144079341);
INSERT INTO t_quantile VALUES(0.97499999999999997779,518,1.9645541961346089099);
INSERT INTO t_quantile VALUES(0.97499999999999997779,519,1.9645453314969159031);
INSERT INTO t_quantile VALUES(0.97499999999999997779,520,1.9645365010316124809);
INSERT INTO t_quantile VALUES(0.97499999999999997779,521,1.9645277045424021089);
INSERT INTO t_quantile VALUES(0.97499999999999997779,522,1.964518941832722243);
INSERT INTO t_quantile VALUES(0.97499999999999997779,523,1.9645102127087834542);
INSERT INTO t_quantile VALUES(0.97499999999999997779,524,1.9645015169778901054);
INSERT INTO t_quantile VALUES(0.97499999999999997779,525,1.964492854448789405);
INSERT INTO t_quantile VALUES(0.97499999999999997779,526,1.9644842249314369286);
INSERT INTO t_quantile VALUES(0.97499999999999997779,527,1.9644756282377526801);
INSERT INTO t_quantile VALUES(0.97499999999999997779,528,1.9644670641808077427);
INSERT INTO t_quantile VALUES(0.97499999999999997779,529,1.9644585325747108139);
INSERT INTO t_quantile VALUES(0.97499999999999997779,530,1.9644500332360532723);
INSERT INTO t_quantile VALUES(0.97499999999999997779,531,1.9644415659815390728);
INSERT INTO t_quantile VALUES(0.97499999999999997779,532,1.9644331306300943928);
INSERT INTO t_quantile VALUES(0.97499999999999997779,533,1.9644247270017334283);
INSERT INTO t_quantile VALUES(0.97499999999999997779,534,1.9644163549176798522);
INSERT INTO t_quantile VALUES(0.97499999999999997779,535,1.9644080142008775169);
INSERT INTO t_quantile VALUES(0.97499999999999997779,536,1.9643997046752756929);
INSERT INTO t_quantile VALUES(0.97499999999999997779,537,1.9643914261661730158);
INSERT INTO t_quantile VALUES(0.97499999999999997779,538,1.964383178500570537);
INSERT INTO t_quantile VALUES(0.97499999999999997779,539,1.9643749615057561896);
INSERT INTO t_quantile VALUES(0.97499999999999997779,540,1.9643667750116147185);
INSERT INTO t_quantile VALUES(0.97499999999999997779,541,1.9643586188480570697);
INSERT INTO t_quantile VALUES(0.97499999999999997779,542,1.9643504928474808668);
INSERT INTO t_quantile VALUES(0.97499999999999997779,543,1.9643423968426521053);
INSERT INTO t_quantile VALUES(0.97499999999999997779,544,1.9643343306672311765);
INSERT INTO t_quantile VALUES(0.97499999999999997779,545,1.9643262941575083679);
INSERT INTO t_quantile VALUES(0.97499999999999997779,546,1.964318287149509512);
INSERT INTO t_quantile VALUES(0.97499999999999997779,547,1.964310309481569039);
INSERT INTO t_quantile VALUES(0.97499999999999997779,548,1.9643023609921081984);
INSERT INTO t_quantile VALUES(0.97499999999999997779,549,1.9642944415220013887);
INSERT INTO t_quantile VALUES(0.97499999999999997779,550,1.9642865509120612799);
INSERT INTO t_quantile VALUES(0.97499999999999997779,551,1.9642786890051526782);
INSERT INTO t_quantile VALUES(0.97499999999999997779,552,1.9642708556448296164);
INSERT INTO t_quantile VALUES(0.97499999999999997779,553,1.964263050676004596);
INSERT INTO t_quantile VALUES(0.97499999999999997779,554,1.9642552739443357445);
INSERT INTO t_quantile VALUES(0.97499999999999997779,555,1.9642475252973041754);
INSERT INTO t_quantile VALUES(0.97499999999999997779,556,1.9642398045825295582);
INSERT INTO t_quantile VALUES(0.97499999999999997779,557,1.9642321116496259669);
INSERT INTO t_quantile VALUES(0.97499999999999997779,558,1.9642244463488114369);
INSERT INTO t_quantile VALUES(0.97499999999999997779,559,1.9642168085312832204);
INSERT INTO t_quantile VALUES(0.97499999999999997779,560,1.9642091980500322456);
INSERT INTO t_quantile VALUES(0.97499999999999997779,561,1.9642016147576377704);
INSERT INTO t_quantile VALUES(0.97499999999999997779,562,1.9641940585097157345);
INSERT INTO t_quantile VALUES(0.97499999999999997779,563,1.9641865291611253496);
INSERT INTO t_quantile VALUES(0.97499999999999997779,564,1.9641790265687231187);
INSERT INTO t_quantile VALUES(0.97499999999999997779,565,1.9641715505901087279);
INSERT INTO t_quantile VALUES(0.97499999999999997779,566,1.9641641010840393821);
INSERT INTO t_quantile VALUES(0.97499999999999997779,567,1.9641566779100525508);
INSERT INTO t_quantile VALUES(0.97499999999999997779,568,1.9641492809286340559);
INSERT INTO t_quantile VALUES(0.97499999999999997779,569,1.9641419100017727394);
INSERT INTO t_quantile VALUES(0.97499999999999997779,570,1.9641345649916277515);
INSERT INTO t_quantile VALUES(0.97499999999999997779,571,1.9641272457620346791);
INSERT INTO t_quantile VALUES(0.97499999999999997779,572,1.9641199521775485337);
INSERT INTO t_quantile VALUES(0.97499999999999997779,573,1.9641126841032710004);
INSERT INTO t_quantile VALUES(0.97499999999999997779,574,1.9641054414058649602);
INSERT INTO t_quantile VALUES(0.97499999999999997779,575,1.9640982239527409181);
INSERT INTO t_quantile VALUES(0.97499999999999997779,576,1.9640910316117710099);
INSERT INTO t_quantile VALUES(0.97499999999999997779,577,1.9640838642526485813);
INSERT INTO t_quantile VALUES(0.97499999999999997779,578,1.9640767217450614268);
INSERT INTO t_quantile VALUES(0.97499999999999997779,579,1.9640696039599696565);
INSERT INTO t_quantile VALUES(0.97499999999999997779,580,1.9640625107694296147);
INSERT INTO t_quantile VALUES(0.97499999999999997779,581,1.9640554420459883644);
INSERT INTO t_quantile VALUES(0.97499999999999997779,582,1.9640483976635489948);
INSERT INTO t_quantile VALUES(0.97499999999999997779,583,1.9640413774963882964);
INSERT INTO t_quantile VALUES(0.97499999999999997779,584,1.9640343814199097138);
INSERT INTO t_quantile VALUES(0.97499999999999997779,585,1.964027409310179717);
INSERT INTO t_quantile VALUES(0.97499999999999997779,586,1.9640204610444476074);
INSERT INTO t_quantile VALUES(0.97499999999999997779,587,1.9640135365005986223);
INSERT INTO t_quantile VALUES(0.97499999999999997779,588,1.9640066355573528866);
INSERT INTO t_quantile VALUES(0.97499999999999997779,589,1.9639997580941530586);
INSERT INTO t_quantile VALUES(0.97499999999999997779,590,1.9639929039913353037);
INSERT INTO t_quantile VALUES(0.97499999999999997779,591,1.9639860731303053764);
INSERT INTO t_quantile VALUES(0.97499999999999997779,592,1.9639792653928989096);
INSERT INTO t_quantile VALUES(0.97499999999999997779,593,1.9639724806619076602);
INSERT INTO t_quantile VALUES(0.97499999999999997779,594,1.9639657188208685667);
INSERT INTO t_quantile VALUES(0.97499999999999997779,595,1.9639589797540724092);
INSERT INTO t_quantile VALUES(0.97499999999999997779,596,1.9639522633470509749);
INSERT INTO t_quantile VALUES(0.97499999999999997779,597,1.9639455694852183675);
INSERT INTO t_quantile VALUES(0.97499999999999997779,598,1.9639388980554319807);
INSERT INTO t_quantile VALUES(0.97499999999999997779,599,1.9639322489453887587);
INSERT INTO t_quantile VALUES(0.97499999999999997779,600,1.9639256220426650756);
INSERT INTO t_quantile VALUES(0.97499999999999997779,601,1.9639190172367757547);
INSERT INTO t_quantile VALUES(0.97499999999999997779,602,1.9639124344173204406);
INSERT INTO t_quantile VALUES(0.97499999999999997779,603,1.9639058734739531786);
INSERT INTO t_quantile VALUES(0.97499999999999997779,604,1.9638993342989032875);
INSERT INTO t_quantile VALUES(0.97499999999999997779,605,1.963892816783324724);
INSERT INTO t_quantile VALUES(0.97499999999999997779,606,1.9638863208198782395);
INSERT INTO t_quantile VALUES(0.97499999999999997779,607,1.9638798463021158724);
INSERT INTO t_quantile VALUES(0.97499999999999997779,608,1.963873393123618527);
INSERT INTO t_quantile VALUES(0.97499999999999997779,609,1.9638669611793824198);
INSERT INTO t_quantile VALUES(0.97499999999999997779,610,1.9638605503644896987);
INSERT INTO t_quantile VALUES(0.97499999999999997779,611,1.9638541605753201402);
INSERT INTO t_quantile VALUES(0.97499999999999997779,612,1.9638477917083720925);
INSERT INTO t_quantile VALUES(0.97499999999999997779,613,1.9638414436609767932);
INSERT INTO t_quantile VALUES(0.97499999999999997779,614,1.9638351163314795577);
INSERT INTO t_quantile VALUES(0.97499999999999997779,615,1.96382880961859696);
INSERT INTO t_quantile VALUES(0.97499999999999997779,616,1.9638225234215964665);
INSERT INTO t_quantile VALUES(0.97499999999999997779,617,1.9638162576402926617);
INSERT INTO t_quantile VALUES(0.97499999999999997779,618,1.9638100121758008675);
INSERT INTO t_quantile VALUES(0.97499999999999997779,619,1.9638037869294651116);
INSERT INTO t_quantile VALUES(0.97499999999999997779,620,1.9637975818029169694);
INSERT INTO t_quantile VALUES(0.97499999999999997779,621,1.9637913966991491498);
INSERT INTO t_quantile VALUES(0.97499999999999997779,622,1.9637852315212367404);
INSERT INTO t_quantile VALUES(0.97499999999999997779,623,1.9637790861730923808);
INSERT INTO t_quantile VALUES(0.97499999999999997779,624,1.9637729605588316594);
INSERT INTO t_quantile VALUES(0.97499999999999997779,625,1.9637668545840711864);
INSERT INTO t_quantile VALUES(0.97499999999999997779,626,1.9637607681545441451);
INSERT INTO t_quantile VALUES(0.97499999999999997779,627,1.9637547011758922366);
INSERT INTO t_quantile VALUES(0.97499999999999997779,628,1.9637486535558998923);
INSERT INTO t_quantile VALUES(0.97499999999999997779,629,1.9637426252011902505);
INSERT INTO t_quantile VALUES(0.97499999999999997779,630,1.9637366160206140008);
INSERT INTO t_quantile VALUES(0.97499999999999997779,631,1.9637306259223272775);
INSERT INTO t_quantile VALUES(0.97499999999999997779,632,1.963724654815812709);
INSERT INTO t_quantile VALUES(0.97499999999999997779,633,1.9637187026106706078);
INSERT INTO t_quantile VALUES(0.97499999999999997779,634,1.9637127692176847837);
INSERT INTO t_quantile VALUES(0.97499999999999997779,635,1.963706854547664804);
INSERT INTO t_quantile VALUES(0.97499999999999997779,636,1.9637009585115363652);
INSERT INTO t_quantile VALUES(0.97499999999999997779,637,1.9636950810224826913);
INSERT INTO t_quantile VALUES(0.97499999999999997779,638,1.9636892219922637004);
INSERT INTO t_quantile VALUES(0.97499999999999997779,639,1.9636833813343193);
INSERT INTO t_quantile VALUES(0.97499999999999997779,640,1.9636775589624331228);
INSERT INTO t_quantile VALUES(0.97499999999999997779,641,1.9636717547908244529);
INSERT INTO t_quantile VALUES(0.97499999999999997779,642,1.9636659687341997404);
INSERT INTO t_quantile VALUES(0.97499999999999997779,643,1.9636602007081349618);
INSERT INTO t_quantile VALUES(0.97499999999999997779,644,1.9636544506279713928);
INSERT INTO t_quantile VALUES(0.97499999999999997779,645,1.9636487184107003223);
INSERT INTO t_quantile VALUES(0.97499999999999997779,646,1.9636430039728749452);
INSERT INTO t_quantile VALUES(0.97499999999999997779,647,1.9636373072318902277);
INSERT INTO t_quantile VALUES(0.97499999999999997779,648,1.9636316281059471577);
INSERT INTO t_quantile VALUES(0.97499999999999997779,649,1.9636259665129311979);
INSERT INTO t_quantile VALUES(0.97499999999999997779,650,1.9636203223724473243);
INSERT INTO t_quantile VALUES(0.97499999999999997779,651,1.9636146956031712562);
INSERT INTO t_quantile VALUES(0.97499999999999997779,652,1.9636090861258106432);
INSERT INTO t_quantile VALUES(0.97499999999999997779,653,1.9636034938603865729);
INSERT INTO t_quantile VALUES(0.97499999999999997779,654,1.9635979187275518498);
INSERT INTO t_quantile VALUES(0.97499999999999997779,655,1.9635923606493084214);
INSERT INTO t_quantile VALUES(0.97499999999999997779,656,1.9635868195469228236);
INSERT INTO t_quantile VALUES(0.97499999999999997779,657,1.9635812953429763183);
INSERT INTO t_quantile VALUES(0.97499999999999997779,658,1.9635757879604192055);
INSERT INTO t_quantile VALUES(0.97499999999999997779,659,1.9635702973223581047);
INSERT INTO t_quantile VALUES(0.97499999999999997779,660,1.96356482335273963);
INSERT INTO t_quantile VALUES(0.97499999999999997779,661,1.9635593659753356465);
INSERT INTO t_quantile VALUES(0.97499999999999997779,662,1.9635539251153344419);
INSERT INTO t_quantile VALUES(0.97499999999999997779,663,1.9635485006977502209);
INSERT INTO t_quantile VALUES(0.97499999999999997779,664,1.963543092648000865);
INSERT INTO t_quantile VALUES(0.97499999999999997779,665,1.9635377008919072672);
INSERT INTO t_quantile VALUES(0.97499999999999997779,666,1.9635323253564493928);
INSERT INTO t_quantile VALUES(0.97499999999999997779,667,1.9635269659686045429);
INSERT INTO t_quantile VALUES(0.97499999999999997779,668,1.9635216226548266593);
INSERT INTO t_quantile VALUES(0.97499999999999997779,669,1.9635162953436848809);
INSERT INTO t_quantile VALUES(0.97499999999999997779,670,1.9635109839634836692);
INSERT INTO t_quantile VALUES(0.97499999999999997779,671,1.9635056884423827128);
INSERT INTO t_quantile VALUES(0.97499999999999997779,672,1.9635004087097847058);
INSERT INTO t_quantile VALUES(0.97499999999999997779,673,1.9634951446948916142);
INSERT INTO t_quantile VALUES(0.97499999999999997779,674,1.963489896328085571);
INSERT INTO t_quantile VALUES(0.97499999999999997779,675,1.9634846635392038116);
INSERT INTO t_quantile VALUES(0.97499999999999997779,676,1.9634794462592930486);
INSERT INTO t_quantile VALUES(0.97499999999999997779,677,1.9634742444194897004);
INSERT INTO t_quantile VALUES(0.97499999999999997779,678,1.9634690579511580033);
INSERT INTO t_quantile VALUES(0.97499999999999997779,679,1.9634638867864149247);
INSERT INTO t_quantile VALUES(0.97499999999999997779,680,1.963458730857550627);
INSERT INTO t_quantile VALUES(0.97499999999999997779,681,1.9634535900977216904);
INSERT INTO t_quantile VALUES(0.97499999999999997779,682,1.9634484644392444785);
INSERT INTO t_quantile VALUES(0.97499999999999997779,683,1.9634433538164608457);
INSERT INTO t_quantile VALUES(0.97499999999999997779,684,1.9634382581631606434);
INSERT INTO t_quantile VALUES(0.97499999999999997779,685,1.9634331774132225412);
INSERT INTO t_quantile VALUES(0.97499999999999997779,686,1.9634281115018521468);
INSERT INTO t_quantile VALUES(0.97499999999999997779,687,1.9634230603639388768);
INSERT INTO t_quantile VALUES(0.97499999999999997779,688,1.9634180239349467989);
INSERT INTO t_quantile VALUES(0.97499999999999997779,689,1.9634130021506881469);
INSERT INTO t_quantile VALUES(0.97499999999999997779,690,1.9634079949474974036);
INSERT INTO t_quantile VALUES(0.97499999999999997779,691,1.9634030022619071154);
INSERT INTO t_quantile VALUES(0.97499999999999997779,692,1.9633980240308273046);
INSERT INTO t_quantile VALUES(0.97499999999999997779,693,1.9633930601917446434);
INSERT INTO t_quantile VALUES(0.97499999999999997779,694,1.9633881106819450756);
INSERT INTO t_quantile VALUES(0.97499999999999997779,695,1.9633831754400699054);
INSERT INTO t_quantile VALUES(0.97499999999999997779,696,1.9633782544039635187);
INSERT INTO t_quantile VALUES(0.97499999999999997779,697,1.9633733475125838552);
INSERT INTO t_quantile VALUES(0.97499999999999997779,698,1.9633684547051228896);
INSERT INTO t_quantile VALUES(0.97499999999999997779,699,1.9633635759209062676);
INSERT INTO t_quantile VALUES(0.97499999999999997779,700,1.9633587110998478308);
INSERT INTO t_quantile VALUES(0.97499999999999997779,701,1.9633538601818583124);
INSERT INTO t_quantile VALUES(0.97499999999999997779,702,1.9633490231078629673);
INSERT INTO t_quantile VALUES(0.97499999999999997779,703,1.9633441998180609644);
INSERT INTO t_quantile VALUES(0.97499999999999997779,704,1.9633393902543598841);
INSERT INTO t_quantile VALUES(0.97499999999999997779,705,1.9633345943573350389);
INSERT INTO t_quantile VALUES(0.97499999999999997779,706,1.9633298120698468025);
INSERT INTO t_quantile VALUES(0.97499999999999997779,707,1.9633250433331341788);
INSERT INTO t_quantile VALUES(0.97499999999999997779,708,1.9633202880902582698);
INSERT INTO t_quantile VALUES(0.97499999999999997779,709,1.9633155462837890148);
INSERT INTO t_quantile VALUES(0.97499999999999997779,710,1.9633108178569314006);
INSERT INTO t_quantile VALUES(0.97499999999999997779,711,1.9633061027533522668);
INSERT INTO t_quantile VALUES(0.97499999999999997779,712,1.9633014009161096069);
INSERT INTO t_quantile VALUES(0.97499999999999997779,713,1.9632967122902318379);
INSERT INTO t_quantile VALUES(0.97499999999999997779,714,1.9632920368192376958);
INSERT INTO t_quantile VALUES(0.97499999999999997779,715,1.9632873744487331357);
INSERT INTO t_quantile VALUES(0.97499999999999997779,716,1.9632827251227853437);
INSERT INTO t_quantile VALUES(0.97499999999999997779,717,1.9632780887875749264);
INSERT INTO t_quantile VALUES(0.97499999999999997779,718,1.9632734653883012754);
INSERT INTO t_quantile VALUES(0.97499999999999997779,719,1.9632688548706789255);
INSERT INTO t_quantile VALUES(0.97499999999999997779,720,1.9632642571813798682);
INSERT INTO t_quantile VALUES(0.97499999999999997779,721,1.9632596722667563504);
INSERT INTO t_quantile VALUES(0.97499999999999997779,722,1.9632551000739422164);
INSERT INTO t_quantile VALUES(0.97499999999999997779,723,1.9632505405495188632);
INSERT INTO t_quantile VALUES(0.97499999999999997779,724,1.9632459936409376588);
INSERT INTO t_quantile VALUES(0.97499999999999997779,725,1.9632414592966318522);
INSERT INTO t_quantile VALUES(0.97499999999999997779,726,1.9632369374639342396);
INSERT INTO t_quantile VALUES(0.97499999999999997779,727,1.9632324280913067138);
INSERT INTO t_quantile VALUES(0.97499999999999997779,728,1.9632279311272970989);
INSERT INTO t_quantile VALUES(0.97499999999999997779,729,1.963223446520626414);
INSERT INTO t_quantile VALUES(0.97499999999999997779,730,1.9632189742208536742);
INSERT INTO t_quantile VALUES(0.97499999999999997779,731,1.9632145141768999607);
INSERT INTO t_quantile VALUES(0.97499999999999997779,732,1.9632100663387883621);
INSERT INTO t_quantile VALUES(0.97499999999999997779,733,1.9632056306566254555);
INSERT INTO t_quantile VALUES(0.97499999999999997779,734,1.9632012070798237068);
INSERT INTO t_quantile VALUES(0.97499999999999997779,735,1.9631967955599376463);
INSERT INTO t_quantile VALUES(0.97499999999999997779,736,1.9631923960468116163);
INSERT INTO t_quantile VALUES(0.97499999999999997779,737,1.9631880084925197316);
INSERT INTO t_quantile VALUES(0.97499999999999997779,738,1.9631836328473402097);
INSERT INTO t_quantile VALUES(0.97499999999999997779,739,1.9631792690635778697);
INSERT INTO t_quantile VALUES(0.97499999999999997779,740,1.9631749170925796299);
INSERT INTO t_quantile VALUES(0.97499999999999997779,741,1.9631705768868519257);
INSERT INTO t_quantile VALUES(0.97499999999999997779,742,1.9631662483984930744);
INSERT INTO t_quantile VALUES(0.97499999999999997779,743,1.9631619315799517799);
INSERT INTO t_quantile VALUES(0.97499999999999997779,744,1.9631576263847727581);
INSERT INTO t_quantile VALUES(0.97499999999999997779,745,1.9631533327653154508);
INSERT INTO t_quantile VALUES(0.97499999999999997779,746,1.9631490506752971025);
INSERT INTO t_quantile VALUES(0.97499999999999997779,747,1.9631447800685226656);
INSERT INTO t_quantile VALUES(0.97499999999999997779,748,1.9631405208983050414);
INSERT INTO t_quantile VALUES(0.97499999999999997779,749,1.9631362731193169324);
INSERT INTO t_quantile VALUES(0.97499999999999997779,750,1.963132036685852455);
INSERT INTO t_quantile VALUES(0.97499999999999997779,751,1.9631278115521781924);
INSERT INTO t_quantile VALUES(0.97499999999999997779,752,1.9631235976733414361);
INSERT INTO t_quantile VALUES(0.97499999999999997779,753,1.9631193950045897622);
INSERT INTO t_quantile VALUES(0.97499999999999997779,754,1.9631152035008845313);
INSERT INTO t_quantile VALUES(0.97499999999999997779,755,1.9631110231183113157);
INSERT INTO t_quantile VALUES(0.97499999999999997779,756,1.9631068538120888256);
INSERT INTO t_quantile VALUES(0.97499999999999997779,757,1.9631026955386232657);
INSERT INTO t_quantile VALUES(0.97499999999999997779,758,1.9630985482541156716);
INSERT INTO t_quantile VALUES(0.97499999999999997779,759,1.9630944119148552307);
INSERT INTO t_quantile VALUES(0.97499999999999997779,760,1.9630902864780828132);
INSERT INTO t_quantile VALUES(0.97499999999999997779,761,1.9630861719000869403);
INSERT INTO t_quantile VALUES(0.97499999999999997779,762,1.963082068138544578);
INSERT INTO t_quantile VALUES(0.97499999999999997779,763,1.9630779751506963748);
INSERT INTO t_quantile VALUES(0.97499999999999997779,764,1.9630738928940727472);
INSERT INTO t_quantile VALUES(0.97499999999999997779,765,1.9630698213267252505);
INSERT INTO t_quantile VALUES(0.97499999999999997779,766,1.9630657604065890886);
INSERT INTO t_quantile VALUES(0.97499999999999997779,767,1.9630617100920608741);
INSERT INTO t_quantile VALUES(0.97499999999999997779,768,1.9630576703415394401);
INSERT INTO t_quantile VALUES(0.97499999999999997779,769,1.9630536411135643959);
INSERT INTO t_quantile VALUES(0.97499999999999997779,770,1.9630496223674305245);
INSERT INTO t_quantile VALUES(0.97499999999999997779,771,1.9630456140623431249);
INSERT INTO t_quantile VALUES(0.97499999999999997779,772,1.9630416161573362998);
INSERT INTO t_quantile VALUES(0.97499999999999997779,773,1.9630376286120780893);
INSERT INTO t_quantile VALUES(0.97499999999999997779,774,1.9630336513864667935);
INSERT INTO t_quantile VALUES(0.97499999999999997779,775,1.9630296844403161138);
INSERT INTO t_quantile VALUES(0.97499999999999997779,776,1.9630257277339886456);
INSERT INTO t_quantile VALUES(0.97499999999999997779,777,1.9630217812278747402);
INSERT INTO t_quantile VALUES(0.97499999999999997779,778,1.9630178448826249848);
INSERT INTO t_quantile VALUES(0.97499999999999997779,779,1.9630139186588619892);
INSERT INTO t_quantile VALUES(0.97499999999999997779,780,1.9630100025177252831);
INSERT INTO t_quantile VALUES(0.97499999999999997779,781,1.9630060964203883688);
INSERT INTO t_quantile VALUES(0.97499999999999997779,782,1.9630022003281064613);
INSERT INTO t_quantile VALUES(0.97499999999999997779,783,1.9629983142029761022);
INSERT INTO t_quantile VALUES(0.97499999999999997779,784,1.9629944380064281439);
INSERT INTO t_quantile VALUES(0.97499999999999997779,785,1.9629905717003262033);
INSERT INTO t_quantile VALUES(0.97499999999999997779,786,1.9629867152471114355);
INSERT INTO t_quantile VALUES(0.97499999999999997779,787,1.9629828686091985723);
INSERT INTO t_quantile VALUES(0.97499999999999997779,788,1.9629790317490862783);
INSERT INTO t_quantile VALUES(0.97499999999999997779,789,1.962975204629302528);
INSERT INTO t_quantile VALUES(0.97499999999999997779,790,1.9629713872133023322);
INSERT INTO t_quantile VALUES(0.97499999999999997779,791,1.9629675794637568841);
INSERT INTO t_quantile VALUES(0.97499999999999997779,792,1.9629637813442062377);
INSERT INTO t_quantile VALUES(0.97499999999999997779,793,1.9629599928185095247);
INSERT INTO t_quantile VALUES(0.97499999999999997779,794,1.9629562138494536238);
INSERT INTO t_quantile VALUES(0.97499999999999997779,795,1.9629524444017927287);
INSERT INTO t_quantile VALUES(0.97499999999999997779,796,1.9629486844393555511);
INSERT INTO t_quantile VALUES(0.97499999999999997779,797,1.9629449339260265361);
INSERT INTO t_quantile VALUES(0.97499999999999997779,798,1.9629411928265043663);
INSERT INTO t_quantile VALUES(0.97499999999999997779,799,1.9629374611056271682);
INSERT INTO t_quantile VALUES(0.97499999999999997779,800,1.9629337387278891213);
INSERT INTO t_quantile VALUES(0.97499999999999997779,801,1.9629300256580699546);
INSERT INTO t_quantile VALUES(0.97499999999999997779,802,1.9629263218616483932);
INSERT INTO t_quantile VALUES(0.97499999999999997779,803,1.9629226273039543926);
INSERT INTO t_quantile VALUES(0.97499999999999997779,804,1.9629189419500296942);
INSERT INTO t_quantile VALUES(0.97499999999999997779,805,1.9629152657657824576);
INSERT INTO t_quantile VALUES(0.97499999999999997779,806,1.9629115987175285162);
INSERT INTO t_quantile VALUES(0.97499999999999997779,807,1.9629079407704241866);
INSERT INTO t_quantile VALUES(0.97499999999999997779,808,1.9629042918910135639);
INSERT INTO t_quantile VALUES(0.97499999999999997779,809,1.9629006520452638717);
INSERT INTO t_quantile VALUES(0.97499999999999997779,810,1.9628970212006455753);
INSERT INTO t_quantile VALUES(0.97499999999999997779,811,1.9628933993228352417);
INSERT INTO t_quantile VALUES(0.97499999999999997779,812,1.962889786378839485);
INSERT INTO t_quantile VALUES(0.97499999999999997779,813,1.9628861823358685345);
INSERT INTO t_quantile VALUES(0.97499999999999997779,814,1.9628825871612773923);
INSERT INTO t_quantile VALUES(0.97499999999999997779,815,1.9628790008218077733);
INSERT INTO t_quantile VALUES(0.97499999999999997779,816,1.9628754232852227978);
INSERT INTO t_quantile VALUES(0.97499999999999997779,817,1.9628718545193377664);
INSERT INTO t_quantile VALUES(0.97499999999999997779,818,1.9628682944911857166);
INSERT INTO t_quantile VALUES(0.97499999999999997779,819,1.9628647431699446368);
INSERT INTO t_quantile VALUES(0.97499999999999997779,820,1.9628612005226764303);
INSERT INTO t_quantile VALUES(0.97499999999999997779,821,1.9628576665178045779);
INSERT INTO t_quantile VALUES(0.97499999999999997779,822,1.9628541411244762038);
INSERT INTO t_quantile VALUES(0.97499999999999997779,823,1.9628506243106782491);
INSERT INTO t_quantile VALUES(0.97499999999999997779,824,1.9628471160445728482);
INSERT INTO t_quantile VALUES(0.97499999999999997779,825,1.9628436162961753197);
INSERT INTO t_quantile VALUES(0.97499999999999997779,826,1.9628401250335874017);
INSERT INTO t_quantile VALUES(0.97499999999999997779,827,1.9628366422266498858);
INSERT INTO t_quantile VALUES(0.97499999999999997779,828,1.9628331678441881535);
INSERT INTO t_quantile VALUES(0.97499999999999997779,829,1.9628297018558988895);
INSERT INTO t_quantile VALUES(0.97499999999999997779,830,1.9628262442316479763);
INSERT INTO t_quantile VALUES(0.97499999999999997779,831,1.9628227949402918817);
INSERT INTO t_quantile VALUES(0.97499999999999997779,832,1.9628193539530864875);
INSERT INTO t_quantile VALUES(0.97499999999999997779,833,1.9628159212386542264);
INSERT INTO t_quantile VALUES(0.97499999999999997779,834,1.9628124967684832391);
INSERT INTO t_quantile VALUES(0.97499999999999997779,835,1.9628090805120654849);
INSERT INTO t_quantile VALUES(0.97499999999999997779,836,1.9628056724402496158);
INSERT INTO t_quantile VALUES(0.97499999999999997779,837,1.9628022725233083001);
INSERT INTO t_quantile VALUES(0.97499999999999997779,838,1.962798880732584017);
INSERT INTO t_quantile VALUES(0.97499999999999997779,839,1.9627954970384631216);
INSERT INTO t_quantile VALUES(0.97499999999999997779,840,1.9627921214124324222);
INSERT INTO t_quantile VALUES(0.97499999999999997779,841,1.9627887538246469034);
INSERT INTO t_quantile VALUES(0.97499999999999997779,842,1.9627853942483004523);
INSERT INTO t_quantile VALUES(0.97499999999999997779,843,1.9627820426529403174);
INSERT INTO t_quantile VALUES(0.97499999999999997779,844,1.9627786990109477027);
INSERT INTO t_quantile VALUES(0.97499999999999997779,845,1.9627753632945335038);
INSERT INTO t_quantile VALUES(0.97499999999999997779,846,1.9627720354748352526);
INSERT INTO t_quantile VALUES(0.97499999999999997779,847,1.9627687155238868754);
INSERT INTO t_quantile VALUES(0.97499999999999997779,848,1.9627654034142749672);
INSERT INTO t_quantile VALUES(0.97499999999999997779,849,1.9627620991180037002);
INSERT INTO t_quantile VALUES(0.97499999999999997779,850,1.9627588026069342497);
INSERT INTO t_quantile VALUES(0.97499999999999997779,851,1.9627555138546060042);
INSERT INTO t_quantile VALUES(0.97499999999999997779,852,1.962752232833197441);
INSERT INTO t_quantile VALUES(0.97499999999999997779,853,1.962748959514946101);
INSERT INTO t_quantile VALUES(0.97499999999999997779,854,1.9627456938735332592);
INSERT INTO t_quantile VALUES(0.97499999999999997779,855,1.9627424358815726002);
INSERT INTO t_quantile VALUES(0.97499999999999997779,856,1.9627391855124289854);
INSERT INTO t_quantile VALUES(0.97499999999999997779,857,1.9627359427393504809);
INSERT INTO t_quantile VALUES(0.97499999999999997779,858,1.962732707535701504);
INSERT INTO t_quantile VALUES(0.97499999999999997779,859,1.9627294798743539772);
INSERT INTO t_quantile VALUES(0.97499999999999997779,860,1.9627262597303798408);
INSERT INTO t_quantile VALUES(0.97499999999999997779,861,1.9627230470763317171);
INSERT INTO t_quantile VALUES(0.97499999999999997779,862,1.9627198418867894957);
INSERT INTO t_quantile VALUES(0.97499999999999997779,863,1.962716644135376498);
INSERT INTO t_quantile VALUES(0.97499999999999997779,864,1.9627134537963533134);
INSERT INTO t_quantile VALUES(0.97499999999999997779,865,1.9627102708436905409);
INSERT INTO t_quantile VALUES(0.97499999999999997779,866,1.9627070952526912694);
INSERT INTO t_quantile VALUES(0.97499999999999997779,867,1.9627039269967165857);
INSERT INTO t_quantile VALUES(0.97499999999999997779,868,1.9627007660511559539);
INSERT INTO t_quantile VALUES(0.97499999999999997779,869,1.9626976123901807014);
INSERT INTO t_quantile VALUES(0.97499999999999997779,870,1.9626944659890366295);
INSERT INTO t_quantile VALUES(0.97499999999999997779,871,1.96269132682276215);
INSERT INTO t_quantile VALUES(0.97499999999999997779,872,1.9626881948660810373);
INSERT INTO t_quantile VALUES(0.97499999999999997779,873,1.9626850700944094008);
INSERT INTO t_quantile VALUES(0.97499999999999997779,874,1.9626819524825844798);
INSERT INTO t_quantile VALUES(0.97499999999999997779,875,1.9626788420074126051);
INSERT INTO t_quantile VALUES(0.97499999999999997779,876,1.9626757386421960216);
INSERT INTO t_quantile VALUES(0.97499999999999997779,877,1.9626726423646656538);
INSERT INTO t_quantile VALUES(0.97499999999999997779,878,1.9626695531494287028);
INSERT INTO t_quantile VALUES(0.97499999999999997779,879,1.9626664709726817648);
INSERT INTO t_quantile VALUES(0.97499999999999997779,880,1.9626633958103614219);
INSERT INTO t_quantile VALUES(0.97499999999999997779,881,1.9626603276386054286);
INSERT INTO t_quantile VALUES(0.97499999999999997779,882,1.962657266433205816);
INSERT INTO t_quantile VALUES(0.97499999999999997779,883,1.9626542121713148603);
INSERT INTO t_quantile VALUES(0.97499999999999997779,884,1.9626511648284918898);
INSERT INTO t_quantile VALUES(0.97499999999999997779,885,1.9626481243816851218);
INSERT INTO t_quantile VALUES(0.97499999999999997779,886,1.9626450908070616208);
INSERT INTO t_quantile VALUES(0.97499999999999997779,887,1.962642064082381399);
INSERT INTO t_quantile VALUES(0.97499999999999997779,888,1.9626390441836072398);
INSERT INTO t_quantile VALUES(0.97499999999999997779,889,1.9626360310871671099);
INSERT INTO t_quantile VALUES(0.97499999999999997779,890,1.9626330247715437771);
INSERT INTO t_quantile VALUES(0.97499999999999997779,891,1.9626300252129598167);
INSERT INTO t_quantile VALUES(0.97499999999999997779,892,1.9626270323882770707);
INSERT INTO t_quantile VALUES(0.97499999999999997779,893,1.9626240462762671867);
INSERT INTO t_quantile VALUES(0.97499999999999997779,894,1.9626210668528918379);
INSERT INTO t_quantile VALUES(0.97499999999999997779,895,1.9626180940962862919);
INSERT INTO t_quantile VALUES(0.97499999999999997779,896,1.9626151279845558406);
INSERT INTO t_quantile VALUES(0.97499999999999997779,897,1.962612168494906939);
INSERT INTO t_quantile VALUES(0.97499999999999997779,898,1.9626092156046330838);
INSERT INTO t_quantile VALUES(0.97499999999999997779,899,1.9626062692930863473);
INSERT INTO t_quantile VALUES(0.97499999999999997779,900,1.9626033295369209596);
INSERT INTO t_quantile VALUES(0.97499999999999997779,901,1.9626003963158638043);
INSERT INTO t_quantile VALUES(0.97499999999999997779,902,1.9625974696061072588);
INSERT INTO t_quantile VALUES(0.97499999999999997779,903,1.9625945493878418357);
INSERT INTO t_quantile VALUES(0.97499999999999997779,904,1.9625916356384147665);
INSERT INTO t_quantile VALUES(0.97499999999999997779,905,1.9625887283370631042);
INSERT INTO t_quantile VALUES(0.97499999999999997779,906,1.9625858274612790754);
INSERT INTO t_quantile VALUES(0.97499999999999997779,907,1.9625829329911659293);
INSERT INTO t_quantile VALUES(0.97499999999999997779,908,1.9625800449045636142);
INSERT INTO t_quantile VALUES(0.97499999999999997779,909,1.9625771631810544626);
INSERT INTO t_quantile VALUES(0.97499999999999997779,910,1.9625742877988854306);
INSERT INTO t_quantile VALUES(0.97499999999999997779,911,1.9625714187381557707);
INSERT INTO t_quantile VALUES(0.97499999999999997779,912,1.962568555976476059);
INSERT INTO t_quantile VALUES(0.97499999999999997779,913,1.9625656994949320921);
INSERT INTO t_quantile VALUES(0.97499999999999997779,914,1.9625628492715376793);
INSERT INTO t_quantile VALUES(0.97499999999999997779,915,1.9625600052868568123);
INSERT INTO t_quantile VALUES(0.97499999999999997779,916,1.9625571675189918963);
INSERT INTO t_quantile VALUES(0.97499999999999997779,917,1.9625543359490840167);
INSERT INTO t_quantile VALUES(0.97499999999999997779,918,1.9625515105556405881);
INSERT INTO t_quantile VALUES(0.97499999999999997779,919,1.9625486913193102012);
INSERT INTO t_quantile VALUES(0.97499999999999997779,920,1.9625458782198457186);
INSERT INTO t_quantile VALUES(0.97499999999999997779,921,1.9625430712366500607);
INSERT INTO t_quantile VALUES(0.97499999999999997779,922,1.9625402703506629187);
INSERT INTO t_quantile VALUES(0.97499999999999997779,923,1.9625374755410844862);
INSERT INTO t_quantile VALUES(0.97499999999999997779,924,1.9625346867890562929);
INSERT INTO t_quantile VALUES(0.97499999999999997779,925,1.9625319040744453324);
INSERT INTO t_quantile VALUES(0.97499999999999997779,926,1.9625291273777256684);
INSERT INTO t_quantile VALUES(0.97499999999999997779,927,1.9625263566791983915);
INSERT INTO t_quantile VALUES(0.97499999999999997779,928,1.9625235919599171019);
INSERT INTO t_quantile VALUES(0.97499999999999997779,929,1.9625208332004144828);
INSERT INTO t_quantile VALUES(0.97499999999999997779,930,1.9625180803811055341);
INSERT INTO t_quantile VALUES(0.97499999999999997779,931,1.9625153334829290585);
INSERT INTO t_quantile VALUES(0.97499999999999997779,932,1.9625125924871971161);
INSERT INTO t_quantile VALUES(0.97499999999999997779,933,1.9625098573745589636);
INSERT INTO t_quantile VALUES(0.97499999999999997779,934,1.9625071281256889488);
INSERT INTO t_quantile VALUES(0.97499999999999997779,935,1.9625044047229729393);
INSERT INTO t_quantile VALUES(0.97499999999999997779,936,1.9625016871461602452);
INSERT INTO t_quantile VALUES(0.97499999999999997779,937,1.9624989753781560963);
INSERT INTO t_quantile VALUES(0.97499999999999997779,938,1.9624962693988261541);
INSERT INTO t_quantile VALUES(0.97499999999999997779,939,1.9624935691902343215);
INSERT INTO t_quantile VALUES(0.97499999999999997779,940,1.9624908747349121274);
INSERT INTO t_quantile VALUES(0.97499999999999997779,941,1.9624881860125473753);
INSERT INTO t_quantile VALUES(0.97499999999999997779,942,1.9624855030066252759);
INSERT INTO t_quantile VALUES(0.97499999999999997779,943,1.9624828256979083285);
INSERT INTO t_quantile VALUES(0.97499999999999997779,944,1.9624801540689538192);
INSERT INTO t_quantile VALUES(0.97499999999999997779,945,1.9624774881011597393);
INSERT INTO t_quantile VALUES(0.97499999999999997779,946,1.9624748277768220283);
INSERT INTO t_quantile VALUES(0.97499999999999997779,947,1.9624721730779488559);
INSERT INTO t_quantile VALUES(0.97499999999999997779,948,1.9624695239863998441);
INSERT INTO t_quantile VALUES(0.97499999999999997779,949,1.9624668804852558601);
INSERT INTO t_quantile VALUES(0.97499999999999997779,950,1.9624642425560563374);
INSERT INTO t_quantile VALUES(0.97499999999999997779,951,1.9624616101817651259);
INSERT INTO t_quantile VALUES(0.97499999999999997779,952,1.9624589833443590869);
INSERT INTO t_quantile VALUES(0.97499999999999997779,953,1.962456362026741008);
INSERT INTO t_quantile VALUES(0.97499999999999997779,954,1.962453746211149097);
INSERT INTO t_quantile VALUES(0.97499999999999997779,955,1.9624511358809495487);
INSERT INTO t_quantile VALUES(0.97499999999999997779,956,1.9624485310179160535);
INSERT INTO t_quantile VALUES(0.97499999999999997779,957,1.9624459316060520741);
INSERT INTO t_quantile VALUES(0.97499999999999997779,958,1.9624433376275667306);
INSERT INTO t_quantile VALUES(0.97499999999999997779,959,1.9624407490651871732);
INSERT INTO t_quantile VALUES(0.97499999999999997779,960,1.9624381659025416091);
INSERT INTO t_quantile VALUES(0.97499999999999997779,961,1.9624355881227644182);
INSERT INTO t_quantile VALUES(0.97499999999999997779,962,1.9624330157086706805);
INSERT INTO t_quantile VALUES(0.97499999999999997779,963,1.9624304486433938876);
INSERT INTO t_quantile VALUES(0.97499999999999997779,964,1.9624278869108893186);
INSERT INTO t_quantile VALUES(0.97499999999999997779,965,1.9624253304942043119);
INSERT INTO t_quantile VALUES(0.97499999999999997779,966,1.962422779376615356);
INSERT INTO t_quantile VALUES(0.97499999999999997779,967,1.9624202335425229293);
INSERT INTO t_quantile VALUES(0.97499999999999997779,968,1.9624176929736401042);
INSERT INTO t_quantile VALUES(0.97499999999999997779,969,1.9624151576561130738);
INSERT INTO t_quantile VALUES(0.97499999999999997779,970,1.962412627571771484);
INSERT INTO t_quantile VALUES(0.97499999999999997779,971,1.9624101027052534007);
INSERT INTO t_quantile VALUES(0.97499999999999997779,972,1.9624075830405904863);
INSERT INTO t_quantile VALUES(0.97499999999999997779,973,1.9624050685610607835);
INSERT INTO t_quantile VALUES(0.97499999999999997779,974,1.9624025592511875615);
INSERT INTO t_quantile VALUES(0.97499999999999997779,975,1.9624000550949998178);
INSERT INTO t_quantile VALUES(0.97499999999999997779,976,1.9623975560762383363);
INSERT INTO t_quantile VALUES(0.97499999999999997779,977,1.9623950621798615934);
INSERT INTO t_quantile VALUES(0.97499999999999997779,978,1.9623925733889717726);
INSERT INTO t_quantile VALUES(0.97499999999999997779,979,1.9623900896894235224);
INSERT INTO t_quantile VALUES(0.97499999999999997779,980,1.9623876110646105708);
INSERT INTO t_quantile VALUES(0.97499999999999997779,981,1.9623851374986482909);
INSERT INTO t_quantile VALUES(0.97499999999999997779,982,1.9623826689771888265);
INSERT INTO t_quantile VALUES(0.97499999999999997779,983,1.9623802054840022712);
INSERT INTO t_quantile VALUES(0.97499999999999997779,984,1.9623777470040719705);
INSERT INTO t_quantile VALUES(0.97499999999999997779,985,1.9623752935218616855);
INSERT INTO t_quantile VALUES(0.97499999999999997779,986,1.962372845022387402);
INSERT INTO t_quantile VALUES(0.97499999999999997779,987,1.9623704014902847436);
INSERT INTO t_quantile VALUES(0.97499999999999997779,988,1.9623679629107992905);
INSERT INTO t_quantile VALUES(0.97499999999999997779,989,1.9623655292685104889);
INSERT INTO t_quantile VALUES(0.97499999999999997779,990,1.9623631005485773215);
INSERT INTO t_quantile VALUES(0.97499999999999997779,991,1.9623606767359256242);
INSERT INTO t_quantile VALUES(0.97499999999999997779,992,1.9623582578160907452);
INSERT INTO t_quantile VALUES(0.97499999999999997779,993,1.9623558437739694326);
INSERT INTO t_quantile VALUES(0.97499999999999997779,994,1.9623534345948931978);
INSERT INTO t_quantile VALUES(0.97499999999999997779,995,1.9623510302643112357);
INSERT INTO t_quantile VALUES(0.97499999999999997779,996,1.9623486307671698103);
INSERT INTO t_quantile VALUES(0.97499999999999997779,997,1.962346236089457907);
INSERT INTO t_quantile VALUES(0.97499999999999997779,998,1.9623438462164590756);
INSERT INTO t_quantile VALUES(0.97499999999999997779,999,1.9623414611333360735);
INSERT INTO t_quantile VALUES(0.97499999999999997779,1000,1.9623390808262328732);
CREATE INDEX plan_change_sweep ON plan_change (sweep_id, plan_change_id);
CREATE INDEX data_file_sha256 ON data_file (sha256);
CREATE INDEX trial_claim ON trial (sweep_id, plan_order)
    WHERE state = 'queued' AND in_plan = 1 AND choice = 'chosen' AND in_shard = 1;
CREATE INDEX trial_running ON trial (trial_id) WHERE state = 'running';
CREATE INDEX trial_undecided ON trial (sweep_id, setting, config_id)
    WHERE state = 'queued' AND choice = 'waiting' AND is_tuning = 0 AND tuning <> '{}' AND in_plan = 1;
CREATE INDEX trial_tuned ON trial (sweep_id, setting) WHERE tuning <> '{}';
CREATE INDEX trial_state ON trial (sweep_id, in_plan, state, train_s);
CREATE INDEX deleted_config ON deleted (config_id, seed);
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
 ORDER BY s.name, w.setting, w.heads
;
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
 ORDER BY b.sweep, b.setting, b.heads
;
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
 ORDER BY sweep, setting, heads, method, finetuned_steps, lr, kept DESC
;
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
COMMIT;
