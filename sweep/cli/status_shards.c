#include "sweep/cli/status_shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json_write.h"
#include "sweep/db/rows.h"
#include "sweep/merge/shard_sum.h"
#include "sweep/worker/stop.h"

/* ---- the files ---- */

static bool slurm_runs(const struct status_jobs *jobs, const struct shard_file *f)
{
    for (int i = 0; i < jobs->count; i++) {
        const struct slurm_job *j = &jobs->job[i];
        if (j->task == f->number && j->shards == f->of && !status_job_waits(j))
            return true;
    }
    return false;
}

static void look_at(struct shard_view *v, const struct shard_file *file,
                    const struct status_jobs *jobs)
{
    *v = (struct shard_view){.file = file};
    v->held = lock_holder(file->path, &v->holder);
    v->at_work = v->held || slurm_runs(jobs, file);
}

/* Of a trial that two files have alike, that at work comes first. */
static int by_importance(const void *a, const void *b)
{
    const struct shard_view *x = a, *y = b;
    if (x->at_work != y->at_work)
        return x->at_work ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static enum status add_file(struct status_shards *s, struct shard_view *v, struct message *m)
{
    const struct shard_source source = {v->file->number, v->file->of, v->at_work};
    struct store *from;
    enum status status = store_open(v->file->path, STORE_READ, &from, m);
    if (status == STATUS_OK) {
        store_stop_when(from, stop_asked, NULL);
        status = shard_sum_add(s->sum, from, &source, m);
        store_close(from, NULL);
    }
    if (status == STATUS_OK || status == STATUS_NO_MEMORY || status == STATUS_INTERRUPTED)
        return status;
    if (!v->held) /* else it is just being made */
        v->trouble = text_copy(m->text);
    return STATUS_OK;
}

/* ---- what they have ---- */

static enum status read_parts(struct status_shards *s, struct message *m)
{
    enum { NAME, NUMBER, OF, LEFT, NEWEST, LAST_RUN, COUNT };
    struct rows r =
        rows_open(s->sum, m,
                  "SELECT name, number, of, trials_left, newest, p.last_run, count(*) OVER ()"
                  "  FROM shard_part AS p JOIN sweep USING (sweep_id) WHERE number > 0"
                  " ORDER BY part",
                  NO_VALUES);
    while (rows_next(&r)) {
        if (!s->part)
            s->part = calloc((size_t)rows_integer(&r, COUNT), sizeof *s->part);
        if (!s->part) {
            r.status = status_no_memory(m, "shards");
            break;
        }
        struct shard_part *p = &s->part[s->parts++];
        rows_copy(&r, NAME, p->sweep, sizeof p->sweep);
        p->left = rows_integer(&r, LEFT);
        p->newest = rows_integer(&r, NEWEST) != 0;
        rows_copy(&r, LAST_RUN, p->last_run, sizeof p->last_run);
        for (int i = 0; i < s->files.count; i++)
            if (s->view[i].file->number == rows_integer(&r, NUMBER) &&
                s->view[i].file->of == rows_integer(&r, OF))
                p->view = &s->view[i];
    }
    return rows_close(&r);
}

/* What a sweep has come to, as a text to compare. */
static enum status read_counts(struct store *s, const char *sweep, char *text, size_t size,
                               struct message *m)
{
    text[0] = '\0';
    struct rows r =
        rows_open(s, m,
                  "SELECT format('%d %d %d %d %d', planned, queued + running, completed,"
                  "  diverged, failed) FROM progress WHERE sweep = ?",
                  VALUES(TEXT(sweep)));
    if (rows_next(&r))
        rows_copy(&r, 0, text, size);
    return rows_close(&r);
}

static bool is_busy(const struct status_shards *s, const char *sweep)
{
    for (int i = 0; i < s->jobs->count; i++)
        if (s->jobs->job[i].task && strcmp(s->jobs->job[i].name, sweep) == 0)
            return true;
    for (int i = 0; i < s->parts; i++)
        if (s->part[i].view->at_work && s->part[i].newest && strcmp(s->part[i].sweep, sweep) == 0)
            return true;
    return false;
}

/* A sweep of which the results file has everything needs no shards to be told of, unless they are
 * at work, or trials are left that nobody is at work on. */
static enum status tell(struct status_shards *s, struct store *own, const char *sweep, int64_t left,
                        struct json_writer *from_sum, struct json_writer *from_file,
                        struct message *m)
{
    char ours[160] = "", sum[160] = "";
    enum status status = read_counts(s->sum, sweep, sum, sizeof sum, m);
    if (status == STATUS_OK && own)
        status = read_counts(own, sweep, ours, sizeof ours, m);
    bool all = strcmp(ours, sum) == 0 && !is_busy(s, sweep) && (left == 0 || s->own_at_work);
    json_add_text(all ? from_file : from_sum, NULL, sweep);
    return status;
}

static enum status read_told(struct status_shards *s, struct store *own, struct message *m)
{
    struct text_buffer from_sum = {0}, from_file = {0};
    struct json_writer to_sum = {.text = &from_sum}, to_file = {.text = &from_file};
    json_begin_list(&to_sum, NULL);
    json_begin_list(&to_file, NULL);
    struct rows r = rows_open(s->sum, m, "SELECT sweep, queued + running FROM progress", NO_VALUES);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&r))
        status = tell(s, own, rows_given(&r, 0), rows_integer(&r, 1), &to_sum, &to_file, m);
    enum status closed = rows_close(&r);
    json_end_list(&to_sum);
    json_end_list(&to_file);
    free(s->from_sum);
    free(s->from_file);
    s->from_sum = from_sum.text;
    s->from_file = from_file.text;
    if (from_sum.out_of_memory || from_file.out_of_memory)
        return status_no_memory(m, "the names of sweeps");
    return status == STATUS_OK ? closed : status;
}

/* ---- the whole ---- */

static enum status add_all(struct status_shards *s, struct store *own, struct message *m)
{
    const struct shard_source here = {.at_work = s->own_at_work};
    enum status status = shard_sum_new(&s->sum, m);
    for (int i = 0; status == STATUS_OK && i < s->files.count; i++)
        status = add_file(s, &s->view[i], m);
    if (status == STATUS_OK && own)
        status = shard_sum_add(s->sum, own, &here, m);
    if (status == STATUS_OK)
        status = shard_sum_end(s->sum, m);
    if (status == STATUS_OK)
        status = read_parts(s, m);
    return status == STATUS_OK ? read_told(s, own, m) : status;
}

enum status status_shards_read(const char *db, struct store *own, const struct status_jobs *jobs,
                               struct status_shards *s, struct message *m)
{
    *s = (struct status_shards){.jobs = jobs, .own_at_work = lock_is_taken(db)};
    if (shard_files_find(db, &s->files, m) == STATUS_NO_MEMORY)
        return STATUS_NO_MEMORY;
    s->view = calloc((size_t)s->files.count + 1, sizeof *s->view);
    s->spoken = calloc((size_t)jobs->count + 1, sizeof *s->spoken);
    s->from_sum = strdup("[]");
    s->from_file = strdup("[]");
    if (!s->view || !s->spoken || !s->from_sum || !s->from_file)
        return status_no_memory(m, "shards");
    for (int i = 0; i < s->files.count; i++)
        look_at(&s->view[i], &s->files.item[i], jobs);
    qsort(s->view, (size_t)s->files.count, sizeof *s->view, by_importance);
    return s->files.count > 0 ? add_all(s, own, m) : STATUS_OK;
}

void status_shards_free(struct status_shards *s)
{
    store_close(s->sum, NULL);
    for (int i = 0; s->view && i < s->files.count; i++)
        free(s->view[i].trouble);
    free(s->view);
    free(s->part);
    free(s->spoken);
    free(s->from_sum);
    free(s->from_file);
    shard_files_free(&s->files);
    *s = (struct status_shards){0};
}
