/* What was run, and what became of the plan: above the finding of a report what it is to be read
 * by, below all findings what is the same in all trials. */
#include <math.h>
#include <string.h>

#include "datasets/task_text.h"
#include "engine/base/json.h"
#include "sweep/report/report_parts.h"

/* Parameters where they are the same at every head count of every setting, else 0. */
static int64_t common_params(const struct report_data *r)
{
    int64_t params = r->settings ? r->setting[0].extra[0].n_params : 0;
    for (int i = 0; i < r->settings; i++)
        for (int k = 0; k < r->setting[i].count; k++)
            if (r->setting[i].extra[k].n_params != params)
                return 0;
    return params;
}

/* What guessing gets where it is the same in every setting, else NaN. */
static double common_guess(const struct report_data *r)
{
    for (int i = 1; i < r->settings; i++)
        if (r->setting[i].verdict->guess != r->setting[0].verdict->guess)
            return NAN;
    return r->settings ? r->setting[0].verdict->guess : NAN;
}

static void add_guess(const struct report_data *r, struct text_buffer *text)
{
    double guess = common_guess(r);
    if (isnan(guess))
        return;
    if (!r->setting[0].input.loss)
        text_add(text, " Guessing gets %.3g.", guess);
    else if (verdict_has_bits(&r->setting[0].input))
        text_add(text,
                 " Guessing each byte by how often it occurs has a loss of %.3g nats (%.3f bits "
                 "per byte)%s.",
                 guess, guess / M_LN2,
                 r->setting[0].verdict->guess_varies ? ", on average over the texts" : "");
    else
        text_add(text, " Guessing has a loss of %.3g.", guess);
}

/* How much has run. Under tune: what for. */
static void add_trials(const struct report_data *r, struct text_buffer *text)
{
    long judged = 0, tuning = 0, eliminated = 0;
    for (int i = 0; i < r->settings; i++) {
        judged += r->setting[i].input.planned;
        tuning += r->setting[i].input.tuning;
        eliminated += r->setting[i].input.eliminated;
    }
    if (r->ended < r->planned)
        text_add(text, " %ld of %s %s ended.", r->ended, text_counted(r->planned, "trial").text,
                 r->planned == 1 ? "has" : "have");
    else if (r->planned == 1)
        text_add(text, " Its one trial has ended.");
    else if (tuning == 0 || judged + tuning != r->planned)
        text_add(text, " All %ld trials have ended.", r->planned);
    else
        text_add(text, " All %ld trials have ended: %ld judged, %ld for tuning.", r->planned,
                 judged, tuning);
    if (eliminated > 0)
        text_add(text, " %ld more tuning trial%s stopped early, at a rung.", eliminated,
                 eliminated == 1 ? " was" : "s were");
}

static void add_shards(const struct shards *s, struct text_buffer *text)
{
    bool one = strchr(s->missing, ' ') == NULL;
    if (s->missing[0])
        text_add(text, " Shard%s %s of %lld %s not in this file; `headcount merge` adds %s run.",
                 one ? "" : "s", s->missing, (long long)s->of, one ? "is" : "are",
                 one ? "it once it has" : "them once they have");
    if (s->unfinished[0])
        text_add(text, " Not finished: %s; `headcount run --shard %lld/%lld` resumes %s.",
                 s->unfinished, (long long)s->first_left, (long long)s->of,
                 s->lefts == 1 ? "it" : "the first");
}

/* The learning rates that head counts were given; NULL where the rate is not tuned. */
static const char *rates_of(const struct report_data *r, const struct verdict_input *in)
{
    struct text_buffer text = scope_text(r->scope);
    for (int a = 0; in->choices > 0 && a < in->choice[0].axes; a++)
        if (strcmp(in->choice[0].axis[a].path, "train.lr") == 0)
            verdict_text_values(in, a, &text);
    return text.text;
}

/* Which learning rates were tried, and how far choosing is. */
static void add_tuned(const struct report_data *r, struct text_buffer *text)
{
    int chosen = 0, heads = 0;
    const char *rates = r->settings ? rates_of(r, &r->setting[0].input) : NULL;
    if (!rates)
        return;
    for (int i = 0; i < r->settings; i++) {
        const char *own = rates_of(r, &r->setting[i].input);
        chosen += verdict_chosen(&r->setting[i].input);
        heads += r->setting[i].count;
        if (!own || strcmp(own, rates) != 0)
            rates = "those that its setting names";
    }
    text_add(text, " Each head count's learning rate %s chosen among %s",
             chosen == heads ? "was" : "is being", rates);
    if (chosen < heads)
        text_add(text, "; %d of %d %s so far", chosen, heads, chosen == 1 ? "has one" : "have one");
    text_add(text, ".");
}

/* How much was run, and what it is measured by. */
static void add_facts(const struct report_data *r, struct text_buffer *text)
{
    const struct task *task = task_find(r->task); /* NULL: sweeps over several */
    int64_t params = common_params(r);
    text_add(text, "Task %s.", r->task);
    if (task && task != &task_text)
        text_add(text, " %s", task->summary);
    if (r->overrides_shown[0])
        text_add(text, " Run with %s.", r->overrides_shown);
    if (params)
        text_add(text, " %lld parameters at every head count.", (long long)params);
    add_guess(r, text);
    add_trials(r, text);
    if (r->kernels.kinds > 1)
        text_add(text, " Not all were computed alike, and last bits may differ between these: %s.",
                 r->kernels.words.text);
    if (r->lost.used > 0)
        text_add(text,
                 " Attempts were lost on these machines, and their trials went on elsewhere: %s.",
                 r->lost.text);
    add_shards(&r->shards_left, text);
    if (r->remark[0])
        text_add(text, " Note: %s", r->remark);
}

/* ---- what is outside the plan ---- */

/* "5 ended trials of this sweep are outside the plan (mean test accuracy 0.712); by heads: ..." */
static void add_outside(const struct report_data *r, struct text_buffer *text)
{
    const struct evidence *e = r->evidence;
    const char *metric = e->base.loss ? "test loss" : "test accuracy";
    double sum = 0;
    int ended = 0, completed = 0;
    for (int i = 0; i < e->outsides; i++) {
        const struct evidence_outside *o = &e->outside[i];
        ended += o->ended;
        completed += o->completed;
        sum += o->completed ? o->completed * o->mean : 0;
    }
    if (ended == 0)
        return;
    text_add(text, "%d ended trial%s of this sweep %s outside the plan", ended, text_plural(ended),
             ended == 1 ? "is" : "are");
    if (completed == 0) {
        text_add(text, "; none of them completed.");
        return;
    }
    text_add(text, " (mean %s %.3f), and in no number below:", metric, sum / completed);
    for (int i = 0; i < e->outsides; i++) {
        const struct evidence_outside *o = &e->outside[i];
        text_add(text, "%s %d with %lld head%s", i ? ";" : "", o->ended, (long long)o->heads,
                 text_plural(o->heads));
        if (o->completed)
            text_add(text, " (%.3f)", o->mean);
        else
            text_add(text, " (none completed)");
    }
    text_add(text, ".");
}

/* ---- how the plan changed ---- */

/* "; heads removed: 1, 32" where the list of that name, of a change's JSON, has any. */
static void add_list(const struct json *what, const char *key, const char *words,
                     struct text_buffer *text)
{
    struct json list;
    int64_t number;
    bool more = json_member(what, key, &list) && json_take(&list, '[') && !json_take(&list, ']');
    for (const char *before = words; more && json_integer(&list, &number); before = NULL) {
        text_add(text, before ? "; %s: %lld" : "%s, %lld", before ? before : "", (long long)number);
        if (!json_more(&list, ']', &more))
            return;
    }
}

static void add_what(const char *json, struct text_buffer *text)
{
    static const char *const lists[][2] = {{"heads_added", "heads added"},
                                           {"heads_removed", "heads removed"},
                                           {"seeds_added", "seeds added"},
                                           {"seeds_removed", "seeds removed"}};
    const unsigned char *bytes = (const unsigned char *)json;
    struct message ignored;
    struct json what = {.start = bytes,
                        .next = bytes,
                        .end = bytes + strlen(json),
                        .place = "plan_change.what",
                        .text = arena_alloc(text->arena, strlen(json) + 1, 1),
                        .m = &ignored};
    struct json checked = what;
    if (json_skip(&checked) && json_end(&checked))
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            add_list(&what, lists[i][0], lists[i][1], text);
}

/* A change of the plan, of the claim or of the rules, at a time when results could be seen. */
static void add_change(const struct evidence_change *c, const struct evidence_change *before,
                       struct text_buffer *text)
{
    bool plan = c->added || c->removed;
    const char *changed[3];
    int n = 0;
    if (plan)
        changed[n++] = "plan";
    if (strcmp(c->claim, before->claim) != 0)
        changed[n++] = "claim";
    if (c->rules[0])
        changed[n++] = "rules";
    if (n == 0 || c->seen == 0)
        return;
    for (int i = 0; i < n; i++)
        text_add(text, "%s%s", i == 0 ? "The " : i == n - 1 ? " and the " : ", the ", changed[i]);
    if (c->rules[0])
        text_add(text, " (%s)", c->rules);
    text_add(text, " %s changed on %.10s, after %lld trial%s had ended",
             n == 1 && !c->rules[0] ? "was" : "were", c->changed, (long long)c->seen,
             text_plural(c->seen));
    if (plan)
        text_add(text, ": %lld added, %lld removed", (long long)c->added, (long long)c->removed);
    if (plan)
        add_what(c->what, text);
    text_add(text, ".");
}

/* Where a claim is judged in several settings: what it came to in all of them. */
static void add_claims(const struct report_data *r, struct text_buffer *text)
{
    int judged = 0, confirmed = 0, contradicted = 0, waiting = 0;
    for (int i = 0; i < r->settings; i++) {
        const struct verdict *v = r->setting[i].verdict;
        judged += v->prediction;
        waiting += v->prediction && v->kind == VERDICT_NOTHING;
        confirmed += v->kind == VERDICT_CLAIM_CONFIRMED;
        contradicted += v->kind == VERDICT_CLAIM_CONTRADICTED;
    }
    if (judged < 2)
        return;
    text_add(text, "The claim is judged in each of %d settings: ", judged);
    if (waiting == judged)
        text_add(text, "nothing has been judged yet");
    else
        text_add(text, "confirmed in %d", confirmed);
    if (waiting && waiting < judged)
        text_add(text, ", not judged yet in %d", waiting);
    if (contradicted)
        text_add(text, ", contradicted in %d", contradicted);
    text_add(text, ".");
}

void report_design(const struct report_data *r, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    text_add(&text, "The same in all trials: %s.", r->fixed);
    if (r->file[0])
        text_add(&text, " The file: %s.", r->file);
    add_tuned(r, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

void report_facts(const struct report_data *r, struct document *d)
{
    const struct evidence *e = r->evidence;
    struct text_buffer text = scope_text(d->scope);
    add_facts(r, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
    add_claims(r, &text);
    document_text(d, DOCUMENT_ITEM, &text);
    add_outside(r, &text);
    document_text(d, DOCUMENT_ITEM, &text);
    for (int i = 1; i < e->changes; i++) {
        add_change(&e->change[i], &e->change[i - 1], &text);
        document_text(d, DOCUMENT_ITEM, &text);
    }
}
