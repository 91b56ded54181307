/* The formats of a report: report_people.c and report_table.c write it for people, report_json.c
 * for programs. */
#ifndef SWEEP_REPORT_REPORT_PARTS_H
#define SWEEP_REPORT_REPORT_PARTS_H

#include "sweep/report/document.h"
#include "sweep/report/report_data.h"
#include "sweep/report/report_map.h"

/* map: NULL where there is none. */
void report_people(const struct report_data *r, const struct report_map *map, struct document *d);
/* The table of one setting, with a plot where there is room for it. */
void report_table(const struct report_setting *set, struct document *d);
/* A cell with the 95% interval of a head count's mean, or what there is in its place. */
void report_interval(struct table *t, const struct report_setting *set,
                     const struct verdict_row *row);
/* What the columns say of themselves that d has not left out, as parts of a sentence. */
void report_legend(const struct report_data *r, const struct document *d, struct text_buffer *text);
/* What the plot is called among columns. */
#define REPORT_PLOT "mean and interval on a line"

/* The head counts of a setting as "heads". */
void report_heads_json(struct scope *x, const struct report_setting *set, struct json_writer *w);
/* As "claim_proof": whether the claim was first, how many results could be seen where it was not
 * and, where it was, how many of trials like these. */
void report_proof_json(const struct verdict_input *in, struct json_writer *w);
/* All sentences, as "sentences": the first "lead" are the finding, the first "shown" are for
 * everyone. */
void report_sentences_json(const struct verdict_text *text, struct json_writer *w);
/* What CSV has behind the columns of the view by_heads, returning under which conditions, and the
 * cells of one of its rows. */
unsigned report_csv_columns(const struct report_data *r, struct table *t);
void report_csv_cells(const struct report_data *r, unsigned conditions,
                      const struct report_setting *set, long row, struct table *t);

void report_json(const struct report_data *r, const struct report_map *map, FILE *out);

#endif
