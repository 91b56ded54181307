/* The pieces that are about a sweep, or about all of them. */
#include "sweep/page/page_parts.h"

#include "datasets/task.h"
#include "sweep/page/page_paths.h"
#include "sweep/page/page_rows.h"
#include "sweep/report/report_heads.h"
#include "sweep/report/report_prune.h"

void page_index(struct scope *x, FILE *out)
{
    struct rows *r =
        scope_rows(x,
                   "SELECT p.*, question, metric FROM progress AS p JOIN sweep USING (sweep_id)"
                   " ORDER BY p.last_run DESC, sweep_id DESC",
                   NO_VALUES);
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_key(&w, "sweeps");
    page_rows(x, r, PAGE_ALL_DIGITS, out);
    json_end_object(&w);
    fputc('\n', out);
}

/* How tables look whose rows are elsewhere. */
static void put_columns(const struct report_data *report, struct json_writer *w)
{
    json_begin_object(w, "columns");
    report_page_columns(report, w);
    report_between_page_columns(w);
    report_shift_page_columns(w);
    report_heads_page_columns(w);
    report_prune_page_columns(w);
    json_end_object(w);
}

static void put_states(const struct counts *c, struct json_writer *w)
{
    json_begin_object(w, "states");
    for (int i = 0; i < TRIAL_STATES; i++)
        json_add_integer(w, trial_state_name((enum trial_state)i),
                         c->trials[i] + (i == TRIAL_QUEUED ? c->elsewhere : 0));
    json_end_object(w);
}

/* The row of the sweep, each column as a member. */
static void put_sweep(struct scope *x, int64_t sweep_id, struct json_writer *w)
{
    struct text_buffer names = scope_text(x);
    struct rows *r =
        scope_rows(x, "SELECT * FROM sweep WHERE sweep_id = ?1", VALUES(INTEGER(sweep_id)));
    json_begin_object(w, "sweep");
    while (scope_next(x, r))
        for (int i = 0; i < rows_columns(r); i++)
            page_cell(w, rows_name(r, i), r, i, PAGE_ALL_DIGITS, &names);
    json_end_object(w);
}

/* What each task of the sweep asks of a model. */
static void put_tasks(struct scope *x, int64_t sweep_id, struct json_writer *w)
{
    struct rows *r = scope_rows(x,
                                "SELECT DISTINCT task FROM trial JOIN config USING (config_id)"
                                " WHERE sweep_id = ?1 ORDER BY 1",
                                VALUES(INTEGER(sweep_id)));
    json_begin_list(w, "tasks");
    while (scope_next(x, r)) {
        const struct task *task = task_find(rows_given(r, 0));
        if (!task)
            continue; /* of another version */
        json_begin_object(w, NULL);
        json_add_text(w, "name", task->name);
        json_add_text(w, "summary", task->summary);
        json_end_object(w);
    }
    json_end_list(w);
}

/* Whether a trial of the sweep has answered study ?2. Without any, `heads --json` and `prune
 * --json` go through all trials before they find that there is nothing to say. Most files have more
 * trials than answers, so SQLite is to begin with these. */
static const char ANSWERED[] = "SELECT 1 FROM study CROSS JOIN trial USING (trial_id)"
                               " WHERE name = ?2 AND sweep_id = ?1 LIMIT 1";

static enum status put_heads(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    const struct heads_question q = {.sweep_id = sweep_id, .format = REPORT_JSON};
    return report_heads(s, &q, (struct text_page){0}, out, m);
}

static enum status put_pruning(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    return report_prune(s, sweep_id, 0, REPORT_JSON, (struct text_page){0}, out, m);
}

/* null: no trial has an answer. Both reports refuse that before they write anything. */
static void put_studies(struct scope *x, int64_t sweep_id, struct json_writer *w)
{
    static const struct {
        const char *member, *study;
        enum status (*put)(struct store *s, int64_t sweep_id, FILE *out, struct message *m);
    } studies[] = {{"heads", "heads", put_heads}, {"pruning", "prune", put_pruning}};
    for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
        json_add_key(w, studies[i].member);
        const struct value values[] = {INTEGER(sweep_id), TEXT(studies[i].study)};
        enum status status = scope_ask(x, ANSWERED, values, 2)
                                 ? studies[i].put(x->store, sweep_id, w->out, x->message)
                                 : STATUS_BAD_INPUT;
        if (status == STATUS_BAD_INPUT)
            fputs("null", w->out);
        else
            scope_check(x, status);
    }
}

static void put_query(struct scope *x, int64_t sweep_id, const char *name, const char *sql,
                      struct json_writer *w)
{
    json_add_key(w, name);
    page_rows(x, scope_rows_of_sweep(x, sql, VALUES(INTEGER(sweep_id))), PAGE_ALL_DIGITS, w->out);
}

void page_put_report(const struct report_data *r, enum report_format f, FILE *out)
{
    struct text_buffer *text, names = scope_text(r->scope);
    FILE *report = scope_text_stream(r->scope, &text);
    report_write_data(r, f, false, (struct text_page){.columns = 100}, report);
    page_names_only(text->text, store_folder(r->scope->store), &names);
    fwrite(names.text, 1, names.used, out);
}

void page_put_written(struct scope *x, struct json_writer *w)
{
    struct rows *r = scope_rows(x, "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", NO_VALUES);
    while (scope_next(x, r))
        json_add_text(w, "written", rows_given(r, 0));
}

int64_t page_best_trial(const struct report_data *report)
{
    if (report->settings == 0)
        return 0;
    const struct report_setting *set = report->setting;
    return scope_ask(
        report->scope,
        "SELECT trial_id FROM trial AS t JOIN config USING (config_id) JOIN sweep USING (sweep_id)"
        " WHERE sweep_id = ?1 AND setting = ?2 AND (heads = ?3 OR ?3 = 0) AND in_plan = 1"
        "   AND is_tuning = 0 AND confirms = 0 AND choice = 'chosen' AND state = 'completed'"
        "   AND checkpoint IS NOT NULL"
        " ORDER BY CASE goal WHEN 'minimize' THEN t.val_loss ELSE -t.val_acc END, trial_id LIMIT 1",
        VALUES(INTEGER(report->sweep_id), TEXT(set->setting), INTEGER(set->verdict->candidate)));
}

void page_put_summary(const struct report_data *report, FILE *out)
{
    static const struct {
        const char *name, *sql; /* ?1: sweep */
    } queries[] = {
        {"cost", "SELECT * FROM cost"},
        {"tuning",
         "SELECT setting, heads, tuning, n, n_bad, score, rank, settled, eliminated_at,"
         "       added, rung_score"
         "  FROM tuning LEFT JOIN ("
         "       SELECT setting, heads, tuning, avg(iif(t.state IN ('diverged', 'failed'),"
         "              iif(metric = 'val_loss', NULL, t.chance),"
         "              (SELECT iif(metric = 'val_loss', min(c.val_loss), max(c.val_acc))"
         "                 FROM curve AS c"
         "                WHERE c.trial_id = t.trial_id AND c.step <= t.until)))"
         "              AS rung_score"
         "         FROM trial AS t JOIN config USING (config_id)"
         "         JOIN sweep USING (sweep_id)"
         "        WHERE sweep_id = ?1 AND is_tuning = 1 AND in_plan = 1"
         "          AND choice = 'eliminated'"
         "        GROUP BY setting, heads, tuning) USING (setting, heads, tuning)"
         " ORDER BY setting, heads, rank"},
        {"builds", "SELECT version, git_commit, compiler, flags, openblas, core_type, kernels,"
                   "       cpu, count(*) AS attempts, count(DISTINCT host) AS hosts,"
                   "       min(started) AS first, max(coalesce(ended, started)) AS last,"
                   "       total(a.cpu_s) AS cpu_s"
                   "  FROM attempt AS a JOIN build USING (build_id) JOIN trial USING (trial_id)"
                   " WHERE sweep_id = ?1 GROUP BY build_id ORDER BY build_id"},
    };
    struct scope *x = report->scope;
    int64_t sweep_id = report->sweep_id;
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_key(&w, "report");
    page_put_report(report, REPORT_JSON, out);
    put_columns(report, &w);
    put_states(&report->counts, &w);
    put_sweep(x, sweep_id, &w);
    put_tasks(x, sweep_id, &w);
    put_studies(x, sweep_id, &w);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
        put_query(x, sweep_id, queries[i].name, queries[i].sql, &w);
    json_add_integer(&w, "best", page_best_trial(report));
    page_put_written(x, &w);
    json_end_object(&w);
    fputc('\n', out);
}

void page_summary(struct scope *x, int64_t sweep_id, FILE *out)
{
    scope_read_begin(x);
    page_put_summary(report_data_read(x, sweep_id, true), out);
    scope_read_end(x);
}
