/* A report for people: what was run, the map, the table of each setting, the verdict's sentences.
 */
#include <stdlib.h>

#include "sweep/report/report_parts.h"

/* A setting's name, table and sentences. */
static enum status write_setting(const struct report_data *r, const struct report_setting *set,
                                 struct document *d, struct message *m)
{
    if (set->label[0])
        document_heading(d, set->label);
    enum status s = report_table(set, d, m);
    for (int k = 0; k < set->verdict->sentences && s == STATUS_OK; k++)
        (k < set->verdict->lead ? document_finding : document_item)(d, set->verdict->sentence[k]);
    if (s == STATUS_OK)
        s = report_labels_people(r->labels, set->setting, set->verdict->unit, d, m);
    return s == STATUS_OK ? report_shift_people(r->shift, set->setting, set->verdict->unit, d, m)
                          : s;
}

/* What the columns mean, of those that there are. */
static void write_legend(const struct report_data *r, struct document *d)
{
    const struct report_setting *set = &r->setting[0];
    struct text_buffer text = {0};
    bool loss = set->input.loss;
    text_add(&text,
             "Test %s at the step of the best validation, over n %ss%s, with a 95%% t interval of "
             "the mean%s (cut at 0%s);",
             loss ? "loss" : "accuracy", set->verdict->unit,
             set->input.replicated ? ", each the mean of its seeds" : "",
             set->verdict->blocks ? ", over the seeds alone" : "", loss ? "" : " and 1");
    if (verdict_has_bits(&set->input))
        text_add(&text, " bits/byte: the mean over ln 2;");
    if (!loss)
        text_add(&text, " solved: trials with an accuracy of at least %g;", VERDICT_SOLVED);
    if (!loss && !set->input.replicated)
        text_add(&text, " share: the exact 95%% interval of their share;");
    if (set->input.data == VERDICT_TOY)
        text_add(&text, " exact: share of test sequences with every position right;");
    text_add(&text, " *: the head count that the verdict is about; +: others of the plateau; at "
                    "the right, mean and interval on a line.");
    if (text.out_of_memory)
        d->out_of_memory = true;
    else
        document_legend(d, text.text);
    free(text.text);
}

enum status report_people(const struct report_data *r, const struct report_map *map,
                          struct document *d, struct message *m)
{
    enum status s = STATUS_OK;
    document_title(d, r->name, r->question);
    report_facts(r, d);
    if (map)
        s = report_map_people(r, map, d, m);
    for (int i = 0; i < r->settings && s == STATUS_OK; i++)
        s = write_setting(r, &r->setting[i], d, m);
    if (r->settings && s == STATUS_OK)
        write_legend(r, d);
    return s;
}
