/* The pieces that are about a sweep, or about all of them. */
#include "sweep/page/page_parts.h"

#include <stdlib.h>

#include "sweep/page/page_paths.h"
#include "sweep/page/page_rows.h"
#include "sweep/report/report_heads.h"
#include "sweep/report/report_prune.h"

enum status page_index(struct store *s, FILE *out, struct message *m)
{
    struct rows r = rows_open(s, m,
                              "SELECT p.*, question FROM progress AS p JOIN sweep USING (sweep_id)"
                              " ORDER BY p.last_run DESC, sweep_id DESC",
                              NO_VALUES);
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_key(&w, "sweeps");
    enum status status = page_rows(&r, PAGE_ALL_DIGITS, out);
    json_end_object(&w);
    fputc('\n', out);
    return status == STATUS_OK ? text_check(out, m) : status;
}

/* How tables look whose rows are elsewhere. */
static void put_columns(const struct report_data *report, struct json_writer *w)
{
    json_begin_object(w, "columns");
    report_page_columns(report, w);
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
static enum status put_sweep(struct store *s, int64_t sweep_id, struct json_writer *w,
                             struct message *m)
{
    struct rows r =
        rows_open(s, m, "SELECT * FROM sweep WHERE sweep_id = ?1", VALUES(INTEGER(sweep_id)));
    json_begin_object(w, "sweep");
    if (rows_next(&r))
        for (int i = 0; i < rows_columns(&r); i++)
            page_cell(w, rows_name(&r, i), &r, i, PAGE_ALL_DIGITS);
    json_end_object(w);
    return rows_close(&r);
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
static enum status put_studies(struct store *s, int64_t sweep_id, struct json_writer *w,
                               struct message *m)
{
    static const struct {
        const char *member, *study;
        enum status (*put)(struct store *s, int64_t sweep_id, FILE *out, struct message *m);
    } studies[] = {{"heads", "heads", put_heads}, {"pruning", "prune", put_pruning}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof studies / sizeof studies[0] && status == STATUS_OK; i++) {
        struct message nothing = {0};
        int64_t any = 0;
        json_add_key(w, studies[i].member);
        status = rows_ask(s, m, ANSWERED, VALUES(INTEGER(sweep_id), TEXT(studies[i].study)), &any);
        if (status != STATUS_OK)
            break;
        status = any ? studies[i].put(s, sweep_id, w->out, &nothing) : STATUS_BAD_INPUT;
        if (status == STATUS_BAD_INPUT) {
            fputs("null", w->out);
            status = STATUS_OK;
        } else if (status != STATUS_OK) {
            *m = nothing;
        }
    }
    return status;
}

static enum status put_query(struct store *s, int64_t sweep_id, const char *name, const char *sql,
                             struct json_writer *w, struct message *m)
{
    struct rows r = rows_of_sweep(s, m, sql, VALUES(INTEGER(sweep_id)));
    json_add_key(w, name);
    return page_rows(&r, PAGE_ALL_DIGITS, w->out);
}

/* With names for paths, which --set may have had. */
static enum status put_report(const struct store *s, const struct report_data *r,
                              struct json_writer *w, struct message *m)
{
    struct text_buffer text = {0};
    FILE *report = text_stream(&text);
    if (!report)
        return status_no_memory(m, "a page");
    enum status status = report_write_data(r, REPORT_JSON, (struct text_page){0}, report, m);
    fclose(report);
    if (status == STATUS_OK) {
        json_add_key(w, "report");
        page_names_only(text.text, store_folder(s), w->out);
    }
    free(text.text);
    return status;
}

enum status page_open_report(struct store *s, int64_t sweep_id, struct report_data **report,
                             struct message *m)
{
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    status = report_data_read(s, sweep_id, true, report, m);
    if (status != STATUS_OK)
        store_snapshot_end(s);
    return status;
}

void page_close_report(struct store *s, struct report_data *report)
{
    report_data_free(report);
    store_snapshot_end(s);
}

enum status page_best_trial(struct store *s, int64_t sweep_id, const struct report_data *report,
                            int64_t *trial_id, struct message *m)
{
    const struct report_setting *set = report->settings ? report->setting : NULL;
    *trial_id = 0;
    if (!set)
        return STATUS_OK;
    struct rows r = rows_open(
        s, m,
        "SELECT trial_id FROM trial AS t JOIN config USING (config_id) JOIN sweep USING (sweep_id)"
        " WHERE sweep_id = ?1 AND setting = ?2 AND (heads = ?3 OR ?3 = 0) AND in_plan = 1"
        "   AND is_tuning = 0 AND choice = 'chosen' AND state = 'completed'"
        "   AND checkpoint IS NOT NULL"
        " ORDER BY CASE goal WHEN 'minimize' THEN t.val_loss ELSE -t.val_acc END, trial_id LIMIT 1",
        VALUES(INTEGER(sweep_id), TEXT(set->setting), INTEGER(set->verdict->candidate)));
    if (rows_next(&r))
        *trial_id = rows_integer(&r, 0);
    return rows_close(&r);
}

enum status page_put_summary(struct store *s, int64_t sweep_id, const struct report_data *report,
                             FILE *out, struct message *m)
{
    static const struct {
        const char *name, *sql; /* ?1: sweep */
    } queries[] = {
        {"cost", "SELECT * FROM cost"},
        {"chosen", "SELECT setting, setting_label, heads, tuning, n, n_bad, score FROM chosen"},
        {"builds", "SELECT version, git_commit, compiler, flags, openblas, core_type, kernels,"
                   "       cpu, count(*) AS attempts, count(DISTINCT host) AS hosts,"
                   "       min(started) AS first, max(coalesce(ended, started)) AS last,"
                   "       total(a.cpu_s) AS cpu_s"
                   "  FROM attempt AS a JOIN build USING (build_id) JOIN trial USING (trial_id)"
                   " WHERE sweep_id = ?1 GROUP BY build_id ORDER BY build_id"},
    };
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    enum status status = put_report(s, report, &w, m);
    if (status != STATUS_OK)
        return status;
    put_columns(report, &w);
    put_states(&report->counts, &w);
    status = put_sweep(s, sweep_id, &w, m);
    if (status == STATUS_OK)
        status = put_studies(s, sweep_id, &w, m);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0] && status == STATUS_OK; i++)
        status = put_query(s, sweep_id, queries[i].name, queries[i].sql, &w, m);
    int64_t best = 0;
    if (status == STATUS_OK)
        status = page_best_trial(s, sweep_id, report, &best, m);
    json_add_integer(&w, "best", best);
    if (status == STATUS_OK) {
        struct rows r = rows_open(s, m, "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", NO_VALUES);
        if (rows_next(&r))
            page_cell(&w, "written", &r, 0, PAGE_ALL_DIGITS);
        status = rows_close(&r);
    }
    json_end_object(&w);
    fputc('\n', out);
    return status == STATUS_OK ? text_check(out, m) : status;
}

enum status page_summary(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    struct report_data *report;
    enum status status = page_open_report(s, sweep_id, &report, m);
    if (status != STATUS_OK)
        return status;
    status = page_put_summary(s, sweep_id, report, out, m);
    page_close_report(s, report);
    return status;
}
