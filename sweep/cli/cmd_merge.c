/* headcount merge: the results of several files in one. */
#include "sweep/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "sweep/run/merge_files.h"
#include "sweep/run/recover.h"
#include "sweep/worker/trial_files.h"

struct merge_command {
    const char *into;
    bool no_weights, whole, quiet;
    char **paths; /* (count) */
    int count;
    bool incomplete; /* a sweep that was merged, or a file has nothing in it */
};

static const struct command_option options[] = {
    {"into", 0, COMMAND_FILE, offsetof(struct merge_command, into), "FILE",
     "results file to merge into; made where there is none"},
    {"no-weights", 0, COMMAND_FLAG, offsetof(struct merge_command, no_weights), NULL,
     "take results without the weights of their models"},
    {"whole", 0, COMMAND_FLAG, offsetof(struct merge_command, whole), NULL,
     "exit with 1 where trials of these sweeps are missing after it, or have failed"},
    {"quiet", 'q', COMMAND_FLAG, offsetof(struct merge_command, quiet), NULL,
     "say nothing of what was merged"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "merge",
    .details =
        "Puts the sweeps, trials, studies and notes of results files into another, with weights\n"
        "and checkpoints: the shards of `run --shard`, the work of several people. The files are\n"
        "left as they are. It makes no difference in which order they come, or whether one was\n"
        "merged before. Of a trial that is in two files, the one that has come further counts;\n"
        "results of equal builds that differ are refused, and nothing is merged. Weights are\n"
        "copied; on file systems with reflinks, such as Btrfs and XFS, copies take no space.\n",
    .options = options,
    .examples = "  headcount run configs/quick.yaml --shard 1/2 --db shard-1.db\n"
                "  headcount run configs/quick.yaml --shard 2/2 --db shard-2.db\n"
                "  headcount merge --into both.db shard-1.db shard-2.db\n",
    .least = 1,
    .most = 1000000,
};

struct merge {
    struct merge_command *options;
    struct store *into;
    struct merge_files *files;
    struct text_buffer said;
    struct text_buffer sweeps; /* names of those that were merged, with LF around each */
    bool settled;              /* what failed may have been committed */
};

/* ---- words ---- */

static void say_counts(struct merge *g, const char *path, const struct merge_counts *c)
{
    struct text_buffer *b = &g->said;
    text_add(b, "%s: %ld of %ld trial%s taken over", path, c->taken, c->trials,
             text_plural(c->trials));
    if (c->taken > 0)
        text_add(b, ", %ld with a result", c->results);
    text_add(b, ".");
    if (c->weightless > 0)
        text_add(b, " The weights of %ld were left behind.", c->weightless);
    if (c->other > 0)
        text_add(b,
                 " %ld result%s of another build differ%s from the one%s in %s, which stay%s: the "
                 "last bits of a sum depend on compiler and processor.",
                 c->other, text_plural(c->other), c->other == 1 ? "s" : "", text_plural(c->other),
                 g->options->into, c->other == 1 ? "s" : "");
    text_add(b, "\n");
}

static void say_left(struct merge *g)
{
    long left = merge_files_left(g->files);
    if (left > 0)
        text_add(&g->said,
                 "%ld checkpoint%s left behind: a link, or a file that is not a checkpoint of its "
                 "trial, is not taken. These trials start over.\n",
                 left, left == 1 ? " was" : "s were");
}

static bool was_merged(const struct merge *g, const char *sweep)
{
    size_t length = strlen(sweep);
    const char *at = g->sweeps.text;
    while (at && (at = strstr(at, sweep)) && (at[-1] != '\n' || at[length] != '\n'))
        at++;
    return at;
}

/* "all.db: sweep gather: 18 of 24 trials have ended; shard 3 of 4 is missing." */
static void say_sweeps(struct scope *x, struct merge *g)
{
    enum { ID, NAME, ENDED, PLANNED, COMPLETED, ELSEWHERE };
    struct rows *r = scope_rows(x,
                                "SELECT s.sweep_id, name, completed + diverged + failed,"
                                " planned, completed, elsewhere"
                                " FROM sweep AS s JOIN progress ON sweep = name"
                                " ORDER BY name",
                                NO_VALUES);
    while (scope_next(x, r)) {
        struct shards shards;
        enum status status = store_shards(g->into, rows_integer(r, ID), true, &shards, x->message);
        text_add(&g->said, "%s: sweep %s: %lld of %s %s ended", g->options->into,
                 rows_given(r, NAME), (long long)rows_integer(r, ENDED),
                 text_counted(rows_integer(r, PLANNED), "trial").text,
                 rows_integer(r, PLANNED) == 1 ? "has" : "have");
        if (status == STATUS_OK && shards.missing[0])
            text_add(&g->said, "; missing of %s: %s", text_counted(shards.of, "shard").text,
                     shards.missing);
        if (status == STATUS_OK && shards.unfinished[0])
            text_add(&g->said, "; not finished: %s", shards.unfinished);
        text_add(&g->said, ".\n");
        if (was_merged(g, rows_given(r, NAME)))
            g->options->incomplete |= rows_integer(r, COMPLETED) < rows_integer(r, PLANNED) ||
                                      rows_integer(r, ELSEWHERE) > 0;
        shards_free(&shards);
        scope_check(x, status);
    }
}

/* ---- merging ---- */

static enum status note_sweeps(struct merge *g, struct store *from, struct message *m)
{
    struct rows r = rows_open(from, m, "SELECT name FROM sweep", NO_VALUES);
    while (rows_next(&r))
        text_add(&g->sweeps, "\n%s\n", rows_given(&r, 0));
    return rows_close(&r);
}

static enum status merge_one(struct merge *g, const char *path, struct message *m)
{
    struct merge_counts counts;
    struct store *from;
    if (merge_is_target(path, g->options->into)) { /* as when all files of a folder are named */
        text_add(&g->said, "%s: left out, because it is what is merged into.\n", path);
        return STATUS_OK;
    }
    enum status status = merge_open(path, &from, m);
    if (status == STATUS_OK && !from) {
        text_add(&g->said, "%s: nothing is in it yet.\n", path);
        g->options->incomplete = true;
    }
    if (status != STATUS_OK || !from)
        return status;
    status = store_merge(g->into, from, merge_files_note, g->files, &counts, m);
    if (status == STATUS_OK)
        say_counts(g, path, &counts);
    if (status == STATUS_OK)
        status = note_sweeps(g, from, m);
    store_close(from, NULL);
    return status;
}

static void undo(void *merge)
{
    struct merge *g = merge;
    if (g->settled)
        return;
    store_rollback(g->into);
    merge_files_drop(g->files);
}

static void free_files(void *files)
{
    merge_files_free(files);
}

/* All of them or none: files first, and then the rows that name them. */
static void merge_all(struct scope *x, void *context)
{
    struct recovered recovered = {0};
    struct merge *g = arena_alloc(&x->arena, 1, sizeof *g);
    struct merge_command *o = context;
    *g = (struct merge){
        .options = o, .into = x->store, .said = scope_text(x), .sweeps = scope_text(x)};
    g->files = merge_files_new(x->store, !o->no_weights);
    arena_on_free(&x->arena, free_files, g->files);
    if (!g->files)
        scope_leave(x, status_no_memory(x->message, "a list of files"));
    scope_check(x, recover_trials(x->store, &recovered, x->message));
    trial_files_remove_all_unfinished(store_folder(x->store)); /* of a merge that was killed */
    scope_check(x, store_begin(x->store, x->message));
    arena_on_free(&x->arena, undo, g);
    for (int i = 0; i < o->count; i++)
        scope_check(x, merge_one(g, o->paths[i], x->message));
    scope_check(x, merge_files_bring(g->files, x->message));
    say_left(g);
    say_sweeps(x, g);
    g->settled = true;
    scope_check(x, store_commit(x->store, x->message));
    if (!o->quiet)
        text_print(stdout, "%s", g->said.text);
}

int command_merge(int argc, char **argv)
{
    struct merge_command o = {0};
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &o.count, &exit_status))
        return exit_status;
    if (!o.into)
        return command_usage("merge", "give --into FILE, the file that the results go into");
    o.paths = argv + optind;
    exit_status = command_act_on("merge", COMMAND_MAKE, o.into, merge_all, &o);
    return exit_status == EXIT_DONE && o.whole && o.incomplete ? EXIT_SOME_FAILED : exit_status;
}
