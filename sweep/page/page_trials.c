/* The pieces that are about trials one by one. */
#include "sweep/page/page.h"

#include "sweep/page/page_rows.h"
#include "sweep/report/report_heads.h"

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
