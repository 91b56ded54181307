/* Shifted test sets: their rows, the table for people, and the rows for programs. */
#include "sweep/report/report_shift.h"

#include <string.h>

#include "sweep/report/trained.h"

static void read_sets(struct scope *x, int64_t sweep_id, struct report_shift *shift)
{
    struct text_buffer options = scope_text(x);
    struct rows *rows = scope_rows(
        x,
        "SELECT key, (SELECT group_concat(o.key || '=' || o.value, ', ') FROM json_each(e.value) AS"
        " o), metric = 'val_loss' FROM sweep, json_each(eval) AS e WHERE sweep_id = ?1 ORDER BY "
        "key",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, rows)) {
        char *name = scope_given(x, rows, 0);
        shift->set = arena_grow(&x->arena, shift->set, (size_t)shift->sets, sizeof name);
        shift->set[shift->sets++] = name;
        shift->loss = rows_integer(rows, 2);
        text_add(&options, "%s%s: %s", options.used ? "; " : "", name,
                 rows_null(rows, 1) ? "no option differs" : rows_text(rows, 1));
    }
    shift->options = options.text;
}

static long count_missing(struct scope *x, int64_t sweep_id, int sets)
{
    return (long)scope_ask(
        x,
        "SELECT (SELECT count(*) FROM trial WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0"
        " AND confirms = 0"
        " AND choice = 'chosen' AND state = 'completed' AND checkpoint IS NOT NULL) * ?2"
        " - (SELECT count(*) FROM evaluations AS e JOIN trial USING (trial_id)"
        "     WHERE sweep_id = ?1 AND state = 'completed' AND checkpoint IS NOT NULL)",
        VALUES(INTEGER(sweep_id), INTEGER(sets)));
}

static bool is_newest(const struct report_shift *shift, const char *setting, const char *set,
                      int64_t heads)
{
    if (shift->rows == 0)
        return false;
    const struct report_shift_row *row = &shift->row[shift->rows - 1];
    return row->heads == heads && strcmp(row->set, set) == 0 && strcmp(row->setting, setting) == 0;
}

static void read_rows(struct scope *x, int64_t sweep_id, struct report_shift *shift)
{
    enum { SETTING, SET, HEADS, UNIT, VALUE, LESS };
    struct rows *rows = scope_rows(
        x,
        TRAINED_JUDGED
        ", measured AS ("
        "  SELECT setting, '' AS name, heads, unit, train_acc AS x, train_acc - test_acc AS less"
        "    FROM judged WHERE NOT ?2"
        "  UNION ALL"
        "  SELECT j.setting, e.name, j.heads, unit, iif(?2, e.loss, e.acc),"
        "         iif(?2, e.loss - j.test_loss, e.acc - j.test_acc)"
        "    FROM judged AS j JOIN evaluations AS e USING (trial_id))"
        " SELECT setting, name, heads, unit, avg(x), avg(less) FROM measured WHERE x IS NOT NULL"
        "  GROUP BY setting, name, heads, unit ORDER BY setting, name, heads, unit",
        VALUES(INTEGER(sweep_id), INTEGER(shift->loss)));
    while (scope_next(x, rows)) {
        const char *setting = rows_given(rows, SETTING), *set = rows_given(rows, SET);
        int64_t heads = rows_integer(rows, HEADS), unit = rows_integer(rows, UNIT);
        if (!is_newest(shift, setting, set, heads)) {
            shift->row = arena_grow(&x->arena, shift->row, (size_t)shift->rows, sizeof *shift->row);
            shift->row[shift->rows++] =
                (struct report_shift_row){.setting = arena_string(&x->arena, setting),
                                          .set = arena_string(&x->arena, set),
                                          .heads = heads};
        }
        struct report_shift_row *row = &shift->row[shift->rows - 1];
        sample_add(x, &row->value, unit, rows_real(rows, VALUE));
        sample_add(x, &row->less, unit, rows_real(rows, LESS));
    }
    for (int i = 0; i < shift->rows; i++) {
        sample_finish(x, &shift->row[i].value, shift->loss ? STATS_LOSS : STATS_ACCURACY);
        sample_finish(x, &shift->row[i].less, STATS_ANY);
    }
}

struct report_shift *report_shift_read(struct scope *x, int64_t sweep_id)
{
    struct report_shift *shift = arena_alloc(&x->arena, 1, sizeof *shift);
    shift->scope = x;
    read_sets(x, sweep_id, shift);
    if (shift->sets == 0)
        return NULL;
    shift->missing = count_missing(x, sweep_id, shift->sets);
    read_rows(x, sweep_id, shift);
    return shift;
}

/* ---- the table ---- */

static void make_set(struct table *t, const void *row)
{
    const struct report_shift_row *r = row;
    table_text(t, r->set[0] ? r->set : "(training)");
}

#define ROW(member)      TABLE_CELL(struct report_shift_row, member)
#define INTERVAL(member) TABLE_MAKE(struct report_shift_row, member, sample_interval)
enum { OF_SET = 1 }; /* not of training */

/* csv: the end of a name that begins with the set's. */
static const struct table_column COLUMNS[] = {
    {.title = "test set", .make = make_set},
    {.name = "set", ROW(set), .only_if = OF_SET},
    {NAMED("heads"), ROW(heads), PAGE("Heads")},
    {.name = "n", .csv = "_n", .title = "n", ROW(value.n), PAGE("n")},
    {.name = "mean", .csv = "_mean", .title = "mean", ROW(value.summary.mean), PAGE("Mean")},
    {.title = "95% interval", INTERVAL(value), .leave_out = 1},
    {.name = "ci95_low", .csv = "_low", ROW(value.summary.low), PAGE("95% from")},
    {.name = "ci95_high", .csv = "_high", ROW(value.summary.high), PAGE("to")},
    {.name = "mean_diff",
     .csv = "_diff",
     .title = "- test",
     ROW(less.summary.mean),
     PAGE("Less the test set\u2019s", .show = "signedFour")},
    {.title = "its 95% interval", INTERVAL(less)},
    {.name = "diff_low",
     .csv = "_diff_low",
     ROW(less.summary.low),
     PAGE("from", .show = "signedFour")},
    {.name = "diff_high",
     .csv = "_diff_high",
     ROW(less.summary.high),
     PAGE("to", .show = "signedFour")},
    {0}};

/* ---- people ---- */

static void write_sentence(const struct report_shift *shift, const char *unit, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    const char *what = shift->loss ? "loss" : "accuracy";
    text_add(
        &text,
        "On shifted test sets (%s): the weights of the best step, over n %ss; - test: their %s "
        "minus that on the test set.",
        shift->options, unit, what);
    if (!shift->loss)
        text_add(&text, " (training): the accuracy in training up to that step; - test is then the "
                        "generalization gap.");
    if (shift->missing > 0)
        text_add(&text, " %ld %s missing; `headcount run` takes %s.", shift->missing,
                 shift->missing == 1 ? "test is" : "tests are",
                 shift->missing == 1 ? "it" : "them");
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

void report_shift_people(const struct report_shift *shift, const char *setting, const char *unit,
                         struct document *d)
{
    if (!shift)
        return;
    write_sentence(shift, unit, d);
    struct table *t = table_of_people(d->scope, COLUMNS, 0);
    for (int i = 0; i < shift->rows; i++)
        if (strcmp(shift->row[i].setting, setting) == 0)
            table_row(t, &shift->row[i]);
    if (table_rows(t) > 0)
        document_table(d, t);
}

/* ---- programs ---- */

/* The rows of a setting: those of training, or those of the sets. */
static void put_rows(const struct report_shift *shift, const char *setting, unsigned sets,
                     struct json_writer *w, const char *key)
{
    struct table *t = table_when(shift->scope, COLUMNS, sets);
    for (int i = 0; i < shift->rows; i++) {
        const struct report_shift_row *row = &shift->row[i];
        if ((row->set[0] != '\0') == (sets == OF_SET) && strcmp(row->setting, setting) == 0)
            table_row(t, row);
    }
    table_add_json(t, w, key);
}

void report_shift_json(const struct report_shift *shift, const char *setting, struct json_writer *w)
{
    if (!shift)
        return;
    put_rows(shift, setting, 0, w, "training");
    put_rows(shift, setting, OF_SET, w, "shifted");
}

void report_shift_page_columns(struct json_writer *w)
{
    table_page_columns(COLUMNS, ~0u, w, "shifted");
}

void report_shift_columns(const struct report_shift *shift, struct table *t)
{
    for (int i = -1; shift && i < shift->sets; i++)
        table_add_csv(t, COLUMNS, ~0u, i < 0 ? "training" : "eval_", i < 0 ? "" : shift->set[i]);
}

void report_shift_cells(const struct report_shift *shift, const char *setting, int64_t heads,
                        struct table *t)
{
    for (int i = -1; shift && i < shift->sets; i++) {
        const char *set = i < 0 ? "" : shift->set[i];
        const struct report_shift_row *row = NULL;
        for (int k = 0; k < shift->rows && !row; k++)
            if (shift->row[k].heads == heads && strcmp(shift->row[k].set, set) == 0 &&
                strcmp(shift->row[k].setting, setting) == 0)
                row = &shift->row[k];
        table_row_csv(t, COLUMNS, ~0u, row);
    }
}
