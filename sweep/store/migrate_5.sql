-- From format 5 of the results file to 6: files of the user's own, and what came of learning from
-- them. Views are made anew after the last step; the one whose name is new:
-- adds view by_label

ALTER TABLE config ADD COLUMN mode TEXT AS (config_json ->> '$.task.options.mode') VIRTUAL
    CHECK (typeof(mode) IN ('text', 'null'));
ALTER TABLE config ADD COLUMN data_sha256 TEXT AS (config_json ->> '$.task.options.sha256') VIRTUAL
    CHECK (typeof(data_sha256) IN ('text', 'null'));

CREATE TABLE data_file (
    path     TEXT NOT NULL CHECK (path <> ''),
    options  TEXT NOT NULL CHECK (json_type(options) = 'object'),
    sha256   TEXT NOT NULL CHECK (length(sha256) = 64),
    size     INTEGER NOT NULL CHECK (size >= 0),
    mtime_ns INTEGER NOT NULL,
    facts    TEXT NOT NULL CHECK (json_type(facts) = 'object'),
    read_ns  INTEGER NOT NULL,
    PRIMARY KEY (path, options, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX data_file_sha256 ON data_file (sha256);

CREATE TABLE block_loss (
    trial_id INTEGER NOT NULL REFERENCES trial,
    block    INTEGER NOT NULL CHECK (block >= 0),
    loss     REAL NOT NULL CHECK (abs(loss) < 1e308),
    PRIMARY KEY (trial_id, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE label_acc (
    trial_id INTEGER NOT NULL REFERENCES trial,
    label    TEXT NOT NULL,
    n        INTEGER NOT NULL CHECK (n >= 1),
    acc      REAL NOT NULL CHECK (acc BETWEEN 0 AND 1),
    PRIMARY KEY (trial_id, label)
) STRICT, WITHOUT ROWID;
