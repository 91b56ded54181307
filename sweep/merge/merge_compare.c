/* Whether two results of one trial are the same, and whether they may differ. */
#include "sweep/merge/merge_parts.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/number.h"

/* What `export results` says of a result. */
static const char RESULT[] =
    "SELECT state, steps_done, best_step, bad_step, train_acc, val_acc, val_loss, test_acc,"
    " test_acc_by_slot, test_exact, test_loss, chance FROM trial WHERE trial_id = ?";
static const char CURVE[] = "SELECT step, train_loss, train_acc, val_loss, val_acc, grad_norm, lr"
                            " FROM curve WHERE trial_id = ? ORDER BY step";

struct difference {
    bool found;
    char what[64], theirs[64], ours[64];
};

/* A value as people read it, exact. */
static void word_value(const struct rows *r, bool row, int i, char *text, size_t size)
{
    char number[32];
    if (!row || rows_null(r, i)) {
        snprintf(text, size, "none");
    } else if (rows_kind(r, i) == ROWS_REAL) {
        number_format(rows_real(r, i), number, sizeof number);
        snprintf(text, size, "%s", number);
    } else {
        rows_copy(r, i, text, size);
    }
}

static bool same_value(const struct rows *a, const struct rows *b, int i)
{
    if (rows_kind(a, i) != rows_kind(b, i))
        return false;
    switch (rows_kind(a, i)) {
    case ROWS_INTEGER:
        return rows_integer(a, i) == rows_integer(b, i);
    case ROWS_REAL:
        return rows_real(a, i) == rows_real(b, i);
    case ROWS_TEXT:
        return strcmp(rows_text(a, i), rows_text(b, i)) == 0;
    case ROWS_NULL:
        break;
    }
    return true;
}

/* Where rows that stand for each other differ first. by_step: rows have the step in front. */
static void find_difference(struct rows *theirs, struct rows *ours, bool by_step,
                            struct difference *d)
{
    bool a = rows_next(theirs), b = rows_next(ours);
    for (; a && b && !d->found; a = rows_next(theirs), b = rows_next(ours))
        for (int i = 0; i < rows_columns(theirs) && !d->found; i++) {
            if (same_value(theirs, ours, i))
                continue;
            d->found = true;
            if (by_step && i > 0)
                snprintf(d->what, sizeof d->what, "%s at step %lld", rows_name(theirs, i),
                         (long long)rows_integer(theirs, 0));
            else
                snprintf(d->what, sizeof d->what, "%s", rows_name(theirs, i));
            word_value(theirs, true, i, d->theirs, sizeof d->theirs);
            word_value(ours, true, i, d->ours, sizeof d->ours);
        }
    if (a == b || d->found)
        return;
    d->found = true;
    snprintf(d->what, sizeof d->what, "another step in its curve");
    word_value(theirs, a, 0, d->theirs, sizeof d->theirs);
    word_value(ours, b, 0, d->ours, sizeof d->ours);
}

static enum status compare(struct merging *g, const char *sql, bool by_step, int64_t from_id,
                           int64_t into_id, struct difference *d)
{
    if (d->found)
        return STATUS_OK;
    struct rows theirs = store_rows(g->from, MERGING, sql, VALUES(INTEGER(from_id)), g->m);
    struct rows ours = store_rows(g->into, MERGING, sql, VALUES(INTEGER(into_id)), g->m);
    find_difference(&theirs, &ours, by_step, d);
    enum status status = rows_close(&theirs), closed = rows_close(&ours);
    return status == STATUS_OK ? closed : status;
}

/* Who trained it, where all attempts were built alike; "" where they were not. */
static enum status read_build(struct store *s, int64_t trial_id, char build[512], struct message *m)
{
    struct rows r = store_rows(s, MERGING,
                               "SELECT DISTINCT 'headcount ' || version || ', ' || compiler ||"
                               " ', flags ' || trim(flags) || ', ' || openblas || ', core type ' ||"
                               " core_type || ', kernels ' || kernels"
                               " FROM attempt JOIN build USING (build_id) WHERE trial_id = ?",
                               VALUES(INTEGER(trial_id)), m);
    build[0] = '\0';
    if (rows_next(&r))
        rows_copy(&r, 0, build, 512);
    if (rows_next(&r))
        build[0] = '\0';
    return rows_close(&r);
}

/* "4 heads, slots=4, lr=0.01, seed 3 of sweep gather" */
static enum status read_name(struct merging *g, int64_t into_id, char *name, size_t size)
{
    struct rows r = store_rows(g->into, MERGING,
                               "SELECT heads, setting_label, tuning, seed, name FROM trial JOIN"
                               " config USING (config_id) JOIN sweep USING (sweep_id)"
                               " WHERE trial_id = ?",
                               VALUES(INTEGER(into_id)), g->m);
    name[0] = '\0';
    if (rows_next(&r)) {
        char label[256];
        plan_full_label(rows_given(&r, 1), rows_given(&r, 2), label, sizeof label);
        snprintf(name, size, "heads=%lld%s%s, seed %lld of sweep %s",
                 (long long)rows_integer(&r, 0), label[0] ? ", " : "", label,
                 (long long)rows_integer(&r, 3), rows_given(&r, 4));
    }
    return rows_close(&r);
}

static enum status contradiction(struct merging *g, const struct difference *d, const char *build,
                                 int64_t from_id, int64_t into_id)
{
    char name[512];
    enum status status = read_name(g, into_id, name, sizeof name);
    if (status != STATUS_OK)
        return status;
    return status_fail(g->m, STATUS_BAD_INPUT,
                       "%s contradicts what is merged so far, so nothing was merged: the trial %s "
                       "has %s %s there (trial %lld), but %s in %s (trial %lld), though %s trained "
                       "both. One of the files was changed or is faulty; leave it out",
                       g->from->path, name, d->what, d->theirs, (long long)from_id, d->ours,
                       g->into->path, (long long)into_id, build);
}

enum status merge_compare(struct merging *g, int64_t from_id, int64_t into_id, bool *same)
{
    char theirs[512] = "", ours[512] = "";
    struct difference d = {.found = false};
    enum status status = compare(g, RESULT, false, from_id, into_id, &d);
    if (status == STATUS_OK)
        status = compare(g, CURVE, true, from_id, into_id, &d);
    *same = !d.found;
    if (status == STATUS_OK && d.found)
        status = read_build(g->from, from_id, theirs, g->m);
    if (status == STATUS_OK && d.found)
        status = read_build(g->into, into_id, ours, g->m);
    if (status == STATUS_OK && d.found && ours[0] && strcmp(ours, theirs) == 0)
        status = contradiction(g, &d, ours, from_id, into_id);
    return status;
}
