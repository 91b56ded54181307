#include "sweep/study/study.h"

#include <stdlib.h>
#include <string.h>

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
    struct study_session *session;
    bool anybody;
    *r = (struct study_result){0};
    enum status s = is_due(q, r, &anybody, m);
    if (s != STATUS_OK || !anybody)
        return s;
    s = study_open(q->db, &q->run, &session, m);
    if (s != STATUS_OK)
        return s;
    s = ask_all(session, q, r, m);
    enum status closed = study_close(session, s == STATUS_OK ? m : NULL);
    return s == STATUS_OK ? closed : s;
}
