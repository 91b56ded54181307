#include "sweep/report/report_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/rows_table.h"
#include "sweep/store/evidence.h"

static enum status out_of_memory(struct message *m)
{
    return status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
}

/* The array with room for one more than `count` elements, doubled when it is full; NULL where there
 * is no memory (the array stays as it was). */
static void *grow(void *array, int count, size_t size)
{
    bool full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
    return full ? realloc(array, (size_t)(count < 4 ? 4 : 2 * count) * size) : array;
}

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

static enum status read_sweep(struct store *s, int64_t sweep_id, struct report_data *r,
                              struct message *m)
{
    enum { NAME, QUESTION, CLAIM_BEST, OVERRIDES, OVERRIDES_SHOWN, REMARK };
    struct rows rows = rows_open(
        s, m,
        "SELECT name, question, claim ->> '$.best',"
        "       overrides, (SELECT group_concat('--set ' || value, ' ') FROM json_each(overrides)),"
        "       remark"
        "  FROM sweep WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    bool found = rows_next(&rows);
    if (found) {
        r->name = copy(rows_text(&rows, NAME));
        r->question = copy(rows_text(&rows, QUESTION));
        r->base.has_claim = !rows_null(&rows, CLAIM_BEST);
        r->base.claim_best = rows_integer(&rows, CLAIM_BEST);
        r->overrides = copy(rows_null(&rows, OVERRIDES) ? "null" : rows_text(&rows, OVERRIDES));
        r->overrides_shown = copy(rows_text(&rows, OVERRIDES_SHOWN));
        r->remark = copy(rows_text(&rows, REMARK));
    }
    enum status status = rows_close(&rows);
    if (status != STATUS_OK)
        return status;
    if (!found)
        return status_fail(m, STATUS_BAD_INPUT, "no sweep has the id %lld", (long long)sweep_id);
    if (!r->name || !r->question || !r->overrides || !r->overrides_shown || !r->remark)
        return out_of_memory(m);
    status = evidence_proof(s, sweep_id, &r->base.proof, m);
    if (status != STATUS_OK)
        return status;

    rows = rows_open(s, m,
                     "SELECT over.value FROM sweep, json_each(claim, '$.over') AS over"
                     " WHERE sweep_id = ?1 AND claim IS NOT NULL",
                     VALUES(INTEGER(sweep_id)));
    while (status == STATUS_OK && rows_next(&rows)) {
        int64_t *over = grow(r->claim_over, r->base.claim_over_count, sizeof *over);
        if (!over) {
            status = out_of_memory(m);
            break;
        }
        r->claim_over = over;
        over[r->base.claim_over_count++] = rows_integer(&rows, 0);
    }
    r->base.claim_over = r->claim_over;
    enum status closed = rows_close(&rows);
    return status == STATUS_OK ? closed : status;
}

/* How much of the sweep has run, and what is the same in all of it: the first trial's options but
 * for those that vary. */
static enum status read_plan(struct store *s, int64_t sweep_id, struct report_data *r,
                             struct message *m)
{
    struct counts c;
    enum status status = store_counts(s, sweep_id, &c, m);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < TRIAL_STATES; i++)
        r->ended += trial_state_ended((enum trial_state)i) ? c.trials[i] : 0;
    r->planned = r->ended + c.trials[TRIAL_QUEUED] + c.trials[TRIAL_RUNNING];

    struct rows rows = rows_open(
        s, m,
        "WITH first AS ("
        "  SELECT config_json, setting, tuning, task FROM trial JOIN config USING (config_id)"
        "   WHERE sweep_id = ?1 AND in_plan = 1 ORDER BY plan_order LIMIT 1),"
        " varies AS ("
        "  SELECT key FROM first, json_each(setting)"
        "  UNION ALL SELECT key FROM first, json_each(tuning)),"
        " options AS ("
        "  SELECT 'task.' || key AS path, key, atom FROM first, json_each(config_json, "
        "'$.task.options')"
        "  UNION ALL SELECT 'model.' || key, key, atom FROM first, json_each(config_json, "
        "'$.model')"
        "   WHERE key IN ('d_model', 'd_head', 'layers', 'd_ff')"
        "  UNION ALL SELECT 'train.' || key, key, atom FROM first, json_each(config_json, "
        "'$.train')"
        "   WHERE key IN ('steps', 'batch', 'lr') OR (key = 'examples' AND atom <> 0))"
        " SELECT (SELECT task FROM first), group_concat(key || '=' || atom, ', ')"
        "   FROM options WHERE path NOT IN (SELECT key FROM varies)",
        VALUES(INTEGER(sweep_id)));
    if (rows_next(&rows)) {
        r->task = copy(rows_text(&rows, 0));
        r->fixed = copy(rows_text(&rows, 1));
    }
    status = rows_close(&rows);
    return status != STATUS_OK ? status : r->task && r->fixed ? STATUS_OK : out_of_memory(m);
}

/* ---- trials ---- */

/* The setting of a row: the newest one, or a new one. NULL: no memory. */
static struct report_setting *setting_of(struct report_data *r, const char *setting,
                                         const char *label)
{
    if (r->settings && !strcmp(r->setting[r->settings - 1].setting, setting))
        return &r->setting[r->settings - 1];
    struct report_setting *grown = grow(r->setting, r->settings, sizeof *grown);
    if (!grown)
        return NULL;
    r->setting = grown;
    struct report_setting *added = &grown[r->settings++];
    *added = (struct report_setting){
        .setting = copy(setting), .label = copy(label), .place = INT64_MAX, .input = r->base};
    return added->setting && added->label ? added : NULL;
}

/* The head count of a row within its setting, likewise. */
static struct verdict_heads *heads_of(struct report_data *r, struct report_setting *set,
                                      int64_t count)
{
    if (set->count && set->heads[set->count - 1].heads == count)
        return &set->heads[set->count - 1];
    struct verdict_heads *heads = grow(set->heads, set->count, sizeof *heads);
    if (!heads)
        return NULL;
    set->heads = heads;
    struct report_heads *extra = grow(set->extra, set->count, sizeof *extra);
    if (!extra)
        return NULL;
    set->extra = extra;
    extra[set->count] = (struct report_heads){.first_trial = r->trials};
    heads[set->count] = (struct verdict_heads){.heads = count};
    return &heads[set->count++];
}

/* Columns of the query in read_trials. */
enum {
    SETTING,
    LABEL,
    HEADS,
    SEED,
    STATE,
    TEST_ACC,
    VAL_ACC,
    CHANCE,
    STEPS,
    PARAMS,
    TRAIN_S,
    PLACE,
    TRIAL_ID
};

static enum status add_trial(struct report_data *r, struct rows *row, struct message *m)
{
    struct report_setting *set = setting_of(r, rows_given(row, SETTING), rows_given(row, LABEL));
    struct verdict_heads *heads = set ? heads_of(r, set, rows_integer(row, HEADS)) : NULL;
    struct verdict_trial *trial = grow(r->trial, r->trials, sizeof *trial);
    if (trial)
        r->trial = trial;
    if (!heads || !trial)
        return out_of_memory(m);

    int64_t place = rows_integer(row, PLACE), steps = rows_integer(row, STEPS);
    set->place = place < set->place ? place : set->place;
    set->input.steps = steps > set->input.steps ? steps : set->input.steps;
    set->input.chance = rows_real(row, CHANCE);
    set->input.planned++;
    struct report_heads *extra = &set->extra[set->count - 1];
    extra->n_params = rows_integer(row, PARAMS);
    enum trial_state state = rows_state(row, STATE);
    bool completed = state == TRIAL_COMPLETED;
    if (!trial_state_ended(state))
        return STATUS_OK;
    trial[r->trials++] = (struct verdict_trial){.seed = rows_integer(row, SEED),
                                                .bad = !completed,
                                                .test = rows_real(row, TEST_ACC),
                                                .val = rows_real(row, VAL_ACC),
                                                .trial_id = rows_integer(row, TRIAL_ID),
                                                .exact = NAN,
                                                .late_slope = NAN};
    heads->n++;
    if (completed) {
        extra->completed++;
        extra->train_s += rows_real(row, TRAIN_S);
    }
    return STATUS_OK;
}

/* Under tune a seed has one trial per candidate until the choice is made: they are one planned
 * trial, which has ended when the chosen one has. */
static enum status read_trials(struct store *s, int64_t sweep_id, struct report_data *r,
                               struct message *m)
{
    struct rows rows = rows_open(
        s, m,
        "SELECT setting, setting_label, heads, seed, iif(choice = 'chosen', state, 'queued'),"
        "       test_acc, val_acc, t.chance, steps, n_params, train_s, min(plan_order),"
        "       trial_id"
        "  FROM trial AS t JOIN config USING (config_id)"
        " WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND state <> 'pruned'"
        "   AND choice <> 'passed'"
        " GROUP BY setting, heads, seed ORDER BY setting, heads, seed",
        VALUES(INTEGER(sweep_id)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&rows))
        status = add_trial(r, &rows, m);
    enum status closed = rows_close(&rows);
    return status == STATUS_OK ? closed : status;
}

static int compare_settings(const void *a, const void *b)
{
    return strcmp(((const struct report_setting *)a)->setting,
                  ((const struct report_setting *)b)->setting);
}

/* Before the settings are put into the order of the plan. */
static struct report_setting *setting_find(struct report_data *r, const char *setting)
{
    struct report_setting key = {.setting = (char *)setting};
    return r->settings
               ? bsearch(&key, r->setting, (size_t)r->settings, sizeof key, compare_settings)
               : NULL;
}

/* ---- by_heads ---- */

void report_columns_free(struct table_column *columns)
{
    for (int i = 0; columns && columns[i].name; i++)
        free((char *)columns[i].name);
    free(columns);
}

enum status report_columns(struct store *s, struct table_column **columns, struct message *m)
{
    struct rows rows = rows_open(s, m, "SELECT * FROM by_heads LIMIT 0", NO_VALUES);
    enum status status = rows.status;
    int n = status == STATUS_OK ? rows_columns(&rows) : 0;
    *columns = calloc((size_t)n + 1, sizeof **columns);
    for (int i = 0; *columns && i < n && status == STATUS_OK; i++)
        if (!((*columns)[i].name = strdup(rows_name(&rows, i))))
            status = out_of_memory(m);
    rows_close(&rows);
    return *columns ? status : out_of_memory(m);
}

static enum status read_by_heads(struct store *s, struct report_data *r, struct message *m)
{
    enum status status = report_columns(s, &r->column, m);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < r->settings; i++)
        if (!(r->setting[i].by_heads = table_new(r->column)))
            return out_of_memory(m);
    int setting = 0;
    while (r->column[setting].name && strcmp(r->column[setting].name, "setting") != 0)
        setting++;
    struct rows rows =
        rows_open(s, m, "SELECT * FROM by_heads WHERE sweep = ?1", VALUES(TEXT(r->name)));
    while (rows_next(&rows)) {
        struct report_setting *set = setting_find(r, rows_given(&rows, setting));
        for (int i = 0; set && r->column[i].name; i++) {
            if (i == setting)
                table_json(set->by_heads, rows_text(&rows, i));
            else
                rows_cell(&rows, i, set->by_heads);
        }
    }
    return rows_close(&rows);
}

/* ---- choices under tune ---- */

/* The last part of a dotted path: what is left of it after everything up to the last dot. */
#define LAST_PART(key) "substr(" key ", 1 + length(rtrim(" key ", replace(" key ", '.', ''))))"

/* What each head count chose, and which of it lies at the edge of what was tried. */
static enum status read_choices(struct store *s, int64_t sweep_id, struct report_data *r,
                                struct message *m)
{
    enum { CHOICE_SETTING, CHOICE_HEADS, CHOICE_LABEL, CHOICE_EDGE };
    struct rows rows = rows_open(
        s, m,
        "WITH tried AS MATERIALIZED ("
        "  SELECT setting, heads, o.key, min(o.value) AS low, max(o.value) AS high"
        "    FROM tuning, json_each(tuning.tuning) AS o"
        "   WHERE sweep_id = ?1 AND o.type IN ('integer', 'real')"
        "   GROUP BY setting, heads, o.key)"
        "SELECT c.setting, c.heads, group_concat(" LAST_PART(
            "o.key") " || '=' || o.value, ', '),"
                     "       coalesce(group_concat(iif(low < high AND o.value IN (low, high),"
                     "                                 " LAST_PART(
                         "o.key") ", NULL), ', '), '')"
                                  "  FROM chosen AS c, json_each(c.tuning) AS o"
                                  "  LEFT JOIN tried AS t ON t.setting = c.setting AND t.heads = "
                                  "c.heads AND t.key = o.key"
                                  " WHERE c.sweep_id = ?1 GROUP BY c.setting, c.heads ORDER BY "
                                  "c.setting, c.heads",
        VALUES(INTEGER(sweep_id)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&rows)) {
        struct report_setting *set = setting_find(r, rows_given(&rows, CHOICE_SETTING));
        if (!set)
            continue;
        struct verdict_choice *choice = grow(set->choice, set->choices, sizeof *choice);
        if (choice) {
            set->choice = choice;
            choice += set->choices++;
            *choice = (struct verdict_choice){rows_integer(&rows, CHOICE_HEADS),
                                              copy(rows_text(&rows, CHOICE_LABEL)),
                                              copy(rows_text(&rows, CHOICE_EDGE))};
        }
        if (!choice || !choice->label || !choice->edge)
            status = out_of_memory(m);
    }
    enum status closed = rows_close(&rows);
    return status == STATUS_OK ? closed : status;
}

/* How far the tuning of each setting is. */
static enum status read_tuning(struct store *s, int64_t sweep_id, struct report_data *r,
                               struct message *m)
{
    struct rows rows =
        rows_open(s, m,
                  "SELECT setting, count(*), sum(state NOT IN ('queued', 'running')) FROM trial"
                  " WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 1 GROUP BY setting",
                  VALUES(INTEGER(sweep_id)));
    while (rows_next(&rows)) {
        struct report_setting *set = setting_find(r, rows_given(&rows, 0));
        if (set) {
            set->input.tuning = (long)rows_integer(&rows, 1);
            set->input.tuning_ended = (long)rows_integer(&rows, 2);
        }
    }
    return rows_close(&rows);
}

/* ---- all of it ---- */

static int compare_places(const void *a, const void *b)
{
    int64_t x = ((const struct report_setting *)a)->place;
    int64_t y = ((const struct report_setting *)b)->place;
    return (x > y) - (x < y);
}

static enum status judge_settings(struct report_data *r, struct message *m)
{
    enum status status = STATUS_OK;
    if (r->settings)
        qsort(r->setting, (size_t)r->settings, sizeof *r->setting, compare_places);
    for (int i = 0; i < r->settings && status == STATUS_OK; i++) {
        struct report_setting *set = &r->setting[i];
        for (int k = 0; k < set->count; k++)
            set->heads[k].trial = r->trial + set->extra[k].first_trial;
        set->input.count = set->count;
        set->input.heads = set->heads;
        set->input.choices = set->choices;
        set->input.choice = set->choice;
        status = verdict_new(&set->input, &set->verdict, m);
    }
    return status;
}

enum status report_data_read(struct store *s, int64_t sweep_id, bool view, struct report_data **out,
                             struct message *m)
{
    struct report_data *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return out_of_memory(m);
    r->base.chance = NAN;
    enum status status = store_snapshot(s, m);
    if (status == STATUS_OK) {
        status = read_sweep(s, sweep_id, r, m);
        if (status == STATUS_OK)
            status = read_plan(s, sweep_id, r, m);
        if (status == STATUS_OK)
            status = read_trials(s, sweep_id, r, m);
        if (status == STATUS_OK && view)
            status = read_by_heads(s, r, m);
        if (status == STATUS_OK)
            status = read_choices(s, sweep_id, r, m);
        if (status == STATUS_OK)
            status = read_tuning(s, sweep_id, r, m);
        store_snapshot_end(s);
    }
    if (status == STATUS_OK)
        status = judge_settings(r, m);
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
        struct report_setting *set = &r->setting[i];
        for (int k = 0; k < set->choices; k++) {
            free((char *)set->choice[k].label);
            free((char *)set->choice[k].edge);
        }
        free(set->setting);
        free(set->label);
        free(set->heads);
        free(set->extra);
        free(set->choice);
        verdict_free(set->verdict);
        table_free(set->by_heads);
    }
    report_columns_free(r->column);
    free(r->setting);
    free(r->trial);
    free(r->claim_over);
    free(r->name);
    free(r->question);
    free(r->overrides);
    free(r->overrides_shown);
    free(r->remark);
    free(r->task);
    free(r->fixed);
    free(r);
}
