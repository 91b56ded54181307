/* A report for people: what was run, the table of each setting, the verdict's sentences. */
#include <math.h>
#include <stdlib.h>

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

/* Chance accuracy where it is the same in every setting, else NaN. */
static double common_chance(const struct report_data *r)
{
    for (int i = 1; i < r->settings; i++)
        if (r->setting[i].input.chance != r->setting[0].input.chance)
            return NAN;
    return r->settings ? r->setting[0].input.chance : NAN;
}

/* What was run, and how much of it, in one paragraph. */
static void add_facts(const struct report_data *r, struct text_buffer *text)
{
    int64_t params = common_params(r);
    double chance = common_chance(r);
    text_add(text, "Task %s: %s.", r->task, r->fixed);
    if (r->overrides_shown[0])
        text_add(text, " Run with %s.", r->overrides_shown);
    if (params)
        text_add(text, " %lld parameters at every head count.", (long long)params);
    if (!isnan(chance))
        text_add(text, " Guessing gets %.3g.", chance);
    if (r->ended == r->planned)
        text_add(text,
                 r->planned == 1 ? " Its one trial has ended." : " All %ld trials have ended.",
                 r->planned);
    else
        text_add(text, " %ld of %ld trials have ended.", r->ended, r->planned);
    if (r->remark[0])
        text_add(text, " Note: %s", r->remark);
}

static const char LEGEND[] =
    "Test accuracy at the step of the best validation, over n seeds, with a 95% t interval of the "
    "mean (cut at 0 and 1); solved: trials with an accuracy of at least 0.99; share: the exact 95% "
    "interval of their share; *: the head count that the verdict is about.";

/* A setting's name, table and sentences. */
static enum status write_setting(const struct report_setting *set, struct document *d,
                                 struct message *m)
{
    if (set->label[0])
        document_heading(d, set->label);
    enum status s = report_table(set, d, m);
    for (int k = 0; k < set->verdict->sentences && s == STATUS_OK; k++)
        (k < set->verdict->lead ? document_finding : document_item)(d, set->verdict->sentence[k]);
    return s;
}

enum status report_people(const struct report_data *r, const struct report_map *map,
                          struct document *d, struct message *m)
{
    struct text_buffer facts = {0};
    enum status s = STATUS_OK;
    add_facts(r, &facts);
    if (facts.out_of_memory) {
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    } else {
        document_title(d, r->name, r->question);
        document_paragraph(d, facts.text);
    }
    free(facts.text);
    if (s == STATUS_OK && map)
        s = report_map_people(r, map, d, m);
    for (int i = 0; i < r->settings && s == STATUS_OK; i++)
        s = write_setting(&r->setting[i], d, m);
    if (r->settings && s == STATUS_OK)
        document_legend(d, LEGEND);
    return s;
}
