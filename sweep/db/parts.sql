-- What statements of several floors have in common (statements.awk).

-- Now, as the file has times.
-- shared: now
strftime('%Y-%m-%dT%H:%M:%fZ', 'now')

-- Of a row of config: where its file was read last, and what was found there by these options of
-- the task; NULL where that is not known.
-- shared: config_path
(SELECT path FROM data_file WHERE sha256 = data_sha256 ORDER BY read_ns DESC, path LIMIT 1)

-- shared: config_facts
(SELECT facts FROM data_file
    WHERE sha256 = data_sha256
        AND json_patch(config_json -> '$.task.options', options) = config_json -> '$.task.options'
    ORDER BY length(options) DESC, read_ns DESC, path LIMIT 1)

-- The identity that a new configuration of its options would have; its options, resolved
-- (point_resolve); those of its task alone. Configurations of other versions of a task stay what
-- they are.
-- shared: config_short
config_short(config_json, {config_path}, {config_facts})

-- shared: config_meaning
config_meaning(config_json, {config_path}, {config_facts})

-- shared: config_task
config_task(config_json, {config_path}, {config_facts})
