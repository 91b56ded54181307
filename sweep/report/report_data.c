#include "sweep/report/report_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"
#include "sweep/report/report_rows.h"
#include "sweep/trials/data_file.h"
#include "sweep/trials/lost.h"

/* Of a sweep on several machines. */
static enum status read_lost(struct store *s, int64_t sweep_id, struct report_data *r,
                             struct message *m)
{
    enum { MACHINE, MACHINES };
    static const char sql[] =
        "SELECT format('%s (%d)', host, count(*)), count(*) OVER () FROM (" LOST_ATTEMPTS ") AS l"
        " WHERE (SELECT count(DISTINCT host) FROM attempt AS a WHERE a.trial_id = l.trial_id) > 1"
        " GROUP BY host ORDER BY count(*) DESC, host LIMIT ?2";
    int64_t machines = 0;
    struct rows rows = rows_open(s, m, sql, VALUES(INTEGER(sweep_id), INTEGER(LOST_SHOWN)));
    while (rows_next(&rows)) {
        text_add(&r->lost, "%s%s", r->lost.used ? ", " : "", rows_given(&rows, MACHINE));
        machines = rows_integer(&rows, MACHINES);
    }
    if (machines > LOST_SHOWN)
        text_add(&r->lost, " and %lld more", (long long)(machines - LOST_SHOWN));
    enum status status = rows_close(&rows);
    return status == STATUS_OK && r->lost.out_of_memory ? status_no_memory(m, "the report")
                                                        : status;
}

static enum status read_sweep(struct store *s, int64_t sweep_id, struct report_data *r,
                              struct message *m)
{
    enum { NAME, QUESTION, OVERRIDES, OVERRIDES_SHOWN, REMARK, SHARDS };
    struct rows rows = rows_open(
        s, m,
        "SELECT name, question, overrides,"
        "       (SELECT group_concat('--set ' || value, ' ') FROM json_each(overrides)), remark,"
        "       coalesce(shards, 'null')"
        "  FROM sweep WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    if (rows_next(&rows)) {
        r->name = text_copy(rows_text(&rows, NAME));
        r->question = text_copy(rows_text(&rows, QUESTION));
        r->overrides = text_copy(rows_given(&rows, OVERRIDES));
        r->overrides_shown = text_copy(rows_text(&rows, OVERRIDES_SHOWN));
        r->remark = text_copy(rows_text(&rows, REMARK));
        r->shards = text_copy(rows_text(&rows, SHARDS));
    }
    enum status status = rows_close(&rows);
    if (status == STATUS_OK && (!r->name || !r->question || !r->overrides || !r->overrides_shown ||
                                !r->remark || !r->shards))
        status = status_no_memory(m, "the report");
    if (status == STATUS_OK)
        status = report_kernels_read(s, sweep_id, &r->kernels, m);
    if (status == STATUS_OK)
        status = read_lost(s, sweep_id, r, m);
    return status == STATUS_OK ? store_shards(s, sweep_id, false, &r->shards_left, m) : status;
}

/* How much of the sweep has run, and what is the same in all of it: the first trial's options but
 * for those that vary. */
static enum status read_plan(struct store *s, int64_t sweep_id, struct report_data *r,
                             struct message *m)
{
    const struct counts *c = &r->counts;
    enum status status = store_counts(s, sweep_id, &r->counts, m);
    if (status != STATUS_OK)
        return status;
    r->ended = c->ended;
    r->planned = c->planned + c->elsewhere;

    struct rows rows =
        rows_open(s, m,
                  "WITH first AS ("
                  "  SELECT config_json, setting, tuning, replicate, task, mode"
                  "    FROM trial JOIN config USING (config_id) WHERE trial_id = ?1),"
                  " varies AS ("
                  "  SELECT key FROM first, json_each(setting)"
                  "  UNION ALL SELECT key FROM first, json_each(tuning)"
                  "  UNION ALL SELECT key FROM first, json_each(replicate)),"
                  " options AS ("
                  "  SELECT 'task.' || key AS path, key, atom"
                  "    FROM first, json_each(config_json, '$.task.options')"
                  "   WHERE task <> 'text' OR key IN ('mode', 'length')"
                  "      OR (key = 'instance' AND mode <> 'lm')"
                  "  UNION ALL SELECT 'model.' || key, key, atom"
                  "    FROM first, json_each(config_json, '$.model')"
                  "   WHERE key IN ('d_model', 'd_head', 'kv_heads', 'form', 'segment_width',"
                  "                 'segment_overlap', 'mask', 'layers', 'd_ff')"
                  "  UNION ALL SELECT 'train.' || key, key, atom"
                  "    FROM first, json_each(config_json, '$.train')"
                  "   WHERE key IN ('steps', 'batch', 'lr') OR (key = 'examples' AND atom <> 0))"
                  " SELECT (SELECT task FROM first), group_concat(key || '=' || atom, ', ')"
                  "   FROM options WHERE path NOT IN (SELECT key FROM varies)",
                  VALUES(INTEGER(r->evidence->first_trial)));
    if (rows_next(&rows)) {
        r->task = text_copy(rows_text(&rows, 0));
        r->fixed = text_copy(rows_text(&rows, 1));
    }
    status = rows_close(&rows);
    return status != STATUS_OK   ? status
           : r->task && r->fixed ? STATUS_OK
                                 : status_no_memory(m, "the report");
}

/* The one file that all trials of the plan learn from; its name, where this results file knows it,
 * without the folder, which is this machine's. */
static enum status read_file(struct store *s, int64_t sweep_id, struct report_data *r,
                             struct message *m)
{
    enum { FILES, SHA256, BYTES, ROWS, CLASSES, REPEATED, PATH };
    struct text_buffer text = {0};
    struct rows rows =
        rows_open(s, m,
                  "SELECT count(DISTINCT data_sha256), data_sha256,"
                  " config_json ->> '$.task.options.size', config_json ->> '$.task.options.rows',"
                  " config_json ->> '$.task.options.classes',"
                  " config_json ->> '$.task.options.repeated', " DATA_FILE_LAST_PATH
                  " FROM config WHERE data_sha256 IS NOT NULL AND EXISTS (SELECT 1 FROM trial"
                  "   WHERE sweep_id = ?1 AND trial.config_id = config.config_id AND in_plan = 1)",
                  VALUES(INTEGER(sweep_id)));
    if (rows_next(&rows) && rows_integer(&rows, FILES) == 1) {
        const char *path = rows_text(&rows, PATH);
        text_add(&text, "%s%s%lld bytes", path ? file_last_name(path) : "", path ? ", " : "",
                 (long long)rows_integer(&rows, BYTES));
        if (rows_integer(&rows, ROWS) > 0)
            text_add(&text, ", %lld rows, %lld labels", (long long)rows_integer(&rows, ROWS),
                     (long long)rows_integer(&rows, CLASSES));
        if (!rows_null(&rows, REPEATED))
            text_add(&text, " (%lld rows repeat a text and are only trained on)",
                     (long long)rows_integer(&rows, REPEATED));
        text_add(&text, ", SHA-256 %.12s", rows_text(&rows, SHA256));
    }
    r->file = text.text ? text.text : text_copy("");
    enum status status = rows_close(&rows);
    return status == STATUS_OK && (text.out_of_memory || !r->file)
               ? status_no_memory(m, "the report")
               : status;
}

/* ---- settings ---- */

static enum status judge_settings(struct report_data *r, struct message *m)
{
    const struct evidence *e = r->evidence;
    enum status status = STATUS_OK;
    r->setting = calloc((size_t)e->settings + 1, sizeof *r->setting);
    if (!r->setting)
        return status_no_memory(m, "the report");
    for (; r->settings < e->settings && status == STATUS_OK; r->settings++) {
        const struct evidence_setting *of = &e->setting[r->settings];
        struct report_setting *set = &r->setting[r->settings];
        *set = (struct report_setting){.setting = of->setting,
                                       .label = of->label,
                                       .count = of->count,
                                       .heads = of->heads,
                                       .extra = of->extra,
                                       .input = of->input};
        status = verdict_new(&of->input, &set->verdict, m);
        if (status == STATUS_OK)
            status = verdict_text_new(&of->input, set->verdict, &set->text, m);
    }
    return status;
}

/* ---- all of it ---- */

enum status report_data_read(struct store *s, int64_t sweep_id, bool rows, struct report_data **out,
                             struct message *m)
{
    struct report_data *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return status_no_memory(m, "the report");
    enum status status = store_snapshot(s, m);
    if (status == STATUS_OK) {
        status = evidence_read(s, sweep_id, &r->evidence, m);
        if (status == STATUS_OK)
            status = read_sweep(s, sweep_id, r, m);
        if (status == STATUS_OK)
            status = read_plan(s, sweep_id, r, m);
        if (status == STATUS_OK)
            status = read_file(s, sweep_id, r, m);
        if (status == STATUS_OK)
            status = judge_settings(r, m);
        if (status == STATUS_OK)
            status = report_shift_read(s, sweep_id, &r->shift, m);
        if (status == STATUS_OK)
            status = report_labels_read(s, sweep_id, &r->labels, m);
        if (status == STATUS_OK && rows)
            status = report_rows_read(s, sweep_id, r, m);
        store_snapshot_end(s);
    }
    if (status != STATUS_OK) {
        report_data_free(r);
        return status;
    }
    *out = r;
    return STATUS_OK;
}

void report_data_free(struct report_data *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->settings; i++) {
        verdict_free(r->setting[i].verdict);
        verdict_text_free(&r->setting[i].text);
    }
    evidence_free(r->evidence);
    report_shift_free(r->shift);
    report_labels_free(r->labels);
    table_free(r->by_heads);
    free(r->setting);
    free(r->name);
    free(r->question);
    free(r->overrides);
    free(r->overrides_shown);
    free(r->remark);
    free(r->shards);
    shards_free(&r->shards_left);
    report_kernels_free(&r->kernels);
    free(r->lost.text);
    free(r->task);
    free(r->file);
    free(r->fixed);
    free(r);
}
