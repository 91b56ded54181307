/* headcount status: how far each sweep of a results file is. */
#include "sweep/cli/command_plan.h"
#include "sweep/cli/status_running.h"
#include "sweep/cli/status_table.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/db/rows.h"

enum { PAGE_WIDTH = 96, RUNNING_MAX = 20 };

struct status_options {
    const char *db;
    bool json;
    struct status_jobs jobs;
};

/* What there is to tell of. */
struct status_view {
    struct store *own; /* the results file; NULL: it is not there yet */
    struct status_shards shards;
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

/* ---- what there is ---- */

static void close_view(struct status_view *v)
{
    status_shards_free(&v->shards);
    store_close(v->own, NULL);
    *v = (struct status_view){0};
}

static enum status open_view(struct status_options *o, struct status_view *v, struct message *m)
{
    *v = (struct status_view){0};
    enum status status = command_open_existing(o->db, &v->own, m);
    if (status != STATUS_OK)
        return status;
    status_jobs_ask(&o->jobs, o->db);
    status = status_shards_read(o->db, v->own, &o->jobs, &v->shards, m);
    if (status == STATUS_OK && !v->own && !v->shards.sum && o->jobs.count == 0)
        status = store_open(o->db, STORE_READ, &v->own, m); /* says that it is not there */
    if (status != STATUS_OK)
        close_view(v);
    return status;
}

/* ---- as text ---- */

/* Below the table: a note may be long. */
static void print_notes(struct scope *x, const char *without, FILE *out)
{
    struct rows *r =
        scope_rows(x,
                   "SELECT 'Note on ' || sweep || ': ' || remark AS note FROM progress "
                   "WHERE remark IS NOT NULL"
                   " AND sweep NOT IN (SELECT value FROM json_each(?))",
                   VALUES(TEXT(without)));
    while (scope_next(x, r))
        text_paragraph(out, rows_given(r, 0), 0, 2, PAGE_WIDTH);
}

static void print_sentences(const struct text_buffer *sentences, struct text_page page, FILE *out)
{
    int width = page.columns > 0 && page.columns < PAGE_WIDTH ? page.columns : PAGE_WIDTH;
    for (char *line = sentences->text; line && *line;) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
        *end = '\0';
        text_paragraph(out, line, 0, 2, width);
        line = next;
    }
}

/* Says what a table cannot: that `running` is only what a killed coordinator left in the file, that
 * there is nothing yet. */
static void print_remarks(const struct status_view *v, const struct status_table *t, FILE *out)
{
    if (v->own && t->sweeps == 0)
        fprintf(
            out,
            "This file holds no sweep yet: the run that created it stopped before writing a plan.\n"
            "`headcount run` writes one.\n");
    if (t->running > 0 && !v->shards.own_at_work)
        fprintf(out, "No run is at work on this file: the trials shown as running were cut off "
                     "(killed, or the disk was full).\n"
                     "The next `headcount run` resumes them.\n");
}

/* Each in turn is the scope's store: the results file, and the sum of shards. */
static bool next_store(struct scope *x, const struct status_view *v)
{
    struct store *own = x->store ? NULL : v->own;
    x->store = own ? own : x->store != v->shards.sum ? v->shards.sum : NULL;
    return x->store;
}

static void print_text(struct scope *x, const struct status_view *v, const char *db,
                       struct status_table *t, struct text_page page, FILE *out)
{
    const struct status_shards *s = &v->shards;
    if (t->sweeps > 0 || v->own)
        table_write_page(t->rows, page, out);
    else
        text_print(out, "%s is not there yet.\n", db);
    print_sentences(&t->sentences, page, out);
    while (next_store(x, v))
        print_notes(x, x->store == s->sum ? s->from_file : s->from_sum, out);
    while (next_store(x, v))
        if (x->store == s->sum)
            status_running_shards(x, s->from_file, RUNNING_MAX, page, out);
        else
            status_running(x, s->from_sum, RUNNING_MAX, page, out);
}

/* ---- the whole ---- */

static enum status print_status(struct status_options *o, struct text_page page, struct message *m)
{
    struct status_view v;
    enum status status = open_view(o, &v, m);
    if (status != STATUS_OK)
        return status;
    struct scope *x = scope_new(NULL, "the status", m);
    if (scope_enter(x)) {
        struct status_table *t = status_table_new(x, o->json);
        while (next_store(x, &v))
            status_table_add(t, &v.shards);
        status_table_end(t, &v.shards);
        if (o->json) {
            table_write(t->rows, TABLE_JSON, false, stdout);
            putchar('\n');
        } else {
            print_text(x, &v, o->db, t, page, stdout);
        }
        print_remarks(&v, t, stderr);
    }
    status = scope_end(x);
    close_view(&v);
    return status;
}

int command_status(int argc, char **argv)
{
    struct status_options o = {.db = COMMAND_DB};
    struct message m = {{0}};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    enum status status = print_status(&o, text_page(stdout), &m);
    exit_status = status == STATUS_OK ? EXIT_DONE : command_fail("status", status, &m);
    status_jobs_free(&o.jobs);
    return exit_status;
}
