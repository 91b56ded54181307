/* The table of shifted test sets for people, and its rows for programs. */
#include <math.h>
#include <string.h>

#include "sweep/report/report_shift.h"

/* ---- people ---- */

static void add_interval(struct table *t, const struct stats_summary *s)
{
    if (s->all_equal)
        table_printf(t, "all %d equal", s->n);
    else if (s->n < 2)
        table_text(t, "");
    else
        table_printf(t, "[%.3f, %.3f]", s->low, s->high);
}

static void add_row(struct table *t, const struct report_shift_row *row)
{
    table_text(t, row->set[0] ? row->set : "(training)");
    table_integer(t, row->heads);
    table_integer(t, row->value.n);
    table_real(t, row->value.summary.mean);
    add_interval(t, &row->value.summary);
    table_real(t, row->less.summary.mean);
    add_interval(t, &row->less.summary);
}

static void write_sentence(const struct report_shift *shift, const char *unit, struct document *d)
{
    struct text_buffer text = {0};
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

enum status report_shift_people(const struct report_shift *shift, const char *setting,
                                const char *unit, struct document *d, struct message *m)
{
    static const struct table_column columns[] = {{.title = "test set"},
                                                  {.title = "heads", .right = true},
                                                  {.title = "n", .right = true},
                                                  {.title = "mean", .right = true, .decimals = 3},
                                                  {.title = "95% interval", .leave_out = 1},
                                                  {.title = "- test", .right = true, .decimals = 3},
                                                  {.title = "its 95% interval"},
                                                  {0}};
    if (!shift)
        return STATUS_OK;
    write_sentence(shift, unit, d);
    struct table *t = table_new(columns);
    for (int i = 0; i < shift->rows; i++)
        if (strcmp(shift->row[i].setting, setting) == 0)
            add_row(t, &shift->row[i]);
    enum status s = table_rows(t) > 0 ? document_table(d, t, m) : STATUS_OK;
    table_free(t);
    return s;
}

/* ---- programs ---- */

static void put_row(FILE *out, const struct report_shift_row *row)
{
    fputc('{', out);
    if (row->set[0]) {
        fputs("\"set\":", out);
        text_json(out, row->set);
        fputc(',', out);
    }
    fprintf(out, "\"heads\":%lld,\"n\":%d", (long long)row->heads, row->value.n);
    text_json_member(out, "mean", row->value.summary.mean);
    text_json_member(out, "ci95_low", row->value.summary.low);
    text_json_member(out, "ci95_high", row->value.summary.high);
    text_json_member(out, "mean_diff", row->less.summary.mean);
    text_json_member(out, "diff_low", row->less.summary.low);
    text_json_member(out, "diff_high", row->less.summary.high);
    fputc('}', out);
}

/* The rows of a setting: those of training, or those of the sets. */
static void put_rows(FILE *out, const struct report_shift *shift, const char *setting,
                     bool training)
{
    bool first = true;
    for (int i = 0; i < shift->rows; i++) {
        const struct report_shift_row *row = &shift->row[i];
        if ((row->set[0] == '\0') != training || strcmp(row->setting, setting) != 0)
            continue;
        fputs(first ? "" : ",", out);
        put_row(out, row);
        first = false;
    }
}

void report_shift_json(const struct report_shift *shift, const char *setting, FILE *out)
{
    if (!shift)
        return;
    fputs(",\"training\":[", out);
    put_rows(out, shift, setting, true);
    fputs("],\"shifted\":[", out);
    put_rows(out, shift, setting, false);
    fputc(']', out);
}

const char *const report_shift_columns[REPORT_SHIFT_COLUMNS] = {
    "_n", "_mean", "_low", "_high", "_diff", "_diff_low", "_diff_high"};

void report_shift_cells(const struct report_shift *shift, const char *setting, const char *set,
                        int64_t heads, struct table *t)
{
    for (int i = 0; i < shift->rows; i++) {
        const struct report_shift_row *row = &shift->row[i];
        if (row->heads != heads || strcmp(row->set, set) != 0 || strcmp(row->setting, setting) != 0)
            continue;
        table_integer(t, row->value.n);
        const double cells[] = {row->value.summary.mean, row->value.summary.low,
                                row->value.summary.high, row->less.summary.mean,
                                row->less.summary.low,   row->less.summary.high};
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
            table_real(t, cells[k]);
        return;
    }
    for (int k = 0; k < REPORT_SHIFT_COLUMNS; k++)
        table_text(t, NULL);
}
