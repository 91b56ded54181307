/* Which trials answer together, and asking them. */
#include "sweep/study/ensemble.h"

#include <stdlib.h>
#include <string.h>

/* {"members":[3,4]}: the group is part of what it is asked, as other seeds make other groups. */
static void add_options(struct text_buffer *b, const struct study_trial *group, int members)
{
    struct json_writer w = {.text = b};
    json_begin_object(&w, NULL);
    ensemble_add_trials(&w, "members", group, members);
    json_end_object(&w);
}

/* A trial, and which configuration of the plan it has: 0, 1, ... */
struct candidate {
    const struct study_trial *trial;
    int config;
};

static int by_config_and_seed(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->config != b->config)
        return a->config < b->config ? -1 : 1;
    return (a->trial->seed > b->trial->seed) - (a->trial->seed < b->trial->seed);
}

/* The trials with that head count, those of one configuration in a row; returns how many. */
static int find_candidates(const struct study_due *due, long heads, struct candidate *candidate)
{
    int n = 0, configs = 0;
    for (int i = 0; i < due->count; i++) {
        const struct study_trial *t = &due->list[i];
        int same = 0;
        if (t->heads != heads)
            continue;
        while (same < n && strcmp(candidate[same].trial->config_sha256, t->config_sha256) != 0)
            same++;
        int config = same < n ? candidate[same].config : configs++;
        candidate[n++] = (struct candidate){t, config};
    }
    qsort(candidate, (size_t)n, sizeof *candidate, by_config_and_seed);
    return n;
}

/* Cuts a row of trials of one configuration into groups; what is left over is in none. */
static void cut_groups(struct ensemble_groups *g, const struct candidate *candidate, int n)
{
    int groups = n / g->members;
    for (int i = 0; i < groups * g->members; i++)
        g->trial[g->count * g->members + i] = *candidate[i].trial;
    g->count += groups;
    if (groups == 0)
        text_add(&g->too_few, "%s%d%s%s", g->too_few.used ? ", " : "", n,
                 candidate[0].trial->label[0] ? " of " : "", candidate[0].trial->label);
    if (n > g->most)
        g->most = n;
}

static enum status cut_all(struct ensemble_groups *g, const struct candidate *candidate, int n,
                           struct message *m)
{
    for (int from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && candidate[to].config == candidate[from].config;)
            to++;
        cut_groups(g, candidate + from, to - from);
    }
    const char *head = g->heads == 1 ? "head" : "heads";
    if (g->too_few.out_of_memory)
        return status_no_memory(m, "the ensembles");
    if (g->count > 0)
        return STATUS_OK;
    if (n == 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "no trial with %ld %s has completed in this sweep: nothing to combine",
                           g->heads, head);
    return status_fail(m, STATUS_BAD_INPUT,
                       "%d members need %d completed trials of one configuration, with different "
                       "seeds; with %ld %s there are %s, so %d more are needed: make `seeds` "
                       "larger in the sweep file and run it again",
                       g->members, g->members, g->heads, head, g->too_few.text,
                       g->members - g->most);
}

enum status ensemble_groups(struct store *s, int64_t sweep_id, long heads, int members,
                            struct ensemble_groups *g, struct message *m)
{
    struct study_due due = {0};
    *g = (struct ensemble_groups){.heads = heads, .members = members};
    enum status status = store_study_due(s, sweep_id, 0, study_ensemble.name, NULL, &due, m);
    if (status != STATUS_OK)
        return status;
    struct candidate *candidate = calloc((size_t)due.count + 1, sizeof *candidate);
    g->trial = calloc((size_t)due.count + 1, sizeof *g->trial);
    if (candidate && g->trial)
        status = cut_all(g, candidate, find_candidates(&due, heads, candidate), m);
    else
        status = status_no_memory(m, "the ensembles");
    free(candidate);
    free(due.list);
    return status;
}

void ensemble_groups_free(struct ensemble_groups *g)
{
    free(g->trial);
    free(g->too_few.text);
    *g = (struct ensemble_groups){0};
}

/* ---- asking ---- */

/* The groups that have not answered, as jobs. */
struct asking {
    struct ensemble_groups groups;
    struct text_buffer *options; /* (groups.count) */
    struct study_job *job;       /* (due) */
    int due;
};

static enum status find_due(struct store *s, const struct ensemble_request *q, struct asking *a,
                            struct study_result *r, struct message *m)
{
    enum status status = store_sweep(s, q->sweep, &r->sweep_id, m);
    if (status == STATUS_OK)
        status = ensemble_groups(s, r->sweep_id, q->heads, q->members, &a->groups, m);
    if (status != STATUS_OK)
        return status;
    a->options = calloc((size_t)a->groups.count + 1, sizeof *a->options);
    a->job = calloc((size_t)a->groups.count + 1, sizeof *a->job);
    bool ok = a->options && a->job;
    for (int i = 0; i < a->groups.count && ok && status == STATUS_OK; i++) {
        const struct study_trial *group = ensemble_group(&a->groups, i);
        bool answered = false;
        add_options(&a->options[i], group, q->members);
        ok = !a->options[i].out_of_memory;
        if (ok)
            status = store_study_answered(s, group, q->members, study_ensemble.name,
                                          a->options[i].text, &answered, m);
        if (!answered)
            a->job[a->due++] = (struct study_job){.folder = store_folder(s),
                                                  .trials = q->members,
                                                  .trial = group,
                                                  .options = a->options[i].text};
    }
    r->before = a->groups.count - a->due;
    return ok ? status : status_no_memory(m, "the ensembles");
}

static void asking_free(struct asking *a)
{
    for (int i = 0; a->options && i < a->groups.count; i++)
        free(a->options[i].text);
    free(a->options);
    free(a->job);
    ensemble_groups_free(&a->groups);
}

/* Looks first whether anybody is to be asked: only then the file is opened for writing. */
static enum status look(const struct ensemble_request *q, struct study_result *r, int *due,
                        struct message *m)
{
    struct asking a = {0};
    struct store *s;
    enum status status = store_open(q->db, STORE_READ, &s, m);
    if (status != STATUS_OK)
        return status;
    status = find_due(s, q, &a, r, m);
    *due = a.due;
    asking_free(&a);
    return store_close_after(s, status, m);
}

enum status ensemble_ask(const struct ensemble_request *q, struct study_result *r,
                         struct message *m)
{
    struct study_session *session = NULL;
    struct asking a = {0};
    int due = 0;
    *r = (struct study_result){0};
    enum status status = look(q, r, &due, m);
    if (status != STATUS_OK || due == 0)
        return status;
    status = study_open(q->db, &q->run, &session, m);
    if (status != STATUS_OK)
        return status;
    status = find_due(study_store(session), q, &a, r, m);
    if (status == STATUS_OK)
        status = study_run(session, &study_ensemble, a.job, a.due, r, m);
    asking_free(&a);
    enum status closed = study_close(session, status == STATUS_OK ? m : NULL);
    return status == STATUS_OK ? closed : status;
}
