/* The coordinator of studies: the results file, and jobs whose answers go into it. */
#include "sweep/study/study.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/db/lock.h"
#include "sweep/run/busy_retry.h"
#include "sweep/run/slot.h"
#include "sweep/study/job_queue.h"
#include "sweep/study/study_job.h"
#include "sweep/trials/store_check.h"
#include "sweep/worker/build_info.h"
#include "sweep/worker/stop.h"

static const struct study *const table[] = {
#define STUDY(name) &study_##name,
#include "sweep/study/studies.def"
#undef STUDY
    NULL};

const struct study *study_find(const char *name)
{
    const struct study *const *s = table;
    while (*s && strcmp((*s)->name, name) != 0)
        s++;
    return *s;
}

/* ---- the results file ---- */

struct study_session {
    struct study_run_options options;
    struct store *store;
    int lock;
    struct busy_retry busy;
    struct progress_view *view; /* of the study that runs; NULL: none does */
    study_take *take;           /* of answers; NULL: they are kept in the file */
    void *context;
};

static void say(struct study_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct study_session *session, const char *format, ...)
{
    char text[2 * MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (session->view)
        progress_note(session->view, text);
    else
        text_print(stderr, "%s\n", text);
}

static void say_plainly(void *context, const char *text)
{
    say(context, "%s", text);
}

enum status study_open(const char *db, const struct study_run_options *o,
                       struct study_session **out, struct message *m)
{
    if (access(db, F_OK) != 0) /* lock_take would make its folder */
        return status_fail(m, STATUS_BAD_INPUT, "there is no results file %s: %s", db,
                           strerror(errno));
    char words[2 * MESSAGE_SIZE];
    struct study_session *session = calloc(1, sizeof *session);
    if (!session)
        return status_no_memory(m, "a study");
    session->options = *o;
    session->lock = -1;
    session->busy =
        (struct busy_retry){.timeout_s = BUSY_TIMEOUT_S, .context = session, .say = say_plainly};
    enum status s = lock_take(db, &session->lock, m);
    if (s == STATUS_OK)
        s = stop_install(m);
    if (s == STATUS_OK) {
        do
            s = store_open(db, STORE_WRITE, &session->store, m);
        while (retry_while_busy(&session->busy, &s, m));
    }
    if (s == STATUS_OK && store_migration_words(session->store, words, sizeof words)[0])
        say(session, "%s", words);
    if (s == STATUS_OK) {
        do
            s = store_check_numbers(session->store, m);
        while (retry_while_busy(&session->busy, &s, m));
    }
    if (s == STATUS_OK)
        *out = session;
    else
        study_close(session, NULL);
    return s;
}

enum status study_read(struct store *s, const struct study_run_options *o, study_take *take,
                       void *context, struct study_session **out, struct message *m)
{
    struct study_session *session = calloc(1, sizeof *session);
    if (!session)
        return status_no_memory(m, "a study");
    *session = (struct study_session){.options = *o,
                                      .store = s,
                                      .lock = -1,
                                      .busy = {.context = session, .say = say_plainly},
                                      .take = take,
                                      .context = context};
    enum status status = stop_install(m);
    if (status == STATUS_OK)
        *out = session;
    else
        study_close(session, NULL);
    return status;
}

enum status study_close(struct study_session *session, struct message *m)
{
    enum status s = STATUS_OK;
    if (!session)
        return s;
    if (session->store && !session->take)
        s = store_close(session->store, m);
    stop_restore();
    lock_release(session->lock);
    free(session);
    return s;
}

struct store *study_store(struct study_session *session)
{
    return session->store;
}

/* As retry_while_busy (sweep/run/busy_retry.h), for what is read before jobs are run. */
static bool study_wait(struct study_session *session, enum status *s, struct message *m)
{
    return retry_while_busy(&session->busy, s, m);
}

/* ---- one job for each trial ---- */

enum status study_what(struct store *s, const char *what, int64_t *sweep_id, int64_t *trial_id,
                       struct message *m)
{
    *trial_id = *sweep_id = 0;
    enum status status = store_sweep(s, what, sweep_id, m);
    if (status == STATUS_BAD_INPUT && what && what[strspn(what, "0123456789")] == '\0')
        status = store_trial(s, what, trial_id, m);
    return status;
}

static enum status nobody(struct store *s, int64_t sweep_id, struct message *m)
{
    char name[STORE_NAME_SIZE];
    enum status status = store_sweep_name(s, sweep_id, name, m);
    if (status != STATUS_OK)
        return status;
    return status_fail(
        m, STATUS_BAD_INPUT,
        "no trial of sweep %s has completed, so there is nothing to measure; run it first", name);
}

static enum status find_due(struct store *s, const struct study_request *q, struct study_result *r,
                            struct study_due *due, struct message *m)
{
    enum status status = study_what(s, q->what, &r->sweep_id, &r->trial_id, m);
    if (status == STATUS_OK)
        status = store_study_due(s, r->sweep_id, r->trial_id, q->study->name, q->options, due, m);
    if (status != STATUS_OK)
        return status;
    r->before = due->done;
    if (due->count + due->done > 0 || q->may_find_none)
        return STATUS_OK;
    return nobody(s, r->sweep_id, m);
}

/* Whether anybody is to be asked: found out without the lock, so that what is known can be looked
 * at while a sweep runs. */
static enum status is_due(const struct study_request *q, struct study_result *r, bool *anybody,
                          struct message *m)
{
    struct store *s;
    struct study_due due = {0};
    enum status status = store_open(q->db, STORE_READ, &s, m);
    if (status != STATUS_OK)
        return status;
    status = find_due(s, q, r, &due, m);
    *anybody = due.count > 0;
    free(due.list);
    return store_close_after(s, status, m);
}

static enum status ask_all(struct study_session *session, const struct study_request *q,
                           struct study_result *r, struct message *m)
{
    struct study_due due = {0};
    struct store *store = study_store(session);
    enum status s;
    do
        s = find_due(store, q, r, &due, m);
    while (study_wait(session, &s, m));
    if (s != STATUS_OK)
        return s;
    struct study_job *jobs = calloc((size_t)due.count + 1, sizeof *jobs);
    if (jobs) {
        for (int i = 0; i < due.count; i++)
            jobs[i] = (struct study_job){.folder = store_folder(store),
                                         .trials = 1,
                                         .trial = &due.list[i],
                                         .options = q->options};
        s = study_run(session, q->study, jobs, due.count, r, m);
    } else {
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for %d trials", due.count);
    }
    free(jobs);
    free(due.list);
    return s;
}

enum status study_ask(const struct study_request *q, struct study_result *r, struct message *m)
{
    struct study_session *session = NULL;
    bool anybody;
    *r = (struct study_result){0};
    enum status s = is_due(q, r, &anybody, m);
    if (s != STATUS_OK || !anybody)
        return s;
    s = study_open(q->db, &q->run, &session, m);
    if (!session)
        return s;
    s = ask_all(session, q, r, m);
    enum status closed = study_close(session, s == STATUS_OK ? m : NULL);
    return s == STATUS_OK ? closed : s;
}

/* ---- jobs ---- */

/* One call of study_run. */
struct asking {
    struct study_session *session;
    const struct study *study;
    const struct study_job *jobs;
    int count;
    const char *folder; /* where the weights lie; for other machines absolute */
    struct study_result *result;
    struct study_result before; /* ... as it was at the call */
    double started_s;
};

static void show_counts(const struct asking *a)
{
    int answered = a->result->answered - a->before.answered;
    int failed = a->result->failed - a->before.failed;
    int ended = answered + failed, left = a->count - ended;
    const struct counts counts = {
        .planned = a->count,
        .ended = ended,
        .trials = {[TRIAL_COMPLETED] = answered, [TRIAL_FAILED] = failed, [TRIAL_QUEUED] = left}};
    progress_counts(a->session->view, &counts);
    progress_time_left(a->session->view,
                       ended > 0 ? (clock_now_s() - a->started_s) * left / ended : NAN);
}

static enum status job_text(void *context, int i, char **text, struct message *m)
{
    const struct asking *a = context;
    struct study_job job = a->jobs[i];
    struct data_place data;
    enum status s;
    do
        s = store_config_data(a->session->store, job.trial->config_sha256, &data, m);
    while (retry_while_busy(&a->session->busy, &s, m));
    job.data = &data;
    job.folder = a->folder;
    return s == STATUS_OK ? study_job_text(a->study, &job, text, m) : s;
}

static void job_begins(void *context, int i, int slot)
{
    const struct asking *a = context;
    const struct study_trial *t = a->jobs[i].trial;
    char label[SLOT_LABEL];
    slot_label(t->heads, t->label, t->seed, label);
    const struct progress_trial shown = {.trial_id = t->trial_id, .label = label, .whole = true};
    progress_trial_started(a->session->view, slot, &shown);
}

static enum status file_answer(struct asking *a, const struct study_job *j,
                               const struct job_ending *e, struct message *m)
{
    struct study_session *session = a->session;
    struct study_filing f = {.study = a->study->name,
                             .options = j->options,
                             .trials = j->trial,
                             .count = j->trials,
                             .answer = e->answer,
                             .cpu_s = e->cpu_s};
    enum status s;
    if (!store_in_place(session->store))
        return status_fail(m, STATUS_IO,
                           "the results file was removed or replaced meanwhile; nothing more is "
                           "written");
    do {
        s = store_build(session->store, e->build, &f.build_id, m);
        if (s == STATUS_OK)
            s = store_study_file(session->store, &f, m);
    } while (retry_while_busy(&session->busy, &s, m));
    return s;
}

static enum status job_taken(struct asking *a, const struct study_job *j, int slot,
                             const struct job_ending *e, struct message *m)
{
    struct study_session *session = a->session;
    enum status s = session->take(session->context, j, e->answer, e->error, m);
    *(e->answer ? &a->result->answered : &a->result->failed) += 1;
    progress_trial_ended(session->view, slot, e->answer ? TRIAL_COMPLETED : TRIAL_FAILED, NAN);
    show_counts(a);
    return s;
}

static enum status job_ends(void *context, int i, int slot, const struct job_ending *e,
                            struct message *m)
{
    struct asking *a = context;
    struct progress_view *view = a->session->view;
    const struct study_job *j = &a->jobs[i];
    struct message why;
    if (a->session->take)
        return job_taken(a, j, slot, e, m);
    enum status s = STATUS_BAD_INPUT;
    if (e->answer)
        s = file_answer(a, j, e, &why);
    else
        snprintf(why.text, sizeof why.text, "%s", e->error);
    /* What concerns this answer alone: the trial has other weights by now, or a number cannot be. A
     * damaged results file ends it all. */
    bool its_own = s == STATUS_BAD_INPUT;
    if (s == STATUS_OK) {
        a->result->answered++;
        progress_trial_ended(view, slot, TRIAL_COMPLETED, NAN);
        show_counts(a);
        return s;
    }
    if (!its_own) {
        if (m)
            *m = why;
        return s;
    }
    char label[SLOT_LABEL];
    slot_label(j->trial->heads, j->trial->label, j->trial->seed, label);
    a->result->failed++;
    say(a->session, "trial %" PRId64 " (%s): %s", j->trial->trial_id, label, why.text);
    progress_trial_ended(view, slot, TRIAL_FAILED, NAN);
    show_counts(a);
    return STATUS_OK;
}

static void job_lost(void *context, int i, int slot)
{
    const struct asking *a = context;
    (void)i;
    progress_trial_ended(a->session->view, slot, TRIAL_QUEUED, NAN);
    show_counts(a);
}

static void slots(void *context, int count)
{
    const struct asking *a = context;
    progress_slots(a->session->view, count);
}

static void machine_says(void *context, const char *text)
{
    const struct asking *a = context;
    say(a->session, "%s", text);
}

static void turn(void *context)
{
    const struct asking *a = context;
    progress_draw(a->session->view, clock_now_s());
}

enum status study_run(struct study_session *session, const struct study *study,
                      const struct study_job *jobs, int count, struct study_result *r,
                      struct message *m)
{
    const bool elsewhere = session->options.crew.count > 0;
    char *absolute = elsewhere ? realpath(store_folder(session->store), NULL) : NULL;
    const char *folder = absolute ? absolute : store_folder(session->store);
    struct asking a = {session, study, jobs, count, folder, r, *r, clock_now_s()};
    const struct job_queue queue = {.crew = &session->options.crew,
                                    .folder = folder,
                                    .workers = session->options.workers,
                                    .jobs = count,
                                    .context = &a,
                                    .text = job_text,
                                    .slots = slots,
                                    .begins = job_begins,
                                    .ends = job_ends,
                                    .lost = job_lost,
                                    .says = machine_says,
                                    .turns = turn};
    session->busy.timeout_s = INFINITY; /* workers go on meanwhile */
    session->view = progress_new(stderr, session->options.quiet, study->doing, METRIC_VAL_ACC);
    show_counts(&a);
    enum status s = count > 0 ? job_queue_run(&queue, m) : STATUS_OK;
    free(absolute);
    progress_finish(session->view);
    session->view = NULL;
    session->busy.timeout_s = BUSY_TIMEOUT_S;
    if (s != STATUS_INTERRUPTED)
        return s;
    struct message why = *m;
    return status_fail(m, s, "%.1900s after %d of %d; the same command %s", why.text,
                       r->answered - a.before.answered, count,
                       session->take ? "starts over" : "goes on from there");
}
