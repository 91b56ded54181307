/* A report for people: what was run, the map, of each setting the finding, the table and what
 * limits it, settings against each other. */
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_parts.h"

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
                document_heading(d, "In several settings");
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
        document_heading(d, set->label);
    for (int k = 0; k < words->headlines; k++)
        document_finding(d, words->sentence[k].text);
    report_table(set, d);
    for (int k = words->headlines; k < words->count; k++) {
        int settings;
        if (who_says(list, &words->sentence[k], &settings) && settings == 1)
            (k < words->shown ? document_item : document_explanation)(d, words->sentence[k].text);
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
            found = found || (v->row[k].in_plateau && v->row[k].heads != v->candidate);
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
