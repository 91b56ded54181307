/* Settings against each other at the same head count (judge/between.h): of each setting what it
 * gains over another, and what was claimed of two. */
#ifndef SWEEP_REPORT_REPORT_BETWEEN_H
#define SWEEP_REPORT_REPORT_BETWEEN_H

#include "sweep/evidence/evidence.h"
#include "sweep/judge/verdict_text.h"
#include "sweep/report/document.h"

struct report_between {
    struct scope *scope;
    struct evidence_pairs pairs; /* judged */
    int claimed;                 /* the first so many are claimed */
    struct verdict_text *text;   /* (claimed) what there is to say of them */
};

/* Judges the settings of a sweep against each other; NULL where none can be compared. */
struct report_between *report_between_new(struct scope *x, const struct evidence *e);

/* Each takes NULL and then writes nothing. */

bool report_between_is_claimed(const struct report_between *b);

/* A section of a report: what was claimed, and the largest differences. sweep: its name. */
void report_between_people(const struct report_between *b, const char *sweep, struct document *d);

/* All differences alone: for people, and as CSV; without any, where NULL, it says so. */
void report_between_all(const struct report_between *b, struct document *d);
void report_between_csv(const struct report_between *b, struct scope *x, FILE *out);

/* As "between": an object, null for NULL. */
void report_between_json(const struct report_between *b, struct json_writer *w);

/* The columns of its table on the page, as "between". */
void report_between_page_columns(struct json_writer *w);

#endif
