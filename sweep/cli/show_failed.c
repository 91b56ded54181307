/* Of many trials that failed most failed alike: each error is shown once, above its trials. */
#include "sweep/cli/show_failed.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/json_write.h"
#include "sweep/plan/plan.h"
#include "sweep/report/table.h"

/* Characters of an error that are shown; what this program writes has fewer. */
#define SHOWN_MAX "8192"

/* An error, whatever numbers are in it. */
struct error_kind {
    const char *like;       /* any of them, as like_others makes it */
    int64_t trial, attempt; /* who said it first */
    long attempts;          /* that said it */
    long trials;            /* that ended with it */
    long order;             /* in which it was found */
    int number;             /* by which it is called; 0: none yet */
};

struct failed_trial {
    int64_t trial_id;
    const struct error_kind *kind; /* of its end */
};

struct failures {
    struct scope *scope;
    struct error_kind **kind; /* (kinds), by `like` */
    long kinds;
    struct failed_trial *trial;
    long trials;
};

/* ---- kinds of errors ---- */

/* Numbers, also hexadecimal ones behind 0x, count as equal: steps, addresses, process numbers. So
 * do the spaces that align them. */
static const char *like_others(struct arena *a, const char *error)
{
    char *like = arena_alloc(a, strlen(error) + 1, 1), *to = like;
    for (const char *at = error; *at;) {
        size_t n = strncmp(at, "0x", 2) == 0 ? 2 + strspn(at + 2, "0123456789abcdefABCDEF")
                                             : strspn(at, "0123456789");
        size_t spaces = strspn(at, " ");
        *to++ = n > 0 ? '0' : *at;
        at += n > 0 ? n : spaces > 0 ? spaces : 1;
    }
    return like;
}

/* Where a kind is, or belongs, among those that are known. */
static long place_of(const struct failures *f, const char *like)
{
    long low = 0;
    for (long high = f->kinds; low < high;) {
        long middle = low + (high - low) / 2;
        if (strcmp(f->kind[middle]->like, like) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The kind of this error, perhaps a new one. */
static struct error_kind *kind_of(struct failures *f, const char *error)
{
    struct arena *a = &f->scope->arena;
    const char *like = like_others(a, error);
    long at = place_of(f, like);
    if (at < f->kinds && strcmp(f->kind[at]->like, like) == 0)
        return f->kind[at];
    struct error_kind *k = arena_alloc(a, 1, sizeof *k);
    *k = (struct error_kind){.like = like, .order = f->kinds};
    f->kind = arena_grow(a, f->kind, (size_t)f->kinds, sizeof(struct error_kind *));
    memmove(f->kind + at + 1, f->kind + at, (size_t)(f->kinds - at) * sizeof(struct error_kind *));
    f->kinds++;
    return f->kind[at] = k;
}

/* ---- reading ---- */

#define FAILED                                                                                     \
    "FROM trial AS t LEFT JOIN attempt AS a USING (trial_id)"                                      \
    " WHERE t.sweep_id = ?1 AND t.in_plan = 1 AND t.state IN ('failed', 'diverged')"

static void add_attempt(struct failures *f, int64_t trial_id, int64_t attempt, const char *error,
                        bool last)
{
    bool known = f->trials > 0 && f->trial[f->trials - 1].trial_id == trial_id;
    if (!known) {
        f->trial = arena_grow(&f->scope->arena, f->trial, (size_t)f->trials, sizeof *f->trial);
        f->trial[f->trials++] = (struct failed_trial){trial_id, NULL};
    }
    if (!error && !last)
        return; /* it was asked to stop */
    struct error_kind *k = kind_of(f, error ? error : "");
    if (k->attempts++ == 0) {
        k->trial = trial_id;
        k->attempt = attempt;
    }
    if (last) {
        k->trials++;
        f->trial[f->trials - 1].kind = k;
    }
}

static void read_failures(struct failures *f, int64_t sweep_id)
{
    enum { TRIAL, ATTEMPT, ERROR, LAST };
    struct rows *r =
        scope_rows(f->scope,
                   "SELECT t.trial_id, a.attempt, a.error,"
                   " coalesce(a.attempt = t.attempt, 1) " FAILED " ORDER BY t.trial_id, a.attempt",
                   VALUES(INTEGER(sweep_id)));
    while (scope_next(f->scope, r))
        add_attempt(f, rows_integer(r, TRIAL), rows_integer(r, ATTEMPT), rows_text(r, ERROR),
                    rows_integer(r, LAST) != 0);
}

/* ---- as text ---- */

static int by_trials(const void *a, const void *b)
{
    const struct error_kind *x = *(const struct error_kind *const *)a,
                            *y = *(const struct error_kind *const *)b;
    if (x->trials != y->trials)
        return x->trials < y->trials ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Plain, each line behind spaces. */
static void print_indented(const char *text)
{
    for (const char *at = text; *at;) {
        size_t size = strcspn(at, "\n");
        text_print(stdout, "    %.*s\n", (int)size, at);
        at += size + (at[size] == '\n');
    }
    if (!*text)
        puts("    (it said nothing)");
}

static void print_error(struct scope *x, const struct error_kind *k)
{
    struct rows *r = scope_rows(x,
                                "SELECT substr(error, 1, " SHOWN_MAX "), length(error) > " SHOWN_MAX
                                " FROM attempt WHERE trial_id = ?1 AND attempt = ?2",
                                VALUES(INTEGER(k->trial), INTEGER(k->attempt)));
    bool has = rows_next(r);
    print_indented(has && !rows_null(r, 0) ? rows_text(r, 0) : "");
    if (has && rows_integer(r, 1))
        puts("    [...]");
    scope_close(x, r);
}

static const struct table_column trial_columns[] = {
    {.title = "trial", .right = true},
    {.title = "heads", .right = true},
    {.name = "setting", .title = "setting", .leave_out = 3},
    {.title = "seed", .right = true},
    {.title = "state", .leave_out = 2},
    {.title = "retries", .right = true, .leave_out = 1},
    {.title = "attempt", .right = true},
    {.title = "error", .right = true},
    {.title = "outcome"},
    {.title = "exit", .right = true, .leave_out = 5},
    {.title = "signal", .right = true, .leave_out = 5},
    {.title = "started", .leave_out = 6},
    {.title = "ended", .leave_out = 4},
    {.title = "from step", .right = true, .leave_out = 1},
    {.title = "host", .leave_out = 7},
    {.title = "job", .leave_out = 7},
    {0}};

/* A row for each attempt of the trial. Returns whether it has a setting. */
static bool add_rows(struct rows *r, struct failures *f, struct table *t)
{
    enum {
        TRIAL,
        HEADS,
        LABEL,
        TUNING,
        SEED,
        RETRIES = SEED + 2,
        ATTEMPT,
        OUTCOME,
        JOB = 15,
        ERROR
    };
    char setting[PLAN_TEXT_MAX] = "";
    while (rows_next(r)) {
        const char *label = rows_text(r, LABEL), *tuning = rows_text(r, TUNING);
        plan_full_label(label ? label : "", tuning ? tuning : "", setting, sizeof setting);
        rows_cell(r, TRIAL, t);
        rows_cell(r, HEADS, t);
        table_text(t, setting);
        for (int i = SEED; i <= ATTEMPT; i++)
            rows_cell(r, i, t);
        if (rows_null(r, ERROR))
            table_text(t, NULL);
        else
            table_integer(t, kind_of(f, rows_text(r, ERROR))->number);
        for (int i = OUTCOME; i <= JOB; i++)
            rows_cell(r, i, t);
    }
    return setting[0] != '\0';
}

static void print_trials(struct failures *f, const struct error_kind *kind)
{
    struct table *t = table_new(f->scope, trial_columns);
    bool settings = false;
    struct rows *r = scope_rows(
        f->scope,
        "SELECT v.trial_id, v.heads, v.setting_label, v.tuning, v.seed, v.state, t.retries_used,"
        " a.attempt, coalesce(a.outcome, 'running'), a.exit_code, a.signal, a.started, a.ended,"
        " a.resumed_from_step, a.host, a.job, a.error FROM trials AS v JOIN trial AS t"
        " USING (trial_id) LEFT JOIN attempt AS a USING (trial_id)"
        " WHERE t.trial_id = ?1 ORDER BY a.attempt",
        VALUES(INTEGER(0)));
    for (long i = 0; i < f->trials && r->status == STATUS_OK; i++)
        if (f->trial[i].kind == kind) {
            rows_rebind(r, VALUES(INTEGER(f->trial[i].trial_id)));
            settings |= add_rows(r, f, t);
        }
    if (!settings)
        table_hide(t, "setting");
    scope_close(f->scope, r);
    table_write_page(t, text_page(stdout), stdout);
}

static void print_kind(struct failures *f, const struct error_kind *k)
{
    printf("\nError %d: ", k->number);
    if (k->trials > 0)
        printf("%ld trial%s ended with it, %ld attempt%s had it in all", k->trials,
               text_plural(k->trials), k->attempts, text_plural(k->attempts));
    else
        printf("only %ld earlier attempt%s had it", k->attempts, text_plural(k->attempts));
    printf(". In attempt %lld of trial %lld%s:\n", (long long)k->attempt, (long long)k->trial,
           k->attempts == 1 ? "" : " (elsewhere numbers in it may differ)");
    print_error(f->scope, k);
    if (k->trials == 0)
        return;
    putchar('\n');
    print_trials(f, k);
}

static void print_summary(const struct failures *f, int64_t sweep_id)
{
    struct rows *r = scope_rows(f->scope,
                                "SELECT name, (SELECT count(*) FROM trial AS t"
                                "  WHERE t.sweep_id = sweep.sweep_id AND in_plan = 1)"
                                " FROM sweep WHERE sweep_id = ?1",
                                VALUES(INTEGER(sweep_id)));
    while (scope_next(f->scope, r))
        text_print(stdout, "%s: %ld of %s failed or diverged.\n", rows_given(r, 0), f->trials,
                   text_counted(rows_integer(r, 1), "trial").text);
}

static void print_failed(struct failures *f, int64_t sweep_id)
{
    const long kinds = f->kinds; /* a run may add others meanwhile */
    struct error_kind **kind =
        arena_alloc(&f->scope->arena, (size_t)kinds + 1, sizeof(struct error_kind *));
    if (kinds > 0) {
        memcpy(kind, f->kind, (size_t)kinds * sizeof(struct error_kind *));
        qsort(kind, (size_t)kinds, sizeof(struct error_kind *), by_trials);
    }
    for (long k = 0; k < kinds; k++)
        kind[k]->number = (int)k + 1;
    print_summary(f, sweep_id);
    for (long k = 0; k < kinds; k++)
        print_kind(f, kind[k]);
}

/* ---- as JSON ---- */

/* In a scope of its own: there may be very many trials. */
static enum status put_attempts(struct store *s, int64_t trial, struct message *m)
{
    struct scope *x = scope_new(s, "the attempts at a trial", m);
    if (scope_enter(x)) {
        struct table *t = table_new(x, show_attempt_columns);
        rows_to_table(x, scope_rows(x, show_attempt_sql, VALUES(INTEGER(trial))), t);
        table_write(t, TABLE_JSON, false, stdout);
    }
    return scope_end(x);
}

/* error_kind: equal where trials ended alike. Trials are written as they are read. */
static void put_failed(const struct failures *f)
{
    enum { HEADS, SETTING, TUNING, SEED, STATE, RETRIES, LIMIT };
    struct scope *x = f->scope;
    struct rows *r = scope_rows(x,
                                "SELECT v.heads, v.setting_label, v.tuning, v.seed, v.state,"
                                " t.retries_used, t.limit_hit FROM trials AS v"
                                " JOIN trial AS t USING (trial_id) WHERE t.trial_id = ?1",
                                VALUES(INTEGER(0)));
    struct json_writer w = {.out = stdout, .spaced = true};
    json_begin_list(&w, NULL);
    for (long i = 0; i < f->trials; i++) {
        char setting[PLAN_TEXT_MAX];
        rows_rebind(r, VALUES(INTEGER(f->trial[i].trial_id)));
        if (!rows_next(r))
            break;
        const char *label = rows_text(r, SETTING), *tuning = rows_text(r, TUNING);
        plan_full_label(label ? label : "", tuning ? tuning : "", setting, sizeof setting);
        json_begin_object(&w, NULL);
        json_add_integer(&w, "trial_id", f->trial[i].trial_id);
        json_add_integer(&w, "heads", rows_integer(r, HEADS));
        json_add_text(&w, "setting", setting);
        json_add_integer(&w, "seed", rows_integer(r, SEED));
        json_add_text(&w, "state", rows_text(r, STATE));
        json_add_integer(&w, "retries_used", rows_integer(r, RETRIES));
        json_add_integer(&w, "limit_hit", rows_integer(r, LIMIT));
        json_add_integer(&w, "error_kind", f->trial[i].kind ? f->trial[i].kind->order + 1 : 0);
        json_add_key(&w, "attempts");
        scope_check(x, put_attempts(x->store, f->trial[i].trial_id, x->message));
        json_end_object(&w);
    }
    puts("]");
    scope_close(x, r);
}

void show_failed(struct scope *x, int64_t sweep_id, bool json)
{
    struct failures *f = arena_alloc(&x->arena, 1, sizeof *f);
    f->scope = x;
    read_failures(f, sweep_id);
    if (json)
        put_failed(f);
    else
        print_failed(f, sweep_id);
}
