/* The shards of the sweeps of a results file: their files, their jobs, and what each is at, in
 * sentences and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json_write.h"
#include "engine/base/ranges.h"
#include "sweep/cli/batch.h"
#include "sweep/cli/status_shards.h"
#include "sweep/db/rows.h"
#include "sweep/hosts/slurm.h"
#include "sweep/merge/shard_sum.h"
#include "sweep/worker/stop.h"

/* ---- jobs ---- */

/* Whether a job waits, rather than that it runs (or is about to, or ends). */
static bool waits_in_queue(const struct slurm_job *job)
{
    static const char *const states[] = {"PENDING",     "REQUEUED",     "REQUEUE_HOLD",
                                         "REQUEUE_FED", "SPECIAL_EXIT", "SUSPENDED",
                                         "STOPPED",     "RESV_DEL_HOLD"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(job->state, states[i]) == 0)
            return true;
    return false;
}

/* "Resources", why it waits; "" where Slurm gives no reason. */
static const char *reason_of(const struct slurm_job *job)
{
    return strcmp(job->reason, "None") == 0 ? "" : job->reason;
}

/* ---- the files ---- */

static bool slurm_runs(const struct status_shards *s, const struct shard_file *f)
{
    for (int i = 0; i < s->jobs; i++) {
        const struct slurm_job *j = &s->job[i];
        if (j->task == f->number && j->shards == f->of && !waits_in_queue(j))
            return true;
    }
    return false;
}

/* Of a trial that two files have alike, that at work comes first. */
static int by_importance(const void *a, const void *b)
{
    const struct shard_view *x = a, *y = b;
    if (x->at_work != y->at_work)
        return x->at_work ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static void add_file(struct scope *x, struct status_shards *s, struct shard_view *v)
{
    const struct shard_source source = {v->file->number, v->file->of, v->at_work};
    struct store *from;
    enum status status = store_open(v->file->path, STORE_READ, &from, x->message);
    if (status == STATUS_OK) {
        store_stop_when(from, stop_asked, NULL);
        status = shard_sum_add(s->sum, from, &source, x->message);
        store_close(from, NULL);
    }
    if (status == STATUS_NO_MEMORY || status == STATUS_INTERRUPTED)
        scope_check(x, status);
    if (status != STATUS_OK && !v->held) /* else it is just being made */
        v->trouble = arena_string(&x->arena, x->message->text);
}

/* ---- what they have ---- */

static void read_parts(struct scope *x, struct status_shards *s)
{
    enum { NAME, NUMBER, OF, LEFT, NEWEST, LAST_RUN };
    struct rows *r =
        scope_rows(x,
                   "SELECT name, number, of, trials_left, newest, p.last_run"
                   "  FROM shard_part AS p JOIN sweep USING (sweep_id) WHERE number > 0"
                   " ORDER BY part",
                   NO_VALUES);
    while (scope_next(x, r)) {
        s->part = arena_grow(&x->arena, s->part, (size_t)s->parts, sizeof *s->part);
        struct shard_part *p = &s->part[s->parts++];
        *p = (struct shard_part){.left = rows_integer(r, LEFT), .newest = rows_integer(r, NEWEST)};
        rows_copy(r, NAME, p->sweep, sizeof p->sweep);
        rows_copy(r, LAST_RUN, p->last_run, sizeof p->last_run);
        for (int i = 0; i < s->files.count; i++)
            if (s->view[i].file->number == rows_integer(r, NUMBER) &&
                s->view[i].file->of == rows_integer(r, OF))
                p->view = &s->view[i];
    }
}

static bool is_busy(const struct status_shards *s, const char *sweep)
{
    for (int i = 0; i < s->jobs; i++)
        if (s->job[i].task && strcmp(s->job[i].name, sweep) == 0)
            return true;
    for (int i = 0; i < s->parts; i++)
        if (s->part[i].view->at_work && s->part[i].newest && strcmp(s->part[i].sweep, sweep) == 0)
            return true;
    return false;
}

/* Whether the file has of a sweep what the sum has. */
static bool has_all(struct scope *x, struct store *own, const char *sweep, const char *counts)
{
    bool all = false;
    if (!own)
        return false;
    struct rows r = rows_open(own, x->message,
                              "SELECT format('%d %d %d %d %d', planned, queued + running,"
                              "  completed, diverged, failed) FROM progress WHERE sweep = ?",
                              VALUES(TEXT(sweep)));
    while (rows_next(&r))
        all = strcmp(rows_given(&r, 0), counts) == 0;
    scope_check(x, rows_close(&r));
    return all;
}

/* A sweep of which the results file has everything needs no shards to be told of, unless they are
 * at work, or trials are left that nobody is at work on. */
static void divide_sweeps(struct scope *x, struct status_shards *s, struct store *own)
{
    enum { SWEEP, LEFT, COUNTS };
    struct text_buffer from_sum = scope_text(x), from_file = scope_text(x);
    struct json_writer to_sum = {.text = &from_sum}, to_file = {.text = &from_file};
    json_begin_list(&to_sum, NULL);
    json_begin_list(&to_file, NULL);
    struct rows *r = scope_rows(x,
                                "SELECT sweep, queued + running, format('%d %d %d %d %d', planned,"
                                "  queued + running, completed, diverged, failed) FROM progress",
                                NO_VALUES);
    while (scope_next(x, r)) {
        const char *sweep = rows_given(r, SWEEP);
        bool all = has_all(x, own, sweep, rows_given(r, COUNTS)) && !is_busy(s, sweep) &&
                   (rows_integer(r, LEFT) == 0 || s->own_at_work);
        json_add_text(all ? &to_file : &to_sum, NULL, sweep);
    }
    json_end_list(&to_sum);
    json_end_list(&to_file);
    s->from_sum = from_sum.text;
    s->from_file = from_file.text;
}

/* ---- the whole ---- */

static void free_found(void *shards)
{
    struct status_shards *s = shards;
    free(s->job);
    store_close(s->sum, NULL);
}

static void add_up(struct scope *x, struct status_shards *s, struct store *own)
{
    const struct shard_source here = {.at_work = s->own_at_work};
    scope_check(x, shard_sum_new(&s->sum, x->message));
    for (int i = 0; i < s->files.count; i++)
        add_file(x, s, &s->view[i]);
    if (own)
        scope_check(x, shard_sum_add(s->sum, own, &here, x->message));
    scope_check(x, shard_sum_end(s->sum, x->message));
    struct store *before = x->store;
    x->store = s->sum;
    read_parts(x, s);
    divide_sweeps(x, s, own);
    x->store = before;
}

struct status_shards *status_shards_read(struct scope *x, const char *db, struct store *own)
{
    enum { PATIENCE_MS = 3000 };
    struct message ignored;
    struct status_shards *s = arena_alloc(&x->arena, 1, sizeof *s);
    *s = (struct status_shards){
        .scope = x, .own_at_work = lock_is_taken(db), .from_sum = "[]", .from_file = "[]"};
    arena_on_free(&x->arena, free_found, s);
    slurm_jobs_within(db, PATIENCE_MS, &s->job, &s->jobs, &s->answered, &ignored);
    s->told_of = arena_alloc(&x->arena, (size_t)s->jobs + 1, sizeof *s->told_of);
    shard_files_find(&x->arena, db, &s->files, &ignored);
    s->view = arena_alloc(&x->arena, (size_t)s->files.count + 1, sizeof *s->view);
    for (int i = 0; i < s->files.count; i++) {
        struct shard_view *v = &s->view[i];
        *v = (struct shard_view){.file = &s->files.item[i]};
        v->held = lock_holder(v->file->path, &v->holder);
        v->at_work = v->held || slurm_runs(s, v->file);
    }
    qsort(s->view, (size_t)s->files.count, sizeof *s->view, by_importance);
    if (s->files.count > 0)
        add_up(x, s, own);
    return s;
}

/* ---- what each shard is at ---- */

enum task_state { RUNS, WAITS, ENDED, NOT_BEGUN, STOPPED, LOST, TASK_STATES };

static const char *const state_names[] = {"runs", "waits", "ended", "not_begun", "stopped", "lost"};
static const char *const state_words[][2] = {{"runs", "run"},
                                             {"waits", "wait"},
                                             {"has ended", "have ended"},
                                             {"has not begun", "have not begun"},
                                             {"stopped before its end", "stopped before their end"},
                                             {"is lost", "are lost"}};

/* A shard. */
struct array_task {
    enum task_state state;
    const struct slurm_job *job;   /* of the queue; NULL: none */
    const struct shard_part *part; /* NULL: it has no file, or nothing of this sweep in it */
};

/* The shards of a sweep, one array of jobs. */
struct array {
    const char *sweep;
    long of; /* 0: there are none */
    struct array_task *task;
    long count[TASK_STATES];
};

/* ---- which jobs are whose ---- */

static bool is_merge_of(const struct slurm_job *j, const char *sweep)
{
    size_t length = strlen(sweep);
    return !j->task && strncmp(j->name, sweep, length) == 0 &&
           strcmp(j->name + length, BATCH_MERGE_ENDING) == 0;
}

static bool is_job_of(const struct slurm_job *j, const char *sweep)
{
    return strcmp(j->name, sweep) == 0 || is_merge_of(j, sweep);
}

/* Into how many shards the sweep is cut: by what is at work, else by the queue, else by the file
 * that was run last. 0: into none. */
static long find_array(const struct status_shards *s, const char *sweep)
{
    const struct shard_part *last = NULL;
    for (int i = 0; i < s->parts; i++) {
        const struct shard_part *p = &s->part[i];
        if (strcmp(p->sweep, sweep) != 0)
            continue;
        if (p->view->at_work && p->newest)
            return p->view->file->of;
        if (!last || strcmp(p->last_run, last->last_run) > 0)
            last = p;
    }
    for (int i = 0; i < s->jobs; i++)
        if (s->job[i].task && s->job[i].shards && is_job_of(&s->job[i], sweep))
            return s->job[i].shards;
    return last ? last->view->file->of : 0;
}

/* ---- what a shard is at ---- */

static enum task_state state_of(const struct status_shards *s, const struct array_task *t,
                                bool all_done)
{
    const struct shard_part *p = t->part;
    bool runs = p && p->view->held && p->newest;
    if (runs || (t->job && !waits_in_queue(t->job)))
        return RUNS;
    if (t->job)
        return WAITS;
    if (all_done || (p && p->left == 0))
        return ENDED;
    return s->answered ? LOST : p ? STOPPED : NOT_BEGUN;
}

static bool all_done(const struct status_shards *s, const char *sweep)
{
    struct message ignored;
    int64_t left = 1;
    if (s->sum)
        rows_ask(s->sum, &ignored,
                 "SELECT ifnull((SELECT queued + running FROM progress WHERE sweep = ?), 1)",
                 VALUES(TEXT(sweep)), &left);
    return left == 0;
}

/* Whether a list of names, as JSON, has this one. */
static bool is_in(struct scope *x, const char *list, const char *sweep)
{
    struct text_buffer name = scope_text(x);
    json_add_text(&(struct json_writer){.text = &name}, NULL, sweep);
    return strstr(list, name.text);
}

/* False where there is no shard to tell of. */
static bool make_array(const struct status_shards *s, const char *sweep, struct array *a)
{
    bool from_file = is_in(s->scope, s->from_file, sweep);
    *a = (struct array){.sweep = sweep, .of = from_file ? 0 : find_array(s, sweep)};
    if (a->of == 0)
        return false;
    a->task = arena_alloc(&s->scope->arena, (size_t)a->of, sizeof *a->task);
    for (int i = 0; i < s->parts; i++) {
        const struct shard_part *p = &s->part[i];
        if (p->view->file->of == a->of && strcmp(p->sweep, sweep) == 0)
            a->task[p->view->file->number - 1].part = p;
    }
    for (int i = 0; i < s->jobs; i++) {
        const struct slurm_job *j = &s->job[i];
        if (j->shards != a->of || j->task < 1 || j->task > a->of || !is_job_of(j, sweep))
            continue;
        struct array_task *t = &a->task[j->task - 1];
        if (!t->job || waits_in_queue(t->job))
            t->job = j;
    }
    bool done = all_done(s, sweep);
    for (long k = 0; k < a->of; k++)
        a->count[a->task[k].state = state_of(s, &a->task[k], done)]++;
    return true;
}

/* A job on all trials of the sweep, or a run on the results file, does what shards have left. */
static bool others_do_it(const struct status_shards *s, const char *sweep)
{
    for (int i = 0; i < s->jobs; i++)
        if (!s->job[i].task && strcmp(s->job[i].name, sweep) == 0)
            return true;
    return s->own_at_work;
}

/* ---- sentences ---- */

enum { ITEMS_SHOWN = 6 };

/* "17_3 on n1"; without a job "shard 3 on n1". */
static void add_task(const struct array_task *t, long number, struct text_buffer *said)
{
    const struct shard_view *v = t->part ? t->part->view : NULL;
    const char *on = v && v->held ? strstr(v->holder.words, " on ") : NULL;
    if (t->job)
        text_add(said, "%s", t->job->id);
    else
        text_add(said, "shard %ld", number);
    if (on)
        text_add(said, " on %.*s", (int)strcspn(on + 4, ","), on + 4);
}

static void add_running(const struct array *a, struct text_buffer *said)
{
    int shown = 0;
    for (long k = 0; k < a->of && shown < ITEMS_SHOWN; k++) {
        if (a->task[k].state != RUNS)
            continue;
        text_add(said, "%s", shown++ ? ", " : " (");
        add_task(&a->task[k], k + 1, said);
    }
    if (a->count[RUNS] > shown)
        text_add(said, " and %ld more", a->count[RUNS] - shown);
    text_add(said, ")");
}

/* " (job 17: Resources)", " (job 17: Resources 1, JobArrayTaskLimit 5)" */
static void add_reasons(const struct array *a, struct text_buffer *said)
{
    enum { REASONS = 4 };
    const char *reason[REASONS];
    long count[REASONS] = {0};
    long job = 0;
    int reasons = 0;
    for (long k = 0; k < a->of; k++) {
        if (a->task[k].state != WAITS)
            continue;
        const char *why = reason_of(a->task[k].job);
        job = a->task[k].job->job;
        int i = 0;
        while (i < reasons && strcmp(reason[i], why) != 0)
            i++;
        if (!*why || i == REASONS)
            continue;
        if (i == reasons)
            reason[reasons++] = why;
        count[i]++;
    }
    text_add(said, " (job %ld", job);
    for (int i = 0; i < reasons; i++) {
        text_add(said, "%s%s", i ? ", " : ": ", reason[i]);
        if (reasons > 1)
            text_add(said, " %ld", count[i]);
    }
    text_add(said, ")");
}

/* " (shards 7 and 9, 3 trials left: nobody works on them)" */
static void add_left(const struct array *a, enum task_state state, struct text_buffer *said)
{
    struct ranges numbers = {.count = 0};
    char words[160];
    int64_t left = 0;
    bool known = true, one = a->count[state] == 1;
    for (long k = 0; k < a->of; k++) {
        if (a->task[k].state != state)
            continue;
        ranges_add_number(&numbers, k + 1);
        known &= a->task[k].part != NULL;
        left += a->task[k].part ? a->task[k].part->left : 0;
    }
    ranges_words(&numbers, words, sizeof words);
    text_add(said, " (shard%s %s", one ? "" : "s", words);
    if (known)
        text_add(said, ", %" PRId64 " trial%s left", left, text_plural(left));
    if (state != NOT_BEGUN)
        text_add(said, ": nobody works on %s", one ? "it" : "them");
    if (state == LOST)
        text_add(said, ", and %s not in the queue; the same submit goes on",
                 one ? "it is" : "they are");
    text_add(said, ")");
}

static void say_tasks(const struct array *a, bool others, struct text_buffer *said)
{
    const char *before = "";
    bool alike = false;
    for (int i = 0; i < TASK_STATES; i++)
        alike |= a->count[i] == a->of;
    if (others && a->count[RUNS] + a->count[WAITS] == 0)
        return;
    text_add(said, "%s: ", a->sweep);
    if (alike)
        text_add(said, a->of == 1 ? "the only shard " : "all %ld shards ", a->of);
    else
        text_add(said, "of %ld shards ", a->of);
    for (int i = 0; i <= (others ? ENDED : LOST); i++) {
        if (a->count[i] == 0)
            continue;
        text_add(said, "%s", before);
        if (!alike)
            text_add(said, "%ld ", a->count[i]);
        text_add(said, "%s", state_words[i][a->count[i] != 1]);
        if (i == RUNS)
            add_running(a, said);
        else if (i == WAITS)
            add_reasons(a, said);
        else if (i != ENDED)
            add_left(a, (enum task_state)i, said);
        before = ", ";
    }
    text_add(said, ".\n");
}

/* in_table: the sweep has a row. */
static void say_job(const struct status_shards *s, const struct slurm_job *j, const char *sweep,
                    bool in_table, struct text_buffer *said)
{
    const char *reason = reason_of(j);
    bool waits = waits_in_queue(j);
    if (is_merge_of(j, sweep))
        text_add(said, "%s: job %s %s", sweep, j->id,
                 waits ? "merges the shards when they have ended" : "merges the shards");
    else if (waits)
        text_add(said, "%s: job %s waits", sweep, j->id);
    else if (!in_table || !s->own_at_work) /* else the row says so */
        text_add(said, "%s: job %s has begun", sweep, j->id);
    else
        return;
    if (waits && *reason)
        text_add(said, " (%s)", reason);
    text_add(said, ".\n");
}

static void say_sweep(struct status_shards *s, const char *sweep, bool in_table,
                      struct text_buffer *said)
{
    struct array a;
    if (make_array(s, sweep, &a))
        say_tasks(&a, others_do_it(s, sweep), said);
    for (int i = 0; i < s->jobs; i++) {
        const struct slurm_job *j = &s->job[i];
        if (!is_job_of(j, sweep) || s->told_of[i])
            continue;
        s->told_of[i] = true;
        if (!j->task)
            say_job(s, j, sweep, in_table, said);
    }
}

void status_shards_say(struct status_shards *s, const char *sweep, struct text_buffer *said)
{
    say_sweep(s, sweep, true, said);
}

void status_shards_say_others(struct status_shards *s, struct text_buffer *said)
{
    for (int i = 0; i < s->jobs; i++) {
        char sweep[sizeof s->job->name];
        if (s->told_of[i])
            continue;
        snprintf(sweep, sizeof sweep, "%s", s->job[i].name);
        size_t length = strlen(sweep), ending = strlen(BATCH_MERGE_ENDING);
        if (length > ending && strcmp(sweep + length - ending, BATCH_MERGE_ENDING) == 0)
            sweep[length - ending] = '\0';
        say_sweep(s, sweep, false, said);
    }
}

void status_shards_say_passed(const struct status_shards *s, struct text_buffer *said)
{
    for (int i = 0; i < s->files.count; i++)
        if (s->view[i].trouble)
            text_add(said, "Passed over: %s\n", s->view[i].trouble);
}

/* ---- JSON ---- */

static void add_task_json(const struct array *a, long k, struct json_writer *w)
{
    const struct array_task *t = &a->task[k];
    const struct shard_view *v = t->part ? t->part->view : NULL;
    json_begin_object(w, NULL);
    json_add_integer(w, "shard", k + 1);
    json_add_integer(w, "of", a->of);
    json_add_text(w, "state", state_names[t->state]);
    if (t->part)
        json_add_integer(w, "trials_left", t->part->left);
    else
        json_add_null(w, "trials_left");
    json_add_text(w, "job", t->job ? t->job->id : NULL);
    json_add_text(w, "reason", t->state == WAITS ? t->job->reason : NULL);
    json_add_text(w, "holder", v && v->held ? v->holder.words : NULL);
    json_end_object(w);
}

static void add_job_json(const struct slurm_job *j, struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_add_text(w, "job", j->id);
    json_add_text(w, "name", j->name);
    json_add_text(w, "state", j->state);
    json_add_text(w, "reason", j->reason);
    json_end_object(w);
}

void status_shards_json(struct status_shards *s, const char *sweep, struct text_buffer *shards,
                        struct text_buffer *jobs)
{
    struct json_writer to_shards = {.text = shards}, to_jobs = {.text = jobs};
    struct array a;
    if (make_array(s, sweep, &a)) {
        json_begin_list(&to_shards, NULL);
        for (long k = 0; k < a.of; k++)
            add_task_json(&a, k, &to_shards);
        json_end_list(&to_shards);
    } else {
        json_add_null(&to_shards, NULL);
    }
    json_begin_list(&to_jobs, NULL);
    for (int i = 0; i < s->jobs; i++) {
        const struct slurm_job *j = &s->job[i];
        if (s->told_of[i] || !is_job_of(j, sweep))
            continue;
        s->told_of[i] = true;
        add_job_json(j, &to_jobs);
    }
    json_end_list(&to_jobs);
}

void status_shards_json_others(struct status_shards *s, struct text_buffer *jobs)
{
    struct json_writer w = {.text = jobs};
    for (int i = 0; i < s->jobs; i++) {
        if (s->told_of[i])
            continue;
        s->told_of[i] = true;
        if (!jobs->used)
            json_begin_list(&w, NULL);
        add_job_json(&s->job[i], &w);
    }
    if (jobs->used)
        json_end_list(&w);
}
