#include "sweep/report/report_data.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/json_write.h"
#include "sweep/report/table.h"
#include "sweep/trials/lost.h"

/* ---- what computed the trials ---- */

/* ?1: sweep. Along the attempts from its first trial to its last, as they lie in the file. */
static const char KINDS[] = "WITH done AS MATERIALIZED ("
                            " SELECT build_id, count(*) AS n"
                            "  FROM attempt AS a CROSS JOIN trial USING (trial_id, attempt)"
                            "  WHERE a.trial_id"
                            "   BETWEEN (SELECT min(trial_id) FROM trial WHERE sweep_id = ?1)"
                            "   AND (SELECT max(trial_id) FROM trial WHERE sweep_id = ?1)"
                            "   AND sweep_id = ?1 AND in_plan = 1 AND state = 'completed'"
                            "  GROUP BY build_id)"
                            "SELECT core_type, kernels, openblas, compiler, flags, sum(n),"
                            "       count(*) OVER (PARTITION BY core_type, kernels) > 1"
                            "  FROM done JOIN build USING (build_id)"
                            " GROUP BY core_type, kernels, openblas, compiler, flags"
                            " ORDER BY sum(n) DESC, core_type, kernels, openblas, compiler, flags";
enum { CORE_TYPE, OURS, OPENBLAS, COMPILER, FLAGS, TRIALS, TWINS };

static void add_kind(struct report_kernels *k, struct rows *r)
{
    static const char *const key[] = {"core_type", "kernels", "openblas", "compiler", "flags"};
    long long trials = (long long)rows_integer(r, TRIALS);
    text_add(&k->words, k->kinds ? "; %lld with %s, %s" : "%lld with %s, %s", trials,
             rows_given(r, CORE_TYPE), rows_given(r, OURS));
    if (rows_integer(r, TWINS)) /* the rest tells them apart */
        text_add(&k->words, " (%s, %s, %s)", rows_given(r, OPENBLAS), rows_given(r, COMPILER),
                 rows_given(r, FLAGS));
    struct json_writer w = {.text = &k->json, .further = k->kinds > 0};
    json_begin_object(&w, NULL);
    json_add_integer(&w, "trials", trials);
    for (int i = CORE_TYPE; i <= FLAGS; i++)
        json_add_text(&w, key[i], rows_given(r, i));
    json_end_object(&w);
    k->kinds++;
}

static struct report_kernels report_kernels_read(struct scope *x, int64_t sweep_id)
{
    struct report_kernels k = {.words = scope_text(x), .json = scope_text(x)};
    struct rows *r = scope_rows(x, KINDS, VALUES(INTEGER(sweep_id)));
    text_add(&k.json, "[");
    while (scope_next(x, r))
        add_kind(&k, r);
    text_add(&k.json, "]");
    return k;
}

/* ---- the view by_heads ---- */

static int compare_settings(const void *a, const void *b)
{
    return strcmp((*(struct report_setting *const *)a)->setting,
                  (*(struct report_setting *const *)b)->setting);
}

/* The settings in the order of their texts, as the rows are. */
static struct report_setting **by_text(const struct report_data *r)
{
    struct report_setting **set =
        arena_alloc(&r->scope->arena, (size_t)r->settings, sizeof(struct report_setting *));
    for (int i = 0; i < r->settings; i++)
        set[i] = &r->setting[i];
    qsort(set, (size_t)r->settings, sizeof(struct report_setting *), compare_settings);
    return set;
}

/* Returns the setting that the row is of. */
static const char *add_row(struct rows *rows, struct table *t)
{
    const char *setting = "";
    for (int i = 0; i < rows_columns(rows); i++)
        if (strcmp(rows_name(rows, i), "setting") == 0)
            table_json(t, setting = rows_given(rows, i));
        else
            rows_cell(rows, i, t);
    return setting;
}

/* Reads all of it into r->by_heads, with the columns of the view, and which of its rows are of
 * which setting. */
static void report_rows_read(struct report_data *r)
{
    struct scope *x = r->scope;
    struct report_setting **set = by_text(r);
    int at = 0;
    struct rows *rows =
        scope_rows_of_sweep(x, "SELECT * FROM by_heads", VALUES(INTEGER(r->sweep_id)));
    r->by_heads = table_new(x, (const struct table_column[]){{0}});
    for (int i = 0; rows->status == STATUS_OK && i < rows_columns(rows); i++)
        table_add_named(r->by_heads, (struct table_column){0}, "%s", rows_name(rows, i));
    for (long row = 0; scope_next(x, rows); row++) {
        const char *setting = add_row(rows, r->by_heads);
        while (at < r->settings && strcmp(set[at]->setting, setting) < 0)
            at++;
        if (at == r->settings || strcmp(set[at]->setting, setting) != 0)
            continue;
        set[at]->first_row = set[at]->rows ? set[at]->first_row : row;
        set[at]->rows++;
    }
}

/* ---- the sweep ---- */

/* Of a sweep on several machines. */
static void read_lost(struct scope *x, struct report_data *r)
{
    enum { MACHINE, MACHINES };
    static const char sql[] =
        "SELECT format('%s (%d)', host, count(*)), count(*) OVER () FROM (" LOST_ATTEMPTS ") AS l"
        " WHERE (SELECT count(DISTINCT host) FROM attempt AS a WHERE a.trial_id = l.trial_id) > 1"
        " GROUP BY host ORDER BY count(*) DESC, host LIMIT ?2";
    int64_t machines = 0;
    struct rows *rows = scope_rows(x, sql, VALUES(INTEGER(r->sweep_id), INTEGER(LOST_SHOWN)));
    r->lost = scope_text(x);
    while (scope_next(x, rows)) {
        text_add(&r->lost, "%s%s", r->lost.used ? ", " : "", rows_given(rows, MACHINE));
        machines = rows_integer(rows, MACHINES);
    }
    if (machines > LOST_SHOWN)
        text_add(&r->lost, " and %lld more", (long long)(machines - LOST_SHOWN));
}

static void read_sweep(struct scope *x, struct report_data *r)
{
    enum { NAME, QUESTION, OVERRIDES, OVERRIDES_SHOWN, REMARK, SHARDS };
    struct rows *rows = scope_rows(
        x,
        "SELECT name, question, overrides,"
        "       (SELECT group_concat('--set ' || value, ' ') FROM json_each(overrides)), remark,"
        "       coalesce(shards, 'null')"
        "  FROM sweep WHERE sweep_id = ?1",
        VALUES(INTEGER(r->sweep_id)));
    while (scope_next(x, rows)) {
        r->name = scope_column(x, rows, NAME);
        r->question = scope_column(x, rows, QUESTION);
        r->overrides = scope_given(x, rows, OVERRIDES);
        r->overrides_shown = scope_column(x, rows, OVERRIDES_SHOWN);
        r->remark = scope_column(x, rows, REMARK);
        r->shards = scope_column(x, rows, SHARDS);
    }
    r->kernels = report_kernels_read(x, r->sweep_id);
    read_lost(x, r);
    scope_shards(x, r->sweep_id, &r->shards_left);
}

/* How much of the sweep has run, and what is the same in all of it: the first trial's options but
 * for those that vary. */
static void read_plan(struct scope *x, struct report_data *r)
{
    const struct counts *c = &r->counts;
    scope_check(x, store_counts(x->store, r->sweep_id, &r->counts, x->message));
    r->ended = c->ended;
    r->planned = c->planned + c->elsewhere;

    struct rows *rows =
        scope_rows(x,
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
    while (scope_next(x, rows)) {
        r->task = scope_column(x, rows, 0);
        r->fixed = scope_column(x, rows, 1);
    }
}

/* The one file that all trials of the plan learn from; its name, where this results file knows it,
 * without the folder, which is this machine's. */
static void read_file(struct scope *x, struct report_data *r)
{
    enum { FILES, SHA256, BYTES, ROWS, CLASSES, REPEATED, PATH };
    struct text_buffer text = scope_text(x);
    struct rows *rows =
        scope_rows(x,
                   "SELECT count(DISTINCT data_sha256), data_sha256,"
                   " config_json ->> '$.task.options.size', config_json ->> '$.task.options.rows',"
                   " config_json ->> '$.task.options.classes',"
                   " config_json ->> '$.task.options.repeated', " CONFIG_PATH
                   " FROM config WHERE data_sha256 IS NOT NULL AND EXISTS (SELECT 1 FROM trial"
                   "   WHERE sweep_id = ?1 AND trial.config_id = config.config_id AND in_plan = 1)",
                   VALUES(INTEGER(r->sweep_id)));
    while (scope_next(x, rows)) {
        if (rows_integer(rows, FILES) != 1)
            continue;
        const char *path = rows_text(rows, PATH);
        text_add(&text, "%s%s%s", path ? file_last_name(path) : "", path ? ", " : "",
                 text_counted(rows_integer(rows, BYTES), "byte").text);
        if (rows_integer(rows, ROWS) > 0)
            text_add(&text, ", %s, %s", text_counted(rows_integer(rows, ROWS), "row").text,
                     text_counted(rows_integer(rows, CLASSES), "label").text);
        if (!rows_null(rows, REPEATED))
            text_add(&text, " (%lld rows repeat a text and are only trained on)",
                     (long long)rows_integer(rows, REPEATED));
        text_add(&text, ", SHA-256 %.12s", rows_text(rows, SHA256));
    }
    r->file = text.text ? text.text : "";
}

/* ---- settings ---- */

static void judge_settings(struct scope *x, struct report_data *r)
{
    const struct evidence *e = r->evidence;
    r->settings = e->settings;
    r->setting = arena_alloc(&x->arena, (size_t)e->settings, sizeof *r->setting);
    for (int i = 0; i < e->settings; i++) {
        const struct evidence_setting *of = &e->setting[i];
        struct report_setting *set = &r->setting[i];
        *set =
            (struct report_setting){.setting = of->setting, .label = of->label, .input = of->input};
        set->verdict = verdict_new(x, &of->input);
        set->text = verdict_text_new(x, &of->input, set->verdict);
    }
}

/* ---- all of it ---- */

struct report_data *report_data_read(struct scope *x, int64_t sweep_id, bool rows)
{
    struct report_data *r = arena_alloc(&x->arena, 1, sizeof *r);
    r->scope = x;
    r->sweep_id = sweep_id;
    scope_read_begin(x);
    r->evidence = evidence_read(x, sweep_id);
    read_sweep(x, r);
    read_plan(x, r);
    read_file(x, r);
    judge_settings(x, r);
    r->between = report_between_new(x, r->evidence);
    r->shift = report_shift_read(x, sweep_id);
    r->labels = report_labels_read(x, sweep_id);
    if (rows)
        report_rows_read(r);
    scope_read_end(x);
    return r;
}
