/* A report for people: what was run, the map, of each setting the finding, the table and what
 * limits it, settings against each other, and what is the same in all trials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/task_text.h"
#include "engine/base/json.h"
#include "sweep/report/report_parts.h"

/* ---- what was run ---- */

/* Parameters where they are the same at every head count of every setting, else 0. */
static int64_t common_params(const struct report_data *r)
{
    int64_t params = r->settings ? r->setting[0].input.arm[0].n_params : 0;
    for (int i = 0; i < r->settings; i++)
        for (int k = 0; k < r->setting[i].input.count; k++)
            if (r->setting[i].input.arm[k].n_params != params)
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
    const struct verdict_arm *tuned = verdict_tuned(in);
    for (int a = 0; tuned && a < tuned->axes; a++)
        if (strcmp(tuned->axis[a].path, "train.lr") == 0)
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
        heads += r->setting[i].input.count;
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

/* What is the same in all trials. */
static void report_design(const struct report_data *r, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    text_add(&text, "The same in all trials: %s.", r->fixed);
    if (r->file[0])
        text_add(&text, " The file: %s.", r->file);
    add_tuned(r, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

/* How much was run, what is outside the plan, how the plan changed while results could be seen. */
static void report_facts(const struct report_data *r, struct document *d)
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

/* ---- what settings say ---- */

/* A sentence that a setting says beside its findings. */
struct saying {
    const struct verdict_sentence *sentence;
    int setting;
};

struct sayings {
    struct saying *item; /* by rule, text and setting */
    size_t count;
};

/* Whether two settings say the same but for what is their own: "At the edge of the grid: 4 heads
 * chose ..." */
static int compare_common(const void *a, const void *b)
{
    const struct verdict_sentence *x = ((const struct saying *)a)->sentence,
                                  *y = ((const struct saying *)b)->sentence;
    int order = strcmp(x->rule, y->rule);
    order =
        order ? order : strncmp(x->text, y->text, x->common < y->common ? x->common : y->common);
    return order ? order : (x->common > y->common) - (x->common < y->common);
}

static int compare_sayings(const void *a, const void *b)
{
    const struct saying *x = a, *y = b;
    int order = strcmp(x->sentence->rule, y->sentence->rule);
    order = order ? order : strcmp(x->sentence->text, y->sentence->text);
    return order ? order : x->setting - y->setting;
}

static struct sayings list_sayings(const struct report_data *r)
{
    struct sayings list = {0};
    size_t room = 0;
    for (int i = 0; i < r->settings; i++)
        room += (size_t)r->setting[i].text.count;
    list.item = arena_alloc(&r->scope->arena, room, sizeof *list.item);
    for (int i = 0; i < r->settings; i++)
        for (int k = r->setting[i].text.headlines; k < r->setting[i].text.count; k++)
            list.item[list.count++] = (struct saying){&r->setting[i].text.sentence[k], i};
    if (list.count)
        qsort(list.item, list.count, sizeof *list.item, compare_sayings);
    return list;
}

/* Who says a sentence: the first of them, and how many they are; NULL and 0 where nobody does. */
static const struct saying *who_says(const struct sayings *list,
                                     const struct verdict_sentence *sentence, int *count)
{
    const struct saying key = {.sentence = sentence}, *end = list->item + list->count;
    const struct saying *first =
        bsearch(&key, list->item, list->count, sizeof *list->item, compare_common);
    *count = 0;
    if (!first)
        return NULL;
    while (first > list->item && compare_common(first - 1, &key) == 0)
        first--;
    while (first + *count < end && compare_common(first + *count, &key) == 0)
        ++*count;
    return first;
}

/* "In slots=8; slots=16: " and the sentence. */
static void add_same(const struct report_data *r, const struct saying *by, int n,
                     struct text_buffer *text)
{
    if (n == r->settings)
        text_add(text, "In all settings");
    for (int s = 0; s < n && n < r->settings; s++)
        text_add(text, "%s%s", s ? "; " : "In ", r->setting[by[s].setting].label);
    text_add(text, ": %s", by->sentence->text);
}

/* "...: 4 heads chose ... (slots=8; slots=16); 8 heads chose ... (slots=32)." */
static void add_different(const struct report_data *r, const struct saying *by, int n,
                          struct text_buffer *text)
{
    size_t common = by->sentence->common;
    text_add(text, "%.*s", (int)common, by->sentence->text);
    for (int s = 0; s < n; s++) {
        const char *own = by[s].sentence->text + common;
        if (s && strcmp(by[s - 1].sentence->text, by[s].sentence->text) == 0)
            text_add(text, "; ");
        else
            text_add(text, "%s%.*s (", s ? "); " : "", (int)strlen(own) - 1, own);
        text_add(text, "%s", r->setting[by[s].setting].label);
    }
    text_add(text, ").");
}

/* Whether a sentence that several settings say is for everyone in one of them. */
static bool is_shown(const struct report_data *r, const struct saying *by, int n)
{
    bool shown = false;
    for (int s = 0; s < n; s++) {
        const struct verdict_text *words = &r->setting[by[s].setting].text;
        shown = shown || by[s].sentence < words->sentence + words->shown;
    }
    return shown;
}

/* What several settings say beside their findings, each sentence once. */
static void write_common(const struct report_data *r, const struct sayings *list,
                         struct document *d)
{
    bool headed = false;
    struct text_buffer text = scope_text(d->scope);
    for (int i = 0; i < r->settings; i++) {
        const struct verdict_text *words = &r->setting[i].text;
        for (int k = words->headlines; k < words->count; k++) {
            int n;
            const struct saying *by = who_says(list, &words->sentence[k], &n);
            bool first = true;
            for (int s = 0; s < n; s++)
                first = first && by[s].setting >= i;
            if (n < 2 || !first)
                continue;
            if (!d->explain && !is_shown(r, by, n)) {
                d->hidden++;
                continue;
            }
            if (!headed)
                document_put(d, DOCUMENT_HEADING, "In several settings");
            headed = true;
            if (strcmp(by->sentence->text, by[n - 1].sentence->text) == 0)
                add_same(r, by, n, &text);
            else
                add_different(r, by, n, &text);
            document_text(d, DOCUMENT_ITEM, &text);
        }
    }
}

/* A setting's name, finding, table and what limits it, but for what others say too. */
static void write_setting(const struct report_data *r, const struct report_setting *set,
                          const struct sayings *list, struct document *d)
{
    const struct verdict_text *words = &set->text;
    if (set->label[0])
        document_put(d, DOCUMENT_HEADING, set->label);
    for (int k = 0; k < words->headlines; k++)
        document_put(d, DOCUMENT_FINDING, words->sentence[k].text);
    report_table(set, d);
    for (int k = words->headlines; k < words->count; k++) {
        int settings;
        if (who_says(list, &words->sentence[k], &settings) && settings == 1)
            document_put(d, k < words->shown ? DOCUMENT_ITEM : DOCUMENT_EXPLANATION,
                         words->sentence[k].text);
    }
    report_labels_people(r->labels, set->setting, set->verdict->unit, d);
    report_shift_people(r->shift, set->setting, set->verdict->unit, d);
}

/* Whether a row has the mark of a plateau: the candidate's has its own. */
static bool has_plateau_mark(const struct report_data *r)
{
    bool found = false;
    for (int i = 0; i < r->settings; i++) {
        const struct verdict *v = r->setting[i].verdict;
        for (int k = 0; k < v->rows; k++)
            found = found || (v->row[k].in_plateau && v->row[k].arm != v->candidate);
    }
    return found;
}

/* What the columns mean, of those that there are. */
static void write_legend(const struct report_data *r, struct document *d)
{
    const struct report_setting *set = &r->setting[0];
    struct text_buffer text = scope_text(d->scope);
    bool loss = set->input.loss;
    text_add(&text,
             "Test %s at the step of the best validation, over n %ss%s, with a 95%% t interval of "
             "the mean%s%s;",
             loss ? "loss" : "accuracy", set->verdict->unit,
             set->input.replicated ? ", each the mean of its seeds" : "",
             set->verdict->blocks ? ", over the seeds alone" : "", loss ? "" : " (cut at 0 and 1)");
    report_legend(r, d, &text);
    text_add(&text, " *: the head count that the verdict is about;");
    if (has_plateau_mark(r))
        text_add(&text, " +: others that %s;",
                 set->input.equivalence > 0 ? "are shown to be within the margin of the best"
                                            : "could be the best");
    if (table_names_column(&d->shown, REPORT_PLOT))
        text_add(&text, " at the right, " REPORT_PLOT ";");
    text.text[text.used - 1] = '.';
    document_legend(d, text.text);
}

/* What was left out is named once, last of all. */
static void write_hidden(const struct report_data *r, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    if (d->hidden == 0)
        return;
    text_add(&text, "`headcount report %s --explain`: %d more line%s.", r->name, d->hidden,
             text_plural(d->hidden));
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

void report_people(const struct report_data *r, const struct report_map *map, struct document *d)
{
    struct sayings list = list_sayings(r);
    document_title(d, r->name, r->question);
    report_facts(r, d);
    if (map)
        report_map_people(r, map, d);
    bool claimed = report_between_is_claimed(r->between);
    if (claimed) /* what was asked comes first */
        report_between_people(r->between, r->name, d);
    for (int i = 0; i < r->settings; i++)
        write_setting(r, &r->setting[i], &list, d);
    if (!claimed)
        report_between_people(r->between, r->name, d);
    write_common(r, &list, d);
    report_design(r, d);
    if (r->settings)
        write_legend(r, d);
    write_hidden(r, d);
}
