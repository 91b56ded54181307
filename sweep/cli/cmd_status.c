/* headcount status: how far each sweep of a results file is. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/cli/command.h"
#include "sweep/cli/status_shards.h"
#include "sweep/db/rows.h"
#include "sweep/db/scope.h"
#include "sweep/plan/machine.h"
#include "sweep/report/table.h"
#include "sweep/run/cores.h"
#include "sweep/run/cost.h"
#include "sweep/run/looks.h"
#include "sweep/trials/lost.h"

/* ---- lost machines ---- */

/* Machines on which attempts were lost, since the last run of the sweep began. */
struct status_lost {
    char *json;  /* {"b":{"attempts":2,"error":"..."}, ...} */
    char *words; /* "b, which lost 2 attempts, the last one to: ...; c, ...": where no trial runs
                    now, those that lost most first; NULL: none */
};

/* ?1 sweep, ?2 how many machines are told of. An agent's errors begin with its host. */
static const char LOST[] =
    "WITH lost AS MATERIALIZED ("
    "  SELECT host, count(*) AS n, max(ended), replace("
    "         iif(substr(error, 1, length(host) + 2) = host || ': ',"
    "             substr(error, length(host) + 3), error), char(10), ' ') AS why"
    "    FROM (" LOST_ATTEMPTS ")"
    "   WHERE ended >= (SELECT last_run FROM sweep WHERE sweep_id = ?1) GROUP BY host"
    "), away AS ("
    "  SELECT host, n, why FROM lost WHERE host NOT IN ("
    "    SELECT host FROM trial JOIN attempt USING (trial_id, attempt)"
    "     WHERE state = 'running' AND sweep_id = ?1 AND in_plan = 1 AND host IS NOT NULL)"
    "), worst AS (SELECT * FROM away ORDER BY n DESC, host LIMIT ?2"
    ") SELECT (SELECT json_group_object(host, json_object('attempts', n, 'error', why)) FROM lost),"
    "  (SELECT group_concat(format('%s, which lost %d attempt%s, the last one to: %s', host, n,"
    "          iif(n = 1, '', 's'), substr(why, 1, 300)), '; ') FROM worst),"
    "  (SELECT count(*) FROM away)";

/* Passes along all attempts of the file: to be asked while trials run. */
static struct status_lost status_lost(struct scope *x, int64_t sweep_id)
{
    enum { JSON, WORDS, AWAY };
    struct text_buffer words = scope_text(x);
    struct status_lost lost = {0};
    struct rows *r = scope_rows(x, LOST, VALUES(INTEGER(sweep_id), INTEGER(LOST_SHOWN)));
    while (scope_next(x, r)) {
        int64_t more = rows_integer(r, AWAY) - LOST_SHOWN;
        lost.json = scope_column(x, r, JSON);
        if (!rows_null(r, WORDS))
            text_add(&words, "%s", rows_text(r, WORDS));
        if (more > 0)
            text_add(&words, "; and %lld more", (long long)more);
    }
    lost.words = words.text;
    return lost;
}

/* ---- running trials ---- */

enum { VALUES_MAX = 512, CELLS = 16 };

#define TRIALS(number, shard, more)                                                                \
    "SELECT t.trial_id, s.name, heads, setting_label, seed, c.steps, s.metric = 'val_loss',"       \
    " " number ", " shard " FROM trial AS t JOIN sweep AS s USING (sweep_id)"                      \
    "  JOIN config AS c USING (config_id) " more " WHERE state = 'running' AND in_plan = 1"        \
    "   AND s.name NOT IN (SELECT value FROM json_each(?2)) ORDER BY t.trial_id LIMIT ?1"
static const char OF_FILE[] = TRIALS("t.trial_id", "NULL", "");
static const char OF_SHARDS[] = TRIALS("r.its_id", "iif(r.number, r.number || '/' || r.of, '')",
                                       "LEFT JOIN shard_running AS r USING (trial_id)");
static const char CURVE[] =
    "SELECT * FROM (SELECT step, iif(?2, val_loss, val_acc) FROM curve WHERE trial_id = ?1"
    "                ORDER BY step DESC LIMIT ?3) ORDER BY step";
enum { TRIAL, SWEEP, HEADS, SETTING, SEED, STEPS, LOSS, NUMBER, SHARD };

/* "▁▃▆ acc 0.913", from 0 to 1, or from the smallest to the largest loss; "acc 0.913" where that
 * cannot be shown. */
static void add_curve(struct table *t, const double *x, int n, bool loss)
{
    char line[SPARKLINE_SIZE];
    text_sparkline(x, n, loss ? NAN : 0, loss ? NAN : 1, text_utf8() ? CELLS : 0, line);
    if (n == 0 || !isfinite(x[n - 1]))
        table_text(t, line);
    else
        table_printf(t, "%s%s%s %.3f", line, *line ? " " : "", loss ? "loss" : "acc", x[n - 1]);
}

static void add_trial(struct rows *r, struct rows *curve, bool shards, struct table *t)
{
    double x[VALUES_MAX];
    int n = 0;
    int64_t step = 0;
    rows_rebind(curve, VALUES(INTEGER(rows_integer(r, TRIAL)), INTEGER(rows_integer(r, LOSS)),
                              INTEGER(VALUES_MAX)));
    for (; n < VALUES_MAX && rows_next(curve); n++) {
        step = rows_integer(curve, 0);
        x[n] = rows_real(curve, 1);
    }
    table_integer(t, rows_integer(r, NUMBER));
    if (shards)
        table_text(t, rows_text(r, SHARD));
    table_text(t, rows_given(r, SWEEP));
    table_integer(t, rows_integer(r, HEADS));
    table_text(t, rows_given(r, SETTING));
    table_integer(t, rows_integer(r, SEED));
    table_printf(t, "%lld/%lld", (long long)step, (long long)rows_integer(r, STEPS));
    add_curve(t, x, n, rows_integer(r, LOSS));
}

enum { SHARDED = 1 };
static const struct table_column running_columns[] = {
    {.title = "running", .right = true},
    {.title = "of shard", .when = SHARDED},
    {.title = "sweep", .leave_out = 1},
    {.title = "heads", .right = true},
    {.title = "setting", .leave_out = 2},
    {.title = "seed", .right = true, .leave_out = 3},
    {.title = "step", .right = true},
    {.title = "validation so far"},
    {0}};

/* Writes a table of those of the scope's store, at most RUNNING_MAX lines, below an empty line;
 * nothing where none runs. shards: it is their sum (shard_sum.h), and trials have the numbers of
 * their files. without: names of sweeps that are not meant, as JSON. */
static void write_running(struct scope *x, bool shards, const char *without, struct text_page page)
{
    enum { RUNNING_MAX = 20 };
    struct table *t = table_when(x, running_columns, shards ? SHARDED : 0);
    struct rows *r =
        scope_rows(x, shards ? OF_SHARDS : OF_FILE, VALUES(INTEGER(RUNNING_MAX), TEXT(without)));
    struct rows *curve = scope_rows(x, CURVE, NO_VALUES);
    while (curve->status == STATUS_OK && scope_next(x, r))
        add_trial(r, curve, shards, t);
    scope_close(x, curve);
    if (table_rows(t) == 0)
        return;
    putchar('\n');
    table_write_page(t, page, stdout);
}

/* ---- the sweeps ---- */

/* A row for each sweep, and the sentences below. */
struct status_table {
    struct scope *scope;
    bool json;
    struct table *rows;
    struct text_buffer sentences;
    long sweeps;     /* in the tables so far ... */
    int64_t running; /* ... of the results file, not of shards */
};

static const char sql[] =
    "WITH paused AS (" /* tuning trials of sweeps with rungs */
    "  SELECT sweep_id, count(*) AS trials, sum(state = 'not_needed') AS eliminated,"
    "         sum(state = 'queued' AND choice = 'waiting') AS waiting"
    "    FROM trial JOIN sweep USING (sweep_id)"
    "   WHERE rungs IS NOT NULL AND in_plan = 1 AND is_tuning = 1 AND added = 0 GROUP BY sweep_id"
    "), beyond AS ("
    "  SELECT sweep_id, count(DISTINCT config_id) AS points, count(*) AS trials"
    "    FROM trial JOIN sweep USING (sweep_id)"
    "   WHERE extend IS NOT NULL AND in_plan = 1 AND added > 0 GROUP BY sweep_id"
    "), fresh AS (" /* trials that confirm a claim which is written down */
    "  SELECT sweep_id, count(*) AS trials,"
    "         sum(state IN ('completed', 'diverged', 'failed')) AS ended"
    "    FROM trial WHERE confirms = 1 AND in_plan = 1 AND choice = 'chosen' GROUP BY sweep_id"
    "), at_work AS (" /* trials that run, by machine */
    "  SELECT sweep_id, host, count(*) AS n FROM trial JOIN attempt USING (trial_id, attempt)"
    "   WHERE state = 'running' AND in_plan = 1 AND host IS NOT NULL GROUP BY sweep_id, host"
    ") SELECT sweep, p.planned, p.completed, p.running, p.queued, p.diverged, p.failed,"
    "       p.not_needed,"
    "       p.mean_train_s, p.created, p.last_run, p.remark, p.elsewhere,"
    "       s.shards, s.sweep_id,"
    "       iif(rungs IS NULL, NULL, json_object("
    "         'eta', rungs -> 'eta', 'min_steps', rungs -> 'min_steps', 'trials', t.trials,"
    "         'waiting', t.waiting, 'eliminated', t.eliminated)),"
    "       (SELECT json_group_object(host, n) FROM at_work AS w WHERE w.sweep_id = s.sweep_id),"
    "       (SELECT count(*) || ' machine' || iif(count(*) = 1, '', 's') || ': ' ||"
    "               group_concat(host || ' ' || n, ', ') FROM at_work AS w"
    "         WHERE w.sweep_id = s.sweep_id HAVING count(*) > 1 OR max(host) <> ?1),"
    "       iif(extend IS NULL, NULL, json_object('most', extend, 'points', ifnull(b.points, 0),"
    "         'trials', ifnull(b.trials, 0))),"
    "       iif(confirm IS NULL, NULL, json_object('trials', ifnull(f.trials, 0), 'ended',"
    "         ifnull(f.ended, 0))),"
    "       iif(t.trials, format('%s: %d tuning trial%s, of which %d wait at a rung and %d were"
    " eliminated.\n', sweep, t.trials, iif(t.trials = 1, '', 's'), t.waiting, t.eliminated), '') ||"
    "       iif(b.points, format('%s: %d point%s with %d trial%s %s added beyond the listed"
    " values.\n', sweep, b.points, iif(b.points = 1, '', 's'), b.trials,"
    "         iif(b.trials = 1, '', 's'), iif(b.points = 1, 'was', 'were')), '') ||"
    "       iif(f.trials > f.ended, format('%s: confirming: %d of %d trials on fresh %s.\n', sweep,"
    "         f.ended, f.trials, iif(confirm ->> '$.instances' IS NULL, 'seeds', 'instances')),"
    "         '') ||"
    "       iif(p.elsewhere > 0, format('%s: %d more trial%s of other shards.\n', sweep,"
    "         p.elsewhere, iif(p.elsewhere = 1, ' is', 's are')), '')"
    "  FROM progress AS p JOIN sweep AS s ON s.name = p.sweep"
    "  LEFT JOIN paused AS t USING (sweep_id) LEFT JOIN beyond AS b USING (sweep_id)"
    "  LEFT JOIN fresh AS f USING (sweep_id)"
    " WHERE sweep NOT IN (SELECT value FROM json_each(?2))";

enum column {
    COLUMN_SWEEP,
    COLUMN_PLANNED,
    COLUMN_COMPLETED,
    COLUMN_RUNNING,
    COLUMN_QUEUED,
    COLUMN_DIVERGED,
    COLUMN_FAILED,
    COLUMN_NOT_NEEDED,
    COLUMN_MEAN_TRAIN_S,
    COLUMN_CREATED,
    COLUMN_LAST_RUN,
    COLUMN_REMARK,
    COLUMN_ELSEWHERE, /* trials of other shards */
    COLUMN_SHARDS_JSON,
    COLUMN_SWEEP_ID,
    COLUMN_RUNGS_JSON,
    COLUMN_HOSTS_JSON,
    COLUMN_HOSTS, /* "2 machines: a 4, b 4"; NULL: only this one is at work */
    COLUMN_EXTEND_JSON,
    COLUMN_CONFIRM_JSON,
    COLUMN_STAGES /* sentences about rungs, values beyond, confirming and other shards */
};

/* What is known of a sweep beside its row. */
struct sweep_state {
    double time_left_s; /* NaN: unknown */
    struct looks_state looks;
    struct shards shards;
    struct status_lost lost;
};

/* Seconds to the end with as many trials at once as are running (or, here, could), and where none
 * waits, with the cores that are idle here; NaN where no trial has shown what one takes, and where
 * shards wait for machines. */
static double time_left(struct scope *x, const struct cost *c, const struct rows *r, bool here)
{
    struct cost_left left = cost_left(x, c, rows_integer(r, COLUMN_SWEEP_ID));
    int64_t running = rows_integer(r, COLUMN_RUNNING);
    bool by_itself = here && rows_null(r, COLUMN_HOSTS); /* else its cores are no limit */
    if (!here && running == 0)
        return NAN;
    return cost_wall_s(&left, running, by_itself || running == 0 ? machine_cores() : 0);
}

static void text_row(const struct rows *r, double seconds, struct table *t)
{
    char text[32];
    bool ended = rows_integer(r, COLUMN_RUNNING) + rows_integer(r, COLUMN_QUEUED) == 0;
    table_text(t, rows_text(r, COLUMN_SWEEP));
    table_printf(t, "%lld/%lld", (long long)rows_integer(r, COLUMN_COMPLETED),
                 (long long)rows_integer(r, COLUMN_PLANNED));
    table_integer(t, rows_integer(r, COLUMN_RUNNING));
    table_integer(t, rows_integer(r, COLUMN_QUEUED));
    table_integer(t, rows_integer(r, COLUMN_FAILED));
    table_integer(t, rows_integer(r, COLUMN_DIVERGED));
    table_integer(t, rows_integer(r, COLUMN_NOT_NEEDED));
    if (ended)
        table_text(t, "-");
    else
        table_text(t, isfinite(seconds) ? text_duration(seconds, text, sizeof text) : "unknown");
    char last_run[sizeof "2026-11-21 16:12"] = ""; /* of 2026-11-21T16:12:00.123Z */
    if (!rows_null(r, COLUMN_LAST_RUN))
        snprintf(last_run, sizeof last_run, "%s", rows_text(r, COLUMN_LAST_RUN));
    if (last_run[10] == 'T')
        last_run[10] = ' ';
    table_text(t, last_run);
}

static void json_row(struct scope *x, const struct rows *r, const struct sweep_state *state,
                     struct status_shards *shards, struct table *t)
{
    struct text_buffer shard_states = scope_text(x), jobs = scope_text(x);
    const struct looks_state *l = &state->looks;
    char looks[512] = "null", open[16] = "null";
    if (l->open > 0)
        snprintf(open, sizeof open, "%d", l->open);
    if (l->looks > 0)
        snprintf(looks, sizeof looks,
                 "{\"seeds\":%s,\"settings\":%d,\"decided\":%d,\"undecided\":%d,\"open\":%s}",
                 l->seeds, l->settings, l->decided, l->undecided, open);

    table_text(t, rows_text(r, COLUMN_SWEEP));
    for (int i = COLUMN_PLANNED; i <= COLUMN_NOT_NEEDED; i++)
        table_integer(t, rows_integer(r, i));
    table_real(t, rows_real(r, COLUMN_MEAN_TRAIN_S));
    table_text(t, rows_text(r, COLUMN_CREATED));
    table_text(t, rows_text(r, COLUMN_LAST_RUN));
    table_real(t, state->time_left_s);
    table_text(t, rows_text(r, COLUMN_REMARK));
    table_json(t, looks);
    table_json(t, rows_text(r, COLUMN_RUNGS_JSON));
    table_json(t, rows_text(r, COLUMN_EXTEND_JSON));
    table_json(t, rows_text(r, COLUMN_CONFIRM_JSON));
    table_json(t, rows_text(r, COLUMN_SHARDS_JSON));
    table_json(t, state->shards.json.text);
    table_integer(t, rows_integer(r, COLUMN_ELSEWHERE));
    table_json(t, rows_text(r, COLUMN_HOSTS_JSON));
    table_json(t, state->lost.json);
    status_shards_json(shards, rows_text(r, COLUMN_SWEEP), &shard_states, &jobs);
    table_json(t, shard_states.text);
    table_json(t, jobs.text);
}

/* A sentence each for a sweep on other machines, with looks, with rungs, extended, confirming and
 * in shards. */
static void add_stages(const struct rows *r, const struct sweep_state *state,
                       struct text_buffer *said)
{
    char words[256];
    const char *name = rows_text(r, COLUMN_SWEEP);
    if (!rows_null(r, COLUMN_HOSTS))
        text_add(said, "%s: on %s.\n", name, rows_text(r, COLUMN_HOSTS));
    if (state->lost.words)
        text_add(said, "%s: not on %s.\n", name, state->lost.words);
    looks_words(&state->looks, words, sizeof words);
    if (words[0])
        text_add(said, "%s: %s.\n", name, words);
    text_add(said, "%s", rows_text(r, COLUMN_STAGES));
    if (state->shards.unfinished[0])
        text_add(said, "%s: not finished: %s.\n", name, state->shards.unfinished);
}

static struct sweep_state *read_state(struct scope *x, const struct cost *cost,
                                      const struct rows *r, bool here)
{
    int64_t sweep_id = rows_integer(r, COLUMN_SWEEP_ID);
    struct sweep_state *state = arena_alloc(&x->arena, 1, sizeof *state);
    state->time_left_s = time_left(x, cost, r, here);
    scope_check(x, looks_read(x->store, sweep_id, &state->looks, x->message));
    scope_shards(x, sweep_id, &state->shards);
    if (rows_integer(r, COLUMN_RUNNING) > 0)
        state->lost = status_lost(x, sweep_id);
    return state;
}

/* Adds the sweeps of the scope's store, which is the results file or the sum of shards; the shards'
 * own sentences and JSON with each. */
static void status_table_add(struct status_table *t, struct status_shards *shards)
{
    struct scope *x = t->scope;
    struct cost cost;
    bool here = x->store != shards->sum;
    const char *without = here ? shards->from_sum : shards->from_file;
    cost_init(&cost);
    cost_read(x, &cost);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    struct rows *r = scope_rows(x, sql, VALUES(TEXT(host), TEXT(without)));
    for (; scope_next(x, r); t->sweeps++) {
        const struct sweep_state *state = read_state(x, &cost, r, here);
        if (t->json) {
            json_row(x, r, state, shards, t->rows);
        } else {
            text_row(r, state->time_left_s, t->rows);
            add_stages(r, state, &t->sentences);
            status_shards_say(shards, rows_given(r, COLUMN_SWEEP), &t->sentences);
        }
        if (here)
            t->running += rows_integer(r, COLUMN_RUNNING);
    }
}

static const struct table_column text_columns[] = {
    {.title = "sweep"},
    {.title = "done", .right = true},
    {.title = "running", .right = true},
    {.title = "left", .right = true},
    {.title = "failed", .right = true},
    {.title = "diverged", .right = true, .leave_out = 3},
    {.title = "not needed", .right = true, .leave_out = 2},
    {.title = "time left"},
    {.title = "last run", .leave_out = 1},
    {0}};
static const struct table_column json_columns[] = {{.name = "sweep"},
                                                   {.name = "planned"},
                                                   {.name = "completed"},
                                                   {.name = "running"},
                                                   {.name = "queued"},
                                                   {.name = "diverged"},
                                                   {.name = "failed"},
                                                   {.name = "not_needed"},
                                                   {.name = "mean_train_s"},
                                                   {.name = "created"},
                                                   {.name = "last_run"},
                                                   {.name = "time_left_s"},
                                                   {.name = "remark"},
                                                   {.name = "looks"},
                                                   {.name = "rungs"},
                                                   {.name = "extend"},
                                                   {.name = "confirm"},
                                                   {.name = "shards"},
                                                   {.name = "shards_left"},
                                                   {.name = "elsewhere"},
                                                   {.name = "hosts"},
                                                   {.name = "lost_on"},
                                                   {.name = "shard_states"},
                                                   {.name = "jobs"},
                                                   {0}};

static struct status_table *status_table_new(struct scope *x, bool json)
{
    struct status_table *t = arena_alloc(&x->arena, 1, sizeof *t);
    t->scope = x;
    t->json = json;
    t->rows = table_new(x, json ? json_columns : text_columns);
    t->sentences = scope_text(x);
    return t;
}

/* Adds a row (JSON) or sentences about jobs of no sweep that was added. */
static void status_table_end(struct status_table *t, struct status_shards *shards)
{
    struct text_buffer jobs = scope_text(t->scope);
    if (!t->json) {
        status_shards_say_others(shards, &t->sentences);
        status_shards_say_passed(shards, &t->sentences);
        return;
    }
    status_shards_json_others(shards, &jobs);
    if (!jobs.used)
        return;
    for (const struct table_column *c = json_columns; c[1].name; c++)
        table_text(t->rows, NULL);
    table_json(t->rows, jobs.text);
}

/* ---- the command ---- */

enum { PAGE_WIDTH = 96 };

struct status_options {
    const char *db;
    bool json;
};

/* What there is to tell of. */
struct status_view {
    struct store *own; /* the results file; NULL: it is not there yet */
    struct status_shards *shards;
};

static const struct command_option options[] = {
    {"json", 0, COMMAND_FLAG, offsetof(struct status_options, json), NULL,
     "the rows of the view progress, with time_left_s, looks, rungs, shards, shards_left, "
     "hosts, lost_on, shard_states and jobs, as JSON"},
    COMMAND_DB_OPTION(struct status_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "status",
    .details =
        "Works at any time, also while a sweep runs; writes nothing. Shards beside the file\n"
        "(`submit --array`) count too, and jobs of Slurm that wait are named.\n",
    .options = options,
    .examples = "  headcount status\n"
                "  watch headcount status\n",
};

/* Below the table: a note may be long. */
static void print_notes(struct scope *x, const char *without)
{
    struct rows *r =
        scope_rows(x,
                   "SELECT 'Note on ' || sweep || ': ' || remark AS note FROM progress "
                   "WHERE remark IS NOT NULL"
                   " AND sweep NOT IN (SELECT value FROM json_each(?))",
                   VALUES(TEXT(without)));
    while (scope_next(x, r))
        text_paragraph(stdout, rows_given(r, 0), 0, 2, PAGE_WIDTH);
}

static void print_sentences(const struct text_buffer *sentences, struct text_page page)
{
    int width = page.columns > 0 && page.columns < PAGE_WIDTH ? page.columns : PAGE_WIDTH;
    for (char *line = sentences->text; line && *line;) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
        *end = '\0';
        text_paragraph(stdout, line, 0, 2, width);
        line = next;
    }
}

/* Says what a table cannot: that `running` is only what a killed coordinator left in the file, that
 * there is nothing yet. */
static void print_remarks(const struct status_view *v, const struct status_table *t)
{
    if (v->own && t->sweeps == 0)
        fprintf(
            stderr,
            "This file holds no sweep yet: the run that created it stopped before writing a plan.\n"
            "`headcount run` writes one.\n");
    if (t->running > 0 && !v->shards->own_at_work)
        fprintf(stderr, "No run is at work on this file: the trials shown as running were cut off "
                        "(killed, or the disk was full).\n"
                        "The next `headcount run` resumes them.\n");
}

/* Each in turn is the scope's store: the results file, and the sum of shards. */
static bool next_store(struct scope *x, const struct status_view *v)
{
    struct store *own = x->store ? NULL : v->own;
    x->store = own ? own : x->store != v->shards->sum ? v->shards->sum : NULL;
    return x->store;
}

static void print_text(struct scope *x, const struct status_view *v, const char *db,
                       const struct status_table *t)
{
    const struct status_shards *s = v->shards;
    struct text_page page = text_page(stdout);
    if (t->sweeps > 0 || v->own)
        table_write_page(t->rows, page, stdout);
    else
        text_print(stdout, "%s is not there yet.\n", db);
    print_sentences(&t->sentences, page);
    while (next_store(x, v))
        print_notes(x, x->store == s->sum ? s->from_file : s->from_sum);
    while (next_store(x, v))
        write_running(x, x->store == s->sum, x->store == s->sum ? s->from_file : s->from_sum, page);
}

static void print_status(struct scope *x, void *context)
{
    const struct status_options *o = context;
    struct status_view v = {.own = command_open_existing(x, o->db)};
    v.shards = status_shards_read(x, o->db, v.own);
    if (!v.own && !v.shards->sum && v.shards->jobs == 0) /* says that it is not there */
        v.own = command_open(x, o->db);
    struct status_table *t = status_table_new(x, o->json);
    while (next_store(x, &v))
        status_table_add(t, v.shards);
    status_table_end(t, v.shards);
    if (o->json) {
        table_write(t->rows, TABLE_JSON, false, stdout);
        putchar('\n');
    } else {
        print_text(x, &v, o->db, t);
    }
    print_remarks(&v, t);
}

int command_status(int argc, char **argv)
{
    struct status_options o = {.db = COMMAND_DB};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    return command_act_on("status", COMMAND_NO_STORE, NULL, print_status, &o);
}
