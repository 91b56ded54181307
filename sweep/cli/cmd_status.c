/* headcount status: how far each sweep of a results file is. */
#include "sweep/cli/command.h"
#include "sweep/cli/status_lost.h"
#include "sweep/cli/status_running.h"
#include "sweep/cli/status_watch.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "sweep/plan/machine.h"
#include "sweep/report/table.h"
#include "sweep/run/cost.h"
#include "sweep/run/looks.h"
#include "sweep/store/lock.h"
#include "sweep/store/rows.h"

enum { PAGE_WIDTH = 96, RUNNING_MOST = 20 };

struct status_options {
    const char *db;
    bool json, watch;
    struct text_page page;
    long sweeps; /* found by print_status */
    int64_t running;
};

static const struct command_option options[] = {
    {"json", 0, COMMAND_FLAG, offsetof(struct status_options, json), NULL,
     "the rows of the view progress, with time_left_s, looks, rungs, shards, shards_left, "
     "hosts and lost_on, as JSON"},
    {"watch", 'w', COMMAND_FLAG, offsetof(struct status_options, watch), NULL,
     "again and again, until Ctrl-C: redrawn on a terminal, elsewhere a line per change"},
    COMMAND_DB_OPTION(struct status_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "status",
    .details = "Works at any time, also while a sweep runs; writes nothing.\n",
    .options = options,
    .examples = "  headcount status\n",
};

static const char sql[] =
    "WITH paused AS (" /* tuning trials of sweeps with rungs */
    "  SELECT sweep_id, count(*) AS trials, sum(state = 'not_needed') AS eliminated,"
    "         sum(state = 'queued' AND choice = 'waiting') AS waiting"
    "    FROM trial JOIN sweep USING (sweep_id)"
    "   WHERE rungs IS NOT NULL AND in_plan = 1 AND is_tuning = 1 GROUP BY sweep_id"
    "), at_work AS (" /* trials that run, by machine */
    "  SELECT sweep_id, host, count(*) AS n FROM trial JOIN attempt USING (trial_id, attempt)"
    "   WHERE state = 'running' AND in_plan = 1 AND host IS NOT NULL GROUP BY sweep_id, host"
    ") SELECT sweep, p.planned, p.completed, p.running, p.queued, p.diverged, p.failed,"
    "       p.not_needed,"
    "       p.mean_train_s, p.created, p.last_run, p.remark, p.elsewhere,"
    "       s.shards, s.sweep_id,"
    "       t.trials, t.waiting, t.eliminated, iif(rungs IS NULL, NULL, json_object("
    "         'eta', rungs -> 'eta', 'min_steps', rungs -> 'min_steps', 'trials', t.trials,"
    "         'waiting', t.waiting, 'eliminated', t.eliminated)),"
    "       (SELECT json_group_object(host, n) FROM at_work AS w WHERE w.sweep_id = s.sweep_id),"
    "       (SELECT count(*) || ' machine' || iif(count(*) = 1, '', 's') || ': ' ||"
    "               group_concat(host || ' ' || n, ', ') FROM at_work AS w"
    "         WHERE w.sweep_id = s.sweep_id HAVING count(*) > 1 OR max(host) <> ?1)"
    "  FROM progress AS p JOIN sweep AS s ON s.name = p.sweep"
    "  LEFT JOIN paused AS t USING (sweep_id)";

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
    COLUMN_TUNING, /* trials that pass rungs, and of them those that wait at one, that were
                      eliminated */
    COLUMN_WAITING,
    COLUMN_ELIMINATED,
    COLUMN_RUNGS_JSON,
    COLUMN_HOSTS_JSON,
    COLUMN_HOSTS /* "2 machines: a 4, b 4"; NULL: only this one is at work */
};

/* What is known of a sweep beside its row. */
struct sweep_state {
    double time_left_s; /* NaN: unknown */
    struct looks_state looks;
    struct shards shards;
    struct status_lost lost;
};

/* Seconds to the end with as many trials at once as are running (or could); NaN where no trial has
 * shown what one takes. */
static enum status time_left(struct store *s, const struct cost *c, const struct rows *r,
                             double *seconds, struct message *m)
{
    double core_s;
    bool known;
    int64_t running = rows_integer(r, COLUMN_RUNNING);
    int64_t left = running + rows_integer(r, COLUMN_QUEUED);
    int64_t at_once = running > 0 ? running : machine_cores();
    enum status status = cost_left(c, s, rows_integer(r, COLUMN_SWEEP_ID), &core_s, &known, m);
    *seconds = known ? cost_wall_s(core_s, (long)(at_once < left ? at_once : left)) : NAN;
    return status;
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

static void json_row(const struct rows *r, const struct sweep_state *state, struct table *t)
{
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
    table_json(t, rows_text(r, COLUMN_SHARDS_JSON));
    table_json(t, state->shards.json.text);
    table_integer(t, rows_integer(r, COLUMN_ELSEWHERE));
    table_json(t, rows_text(r, COLUMN_HOSTS_JSON));
    table_json(t, state->lost.json);
}

/* A sentence each for a sweep on other machines, with looks, with rungs and in shards. */
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
    if (!rows_null(r, COLUMN_TUNING))
        text_add(said,
                 "%s: %lld tuning trials, of which %lld wait at a rung and %lld were eliminated.\n",
                 name, (long long)rows_integer(r, COLUMN_TUNING),
                 (long long)rows_integer(r, COLUMN_WAITING),
                 (long long)rows_integer(r, COLUMN_ELIMINATED));
    if (rows_integer(r, COLUMN_ELSEWHERE) > 0)
        text_add(said, "%s: %lld more trials are of other shards.\n", name,
                 (long long)rows_integer(r, COLUMN_ELSEWHERE));
    if (state->shards.unfinished[0])
        text_add(said, "%s: not finished: %s.\n", name, state->shards.unfinished);
}

/* Below the table: a note may be long. */
static enum status print_notes(struct store *s, FILE *out, struct message *m)
{
    struct rows r = rows_open(s, m,
                              "SELECT 'Note on ' || sweep || ': ' || remark AS note FROM progress "
                              "WHERE remark IS NOT NULL",
                              NO_VALUES);
    while (rows_next(&r))
        text_paragraph(out, rows_given(&r, 0), 0, 2, PAGE_WIDTH);
    return rows_close(&r);
}

/* Free with free_state, after a failure too. */
static enum status read_state(struct store *s, const struct cost *cost, const struct rows *r,
                              struct sweep_state *state, struct message *m)
{
    int64_t sweep_id = rows_integer(r, COLUMN_SWEEP_ID);
    *state = (struct sweep_state){0};
    enum status status = time_left(s, cost, r, &state->time_left_s, m);
    if (status == STATUS_OK)
        status = looks_read(s, sweep_id, &state->looks, m);
    if (status == STATUS_OK)
        status = store_shards(s, sweep_id, false, &state->shards, m);
    if (status == STATUS_OK && rows_integer(r, COLUMN_RUNNING) > 0)
        status = status_lost(s, sweep_id, &state->lost, m);
    return status;
}

static void free_state(struct sweep_state *state)
{
    shards_free(&state->shards);
    status_lost_free(&state->lost);
}

/* A row for every sweep; for people also the sentences below the table. */
static enum status read_sweeps(struct store *s, struct status_options *o, struct table *t,
                               struct text_buffer *stages, struct message *m)
{
    struct sweep_state state;
    struct cost cost;
    cost_init(&cost);
    o->sweeps = 0;
    o->running = 0;
    enum status status = cost_read(&cost, s, m);
    if (status != STATUS_OK)
        return status;
    char here[256] = "";
    gethostname(here, sizeof here - 1);
    struct rows r = rows_open(s, m, sql, VALUES(TEXT(here)));
    while (status == STATUS_OK && rows_next(&r)) {
        status = read_state(s, &cost, &r, &state, m);
        if (status == STATUS_OK && o->json) {
            json_row(&r, &state, t);
        } else if (status == STATUS_OK) {
            text_row(&r, state.time_left_s, t);
            add_stages(&r, &state, stages);
        }
        free_state(&state);
        o->running += rows_integer(&r, COLUMN_RUNNING);
        o->sweeps++;
    }
    enum status closed = rows_close(&r);
    return status == STATUS_OK ? closed : status;
}

static enum status print_status(struct store *s, struct status_options *o, FILE *out,
                                struct message *m)
{
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
    static const struct table_column json_columns[] = {
        {.name = "sweep"},   {.name = "planned"},     {.name = "completed"},
        {.name = "running"}, {.name = "queued"},      {.name = "diverged"},
        {.name = "failed"},  {.name = "not_needed"},  {.name = "mean_train_s"},
        {.name = "created"}, {.name = "last_run"},    {.name = "time_left_s"},
        {.name = "remark"},  {.name = "looks"},       {.name = "rungs"},
        {.name = "shards"},  {.name = "shards_left"}, {.name = "elsewhere"},
        {.name = "hosts"},   {.name = "lost_on"},     {0}};
    struct text_buffer stages = {0};
    struct table *t = table_new(o->json ? json_columns : text_columns);
    enum status status = read_sweeps(s, o, t, &stages, m);
    if (status == STATUS_OK)
        status = o->json ? table_write(t, TABLE_JSON, false, out, m)
                         : table_write_page(t, o->page, out, m);
    table_free(t);
    if (o->json)
        putc('\n', out);
    if (status == STATUS_OK && stages.text)
        text_print(out, "%s", stages.text);
    free(stages.text);
    if (status != STATUS_OK || o->json)
        return status;
    status = print_notes(s, out, m);
    return status == STATUS_OK ? status_running(s, RUNNING_MOST, o->page, out, m) : status;
}

static enum status print_once(struct store *s, void *context, struct message *m)
{
    return print_status(s, context, stdout, m);
}

/* Says what a table cannot: that `running` is only what a killed coordinator left in the file, that
 * there is nothing yet. */
static void print_remarks(const struct status_options *o, FILE *out)
{
    char lock[4096];
    snprintf(lock, sizeof lock, "%s.lock", o->db);
    if (o->sweeps == 0)
        fprintf(
            out,
            "This file holds no sweep yet: the run that created it stopped before writing a plan.\n"
            "`headcount run` writes one.\n");
    if (o->running > 0 && !lock_is_held(lock))
        fprintf(out, "No run is at work on this file: the trials shown as running were cut off "
                     "(killed, or the disk was full).\n"
                     "The next `headcount run` resumes them.\n");
}

static enum status watch_page(struct store *s, void *context, struct text_page page, FILE *out,
                              struct message *m)
{
    struct status_options *o = context;
    o->page = page;
    enum status status = print_status(s, o, out, m);
    if (status == STATUS_OK)
        print_remarks(o, out);
    return status;
}

/* A line for each sweep that changes when trials begin or end. */
static enum status watch_lines(struct store *s, FILE *out, struct message *m)
{
    struct rows r = rows_open(
        s, m,
        "SELECT format('%s: %d of %d done, %d running, %d left, %d failed, %d diverged', sweep,"
        "              completed, planned, running, queued, failed, diverged)"
        "  FROM progress",
        NO_VALUES);
    while (rows_next(&r))
        text_print(out, "%s\n", rows_given(&r, 0));
    return rows_close(&r);
}

int command_status(int argc, char **argv)
{
    struct status_options o = {.db = COMMAND_DB};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    if (o.watch && o.json)
        return command_usage("status", "--watch and --json exclude each other");
    if (o.watch)
        return status_watch(o.db, watch_page, watch_lines, &o);
    o.page = text_page(stdout);
    exit_status = command_read_store("status", o.db, print_once, &o);
    if (exit_status == EXIT_DONE)
        print_remarks(&o, stderr);
    return exit_status;
}
