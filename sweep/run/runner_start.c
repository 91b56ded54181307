#include "sweep/run/runner_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kernels/blas.h"
#include "sweep/db/lock.h"
#include "sweep/run/merge_files.h"
#include "sweep/run/recover.h"
#include "sweep/trials/data_file.h"
#include "sweep/trials/store_check.h"
#include "sweep/worker/build_info.h"

void runner_build_words(const struct build_info *b, char *text, size_t size)
{
    snprintf(text, size, "%.16s %s %s %s %s", build_sources(), b->compiler, b->openblas,
             b->core_type, b->kernels);
}

static enum status describe_job(struct runner *r, struct message *m)
{
    struct job *j = &r->job;
    const struct config *c = plan_config(r->plan);
    const char *every = getenv("HEADCOUNT_CHECKPOINT_S");
    char *folder = realpath(store_folder(r->store), NULL);
    if (!folder)
        return status_fail(m, STATUS_IO, "%s: %s", store_folder(r->store), strerror(errno));
    size_t length = strlen(folder);
    if (length < sizeof j->folder)
        memcpy(j->folder, folder, length + 1);
    free(folder);
    if (length >= sizeof j->folder)
        return status_fail(m, STATUS_BAD_INPUT, "%s: its full path is too long",
                           store_folder(r->store));
    j->checkpoint_s = every ? strtod(every, NULL) : 10;
    j->memory = c->limit_memory;
    j->time_s = c->limit_time_s;
    j->metric = c->metric;
    j->measure = c->measure;
    return STATUS_OK;
}

static void say_changes(struct runner *r, const struct plan_changes *c)
{
    const struct {
        long count;
        const char *what;
    } changes[] = {{c->added, "new"},
                   {c->returned, "back in it"},
                   {c->left, "no longer in it (results stay)"}};
    char text[160] = "";
    for (size_t i = 0, used = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (changes[i].count > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %ld trial%s %s",
                                     used ? "," : "", changes[i].count,
                                     text_plural(changes[i].count), changes[i].what);
    runner_say(r, "the plan has changed:%s", text);
}

static enum status enter_plan(struct runner *r, const struct runner_options *o, struct message *m)
{
    struct plan_changes c = {0};
    struct text_buffer said = {0};
    bool extends = plan_config(r->plan)->extend > 0;
    enum status s = store_added(r->store, 0, &r->last_added, NULL, m);
    if (s != STATUS_OK)
        return s;
    do {
        s = o->no_copy ? STATUS_OK : store_copy_data(r->store, r->plan, o->replace, m);
        if (s == STATUS_OK)
            s = store_plan(r->store, r->plan, o->replace, &c, m);
    } while (retry_while_busy(&r->busy, &s, m));
    r->sweep_id = c.sweep_id;
    if (s == STATUS_OK) /* where extend is new, planning adds the first values */
        s = store_added(r->store, r->sweep_id, &r->last_added, extends ? &said : NULL, m);
    if (s == STATUS_OK && c.kept + c.left > 0 && c.added + c.left + c.returned > 0)
        say_changes(r, &c);
    if (s == STATUS_OK)
        runner_say_lines(r, &said);
    free(said.text);
    return s;
}

/* "the last run was cut off: 2 trials resume from their checkpoints, 1 starts again" */
static void tell_recovered(struct runner *r, const struct recovered *found)
{
    const struct {
        int count;
        const char *one, *many;
    } part[] = {
        {found->finished, "had its result saved", "had their results saved"},
        {found->resumed, "resumes from its checkpoint", "resume from their checkpoints"},
        {found->again, "starts again", "start again"},
    };
    char text[256];
    size_t used = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        int n = part[i].count;
        const char *noun = used > 0 ? "" : n == 1 ? "trial " : "trials ";
        if (n > 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d %s%s", used ? ", " : "",
                                     n, noun, n == 1 ? part[i].one : part[i].many);
    }
    if (used > 0)
        runner_say(r, "the last run was cut off: %s", text);
}

static enum status recover(struct runner *r, struct message *m)
{
    struct recovered recovered = {0};
    enum status s;
    do
        s = recover_trials(r->store, &recovered, m);
    while (retry_while_busy(&r->busy, &s, m));
    tell_recovered(r, &recovered);
    return s;
}

/* ---- what another results file has (run --from) ---- */

struct taken {
    long trials;  /* that were taken over */
    long results; /* of these, that have ended; the others resume from a checkpoint */
    bool itself;  /* the file is the one that is run into: it was passed over */
};

/* Files first, and then the rows that name them. */
static enum status take_opened(struct store *s, int64_t sweep_id, struct store *from,
                               struct merge_files *files, struct taken *taken, struct message *m)
{
    struct merge_counts counts;
    enum status status = store_begin(s, m);
    if (status != STATUS_OK)
        return status;
    bool at_rest = !lock_is_taken(store_path(from));
    status = store_take_over(s, sweep_id, from, at_rest, merge_files_note, files, &counts, m);
    if (status == STATUS_OK)
        status = merge_files_bring(files, m);
    if (status == STATUS_OK) {
        taken->trials = counts.taken;
        taken->results = counts.results;
        return store_commit(s, m); /* the files stay: what failed may have been committed */
    }
    store_rollback(s);
    merge_files_drop(files);
    return status;
}

/* Takes over what the file at `from` has of the sweep's trials in the plan and in the shard, as
 * store_take_over says, with their weights and checkpoints: in one transaction, behind the files.
 * Trials that have not ended are left to whoever holds the lock of that file. The file is only
 * read; one that has nothing in it yet has no trials. Under the lock of s, before anything is
 * claimed; recover_trials is to follow, for those that were cut off there. After BUSY nothing has
 * changed. INTERRUPTED where a signal came (stop.h). */
static enum status take_over(struct store *s, int64_t sweep_id, const char *path,
                             struct taken *taken, struct message *m)
{
    struct store *from;
    *taken = (struct taken){0};
    taken->itself = merge_is_target(path, store_path(s));
    if (taken->itself)
        return STATUS_OK;
    enum status status = merge_open(path, &from, m);
    if (status != STATUS_OK || !from)
        return status;
    struct merge_files *files = merge_files_new(s, true);
    status = files ? take_opened(s, sweep_id, from, files, taken, m)
                   : status_no_memory(m, "a list of files");
    merge_files_free(files);
    store_close(from, NULL);
    return status;
}

/* "12 trials were taken over from x.db, 9 with a result" */
static void tell_taken(struct runner *r, const char *from, bool named, const struct taken *t)
{
    char some[64] = "";
    if (t->results < t->trials)
        snprintf(some, sizeof some, ", %ld with a result", t->results);
    if (t->trials > 0)
        runner_say(r, "%ld trial%s taken over from %s%s", t->trials,
                   t->trials == 1 ? " was" : "s were", from, some);
    else if (named && t->itself)
        runner_say(r, "%s is passed over: it is the results file of this run", from);
    else if (named)
        runner_say(r, "nothing was taken over from %s: no trial of this run has come further there",
                   from);
}

static enum status take_all_over(struct runner *r, const struct runner_options *o,
                                 struct message *m)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < o->froms && s == STATUS_OK; i++) {
        struct taken taken;
        do
            s = take_over(r->store, r->sweep_id, o->from[i], &taken, m);
        while (retry_while_busy(&r->busy, &s, m));
        if (s == STATUS_OK)
            tell_taken(r, o->from[i], i < o->froms_named, &taken);
    }
    return s;
}

static enum status judge_looks(struct runner *r, struct message *m)
{
    enum status s;
    do
        s = runner_judge_looks(r, m);
    while (retry_while_busy(&r->busy, &s, m));
    return s;
}

static enum status retry_failed(struct runner *r, struct message *m)
{
    long retried = 0;
    enum status s;
    do
        s = store_retry_failed(r->store, r->sweep_id, &retried, m);
    while (retry_while_busy(&r->busy, &s, m));
    if (s == STATUS_OK && retried > 0)
        runner_say(r, "trying %ld failed trial%s again", retried, text_plural(retried));
    return s;
}

enum status runner_prepare(struct runner *r, const struct runner_options *o, struct message *m)
{
    char words[2 * MESSAGE_SIZE];
    if (store_migration_words(r->store, words, sizeof words)[0])
        runner_say(r, "%s", words);
    enum status s = blas_load(1, m);
    if (s != STATUS_OK)
        return s;
    do
        s = store_check_numbers(r->store, m);
    while (retry_while_busy(&r->busy, &s, m));
    if (s == STATUS_OK)
        s = describe_job(r, m);
    if (s == STATUS_OK)
        s = runner_hosts_new(r, o, m);
    if (s == STATUS_OK)
        s = enter_plan(r, o, m);
    if (s == STATUS_OK)
        s = recover(r, m);
    if (s == STATUS_OK)
        s = take_all_over(r, o, m);
    if (s == STATUS_OK && o->froms > 0)
        s = recover(r, m);
    if (s == STATUS_OK)
        runner_remove_losers(r, 0);
    if (s == STATUS_OK && o->retry_failed)
        s = retry_failed(r, m);
    if (s == STATUS_OK)
        s = judge_looks(r, m);
    return s;
}
