/* The pieces of a page: trials one by one, a sweep, all of them, several side by side, attention
 * maps. */
#include <inttypes.h>
#include <math.h>

#include "datasets/task.h"
#include "sweep/export/attention_maps.h"
#include "sweep/page/page_parts.h"
#include "sweep/page/page_write.h"
#include "sweep/report/report_heads.h"
#include "sweep/report/report_prune.h"

/* ---- trials ---- */

/* Numbers of trials of the sweep ?1, behind ?2 and up to its last, ?4, by rising number. Where they
 * lie close together SQLite is to walk along the table (+sweep_id) and to stop: by the index of
 * sweeps it goes through all that the sweep has, but through nothing else. */
static const char *const behind_sql[] = {
    "SELECT trial_id FROM trial WHERE sweep_id = ?1 AND +trial_id > ?2 AND +trial_id <= ?4"
    " ORDER BY trial_id",
    "SELECT trial_id FROM trial WHERE +sweep_id = ?1 AND trial_id > ?2 AND trial_id <= ?4"
    " ORDER BY trial_id"};

/* `next` comes before the rows: the last of them, if any comes after it. */
void page_trials(struct scope *x, int64_t sweep_id, int64_t after, long most, FILE *out)
{
    char sql[1500];
    scope_read_begin(x);
    const struct trial_span span = scope_trials(x, sweep_id);
    after = after < span.least ? span.least - 1 : after;
    const struct value values[] = {INTEGER(sweep_id), INTEGER(after), INTEGER(most),
                                   INTEGER(span.most)};
    const char *behind = behind_sql[span.dense];
    snprintf(sql, sizeof sql,
             "SELECT iif(count(*) = 2, min(trial_id), NULL) FROM (%s LIMIT 2 OFFSET ?3 - 1)",
             behind);
    int64_t next = scope_ask(x, sql, values, 4);
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_integer(&w, "total", span.count);
    json_add_nonzero(&w, "next", next);
    snprintf(
        sql, sizeof sql,
        "SELECT trial_id, heads, setting, setting_label, tuning, replicate, seed, state,"
        "       in_plan, is_tuning, confirms, choice, limit_hit, test_acc, test_exact, test_loss,"
        "       val_acc, val_loss, train_acc, best_step, steps_done, steps, train_s, n_params,"
        "       ended, host, attempt,"
        "       error, note, remark, checkpoint IS NOT NULL AS weights"
        "  FROM trials WHERE trial_id IN (%s LIMIT ?3) ORDER BY trial_id",
        behind);
    page_packed_rows(x, scope_rows(x, sql, values, 4), &w, "trials");
    json_end_object(&w);
    fputc('\n', out);
    scope_read_end(x);
}

/* ---- curves ---- */

enum { CURVE_COLUMNS = 5, CURVE_DIGITS = 5 };

void page_curve(struct scope *x, int64_t trial_id, long most, FILE *out)
{
    struct text_buffer text[CURVE_COLUMNS];
    struct json_writer column[CURVE_COLUMNS], w = {.out = out};
    const char *name[CURVE_COLUMNS] = {"step", "train_loss", "train_acc", "val_loss", "val_acc"};
    int64_t of = 0;
    struct rows *r = scope_rows(
        x,
        "WITH c AS (SELECT *, row_number() OVER (ORDER BY step) AS i, count(*) OVER () AS n"
        "             FROM curve WHERE trial_id = ?1)"
        " SELECT step, train_loss, train_acc, val_loss, val_acc, n FROM c"
        "  WHERE ?2 = 0 OR n <= ?2 OR i = n OR i % ((n + ?2 - 1) / ?2) = 0"
        "     OR step = (SELECT best_step FROM trial WHERE trial_id = ?1)"
        "  ORDER BY step",
        VALUES(INTEGER(trial_id), INTEGER(most)));
    for (int i = 0; i < CURVE_COLUMNS; i++) {
        text[i] = scope_text(x);
        column[i] = (struct json_writer){.text = &text[i]};
        json_begin_list(&column[i], NULL);
    }
    while (scope_next(x, r)) {
        of = rows_integer(r, CURVE_COLUMNS);
        for (int i = 0; i < CURVE_COLUMNS; i++)
            json_add_digits(&column[i], NULL, rows_real(r, i), i ? CURVE_DIGITS : 15);
    }
    json_begin_object(&w, NULL);
    json_add_integer(&w, "trial", trial_id);
    json_add_integer(&w, "of", of);
    for (int i = 0; i < CURVE_COLUMNS; i++) {
        json_end_list(&column[i]);
        json_add_json(&w, name[i], text[i].text);
    }
    json_end_object(&w);
    fputc('\n', out);
}

/* ---- one trial ---- */

void page_trial(struct scope *x, int64_t trial_id, FILE *out)
{
    const struct value id[] = {INTEGER(trial_id)};
    struct text_buffer names = scope_text(x);
    struct json_writer w = {.out = out};
    struct rows *r = scope_rows(
        x, "SELECT config_json FROM trial JOIN config USING (config_id) WHERE trial_id = ?1", id,
        1);
    json_begin_object(&w, NULL);
    json_add_integer(&w, "trial", trial_id);
    while (scope_next(x, r))
        page_cell(&w, "config", r, 0, PAGE_ALL_DIGITS, &names);
    json_add_key(&w, "attempts");
    page_rows(x,
              scope_rows(x,
                         "SELECT attempt, outcome, cause, started, ended, resumed_from_step, host,"
                         "       job, exit_code, signal, cpu_s, max_rss_kib, version, git_commit,"
                         "       error, note"
                         "  FROM attempt JOIN build USING (build_id)"
                         " WHERE trial_id = ?1 ORDER BY attempt",
                         id, 1),
              PAGE_ALL_DIGITS, out);
    json_end_object(&w);
    fputc('\n', out);
}

/* ---- heads ---- */

enum { HEADS_DIGITS = 4 };

void page_heads(struct scope *x, int64_t sweep_id, int64_t trial_id, long most, FILE *out)
{
    page_rows(x, report_heads_rows(x, sweep_id, trial_id, most), HEADS_DIGITS, out);
    fputc('\n', out);
}

/* ---- a sweep, and all of them ---- */

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

/* The time, UTC. */
static void page_put_written(struct scope *x, struct json_writer *w)
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

/* ---- several sweeps ---- */

/* What put(c) writes, with names for paths. */
static void put_named(const struct report_compare *c,
                      void (*put)(const struct report_compare *c, FILE *out), FILE *out)
{
    struct text_buffer *text, names = scope_text(c->scope);
    FILE *stream = scope_text_stream(c->scope, &text);
    put(c, stream);
    fflush(stream);
    page_names_only(text->text, store_folder(c->scope->store), &names);
    fwrite(names.text, 1, names.used, out);
}

static void put_words(const struct report_compare *c, FILE *out)
{
    struct document d = document_new(c->scope, out, false, (struct text_page){.columns = 100});
    report_compare_people(c, &d);
}

void page_put_comparison_words(const struct report_compare *c, FILE *out)
{
    put_named(c, put_words, out);
}

void page_put_comparison(const struct report_compare *c, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_key(&w, "comparison");
    put_named(c, report_compare_json, out);
    json_begin_list(&w, "reports");
    for (int i = 0; i < c->sweeps; i++) {
        json_add_key(&w, NULL);
        page_put_report(c->sweep[i], REPORT_JSON, out);
    }
    json_end_list(&w);
    page_put_written(c->scope, &w);
    json_end_object(&w);
    fputc('\n', out);
}

void page_comparison(struct scope *x, const int64_t *sweep_id, int sweeps, FILE *out)
{
    scope_read_begin(x);
    page_put_comparison(report_compare_new(x, sweep_id, sweeps, true), out);
    scope_read_end(x);
}

/* ---- attention maps, as bytes ---- */

enum { SEQUENCES = 2, LENGTH_MAX = 128, CELLS_MAX = 300000 };

/* The part of the maps that is shown. */
struct shown {
    const struct attention_maps *maps;
    long N, T;
};

/* The first sequence is shown whole or, where it is long, its beginning; further ones as far
 * as CELLS_MAX goes. */
static struct shown choose(const struct attention_maps *a)
{
    long heads = a->L * a->H, T = a->T < LENGTH_MAX ? a->T : LENGTH_MAX;
    while (T > 1 && heads * T * T > CELLS_MAX)
        T--;
    long n = CELLS_MAX / (heads * T * T);
    return (struct shown){a, a->N < n ? a->N : n > 1 ? n : 1, T};
}

static void put_inputs(const struct shown *shown, struct json_writer *w)
{
    long fields = data_io(shown->maps->model->data)->fields;
    const int64_t *inputs = shown->maps->inputs;
    json_begin_list(w, "inputs");
    for (long n = 0; n < shown->N; n++) {
        json_begin_list(w, NULL);
        for (long t = 0; t < shown->T; t++) {
            json_begin_list(w, NULL);
            for (long k = 0; k < fields; k++)
                json_add_integer(w, NULL, inputs[(n * shown->maps->T + t) * fields + k]);
            json_end_list(w);
        }
        json_end_list(w);
    }
    json_end_list(w);
}

static void put_weights(const struct shown *shown, uint8_t *bytes, struct json_writer *w)
{
    const struct attention_maps *a = shown->maps;
    long N = shown->N, T = shown->T;
    size_t used = 0;
    for (long h = 0; h < a->L * a->H; h++)
        for (long n = 0; n < N; n++)
            for (long i = 0; i < T; i++)
                for (long k = 0; k < T; k++)
                    bytes[used++] =
                        (uint8_t)lrintf(255 * a->weights[((h * a->N + n) * a->T + i) * a->T + k]);
    json_add_key(w, "weights");
    fputc('"', w->out);
    base64_write(bytes, used, w->out);
    fputc('"', w->out);
}

enum status page_attention(struct store *s, int64_t trial_id, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "a page", m);
    if (scope_enter(x)) {
        const struct attention_maps *maps = attention_maps_new(x, trial_id, SEQUENCES, true);
        struct shown shown = choose(maps);
        uint8_t *bytes = arena_alloc(
            &x->arena, (size_t)(maps->L * maps->H * shown.N * shown.T * shown.T), sizeof *bytes);
        struct json_writer w = {.out = out};
        json_begin_object(&w, NULL);
        json_add_integer(&w, "trial", trial_id);
        json_add_integer(&w, "step", maps->model->trial->best_step);
        json_add_integer(&w, "layers", maps->L);
        json_add_integer(&w, "heads", maps->H);
        json_add_integer(&w, "sequences", shown.N);
        json_add_integer(&w, "length", shown.T);
        json_add_integer(&w, "of_length", maps->T);
        put_inputs(&shown, &w);
        put_weights(&shown, bytes, &w);
        json_end_object(&w);
        fputc('\n', out);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}

enum status page_attention_or_missing(struct store *s, int64_t trial_id, FILE *out,
                                      struct message *m)
{
    struct message why = {0};
    enum status status = trial_id ? page_attention(s, trial_id, out, &why) : STATUS_BAD_INPUT;
    if (status == STATUS_NO_MEMORY || status == STATUS_BUSY)
        return status_fail(m, status, "%s", why.text);
    if (status != STATUS_OK)
        fprintf(out, "{\"missing\":%" PRId64 "}", trial_id);
    return text_check(out, m);
}
