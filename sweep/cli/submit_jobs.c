#include "sweep/cli/submit_jobs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/db/lock.h"
#include "sweep/db/shard_files.h"
#include "sweep/hosts/slurm.h"

struct submission {
    struct batch_request *r;
    long trials;
    const struct submit_manner *how;
    FILE *out;     /* for people */
    bool complete; /* the last job is in the queue */
    int exit_status;
};

/* On a terminal plain, elsewhere to the byte. */
static enum status print_text(struct text_buffer *b, struct message *m)
{
    enum status s = STATUS_OK;
    if (b->out_of_memory)
        s = status_no_memory(m, "the jobs");
    else if (isatty(STDOUT_FILENO))
        text_lines(stdout, b->text);
    else
        fwrite(b->text, 1, b->used, stdout);
    free(b->text);
    return s;
}

/* ---- what is waited for ---- */

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a;
    long y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The numbers of all that work on the results file, each once; *jobs malloced. */
static enum status find_jobs(const char *db, long holder, long **jobs, int *count,
                             struct message *m)
{
    struct slurm_job *list = NULL;
    int listed = 0;
    enum status s = slurm_jobs(db, &list, &listed, m);
    long *all = s == STATUS_OK ? calloc((size_t)listed + 1, sizeof *all) : NULL;
    if (s == STATUS_OK && !all)
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for %d jobs", listed);
    int kept = 0;
    for (int i = 0; all && i < listed; i++)
        all[i] = list[i].job;
    if (all && holder)
        all[listed++] = holder;
    if (all && listed)
        qsort(all, (size_t)listed, sizeof *all, by_number);
    for (int i = 0; all && i < listed; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[kept++] = all[i];
    free(list);
    *jobs = all;
    *count = kept;
    return s;
}

/* "Jobs 17, 18 and 21 work on results/x.db: this one begins when they have ended." */
static void say_jobs(const struct submission *u, const long *jobs, int count)
{
    enum { NAMED_MAX = 8 };
    int named = count <= NAMED_MAX ? count : NAMED_MAX;
    fprintf(u->out, "Job%s ", text_plural(count));
    for (int i = 0; i < named; i++)
        fprintf(u->out, "%s%ld", i == 0 ? "" : i + 1 == count ? " and " : ", ", jobs[i]);
    if (named < count)
        fprintf(u->out, " and %d more", count - named);
    fprintf(u->out, " work%s on ", count == 1 ? "s" : "");
    text_plain(u->out, u->r->db);
    fprintf(u->out, ": this one begins when %s ended.\n", count == 1 ? "it has" : "they have");
}

static void say_process(const struct submission *u, const struct lock_holder *h)
{
    text_plain(u->out, u->r->db);
    fprintf(u->out,
            " is in use by %s: a job that finds it so goes back into the queue for five "
            "minutes.\n",
            h->words);
}

/* Which jobs the first of ours is to wait for, as an option of sbatch has them. Alternatives ("?")
 * cannot be added to; then the job itself finds out when it begins. */
static enum status find_after(const struct submission *u, struct text_buffer *after,
                              struct message *m)
{
    struct lock_holder h = {.job = 0};
    const char *own = u->r->words->dependency;
    long *jobs = NULL;
    int count = 0;
    if (own && strchr(own, '?')) {
        text_add(after, "%s", own);
        return STATUS_OK;
    }
    bool held = lock_holder(u->r->db, &h);
    enum status s = find_jobs(u->r->db, h.job, &jobs, &count, m);
    if (s == STATUS_IO) { /* of Slurm, which may still take a job */
        text_print(stderr,
                   "headcount submit: %s; a job that finds the results file in use goes back "
                   "into the queue\n",
                   m->text);
        s = STATUS_OK;
    }
    if (own)
        text_add(after, "%s%s", own, count ? "," : "");
    for (int i = 0; i < count; i++)
        text_add(after, "%s:%ld", i == 0 ? "afterany" : "", jobs[i]);
    if (count)
        say_jobs(u, jobs, count);
    else if (held)
        say_process(u, &h);
    free(jobs);
    return s;
}

/* ---- submitting ---- */

static enum status submit(const struct batch *b, struct slurm_wait *wait, char id[SLURM_ID],
                          struct message *m)
{
    return slurm_submit(b->option, b->options, b->script.text, b->script.used, wait, id, m);
}

static void say_run(const char *id, void *context)
{
    struct submission *u = context;
    u->complete = true;
    fprintf(u->out, "Submitted job %s: %ld trial%s on %ld node%s\n", id, u->trials,
            text_plural(u->trials), u->r->nodes, text_plural(u->r->nodes));
    if (u->how->parsable)
        printf("%s\n", id);
    fflush(stdout);
}

static void say_merge(const char *id, void *context)
{
    struct submission *u = context;
    u->complete = true;
    fprintf(u->out, "Submitted job %s: merges them into ", id);
    text_plain(u->out, u->r->db);
    fprintf(u->out, " when they have ended\n");
    if (u->how->parsable)
        printf("%s\n", id);
    fflush(stdout);
}

/* Submits the last job, and waits for it where that is asked for. */
static enum status submit_last(struct submission *u, const struct batch *b,
                               void (*say)(const char *id, void *context), struct message *m)
{
    char id[SLURM_ID];
    struct slurm_wait wait = {.submitted = say, .context = u};
    enum status s = submit(b, u->how->wait ? &wait : NULL, id, m);
    if (s == STATUS_OK && !u->how->wait)
        say(id, u);
    u->exit_status = wait.exit_status;
    return s;
}

static const char *last_words(const struct submission *u)
{
    return u->how->parsable ? u->how->wait ? " --parsable --wait" : " --parsable"
           : u->how->wait   ? " --wait"
                            : "";
}

static enum status submit_run(struct submission *u, struct message *m)
{
    struct batch b = {0};
    struct text_buffer text = {0};
    enum status s = batch_run(u->r, &b, m);
    if (s == STATUS_OK && u->how->dry_run) {
        batch_show(&b, last_words(u), &text);
        s = print_text(&text, m);
    } else if (s == STATUS_OK) {
        s = submit_last(u, &b, say_run, m);
    }
    batch_free(&b);
    return s;
}

/* ---- an array ---- */

static enum status show_array(const struct submission *u, const struct batch *shards,
                              struct message *m)
{
    struct batch merge = {0};
    struct text_buffer text = {0};
    struct text_buffer more = {0};
    enum status s = batch_merge(u->r, &merge, m);
    if (s != STATUS_OK)
        return s;
    text_add(&text, "shards=$(");
    batch_show(shards, " --parsable", &text);
    text_add(&text, ") || exit\n");
    text_add(&more, " --dependency=\"afterany:${shards%%%%;*}\"");
    if (batch_merge_dependency(u->r)) {
        text_add(&more, ",");
        text_add_shell(&more, batch_merge_dependency(u->r));
    }
    text_add(&more, "%s", last_words(u));
    text.out_of_memory |= more.out_of_memory;
    batch_show(&merge, more.text ? more.text : "", &text);
    free(more.text);
    batch_free(&merge);
    return print_text(&text, m);
}

static enum status submit_merge(struct submission *u, const char *shards, struct message *m)
{
    struct batch merge = {0};
    const char *more = batch_merge_dependency(u->r);
    enum status s = batch_merge(u->r, &merge, m);
    if (s == STATUS_OK)
        batch_option(&merge, "--dependency=afterany:%s%s%s", shards, more ? "," : "",
                     more ? more : "");
    if (s == STATUS_OK && merge.out_of_memory)
        s = status_no_memory(m, "a job");
    if (s == STATUS_OK)
        s = submit_last(u, &merge, say_merge, m);
    batch_free(&merge);
    return s;
}

/* The array is in the queue and works without it: no reason to submit all of it again. */
static enum status without_merge(struct submission *u, const char *shards, struct message *m)
{
    struct text_buffer b = {0};
    const char *db = u->r->db;
    size_t stem = shard_file_stem(db);
    char *name = strndup(db, stem);
    text_add(
        &b,
        "headcount submit: the job that would merge the shards could not be submitted: %s. Job "
        "%s runs without it. When that has ended, merge by hand:\n    headcount merge --into ",
        m->text, shards);
    text_add_shell(&b, db);
    text_add(&b, " -- ");
    if (name)
        text_add_shell(&b, name);
    text_add(&b, "-[0-9]*-of-%ld%s\n", u->r->array, db + stem);
    enum status s = name && !b.out_of_memory ? STATUS_OK : status_no_memory(m, "a message");
    if (s == STATUS_OK)
        text_print(stderr, "%s", b.text);
    u->exit_status = EXIT_SOME_FAILED;
    free(name);
    free(b.text);
    return s;
}

static enum status submit_array(struct submission *u, struct message *m)
{
    struct batch shards = {0};
    char id[SLURM_ID];
    enum status s = batch_shards(u->r, &shards, m);
    if (s == STATUS_OK && u->how->dry_run) {
        s = show_array(u, &shards, m);
    } else if (s == STATUS_OK) {
        s = submit(&shards, NULL, id, m);
        if (s == STATUS_OK) {
            fprintf(u->out, "Submitted job %s: %ld trial%s in %ld shard%s", id, u->trials,
                    text_plural(u->trials), u->r->array, text_plural(u->r->array));
            if (u->r->at_once)
                fprintf(u->out, ", %ld at a time", u->r->at_once);
            fprintf(u->out, "\n");
            fflush(u->out);
            s = submit_merge(u, id, m);
            if (s == STATUS_IO && !u->complete)
                s = without_merge(u, id, m);
        }
    }
    batch_free(&shards);
    return s;
}

enum status submit_jobs(struct batch_request *r, long trials, const struct submit_manner *how,
                        int *exit_status, struct message *m)
{
    struct submission u = {.r = r,
                           .trials = trials,
                           .how = how,
                           .out = how->parsable || how->dry_run ? stderr : stdout,
                           .exit_status = EXIT_DONE};
    struct text_buffer after = {0};
    enum status s = find_after(&u, &after, m);
    if (s == STATUS_OK && after.out_of_memory)
        s = status_no_memory(m, "a dependency");
    r->after = after.text && after.text[0] ? after.text : NULL;
    if (s == STATUS_OK)
        s = r->array ? submit_array(&u, m) : submit_run(&u, m);
    *exit_status = u.exit_status;
    r->after = NULL;
    free(after.text);
    return s;
}
