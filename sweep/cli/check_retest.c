#include "sweep/cli/check_retest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/run/slot.h"
#include "sweep/study/study.h"
#include "sweep/trials/data_file.h"

/* A trial that is to be tested. */
struct case_of {
    const struct study_trial *trial;
    bool tested;
    struct text_buffer wrong; /* not the arena's: it grows while workers run */
};

struct retest {
    const struct check_retest *o;
    struct scope *scope;
    struct study_due all;
    int count;
    struct case_of *list;   /* (count), in the order of `all` */
    struct study_job *jobs; /* those that can be asked; job k is of list[at[k]] */
    int *at, asked;
};

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

bool trial_list_has(const struct trial_list *list, int64_t trial)
{
    return list->count &&
           bsearch(&trial, list->trial, list->count, sizeof trial, compare_numbers) != NULL;
}

/* ---- which ---- */

/* One of each of n equal stretches. The golden ratio moves the place within them, so that it does
 * not keep step with seeds or head counts. */
static int sampled(int i, int n, int count)
{
    int first = (int)((int64_t)i * count / n), end = (int)((int64_t)(i + 1) * count / n);
    uint32_t turned = UINT32_C(1) << 31;
    turned += (uint32_t)i * UINT32_C(2654435769); /* 2^32 over the golden ratio */
    return first + (int)((uint64_t)turned * (uint32_t)(end - first) >> 32);
}

static void choose(struct retest *r)
{
    const struct study_trial **fit =
        arena_alloc(&r->scope->arena, (size_t)r->all.count + 1, sizeof(struct study_trial *));
    int count = 0;
    for (int i = 0; i < r->all.count; i++)
        if (r->all.list[i].file[0] && !trial_list_has(&r->o->unfit, r->all.list[i].trial_id))
            fit[count++] = &r->all.list[i];
    bool all = r->o->sample == 0 || r->o->sample >= count;
    r->count = all ? count : (int)r->o->sample;
    r->list = arena_alloc(&r->scope->arena, (size_t)r->count + 1, sizeof *r->list);
    for (int i = 0; i < r->count; i++)
        r->list[i].trial = fit[all ? i : sampled(i, r->count, count)];
}

/* Of trials whose file is not there any more nobody is asked. */
static void make_jobs(struct retest *r)
{
    struct scope *x = r->scope;
    r->jobs = arena_alloc(&x->arena, (size_t)r->count + 1, sizeof *r->jobs);
    r->at = arena_alloc(&x->arena, (size_t)r->count + 1, sizeof *r->at);
    for (int i = 0; i < r->count; i++) {
        struct case_of *c = &r->list[i];
        struct data_place place;
        struct message why;
        enum status s = store_config_data(x->store, c->trial->config_sha256, &place, &why);
        if (s == STATUS_BAD_INPUT) {
            text_add(&c->wrong, "%s", why.text);
            scope_check(x, c->wrong.out_of_memory ? status_no_memory(x->message, "what is wrong")
                                                  : STATUS_OK);
            continue;
        }
        if (s != STATUS_OK)
            *x->message = why;
        scope_check(x, s);
        r->at[r->asked] = i;
        r->jobs[r->asked++] = (struct study_job){
            .folder = store_folder(x->store), .trials = 1, .trial = c->trial, .options = "{}"};
    }
}

/* ---- what came of it ---- */

enum { SHOWN = 3 }; /* values of a trial */

struct differences {
    int count;
    bool row, result;
    struct text_buffer values;
};

static void put_value(struct text_buffer *text, double x, const char *where)
{
    if (isnan(x))
        text_add(text, "none %s", where);
    else
        text_add(text, "%.6g %s", x, where);
}

static void note_difference(void *context, const struct store_retested *v)
{
    struct differences *d = context;
    d->row = d->row || v->row_off;
    d->result = d->result || v->result_off;
    if (d->count++ >= SHOWN)
        return;
    text_add(&d->values, "%s%s is ", d->count > 1 ? "; " : "", v->name);
    put_value(&d->values, v->row, "in the row, ");
    put_value(&d->values, v->result, "in the result, ");
    put_value(&d->values, v->again, "by the weights");
}

static void tell_differences(const struct retest *r, const struct differences *d, struct case_of *c)
{
    const char *folder = store_folder(r->scope->store);
    text_add(&c->wrong, "%s not what its weights give: %s",
             !d->result ? "its row is"
             : !d->row  ? "its result is"
                        : "its row and its result are",
             d->values.text ? d->values.text : "");
    if (d->count > SHOWN)
        text_add(&c->wrong, "; and %d more", d->count - SHOWN);
    if (!d->result)
        text_add(&c->wrong,
                 ". Put the result's values into the row with sqlite3, or restore a copy of %s",
                 r->o->db);
    else if (!d->row)
        text_add(&c->wrong, ". Restore a copy of %s/%s", folder, c->trial->file);
    else
        text_add(
            &c->wrong,
            ". Restore copies of %s and %s/%s, or run the sweep again into another results file",
            r->o->db, folder, c->trial->file);
}

/* While workers run, so that nothing here leaves the scope. */
static enum status take(void *context, const struct study_job *job, const char *answer,
                        const char *why, struct message *m)
{
    struct retest *r = context;
    struct case_of *c = &r->list[r->at[job - r->jobs]];
    struct differences d = {0};
    if (!answer) {
        text_add(&c->wrong, "%s", why);
        return c->wrong.out_of_memory ? status_no_memory(m, "what is wrong") : STATUS_OK;
    }
    c->tested = true;
    enum status s =
        store_compare_retest(r->scope->store, c->trial->trial_id, answer, note_difference, &d, m);
    if (s == STATUS_OK && d.count)
        tell_differences(r, &d, c);
    if (s == STATUS_OK && (d.values.out_of_memory || c->wrong.out_of_memory))
        s = status_no_memory(m, "what is wrong");
    free(d.values.text);
    return s;
}

static void forget(void *context)
{
    struct retest *r = context;
    for (int i = 0; i < r->count; i++)
        free(r->list[i].wrong.text);
    free(r->all.list);
}

/* ---- telling ---- */

/* "trial 3", "trials 3, 7-9"; sorts them. */
static void add_trials(struct text_buffer *text, int64_t *trial, int count)
{
    qsort(trial, (size_t)count, sizeof *trial, compare_numbers);
    text_add(text, "trial%s", text_plural(count));
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && trial[end] == trial[i] + (end - i);)
            end++;
        text_add(text, "%s%" PRId64, i ? ", " : " ", trial[i]);
        if (end - i > 1)
            text_add(text, "%s%" PRId64, end - i > 2 ? "-" : ", ", trial[end - 1]);
    }
}

/* Trials about which the same is to be said, as of one file that all learned from, share a line. */
static void tell_wrong(struct retest *r)
{
    struct scope *x = r->scope;
    int64_t *trial = arena_alloc(&x->arena, (size_t)r->count + 1, sizeof *trial);
    for (int i = 0, end; i < r->count; i = end) {
        const char *wrong = r->list[i].wrong.text;
        int n = 0;
        for (end = i; end < r->count && wrong && r->list[end].wrong.text &&
                      strcmp(wrong, r->list[end].wrong.text) == 0;)
            trial[n++] = r->list[end++].trial->trial_id;
        end = n ? end : i + 1;
        if (n == 0)
            continue;
        struct text_buffer who = scope_text(x);
        add_trials(&who, trial, n);
        if (n == 1) {
            char label[SLOT_LABEL];
            const struct study_trial *t = r->list[i].trial;
            slot_label(t->heads, t->label, t->seed, label);
            text_add(&who, " (%s)", label);
        }
        r->o->tell(r->o->context, who.text, wrong);
    }
}

/* Of whom no weights are there, as they were removed or are known to be wrong. */
static void tell_untested(struct retest *r, bool unfit, const char *why)
{
    struct scope *x = r->scope;
    int64_t *trial = arena_alloc(&x->arena, (size_t)r->all.count + 1, sizeof *trial);
    int n = 0;
    for (int i = 0; i < r->all.count; i++)
        if (unfit ? r->all.list[i].file[0] && trial_list_has(&r->o->unfit, r->all.list[i].trial_id)
                  : !r->all.list[i].file[0])
            trial[n++] = r->all.list[i].trial_id;
    if (n == 0)
        return;
    struct text_buffer text = scope_text(x);
    add_trials(&text, trial, n);
    text_print(stdout, "not tested again, as %s: %s\n", why, text.text);
}

static long tell_all(struct retest *r)
{
    long tested = 0;
    for (int i = 0; i < r->count; i++)
        tested += r->list[i].tested;
    tell_wrong(r);
    tell_untested(r, true, "their weights are not as they should be");
    tell_untested(r, false, "their weights are gone");
    return tested;
}

static enum status ask(struct retest *r, struct message *m)
{
    struct study_session *session;
    struct study_result result = {0};
    const struct study_run_options options = {.workers = (int)r->o->workers, .quiet = r->o->quiet};
    enum status s = study_read(r->scope->store, &options, take, r, &session, m);
    if (s != STATUS_OK)
        return s;
    s = study_run(session, &study_retest, r->jobs, r->asked, &result, m);
    study_close(session, NULL);
    return s;
}

long check_retest(struct scope *x, const struct check_retest *o)
{
    struct retest *r = arena_alloc(&x->arena, 1, sizeof *r);
    *r = (struct retest){.o = o, .scope = x};
    arena_on_free(&x->arena, forget, r);
    scope_check(x, store_completed(x->store, &r->all, x->message));
    choose(r);
    make_jobs(r);
    enum status s = ask(r, x->message);
    long tested = tell_all(r);
    scope_check(x, s);
    return tested;
}
