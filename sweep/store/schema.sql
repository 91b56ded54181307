-- The results file of headcount, format 4: one SQLite database (application_id 0x48454144, "HEAD";
-- user_version is the format). Weights and checkpoints lie beside it in the folder <file>.d: the two
-- are renamed and copied together, and nothing in the file names the folder.
--
-- Ask the views: trials, by_heads, paired, chosen, tuning, progress. Times are UTC, ISO 8601;
-- durations are seconds (_s), memory is KiB (_kib), accuracies lie between 0 and 1. NaN never
-- enters (SQLite would store NULL): a trial that diverged is a state, with its first bad step.

-- A named sweep, as its file was when it was last planned.
CREATE TABLE sweep (
    sweep_id    INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    question    TEXT NOT NULL,  -- first comment line of the file
    yaml        TEXT NOT NULL,  -- the file as read
    yaml_sha256 TEXT NOT NULL CHECK (length(yaml_sha256) = 64),
    plan_sha256 TEXT NOT NULL CHECK (length(plan_sha256) = 64),  -- of all trials it came to
    metric      TEXT NOT NULL CHECK (metric IN ('val_acc', 'val_loss')),
    goal        TEXT NOT NULL CHECK (goal IN ('maximize', 'minimize')),
    tune        TEXT NOT NULL CHECK (json_type(tune) = 'array'),  -- ["train.lr"]; [] without
    claim       TEXT CHECK (claim IS NULL OR json_type(claim) = 'object'),
                -- {"best":4,"over":[1,16]}: predicted before the first trial
    created     TEXT NOT NULL,
    last_run    TEXT NOT NULL,
    overrides   TEXT CHECK (overrides IS NULL OR json_type(overrides) = 'array'),
                -- ["train.steps=100"]: what --set put in the place of what the file says;
                -- NULL: last run by a version that did not record it
    remark      TEXT,  -- what a person wrote about it: headcount sweep note
    replicate   TEXT NOT NULL DEFAULT '[]' CHECK (json_type(replicate) = 'array'),
                -- ["task.instance"]: axes that are samples of what a finding is for
    looks       TEXT NOT NULL DEFAULT '[]' CHECK (json_type(looks) = 'array'),
                -- [5,10,20]: seeds in all by each look; [] without
    equivalence REAL CHECK (equivalence > 0 AND equivalence < 1e308),  -- a difference within which
                -- head counts are taken for equal, in units of the metric
    rungs       TEXT CHECK (rungs IS NULL OR json_type(rungs) = 'object')
                -- {"eta":3,"min_steps":150}: under `tune`, successive halving
) STRICT;

-- How the plan of a sweep came to be what it is: a row when it was first planned, and one whenever
-- its (config, seed) pairs or its claim had changed. What the newest row says `seen` to be, a claim
-- could have been read off; with 0 it is a prediction.
CREATE TABLE plan_change (
    plan_change_id INTEGER PRIMARY KEY,
    sweep_id     INTEGER NOT NULL REFERENCES sweep,
    changed      TEXT NOT NULL,
    pairs_sha256 TEXT CHECK (length(pairs_sha256) = 64),  -- of the set of pairs; NULL: planned by a
                                                          -- version that did not record it
    pairs        INTEGER NOT NULL CHECK (pairs >= 0),     -- (config, seed), tuning ones too
    added        INTEGER NOT NULL CHECK (added >= 0),     -- of them, against the row before
    removed      INTEGER NOT NULL CHECK (removed >= 0),
    what         TEXT NOT NULL CHECK (json_type(what) = 'object'),
                 -- {"heads_added":[],"heads_removed":[1],"seeds_added":[5],...,"points_added":0,...};
                 -- "rules": which of tune, replicate, looks, rungs, equivalence had changed
    claim        TEXT CHECK (claim IS NULL OR json_type(claim) = 'object'),  -- from then on
    seen         INTEGER NOT NULL CHECK (seen >= 0),  -- pairs whose results were there to be seen: of
                 -- the plan, in any sweep or in `deleted`, and all of this sweep, in the plan or not
    seen_outside INTEGER NOT NULL CHECK (seen_outside BETWEEN 0 AND seen),  -- of these, not planned
    trials_ended INTEGER NOT NULL CHECK (trials_ended >= 0)  -- of this sweep, in the plan or not
) STRICT;
CREATE INDEX plan_change_sweep ON plan_change (sweep_id, plan_change_id);

-- Under `looks`: what was found once all trials up to a look had ended.
CREATE TABLE look (
    sweep_id INTEGER NOT NULL REFERENCES sweep,
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
    d_head  INTEGER AS (CASE json_type(config_json, '$.model.d_head')
                        WHEN 'integer' THEN config_json ->> '$.model.d_head'
                        ELSE d_model / heads END) STORED  -- "split": d_model / heads
            CHECK (typeof(d_head) = 'integer'),
    d_k     INTEGER AS (CASE json_type(config_json, '$.model.d_k')
                        WHEN 'integer' THEN config_json ->> '$.model.d_k' ELSE d_head END) STORED
            CHECK (typeof(d_k) = 'integer'),
    d_v     INTEGER AS (CASE json_type(config_json, '$.model.d_v')
                        WHEN 'integer' THEN config_json ->> '$.model.d_v' ELSE d_head END) STORED
            CHECK (typeof(d_v) = 'integer'),
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
            CHECK (typeof(examples) IN ('integer', 'null'))  -- 0: always fresh ones
) STRICT;

-- One training run: (sweep, config, seed).
CREATE TABLE trial (
    trial_id   INTEGER PRIMARY KEY,
    sweep_id   INTEGER NOT NULL REFERENCES sweep,
    config_id  INTEGER NOT NULL REFERENCES config,
    seed       INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 4294967295),
    state      TEXT NOT NULL DEFAULT 'queued' CHECK (state IN
               ('queued', 'running', 'completed', 'diverged', 'failed', 'pruned')),
    in_plan    INTEGER NOT NULL CHECK (in_plan IN (0, 1)),  -- 0: the sweep file dropped it since
    plan_order INTEGER NOT NULL,  -- trials are claimed in this order
    setting    TEXT NOT NULL CHECK (json_type(setting) = 'object'),
               -- the varying axes other than heads and the tuned ones
    setting_label TEXT NOT NULL,  -- the same for people; '' when nothing else varies
    tuning     TEXT NOT NULL CHECK (json_type(tuning) = 'object'),  -- the tuned axes; {} without
    is_tuning  INTEGER NOT NULL CHECK (is_tuning IN (0, 1)),  -- serves only to choose
    choice     TEXT NOT NULL DEFAULT 'chosen' CHECK (choice IN ('chosen', 'waiting', 'passed')),
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
    train_s      REAL CHECK (train_s >= 0 AND train_s < 1e308),
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
    UNIQUE (sweep_id, config_id, seed),
    CHECK (state <> 'completed' OR (best_step IS NOT NULL AND train_acc IS NOT NULL
           AND val_acc IS NOT NULL AND test_acc IS NOT NULL AND test_exact IS NOT NULL
           AND test_loss IS NOT NULL AND train_s IS NOT NULL))
) STRICT;
CREATE INDEX trial_queue ON trial (sweep_id, plan_order)
    WHERE state = 'queued' AND in_plan = 1 AND choice = 'chosen';
CREATE INDEX trial_running ON trial (trial_id) WHERE state = 'running';
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
    threads    INTEGER NOT NULL,
    cpu        TEXT NOT NULL,
    UNIQUE (version, git_commit, compiler, flags, openblas, core_type, kernels, threads, cpu)
) STRICT;

-- One execution of a trial, crashed ones too.
CREATE TABLE attempt (
    trial_id INTEGER NOT NULL REFERENCES trial,
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
    PRIMARY KEY (trial_id, attempt)
) STRICT, WITHOUT ROWID;

-- Trials that had run before they were deleted: what came of them may have been seen by whoever
-- claims something about the same configuration and seed later.
CREATE TABLE deleted (
    trial_id      INTEGER PRIMARY KEY,  -- never given again: files of that number may lie about
    config_sha256 TEXT NOT NULL CHECK (length(config_sha256) = 64),
    seed          INTEGER NOT NULL CHECK (seed BETWEEN 0 AND 4294967295),
    sweep         TEXT NOT NULL,  -- its name at the time
    ended         TEXT,  -- when the trial had ended; NULL: it had not
    deleted       TEXT NOT NULL,
    seen          INTEGER NOT NULL DEFAULT 0 CHECK (seen IN (0, 1))
                  -- 1: it had ended, or had been evaluated on the way
) STRICT;
CREATE INDEX deleted_seen ON deleted (config_sha256, seed) WHERE seen = 1;

-- Learning curves; train_* are means since the row before.
CREATE TABLE curve (
    trial_id   INTEGER NOT NULL REFERENCES trial,
    step       INTEGER NOT NULL CHECK (step >= 0),
    train_loss REAL CHECK (abs(train_loss) < 1e308),
    train_acc  REAL CHECK (train_acc BETWEEN 0 AND 1),
    val_loss   REAL CHECK (abs(val_loss) < 1e308),
    val_acc    REAL CHECK (val_acc BETWEEN 0 AND 1),
    grad_norm  REAL CHECK (grad_norm >= 0 AND grad_norm < 1e308),
    lr         REAL CHECK (lr >= 0 AND lr < 1e308),
    elapsed_s  REAL CHECK (elapsed_s >= 0 AND elapsed_s < 1e308),
    PRIMARY KEY (trial_id, step)
) STRICT, WITHOUT ROWID;

-- What single heads do.
CREATE TABLE head_metric (
    trial_id   INTEGER NOT NULL REFERENCES trial,
    step       INTEGER NOT NULL CHECK (step >= 0),
    layer      INTEGER NOT NULL CHECK (layer >= 0),
    head       INTEGER NOT NULL CHECK (head >= 0),
    importance REAL,  -- Michel et al. 2019: E|dL/d(mask)|, L2-normalised per layer
    confidence REAL,  -- Voita et al. 2019: mean largest attention weight
    PRIMARY KEY (trial_id, step, layer, head)
) STRICT, WITHOUT ROWID;

-- Student t quantiles, so that plain sqlite3 computes the intervals of the views. Beyond the last
-- df the last one serves: a little too wide, never too narrow.
CREATE TABLE t_quantile (
    level REAL NOT NULL,  -- one-sided: .975 for a 95% interval
    df    INTEGER NOT NULL,
    t     REAL NOT NULL,
    PRIMARY KEY (level, df)
) STRICT, WITHOUT ROWID;

-- Everything about a trial on one line.
CREATE VIEW trials AS
SELECT t.trial_id, s.name AS sweep, t.setting, t.setting_label, c.task, c.heads, c.d_model,
       t.seed, t.state, t.in_plan, t.is_tuning, t.tuning, t.choice, t.plan_order,
       t.test_acc, t.test_exact, t.test_loss, t.test_acc_by_slot, t.val_acc, t.val_loss,
       t.train_acc, t.chance, t.best_step, t.steps_done, c.steps, t.bad_step, t.train_s,
       c.n_params, c.flops_per_step, c.d_head, c.d_k, c.d_v, c.layers, c.d_ff, c.norm,
       c.activation, c.positions, c.pool, c.init, c.dropout, c.length, c.vocab, c.slots,
       c.instance, c.batch, c.lr, c.optimizer, c.weight_decay, c.clip, c.schedule, c.warmup,
       c.eval_every, c.examples, t.attempt, t.retries_used, t.resume_step, a.started, a.ended,
       a.host, a.pid, a.cpu_s, a.max_rss_kib, a.exit_code, a.signal, a.error, a.note,
       t.replicate, t.look, t.until, t.limit_hit, t.remark, t.checkpoint, t.checkpoint_sha256, c.config_sha256, c.config_json, t.sweep_id, t.config_id
  FROM trial AS t
  JOIN sweep AS s USING (sweep_id)
  JOIN config AS c USING (config_id)
  LEFT JOIN attempt AS a ON a.trial_id = t.trial_id AND a.attempt = t.attempt;

-- Test accuracy per head count over the completed trials of the plan; under `tune` at the chosen
-- setting. n counts what is taken for independent: trials or, where axes are replicated, their
-- values (instances), each with the mean over its n_trials / n trials. n_bad diverged or failed and
-- are in no mean but mean_all, where they count as a guess, as in reports; n_limit ended at a limit
-- and are in none. With n < 2 there is no interval; where all n are equal it has no width, which is
-- not certainty: the sample shows no variance to go by.
CREATE VIEW by_heads AS
WITH unit AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, c.task, c.d_model, c.n_params, t.chance,
           t.state = 'completed' AS good, t.state <> 'completed' AND NOT t.limit_hit AS bad,
           t.limit_hit AS limited, CASE t.state WHEN 'completed' THEN t.test_acc END AS acc,
           CASE WHEN t.state = 'completed' THEN t.test_acc
                WHEN NOT t.limit_hit THEN t.chance END AS shown,
           CASE t.state WHEN 'completed' THEN t.test_loss END AS loss,
           t.state = 'completed' AND t.test_acc >= 0.99 AS solved,
           CASE t.state WHEN 'completed' THEN t.train_acc END AS train_acc,
           CASE t.state WHEN 'completed' THEN t.test_exact END AS exact,
           CASE t.state WHEN 'completed' THEN t.train_s END AS train_s
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.choice = 'chosen'
       AND t.state IN ('completed', 'diverged', 'failed') AND t.replicate = '{}'
     UNION ALL
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, c.task, c.d_model, c.n_params,
           max(t.chance), sum(t.state = 'completed'),
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
     WHERE s.replicate <> '[]' AND t.in_plan = 1 AND t.is_tuning = 0 AND t.choice = 'chosen'
       AND t.state IN ('completed', 'diverged', 'failed') AND t.replicate <> '{}'
     GROUP BY t.sweep_id, t.setting, c.heads, t.replicate
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY sweep_id, setting, heads
                                 ORDER BY acc IS NULL, acc) AS place
      FROM unit
), summary AS (
    SELECT sweep_id, setting, heads, count(acc) AS n, count(shown) AS n_all,
           CASE WHEN min(acc) = max(acc) THEN min(acc) ELSE avg(acc) END AS mean,
           CASE WHEN min(loss) = max(loss) THEN min(loss) ELSE avg(loss) END AS mean_loss,
           CASE WHEN min(shown) = max(shown) THEN min(shown) ELSE avg(shown) END AS mean_all
      FROM unit GROUP BY sweep_id, setting, heads
), spread AS (
    SELECT r.sweep_id, r.setting, r.setting_label, r.task, r.heads, r.d_model, s.n, s.n_all,
           sum(good) AS n_trials, sum(bad) AS n_bad, sum(limited) AS n_limit,
           s.mean, s.mean_loss, s.mean_all,
           CASE WHEN s.n > 1 THEN sqrt(sum((acc - s.mean) * (acc - s.mean)) / (s.n - 1)) END AS sd,
           CASE WHEN s.n > 1 THEN sqrt(sum((loss - s.mean_loss) * (loss - s.mean_loss))
                                       / (s.n - 1)) END AS sd_loss,
           CASE WHEN s.n_all > 1 THEN sqrt(sum((shown - s.mean_all) * (shown - s.mean_all))
                                           / (s.n_all - 1)) END AS sd_all,
           min(acc) AS min_acc,
           avg(acc) FILTER (WHERE place IN ((s.n + 1) / 2, (s.n + 2) / 2)) AS median_acc,
           max(acc) AS max_acc, sum(solved) AS n_solved,
           sum(train_acc) / sum(good) AS mean_train_acc, sum(exact) / sum(good) AS mean_exact,
           sum(train_s) / sum(good) AS mean_train_s, r.n_params, max(r.chance) AS chance
      FROM ranked AS r JOIN summary AS s USING (sweep_id, setting, heads)
     GROUP BY r.sweep_id, r.setting, r.heads
), wide AS (
    SELECT *, (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n - 1
                ORDER BY df DESC LIMIT 1) / sqrt(n) AS widths,
           (SELECT t FROM t_quantile WHERE level = 0.975 AND df <= n_all - 1
             ORDER BY df DESC LIMIT 1) / sqrt(n_all) AS widths_all
      FROM spread
)
SELECT name AS sweep, setting, setting_label, task, heads, d_model, n, n_bad, mean AS mean_acc,
       sd AS sd_acc, mean - sd * widths AS ci95_low, mean + sd * widths AS ci95_high, min_acc,
       median_acc, max_acc, n_solved, mean_train_acc, mean_exact, mean_train_s, n_params, chance,
       n_trials, n_limit, mean_loss, mean_loss - sd_loss * widths AS loss_low,
       mean_loss + sd_loss * widths AS loss_high, mean_all, mean_all - sd_all * widths_all AS all_low,
       mean_all + sd_all * widths_all AS all_high
  FROM wide JOIN sweep USING (sweep_id)
 ORDER BY sweep, setting, heads;

-- Under `tune`: how each candidate did on the tuning seeds. score is the sweep's metric (its mean;
-- diverged and failed trials count as guessing), rank 1 the best; settled = 0 while some still run.
-- passed_at: the step of the rung at which a candidate was passed over; it ranks behind those that
-- went further, whatever its score.
CREATE VIEW tuning AS
WITH score AS (
    SELECT t.sweep_id, t.setting, t.setting_label, c.heads, t.tuning, min(t.plan_order) AS first,
           count(*) AS n,
           count(*) FILTER (WHERE t.state IN ('diverged', 'failed')) AS n_bad,
           count(*) FILTER (WHERE t.state IN ('queued', 'running')) AS n_left,
           CASE WHEN sum(t.choice = 'passed') THEN coalesce(max(t.until), 0) END AS passed_at,
           s.metric, s.goal,
           avg(CASE WHEN s.metric = 'val_loss' THEN CASE WHEN t.state = 'completed' THEN val_loss END
                    WHEN t.state = 'completed' THEN val_acc
                    WHEN t.state IN ('diverged', 'failed') THEN t.chance END) AS score
      FROM trial AS t JOIN config AS c USING (config_id) JOIN sweep AS s USING (sweep_id)
     WHERE t.is_tuning = 1 AND t.in_plan = 1 AND t.tuning <> '{}'
     GROUP BY t.sweep_id, t.setting, c.heads, t.tuning
)
SELECT s.name AS sweep, setting, setting_label, heads, tuning, n, n_bad, score,
       row_number() OVER (PARTITION BY sweep_id, setting, heads
                          ORDER BY passed_at IS NOT NULL, passed_at DESC,
                                   CASE score.metric WHEN 'val_loss' THEN n_bad END,
                                   score IS NULL,
                                   CASE score.goal WHEN 'minimize' THEN score ELSE -score END,
                                   first) AS rank,
       sum(n_left) OVER (PARTITION BY sweep_id, setting, heads) = 0 AS settled, passed_at,
       sweep_id
  FROM score JOIN sweep AS s USING (sweep_id);

-- Under `tune`: the candidate each head count uses, once all of its tuning trials have ended.
CREATE VIEW chosen AS
SELECT sweep, setting, setting_label, heads, tuning, n, n_bad, score, sweep_id
  FROM tuning WHERE rank = 1 AND settled;

-- Differences in test accuracy between head counts, a - b, trials paired by seed and, where axes are
-- replicated, within each of their values (instance), which then are what n counts: each with the
-- mean difference over the seeds that both have. Each pair is there in both directions. Under `tune`
-- each head count stands at its chosen setting. The variance is taken about the difference of the
-- two means: the mean difference itself where every seed is on both sides, and next to it elsewhere
-- (corrected two-pass: Chan, Golub, LeVeque 1983).
CREATE VIEW paired AS
WITH done AS MATERIALIZED (
    SELECT t.sweep_id, t.setting, t.setting_label, t.replicate, t.seed, c.heads,
           t.test_acc AS acc, t.test_loss AS loss
      FROM trial AS t JOIN config AS c USING (config_id)
     WHERE t.in_plan = 1 AND t.is_tuning = 0 AND t.choice = 'chosen' AND t.state = 'completed'
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

-- How far each sweep is.
CREATE VIEW progress AS
SELECT s.name AS sweep, count(t.trial_id) AS planned,
       count(*) FILTER (WHERE t.state = 'queued') AS queued,
       count(*) FILTER (WHERE t.state = 'running') AS running,
       count(*) FILTER (WHERE t.state = 'completed') AS completed,
       count(*) FILTER (WHERE t.state = 'diverged') AS diverged,
       count(*) FILTER (WHERE t.state = 'failed') AS failed,
       count(*) FILTER (WHERE t.state = 'pruned') AS pruned,
       avg(t.train_s) FILTER (WHERE t.state = 'completed') AS mean_train_s,
       s.created, s.last_run, s.remark
  FROM sweep AS s LEFT JOIN trial AS t ON t.sweep_id = s.sweep_id AND t.in_plan = 1
 GROUP BY s.sweep_id
 ORDER BY s.name;
